/** `paneway sessions`, `windows` and `panes`: what exists. */
import * as Flags from "../syntax/flags.ts"
import { spec } from "../syntax/spec.ts"

const codes = "Exit codes: 0, also when there is none; 2 wrong arguments; 3 no such runtime, or it cannot be asked."
const common = { runtime: Flags.runtime, json: Flags.json }
const within = { kind: "text", metavar: "name", about: "Only what is in this session" } as const

export const sessions = spec({
  path: ["sessions"],
  summary: "List the sessions",
  about: ["List the sessions of the runtime, one a line.", "", codes],
  flags: common,
  operands: [],
  tail: "operands",
  examples: [{ command: "paneway sessions --json", description: "{sessions: [NAME, ...]}" }]
})

export const windows = spec({
  path: ["windows"],
  summary: "List the windows",
  about: ["List the windows, one a line: handle, name, session, root. The active ones are marked with *.", "", codes],
  flags: { session: within, ...common },
  operands: [],
  tail: "operands",
  examples: [
    { command: "paneway windows", description: "All windows" },
    { command: "paneway windows --session work --json", description: "{windows: [{handle, name, root, ...}]}" }
  ]
})

export const panes = spec({
  path: ["panes"],
  summary: "List the panes",
  about: [
    "List the panes, one a line: handle, what runs there or how it ended, and the directory. The handle is one word and",
    "comes first.",
    "",
    codes
  ],
  flags: {
    session: within,
    window: { kind: "text", metavar: "window", about: "Only those of this window, by its name or handle" },
    ...common
  },
  operands: [],
  tail: "operands",
  examples: [
    { command: "paneway panes", description: "All panes" },
    { command: "paneway panes --window build --json", description: "{panes: [{handle, window, command, ...}]}" }
  ]
})
