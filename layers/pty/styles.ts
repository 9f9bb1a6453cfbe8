/**
 * Rows with their colours and styles as SGR sequences. A row stands for itself: it begins in the default style and ends
 * in it, so rows can be shown alone and in any order.
 */
import type { IBufferCell, IBufferLine } from "@xterm/headless"

const flags = (cell: IBufferCell): ReadonlyArray<number> =>
  ([
    [cell.isBold(), 1],
    [cell.isDim(), 2],
    [cell.isItalic(), 3],
    [cell.isUnderline(), 4],
    [cell.isBlink(), 5],
    [cell.isInverse(), 7],
    [cell.isInvisible(), 8],
    [cell.isStrikethrough(), 9],
    [cell.isOverline(), 53]
  ] as const).flatMap(([on, code]) => on === 0 ? [] : [code])

/** `base` 30: of the text; 40: of the ground. */
const colour = (base: 30 | 40, isDefault: boolean, isRgb: boolean, value: number): ReadonlyArray<number> => {
  if (isDefault) return []
  if (isRgb) return [base + 8, 2, (value >> 16) & 255, (value >> 8) & 255, value & 255]
  if (value < 8) return [base + value]
  return value < 16 ? [base + 52 + value] : [base + 8, 5, value]
}

const styleOf = (cell: IBufferCell): string =>
  cell.isAttributeDefault()
    ? ""
    : [
      ...flags(cell),
      ...colour(30, cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor()),
      ...colour(40, cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor())
    ].join(";")

/** A blank that shows nothing else than its ground: whether it is there can be seen. */
const shows = (cell: IBufferCell): boolean =>
  !cell.isBgDefault() || cell.isInverse() !== 0 || cell.isUnderline() !== 0 || cell.isStrikethrough() !== 0 ||
  cell.isOverline() !== 0

/** Of one cell: its style and what it shows. */
export const ofCell = (cell: IBufferCell): string => {
  const style = styleOf(cell)
  return `${style === "" ? "" : `\x1b[0;${style}m`}${cell.getChars() === "" ? " " : cell.getChars()}`
}

/**
 * Of a row; `plain` is its text, trimmed as captures have it. `cell` is any cell to read into. `columns`: no more than
 * these, and no half of a wide character.
 */
export const make =
  (cell: IBufferCell) => (line: IBufferLine, plain: string, columns: number = line.length): string => {
    let text = ""
    let style = ""
    let taken = 0
    let blanks = ""
    for (let column = 0; column < Math.min(line.length, columns); column++) {
      if (line.getCell(column, cell) === undefined || cell.getWidth() === 0) continue
      if (column + cell.getWidth() > columns) break
      const chars = cell.getChars() === "" ? " " : cell.getChars()
      if (taken >= plain.length && !shows(cell)) {
        blanks += chars
        continue
      }
      const wanted = styleOf(cell)
      if (blanks !== "") {
        text += (style === "" ? "" : "\x1b[0m") + blanks
        style = ""
        blanks = ""
      }
      if (wanted !== style) text += wanted === "" ? "\x1b[0m" : `\x1b[0;${wanted}m`
      style = wanted
      text += chars
      taken += chars.length
    }
    return style === "" ? text : `${text}\x1b[0m`
  }
