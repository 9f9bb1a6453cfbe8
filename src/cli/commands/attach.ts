/** `paneway attach`: a live pane in the caller's own terminal. */
import * as Flags from "../syntax/flags.ts"
import { spec } from "../syntax/spec.ts"

export const attach = spec({
  path: ["attach"],
  summary: "Show a live pane in this terminal, and type into it",
  about: [
    "Show a live pane in this terminal: its screen as it is, then what its program prints, as it comes. What you type",
    "reaches the program as it is; Ctrl-\\ detaches, and the pane lives on. --detach-key takes another key in its place,",
    "as in ctrl+]; none takes no key, and every byte reaches the program: closing the terminal detaches then.",
    "",
    "The pane takes the size of this terminal. Where several are attached, it has the size of the one that attached,",
    "typed or changed its size last; the others show it as a picture. It keeps the last size when all have left.",
    "",
    "With --read-only nothing reaches the pane, and it keeps its size. Ctrl-C detaches too then.",
    "",
    "A pane of tmux is shown by your own tmux, with its keys, its rules for sizes and its exit code; inside the same server",
    "the client that you look through is switched to it.",
    "",
    "A terminal that is read slowly misses what it could not take, and shows the screen as it is then; it holds up",
    "neither the program nor others. The terminal is left as it was, whatever ends the command.",
    "",
    "Exit codes: 0 detached; 2 wrong arguments, or no terminal; 3 no such runtime, or its host is gone; 4 no such pane,",
    "or it ended or was closed; 6 the runtime cannot, or the pane would show itself; 130 interrupted by SIGINT, SIGTERM",
    "or SIGHUP; 141 the terminal is gone."
  ],
  flags: {
    pane: Flags.pane,
    "read-only": { kind: "switch", about: "Only look" },
    "detach-key": { kind: "text", metavar: "key", about: "The key that detaches, or none; default: ctrl+\\" },
    runtime: Flags.runtime
  },
  operands: [Flags.target],
  tail: "operands",
  examples: [{ command: "paneway attach \"$pane\"", description: "Until Ctrl-\\ is pressed, or its program ends" }]
})
