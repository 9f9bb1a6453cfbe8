import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Tmux from "../../layers/Tmux.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { emptyServer, runningServer } from "../fixtures/tmuxServers.ts"

const patience = "30 seconds"
const unset = new Set(["LANG", "LC_ALL", "LC_CTYPE", "TERM"])

for (const way of ["control", "forked"] as const) {
  describe(`where neither a locale nor a terminal is set (${way})`, () => {
    it.live("names and texts of tmux are what they are, also on a server that is started so, from inside another one", () =>
      Effect.gen(function*() {
        const outer = yield* runningServer
        const server = yield* emptyServer
        const plain = Object.fromEntries(Object.entries(server.env).filter(([name]) => !unset.has(name)))
        const env = { ...plain, TMUX: `${outer.path},1,0`, TMUX_PANE: "%0" }
        yield* Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          const { handle, session } = yield* runtime.spawn({
            program: { argv: ["cat"] },
            title: "é漢",
            session: "wörk"
          })
          yield* runtime.sendCommand(handle, "naïve 漢字")
          yield* runtime.waitOutput(handle, { pattern: /^naïve 漢字$/, timeout: patience })
          const window = yield* runtime.ensureWindow({ name: "fenêtre", root: "/", session: "wörk" })
          const again = yield* runtime.ensureWindow({ name: "fenêtre", root: "/", session: "wörk" })

          assert.strictEqual(session, "wörk")
          assert.strictEqual((yield* runtime.describe(handle)).title, "é漢")
          assert.strictEqual(again.handle.id, window.handle.id)
          assert.isFalse((yield* runtime.context).inRuntime)
        }).pipe(Effect.provide(Layer.fresh(Tmux.layer({ server: { path: server.path }, env, way }))))
        assert.strictEqual(outer.tmux("list-panes", "-a", "-F", "#{pane_id}"), "%0\n")
      }).pipe(Effect.scoped))
  })
}

describe("a thousand panes of tmux", () => {
  it.live("are opened and closed in batches, and leave nothing", () =>
    Effect.gen(function*() {
      const server = yield* runningServer
      const before = server.tmux("list-panes", "-a", "-F", "#{pane_id}")
      yield* Effect.gen(function*() {
        const runtime = yield* TerminalRuntime
        const ids = new Set<string>()
        for (let batch = 0; batch < 10; batch++) {
          const made = yield* Effect.forEach(
            Array.from({ length: 100 }),
            () => runtime.spawn({ program: { argv: ["cat"] } }),
            { concurrency: 8 }
          )
          for (const { handle } of made) ids.add(handle.id)
          assert.lengthOf(yield* runtime.listPanes({ session: "keeper" }), 101)
          const closed = yield* Effect.forEach(made, ({ handle }) => runtime.closePane(handle), { concurrency: 8 })
          assert.isTrue(closed.every((one) => one === "closed"))
        }
        assert.strictEqual(ids.size, 1000)
      }).pipe(
        Effect.provide(Layer.fresh(Tmux.layer({ server: { path: server.path }, env: server.env, session: "keeper" })))
      )
      assert.strictEqual(server.tmux("list-panes", "-a", "-F", "#{pane_id}"), before)
    }).pipe(Effect.scoped), 300_000)
})
