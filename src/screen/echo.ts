/**
 * Finding what was typed among the lines of a screen.
 *
 * Line editors show it in ways of their own: they break it into rows that the terminal did not wrap, leave a prompt to
 * the right of it, and show once more what was typed before they were there.
 *
 * @since 0.1.0
 */
import { hash, promptEnd, squeeze } from "./hashing.ts"
import type { LogicalLine } from "./lines.ts"
import type { Mark, Position } from "./records.ts"
import { type Torn, withoutTorn } from "./torn.ts"

type Echo = NonNullable<Mark["echo"]>[number]

interface Found {
  readonly first: number
  readonly last: number
  /** What stands before it in its first line, without blanks. */
  readonly before: string
  /** What stands to the right of it in its last line. */
  readonly beside: string | undefined
}

const wordEnd = /[0-9A-Za-z_]$/
const promptIn = /[$%#>\u00bb\u03bb\u203a\u276f\u279c]/
/** Rows below its prompt that a typed line may end in. */
const longest = 16

/** The lines up to this one end in it. It goes over lines only where a word begins. */
const endingIn = (squeezed: (at: number) => string, from: number, last: number, echo: Echo): Found | undefined => {
  let text = squeezed(last)
  let first = last
  while (text.length < echo.length && first > from && squeezed(first - 1) !== "") {
    first -= 1
    text = squeezed(first) + text
  }
  const start = text.length - echo.length
  if (start < 0 || hash(text.slice(start)) !== echo.hash) return undefined
  const before = text.slice(0, start)
  return first < last && wordEnd.test(before) ? undefined : { first, last, before, beside: undefined }
}

/** It stands in the line with a gap to its right. One blank is a gap at the beginning of all lines. */
const besideOther = (text: string, at: number, echo: Echo): Found | undefined => {
  let squeezed = ""
  let copied = 0
  for (const gap of text.matchAll(at === 0 ? /\s+/g : /\s{2,}/g)) {
    squeezed += squeeze(text.slice(copied, gap.index))
    copied = gap.index + gap[0].length
    const start = squeezed.length - echo.length
    if (start < 0 || (start > 0 && gap[0].length < 2) || copied === text.length) continue
    const before = squeezed.slice(0, start)
    if (wordEnd.test(before) || hash(squeezed.slice(start)) !== echo.hash) continue
    return { first: at, last: at, before, beside: text.slice(copied) }
  }
  return undefined
}

/** The shell showed its prompt after it: it was typed before there was one, and Enter was pressed after. */
const beforePrompt = (text: string, at: number, echo: Echo): Found | undefined => {
  let squeezed = 0
  let end = 0
  while (squeezed < echo.length && end < text.length) if (!/\s/.test(text.charAt(end++))) squeezed += 1
  const beside = text.slice(end)
  if (!promptEnd.test(beside.trimEnd()) || hash(squeeze(text.slice(0, end))) !== echo.hash) return undefined
  return { first: at, last: at, before: "", beside }
}

/** A program printed it, as one that answers `got TEXT` and has its terminal show nothing of what is typed. */
const isSaid = ({ before, first, last }: Found, text: string, left: Position["left"]): boolean => {
  if (left === undefined || first !== last || !wordEnd.test(before)) return false
  const beginning = text.slice(0, left.length)
  return squeeze(beginning) !== before || hash(beginning.trimEnd()) !== left.hash
}

/**
 * The lines without those that were typed. Each goes once, in order: what a program prints afterwards stays, although it
 * may read the same. One that stands alone in its row was typed before there was a prompt, and goes at the next prompt
 * too. `whole`: the first line begins with its row. `torn`: the pane was resized since, and copies may be torn. `left`:
 * what stood left of the cursor, where that is known; then a line that ends in what was typed is none of it if a word
 * stands before, unless that is the prompt.
 *
 * @internal
 */
export const withoutEcho = (
  lines: ReadonlyArray<LogicalLine>,
  echoes: ReadonlyArray<Echo>,
  whole: boolean,
  { left, torn }: { readonly torn?: Torn | undefined; readonly left?: Position["left"] | undefined } = {}
): ReadonlyArray<LogicalLine> => {
  if (echoes.length === 0) return lines
  const kept = [...lines]
  const texts: Array<string | undefined> = []
  const squeezed = (at: number): string => texts[at] ??= squeeze(kept[at]?.text ?? "")
  let from = 0

  const find = (at: number, text: string, echo: Echo): Found | undefined =>
    endingIn(squeezed, from, at, echo) ??
      (squeezed(at).length > echo.length ? besideOther(text, at, echo) ?? beforePrompt(text, at, echo) : undefined)
  const drop = (echo: Echo, atPrompt = false): Found | undefined => {
    let prompt = -Infinity
    for (let at = from; at < kept.length; at++) {
      const line = kept[at]
      if (line === undefined) return undefined
      if (atPrompt && promptIn.test(line.text)) prompt = at
      if (atPrompt && at - prompt > longest) continue
      const found = find(at, line.text, echo)
      if (found === undefined || isSaid(found, line.text, left) || (atPrompt && !promptEnd.test(found.before))) continue
      const { beside, first, last } = found
      const rest = beside === undefined ? [] : [{ row: line.row, text: beside }]
      kept.splice(first, last - first + 1, ...rest)
      texts.splice(first, last - first + 1, ...rest.map(() => undefined))
      from = first
      return found
    }
    return undefined
  }

  const alone: Array<Echo> = []
  for (const echo of echoes) {
    const isFirst = kept.length === lines.length
    const found = drop(echo)
    if (torn !== undefined) {
      // a copy that the shell drew over something else, and then the line at its prompt
      if (found !== undefined && !promptEnd.test(found.before)) drop(echo, true)
      const left = withoutTorn(kept, echo, found?.first, torn)
      kept.splice(0, kept.length, ...left)
      texts.length = 0
      from = Math.min(from, kept.length)
    }
    if (found?.before === "" && (whole || found.first > 0 || !isFirst)) alone.push(echo)
  }
  for (const echo of alone) drop(echo, true)
  return kept
}
