/**
 * What a pane is to run, checked before anything is forked: node-pty reports a bad program or directory only as text
 * on the new screen.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { userInfo } from "node:os"
import { isAbsolute, resolve } from "node:path"
import type { SpawnRequest } from "../../src/Contract.ts"
import * as Variables from "../../src/internal/variables.ts"
import { SpawnFailed } from "../../src/RuntimeError.ts"
import * as Programs from "../internal/programs.ts"

/** Everything that the fork needs. `argv[0]` is the name as it was given, so a program sees itself called by it. */
export interface Command {
  readonly argv: readonly [string, ...Array<string>]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

type Environment = Readonly<Record<string, string | undefined>>

const failed = (reason: SpawnFailed["reason"], detail: string) =>
  new SpawnFailed({ runtime: "pty", reason, detail, created: "nothing" })

/**
 * The shell that a pane starts when it is given no program: `$SHELL`, else the user's login shell, else `/bin/sh`.
 */
const loginShell = (env: Environment): string => {
  if (env.SHELL !== undefined && isAbsolute(env.SHELL) && Programs.isProgram(env.SHELL)) return env.SHELL
  const shell = passwdShell()
  return shell !== undefined && Programs.isProgram(shell) ? shell : "/bin/sh"
}

const passwdShell = (): string | undefined => {
  try {
    return userInfo().shell ?? undefined
  } catch {
    return undefined // a user id without a passwd entry, as in containers
  }
}

const argvOf = (program: SpawnRequest["program"], env: Environment): readonly [string, ...Array<string>] => {
  if (program === undefined) return [loginShell(env), "-l"]
  return "argv" in program ? program.argv : ["/bin/sh", "-c", program.shell]
}

/**
 * Variables by which a program would take the pane for one of the multiplexer or terminal around it, and sizes that the
 * pty tells better.
 */
const inheritedMarks =
  /^(?:TMUX|TMUX_PANE|ACE_TMUX_SESSION|STY|WINDOW|WINDOWID|TERMCAP|COLUMNS|LINES|TERM_PROGRAM|TERM_PROGRAM_VERSION|PANEWAY_PANE|PANEWAY_INPUT|PANEWAY_SOCKET|PANEWAY_SESSION|ZELLIJ.*|HERDR_.*|KITTY_.*|WEZTERM_.*)$/

const environment = (request: SpawnRequest, inherited: Environment): Record<string, string | undefined> => {
  const env: Record<string, string | undefined> = {}
  for (const [name, value] of Object.entries(Variables.filter(inherited, { deny: request.unset ?? [] }))) {
    if (!inheritedMarks.test(name)) env[name] = value
  }
  env.TERM = "xterm-256color"
  env.COLORTERM = "truecolor"
  for (const name of request.unset ?? []) delete env[name]
  for (const [name, value] of Object.entries(request.env ?? {})) {
    env[name] = Redacted.isRedacted(value) ? Redacted.value(value) : value
  }
  return env
}

/** Linux refuses one string over 128 KiB, and all of them over a quarter of the usual stack limit (8 MiB). */
const limits = { one: 128 * 1024 - 1, all: 2 * 1024 * 1024 - 64 * 1024 } as const

const tooLong = (argv: ReadonlyArray<string>, env: Readonly<Record<string, string>>): SpawnFailed | undefined => {
  const words = [...argv, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)]
  const sizes = words.map((word) => Buffer.byteLength(word) + 1)
  const longest = sizes.findIndex((size) => size > limits.one)
  const where = longest < argv.length ? `argument ${longest}` : `the variable ${words[longest]?.split("=", 1)[0]}`
  if (longest !== -1) return failed("no-space", `${where} is longer than ${limits.one} bytes: pass it through a file`)
  return sizes.reduce((sum, size) => sum + size + 8, 0) > limits.all
    ? failed("no-space", `arguments and environment exceed ${limits.all} bytes together: pass them through files`)
    : undefined
}

/** Checks the request against the file system and the inherited environment. Starts nothing. */
export const make = Effect.fnUntraced(
  function*(request: SpawnRequest, inherited: Environment, here: string | undefined) {
    const asked = request.cwd ?? here
    if (asked === undefined || (here === undefined && !isAbsolute(asked))) {
      return yield* failed("bad-directory", "the working directory of this process was removed: name an absolute one")
    }
    if (asked.includes("\0")) return yield* failed("bad-directory", "the directory's name contains a NUL character")
    const cwd = resolve(here ?? "/", asked)
    if (!Programs.isDirectory(cwd)) {
      return yield* failed(
        "bad-directory",
        `${cwd} is ${Programs.exists(cwd) ? "not a directory" : "missing"}: choose an existing directory`
      )
    }
    const wanted = environment(request, inherited)
    const env: Record<string, string> = {}
    for (const [name, value] of Object.entries(wanted)) {
      if (value === undefined) continue
      if (name === "" || name.includes("=") || name.includes("\0") || value.includes("\0")) {
        return yield* failed(
          "bad-environment",
          `the variable ${JSON.stringify(name)} has a name or value that no program can get`
        )
      }
      env[name] = value
    }
    env.PWD = cwd
    const argv = argvOf(request.program, env)
    if (argv.some((part) => part.includes("\0"))) {
      return yield* failed("bad-request", "an argument contains a NUL character")
    }
    const hit = Programs.find(argv[0], cwd, env.PATH ?? "/usr/local/bin:/usr/bin:/bin")
    if (hit === "missing") {
      return yield* failed(
        "missing-program",
        `${argv[0] === "" ? "an empty name" : argv[0]} was not found: check the name and PATH`
      )
    }
    if (hit === "not-executable") return yield* failed("not-executable", `${argv[0]} is not an executable file`)
    const long = tooLong(argv, env)
    if (long !== undefined) return yield* long
    return { argv, cwd, env } satisfies Command
  }
)
