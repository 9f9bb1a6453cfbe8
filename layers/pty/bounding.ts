/**
 * Output that would keep the emulator busy, or take memory, without limit: one such sequence in one pane would stop all
 * panes of the process.
 *
 * `@xterm/headless` 6.0.0 repeats what a program asks for as often as it says, two thousand million times if need be;
 * keeps an entry for each link, also where a program writes the same one into the same place again and again; and takes
 * seconds for a long list of colours. Nothing here needs links or colours by number.
 */
import type { Terminal } from "@xterm/headless"
import * as Handlers from "./handlers.ts"

/** Characters printed again by one sequence. */
const mostRepeats = 65_535

const links = 8
const colours = 4

/** To be called before all that only watches the same sequences: who is registered later is asked first. */
export const register = (term: Terminal): void => {
  const rows = () => term.rows
  const columns = () => term.cols
  const bounds: ReadonlyArray<readonly [string, string, () => number]> = [
    ["S", "scrollUp", rows],
    ["T", "scrollDown", rows],
    ["L", "insertLines", rows],
    ["M", "deleteLines", rows],
    ["I", "cursorForwardTab", columns],
    ["Z", "cursorBackwardTab", columns],
    ["b", "repeatPrecedingCharacter", () => Math.min(rows() * columns(), mostRepeats)]
  ]
  for (const [final, name, most] of bounds) {
    const own = Handlers.ownOf(term, name)
    term.parser.registerCsiHandler({ final }, ([count]) => {
      if (typeof count !== "number" || count <= most()) return false
      own([most()])
      return true
    })
  }
  for (const code of [links, colours]) term.parser.registerOscHandler(code, () => true)
}
