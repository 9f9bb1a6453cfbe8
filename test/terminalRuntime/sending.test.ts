import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import * as RuntimeError from "../../src/RuntimeError.ts"
import * as Memory from "../fixtures/Memory.ts"

describe("a send", () => {
  it.effect("of the wrong shape is rejected before any native call", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open

      const mixed = yield* Effect.flip(runtime.send(pane, { command: "x", items: [{ message: "y" }] }))
      const key = yield* Effect.flip(runtime.sendKeys(pane, ["Entr"]))

      assert.deepInclude(mixed, { _tag: "SendRejected", code: "shape" })
      assert.deepInclude(key, { _tag: "SendRejected", index: 0 })
      assert.deepStrictEqual(script.log, ["open p1"])
      assert.strictEqual(script.captures, 0)
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("is in doubt after the first byte and unavailable before it", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open

      script.writeFault = "half"
      const stalled = yield* Effect.flip(runtime.sendCommand(pane, "x"))
      script.down = true
      const unavailable = yield* Effect.flip(runtime.sendCommand(pane, "x"))
      const [probe] = yield* runtime.probe([pane])

      assert(stalled._tag === "SendStalled")
      assert.deepStrictEqual(stalled.report.mark.at, { row: 0, column: 2, epoch: "0" })
      assert.isFalse(RuntimeError.isRetryable(stalled))
      assert.deepInclude(unavailable, { _tag: "RuntimeUnavailable" })
      assert.isTrue(RuntimeError.isRetryable(unavailable))
      assert.strictEqual(probe?.liveness, "unknown")
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("is in doubt when Enter was not written after its text", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      script.writeFault = "unwritten"

      const error = yield* Effect.flip(runtime.sendCommand(pane, "x"))

      assert.deepInclude(error, { _tag: "SendStalled" })
      assert.deepStrictEqual(script.log, ["open p1", "Type x"])
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("is safe to repeat when its first byte was not written", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      script.writeFault = "unwritten"

      const error = yield* Effect.flip(runtime.sendKeys(pane, ["Enter"]))

      assert.deepInclude(error, { _tag: "SendFailed", stage: "submit" })
      assert.isTrue(RuntimeError.isRetryable(error))
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("is in doubt when the server is lost between the text and Enter", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      script.writeFault = "dies"

      const error = yield* Effect.flip(runtime.sendCommand(pane, "x"))

      assert.strictEqual(error._tag, "SendStalled")
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("that hangs ends at its deadline, in doubt, also when interrupted", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      script.writeFault = "forever"

      const stalled = yield* Effect.forkChild(Effect.flip(runtime.sendCommand(pane, "x")), { startImmediately: true })
      yield* TestClock.adjust("5 seconds")

      assert.strictEqual((yield* Fiber.join(stalled))._tag, "SendStalled")

      const sender = yield* Effect.forkChild(runtime.sendCommand(pane, "x"), { startImmediately: true })
      const interruption = yield* Effect.forkChild(Fiber.interrupt(sender), { startImmediately: true })
      yield* TestClock.adjust("4 seconds")
      const before = interruption.pollUnsafe()
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(interruption)

      assert.isUndefined(before)
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("interrupted in the middle still submits what it typed, once", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      script.writeFault = "hang"
      const begun = yield* Effect.forkChild(runtime.sendCommand(pane, "one"), { startImmediately: true })
      const waitsForLock = yield* Effect.forkChild(runtime.sendCommand(pane, "two"), { startImmediately: true })

      yield* TestClock.adjust("500 millis")
      yield* Fiber.interrupt(waitsForLock)
      const interruption = yield* Effect.forkChild(Fiber.interrupt(begun), { startImmediately: true })
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(interruption)

      assert.deepStrictEqual(script.log, ["open p1", "Type one", "Press Enter"])
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("never interleaves with another", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      script.writeFault = "hang"
      const senders = Effect.all([runtime.sendCommand(pane, "a"), runtime.sendCommand(pane, "b")], { concurrency: 2 })

      const fiber = yield* Effect.forkChild(senders)
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(fiber)

      assert.deepStrictEqual(script.log, ["open p1", "Type a", "Press Enter", "Type b", "Press Enter"])
    }).pipe(Effect.provide(Memory.layer())))
})
