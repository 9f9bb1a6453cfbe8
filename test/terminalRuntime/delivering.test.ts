import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import * as Guarded from "../fixtures/Guarded.ts"

const resolved = Effect.gen(function*() {
  const runtime = yield* TerminalRuntime
  const { handle: pane } = yield* runtime.resolve("%1")
  return { runtime, pane }
})

describe("an adapter that delivers", () => {
  it.effect("is asked for checks, mark, text and Enter in one native call", () => {
    const server = Guarded.server()
    return Effect.gen(function*() {
      const { pane, runtime } = yield* resolved
      server.lines.length = 0

      const report = yield* runtime.sendCommand(pane, "it's; #{x}")

      assert.strictEqual(server.lines.length, 1)
      assert.strictEqual(report.outcome, "admitted")
      assert.deepStrictEqual(report.mark.at, { row: 15, column: 0, epoch: "w80" })
    }).pipe(Effect.provide(Guarded.layer(server)))
  })

  it.effect("leaves a mode and types once, refuses a dead pane with a code, and is in doubt at a wrong answer", () => {
    const server = Guarded.server()
    return Effect.gen(function*() {
      const { pane, runtime } = yield* resolved
      server.lines.length = 0

      server.mode = true
      const report = yield* runtime.sendText(pane, "x")

      assert.strictEqual(server.lines.length, 3)
      assert.deepStrictEqual(report.warnings, ["mode-left"])

      server.dead = true
      assert.deepInclude(yield* Effect.flip(runtime.sendText(pane, "x")), { _tag: "SendRejected", code: "pane-dead" })

      server.answer = () => ["garbage"]
      assert.strictEqual((yield* Effect.flip(runtime.sendText(pane, "x")))._tag, "SendStalled")
    }).pipe(Effect.provide(Guarded.layer(server)))
  })
})
