/**
 * The place where an agent takes a prompt: a box, a bar, or a line at the end of the screen.
 *
 * @since 0.1.0
 */
import type { Row } from "./rows.ts"

/**
 * How an agent draws its composer.
 *
 * @internal
 */
export interface Shape {
  readonly forms: ReadonlyArray<"box" | "bar" | "line">
  /** What stands before the text. Absent: nothing does. */
  readonly prompt: RegExp | undefined
  /** So many rows at most may stand below it. */
  readonly footer: number
  /** A text stands in the lines around it. */
  readonly labelled: boolean
  /** Its text begins at the left edge of its first row. */
  readonly flush: boolean
}

/**
 * A composer that was found. `start` and `end` include its lines across; `end` is the index after it.
 *
 * @internal
 */
export interface Composer {
  readonly form: Shape["forms"][number]
  readonly start: number
  readonly end: number
  /** What stands in it, without the prompt. */
  readonly text: string
  /** What stands in the lines around it, and in the last row of a bar. */
  readonly label: string
  /** Where the text begins. */
  readonly row: number
  readonly column: number
  /** More than its first row looks like a choice of numbered options. */
  readonly numbered: boolean
}

/** A composer is not higher, whatever was pasted into it. */
const tallest = 40
const option = /^\d{1,2}[.)] /

const range = (from: number, to: number) => Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at)

const upright = /^[│┃║╎╏┆┇┊┋▌▐|]$/

/** The text after the prompt; undefined where there is no prompt. */
const after = (
  row: Row,
  prompt: RegExp | undefined
): { readonly text: string; readonly column: number } | undefined => {
  if (prompt === undefined) return { text: row.inner, column: row.column }
  for (const [text, column] of [[row.inner, row.column], [row.text.trimStart(), row.indent]] as const) {
    // the side of a box is not a prompt
    if (row.closed && column !== row.column) continue
    const found = prompt.exec(text)
    // what stands within a box is a line between two columns of it
    if (found === null || (row.edged && column === row.column && upright.test(found[0]))) continue
    const rest = text.slice(found[0].length)
    const left = rest.trimStart()
    return { text: left, column: column + found[0].length + (rest === "" ? 1 : rest.length - left.length) }
  }
  return undefined
}

const contentOf = (
  rows: ReadonlyArray<Row>,
  shape: Shape,
  form: Composer["form"],
  [start, end]: readonly [number, number],
  content: ReadonlyArray<number>,
  label: string
): Composer | undefined => {
  const shown = content.filter((at) => rows[at]?.blank === false)
  if (shape.flush && shown[0] !== undefined && (shown[0] !== content[0] || rows[shown[0]]?.indent !== 0)) {
    return undefined
  }
  const first = shown[0] ?? content[0]
  const row = first === undefined ? undefined : rows[first]
  if (first === undefined || row === undefined) return undefined
  const begin = after(row, shape.prompt)
  if (begin === undefined) return undefined
  const others = shown.slice(1).map((at) => rows[at]?.inner ?? "")
  return {
    form,
    start,
    end,
    text: [begin.text, ...others].join("\n").trim(),
    label,
    row: first,
    column: begin.column,
    numbered: option.test(begin.text) && others.some((text) => option.test(text))
  }
}

const opening = /^ *[╭┌┏╔]/
const closing = /^ *[╰└┗╚]/

/** The last line across with few enough rows below it. */
const lastRule = (rows: ReadonlyArray<Row>, footer: number): number | undefined => {
  let below = 0
  for (let at = rows.length - 1; at >= 0; at--) {
    const row = rows[at]
    if (row?.rule === true) return at
    if (row?.blank === false && ++below > footer) return undefined
  }
  return undefined
}

const box = (rows: ReadonlyArray<Row>, shape: Shape): Composer | undefined => {
  const bottom = lastRule(rows, shape.footer)
  if (bottom === undefined) return undefined
  let top = bottom - 1
  while (top >= 0 && bottom - top <= tallest && rows[top]?.rule === false) top--
  if (top < 0 || rows[top]?.rule !== true || top === bottom - 1) return undefined
  const content = range(top + 1, bottom)
  const edged = content.filter((at) => rows[at]?.edged === true).length
  // it is between two boxes
  const closes = closing.test(rows[top]?.text ?? "") || (edged === 0 && rows[top - 1]?.closed === true)
  const opens = opening.test(rows[bottom]?.text ?? "") || (edged === 0 && rows[bottom + 1]?.closed === true)
  if (closes || opens) return undefined
  // text beside a box that is open at the side is not in it
  if (edged > 0 && edged < content.length && shape.prompt === undefined) return undefined
  const label = `${rows[top]?.label ?? ""}\n${rows[bottom]?.label ?? ""}`.trim()
  if (shape.labelled && label === "") return undefined
  return contentOf(rows, shape, "box", [top, bottom + 1], content, label)
}

/** Rows with an upright line left of them, closed by a line across. The last of them says how it is set. */
const bar = (rows: ReadonlyArray<Row>, shape: Shape): Composer | undefined => {
  const bottom = lastRule(rows, shape.footer)
  if (bottom === undefined) return undefined
  let top = bottom
  while (top > 0 && bottom - top <= tallest && rows[top - 1]?.edged === true) top--
  const content = range(top, bottom)
  // that is a box
  if (content.some((at) => rows[at]?.closed === true)) return undefined
  const last = content.findLast((at) => rows[at]?.blank === false)
  if (content.length < 2 || last === undefined) return undefined
  return contentOf(rows, shape, "bar", [top, bottom + 1], content.filter((at) => at < last), rows[last]?.inner ?? "")
}

/** A row that begins with the prompt, and rows below it that continue it. */
const line = (rows: ReadonlyArray<Row>, shape: Shape): Composer | undefined => {
  const { footer, prompt } = shape
  if (prompt === undefined) return undefined
  let below = 0
  for (let at = rows.length - 1; at >= 0; at--) {
    const row = rows[at]
    if (row === undefined || row.blank) continue
    if (row.indent <= 2 && after(row, prompt) !== undefined) {
      let end = at + 1
      while (end < rows.length && rows[end]?.blank === false && (rows[end]?.indent ?? 0) > row.indent) end++
      const below = range(end, rows.length)
      // nothing is drawn across below a line
      if (below.some((at) => rows[at]?.rule === true)) return undefined
      const rest = below.filter((at) => rows[at]?.blank === false).length
      return rest > footer ? undefined : contentOf(rows, shape, "line", [at, end], range(at, end), "")
    }
    // what continues it is not counted as below it
    if (++below > footer + tallest) return undefined
    if (footer === 0 && row.indent === 0) return undefined
  }
  return undefined
}

const finders = { box, bar, line }

/**
 * The composer at the end of the screen.
 *
 * @internal
 */
export const findComposer = (rows: ReadonlyArray<Row>, shape: Shape): Composer | undefined => {
  for (const form of shape.forms) {
    const found = finders[form](rows, shape)
    if (found !== undefined) return found
  }
  return undefined
}
