/** `paneway wait`: until something is seen in a pane. */
import * as Flags from "../syntax/flags.ts"
import { spec } from "../syntax/spec.ts"

const codes = [
  "Exit codes: 0 seen; 2 wrong arguments; 3 no such runtime, or it cannot be asked; 4 no such target, or it ended before;",
  "8 not seen in time, with the last lines on standard error."
]

/** What the waits on one pane have alike. */
const common = { after: Flags.after, timeout: Flags.timeout, runtime: Flags.runtime, json: Flags.json }

export const output = spec({
  path: ["wait", "output"],
  summary: "Wait until a pane prints a text",
  about: [
    "Wait until a line of a pane holds a text (--match) or fits a regular expression (--regex), and print that line. What",
    "is on the screen counts too, unless --after says where to begin: with the mark of a send the line that was typed",
    "does not count, only what came after it.",
    "",
    ...codes
  ],
  flags: {
    pane: Flags.pane,
    match: { kind: "text", metavar: "text", about: "Text to wait for, as it is" },
    regex: { kind: "text", metavar: "re", about: "JavaScript regular expression to wait for, within one line" },
    ...common
  },
  operands: [Flags.target],
  tail: "operands",
  examples: [
    {
      command: "paneway wait output \"$pane\" --match 'listening on' --timeout 1m",
      description: "Until a server is up"
    },
    { command: "paneway wait output \"$pane\" --regex '^\\d+ passed' --after \"$mark\"", description: "The answer" }
  ]
})

export const agent = spec({
  path: ["wait", "agent"],
  summary: "Wait until the agent in a pane is in a state",
  about: [
    "Wait until the coding agent in a pane is in one of the states of --state, and print the state. idle is satisfied by",
    "done too. With --after only a state of a later turn counts.",
    "",
    ...codes
  ],
  flags: {
    pane: Flags.pane,
    state: {
      kind: "text",
      metavar: "state",
      many: true,
      required: true,
      choices: ["starting", "working", "idle", "done", "blocked", "exited", "unknown"],
      about: "One that ends the wait; repeatable"
    },
    ...common
  },
  operands: [Flags.target],
  tail: "operands",
  examples: [
    {
      command: "paneway wait agent \"$pane\" --state done --state blocked --after \"$mark\" --timeout 30m",
      description: "Until it is done, or asks"
    }
  ]
})

export const lifecycle = spec({
  path: ["wait", "lifecycle"],
  summary: "Wait until a window or a pane is there, or a pane ended",
  about: [
    "Wait for a condition of a window (window-exists, window-active; by its name or handle) or of a pane (pane-exists,",
    "pane-exited; by its handle or native id), and print what was observed. That a pane ended says nothing of success.",
    "",
    ...codes
  ],
  flags: {
    pane: Flags.pane,
    session: Flags.session,
    timeout: Flags.timeout,
    runtime: Flags.runtime,
    json: Flags.json
  },
  operands: [
    {
      name: "condition",
      about: "window-exists, window-active, pane-exists or pane-exited",
      choices: ["window-exists", "window-active", "pane-exists", "pane-exited"],
      least: 1,
      most: 1
    },
    { name: "target", about: "The window's name or handle, or the pane's handle or native id", least: 0, most: 1 }
  ],
  tail: "operands",
  examples: [
    { command: "paneway wait lifecycle pane-exited \"$pane\" --timeout 10m", description: "Until its program ended" },
    { command: "paneway wait lifecycle window-exists build", description: "Until somebody opens that window" }
  ]
})

export const stable = spec({
  path: ["wait", "stable"],
  summary: "Wait until a pane has stopped changing",
  about: [
    "Wait until what a pane shows has not changed for the time of --quiet, and print it as capture does. With --after not",
    "before something came after that mark.",
    "",
    ...codes
  ],
  flags: {
    pane: Flags.pane,
    quiet: { kind: "text", metavar: "duration", required: true, about: "Time without a change (500ms, 2s)" },
    ...common
  },
  operands: [Flags.target],
  tail: "operands",
  examples: [{
    command: "paneway wait stable \"$pane\" --quiet 1s",
    description: "Until it has been quiet for a second"
  }]
})
