import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import * as Watched from "../fixtures/Watched.ts"

const start = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

const settle = TestClock.adjust(0)

/** What all who watch answer: whether one of them needs to look, and how many have looked since. */
const overflow = (watched: Watched.Watched, text: string | undefined, row = 0) => {
  let looked = 0
  const needed = watched.overflow({ row, text }, () => looked += 1)
  return { needed, looked: () => looked }
}

const wait = (watched: Watched.Watched, pattern: string | RegExp) =>
  TerminalRuntime.use((runtime) => start(runtime.waitOutput(watched.pane, { pattern, timeout: "1 minute" })))

describe("output that may be forgotten soon", () => {
  it.effect("is looked at without a pause, and who holds it back is told", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const fiber = yield* wait(watched, "never")
      watched.print("a")
      yield* settle
      watched.print("b")
      yield* settle
      const before = watched.state.captures
      const held = overflow(watched, undefined)
      const early = held.looked()
      yield* settle

      assert.deepStrictEqual([held.needed, early, held.looked()], [true, 0, 1])
      assert.strictEqual(watched.state.captures, before + 1)
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("is needed where a line of it may match, and by nobody who waits for something else", () => {
    const watched = Watched.make({ without: ["agent"] })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const fibers = yield* Effect.forEach(["some text", /^KEY \d+$/, /not(?!\s)/], (pattern) => wait(watched, pattern))
      const still = yield* start(runtime.waitStable(watched.pane, { quiet: "20 seconds", timeout: "1 minute" }))
      const asked = [
        "a\r\nb\r\n",
        "some\r\ntext\r\n",
        "with some text in it\r\n",
        "a\r\nKEY 12  \r\nb\r\n",
        "a KEY 12\r\n",
        "is it not\r\n",
        undefined
      ].map((text) => overflow(watched, text).needed)

      assert.deepStrictEqual(asked, [false, false, true, true, false, true, true])
      yield* Fiber.interruptAll(fibers)
      assert.isFalse(overflow(watched, undefined).needed)
      yield* Fiber.interrupt(still)
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("is held back for nobody who has left", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const fiber = yield* wait(watched, "never")
      watched.state.beforeCapture = Effect.never
      const held = overflow(watched, undefined)
      yield* settle
      const early = held.looked()
      yield* Fiber.interrupt(fiber)

      assert.deepStrictEqual([early, held.looked()], [0, 1])
      assert.isFalse(overflow(watched, undefined).needed)
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("is waited for by a look that begins after it", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const fiber = yield* wait(watched, "never")
      watched.state.beforeCapture = Effect.sleep("10 millis")
      watched.wake()
      yield* settle
      const held = overflow(watched, undefined)
      yield* TestClock.adjust("10 millis")
      const early = held.looked()
      yield* TestClock.adjust("10 millis")

      assert.deepStrictEqual([early, held.looked()], [0, 1])
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(watched.layer))
  })
})

describe("rows that were forgotten", () => {
  const many = Array.from({ length: 100 }, (_, n) => `line ${n}`)

  it.effect("before a wait saw them are told by its failure and by its match", () => {
    const watched = Watched.make({ height: 5 })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      watched.print("$")
      const { mark } = yield* runtime.capture(watched.pane)
      const waits = yield* Effect.forEach(
        ["never", "line 99", /^never/],
        (pattern) =>
          Effect.forEach(
            [mark, undefined],
            (after) =>
              start(Effect.flip(Effect.flip(runtime.waitOutput(watched.pane, { pattern, timeout: "1 minute", after }))))
          )
      )
      yield* TestClock.adjust("1 second")
      watched.print("KEY", ...many.slice(0, 50))
      watched.trim(40)
      watched.print(...many.slice(50))
      yield* TestClock.adjust("1 minute")
      const lost = yield* Effect.forEach(waits.flat(), (fiber) =>
        Effect.match(Fiber.join(fiber), {
          onFailure: (error) => error._tag === "WaitTimeout" && error.rowsLost,
          onSuccess: ({ rowsLost }) => rowsLost
        }))

      assert.deepStrictEqual(lost, [true, true, true, true, true, true])
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("after they were seen are none, nor are those that were said to hold nothing", () => {
    const watched = Watched.make({ height: 5 })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      watched.print("$")
      const { mark } = yield* runtime.capture(watched.pane)
      const waits = yield* Effect.forEach(
        ["never", "line 99"],
        (pattern) =>
          Effect.forEach(
            [mark, undefined],
            (after) => start(runtime.waitOutput(watched.pane, { pattern, timeout: "1 minute", after }))
          )
      )
      yield* TestClock.adjust("1 second")
      watched.print(...many.slice(0, 50))
      yield* TestClock.adjust("1 second")
      watched.trim(40)
      watched.print(...many.slice(50, 90))
      const { needed } = overflow(watched, many.slice(50, 90).join("\r\n"), 91)
      watched.trim(45)
      watched.print(...many.slice(90))
      yield* TestClock.adjust("1 minute")
      const lost = yield* Effect.forEach(waits.flat(), (fiber) =>
        Effect.match(Fiber.join(fiber), {
          onFailure: (error) => error._tag === "WaitTimeout" && error.rowsLost === undefined,
          onSuccess: ({ rowsLost }) => !rowsLost
        }))

      assert.isFalse(needed)
      assert.deepStrictEqual(lost, [true, true, true, true])
    }).pipe(Effect.provide(watched.layer))
  })
})
