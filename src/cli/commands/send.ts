/** `paneway send`: text and keys for a pane, once. */
import * as Flags from "../syntax/flags.ts"
import { spec } from "../syntax/spec.ts"

export const send = spec({
  path: ["send"],
  summary: "Send a command, text or keys to a pane, once",
  about: [
    "Send to a pane, once: nothing is sent again, whatever happens.",
    "",
    "--cmd is typed and submitted. Texts of --msg are typed as they are, first all of them, then the keys of --key in",
    "their order; nothing submits them but a key. Keys after --cmd are pressed when it was submitted, so --key before",
    "--cmd is an error. --item keeps another order: --item msg=TEXT and --item key=NAME, as they come.",
    "",
    "--file sends a text from a file, or from standard input with -, as one more message; its last newline is left out.",
    "",
    "Text that begins with a dash is text: --msg -n sends -n. Keys are named as in tmux, kitty or herdr: Enter, C-c,",
    "ctrl+x, Up, F5.",
    "",
    "With --json the delivery report is printed. Its outcome is accepted (processing was seen) or admitted (the bytes",
    "were taken); its mark is a word for --after of wait, which then sees only the answer.",
    "",
    "Exit codes: 0 sent; 2 wrong arguments; 3 no such runtime, or it cannot be asked; 4 no such pane; 6 refused, nothing",
    "was typed; 7 in doubt: it may have been typed, look before you send again."
  ],
  flags: {
    pane: { ...Flags.pane, required: true },
    cmd: { kind: "text", metavar: "line", about: "Command line to type and submit" },
    msg: { kind: "text", metavar: "text", many: true, about: "Text to type; repeatable" },
    key: { kind: "text", metavar: "key", many: true, about: "Key to press; repeatable" },
    item: { kind: "text", metavar: "item", many: true, about: "msg=TEXT or key=NAME, in this order; repeatable" },
    file: { kind: "text", metavar: "file", about: "File whose text is typed; - is standard input" },
    ...Flags.sending,
    quiet: Flags.quiet,
    runtime: Flags.runtime,
    json: Flags.json
  },
  operands: [],
  tail: "operands",
  examples: [
    { command: "paneway send --pane \"$pane\" --cmd 'npm test'", description: "Run a command in the pane's shell" },
    { command: "paneway send --pane \"$pane\" --msg 'Fix the test' --key Enter", description: "Prompt an agent" },
    { command: "git diff | paneway send --pane \"$pane\" --file - --key Enter", description: "Long text" },
    { command: "paneway send --pane %3 --key C-c", description: "Interrupt what runs there" }
  ]
})
