import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Tmux from "../../layers/Tmux.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import * as Programs from "../fixtures/tmuxPrograms.ts"
import { runningServer } from "../fixtures/tmuxServers.ts"

for (const way of ["control", "forked"] as const) {
  describe(`a program that takes the place of tmux (${way})`, () => {
    it.live("case 67: is refused where two panes have the same id, and not where one is listed twice", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        const panes = (binary?: string) =>
          TerminalRuntime.use((runtime) => runtime.listPanes()).pipe(
            Effect.provide(Layer.fresh(Tmux.layer({ server: { path: server.path }, env: server.env, way, binary })))
          )
        server.tmux("new-session", "-d", "-s", "linked", "-t", "keeper")
        assert.lengthOf(yield* panes(), 1)
        server.tmux("new-session", "-d", "-s", "other", "exec sleep 1000")
        const clone = yield* Programs.script("tmux \"$@\" | sed -u 's/^%[0-9]* /%0 /'\n")
        const error = yield* Effect.flip(panes(clone))
        assert.deepInclude(error, { _tag: "RuntimeUnavailable", reason: "unsupported-version" })
        assert.include(error.message, "more than one pane %0")
      }).pipe(Effect.scoped))
  })
}
