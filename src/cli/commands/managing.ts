/** `paneway focus`, `resize`, `close`, `probe` and `describe`: one target that exists, or did. */
import * as Flags from "../syntax/flags.ts"
import { spec } from "../syntax/spec.ts"

const codes = "Exit codes: 0; 2 wrong arguments; 3 no such runtime, or it cannot be asked; 4 no such target"
const common = { runtime: Flags.runtime, json: Flags.json }
const any = {
  name: "target",
  about: "A window's name or handle, or a pane's handle or native id",
  least: 1,
  most: 1
}

export const focus = spec({
  path: ["focus"],
  summary: "Bring a window or a pane to the front",
  about: ["Bring a window or a pane to the front.", "", `${codes}; 6 no focus there.`],
  flags: { session: Flags.session, ...common },
  operands: [any],
  tail: "operands",
  examples: [{ command: "paneway focus build", description: "Show that window" }]
})

export const resize = spec({
  path: ["resize"],
  summary: "Give a pane another size",
  about: ["Give a pane another size.", "", `${codes}; 6 the runtime cannot.`],
  flags: common,
  operands: [
    { name: "target", about: "The pane, by its printed handle or its native id", least: 1, most: 1 },
    { name: "size", about: "Columns and rows, as in 120x40", least: 1, most: 1 }
  ],
  tail: "operands",
  examples: [{ command: "paneway resize \"$pane\" 100x30", description: "100 columns, 30 rows" }]
})

export const close = spec({
  path: ["close"],
  summary: "Close a window or a pane, and end what runs there",
  about: [
    "Close a window, by its name or handle, or a pane, by its handle or native id, and end what runs there. Prints closed,",
    "or already-closed where a handle's target is gone: both are a success. A name that is absent is an error.",
    "",
    "Text that can be a window's name is one; --pane takes a native id such as 3.",
    "",
    `${codes}; 6 refused.`
  ],
  flags: { pane: Flags.pane, session: Flags.session, ...common },
  operands: [{ ...any, least: 0 }],
  tail: "operands",
  examples: [
    { command: "paneway close \"$pane\"", description: "One pane" },
    { command: "paneway close build", description: "A window with all its panes" }
  ]
})

export const probe = spec({
  path: ["probe"],
  summary: "Tell whether panes are there",
  about: [
    "Tell for each pane whether it is live, gone or unknown. unknown: the runtime could not be asked, which proves",
    "nothing.",
    "",
    "Exit codes: 0; 2 wrong arguments; 3 no such runtime; 4 text that is no handle and no id, or another server's."
  ],
  flags: common,
  operands: [{ name: "target", about: "Panes, by printed handle or native id", least: 1, most: 10_000 }],
  tail: "operands",
  examples: [{ command: "paneway probe \"$pane\" \"$other\" --json", description: "{probes: [{pane, liveness}]}" }]
})

export const describe = spec({
  path: ["describe"],
  summary: "Print what is known of a pane",
  about: [
    "Print what is known of a pane: its window, program, directory, size, and its exit where it ended.",
    "",
    `${codes}.`
  ],
  flags: { pane: Flags.pane, ...common },
  operands: [Flags.target],
  tail: "operands",
  examples: [{ command: "paneway describe \"$pane\" --json", description: "{handle, window, command, cwd, ...}" }]
})
