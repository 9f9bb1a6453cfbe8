/**
 * A person in front of a terminal sees a pane: by the client of tmux that they look through already, else by one of their
 * own in that terminal. None is started inside another one of the same server, which would show itself.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { spawn } from "node:child_process"
import { readlinkSync } from "node:fs"
import { isatty } from "node:tty"
import type { AskError, AttachOutcome } from "../../src/Contract.ts"
import type { Client, Program } from "../../src/PaneView.ts"
import { NativeFailure, OperationRefused, RuntimeUnavailable } from "../../src/RuntimeError.ts"
import type { PaneHandle } from "../../src/Target.ts"
import * as Programs from "../internal/programs.ts"
import { ask, change } from "./asking.ts"
import { sessionNamed } from "./changing.ts"
import type { Clients } from "./clients.ts"
import { absent, isEmpty, runtime } from "./failures.ts"
import type { Command } from "./quoting.ts"
import { type Life, print } from "./transport.ts"
import { has } from "./version.ts"

export interface Options {
  /** Of this process. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The pane of this server that this process says it runs in. */
  readonly own: string | undefined
}

/** Why nobody can be shown anything. */
class Refusal extends Data.TaggedError("Refusal")<{ readonly reason: string }> {}

const panes: Command = ["list-panes", "-a", "-F", "#{pane_id} #{session_id} #{pane_tty}"]
const lookers: Command = [
  "list-clients",
  "-F",
  "#{client_control_mode} #{client_activity} #{session_id} #{client_name}"
]

/** For a client that was asked to go. */
const leaving = "2 seconds"

/** The terminal that this process reads; undefined where nobody tells. */
const terminal = (): string | undefined => {
  try {
    return readlinkSync("/proc/self/fd/0")
  } catch {
    return undefined
  }
}

/** The session of the pane that this process runs in: the one of its terminal, else of the pane that it was given. */
const sessionAround = (listed: string, own: string | undefined): string | undefined => {
  const tty = terminal()
  const rows = listed.split("\n").map((line) => line.split(" "))
  return (rows.find(([, , name]) => name !== undefined && name === tty) ?? rows.find(([pane]) => pane === own))?.[1]
}

/** The client that was used last of those that show the session. */
const lookerOf = (listed: string, session: string): string | undefined =>
  listed.split("\n")
    .flatMap((line) => {
      const [, control, activity, shown, name] = /^(\d) (\d+) (\$\d+) (.+)$/.exec(line) ?? []
      return control === "0" && shown === session && name !== undefined ? [{ name, activity: Number(activity) }] : []
    })
    .toSorted((a, b) => b.activity - a.activity)[0]?.name

const defined = (env: Options["env"]): Record<string, string> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => value === undefined ? [] : [[name, value]]))

export const make = (clients: Clients, { env, own }: Options) => {
  const { binary, server } = clients.options

  /** The client that the person of this process looks through; none where they are not inside this server. */
  const looker = Effect.gen(function*() {
    const { outputs: [all = "", shown = ""] } = yield* ask(clients, "attach", [panes, lookers], isEmpty)
    const session = sessionAround(all, own)
    if (session === undefined) return undefined
    return lookerOf(shown, session) ?? (yield* new Refusal({
      reason: "this process runs in a pane of the same server, which nobody looks at: attach from another terminal"
    }))
  })

  /** The user's own program, with their own variables. It starts no server, and refuses to show itself. */
  const program = Effect.fnUntraced(function*(
    target: string,
    { version }: Life,
    readOnly: boolean
  ): Effect.fn.Return<Program, RuntimeUnavailable> {
    const path = Programs.path(binary, env.PWD ?? "/", env.PATH ?? "")
    if (path === undefined) {
      return yield* new RuntimeUnavailable({ runtime, reason: "missing-program", detail: `${binary} cannot be run` })
    }
    const never = has(version, "clientFlags") ? ["-N"] : []
    const looks = readOnly ? ["-r"] : []
    return { argv: [path, ...never, ...server.args, "attach-session", ...looks, "-t", target], env: defined(env) }
  })

  const show = Effect.fnUntraced(function*(pane: PaneHandle, readOnly: boolean) {
    const [said = ""] = yield* change(clients, "attach", pane, [
      print("#{pane_id} #{session_id}:#{window_id}.#{pane_id}", pane.id)
    ])
    const [id, target] = said.split(" ")
    if (id !== pane.id || target === undefined) return yield* absent(pane)
    const client = yield* looker
    if (client === undefined) {
      const { life } = yield* ask(clients, "attach", [print("")])
      return Option.some(yield* program(target, life, readOnly))
    }
    if (readOnly) {
      return yield* new Refusal({
        reason:
          "inside the same server the pane is shown by the client that you type into: look at it without --read-only"
      })
    }
    yield* change(clients, "attach", pane, [["switch-client", "-c", client, "-t", target]])
    return Option.none()
  })

  const attach: Client["attach"] = (pane, { readOnly }) =>
    Effect.catchTag(
      show(pane, readOnly),
      "Refusal",
      ({ reason }) => Effect.fail(new OperationRefused({ runtime, operation: "attach", reason }))
    )

  /** Until the person detaches. Who is interrupted has the client leave, and the terminal is as it was. */
  const run = ({ argv: [path, ...words], env: variables }: Program) =>
    Effect.callback<number | null, RuntimeUnavailable>((resume) => {
      const child = spawn(path, words, { env: variables, stdio: "inherit" })
      child.on("error", (cause) =>
        resume(Effect.fail(
          new RuntimeUnavailable({ runtime, reason: "missing-program", detail: `${binary} cannot be run`, cause })
        )))
      child.on("exit", (code) => resume(Effect.succeed(code)))
      return Effect.callback<void>((gone) => {
        if (child.exitCode !== null || child.signalCode !== null) return gone(Effect.void)
        child.once("exit", () => gone(Effect.void))
        child.kill("SIGTERM")
      }).pipe(Effect.timeoutOrElse({ duration: leaving, orElse: () => Effect.sync(() => child.kill("SIGKILL")) }))
    })

  const attachSession = (name: string): Effect.Effect<AttachOutcome, AskError> =>
    Effect.gen(function*() {
      const { id, life } = yield* sessionNamed(clients, name)
      if (id === undefined) {
        return yield* new Refusal({ reason: `there is no session ${name}: open a pane in it first` })
      }
      const client = yield* looker
      if (client !== undefined) {
        yield* ask(clients, "attach", [["switch-client", "-c", client, "-t", id]])
        return { _tag: "Attached" } as const
      }
      if (!isatty(0) || !isatty(1)) {
        return yield* new Refusal({ reason: "this process has no terminal: attach where its input and output are one" })
      }
      const code = yield* run(yield* program(id, life, false))
      if (code === 0) return { _tag: "Attached" } as const
      return yield* new NativeFailure({ runtime, operation: "attach", detail: `tmux ended with ${code ?? "a signal"}` })
    }).pipe(Effect.catchTag("Refusal", ({ reason }) => Effect.succeed({ _tag: "Unsupported", reason } as const)))

  return { attach, attachSession }
}
