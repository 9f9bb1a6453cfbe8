/** `paneway ensure`, `prepare` and `spawn`: windows and panes are made. */
import * as Flags from "../syntax/flags.ts"
import { spec } from "../syntax/spec.ts"

const root = { kind: "text", metavar: "directory", about: "Directory to start in; default: this one" } as const

export const ensure = spec({
  path: ["ensure"],
  summary: "Find a window by name, or make it, and print its handle",
  about: [
    "Find the window of that name or make it, and print its handle and nothing else. One that exists for another root or",
    "preset is a conflict and stays as it is.",
    "",
    "Exit codes: 0; 2 wrong arguments; 3 no such runtime, or it cannot be asked; 5 it exists for another root or preset;",
    "6 no such preset; 9 it could not be made."
  ],
  flags: {
    root: { ...root, about: "Directory that the window is for; default: this one" },
    preset: { kind: "text", metavar: "name", about: "Preset that the window is made with; there are none yet" },
    session: Flags.session,
    runtime: Flags.runtime,
    json: Flags.json
  },
  operands: [{
    name: "name",
    about: "The window's name; characters outside A-Z a-z 0-9 _ - become -",
    least: 1,
    most: 1
  }],
  tail: "operands",
  examples: [
    { command: "paneway ensure build --root ~/project", description: "A window for a project" },
    { command: "pane=$(paneway prepare \"$(paneway ensure build)\")", description: "And a shell in it" }
  ]
})

export const prepare = spec({
  path: ["prepare"],
  summary: "Get a shell in a window, and print its pane's handle",
  about: [
    "Get a pane with a live shell in a window: one that was prepared and is idle, else a new one. Prints its handle and",
    "nothing else. The shell stays when a command in it ends.",
    "",
    "Exit codes: 0; 2 wrong arguments; 3 no such runtime, or it cannot be asked; 4 no such window; 9 it could not be made."
  ],
  flags: { session: Flags.session, runtime: Flags.runtime, json: Flags.json },
  operands: [{ name: "window", about: "The window, by its name or its printed handle", least: 1, most: 1 }],
  tail: "operands",
  examples: [
    { command: "pane=$(paneway prepare build)", description: "A shell to send commands to" }
  ]
})

export const spawn = spec({
  path: ["spawn"],
  summary: "Start a program in a new pane, and print the pane's handle",
  about: [
    "Start a program in a pane of its own, which stays when this command ends, and print the pane's handle and nothing",
    "else. The program and its arguments stand after --, and no shell reads them; --shell is a line for a shell; without",
    "both it is a login shell.",
    "",
    "A pane of the embedded pty gets the environment of this process, one of another runtime that runtime's, always",
    "without the variables of other multiplexers around this process. --env adds to it, --unset removes from it, and",
    "--clean leaves of this process only HOME, LANG, LC_*, LOGNAME, PATH, SHELL, TMPDIR, TZ and USER.",
    "",
    "Exit codes: 0; 2 wrong arguments; 3 no such runtime, or it cannot be asked; 4 no such window or pane to split; 9 not",
    "started; 126 not executable; 127 not found."
  ],
  flags: {
    window: {
      kind: "text",
      metavar: "name",
      about: "Name of its window: a new one, or the one of that name, which gets one more pane"
    },
    split: { kind: "text", metavar: "target", about: "Split this pane or window instead, by its handle or id" },
    shell: { kind: "text", metavar: "line", about: "A line for a shell" },
    root,
    title: { kind: "text", metavar: "text", about: "Title of the pane" },
    env: { kind: "text", metavar: "NAME=VALUE", many: true, about: "Set a variable of its environment; repeatable" },
    unset: {
      kind: "text",
      metavar: "NAME",
      many: true,
      about: "Remove a variable from it, * in it for anything; repeatable"
    },
    clean: { kind: "switch", about: "Begin with a few variables only" },
    size: Flags.size,
    "on-exit": {
      kind: "text",
      metavar: "what",
      choices: ["close", "hold", "shell"],
      about: "When the program ends: close the pane, hold it with its exit (default), or give it a shell"
    },
    session: Flags.session,
    runtime: Flags.runtime,
    json: Flags.json
  },
  operands: [],
  tail: "command",
  examples: [
    { command: "pane=$(paneway spawn --window server -- npm start)", description: "A server in a window of its own" },
    { command: "paneway spawn --env PORT=8080 --on-exit close -- ./serve", description: "With a variable" },
    { command: "paneway spawn --split \"$pane\"", description: "A shell beside another pane" }
  ]
})
