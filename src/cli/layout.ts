/** How results read for people: pure, and without anything but text. */
import { withoutControls } from "../internal/controls.ts"

/** Line breaks and control characters of a message would break the one line, or act on the terminal. */
export const oneLine = (message: string): string =>
  message.replaceAll(/\s*\n\s*/g, "; ").replaceAll(
    /[\u0000-\u001f\u007f-\u009f]/g,
    (character) => `\\x${(character.codePointAt(0) ?? 0).toString(16).padStart(2, "0")}`
  )

/** JSON leaves DEL and C1 as they are, which a terminal obeys. */
export const json = (value: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(value).replaceAll(
    /[\u007f-\u009f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

/** Rows of cells, one line each; columns begin below each other, and empty cells at the end of a row are left out. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const shown = rows.map((row) => row.map(oneLine))
  const widths = (shown[0] ?? []).map((_, at) => Math.max(...shown.map((row) => row[at]?.length ?? 0)))
  return shown.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ").trimEnd())
}

/** Rows of a screen: those below the last that holds something are left out. */
export const screen = (rows: ReadonlyArray<string>, ansi: boolean): string => {
  const last = rows.findLastIndex((row) => row.trim() !== "")
  const shown = rows.slice(0, last + 1).join("\n")
  return ansi ? shown : withoutControls(shown)
}

interface Exit {
  readonly code?: number
  readonly signal?: string
}

const ended = ({ code, signal }: Exit): string =>
  signal === undefined ? code === undefined ? "ended" : `exited ${code}` : `ended by ${signal}`

/** A pane in a list of them. */
export const paneRow = (handle: string, { command, cwd, exit, title }: {
  readonly command?: string
  readonly cwd?: string
  readonly exit?: Exit
  readonly title?: string
}): ReadonlyArray<string> => [handle, exit === undefined ? command ?? "" : ended(exit), cwd ?? "", title ?? ""]

type Facts = Readonly<Record<string, unknown>>

const isFacts = (value: unknown): value is Facts => typeof value === "object" && value !== null

export const exitOf = ({ code, signal }: Facts): Exit => ({
  ...(typeof code === "number" ? { code } : {}),
  ...(typeof signal === "string" ? { signal } : {})
})

const fact = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value)

/** All that is known of a pane, one fact a row, from its fields as `--json` has them. */
export const described = ({ cursor, exit, ...pane }: Facts): ReadonlyArray<readonly [string, string]> => [
  ...Object.entries(pane).map(([key, value]) => [key, fact(value)] as const),
  ...(isFacts(cursor) ? [["cursor", `row ${fact(cursor["row"])}, column ${fact(cursor["column"])}`] as const] : []),
  ...(isFacts(exit) ? [["exit", ended(exitOf(exit))] as const] : [])
]

const warnings = new Map([
  ["line-may-be-truncated", "a terminal whose program edits no line keeps 4095 bytes of it, the rest may be gone"],
  ["paste-mode-unknown", "each of its lines may have been submitted by itself, the runtime cannot tell"],
  ["focus-sent", "the program was told that its pane has the focus"],
  ["mode-left", "the pane showed its history, and was taken out of that"],
  ["before-prompt", "no prompt was seen in time; start-up files of the shell may still run, or have taken the text"]
])

/** Why a send that succeeded deserves a look: each warning by its word, and what it means. */
export const warned = (words: ReadonlyArray<string>): string =>
  `sent, but: ${
    words.map((word) => {
      const meaning = warnings.get(word)
      return meaning === undefined ? word : `${word} (${meaning})`
    }).join(", ")
  }`

/** What became of a send. */
export const sent = (pane: string, report: {
  readonly outcome: string
  readonly evidence: string
  readonly droppedTrailingEnter: boolean
}): string =>
  `sent to ${pane}: ${report.outcome}, evidence ${report.evidence}` +
  (report.droppedTrailingEnter ? "; the trailing Enter was left out, the prompt submits itself" : "")
