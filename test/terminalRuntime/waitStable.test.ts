import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import * as Watched from "../fixtures/Watched.ts"

const start = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

describe("waitStable", () => {
  it.effect("ends when nothing changed for the quiet time, with two looks", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      watched.print("prompt")
      const fiber = yield* start(runtime.waitStable(watched.pane, { quiet: "2 seconds", timeout: "1 minute" }))
      yield* TestClock.adjust("1999 millis")
      const early = fiber.pollUnsafe()
      yield* TestClock.adjust("1 millis")
      const screen = yield* Fiber.join(fiber)

      assert.isUndefined(early)
      assert.deepStrictEqual(screen.rows, ["prompt"])
      assert.strictEqual(watched.state.captures, 2)
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("begins anew at each change, and takes a wake-up without one for none", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const fiber = yield* start(runtime.waitStable(watched.pane, { quiet: "1 second", timeout: "1 minute" }))
      for (let n = 0; n < 5; n++) {
        yield* TestClock.adjust("900 millis")
        watched.print(`${n}`)
      }
      yield* TestClock.adjust("900 millis")
      watched.wake()
      const early = fiber.pollUnsafe()
      yield* TestClock.adjust("100 millis")

      assert.isUndefined(early)
      assert.deepStrictEqual((yield* Fiber.join(fiber)).rows, ["0", "1", "2", "3", "4"])
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("case 116: is not taken in by a pause in the middle of a redraw", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      watched.print("old")
      const fiber = yield* start(runtime.waitStable(watched.pane, { quiet: "100 millis", timeout: "1 minute" }))
      yield* TestClock.adjust("50 millis")
      watched.redraw("")
      yield* TestClock.adjust("30 millis")
      watched.redraw("new")
      yield* TestClock.adjust("1 second")

      assert.deepStrictEqual((yield* Fiber.join(fiber)).rows, ["new"])
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("is not taken in by a program that repaints as often as a wait looks", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      watched.print("frame")
      const fiber = yield* start(
        Effect.flip(runtime.waitStable(watched.pane, { quiet: "400 millis", timeout: "10 seconds" }))
      )
      for (let n = 0; n < 200; n++) {
        watched.redraw("")
        yield* TestClock.adjust("45 millis")
        watched.redraw("frame")
        yield* TestClock.adjust("5 millis")
      }

      assert.strictEqual((yield* Fiber.join(fiber))._tag, "WaitTimeout")
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("is not taken in by such a program although other waits have it looked at", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      watched.print("frame")
      const fiber = yield* start(
        Effect.flip(runtime.waitStable(watched.pane, { quiet: "50 millis", timeout: "10 seconds" }))
      )
      for (let n = 0; n < 100; n++) {
        watched.redraw("")
        watched.redraw("frame")
        yield* runtime.waitOutput(watched.pane, { pattern: "frame", timeout: "0 seconds" })
        yield* TestClock.adjust("49 millis")
      }
      const early = fiber.pollUnsafe()
      yield* TestClock.adjust("10 seconds")

      assert.isUndefined(early)
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("sees a change that its own last look finds although nothing woke it", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      watched.print("a")
      const fiber = yield* start(runtime.waitStable(watched.pane, { quiet: "1 second", timeout: "1 minute" }))
      yield* TestClock.adjust("10 millis")
      watched.lose()
      watched.state.deaf = true
      watched.redraw("b")
      yield* TestClock.adjust("5 seconds")

      assert.deepStrictEqual((yield* Fiber.join(fiber)).rows, ["b"])
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("with a mark waits for something after it first, without looking meanwhile", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      watched.print("$ ")
      const { mark } = yield* runtime.capture(watched.pane)
      const fiber = yield* start(
        runtime.waitStable(watched.pane, { quiet: "1 second", timeout: "1 hour", after: mark })
      )
      yield* TestClock.adjust("10 minutes")
      const early = fiber.pollUnsafe()
      const looks = watched.state.captures
      watched.print("answer")
      yield* TestClock.adjust("1 second")

      assert.isUndefined(early)
      assert.strictEqual(looks, 2)
      assert.deepStrictEqual((yield* Fiber.join(fiber)).rows, ["$", "answer"])
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("runs out of time while the screen does not come to rest", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const fiber = yield* start(
        Effect.flip(runtime.waitStable(watched.pane, { quiet: "1 second", timeout: "5 seconds" }))
      )
      for (let n = 0; n < 10; n++) {
        watched.redraw(`frame ${n}`)
        yield* TestClock.adjust("500 millis")
      }
      const error = yield* Fiber.join(fiber)

      assert(error._tag === "WaitTimeout" && error.lastSeen._tag === "Screen")
      assert.deepStrictEqual(error.lastSeen.screen.rows, ["frame 9"])
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("of no quiet time is the first look", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      watched.print("x")

      const screen = yield* runtime.waitStable(watched.pane, { quiet: "0 seconds", timeout: "0 seconds" })

      assert.deepStrictEqual(screen.rows, ["x"])
      assert.strictEqual(watched.state.captures, 1)
    }).pipe(Effect.provide(watched.layer))
  })
})
