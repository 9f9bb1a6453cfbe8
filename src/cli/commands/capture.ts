/** `paneway capture`: what a pane shows. */
import * as Flags from "../syntax/flags.ts"
import { spec } from "../syntax/spec.ts"

export const capture = spec({
  path: ["capture"],
  summary: "Print what a pane shows",
  about: [
    "Print what a pane shows: its last 40 rows, without the empty ones at the end. Control sequences are left out, so",
    "that no program in the pane can act on your terminal, unless --ansi asks for colours and styles.",
    "",
    "With --json the screen is printed with its mark, a word for --after of wait.",
    "",
    "Exit codes: 0; 2 wrong arguments; 3 no such runtime, or it cannot be asked; 4 no such pane."
  ],
  flags: {
    pane: Flags.pane,
    lines: { kind: "text", metavar: "n", about: "The last n rows; default: 40" },
    visible: { kind: "switch", about: "The rows on the screen" },
    full: { kind: "switch", about: "All rows that the runtime still holds" },
    ansi: { kind: "switch", about: "Keep colours and styles as escape sequences" },
    runtime: Flags.runtime,
    json: Flags.json
  },
  operands: [Flags.target],
  tail: "operands",
  examples: [
    { command: "paneway capture \"$pane\"", description: "The last rows" },
    { command: "paneway capture \"$pane\" --full | grep -n error", description: "Search all that is there" },
    { command: "paneway capture \"$pane\" --visible --json", description: "{rows, wrapped, truncated, mark, ...}" }
  ]
})
