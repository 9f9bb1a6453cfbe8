/** Rows at another width. */
import type { Size } from "../../src/Contract.ts"
import { type Row, row, textOf } from "./cells.ts"

interface Rewrapped {
  /** At least as many as the screen has. */
  readonly rows: Array<Row>
  /** Where the cursor is now. */
  readonly row: number
  readonly x: number
}

/** Rows that were wrapped are joined and wrapped anew; the cursor stays behind the character that it stood behind. */
export const rewrap = (
  rows: ReadonlyArray<Row>,
  cursor: { readonly row: number; readonly x: number },
  size: Size
): Rewrapped => {
  const kept = rows.slice(0, Math.max(cursor.row, rows.findLastIndex((one) => textOf(one) !== "")) + 1)
  const again: Array<Row> = []
  let at = { row: 0, x: 0 }
  let cells: Array<string> = []
  let mark: number | undefined
  const flush = () => {
    let current = row()
    cells.forEach((cell, index) => {
      const width = cells[index + 1] === "" ? 2 : 1
      if (cell !== "" && current.cells.length + width > size.columns) {
        again.push(current)
        current = { cells: [], continues: true }
      }
      if (index === mark) at = { row: again.length, x: current.cells.length }
      current.cells.push(cell)
    })
    if (mark !== undefined && mark >= cells.length) at = { row: again.length, x: current.cells.length }
    again.push(current)
    cells = []
    mark = undefined
  }
  kept.forEach((one, index) => {
    if (index > 0 && !one.continues) flush()
    if (index === cursor.row) {
      while (one.cells.length < cursor.x) one.cells.push(" ")
      mark = cells.length + cursor.x
    }
    cells.push(...one.cells)
  })
  flush()
  while (again.length < size.rows) again.push(row())
  return { rows: again, ...at }
}
