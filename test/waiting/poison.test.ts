import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import type { Mark } from "../../src/Screen.ts"
import * as Memory from "../fixtures/Memory.ts"

describe("a wait that makes no sense", () => {
  it.effect("is refused, and does not blind the other waits of the pane", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      const wrong: Mark = JSON.parse("{}")
      const bad = yield* Effect.forkChild(
        Effect.flip(runtime.waitOutput(pane, { pattern: "x", timeout: "1 second", after: wrong })),
        { startImmediately: true }
      )
      const agent = yield* Effect.flip(
        runtime.waitAgent(pane, { states: ["done"], timeout: "1 second", after: wrong })
      )
      const good = yield* Effect.forkChild(runtime.waitOutput(pane, { pattern: "here", timeout: "10 seconds" }), {
        startImmediately: true
      })
      yield* TestClock.adjust("1 second")
      yield* script.print(pane, "here")
      yield* TestClock.adjust("1 second")

      assert.deepInclude(yield* Fiber.join(bad), { _tag: "InvalidRequest", field: "after" })
      assert.deepInclude(agent, { _tag: "InvalidRequest", operation: "waitAgent", field: "after" })
      assert.strictEqual((yield* Fiber.join(good)).line, "here")
    }).pipe(Effect.provide(Memory.layer())))
})
