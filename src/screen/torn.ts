/**
 * What is left of a typed line when the pane was resized while its shell drew it: the shell moves to where the line began
 * by the old width, and draws over what it finds there.
 *
 * @since 0.1.0
 */
import { hash, promptEnd, squeeze } from "./hashing.ts"
import type { LogicalLine } from "./lines.ts"
import type { Mark } from "./records.ts"

type Echo = NonNullable<Mark["echo"]>[number]

/**
 * @internal
 */
export interface Torn {
  /** The line may have been forgotten, and then what reads like its end may be output. */
  readonly truncated: boolean
  /** Where it was typed, as far as one can tell. */
  readonly place: LogicalLine | undefined
}

/** Characters of a line, and lines, that are known. */
const longest = 400
const most = 256

/** What was typed last, without blanks. In this process alone: a mark holds no text. */
const known = new Map<string, string>()

const nameOf = ({ hash, length }: Echo) => `${length} ${hash}`

/**
 * Notes a typed line, which has no blanks.
 *
 * @internal
 */
export const noteTyped = (squeezed: string, echo: Echo): void => {
  if (squeezed.length > longest) return
  const name = nameOf(echo)
  known.delete(name)
  known.set(name, squeezed)
  if (known.size <= most) return
  for (const [oldest] of known) {
    known.delete(oldest)
    break
  }
}

/** What reads like its end stands at the top of the screen, or below its beginning at a prompt. */
const isBelow = (texts: ReadonlyArray<string>, at: number, typed: string): boolean => {
  const text = texts[at] ?? ""
  const above = texts.slice(0, at).findLast((one) => one !== "")
  if (above === undefined) return true
  for (let length = typed.length - text.length; length > 0; length--) {
    if (above.endsWith(typed.slice(0, length)) && promptEnd.test(above.slice(0, -length))) return true
  }
  return false
}

/** All of it is there, in order, with what stood beside it in between. */
const isScattered = (text: string, typed: string): boolean => {
  if (text.length > 6 * typed.length) return false
  let at = 0
  for (const character of text) if (typed.startsWith(character, at)) at += character.length
  return at === typed.length
}

const holds = (squeezed: string, { hash: wanted, length }: Echo): boolean => {
  for (let at = 0; at + length <= squeezed.length; at++) {
    if (hash(squeezed.slice(at, at + length)) === wanted) return true
  }
  return false
}

/** Rows that one line is torn into. */
const rows = 16

/** The lines that hold it, with other text around it. */
const within = (texts: ReadonlyArray<string>, echo: Echo): readonly [first: number, last: number] | undefined => {
  for (let last = 0; last < texts.length; last++) {
    let text = ""
    for (let first = last; first >= 0 && first > last - rows; first--) {
      text = (texts[first] ?? "") + text
      if (text.length < echo.length) continue
      if (holds(text, echo)) return [first, last]
      break
    }
  }
  return undefined
}

/**
 * The lines without one torn copy of what was typed, if there is one: it stands among other text, or in
 * parts, or only its end is left.
 * `above`: where the line itself stands.
 *
 * @internal
 */
export const withoutTorn = (
  lines: ReadonlyArray<LogicalLine>,
  echo: Echo,
  above: number | undefined,
  { place, truncated }: Torn
): ReadonlyArray<LogicalLine> => {
  const texts = lines.slice(0, above).map(({ text }) => squeeze(text))
  const found = within(texts, echo)
  if (found !== undefined) return [...lines.slice(0, found[0]), ...lines.slice(found[1] + 1)]
  const typed = known.get(nameOf(echo))
  if (above !== undefined || typed === undefined) return lines
  const scattered = texts.findIndex((text) => isScattered(text, typed))
  const left = (text: string, index: number) =>
    text !== "" && text.length < typed.length && typed.endsWith(text) &&
    (lines[index] === place || (!truncated && isBelow(texts, index, typed)))
  const at = scattered === -1 ? texts.findIndex(left) : scattered
  return at === -1 ? lines : lines.filter((_, index) => index !== at)
}
