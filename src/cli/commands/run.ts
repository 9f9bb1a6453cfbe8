/** `paneway run`: one command in a pane of its own, in the foreground. */
import * as Flags from "../syntax/flags.ts"
import { spec } from "../syntax/spec.ts"

export const run = spec({
  path: ["run"],
  summary: "Run a command in a real terminal and exit with its code",
  about: [
    "Run a command in a real terminal of its own and exit with its code.",
    "",
    "The terminal is the embedded pty, unless a runtime is named by --runtime, PANEWAY_RUNTIME, ACE_RUNTIME or the",
    "key runtime of a config file. What the command prints there is standard output, byte for byte: its standard",
    "error too, since a terminal has one screen. Colours and pagers are on, since it is one.",
    "",
    "Standard input goes to the command: keys from a terminal, data from a pipe or file, then the end of file, so",
    "in a shell loop add </dev/null. Prompts that drop earlier input, as for passwords, need it after the prompt.",
    "Outside a terminal the size is 120x40 and TERM is xterm-256color. What the command started ends with it, also",
    "under nohup or setsid; only a process that left its session and dropped PANEWAY_PANE_TAG from its environment stays.",
    "",
    "A runtime that does not give the bytes of its panes, such as tmux, runs it in a pane of its own there, which is",
    "closed afterwards. What that pane holds then is printed when the command has ended, in colour only on a terminal;",
    "of more rows than the runtime keeps the last ones, and standard error says so. Keys and standard input do not reach",
    "it: data on standard input is refused (2). What the command left in the background ends with the pane, on Linux.",
    "",
    "With --keep the pane stays, held with its exit, and its handle is told on standard error; --window names its",
    "window. The embedded pty keeps it in its host then, and the command lives on when this process is interrupted.",
    "",
    "With --pane it is run in the shell of that pane, which has to be at its prompt, each word as it is. What it printed",
    "is told when it has ended, without control sequences; the pane shows it as it comes.",
    "",
    "With --json one object takes the place of the output: exitCode, signal (where one ended the command), output",
    "(not UTF-8: U+FFFD), truncated (the beginning is lost: over 16 MiB, or rows that the runtime does not keep),",
    "timedOut; with --keep and --pane also pane.",
    "",
    "Exit codes: the command's own; 128+N when signal N ended it. Of paneway itself, with a line on standard error:",
    "1 output cannot be written; 2 wrong arguments or config; 3 no such runtime; 8 --timeout passed; 9 not started;",
    "126 not executable; 127 not found; 4 somebody closed the pane; with --pane 4 no such pane, 6 nothing was typed, 7 it",
    "may still run. Without one: 130 interrupted by SIGINT, SIGTERM or SIGHUP; 141 standard output was closed."
  ],
  flags: {
    runtime: {
      kind: "text",
      metavar: "name",
      about: "Runtime to use, or fail; default: PANEWAY_RUNTIME, ACE_RUNTIME, config, then pty"
    },
    root: { kind: "text", metavar: "directory", about: "Directory to start in; default: this one" },
    timeout: {
      kind: "text",
      metavar: "duration",
      about: "End the command after this long and exit with 8 (30s, 500ms, 2m; a bare number is seconds)"
    },
    env: {
      kind: "text",
      metavar: "NAME=VALUE",
      many: true,
      about: "Set a variable of the pane's environment; repeatable"
    },
    size: {
      kind: "text",
      metavar: "CxR",
      about: "Columns and rows of the pane, as in 120x40; default: this terminal's, else the runtime's (pty: 120x40)"
    },
    pane: { kind: "text", metavar: "target", about: "Run it in the shell of this pane, by its handle or native id" },
    keep: { kind: "switch", about: "Leave the pane when the command ended" },
    window: { kind: "text", metavar: "name", about: "Window that the kept pane is in; made where it is not there" },
    session: { kind: "text", metavar: "name", about: "Session of that window" },
    json: Flags.json
  },
  operands: [
    { name: "command", about: "The command and its arguments, all after --", least: 0, most: Number.MAX_SAFE_INTEGER }
  ],
  tail: "command",
  examples: [
    { command: "paneway run -- npm test", description: "Run the tests as in a terminal, colours and all" },
    {
      command: "paneway run --timeout 2m --json -- make",
      description: "Exit code and output as JSON, two minutes at most"
    },
    {
      command: "paneway run --keep --window build -- make",
      description: "Leave the pane, to look at it or to split it later"
    },
    { command: "paneway run --runtime tmux -- make", description: "In a pane of tmux, which is closed afterwards" },
    { command: "paneway run --pane \"$pane\" -- npm test", description: "In a shell that is there" },
    { command: "printf 'y\\n' | paneway run -- ./install.sh", description: "Answer a program that wants a terminal" }
  ]
})
