import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { existsSync } from "node:fs"
import * as Tmux from "../../layers/Tmux.ts"
import { windowName } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { emptyServer } from "../fixtures/tmuxServers.ts"

const nowhere = Layer.unwrap(
  Effect.map(emptyServer, ({ env, path }) => Layer.fresh(Tmux.layer({ server: { path }, env, session: "work" })))
)

describe("where no tmux server runs", () => {
  it.live("a window that is ensured starts one, and lists are refused until then", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      assert.include(yield* Effect.flip(runtime.listPanes()), { _tag: "RuntimeUnavailable", reason: "not-running" })
      const unprepared = yield* Effect.flip(runtime.preparePane({ window: windowName("build") }))
      assert.include(unprepared, { _tag: "RuntimeUnavailable", reason: "not-running" })
      assert.include(unprepared.message, "ensure a window or spawn a pane")
      const window = yield* runtime.ensureWindow({ name: "build", root: "/" })
      assert.include(window, { session: "work", root: "/" })
      const pane = yield* runtime.preparePane({ window: window.handle })
      assert.strictEqual(pane.window.id, window.handle.id)
      assert.lengthOf(yield* runtime.listPanes(), 1)
    }).pipe(Effect.provide(nowhere)))

  it.live("one that TMUX still names has ended, and is not started for it", () =>
    Effect.gen(function*() {
      const { env, path } = yield* emptyServer
      const layer = Layer.fresh(Tmux.layer({ env: { ...env, TMUX: `${path},1,0` }, session: "work" }))
      const asked = Effect.gen(function*() {
        const runtime = yield* TerminalRuntime
        yield* runtime.ensureWindow({ name: "build", root: "/" })
      })
      const error = yield* Effect.flip(Effect.provide(asked, layer))

      assert.include(error, { _tag: "RuntimeUnavailable", reason: "not-running" })
      assert.include(error.message, "TMUX still names it")
      assert.isFalse(existsSync(path))
    }))
})
