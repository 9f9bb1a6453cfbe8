import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Pty from "../../layers/Pty.ts"
import * as Tmux from "../../layers/Tmux.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { until } from "../fixtures/processes.ts"
import { emptyServer, runningServer } from "../fixtures/tmuxServers.ts"

for (const way of ["control", "forked"] as const) {
  describe(`a pane that begins in tmux (${way})`, () => {
    it.live("case 86: starts a server right after another one was ended, twenty times", () =>
      Effect.gen(function*() {
        const server = yield* emptyServer
        const options = { server: { path: server.path }, env: server.env, session: "work", way }
        server.tmux("new-session", "-d", "-s", "keeper", "exec sleep 1000")
        for (let round = 0; round < 20; round++) {
          yield* Effect.gen(function*() {
            const runtime = yield* TerminalRuntime
            server.tmux("kill-server")
            const { handle } = yield* runtime.spawn({ program: { argv: ["cat"] } })
            const [probe] = yield* runtime.probe([handle])
            assert.strictEqual(probe?.liveness, "live")
          }).pipe(Effect.provide(Layer.fresh(Tmux.layer(options))))
        }
      }).pipe(Effect.scoped))

    it.live("case 91: has a size to work in, although the only client of the server is tiny", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        yield* Effect.gen(function*() {
          const terminal = yield* TerminalRuntime
          yield* terminal.spawn({
            program: { argv: ["tmux", "-S", server.path, "-u", "attach-session", "-t", "keeper"] },
            env: server.env,
            size: { columns: 5, rows: 3 }
          })
          yield* until(() => server.tmux("list-clients", "-F", "#{client_width}").trim() === "5")
          yield* Effect.gen(function*() {
            const runtime = yield* TerminalRuntime
            const first = yield* runtime.spawn({ program: { argv: ["cat"] } })
            const second = yield* runtime.ensureWindow({ name: "more", root: "/" })
            const third = yield* runtime.spawn({
              program: { argv: ["cat"] },
              placement: { window: "beside", session: "keeper" }
            })
            const [prepared] = yield* runtime.listPanes({ window: second.handle })
            for (const pane of [yield* runtime.describe(first.handle), prepared, third]) {
              assert.deepInclude(pane, { columns: 90, rows: 30 })
            }
          }).pipe(
            Effect.provide(Layer.fresh(Tmux.layer({
              server: { path: server.path },
              env: server.env,
              session: "work",
              size: { columns: 90, rows: 30 },
              way
            })))
          )
          assert.strictEqual(server.tmux("list-windows", "-t", "keeper:0", "-F", "#{window_width}").split("\n")[0], "5")
        }).pipe(Effect.provide(Pty.layer()))
      }).pipe(Effect.scoped))
  })
}
