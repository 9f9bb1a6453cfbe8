import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import type { Service, WaitError } from "../../src/Contract.ts"
import type { PaneEnded, WaitTimeout } from "../../src/RuntimeError.ts"
import * as RuntimeError from "../../src/RuntimeError.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import type { Timeout } from "../../src/Waiting.ts"
import * as Memory from "../fixtures/Memory.ts"
import * as Watched from "../fixtures/Watched.ts"

const start = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

/** Lets what was forked or woken go on as far as it can without time passing. */
const settle = TestClock.adjust(0)

/** How any wait fails. */
const failure = (wait: Effect.Effect<unknown, RuntimeError.RuntimeError>) => Effect.flip(Effect.asVoid(wait))

const screenOf = (error: WaitTimeout | PaneEnded) => {
  assert(error.lastSeen._tag === "Screen")
  return error.lastSeen.screen
}

describe("waitOutput", () => {
  it.effect("wakes up on output and looks only then", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      const wait = runtime.waitOutput(pane, { pattern: /do(ne)/g, timeout: "10 seconds" })
      const fiber = yield* start(wait)

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
      const fiber = yield* start(wait)

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

      assert(error._tag === "WaitTimeout")
      assert.deepStrictEqual(screenOf(error).rows, ["ready", "$"])
      assert.strictEqual(Duration.toMillis(error.timeout), 10_000)
      assert.strictEqual(error.waitedFor, "/never/")
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
      const pattern = /done/gy
      yield* script.print(pane, "all done")

      yield* runtime.waitOutput(pane, { pattern, timeout: "1 second" })
      const again = yield* runtime.waitOutput(pane, { pattern, timeout: "1 second" })

      assert.strictEqual(again.text, "done")
      assert.strictEqual(pattern.lastIndex, 0)
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("case 97: without a mark what is on the screen matches, what has scrolled off it does not", () => {
    const watched = Watched.make({ height: 3 })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      watched.print("OLD", "a", "b", "SHOWN")
      const { mark } = yield* runtime.capture(watched.pane)

      const shown = yield* runtime.waitOutput(watched.pane, { pattern: "SHOWN", timeout: "0 seconds" })
      const old = yield* Effect.flip(runtime.waitOutput(watched.pane, { pattern: "OLD", timeout: "0 seconds" }))
      const later = yield* Effect.flip(
        runtime.waitOutput(watched.pane, { pattern: "SHOWN", timeout: "0 seconds", after: mark })
      )

      assert.strictEqual(shown.line, "SHOWN")
      assert.strictEqual(old._tag, "WaitTimeout")
      assert.strictEqual(later._tag, "WaitTimeout")
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("case 98, case 101: what is printed and scrolls off between two looks still matches", () => {
    const watched = Watched.make({ height: 5 })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      watched.print("$ make")
      const plain = yield* start(runtime.waitOutput(watched.pane, { pattern: /^TARGET/, timeout: "1 minute" }))
      const { mark } = yield* runtime.capture(watched.pane)
      const marked = yield* start(
        runtime.waitOutput(watched.pane, { pattern: "TARGET", timeout: "1 minute", after: mark })
      )

      watched.print("TARGET", ...Array.from({ length: 50 }, (_, n) => `line ${n}`), "$ ")

      assert.strictEqual((yield* Fiber.join(plain)).line, "TARGET")
      assert.strictEqual((yield* Fiber.join(marked)).line, "TARGET")
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("goes on through thousands of lines with small looks, and sees each of them", () => {
    const watched = Watched.make({ height: 10 })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { mark } = yield* runtime.capture(watched.pane)
      const fiber = yield* start(
        runtime.waitOutput(watched.pane, { pattern: /^END (\d+)$/, timeout: "1 minute", after: mark })
      )
      for (let n = 0; n < 10; n++) {
        watched.print(...Array.from({ length: 500 }, (_, row) => `line ${n * 500 + row}`))
        yield* TestClock.adjust("50 millis")
      }
      watched.print("END 7", "$ ")
      yield* TestClock.adjust("1 second")
      const hit = yield* Fiber.join(fiber)

      assert.deepStrictEqual(hit.groups, ["7"])
      assert.isFalse(hit.markLost)
      // a costly look is followed by a longer pause
      assert.isBelow(watched.state.captures, 11)
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("looks at little more than what is new", () => {
    const watched = Watched.make({ height: 10 })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { mark } = yield* runtime.capture(watched.pane)
      const fibers = yield* Effect.forEach(
        [mark, undefined],
        (after) => start(runtime.waitOutput(watched.pane, { pattern: "END", timeout: "1 hour", after }))
      )
      for (let n = 0; n < 100; n++) {
        watched.print(...Array.from({ length: 20 }, (_, row) => `line ${n * 20 + row}`))
        yield* TestClock.adjust("1 second")
      }
      watched.print("END")
      const hits = yield* Effect.forEach(fibers, Fiber.join)

      for (const { line, markLost, screen } of hits) {
        assert.deepStrictEqual([line, markLost], ["END", false])
        assert.isBelow(screen.rows.length, 250)
      }
      assert.isBelow(watched.state.captures, 110)
    }).pipe(Effect.provide(watched.layer))
  })

  for (const joins of [false, true]) {
    it.effect(`case 94: a pattern split by a line wrap matches at every column (${joins ? "joined" : "flagged"})`, () =>
      Effect.gen(function*() {
        for (const columns of [5, 17, 20, 26, 40]) {
          for (const offset of [0, 1, 12, 17, columns - 1, columns]) {
            const watched = Watched.make({ columns, joins })
            const hit = yield* Effect.gen(function*() {
              const runtime = yield* TerminalRuntime
              const { mark } = yield* runtime.capture(watched.pane)
              const fiber = yield* start(
                runtime.waitOutput(watched.pane, { pattern: /DONE-MARK$/, timeout: "1 second", after: mark })
              )
              watched.print(`${"x".repeat(offset)}DONE-MARK`, "$ ")
              return yield* Fiber.join(fiber)
            }).pipe(Effect.provide(watched.layer))

            assert.strictEqual(hit.line, `${"x".repeat(offset)}DONE-MARK`)
          }
        }
      }))
  }

  it.effect("case 113: a no-break space is a blank, and blanks at the end of a row are none", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      watched.print("line one  ", "busy\u00a0marker   ", "  ")

      const hit = yield* runtime.waitOutput(watched.pane, { pattern: /^busy marker$/, timeout: "0 seconds" })
      const { rows } = yield* runtime.capture(watched.pane, { range: "visible" })

      assert.strictEqual(hit.line, "busy marker")
      assert.deepStrictEqual(rows, ["line one", "busy marker", ""])
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("says when its mark was lost, and looks at everything then", () => {
    const watched = Watched.make({ height: 3 })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      watched.print("a", "b")
      const { mark } = yield* runtime.capture(watched.pane)
      const fiber = yield* start(
        runtime.waitOutput(watched.pane, { pattern: "NEW", timeout: "1 minute", after: mark })
      )
      watched.clear()
      yield* settle
      const early = fiber.pollUnsafe()
      yield* TestClock.adjust("1 second")
      watched.print("x", "NEW", "1", "2", "3", "4")
      const hit = yield* Fiber.join(fiber)

      assert.isUndefined(early)
      assert.isTrue(hit.markLost)
      assert.strictEqual(hit.line, "NEW")
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("case 109: without a mark it follows the program to the alternate screen and back", () => {
    const watched = Watched.make({ height: 3 })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      watched.print("1", "2", "3", "4")
      const inside = yield* start(runtime.waitOutput(watched.pane, { pattern: "menu", timeout: "1 minute" }))
      const outside = yield* start(runtime.waitOutput(watched.pane, { pattern: "after", timeout: "1 minute" }))

      watched.alternate(["top", "menu"])
      const menu = yield* Fiber.join(inside)
      yield* TestClock.adjust("1 second")
      watched.alternate(undefined)
      yield* TestClock.adjust("1 second")
      watched.print("after", "5", "6", "7")
      const after = yield* Fiber.join(outside)

      assert.isTrue(menu.screen.alternate)
      assert.strictEqual(after.line, "after")
      assert.isFalse(after.markLost)
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("goes on where it was when the program leaves the alternate screen", () => {
    const watched = Watched.make({ height: 3 })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      watched.print("1", "2", "3", "4")
      const fiber = yield* start(runtime.waitOutput(watched.pane, { pattern: "after", timeout: "1 minute" }))
      const { mark } = yield* runtime.capture(watched.pane)
      const marked = yield* start(
        runtime.waitOutput(watched.pane, { pattern: "after", timeout: "1 minute", after: mark })
      )
      watched.print("5")
      yield* TestClock.adjust("1 second")
      watched.alternate(["menu"])
      yield* TestClock.adjust("1 second")
      watched.alternate(["other menu"])
      yield* TestClock.adjust("1 second")
      watched.alternate(undefined)
      watched.print("after", "6", "7", "8", "9")
      yield* TestClock.adjust("1 second")

      assert.deepInclude(fiber.pollUnsafe(), { _tag: "Success" })
      assert.deepInclude(marked.pollUnsafe(), { _tag: "Success" })
      yield* Fiber.interruptAll([fiber, marked])
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("looks at the whole screen when the program has gone back above the mark", () => {
    const watched = Watched.make({ height: 10 })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      watched.print("1", "2", "3", "$")
      const { mark } = yield* runtime.capture(watched.pane)
      const fiber = yield* start(
        runtime.waitOutput(watched.pane, { pattern: "KEY", timeout: "1 minute", after: mark })
      )
      yield* TestClock.adjust("1 second")
      watched.overwrite(1, "KEY")
      yield* TestClock.adjust("1 second")
      const exit = fiber.pollUnsafe()
      yield* Fiber.interrupt(fiber)

      assert.isTrue(exit?._tag === "Success" && exit.value.markLost)
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("finds its place by the lines before it where rows are not counted", () => {
    const watched = Watched.make({ counted: false, height: 3 })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      watched.print("DONE", "ready", "$")
      const { mark } = yield* runtime.capture(watched.pane)
      const fiber = yield* start(
        runtime.waitOutput(watched.pane, { pattern: "DONE", timeout: "1 minute", after: mark })
      )
      yield* TestClock.adjust("1 second")
      const early = fiber.pollUnsafe()
      watched.print("1", "DONE", "2", "3", "4")
      const hit = yield* Fiber.join(fiber)

      assert.isUndefined(early)
      assert.isFalse(hit.markLost)
      assert.strictEqual(hit.line, "DONE")
    }).pipe(Effect.provide(watched.layer))
  })
})

describe("a wait whose pane ends", () => {
  it.effect("fails at once and says what was last seen", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      yield* script.print(pane, "bye")
      const wait = runtime.waitOutput(pane, { pattern: "never", timeout: "1 minute" })
      const fiber = yield* start(Effect.flip(wait))

      yield* script.wakeThenClose(pane)
      const error = yield* Fiber.join(fiber)

      assert(error._tag === "PaneEnded")
      assert.deepStrictEqual(screenOf(error).rows, ["bye", "$"])
      assert.isUndefined(error.exit)
      assert.strictEqual(RuntimeError.exitCode(error), 4)
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("fails with the exit of a pane that is kept, each kind of wait", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      watched.print("bye")
      const waits: ReadonlyArray<Effect.Effect<unknown, RuntimeError.RuntimeError>> = [
        runtime.waitOutput(watched.pane, { pattern: "never", timeout: "1 minute" }),
        runtime.waitStable(watched.pane, { quiet: "20 seconds", timeout: "1 minute" }),
        runtime.waitAgent(watched.pane, { states: ["working"], timeout: "1 minute" })
      ]
      const fibers = yield* Effect.forEach(waits, (wait) => start(failure(wait)))
      yield* settle

      watched.exit({ code: 3 })

      for (const fiber of fibers) {
        assert.deepInclude(yield* Fiber.join(fiber), { _tag: "PaneEnded", exit: { code: 3 } })
      }
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("finds text that was printed right before the end", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const fiber = yield* start(runtime.waitOutput(watched.pane, { pattern: "DONE", timeout: "1 minute" }))
      watched.print("working")
      yield* settle

      // the look at this change is still held back when the process ends
      watched.print("DONE")
      watched.exit()
      yield* TestClock.adjust("50 millis")

      assert.strictEqual((yield* Fiber.join(fiber)).line, "DONE")
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("and that ended before it began is told so after one more look", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      watched.print("DONE")
      watched.exit({ code: 7 })

      const hit = yield* runtime.waitOutput(watched.pane, { pattern: "DONE", timeout: "1 minute" })
      const error = yield* Effect.flip(runtime.waitOutput(watched.pane, { pattern: "never", timeout: "1 minute" }))

      assert.strictEqual(hit.line, "DONE")
      assert.deepInclude(error, { _tag: "PaneEnded", exit: { code: 7 } })
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("and that was never there is not found", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const absent = Watched.handleOf("p9")

      const error = yield* Effect.flip(runtime.waitOutput(absent, { pattern: "x", timeout: "1 minute" }))

      assert.deepInclude(error, { _tag: "TargetNotFound", reason: "absent" })
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("keeps at most 1200 bytes of the screen, without escapes and without secrets", () => {
    const watched = Watched.make({ height: 60, columns: 200 })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      watched.print(...Array.from({ length: 50 }, (_, n) => `row ${n} ${"é".repeat(60)}`))
      watched.print("\u001b[31mred\u001b[0m API_KEY=hunter2hunter2")

      const error = yield* Effect.flip(runtime.waitOutput(watched.pane, { pattern: "never", timeout: "0 seconds" }))

      assert(error._tag === "WaitTimeout")
      const { text, truncated } = screenOf(error)
      assert.isAtMost(Buffer.byteLength(text), 1200)
      assert.isTrue(truncated)
      assert.include(text, "red API_KEY=")
      assert.notInclude(text, "hunter2")
      assert.notInclude(text, "\u001b")
      assert.notInclude(text, "row 3 ")
    }).pipe(Effect.provide(watched.layer))
  })
})

describe("arguments", () => {
  type Wait = Effect.Effect<unknown, RuntimeError.RuntimeError>
  const waits = (
    runtime: Service,
    pane: Watched.Watched["pane"],
    timeout: Timeout
  ): Readonly<Record<"waitOutput" | "waitStable" | "waitAgent" | "waitLifecycle" | "run", Wait>> => ({
    waitOutput: runtime.waitOutput(pane, { pattern: "x", timeout }),
    waitStable: runtime.waitStable(pane, { quiet: "1 second", timeout }),
    waitAgent: runtime.waitAgent(pane, { states: ["working"], timeout }),
    waitLifecycle: runtime.waitLifecycle({ condition: "pane-exited", target: pane, timeout }),
    run: runtime.run(pane, { command: "x", timeout })
  })

  // @ts-expect-error a bare number is not a duration
  const bare: Timeout = 5
  // @ts-expect-error nor is a pair of numbers
  const pair: Timeout = [5, 0]
  // @ts-expect-error nor a bigint
  const big: Timeout = 5n

  it.effect("case 118: a limit that is negative, not a number or without a unit is refused by each wait", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const refused: ReadonlyArray<Timeout> = [
        "-1 seconds",
        "-Infinity",
        Duration.negativeInfinity,
        { seconds: -1 },
        { seconds: Number.NaN },
        "NaN seconds" as Timeout,
        "soon" as Timeout,
        Number.NaN as unknown as Timeout,
        0 as unknown as Timeout,
        bare,
        pair,
        big
      ]
      for (const timeout of refused) {
        for (const [operation, wait] of Object.entries(waits(runtime, watched.pane, timeout))) {
          const error = yield* failure(wait)

          assert.deepInclude(error, { _tag: "InvalidRequest", operation, field: "timeout" })
        }
      }
      const quiet = yield* Effect.flip(
        runtime.waitStable(watched.pane, { quiet: "-1 seconds", timeout: "1 second" })
      )
      const endless = yield* Effect.flip(
        runtime.waitStable(watched.pane, { quiet: Duration.infinity, timeout: "1 second" })
      )

      assert.deepInclude(quiet, { _tag: "InvalidRequest", field: "quiet" })
      assert.deepInclude(endless, { _tag: "InvalidRequest", field: "quiet" })
      assert.deepInclude(watched.state, { captures: 0, inventories: 0, finds: 0, registrations: 0 })
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("case 118: zero is one look", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { waitAgent, waitLifecycle, waitOutput, waitStable } = waits(runtime, watched.pane, "0 seconds")

      for (const wait of [waitOutput, waitStable, waitAgent]) {
        watched.state.captures = 0
        const error = yield* failure(wait)

        assert.deepInclude(error, { _tag: "WaitTimeout" })
        assert.strictEqual(watched.state.captures, 1)
      }
      assert.strictEqual((yield* failure(waitLifecycle))._tag, "WaitTimeout")
      assert.strictEqual(watched.state.inventories, 1)
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("case 118: an infinite limit waits as long as it takes, without looking", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const fiber = yield* start(runtime.waitOutput(watched.pane, { pattern: "x", timeout: Duration.infinity }))
      const word = yield* start(runtime.waitOutput(watched.pane, { pattern: "x", timeout: "Infinity" }))
      yield* TestClock.adjust("30 days")
      const looks = watched.state.captures
      watched.print("x")

      assert.strictEqual(looks, 2)
      assert.strictEqual((yield* Fiber.join(fiber)).text, "x")
      assert.strictEqual((yield* Fiber.join(word)).text, "x")
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("case 119: an empty pattern is refused before anything is asked", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      for (const pattern of ["", /(?:)/, new RegExp(""), /x?/, /^/gm]) {
        const error: WaitError = yield* Effect.flip(runtime.waitOutput(watched.pane, { pattern, timeout: "1 second" }))

        assert.deepInclude(error, { _tag: "InvalidRequest", operation: "waitOutput", field: "pattern" })
      }
      const states = yield* Effect.flip(
        runtime.waitAgent(watched.pane, { states: [] as unknown as ["idle"], timeout: "1 second" })
      )

      assert.deepInclude(states, { _tag: "InvalidRequest", field: "states" })
      assert.deepInclude(watched.state, { captures: 0, inventories: 0, finds: 0, registrations: 0 })
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("of another server reach no adapter", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const foreign = Watched.foreign
      for (const wait of Object.values(waits(runtime, foreign, "1 second"))) {
        assert.deepInclude(yield* failure(wait), {
          _tag: "TargetNotFound",
          reason: "foreign"
        })
      }
      assert.deepInclude(watched.state, { captures: 0, inventories: 0, finds: 0, registrations: 0 })
    }).pipe(Effect.provide(watched.layer))
  })
})
