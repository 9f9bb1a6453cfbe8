/**
 * Which shell reads in a pane, if one does.
 *
 * @since 0.1.0
 */
import * as Schedule from "effect/Schedule"
import { SendRejected } from "../RuntimeError.ts"
import type { Pane } from "../Target.ts"

/**
 * Languages that `run` can type: of sh and what follows it, of zsh, and of fish.
 *
 * @internal
 */
export type Language = "sh" | "zsh" | "fish"

/** By their names as runtimes tell them; a login shell's has a dash before it. */
const languages: ReadonlyMap<string, Language> = new Map([
  ["sh", "sh"],
  ["bash", "sh"],
  ["dash", "sh"],
  ["ash", "sh"],
  ["zsh", "zsh"],
  ["fish", "fish"]
])

/** Shells that edit their line themselves; the others get what a terminal takes as one line. */
const editing: ReadonlySet<string> = new Set(["bash", "zsh", "fish"])

const nameOf = (program: string) => program.replace(/^-/, "").split(/[\s/]+/).at(-1) ?? ""
const isShell = (program: string) => languages.has(nameOf(program))
/** `bash file` reads its commands from the file, and nothing from the terminal. */
const isScript = ([name = "", first, ...rest]: ReadonlyArray<string>) =>
  isShell(name) && first !== undefined && !/^[-+]/.test(first) && !rest.includes("-i")
const words = ({ startCommand }: Pane): ReadonlyArray<string> =>
  startCommand?.split(" ").filter((word) => word !== "") ?? []
const started = (pane: Pane): string | undefined => words(pane)[0]

/**
 * Whether the pane was opened for a shell; undefined: nobody knows.
 *
 * @internal
 */
export const startsShell = (pane: Pane): boolean | undefined => {
  const program = started(pane)
  return program === undefined ? undefined : isShell(program) && !isScript(words(pane))
}

/**
 * For a shell that runs other programs before its first prompt, or is taking the terminal back.
 *
 * @internal
 */
export const moment = Schedule.spaced("20 millis").pipe(Schedule.upTo({ duration: "500 millis" }))

/**
 * Whether another program took the place of the shell that the pane was opened for, as after `exec`. One that runs
 * under the shell, as its start-up files do it, took no place.
 *
 * @internal
 */
export const isReplaced = (pane: Pane): boolean =>
  pane.atShell === true && pane.command !== undefined && !isShell(pane.command) && startsShell(pane) === true

/**
 * The shell in the foreground; where the runtime does not tell it, the one that the pane was opened for, else sh.
 *
 * @internal
 */
export const shellOf = (pane: Pane): { readonly language: Language; readonly editsLine: boolean } => {
  const name = nameOf(pane.command ?? started(pane) ?? "")
  return { language: languages.get(name) ?? "sh", editsLine: editing.has(name) }
}

/**
 * Why the record of a pane says that no shell reads there.
 *
 * @internal
 */
export const refusal = (pane: Pane): SendRejected | undefined => {
  const { atShell, command, handle } = pane
  const rejected = (code: "busy" | "not-a-shell", reason: string) => new SendRejected({ pane: handle, code, reason })
  const script = isScript(words(pane)) && nameOf(command ?? "") === nameOf(started(pane) ?? "")
  if (script) return rejected("not-a-shell", `${nameOf(command ?? "")} runs a script there`)
  const shell = command === undefined ? startsShell(pane) : isShell(command)
  if (shell !== false) return atShell === false ? rejected("busy", "its shell is not in the foreground") : undefined
  const name = nameOf(command ?? pane.startCommand ?? "")
  return startsShell(pane) === false
    ? rejected("not-a-shell", `${name} is no shell that run knows: ${[...languages.keys()].join(", ")}`)
    : rejected("busy", `${name} runs in the foreground`)
}
