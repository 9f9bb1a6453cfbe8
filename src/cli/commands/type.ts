/** `paneway type`: text as it is; one trailing newline submits. */
import * as Flags from "../syntax/flags.ts"
import { spec } from "../syntax/spec.ts"

export const type = spec({
  path: ["type"],
  summary: "Type text into a pane; a newline at its end submits it",
  about: [
    "Type text into a pane, once. One newline at its end submits it, otherwise nothing does. Without TEXT and --file the",
    "text is standard input, where that is a pipe or a file.",
    "",
    "Text that begins with a dash stands after --.",
    "",
    "Exit codes: 0 typed; 2 wrong arguments; 3 no such runtime, or it cannot be asked; 4 no such pane; 6 refused, nothing",
    "was typed; 7 in doubt: it may have been typed, look before you type again."
  ],
  flags: {
    file: { kind: "text", metavar: "file", about: "File whose text is typed; - is standard input" },
    ...Flags.sending,
    quiet: Flags.quiet,
    runtime: Flags.runtime,
    json: Flags.json
  },
  operands: [
    { name: "target", about: "The pane, by its printed handle or its native id", least: 1, most: 1 },
    { name: "text", about: "The text", least: 0, most: 1 }
  ],
  tail: "operands",
  examples: [
    { command: "paneway type \"$pane\" 'half a line'", description: "Type, and submit nothing" },
    { command: "echo 'make check' | paneway type \"$pane\"", description: "Type a line and submit it" }
  ]
})
