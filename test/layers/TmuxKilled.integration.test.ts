import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { readFileSync } from "node:fs"
import * as Tmux from "../../layers/Tmux.ts"
import type { RuntimeError } from "../../src/RuntimeError.ts"
import type { Pane } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { until } from "../fixtures/processes.ts"
import { killing } from "../fixtures/tmuxPrograms.ts"
import { runningServer, type TestServer } from "../fixtures/tmuxServers.ts"

type Runtime = TerminalRuntime["Service"]

interface Call {
  readonly does: (runtime: Runtime, pane: Pane) => Effect.Effect<unknown, RuntimeError>
  /** Begin of the command that does it. */
  readonly word: string
  /** What becomes of it when the server ends with the command on its way; `closed`: it may have done it too. */
  readonly during: "RuntimeUnavailable" | "SendStalled" | "SpawnFailed" | "closed"
}

const calls: Readonly<Record<string, Call>> = {
  "a list": { does: (rt) => rt.listPanes(), word: "list-pane", during: "RuntimeUnavailable" },
  "a capture": { does: (rt, { handle }) => rt.capture(handle), word: "capture-pan", during: "RuntimeUnavailable" },
  "a text": { does: (rt, { handle }) => rt.sendText(handle, "text"), word: "send-key", during: "SendStalled" },
  "a paste": {
    does: (rt, { handle }) => rt.sendText(handle, "x".repeat(10_000)),
    word: "paste-buffe",
    during: "SendStalled"
  },
  "keys": { does: (rt, { handle }) => rt.sendKeys(handle, ["Up", "Enter"]), word: "send-key", during: "SendStalled" },
  "a command": { does: (rt, { handle }) => rt.sendCommand(handle, "true"), word: "send-key", during: "SendStalled" },
  "a wait": {
    does: (rt, { handle }) => rt.waitOutput(handle, { pattern: "never", timeout: "8 seconds" }),
    word: "capture-pan",
    during: "RuntimeUnavailable"
  },
  "a new pane": { does: (rt) => rt.spawn({ program: { argv: ["cat"] } }), word: "new-windo", during: "SpawnFailed" },
  "a new pane's program": {
    does: (rt) => rt.spawn({ program: { argv: ["cat"] } }),
    word: "respawn-pan",
    during: "SpawnFailed"
  },
  "a prepared pane": {
    does: (rt, { window }) => rt.preparePane({ window }),
    word: "split-windo",
    during: "SpawnFailed"
  },
  "a size": {
    does: (rt, { handle }) => rt.resize(handle, { columns: 70, rows: 20 }),
    word: "resize-windo",
    during: "RuntimeUnavailable"
  },
  "a focus": { does: (rt, { handle }) => rt.focus(handle), word: "select-pan", during: "RuntimeUnavailable" },
  "a variable": {
    does: (rt) => rt.setEnvironment({ name: "A", value: "1" }),
    word: "set-environmen",
    during: "RuntimeUnavailable"
  },
  "a closing": { does: (rt, { handle }) => rt.closePane(handle), word: "kill-pan", during: "closed" },
  "a closing of a session": { does: (rt) => rt.closeSession("work"), word: "kill-sessio", during: "closed" }
}

const runtimeOn = Effect.fnUntraced(function*({ env, path }: TestServer, more: Tmux.Options) {
  const built = yield* Layer.build(Layer.fresh(Tmux.layer({ server: { path }, env, session: "work", ...more })))
  return Context.get(built, TerminalRuntime)
})

const cat = { program: { argv: ["cat"] } } as const

const pidOf = ({ tmux }: TestServer) => Number(tmux("display-message", "-p", "#{pid}"))

/** One that has ended may be there until somebody asks for its exit. */
const isRunning = (pid: number) => {
  try {
    return !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}

/** The one that it fails with; a call that never comes back is none of them. */
const failureOf = (exit: Exit.Exit<unknown, RuntimeError | { readonly _tag: "TimeoutError" }>): string =>
  Exit.match(exit, {
    onSuccess: () => "nothing",
    onFailure: () => {
      const error = Exit.findErrorOption(exit)
      return error._tag === "Some" ? error.value._tag : "a defect"
    }
  })

/** What opens a pane starts the server, and a variable waits for it. */
const starting = new Set(["a new pane", "a new pane's program", "a variable"])

/** A process for each call may find no server any more, and then did nothing. */
const allowed = (during: Call["during"], way: "control" | "forked") => [
  during === "closed" ? "nothing" : during,
  ...(way === "forked" ? ["RuntimeUnavailable"] : [])
]

/** A client may not have noticed yet that its server is gone, and then has written what nobody reads. */
const afterwards = (name: string, during: Call["during"]): ReadonlyArray<string> => {
  if (starting.has(name)) return ["nothing"]
  return [
    "RuntimeUnavailable",
    ...(during === "closed" ? ["nothing"] : during === "SendStalled" ? ["SendStalled"] : [])
  ]
}

for (const way of ["control", "forked"] as const) {
  describe(`a tmux server that is killed (${way})`, () => {
    for (const [name, { does, during, word }] of Object.entries(calls)) {
      it.live(`before ${name} is asked for ${starting.has(name) ? "is started anew" : "is unavailable"}`, () =>
        Effect.gen(function*() {
          const server = yield* runningServer
          const runtime = yield* runtimeOn(server, { way })
          const pane = yield* runtime.spawn(cat)
          const pid = pidOf(server)
          process.kill(pid, "SIGKILL")
          yield* until(() => !isRunning(pid))
          const exit = yield* Effect.exit(Effect.timeout(does(runtime, pane), "30 seconds"))

          assert.include(afterwards(name, during), failureOf(exit))
        }).pipe(Effect.scoped))

      it.live(`while ${name} is on its way ends it typed, and in doubt where it may be done`, () =>
        Effect.gen(function*() {
          const server = yield* runningServer
          const pane = yield* Effect.scoped(Effect.flatMap(runtimeOn(server, {}), (rt) => rt.spawn(cat)))
          const pid = pidOf(server)
          const binary = yield* killing(word, pid)
          // what the layer asks for at its start may be that call too
          const call = Effect.flatMap(runtimeOn(server, { way, binary }), (runtime) => does(runtime, pane))
          const exit = yield* Effect.exit(Effect.timeout(call, "30 seconds"))

          yield* until(() => !isRunning(pid))
          assert.include(allowed(during, way), failureOf(exit))
        }).pipe(Effect.scoped))
    }
  })
}
