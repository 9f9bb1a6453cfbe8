/** Flags and operands that several commands have. */
import type { Flag, Operand } from "./spec.ts"

export const runtime: Flag = {
  kind: "text",
  metavar: "name",
  about: "Runtime to use, or fail; a printed handle says its own. Default: as paneway detect tells"
}

export const json: Flag = {
  kind: "switch",
  about: "Print one JSON object on standard output; errors as one on standard error"
}

export const session: Flag = {
  kind: "text",
  metavar: "name",
  about: "Session of the window; default: PANEWAY_SESSION, else this pane's, else paneway"
}

export const quiet: Flag = { kind: "switch", about: "Print no line when it succeeds" }

export const pane: Flag = { kind: "text", metavar: "target", about: "The pane, by its handle or native id" }

export const after: Flag = {
  kind: "text",
  metavar: "mark",
  about: "Only what came after this mark counts, one that send --json or capture --json printed"
}

export const timeout: Flag = {
  kind: "text",
  metavar: "duration",
  about: "Give up after this long and exit with 8 (30s, 500ms, 2m, infinity; default: 30s)"
}

/** A pane as the one operand; `--pane` says the same. */
export const target: Operand = {
  name: "target",
  about: "The pane, by its printed handle or its native id",
  least: 0,
  most: 1
}

export const size: Flag = { kind: "text", metavar: "CxR", about: "Columns and rows, as in 120x40" }

/** How something is sent. */
export const sending = {
  profile: {
    kind: "text",
    metavar: "profile",
    choices: ["plain-pane", "agent-aware"],
    about: "What is on the other side; default: what the runtime says of this pane"
  },
  require: {
    kind: "text",
    metavar: "evidence",
    choices: ["agent-protocol", "transcript", "screen", "bytes", "none"],
    about: "The weakest evidence that counts, else the send is in doubt"
  },
  within: { kind: "text", metavar: "duration", about: "Time for that evidence to show" },
  "allow-newlines": { kind: "switch", about: "Send several lines although each newline may submit one" },
  sanitize: { kind: "switch", about: "Remove control characters instead of refusing them" }
} as const satisfies Record<string, Flag>
