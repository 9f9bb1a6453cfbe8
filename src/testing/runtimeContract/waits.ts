/**
 * Waits for output and for rest: deadlines, ends, and how many looks they cost.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type { TargetError } from "../../Contract.ts"
import { type InvalidRequest, RuntimeError, type Unsupported } from "../../RuntimeError.ts"
import type { Timeout } from "../../Waiting.ts"
import { silent } from "./faults.ts"
import { failureOf, printed, type Test } from "./world.ts"

/**
 * @internal
 */
export const waits = (test: Test): void => {
  test(
    "timeouts",
    "zero is one look, which sees what is there",
    Effect.fnUntraced(
      function*({ openReady, programs, runtime }) {
        const { handle } = yield* openReady(programs.printing("here\r\n"))
        yield* runtime.waitOutput(handle, { pattern: "here", timeout: Duration.zero })
        const error = yield* failureOf(runtime.waitOutput(handle, { pattern: "absent", timeout: Duration.zero }))
        assert.deepInclude(error, { _tag: "WaitTimeout", retryable: true })
      }
    )
  )

  test(
    "timeouts",
    "negative and unreadable times and bare numbers are refused, an endless one is not",
    Effect.fnUntraced(
      function*({ openReady, programs, runtime }) {
        const { handle } = yield* openReady(programs.printing("here\r\n"))
        // as callers without types give them
        const untyped: ReadonlyArray<Timeout> = JSON.parse("[5, \"soon\", null, [1, 2]]")
        for (const timeout of ["-1 seconds" as const, Duration.millis(-5), { seconds: Number.NaN }, ...untyped]) {
          const error = yield* failureOf(runtime.waitOutput(handle, { pattern: "here", timeout }))
          assert.deepInclude(error, { _tag: "InvalidRequest", field: "timeout" }, JSON.stringify(timeout))
        }
        yield* runtime.waitOutput(handle, { pattern: "here", timeout: Duration.infinity })
      }
    )
  )

  test(
    "timeouts",
    "an empty pattern is refused",
    Effect.fnUntraced(function*({ open, programs, runtime }) {
      const { handle } = yield* open(programs.echo)
      const error = yield* failureOf(runtime.waitOutput(handle, { pattern: "", timeout: "1 second" }))
      assert.deepInclude(error, { _tag: "InvalidRequest", field: "pattern" })
    })
  )

  test(
    "wait-timeout",
    "a wait ends by its deadline and says what it saw last",
    Effect.fnUntraced(
      function*({ openReady, programs, runtime }) {
        const { handle } = yield* openReady(programs.printing("here\r\n"))
        const error = yield* failureOf(runtime.waitOutput(handle, { pattern: "absent", timeout: "1 second" }))
        assert(error._tag === "WaitTimeout")
        assert.strictEqual(Duration.toMillis(error.timeout), 1000)
        assert(error.lastSeen._tag === "Screen")
        assert.include(error.lastSeen.screen.text, "here")
      }
    )
  )

  test(
    "wait-timeout",
    "a look that gets no answer does not keep a wait past its deadline",
    Effect.fnUntraced(
      function*({ openReady, programs, recorder, runtime }) {
        const { handle } = yield* openReady(programs.printing("here\r\n"))
        const error = yield* failureOf(runtime.waitOutput(handle, { pattern: "absent", timeout: "300 millis" })).pipe(
          recorder.during(silent("capture", "inventory", "find")),
          Effect.timeout("10 seconds")
        )
        assert.strictEqual(error._tag, "WaitTimeout")
      }
    )
  )

  test(
    "pane-ended",
    "a wait whose pane ends fails at once with the exit",
    Effect.fnUntraced(
      function*({ patience, openReady, programs, runtime }) {
        const { handle } = yield* openReady(programs.ending("ready\n", 4), { onExit: "hold" })
        const error = yield* failureOf(runtime.waitOutput(handle, { pattern: "absent", timeout: Duration.infinity }))
          .pipe(
            Effect.timeout(patience)
          )
        assert.deepInclude(error, { _tag: "PaneEnded", exit: { code: 4 } })
      }
    ),
    { needs: ["exitStatus"] }
  )

  test(
    "pane-ended",
    "a wait whose pane is closed fails at once",
    Effect.fnUntraced(
      function*({ patience, openReady, programs, runtime }) {
        const { handle } = yield* openReady(programs.echo)
        const waiting = yield* Effect.forkChild(
          failureOf(runtime.waitOutput(handle, { pattern: "absent", timeout: Duration.infinity })),
          { startImmediately: true }
        )
        yield* runtime.closePane(handle)
        const error = yield* Effect.timeout(Fiber.join(waiting), patience)
        assert.include(["PaneEnded", "TargetNotFound"], error._tag)
      }
    )
  )

  test(
    "pane-ended",
    "text that is printed right before the end still matches",
    Effect.fnUntraced(
      function*({ line, programs, runtime }) {
        for (let round = 0; round < 5; round++) {
          const { handle } = yield* runtime.spawn({ program: programs.ending("the last word", 0), onExit: "hold" })
          yield* line(handle, "the last word")
        }
      }
    )
  )

  test(
    "register-first",
    "many who wait each see their line, whatever comes between",
    Effect.fnUntraced(
      function*({ line, openShell, recorder, runtime }) {
        const { handle } = yield* openShell()
        // as many as the screen shows: where rows are not counted, what scrolled away was not seen
        const items = 15
        const waiting = yield* Effect.forEach(
          Array.from({ length: 60 }, (_, index) => index % items),
          (index) => Effect.forkChild(line(handle, printed(`item ${index}`)), { startImmediately: true })
        )
        yield* runtime.sendCommand(
          handle,
          `printf 'item %s\\n' ${Array.from({ length: items }, (_, index) => index).join(" ")}`
        )
        const matches = yield* Fiber.joinAll(waiting)

        assert.deepStrictEqual(
          matches.map(({ text }) => text.replace(/^[$#%>] /, "")),
          Array.from({ length: 60 }, (_, index) => `item ${index % items}`)
        )
        // the registration outlives the last wait for a moment, and there is one however many waited
        assert.isAtMost(recorder.watching(), 1)
      }
    )
  )

  test(
    "register-first",
    "what is printed while a wait registers is seen",
    Effect.fnUntraced(
      function*({ open, patience, programs, recorder, runtime }) {
        // nobody waited on it before, so that nothing is registered
        const { handle } = yield* open(programs.echo)
        const until = (done: Effect.Effect<boolean, TargetError | InvalidRequest | Unsupported>) =>
          Effect.timeout(
            Effect.repeat(done, { until: (is) => is, schedule: Schedule.spaced("10 millis") }),
            patience
          )
        const shows = (row: string, times: number) =>
          Effect.map(runtime.capture(handle), ({ rows }) => rows.filter((one) => one === row).length >= times)
        yield* until(shows("ready", 1))
        const printed = yield* Deferred.make<void>()
        recorder.clear()
        const waiting = yield* Effect.forkChild(
          runtime.waitOutput(handle, { pattern: /^go$/, timeout: patience }).pipe(
            recorder.during(({ watch }) =>
              watch === undefined
                ? {}
                : { watch: (pane, on) => Effect.andThen(Deferred.await(printed), watch(pane, on)) }
            )
          ),
          { startImmediately: true }
        )
        // it registers now, or looks where nothing wakes
        yield* until(Effect.sync(() => recorder.calls.length > 0))
        yield* runtime.sendCommand(handle, "go", { profile: "plain-pane" })
        yield* until(shows("go", 2))
        yield* Deferred.succeed(printed, undefined)
        yield* Fiber.join(waiting)
      }
    )
  )

  test(
    "register-first",
    "each change of a pane that was quiet is noticed, as long as somebody waits",
    Effect.fnUntraced(
      function*({ line, openReady, programs, recorder, runtime, until }) {
        const { handle } = yield* openReady(programs.echo)
        const words = runtime.capabilities.wakeUps === "native" ? 30 : 5
        const looked = () =>
          recorder.calls.some(({ primitive, state }) => primitive === "capture" && state === "succeeded")
        const last = yield* Effect.forkChild(line(handle, new RegExp(`^word ${words}$`)), { startImmediately: true })
        for (let word = 1; word <= words; word++) {
          recorder.clear()
          const waiting = yield* Effect.forkChild(line(handle, new RegExp(`^word ${word}$`)), {
            startImmediately: true
          })
          // its first look comes too early: what follows has to be told
          yield* until(Effect.sync(looked))
          yield* runtime.sendCommand(handle, `word ${word}`, { profile: "plain-pane" })
          yield* Fiber.join(waiting)
        }
        yield* Fiber.join(last)
      }
    )
  )

  test(
    "shared-looks",
    "a hundred who wait on one pane share its looks",
    Effect.fnUntraced(
      function*({ line, openReady, programs, recorder, runtime }) {
        const { handle } = yield* openReady(programs.echo)
        const waiting = yield* Effect.forEach(
          Array.from({ length: 100 }, (_, index) => index),
          () => Effect.forkChild(line(handle, /^go$/), { startImmediately: true })
        )
        yield* line(handle, "ready")
        recorder.clear()
        yield* runtime.sendCommand(handle, "go", { profile: "plain-pane" })
        yield* Fiber.joinAll(waiting)
        const captures = recorder.calls.filter(({ primitive }) => primitive === "capture").length
        // one or two for each time that the screen changed
        assert.isAtMost(captures, 8)
      }
    )
  )

  test(
    "stillness",
    "a screen that does not change is still, with its rows",
    Effect.fnUntraced(
      function*({ openReady, patience, programs, runtime }) {
        const { handle } = yield* openReady(programs.printing("still\r\n"))
        const screen = yield* runtime.waitStable(handle, { quiet: "150 millis", timeout: patience })
        assert.include(screen.text, "still")
      }
    )
  )

  test(
    "stillness",
    "a screen is still only when it has not changed for that time",
    Effect.fnUntraced(
      function*({ openShell, patience, runtime }) {
        const { handle } = yield* openShell()
        const begin = "printf '%s\\n' fi''rst; sleep 0.2; printf '%s\\n' sec''ond; sleep 0.2; printf '%s\\n' th''ird"
        const { mark } = yield* runtime.sendCommand(handle, begin, { profile: "plain-pane" })
        const screen = yield* runtime.waitStable(handle, { after: mark, quiet: "1 second", timeout: patience })
        assert.include(screen.rows.map((row) => row.trim()), "third")
      }
    )
  )

  test(
    "untrusted-output",
    "what a failure shows of the screen has no control sequence and is bounded",
    Effect.fnUntraced(
      function*({ openReady, programs, recorder, runtime }) {
        const { handle } = yield* openReady(programs.printing(`\u001b[31mred\u001b[0m ${"x".repeat(3000)}\r\n`))
        const error = yield* failureOf(runtime.waitOutput(handle, { pattern: "absent", timeout: "1 second" })).pipe(
          // whatever an adapter lets through
          recorder.during(({ capture }) => ({
            capture: (pane, how) =>
              Effect.map(
                capture(pane, how),
                (screen) => ({ ...screen, rows: screen.rows.map((row) => `\u001b[31m${row}\u0007`) })
              )
          }))
        )
        assert.strictEqual(error._tag, "WaitTimeout")
        const json = JSON.stringify(yield* Schema.encodeEffect(Schema.toCodecJson(RuntimeError))(error))
        assert.notInclude(json, "\\u001b")
        assert.notInclude(json, "\\u0007")
        assert.include(json, "ready")
        assert.isBelow(json.length, 6000)
      }
    )
  )
}
