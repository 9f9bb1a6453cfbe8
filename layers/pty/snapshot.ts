/**
 * A screen as the bytes that make it in another terminal: what is on it, the one beneath it, the cursor, the modes, the
 * style of what is printed next. From there on the other terminal goes on with what the program prints.
 */
import type { IBuffer, IBufferLine, Terminal } from "@xterm/headless"
import type { Size } from "../../src/Contract.ts"
import type { Leftover } from "./leftover.ts"
import * as Styles from "./styles.ts"

export interface Parts {
  readonly term: Terminal
  readonly leftover: Leftover
  /** Flags of the keyboard's protocol that are on. */
  readonly keyboardFlags: () => number
  /** Selects the style of what is printed next. */
  readonly pen: () => string
  /** A row that goes on in the next one, with all that counts of it. */
  readonly wholeRow: (here: IBufferLine, next: IBufferLine) => string
}

const place = (row: number, column: number): string => `\x1b[${row + 1};${column + 1}H`

/** For a terminal in its modes of the beginning, whose screen is cleared first. */
export const make = ({ keyboardFlags, leftover, pen, term, wholeRow }: Parts) => {
  const cell = term.buffer.active.getNullCell()
  const styled = Styles.make(cell)

  /** A row that fills the screen goes on in the next one by itself, as it did for the program. */
  const whole = (buffer: IBuffer): string => {
    let text = "\x1b[H\x1b[J"
    let goesOn = false
    for (let row = 0; row < term.rows; row++) {
      const here = buffer.getLine(buffer.baseY + row)
      if (here === undefined) break
      const next = row + 1 < term.rows ? buffer.getLine(buffer.baseY + row + 1) : undefined
      const isOpen = next?.isWrapped === true
      const shown = styled(here, isOpen ? wholeRow(here, next) : here.translateToString(true))
      if (shown !== "") text += `${goesOn ? "" : place(row, 0)}${shown}`
      goesOn = isOpen && shown !== ""
    }
    return text
  }

  /** The part around the cursor that a smaller terminal has room for, or all of it at the top of a larger one. */
  const part = (buffer: IBuffer, size: Size): { readonly text: string; readonly above: number } => {
    const rows = Math.min(size.rows, term.rows)
    const above = Math.max(0, Math.min(buffer.cursorY - rows + 1, term.rows - rows))
    let text = "\x1b[H\x1b[J"
    for (let row = 0; row < rows; row++) {
      const here = buffer.getLine(buffer.baseY + above + row)
      const shown = here === undefined ? "" : styled(here, here.translateToString(true), size.columns)
      if (shown !== "") text += `${place(row, 0)}${shown}`
    }
    return { text, above }
  }

  /** The cursor stays behind a last column that was filled: what is printed next begins a row. */
  const filled = (buffer: IBuffer, above: number): string => {
    const { baseY, cursorX, cursorY } = buffer
    const line = buffer.getLine(baseY + cursorY)
    const isWide = line?.getCell(cursorX - 1)?.getWidth() === 0
    const column = cursorX - (isWide ? 2 : 1)
    return line?.getCell(column, cell) === undefined ? "" : place(cursorY - above, column) + Styles.ofCell(cell)
  }
  const cursor = (buffer: IBuffer): string =>
    buffer.cursorX >= term.cols
      ? filled(buffer, leftover.above())
      : place(buffer.cursorY - leftover.above(), buffer.cursorX)

  return {
    /** For a terminal of the same size. */
    exact: (): string => {
      const { active, normal } = term.buffer
      const beneath = active.type === "alternate"
        ? `${whole(normal)}${place(normal.cursorY, Math.min(normal.cursorX, term.cols - 1))}\x1b[?1049h`
        : ""
      return beneath + whole(active) + leftover.keys(keyboardFlags()) + leftover.screen(`${cursor(active)}${pen()}`)
    },
    /** For one of another size, which shows it as a picture: what the program prints next is not for it. */
    picture: (size: Size): string => {
      const { active } = term.buffer
      const { above, text } = part(active, size)
      const row = Math.min(active.cursorY - above, size.rows - 1)
      const at = place(row, Math.min(active.cursorX, size.columns - 1, term.cols - 1))
      const alternate = active.type === "alternate" ? "\x1b[?1049h" : ""
      return alternate + text + leftover.keys(keyboardFlags()) + at + leftover.visibility()
    }
  }
}
