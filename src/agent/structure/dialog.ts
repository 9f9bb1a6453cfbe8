/**
 * A dialog at the end of the screen: a choice with a marked row, buttons, or a question to be answered with a letter.
 *
 * @since 0.1.0
 */
import type { Row } from "./rows.ts"
import { lastRows } from "./rows.ts"

/**
 * A dialog that was found. It goes from `start` to the end of the screen.
 *
 * @internal
 */
export interface Dialog {
  readonly form: "menu" | "buttons" | "question" | "press" | "popup"
  readonly start: number
  /** The row that is marked, or that asks. */
  readonly row: number
  /** False: it may as well be a draft. */
  readonly sure: boolean
  /** The rows of a menu from the top, without marks and numbers, and which of them is marked. */
  readonly options?: { readonly options: ReadonlyArray<string>; readonly at: number }
}

const mark = /^(?:[❯›>→▶▸►»➜➤▷●◉◆◼*]|\([•x*]\))\s+(?=\S)/
const unmarked = /^(?:[○◯◌◇◻☐]|\( \))\s+(?=\S)/
const strong = /^[❯›→▶▸►➜➤▷]/
const number = /^(\d{1,2})[.)]\s+\S/
/** Rows that tell which keys the dialog takes. */
const keys =
  /\b(?:enter|return)\b.{0,30}\b(?:select|confirm|continue|submit|choose|accept|open|toggle|proceed|set as)|\b(?:esc|escape)\b.{0,20}\b(?:cancel|go back|close|exit|reject|dismiss|deny|back|skip)\b|(?:[↑↓⇆⇅▲▼]|arrow|\bj\/k\b).{0,24}\b(?:navigate|select|move|choose)|\bpress\b.{0,24}\b(?:enter|return|any key)\b/i
const confirms = /\b(?:enter|return)\b\s*(?:to\s+)?(?:select|confirm|continue|submit|choose|accept|open|set as)/i
const asks =
  /(?:\[\s*y(?:es)?\s*\/\s*n(?:o)?(?:\s*\/\s*\w+)*\s*\]|\(\s*y(?:es)?\s*\/\s*n(?:o)?(?:\s*\/\s*\w+)*\s*\)|\(y\)es\s*\/\s*\(n\)o.*)\s*(?:\[\w+\])?\s*[:?›>]*\s*\S{0,3}$/i
/**
 * Whether a text asks, and the answer to it is typed behind it.
 *
 * @internal
 */
export const isQuestion = (text: string): boolean => asks.test(text)
const press = /\bpress\b.{0,24}\b(?:enter|return|any key)\b.{0,30}$/i

/** How far options may stand from the marked one, and how much may follow the last. */
const reach = 24
const most = 8

interface Entry {
  readonly at: number
  readonly label: string
  readonly column: number
  readonly marked: boolean
  readonly radio: boolean
  readonly number: number | undefined
}

const entryOf = (row: Row, at: number): Entry | undefined => {
  if (row.blank || row.rule) return undefined
  const found = mark.exec(row.inner) ?? unmarked.exec(row.inner)
  const prefix = found?.[0].length ?? 0
  const label = row.inner.slice(prefix)
  const digits = number.exec(label)?.[1]
  return {
    at,
    label: label.replace(/^\d{1,2}[.)]\s+/, ""),
    column: row.column + prefix,
    marked: mark.test(row.inner),
    radio: unmarked.test(row.inner),
    number: digits === undefined ? undefined : Number(digits)
  }
}

/** Where the dialog begins: at its box, at the rule above it, or after a gap. */
const startOf = (rows: ReadonlyArray<Row>, row: number, from: number): number => {
  let start = row
  let blanks = 0
  while (start > from && row - start < reach) {
    const above = rows[start - 1]
    if (above === undefined) break
    if (above.rule) break
    if (rows[row]?.edged === true && !above.edged) break
    blanks = above.blank && !above.edged ? blanks + 1 : 0
    if (blanks > 2) break
    start--
  }
  return start
}

const shown = (rows: ReadonlyArray<Row>, from: number, to: number) => {
  let count = 0
  for (let at = from; at < to; at++) if (rows[at]?.blank === false && rows[at]?.rule === false) count++
  return count
}

/** Without the rows that tell keys, nor those of a text above a blank row. */
const optionsOf = (
  rows: ReadonlyArray<Row>,
  marked: Entry,
  others: ReadonlyArray<Entry>
): NonNullable<Dialog["options"]> => {
  const all = [...others.filter(({ label }) => !keys.test(label)), marked].toSorted((one, other) => one.at - other.at)
  const joined = (from: number, to: number) => rows.slice(from + 1, to).every(({ blank, rule }) => !blank && !rule)
  // where options stand apart from each other, what stands above may be one too
  const apart = all.some(({ at }) => at > marked.at && !joined(marked.at, at))
  const near = all.filter(({ at }) => apart || at > marked.at || joined(at, marked.at))
  const options = near.length > 1 ? near : all
  return { options: options.map(({ label }) => label), at: options.indexOf(marked) }
}

const menu = (rows: ReadonlyArray<Row>, from: number, line: number | undefined): Dialog | undefined => {
  let below = 0
  for (let at = rows.length - 1; at >= from && below <= most + reach; at--) {
    const row = rows[at]
    if (row === undefined || row.blank || row.rule) continue
    below++
    const entry = entryOf(row, at)
    if (entry === undefined || !entry.marked) continue
    const others: Array<Entry> = []
    for (let near = Math.max(from, at - reach); near < Math.min(rows.length, at + reach); near++) {
      const beside = near === at ? undefined : rows[near]
      const other = beside === undefined ? undefined : entryOf(beside, near)
      if (other === undefined || Math.abs(other.column - entry.column) > 1 || other.marked) continue
      if (entry.number !== undefined && (other.number === undefined || other.number === entry.number)) continue
      others.push(other)
    }
    if (others.length === 0) continue
    const last = Math.max(
      at,
      ...others.filter(({ number, radio }) => number !== undefined || radio).map(({ at }) => at)
    )
    const rest = shown(rows, last + 1, rows.length)
    if (rest > (entry.number === undefined ? most + reach : most)) continue
    const start = startOf(rows, at, from)
    const enclosed = row.edged || rows[start - 1]?.rule === true
    const titled = enclosed && rows.slice(start, at).some(({ blank, rule }) => !blank && !rule)
    const tells = ({ inner }: Row) => keys.test(inner)
    const told = rows.slice(at + 1).some(tells) || (entry.number !== undefined && rows.slice(start, at).some(tells))
    const paired = entry.number !== undefined || others.some(({ radio }) => radio)
    // what stands in a prompt is marked by that; only keys that are told below make it an option
    if (!paired && at === line && !told) continue
    if (!paired && !(strong.test(row.inner) && (told || titled))) continue
    // a numbered list may be typed too
    const sure = told || titled || !paired || entry.number === undefined || others.some(({ at: other }) => other < at)
    return { form: "menu", start, row: at, sure, options: optionsOf(rows, entry, others) }
  }
  return undefined
}

/**
 * The dialog that stands at the end of the screen, below `from`. `line` is the row of a prompt that may be marked like an
 * option.
 *
 * @internal
 */
export const findDialog = (rows: ReadonlyArray<Row>, from: number, line?: number): Dialog | undefined => {
  const chosen = menu(rows, from, line)
  if (chosen !== undefined) return chosen
  const last = lastRows(rows, rows.length, 4).filter((at) => at >= from && rows[at]?.rule === false)
  const buttons = last.find((at) => confirms.test(rows[at]?.inner ?? ""))
  if (buttons !== undefined) {
    return { form: "buttons", start: startOf(rows, buttons, from), row: buttons, sure: true }
  }
  const question = last.slice(-2).findLast((at) => asks.test(rows[at]?.inner ?? ""))
  if (question !== undefined) {
    return { form: "question", start: startOf(rows, question, from), row: question, sure: true }
  }
  // behind a prompt it tells how to send
  const key = last.slice(-2).find((at) => at !== line && press.test(rows[at]?.inner ?? ""))
  return key === undefined ? undefined : { form: "press", start: startOf(rows, key, from), row: key, sure: true }
}

/** A title, and far right of it the key that closes what it is the title of. The text below it may show on both sides. */
const closes = /(?:^| {3,})\S(?:.{0,60}?\S)?? {6,}esc(?= {2}|$)|^ {3,}esc$/

/**
 * A dialog that is drawn over the transcript and leaves the composer from `start` to `end` as it is. A quoted one looks
 * like it: it is sure where the cursor is in it, and is none where the cursor is in the composer.
 *
 * @internal
 */
export const findPopup = (
  rows: ReadonlyArray<Row>,
  { end, start }: { readonly start: number; readonly end: number },
  cursor: number | undefined
): Dialog | undefined => {
  if (cursor !== undefined && cursor >= start && cursor < end) return undefined
  const at = rows.slice(0, start).findLastIndex(({ text }) => closes.test(text))
  if (at < 0) return undefined
  return { form: "popup", start: at, row: at, sure: cursor !== undefined && cursor > at && cursor < start }
}

/** Ends with the key that chooses it. */
const keyed = /\((?:[a-z]|enter|return|tab|shift\+tab|esc(?: or [a-z])?)\)\??$/i

/**
 * Whether the rows are options of which one is marked, with keys behind them; where they are numbered, one key is enough.
 *
 * @internal
 */
export const isKeyed = (rows: ReadonlyArray<Row>): boolean => {
  const marked = rows.find(({ inner }) => strong.test(inner))
  if (marked === undefined) return false
  const keys = rows.filter(({ inner }) => keyed.test(inner)).length
  return keys > 1 || (keys === 1 && number.test(marked.inner.replace(mark, "")))
}
