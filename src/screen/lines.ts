/**
 * Rows as every adapter gives them, and the lines that a program printed.
 *
 * @since 0.1.0
 */
import { sha256 } from "../internal/sha256.ts"
import { Screen } from "./records.ts"

/**
 * A line as the program printed it. `row` is the index of its first row.
 *
 * @category models
 * @since 0.1.0
 */
export interface LogicalLine {
  readonly text: string
  readonly row: number
}

/**
 * Rows in the one form that text is matched in: a no-break space is a blank, and blanks at the end of a row go. The
 * number of rows stays. A row that continues on the next one keeps its last blanks: they stand between two words.
 *
 * @category normalising
 * @since 0.1.0
 */
export const normalise = (rows: ReadonlyArray<string>, wrapped: ReadonlyArray<number> = []): Array<string> => {
  const continues = new Set(wrapped)
  return rows.map((row, index) => {
    const plain = row.includes("\u00a0") ? row.replaceAll("\u00a0", " ") : row
    return continues.has(index) ? plain : plain.trimEnd()
  })
}

/**
 * Joins rows that the terminal wrapped.
 *
 * @category reading
 * @since 0.1.0
 */
export const logicalLines = (
  { rows, wrapped }: { readonly rows: ReadonlyArray<string>; readonly wrapped?: ReadonlyArray<number> | undefined }
): Array<LogicalLine> => {
  const continues = new Set(wrapped)
  const lines: Array<{ text: string; row: number }> = []
  rows.forEach((row, index) => {
    const last = lines[lines.length - 1]
    if (last !== undefined && continues.has(index - 1)) last.text += row
    else lines.push({ text: row, row: index })
  })
  return lines
}

/**
 * The last `count` rows of a screen, blank ones at its end not counted and left out.
 *
 * @category reading
 * @since 0.1.0
 */
export const tail = (screen: Screen, count: number): Screen => {
  const last = screen.rows.findLastIndex((row) => row.trim() !== "") + 1
  const first = Math.max(0, last - Math.max(0, Math.floor(count) || 0))
  const { origin, rows, wrapped, ...rest } = screen
  return new Screen({
    ...rest,
    rows: rows.slice(first, last),
    wrapped: wrapped.filter((row) => row >= first && row < last - 1).map((row) => row - first),
    truncated: screen.truncated || first > 0,
    ...(origin === undefined ? {} : { origin: origin + first })
  })
}

/**
 * A short text that is equal for screens that show the same rows, in any process.
 *
 * @category reading
 * @since 0.1.0
 */
export const digest = ({ rows }: Pick<Screen, "rows">): string => sha256(normalise(rows).join("\n")).slice(0, 16)
