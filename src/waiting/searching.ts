/**
 * The search for a line, and how a process that others share keeps a regular expression from holding it up.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import { matcher } from "../screen/matching.ts"

/**
 * The line that was found, and what matched there.
 *
 * @category models
 * @since 0.1.0
 */
export interface LineFound {
  /** Its place among the lines that were searched. */
  readonly at: number
  readonly text: string
  readonly groups: ReadonlyArray<string>
}

/**
 * What a search ends with. `unmatchable`: that takes too long or too much room.
 *
 * @category models
 * @since 0.1.0
 */
export type Searched = LineFound | "unmatchable" | undefined

/**
 * Finds the first line that a regular expression matches: at once, or somewhere else. The wait goes on meanwhile, and
 * gives the lines that come to the next search; one that is interrupted is not needed any more.
 *
 * @category models
 * @since 0.1.0
 */
export type LineSearchService = (
  pattern: RegExp,
  lines: ReadonlyArray<string>
) => Searched | Effect.Effect<Searched>

/**
 * To the end, however long that takes.
 *
 * @category constructors
 * @since 0.1.0
 */
export const searchLines = (pattern: RegExp, lines: ReadonlyArray<string>): Searched => {
  const test = matcher(pattern)
  try {
    for (let at = 0; at < lines.length; at++) {
      const hit = test(lines[at] ?? "")
      if (hit._tag === "Some") return { at, ...hit.value }
    }
    return undefined
  } catch {
    return "unmatchable" // the engine has no room for it
  }
}

/**
 * Searches for the regular expressions of waits; read by each wait, else when its runtime was made. A process that serves
 * others provides one that gives up after a while. Default: {@link searchLines}.
 *
 * @category references
 * @since 0.1.0
 */
export const LineSearch = Context.Reference<LineSearchService>("paneway/Waiting/LineSearch", {
  defaultValue: () => searchLines
})

/**
 * The search for text or a regular expression.
 *
 * @internal
 */
export const searchFor = (
  pattern: string | RegExp,
  search: LineSearchService
): (lines: ReadonlyArray<string>) => ReturnType<LineSearchService> => {
  if (typeof pattern !== "string") return (lines) => search(pattern, lines)
  return (lines) => {
    const at = lines.findIndex((line) => line.includes(pattern))
    return at === -1 ? undefined : { at, text: pattern, groups: [] }
  }
}

/**
 * The one that is provided, if any is.
 *
 * @internal
 */
export const provided = (search: LineSearchService): LineSearchService | undefined =>
  search === searchLines ? undefined : search
