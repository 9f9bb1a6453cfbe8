/**
 * The rows of a screen as a program drew them: text, its indentation, and the lines of boxes around it.
 *
 * @since 0.1.0
 */

/**
 * @internal
 */
export interface Row {
  /** As it stands: no-break spaces are spaces, trailing blanks are gone. */
  readonly text: string
  /** Blanks before the text. */
  readonly indent: number
  /** The text without the upright lines of a box around it. Blank where the row is a line itself. */
  readonly inner: string
  /** Column where `inner` begins. */
  readonly column: number
  /** An upright line stands left of the text. */
  readonly edged: boolean
  /** And one stands right of it. */
  readonly closed: boolean
  /** It is a line across: the border of a box, or a rule; `label` is the text that stands in it. */
  readonly rule: boolean
  readonly label: string
  readonly blank: boolean
}

/** Longer rows are cut: no rule looks so far right, and expressions take time. */
const widest = 400

const uprights = "│┃║╎╏┆┇┊┋▌▐▍▎▏|"
const corners = "╭╮╰╯┌┐└┘┏┓┗┛╔╗╚╝├┤┬┴┼┠┨┣┫╠╣╹╻╺╸╵╷+"
const level = "─━═╌╍┄┅┈┉╴╶▁▂▔▀▄⎯—–_-"

const leftEdge = new RegExp(`^ *[${uprights}](?= |$)`)
const rightEdge = new RegExp(` [${uprights}]$`)
const across = new RegExp(`^ *(?:[${corners}][${level}]|[${level}]{3})`)
const drawn = new RegExp(`[${corners}${level}]`, "g")
/** A line across ends in a line too: a label stands within it. */
const ended = new RegExp(`[${corners}${level}]$`)
const onlyDrawn = new RegExp(`^ *[${corners}]?(?:[${level}] ?){8,}[${corners}]?$`)

const labelOf = (text: string) => text.replace(drawn, " ").replace(/ {2,}/g, " ").trim()

const cornered = new RegExp(`^ *[${corners}].*[${corners}]$`)
/** Glyphs that stand nowhere but in corners: however long its label is, it is a line. */
const framed = /^ *[╭╰┌└┏┗╔╚].*[╮╯┐┘┓┛╗╝]$/

/** A line is at least so long, and no more than half of it is label; less of it is line where corners end it. */
const isRule = (text: string): boolean => {
  if (onlyDrawn.test(text)) return true
  if (!across.test(text) || !ended.test(text)) return false
  if (framed.test(text)) return true
  const count = text.match(drawn)?.length ?? 0
  return cornered.test(text)
    ? count >= 6 && count * 4 >= text.trim().length
    : count >= 12 && count * 2 >= text.trim().length
}

/**
 * @internal
 */
export const rowOf = (raw: string): Row => {
  const text = raw.slice(0, widest).replace(/[\u00a0\u2007\u202f]/g, " ").trimEnd()
  const indent = text.length - text.trimStart().length
  const rule = isRule(text)
  if (rule) {
    return {
      text,
      indent,
      inner: "",
      column: indent,
      edged: false,
      closed: false,
      rule,
      label: labelOf(text),
      blank: false
    }
  }
  const left = leftEdge.exec(text)?.[0].length ?? 0
  const inside = text.slice(left).replace(rightEdge, "").trimEnd()
  const inner = inside.trimStart()
  return {
    text,
    indent,
    inner,
    column: left + inside.length - inner.length,
    edged: left > 0,
    closed: left > 0 && rightEdge.test(text.slice(left)),
    rule,
    label: "",
    blank: inner === "" || (left > 0 && isRule(inner))
  }
}

/**
 * @internal
 */
export const blankRow: Row = rowOf("")

/** The row that ends a pager's or an editor's screen. */
const pager =
  /^(?:--\s?more\s?--.*|\(END\)|:|lines \d+-\d+.*|.* \(END\)|manual page .* line \d+.*|\^G (?:Get )?Help\b.*|.*\^X Exit\b.*|.*\s\d+,\d+(?:-\d+)?\s+(?:all|top|bot|\d+%))$/i
/** Rows that tell how to move in a text and how to leave it. */
const scrolls = /(?:[↑↓⇅]|\bpg ?(?:up|dn|down)\b|\bj\/k\b).{0,24}\b(?:scroll|page)\b/i
const leaves = /\bq\b.{0,8}\b(?:quit|close|exit)\b/i

/**
 * Whether another program shows text here: what stands above is what it shows.
 *
 * @internal
 */
export const isPager = (rows: ReadonlyArray<Row>): boolean => {
  const shown = rows.filter(({ text }) => text !== "")
  const last = shown.at(-1)?.text.trim()
  if (last === undefined) return false
  const below = shown.slice(-4)
  return pager.test(last) ||
    (below.some(({ text }) => scrolls.test(text)) && below.some(({ text }) => leaves.test(text))) ||
    // what an editor shows where a text has no rows
    shown.slice(-6).some(({ text }, at, near) => text === "~" && near[at + 1]?.text === "~")
}

/**
 * The indexes of the last `count` rows before `end` that are not blank, from the top.
 *
 * @internal
 */
export const lastRows = (rows: ReadonlyArray<Row>, end: number, count: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let at = end - 1; at >= 0 && found.length < count; at--) {
    if (rows[at]?.blank === false) found.unshift(at)
  }
  return found
}

/**
 * The last rows before `end` with no blank one between them, from the top. Lines across end it too.
 *
 * @internal
 */
export const lastBlock = (rows: ReadonlyArray<Row>, end: number, count: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let at = end - 1; at >= 0 && found.length < count; at--) {
    const row = rows[at]
    if (row === undefined || row.blank || row.rule) {
      if (found.length > 0) break
      continue
    }
    found.unshift(at)
  }
  return found
}
