/**
 * From what an adapter captures to a {@link Screen} with its mark.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { Capabilities } from "../Capabilities.ts"
import type { Place, Primitives, Range, RawScreen, Service, TargetError } from "../Contract.ts"
import * as Screen from "../Screen.ts"
import type { PaneHandle } from "../Target.ts"
import { unsupported } from "./capabilities.ts"
import type { Operations } from "./operations.ts"
import type { Targets } from "./targets.ts"

/** What to capture. */
interface LookOptions {
  readonly range: Range | { readonly from: number }
  /** Default false. */
  readonly ansi?: boolean | undefined
  /** True: logical lines, if the adapter can join rows. Default false. */
  readonly join?: boolean | undefined
}

/**
 * Ways to look at one pane.
 *
 * @internal
 */
export interface Looking extends Pick<Service, "capture"> {
  /** One capture, without a span and without a check of the handle. */
  readonly look: (pane: PaneHandle, options: LookOptions) => Effect.Effect<Screen.Screen, TargetError>
  /** The end of the visible screen. */
  readonly place: (pane: PaneHandle) => Effect.Effect<Place, TargetError>
}

const anchorRows = 3

const lastFilled = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const filled: Array<string> = []
  for (let at = lines.length - 1; at >= 0 && filled.length < anchorRows; at--) {
    const line = lines[at] ?? ""
    if (line.trim() !== "") filled.unshift(line)
  }
  return filled
}

/**
 * The mark of a place: its position where the adapter counts, and hashes of its last lines that are not blank.
 *
 * @internal
 */
export const markAt = (
  pane: PaneHandle,
  { at, tail }: Place,
  more: Pick<Screen.Mark, "echo" | "turn"> = {}
): Screen.Mark =>
  new Screen.Mark({
    pane,
    ...(at === undefined ? {} : { at }),
    ...(tail === undefined
      ? {}
      : { anchor: lastFilled(tail).map(Screen.lineHash) }),
    ...more
  })

/** The rows at the end that hold the last lines, from the beginning of a line on. */
const endOf = ({ joined, rows, wrapped = [] }: RawScreen): ReadonlyArray<string> => {
  if (joined || wrapped.length === 0) return rows
  const continues = new Set(wrapped)
  let first = rows.length
  let filled = 0
  while (first > 0 && (filled < anchorRows || continues.has(first - 1))) {
    first -= 1
    if (rows[first]?.trim() !== "" && !continues.has(first - 1)) filled += 1
  }
  const near = wrapped.filter((row) => row >= first).map((row) => row - first)
  return Screen.logicalLines({ rows: rows.slice(first), wrapped: near }).map(({ text }) => text)
}

const positionOf = ({ cursor, origin }: RawScreen): Place["at"] => origin === undefined ? undefined : cursor

const placeOf = (raw: RawScreen): Place => ({
  at: positionOf(raw),
  tail: raw.joined ? raw.rows : Screen.logicalLines(raw).map(({ text }) => text)
})

const screenOf = (pane: PaneHandle, raw: RawScreen, ansi: boolean): Screen.Screen =>
  new Screen.Screen({
    rows: ansi ? raw.rows : Screen.normalise(raw.rows, raw.wrapped),
    joined: raw.joined,
    wrapped: raw.wrapped ?? [],
    truncated: raw.truncated,
    mark: markAt(pane, { at: positionOf(raw), tail: endOf(raw) }),
    ...(raw.alternate === undefined ? {} : { alternate: raw.alternate }),
    ...(raw.origin === undefined ? {} : { origin: raw.origin }),
    ...(raw.cursor === undefined ? {} : { cursor: raw.cursor }),
    ...(raw.counted === undefined ? {} : { counted: raw.counted })
  })

/**
 * Every look is one capture of the adapter.
 *
 * @internal
 */
export const makeLooking = ({ capabilities, operations, primitives, targets }: {
  readonly primitives: Primitives
  readonly capabilities: Capabilities
  readonly operations: Operations
  readonly targets: Targets
}): Looking => {
  const capture = (pane: PaneHandle, { ansi = false, join = false, range }: LookOptions) =>
    primitives.capture(pane, { range, ansi, join })

  const look: Looking["look"] = (pane, options) =>
    Effect.map(capture(pane, options), (raw) => screenOf(pane, raw, options.ansi === true))

  const captureOwn: Looking["capture"] = Effect.fnUntraced(function*(pane, options) {
    yield* targets.own(pane)
    if (options?.ansi === true && capabilities.ansi === "none") return yield* unsupported(primitives, "ansi")
    const { ansi, range = { tail: 40 } } = options ?? {}
    if (typeof range === "string") return yield* look(pane, { range, ansi })
    const tail = Math.max(0, Math.floor(range.tail) || 0)
    // rows are counted from the last one that is not blank, whatever the runtime counts
    return Screen.tail(yield* look(pane, { range: { tail }, ansi }), tail)
  })

  return {
    look,
    place: (pane) => Effect.map(capture(pane, { range: "visible" }), placeOf),
    capture: operations.hot("capture", captureOwn)
  }
}
