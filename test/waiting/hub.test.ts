import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import type { RuntimeError } from "../../src/RuntimeError.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import * as Waiting from "../../src/Waiting.ts"
import * as Watched from "../fixtures/Watched.ts"

const start = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

/** Lets what was forked or woken go on as far as it can without time passing. */
const settle = TestClock.adjust(0)

/** A hub stays a moment after its last waiter. */
const grace = TestClock.adjust("2 seconds")

const never = (watched: Watched.Watched, more: { readonly after?: never } | object = {}) =>
  TerminalRuntime.use((runtime) => runtime.waitOutput(watched.pane, { pattern: "never", timeout: "1 hour", ...more }))

describe("looks", () => {
  it.effect("are one for each change, however many wait and whatever for", () => {
    const watched = Watched.make({ height: 10 })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      watched.print(...Array.from({ length: 30 }, (_, n) => `line ${n}`))
      const { mark } = yield* runtime.capture(watched.pane)
      watched.print("more")
      const { mark: later } = yield* runtime.capture(watched.pane)
      const patterns = Array.from({ length: 500 }, (_, n) => n % 2 === 0 ? `none ${n};` : new RegExp(`^none ${n};$`))
      const fibers = yield* Effect.forEach(patterns, (pattern, n) =>
        start(runtime.waitOutput(watched.pane, {
          pattern,
          timeout: "1 hour",
          after: n % 3 === 0 ? mark : n % 3 === 1 ? later : undefined
        })))
      yield* TestClock.adjust("1 second")
      const before = watched.state.captures
      for (let n = 0; n < 7; n++) {
        watched.print(`change ${n}`)
        yield* TestClock.adjust("1 second")
      }
      const looks = watched.state.captures - before
      watched.print("none 42;", "none 77;")
      yield* settle
      const ended = fibers.flatMap((fiber, n) => fiber.pollUnsafe() === undefined ? [] : [n])

      assert.strictEqual(looks, 7)
      assert.deepStrictEqual(ended, [42, 77])
      yield* Fiber.interruptAll(fibers)
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("case 194: do not happen while nothing changes, in 200 waits of all kinds", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const timeout = "3 hours"
      const fibers = yield* Effect.forEach(Array.from({ length: 50 }), () =>
        Effect.forEach([
          runtime.waitOutput(watched.pane, { pattern: "never", timeout }),
          runtime.waitAgent(watched.pane, { states: ["blocked"], timeout }),
          runtime.waitStable(watched.pane, { quiet: "90 minutes", timeout }),
          runtime.waitLifecycle({ condition: "pane-exited", target: watched.pane, timeout })
        ], (wait: Effect.Effect<unknown, RuntimeError>) => start(Effect.exit(wait))))
      yield* TestClock.adjust("1 second")
      const { captures, finds, inventories } = watched.state
      yield* TestClock.adjust("1 hour")

      assert.deepInclude(watched.state, { captures, finds, inventories })
      yield* Fiber.interruptAll(fibers.flat())
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("come at once at the first change, every 50 ms while changes stream in, and after the last one", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const fiber = yield* start(never(watched))
      yield* TestClock.adjust("1 second")
      const before = watched.state.captures
      watched.print("a")
      yield* settle
      const leading = watched.state.captures - before
      for (let n = 0; n < 200; n++) {
        watched.print(`line ${n}`)
        yield* TestClock.adjust("1 millis")
      }
      const streaming = watched.state.captures - before
      yield* TestClock.adjust("50 millis")
      const trailing = watched.state.captures - before
      yield* TestClock.adjust("10 seconds")

      assert.strictEqual(leading, 1)
      assert.strictEqual(streaming, 5)
      assert.strictEqual(trailing, 5)
      assert.strictEqual(watched.state.captures - before, 5)
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("see the last change although it came right after a look", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const fiber = yield* start(runtime.waitOutput(watched.pane, { pattern: "last", timeout: "1 minute" }))
      watched.print("first")
      yield* settle
      watched.print("last")
      yield* settle
      const early = fiber.pollUnsafe()
      yield* TestClock.adjust("50 millis")

      assert.isUndefined(early)
      assert.strictEqual((yield* Fiber.join(fiber)).line, "last")
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("see the last change although it came during a look", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const fiber = yield* start(runtime.waitOutput(watched.pane, { pattern: "last", timeout: "1 minute" }))
      watched.state.beforeCapture = Effect.sleep("10 millis")
      watched.state.afterCapture = () => {
        watched.state.afterCapture = () => {}
        watched.print("last")
      }
      watched.print("first")
      yield* TestClock.adjust("1 second")

      assert.strictEqual((yield* Fiber.join(fiber)).line, "last")
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("of a new wait do not wait for the pause between looks", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const other = yield* start(never(watched))
      watched.print("a")
      yield* settle
      watched.print("here")
      const hit = yield* runtime.waitOutput(watched.pane, { pattern: "here", timeout: "10 millis" })

      assert.strictEqual(hit.line, "here")
      yield* Fiber.interrupt(other)
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("of waits that follow each other are made at the first change of each", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      for (let n = 0; n < 20; n++) {
        const fiber = yield* start(runtime.waitOutput(watched.pane, { pattern: `<${n}>`, timeout: "1 minute" }))
        watched.print(`<${n}>`)

        assert.strictEqual((yield* Fiber.join(fiber)).line, `<${n}>`)
      }
      assert.isAtMost(watched.state.captures, 40)
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("miss nothing that is printed while the wait registers or looks", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const going = yield* Deferred.make<void>()
      watched.state.beforeCapture = Deferred.await(going)
      const fiber = yield* start(runtime.waitOutput(watched.pane, { pattern: "x", timeout: "1 minute" }))
      watched.state.beforeCapture = Effect.void
      yield* Deferred.succeed(going, undefined)
      watched.print("x")

      assert.strictEqual((yield* Fiber.join(fiber)).text, "x")
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("that fail reach all who wait, and nobody who comes later", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const fibers = yield* Effect.forEach(
        Array.from({ length: 20 }),
        () => start(Effect.flip(runtime.waitOutput(watched.pane, { pattern: "x", timeout: "1 minute" })))
      )
      watched.state.fault = Watched.broken
      watched.wake()
      for (const fiber of fibers) assert.strictEqual((yield* Fiber.join(fiber))._tag, "NativeFailure")

      watched.state.fault = undefined
      watched.print("x")
      const hit = yield* runtime.waitOutput(watched.pane, { pattern: "x", timeout: "1 minute" })

      assert.strictEqual(hit.text, "x")
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("with a defect end the waits with it, and no other", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const fiber = yield* start(Effect.exit(never(watched)))
      watched.state.beforeCapture = Effect.die("adapter")
      watched.wake()
      const exit = yield* Fiber.join(fiber)
      watched.state.beforeCapture = Effect.void
      watched.print("x")

      assert.isTrue(Exit.isFailure(exit) && Exit.hasDies(exit))
      assert.strictEqual((yield* runtime.waitOutput(watched.pane, { pattern: "x", timeout: "1 minute" })).text, "x")
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("are counted, and so are the waits under way", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const read = Effect.map(Metric.snapshot, (all) => {
        const of = (id: string) =>
          all.find((metric) => metric.id === id && metric.attributes?.["runtime"] === "watched")?.state
        return { looks: of("paneway_looks_total"), waiters: of("paneway_waiters") }
      })
      const fibers = yield* Effect.forEach([1, 2, 3], () => start(never(watched)))
      const there = yield* start(runtime.waitLifecycle({
        condition: "pane-exited",
        target: watched.pane,
        timeout: "1 minute"
      }))
      const during = yield* read
      yield* Fiber.interruptAll([...fibers, there])
      const after = yield* read

      assert.deepInclude(during.looks, { count: 4 })
      assert.deepInclude(during.waiters, { value: 4 })
      assert.deepInclude(after.waiters, { value: 0 })
    }).pipe(Effect.provide(watched.layer), Effect.provideService(Metric.MetricRegistry, new Map()))
  })
})

describe("the registration", () => {
  it.effect("is one for all who wait, and ends a moment after the last one", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const fibers = yield* Effect.forEach(Array.from({ length: 10 }), () => start(never(watched)))
      const during = watched.watchers()
      yield* Fiber.interruptAll(fibers.slice(1))
      yield* grace
      const one = watched.watchers()
      yield* Fiber.interruptAll(fibers)
      yield* grace

      assert.deepStrictEqual([during, one, watched.watchers()], [1, 1, 0])
      assert.strictEqual(watched.state.registrations, 1)
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("serves waits that follow each other", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      watched.print("x")
      for (let n = 0; n < 20; n++) {
        yield* runtime.waitOutput(watched.pane, { pattern: "x", timeout: "1 second" })
        yield* TestClock.adjust("100 millis")
      }
      const registrations = watched.state.registrations
      yield* grace

      assert.strictEqual(registrations, 1)
      assert.strictEqual(watched.watchers(), 0)
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("that was lost while nobody waited is made again by the next wait", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      watched.print("x")
      yield* runtime.waitOutput(watched.pane, { pattern: "x", timeout: "1 second" })
      watched.lose()
      yield* settle
      const fiber = yield* start(runtime.waitOutput(watched.pane, { pattern: "y", timeout: "1 second" }))
      const watchers = watched.watchers()
      watched.print("y")

      assert.deepStrictEqual([watchers, watched.state.registrations], [1, 2])
      assert.strictEqual((yield* Fiber.join(fiber)).text, "y")
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("case 104: nothing is left of 500 waits that were interrupted or ran out of time", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      for (let n = 0; n < 250; n++) {
        const fiber = yield* start(never(watched))
        if (n % 10 === 0) watched.print(`line ${n}`)
        yield* Fiber.interrupt(fiber)
        const timed = yield* start(
          Effect.exit(runtime.waitOutput(watched.pane, { pattern: "never", timeout: "10 millis" }))
        )
        yield* TestClock.adjust("10 millis")
        yield* Fiber.join(timed)
      }
      yield* grace
      const { captures, finds } = watched.state
      watched.print("nobody looks")
      yield* TestClock.adjust("1 minute")

      assert.strictEqual(watched.watchers(), 0)
      assert.deepInclude(watched.state, { captures, finds })
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("ends with its runtime, and so do the waits", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(watched.layer, scope)
      const fiber = yield* Effect.forkChild(Effect.provide(Effect.exit(never(watched)), context), {
        startImmediately: true
      })
      yield* Scope.close(scope, Exit.void)
      const exit = yield* Fiber.join(fiber)
      const late = yield* Effect.exit(Effect.provide(never(watched), context))

      assert.isTrue(Exit.hasInterrupts(exit))
      assert.isTrue(Exit.hasInterrupts(late))
      assert.strictEqual(watched.watchers(), 0)
    })
  })

  it.effect("case 103: a look that hangs ends with the last wait, within its limit", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      let ended = 0
      watched.state.beforeCapture = Effect.onInterrupt(Effect.never, () => Effect.sync(() => ended += 1))
      const short = yield* start(
        Effect.flip(runtime.waitOutput(watched.pane, { pattern: "x", timeout: "1 second" }))
      )
      const long = yield* start(Effect.flip(runtime.waitOutput(watched.pane, { pattern: "x", timeout: "2 seconds" })))
      yield* TestClock.adjust("1 second")
      const error = yield* Fiber.join(short)
      const stillHangs = ended
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(long)

      assert.deepInclude(error, { _tag: "WaitTimeout", lastSeen: { _tag: "Nothing" } })
      assert.deepStrictEqual([stillHangs, ended], [0, 1])

      watched.state.beforeCapture = Effect.void
      watched.print("x")
      assert.strictEqual((yield* runtime.waitOutput(watched.pane, { pattern: "x", timeout: "1 second" })).text, "x")
    }).pipe(Effect.provide(watched.layer))
  })
})

describe("polling", () => {
  it.effect("begins when the source of wake-ups is lost, and ends when it is there again", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const fiber = yield* start(runtime.waitOutput(watched.pane, { pattern: "x", timeout: "1 hour" }))
      yield* TestClock.adjust("1 second")
      watched.state.deaf = true
      watched.lose()
      const before = watched.state.captures
      yield* TestClock.adjust("3 seconds")
      const polled = watched.state.captures - before
      const tries = watched.state.registrations - 1
      watched.state.deaf = false
      yield* TestClock.adjust("1 second")
      const watching = watched.watchers()
      const quiet = watched.state.captures
      yield* TestClock.adjust("1 minute")

      assert.isAtLeast(polled, 6)
      assert.isAtMost(polled, 12)
      assert.isAtLeast(tries, 6)
      assert.strictEqual(watching, 1)
      assert.strictEqual(watched.state.captures, quiet)
      watched.print("x")
      assert.strictEqual((yield* Fiber.join(fiber)).text, "x")
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("sees what came while nothing woke, when it registers again", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const fiber = yield* start(runtime.waitOutput(watched.pane, { pattern: "x", timeout: "1 hour" })).pipe(
        Effect.provideService(Waiting.PollSchedule, Schedule.spaced("10 seconds"))
      )
      watched.lose()
      yield* TestClock.adjust("5 seconds")
      watched.print("x")
      yield* TestClock.adjust("4 seconds")
      const early = fiber.pollUnsafe()
      yield* TestClock.adjust("1 second")

      assert.isUndefined(early)
      assert.strictEqual((yield* Fiber.join(fiber)).text, "x")
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("is what a registration that fails falls back to", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      watched.state.deaf = true
      const fiber = yield* start(runtime.waitOutput(watched.pane, { pattern: "x", timeout: "1 hour" }))
      watched.print("x")
      yield* TestClock.adjust("50 millis")

      assert.strictEqual((yield* Fiber.join(fiber)).text, "x")
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("looks once at a time for all who wait", () => {
    const watched = Watched.make({ without: ["watch"] })
    return Effect.gen(function*() {
      const one = yield* start(never(watched))
      yield* TestClock.adjust("10 seconds")
      const single = watched.state.captures
      const more = yield* Effect.forEach(Array.from({ length: 99 }), () => start(never(watched)))
      yield* TestClock.adjust("5 seconds")
      const joined = watched.state.captures
      yield* TestClock.adjust("10 seconds")

      assert.isAtMost(single, 25)
      assert.isAtMost(watched.state.captures - joined, 21)
      yield* Fiber.interruptAll([one, ...more])
      const last = watched.state.captures
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(watched.state.captures, last)
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("follows the schedule that the caller provides; one that ends asks for no more looks", () => {
    const watched = Watched.make({ without: ["watch"] })
    return Effect.gen(function*() {
      const fiber = yield* start(Effect.flip(
        TerminalRuntime.use((runtime) => runtime.waitOutput(watched.pane, { pattern: "x", timeout: "1 minute" })).pipe(
          Effect.provideService(
            Waiting.PollSchedule,
            Schedule.spaced("2 seconds").pipe(Schedule.upTo({ times: 3 }))
          )
        )
      ))
      yield* TestClock.adjust("59 seconds")
      const looks = watched.state.captures
      const early = fiber.pollUnsafe()
      yield* TestClock.adjust("1 second")

      assert.strictEqual(looks, 4)
      assert.isUndefined(early)
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "WaitTimeout")
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("case 118: a schedule without pauses is no hot loop", () => {
    const watched = Watched.make({ without: ["watch"] })
    return Effect.gen(function*() {
      const fiber = yield* start(
        never(watched).pipe(Effect.provideService(Waiting.PollSchedule, Schedule.forever))
      )
      yield* TestClock.adjust("1 second")

      assert.isAtMost(watched.state.captures, 21)
      assert.isAtLeast(watched.state.captures, 19)
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("is added to wake-ups by a safety schedule, and by none unless it is provided", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const fiber = yield* start(
        never(watched).pipe(Effect.provideService(Waiting.SafetySchedule, Schedule.spaced("5 seconds")))
      )
      yield* TestClock.adjust("21 seconds")

      assert.strictEqual(watched.state.captures, 5)
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("21 seconds")
      assert.strictEqual(watched.state.captures, 5)
    }).pipe(Effect.provide(watched.layer))
  })
})
