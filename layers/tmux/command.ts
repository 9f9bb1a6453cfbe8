/** What a pane is to run, checked before the server is asked: it would only show that it cannot be started. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { resolve } from "node:path"
import type { SpawnRequest } from "../../src/Contract.ts"
import { SpawnFailed } from "../../src/RuntimeError.ts"
import * as Programs from "../internal/programs.ts"
import { runtime } from "./failures.ts"
import { held } from "./holding.ts"

export interface Prepared {
  readonly cwd: string
  /** What the pane executes: a shell that makes the environment and becomes the program. */
  readonly argv: readonly [string, ...Array<string>]
  /** What was asked for, as the pane's record says it. */
  readonly start: string
  readonly env: ReadonlyArray<readonly [name: string, value: string]>
}

/** Names of variables that panes do not inherit, and of those that they inherit all the same; `*` stands for anything. */
export interface Inherited {
  readonly allow?: ReadonlyArray<string>
  readonly deny?: ReadonlyArray<string>
}

/** What the server has for panes that ask for nothing else. */
export interface Defaults {
  readonly shell: string
  readonly path: string
}

const failed = (reason: SpawnFailed["reason"], detail: string) =>
  new SpawnFailed({ runtime, reason, detail, created: "nothing" })

/** A shell that says no to everybody is no shell for a pane. */
const usable = (shell: string): boolean => Programs.isProgram(shell) && !/\/(?:false|nologin|true)$/.test(shell)

/** By these a program would take itself for one of the terminal around tmux. */
const marks = [
  "ACE_TMUX_SESSION",
  "STY",
  "PANEWAY_PANE",
  "PANEWAY_SOCKET",
  "PANEWAY_SESSION",
  "ZELLIJ*",
  "HERDR_*",
  "KITTY_*",
  "WEZTERM_*"
]

/** What a shell can name; no other variable can be removed. */
const removable = /^[A-Za-z0-9_*]+$/

/** Of variables that are there, those that one of the second names means are removed, and not one that a first one means. */
const removing = (kept: ReadonlyArray<string>, names: ReadonlyArray<string>): string =>
  `for n in $(env | sed -n 's/^\\([A-Za-z_][A-Za-z0-9_]*\\)=.*/\\1/p'); do case $n in ` +
  `${kept.length === 0 ? "" : `${kept.join("|")}) ;; `}TMUX*) ;; ${names.join("|")}) unset "$n" ;; esac; done`

/** Names with `*` are looked for among those that are there. */
const unsetting = (names: ReadonlyArray<string>, kept: ReadonlyArray<string>): string => {
  const all = names.filter((name) => removable.test(name) && !kept.includes(name))
  const exact = all.filter((name) => !name.includes("*"))
  const patterns = all.filter((name) => name.includes("*"))
  const keep = kept.filter((name) => removable.test(name) && !name.includes("*"))
  return [
    ...(exact.length === 0 ? [] : [`unset ${exact.join(" ")}`]),
    ...(patterns.length === 0 ? [] : [removing(keep, patterns)])
  ].join("; ")
}

/** What the server has and panes are not to inherit. */
const denying = ({ allow = [], deny = [] }: Inherited, own: ReadonlyArray<string>): ReadonlyArray<string> => {
  const denied = deny.filter((name) => removable.test(name))
  return denied.length === 0 ? [] : [removing([...own, ...allow].filter((name) => removable.test(name)), denied)]
}

/** How the arguments of a process begin that makes the environment of a pane, and becomes its program. */
export const beforeProgram = "/bin/sh\0-c\0unset "

/** Of what the program may have left on, focus events and marked pastes would reach the shell as text. */
const thenShell = `"$@"; printf '\\033[?1004l\\033[?2004l'; exec "\${SHELL:-/bin/sh}" -l`

const variables = (request: SpawnRequest) =>
  Object.entries(request.env ?? {}).map(([name, value]) =>
    [name, Redacted.isRedacted(value) ? Redacted.value(value) : value] as const
  )

/** Checks the request against the file system. */
export const prepare = Effect.fnUntraced(
  function*(
    request: SpawnRequest,
    defaults: Defaults,
    inherit: Inherited = {}
  ): Effect.fn.Return<Prepared, SpawnFailed> {
    const cwd = request.cwd ?? workingDirectory()
    if (cwd === undefined) return yield* failed("bad-directory", "the working directory was removed: name another one")
    const absolute = resolve(cwd)
    if (absolute.includes("\0") || !Programs.isDirectory(absolute)) {
      return yield* failed("bad-directory", `${absolute} is no directory: choose an existing one`)
    }
    const env = variables(request)
    const bad = env.find(([name, value]) => !/^[^=\0]+$/.test(name) || value.includes("\0"))
    if (bad !== undefined) {
      return yield* failed(
        "bad-environment",
        `the variable ${JSON.stringify(bad[0])} has a name or value that no program can get`
      )
    }
    const shell = usable(defaults.shell) ? defaults.shell : "/bin/sh"
    const { program } = request
    const argv = program === undefined
      ? [shell, "-l"] as const
      : "argv" in program
      ? program.argv
      : ["/bin/sh", "-c", program.shell] as const
    if (argv.some((part) => part.includes("\0"))) {
      return yield* failed("bad-request", "an argument contains a NUL character")
    }
    const path = env.find(([name]) => name === "PATH")?.[1] ?? defaults.path
    const hit = Programs.find(argv[0], absolute, path === "" ? "/usr/local/bin:/usr/bin:/bin" : path)
    if (hit === "missing") {
      return yield* failed("missing-program", `${argv[0] || "an empty name"} was not found: check the name and PATH`)
    }
    if (hit === "not-executable") return yield* failed("not-executable", `${argv[0]} is not an executable file`)
    const own = env.map(([name]) => name)
    const unset = [unsetting([...marks, ...(request.unset ?? [])], own), ...denying(inherit, own)].join("; ")
    const holds = request.onExit === undefined || request.onExit === "hold"
    const then = request.onExit === "shell"
      ? thenShell
      : holds
      ? held
      : `exec "$@"`
    return { cwd: absolute, argv: ["/bin/sh", "-c", `${unset}; ${then}`, "sh", ...argv], start: argv.join(" "), env }
  }
)

/** Of this process; undefined where it was removed. */
const workingDirectory = (): string | undefined => {
  try {
    return process.cwd()
  } catch {
    return undefined
  }
}
