import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import * as Memory from "../fixtures/Memory.ts"

describe("waitAgent", () => {
  it.effect("is not satisfied after a turn by an idle from before it", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      const { mark } = yield* runtime.sendText(pane, "go")
      const stale = yield* runtime.waitAgent(pane, { states: ["idle"], timeout: "1 second" })
      const wait = runtime.waitAgent(pane, { states: ["idle", "done"], timeout: "1 minute", after: mark })
      const fiber = yield* Effect.forkChild(wait, { startImmediately: true })

      yield* TestClock.adjust("1 second")
      const before = fiber.pollUnsafe()
      yield* script.agent(pane, "working")
      yield* TestClock.adjust("1 second")
      yield* script.agent(pane, "done")

      assert.strictEqual(stale.state, "idle")
      assert.isUndefined(before)
      assert.strictEqual((yield* Fiber.join(fiber)).state, "done")
    }).pipe(Effect.provide(Memory.layer({ profile: "agent-aware" }))))

  it.effect("is not satisfied by the old idle after a send that is in doubt", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      script.writeFault = "half"
      const stalled = yield* Effect.flip(runtime.sendCommand(pane, "go"))
      assert(stalled._tag === "SendStalled")

      const wait = runtime.waitAgent(pane, { states: ["idle"], timeout: "1 second", after: stalled.report.mark })
      const fiber = yield* Effect.forkChild(Effect.flip(wait), { startImmediately: true })
      yield* TestClock.adjust("1 second")
      const error = yield* Fiber.join(fiber)

      assert(error._tag === "WaitTimeout" && error.lastSeen._tag === "Agent")
      assert.strictEqual(error.lastSeen.observation.state, "idle")
    }).pipe(Effect.provide(Memory.layer())))
})
