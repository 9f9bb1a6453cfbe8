/**
 * Erasing everything up to the cursor, where the emulator fails at it.
 *
 * `@xterm/headless` 6.0.0 throws at CSI 1 J in the last column of the last row, as long as nothing has scrolled off the
 * screen. All of the screen stands before that cell, and CSI 2 J erases all of it.
 */
import type { Terminal } from "@xterm/headless"
import * as Handlers from "./handlers.ts"

export const register = (term: Terminal): void => {
  const buffers = term.buffer
  const erase = Handlers.ownOf(term, "eraseInDisplay")
  const inLastCell = () => {
    const { baseY, cursorX, cursorY, length } = buffers.active
    return cursorX >= term.cols - 1 && cursorY === term.rows - 1 && baseY + cursorY + 1 >= length && baseY === 0
  }
  for (const prefix of [undefined, "?"]) {
    term.parser.registerCsiHandler({ final: "J", ...(prefix === undefined ? {} : { prefix }) }, ([how]) => {
      if (how !== 1 || !inLastCell()) return false
      erase([2], prefix !== undefined)
      return true
    })
  }
}
