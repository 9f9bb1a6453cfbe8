import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Tmux from "../../layers/Tmux.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { runningServer } from "../fixtures/tmuxServers.ts"

const sleeps = { program: { argv: ["sleep", "1000"] } } as const

for (const way of ["control", "forked"] as const) {
  describe(`the size of a pane in tmux (${way})`, () => {
    it.live("is what was asked for, also where a border has a row of the window", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        server.tmux("set-option", "-g", "pane-border-status", "top")
        yield* Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          const { handle } = yield* runtime.spawn(sleeps)
          for (const size of [{ columns: 100, rows: 30 }, { columns: 61, rows: 17 }]) {
            yield* runtime.resize(handle, size)
            const { columns, rows } = yield* runtime.describe(handle)
            assert.deepStrictEqual({ columns, rows }, size)
          }
        }).pipe(Effect.provide(Layer.fresh(Tmux.layer({ server: { path: server.path }, env: server.env, way }))))
      }).pipe(Effect.scoped))

    it.live("stays what it was where the panes beside it leave no room", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        yield* Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          const { handle, window } = yield* runtime.spawn(sleeps)
          yield* runtime.spawn({ ...sleeps, placement: { split: window } })
          const before = yield* runtime.describe(handle)
          const error = yield* Effect.flip(runtime.resize(handle, { columns: 500, rows: 30 }))
          const after = yield* runtime.describe(handle)

          assert.deepInclude(error, { _tag: "NativeFailure", operation: "resize" })
          assert.deepStrictEqual([after.columns, after.rows], [before.columns, before.rows])
        }).pipe(Effect.provide(Layer.fresh(Tmux.layer({ server: { path: server.path }, env: server.env, way }))))
      }).pipe(Effect.scoped))
  })
}
