import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import * as RuntimeError from "../../src/RuntimeError.ts"
import * as Memory from "../fixtures/Memory.ts"

describe("waitOutput", () => {
  it.effect("wakes up on output and looks only then", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      const wait = runtime.waitOutput(pane, { pattern: /do(ne)/g, timeout: "10 seconds" })
      const fiber = yield* Effect.forkChild(wait, { startImmediately: true })

      yield* TestClock.adjust("4 seconds")
      const idle = script.captures
      yield* script.print(pane, "done")
      const hit = yield* Fiber.join(fiber)

      assert.strictEqual(idle, 1)
      assert.strictEqual(script.captures, 2)
      assert.strictEqual(hit.text, "done")
      assert.deepStrictEqual(hit.groups, ["ne"])
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("polls where nothing wakes", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      const wait = runtime.waitOutput(pane, { pattern: "done", timeout: "10 seconds" })
      const fiber = yield* Effect.forkChild(wait, { startImmediately: true })

      yield* TestClock.adjust("1 second")
      yield* script.print(pane, "done")
      const before = fiber.pollUnsafe()
      yield* TestClock.adjust("500 millis")

      assert.isUndefined(before)
      assert.strictEqual((yield* Fiber.join(fiber)).text, "done")
    }).pipe(Effect.provide(Memory.layer({ wakeUps: false }))))

  it.effect("fails with the last screen when the deadline passes", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      yield* script.print(pane, "ready")
      const wait = runtime.waitOutput(pane, { pattern: /never/, timeout: "10 seconds" })
      const fiber = yield* Effect.forkChild(Effect.flip(wait))

      yield* TestClock.adjust("10 seconds")
      const error = yield* Fiber.join(fiber)

      assert(error._tag === "WaitTimeout" && error.lastSeen._tag === "Screen")
      assert.deepStrictEqual(error.lastSeen.screen.rows, ["ready", "$ "])
      assert.strictEqual(RuntimeError.exitCode(error), 8)
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("sees neither old text nor the echo after a mark", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      script.respond = () => "hello"
      yield* script.print(pane, "hello old")

      const answered = yield* runtime.sendCommand(pane, "echo hello")
      const hit = yield* runtime.waitOutput(pane, { pattern: "hello", timeout: "1 second", after: answered.mark })

      assert.strictEqual(hit.line, "hello")

      script.respond = () => ""
      const silent = yield* runtime.sendCommand(pane, "echo hello")
      const wait = runtime.waitOutput(pane, { pattern: "hello", timeout: "1 second", after: silent.mark })
      const fiber = yield* Effect.forkChild(Effect.flip(wait))
      yield* TestClock.adjust("1 second")

      assert.strictEqual((yield* Fiber.join(fiber))._tag, "WaitTimeout")
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("sees no echo after the mark of a send that is in doubt", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      script.writeFault = "half"
      const stalled = yield* Effect.flip(runtime.sendCommand(pane, "echo hello"))
      assert(stalled._tag === "SendStalled")

      const wait = runtime.waitOutput(pane, { pattern: "hello", timeout: "1 second", after: stalled.report.mark })
      const fiber = yield* Effect.forkChild(Effect.flip(wait))
      yield* TestClock.adjust("1 second")

      assert.strictEqual((yield* Fiber.join(fiber))._tag, "WaitTimeout")
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("shares a global regular expression with another wait", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      const pattern = /done/g
      yield* script.print(pane, "done")

      yield* runtime.waitOutput(pane, { pattern, timeout: "1 second" })
      const again = yield* runtime.waitOutput(pane, { pattern, timeout: "1 second" })

      assert.strictEqual(again.text, "done")
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("ends with its pane and says what was last seen", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      yield* script.print(pane, "bye")
      const wait = runtime.waitOutput(pane, { pattern: "never", timeout: "1 minute" })
      const fiber = yield* Effect.forkChild(Effect.flip(wait), { startImmediately: true })

      yield* script.wakeThenClose(pane)
      const error = yield* Fiber.join(fiber)

      assert(error._tag === "PaneEnded" && error.lastSeen._tag === "Screen")
      assert.deepStrictEqual(error.lastSeen.screen.rows, ["bye", "$ "])
      assert.strictEqual(RuntimeError.exitCode(error), 4)
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("refuses an empty pattern and a negative timeout", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open

      const pattern = yield* Effect.flip(runtime.waitOutput(pane, { pattern: "", timeout: "1 second" }))
      const timeout = yield* Effect.flip(runtime.waitOutput(pane, { pattern: "x", timeout: "-1 seconds" }))

      assert.deepInclude(pattern, { _tag: "InvalidRequest", field: "pattern" })
      assert.deepInclude(timeout, { _tag: "InvalidRequest", field: "timeout" })
      assert.strictEqual(script.captures, 0)
    }).pipe(Effect.provide(Memory.layer())))
})
