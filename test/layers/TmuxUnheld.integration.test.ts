import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Tmux from "../../layers/Tmux.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { without } from "../fixtures/programs.ts"
import { runningServer } from "../fixtures/tmuxServers.ts"

describe("a program in tmux where there is no perl", () => {
  it.live("runs, is named, and has its exit code and its signal", () =>
    Effect.gen(function*() {
      const server = yield* runningServer
      const [, bin] = yield* without("perl")
      const layer = Layer.fresh(Tmux.layer({ server: { path: server.path }, env: server.env, session: "work" }))
      yield* Effect.gen(function*() {
        const runtime = yield* TerminalRuntime
        const ended = Effect.fnUntraced(function*(script: string) {
          const { handle } = yield* runtime.spawn({ program: { argv: ["sh", "-c", script] }, env: { PATH: bin } })
          yield* runtime.waitLifecycle({ condition: "pane-exited", target: handle, timeout: "30 seconds" })
          return yield* runtime.describe(handle)
        })
        assert.deepStrictEqual((yield* ended("exit 5")).exit, { code: 5 })
        assert.deepStrictEqual((yield* ended("kill -TERM $$")).exit, { signal: "SIGTERM" })
        const { handle } = yield* runtime.spawn({ program: { argv: ["cat"] }, env: { PATH: bin } })
        yield* runtime.sendCommand(handle, "typed")
        yield* runtime.waitOutput(handle, { pattern: "typed", timeout: "30 seconds" })
        assert.strictEqual((yield* runtime.describe(handle)).command, "cat")
      }).pipe(Effect.provide(layer))
    }).pipe(Effect.scoped))
})
