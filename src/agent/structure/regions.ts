/**
 * The parts of a screen that decide what an agent is doing. The transcript above them never does.
 *
 * @since 0.1.0
 */
import type { Region } from "../profile.ts"
import { type Composer, findComposer, type Shape } from "./composer.ts"
import { type Dialog, findDialog, findPopup } from "./dialog.ts"
import { blankRow, isPager, lastBlock, lastRows, type Row, rowOf } from "./rows.ts"

/**
 * A screen as it is judged. A bare list of rows is one too.
 *
 * @category models
 * @since 0.1.0
 */
export interface Shown {
  readonly rows: ReadonlyArray<string>
  /** An index into `rows`, and a cell. */
  readonly cursor?: { readonly row: number; readonly column: number } | undefined
  readonly alternate?: boolean | undefined
  readonly title?: string | undefined
}

/**
 * How the screens of an agent are read.
 *
 * @internal
 */
export interface Reading {
  readonly shape: Shape
  readonly statusIndent: number
  /** Rows that say nothing of the work. */
  readonly chrome: ReadonlyArray<RegExp>
  /** Rows with which a turn begins. */
  readonly turns: ReadonlyArray<RegExp>
}

/**
 * The texts of a region: its rows, and its paragraphs with their rows joined.
 *
 * @internal
 */
export interface Texts {
  readonly rows: ReadonlyArray<string>
  readonly joined: ReadonlyArray<string>
}

/**
 * @internal
 */
export interface Regions {
  readonly rows: ReadonlyArray<Row>
  readonly composer: Composer | undefined
  readonly dialog: Dialog | undefined
  /** Another program shows text here. */
  readonly pager: boolean
  /** Rows of the last paragraph above the composer, from the top, and whether they stand in a box. */
  readonly last: ReadonlyArray<number>
  readonly texts: (region: Region) => Texts
}

const none: Texts = { rows: [], joined: [] }

/** What stands so far right is set beside the transcript. */
const far = 40

/** How many rows at most: of a status line and what hangs below it, of one where it is known where a turn begins, of a paragraph, of the end of a screen. `joined` is characters. */
const counts = { status: 16, live: 3, turn: 8, last: 8, hanging: 4, tail: 16, screen: 120, joined: 1200 }

/** A row with those that continue it, further right; undefined: none does. */
const hanging = (rows: ReadonlyArray<Row>, at: number): string | undefined => {
  const parts = [rows[at]?.inner ?? ""]
  const column = rows[at]?.column ?? 0
  for (let next = at + 1; next < rows.length && parts.length < counts.hanging; next++) {
    const row = rows[next]
    if (row === undefined || row.blank || row.rule || row.column <= column) break
    parts.push(row.inner)
  }
  return parts.length > 1 ? parts.join(" ").slice(0, counts.joined) : undefined
}

/** A paragraph is joined over its rows, as long as it is one, and each of its rows with those that continue it. */
const joined = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const texts = rows.flatMap(({ blank, rule }, at) => blank || rule ? [] : hanging(rows, at) ?? [])
  let open = false
  for (const { blank, inner, rule } of rows) {
    if (blank || rule) open = false
    else if (open) texts.push(`${texts.pop()} ${inner}`.slice(0, counts.joined))
    else {
      texts.push(inner)
      open = true
    }
  }
  return texts
}

/** A row of chrome may go on below. */
const chromeStart = (rows: ReadonlyArray<Row>, end: number, isChrome: (text: string) => boolean): number => {
  let text = ""
  for (let at = end - 1; at >= end - counts.live; at--) {
    const row = rows[at]
    if (row === undefined || row.blank || row.rule || row.edged) break
    text = `${row.inner} ${text}`.trimEnd()
    if (isChrome(row.inner) || isChrome(text)) return at
  }
  return end
}

/** An upright line may be a glyph that turns. */
const asText = ({ closed, edged, inner, text }: Row): ReadonlyArray<string> =>
  edged && !closed ? [inner, text.trimStart()] : [inner]

const textsOf = (rows: ReadonlyArray<Row>): Texts => {
  const shown = rows.filter(({ blank, rule }) => !blank && !rule)
  return shown.length === 0 ? none : { rows: shown.flatMap(asText), joined: joined(rows) }
}

/** The last rows that stand at the left, each with the rows that continue it. */
const liveOf = (
  rows: ReadonlyArray<Row>,
  end: number,
  { statusIndent: indent, turns }: Pick<Reading, "statusIndent" | "turns">
): Texts => {
  const near = lastRows(rows, end, counts.status)
  const left = near.filter((at) => {
    const row = rows[at]
    return row !== undefined && !row.rule && row.indent <= indent
  })
  // what stands above the last prompt is of an earlier turn
  const turn = left.findLastIndex((at) => turns.some((regex) => regex.test(rows[at]?.text ?? "")))
  const heads = left.slice(turn + 1).slice(turns.length === 0 ? -counts.live : -counts.turn)
  const texts = heads.map((at) => {
    const parts = [rows[at]?.inner ?? ""]
    const indented = rows[at]?.indent ?? 0
    for (let next = at + 1; next < end && parts.length < 4; next++) {
      const row = rows[next]
      if (row === undefined || row.blank || row.rule || row.indent <= indented) break
      parts.push(row.inner)
    }
    return parts
  })
  return {
    rows: heads.flatMap((at) => rows[at] === undefined ? [] : asText(rows[at])),
    joined: texts.map((parts) => parts.join(" "))
  }
}

/**
 * Finds the parts. Each text is made when it is asked for.
 *
 * @internal
 */
export const regionsOf = (
  shown: Shown,
  { chrome, shape, statusIndent, turns }: Reading
): Regions => {
  const rows = shown.rows.slice(-counts.screen).map(rowOf)
  while (rows.at(-1)?.text === "") rows.pop()
  const cursor = shown.cursor === undefined
    ? undefined
    : shown.cursor.row - Math.max(0, shown.rows.length - counts.screen)
  const found = findComposer(rows, shape)
  // options may begin like a prompt, and stand in a box like one; what stands below a composer is open
  const over = found === undefined
    ? undefined
    : found.form === "line"
    ? findDialog(rows, 0, found.row)
    : findDialog(rows, found.form === "bar" ? found.start : found.start + 1)
  const within = over !== undefined && found !== undefined && over.row >= found.start && over.row < found.end
  const isOption = within && (over.sure || over.row !== found?.row)
  const composer = isOption ? undefined : found
  const open = isOption ? over : findDialog(rows, found?.end ?? 0)
  const below = open ?? (found?.form === "bar" ? findPopup(rows, found, cursor) : undefined)
  const dialog = below === undefined || composer !== undefined ? below : { ...below, sure: true }
  const end = composer?.start ?? dialog?.start ?? rows.length
  const isChrome = (text: string) => chrome.some((regex) => regex.test(text))
  const said = rows.map((row) => row.indent >= far || (!row.rule && isChrome(row.inner)) ? blankRow : row)
  const last = lastBlock(said, chromeStart(rows, end, isChrome), counts.last)
  const at = (indexes: ReadonlyArray<number>) => indexes.flatMap((index) => rows[index] ?? [])

  const make = (region: Region): Texts => {
    if (region === "live") return liveOf(said, end, { statusIndent, turns })
    if (region === "last") return textsOf(at(last))
    if (region === "dialog") {
      // what may be quoted says nothing
      const isOpen = dialog !== undefined && (dialog.form !== "popup" || dialog.sure)
      return isOpen ? textsOf(rows.slice(dialog.start)) : none
    }
    if (region === "footer") return composer === undefined ? none : textsOf(rows.slice(composer.end))
    if (region === "tail") {
      return composer === undefined
        ? textsOf(rows.slice(lastRows(rows, rows.length, counts.tail)[0] ?? rows.length))
        : none
    }
    const text = region === "title" ? shown.title ?? "" : `${composer?.text ?? ""}\n${composer?.label ?? ""}`
    const lines = text.split("\n").map((line) => line.trim()).filter((line) => line !== "")
    return { rows: lines, joined: lines.length < 2 ? lines : [lines.join(" ")] }
  }
  const made = new Map<Region, Texts>()

  return {
    rows,
    composer,
    dialog,
    pager: isPager(rows),
    last,
    texts: (region) => {
      const known = made.get(region)
      if (known !== undefined) return known
      const texts = make(region)
      made.set(region, texts)
      return texts
    }
  }
}
