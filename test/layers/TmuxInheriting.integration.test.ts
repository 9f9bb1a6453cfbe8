import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Tmux from "../../layers/Tmux.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { emptyServer } from "../fixtures/tmuxServers.ts"

const patience = "30 seconds"

describe("a pane of tmux", () => {
  for (const way of ["control", "forked"] as const) {
    it.live(`case 158: gets no variable that is denied, of a server that was started here or before (${way})`, () =>
      Effect.gen(function*() {
        const server = yield* emptyServer
        const env = { ...server.env, LANE_TOKEN: "hunter2", LANE_NAME: "one", PLAIN: "yes" }
        const on = (more: Tmux.Options) =>
          Layer.fresh(Tmux.layer({ server: { path: server.path }, env, session: "work", way, ...more }))
        const names = (own: Readonly<Record<string, string>>) =>
          Effect.gen(function*() {
            const runtime = yield* TerminalRuntime
            const script = "env | sed -n 's/^\\([A-Z_]*\\)=.*/<\\1>/p'; echo end; exec sleep 1000"
            const { handle } = yield* runtime.spawn({ program: { argv: ["sh", "-c", script] }, env: own })
            yield* runtime.waitOutput(handle, { pattern: /^end$/, timeout: patience })
            return (yield* runtime.capture(handle, { range: "full" })).rows.join("")
          })
        const deny = { deny: ["LANE*"], allow: ["LANE_NAME"] }
        const started = yield* Effect.provide(names({}), on({ inherit: deny }))
        const known = server.tmux("show-environment", "-g")
        server.tmux("set-environment", "-g", "LANE_TOKEN", "of somebody else")
        const later = yield* Effect.provide(names({}), on({ inherit: deny }))
        const own = yield* Effect.provide(names({ LANE_TOKEN: "its own" }), on({ inherit: deny }))
        const all = yield* Effect.provide(names({}), on({}))

        assert.include(known, "PLAIN=yes")
        assert.include(known, "LANE_NAME=one")
        assert.notInclude(known, "hunter2")
        for (const shown of [started, later]) {
          assert.include(shown, "<PLAIN>")
          assert.include(shown, "<LANE_NAME>")
          assert.notInclude(shown, "<LANE_TOKEN>")
        }
        for (const shown of [own, all]) assert.include(shown, "<LANE_TOKEN>")
      }).pipe(Effect.scoped))
  }
})
