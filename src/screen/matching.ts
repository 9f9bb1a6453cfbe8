/**
 * What a wait looks for in a line.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"

const withoutState = (pattern: RegExp) => new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, ""))

/**
 * A test for one line. Text matches where it occurs; of a regular expression the flags `g` and `y` are ignored, because
 * they would make it remember where it stopped and miss every second look.
 *
 * A regular expression runs to its end: one that takes exponential time on a line holds the whole process meanwhile.
 * `Waiting.LineSearch` is where waits get a search that gives up.
 *
 * @category reading
 * @since 0.1.0
 */
export const matcher = (
  pattern: string | RegExp
): (text: string) => Option.Option<{ readonly text: string; readonly groups: ReadonlyArray<string> }> => {
  if (typeof pattern === "string") {
    return (text) => text.includes(pattern) ? Option.some({ text: pattern, groups: [] }) : Option.none()
  }
  const safe = withoutState(pattern)
  return (text) => {
    const hit = safe.exec(text)
    return hit === null
      ? Option.none()
      : Option.some({ text: hit[0], groups: hit.slice(1).map((group) => group ?? "") })
  }
}

/**
 * Whether a pattern finds nothing in every line: the empty text, and a regular expression such as `/(?:)/`, `/x?/` or
 * `/^/`. A wait for it would end at once whatever the pane shows.
 *
 * @category guards
 * @since 0.1.0
 */
export const isEmptyPattern = (pattern: string | RegExp): boolean => {
  if (typeof pattern === "string") return pattern === ""
  const safe = withoutState(pattern)
  return safe.exec("")?.[0] === "" && safe.exec("\0")?.[0] === ""
}
