import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import * as Scripted from "../../layers/Scripted.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"

const open = Effect.gen(function*() {
  const runtime = yield* TerminalRuntime
  const script = yield* Scripted.Script
  const { handle: pane } = yield* runtime.spawn({})
  yield* script.clearLog
  return { runtime, script, pane }
})

/** While the clock goes on. */
const inTime = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(effect, { startImmediately: true })
    yield* TestClock.adjust("1 minute")
    return yield* Fiber.join(fiber)
  })

const lines = (entries: ReadonlyArray<Scripted.Entry>) => entries.map((entry) => entry.toString())
const rows = Effect.fnUntraced(function*() {
  const runtime = yield* TerminalRuntime
  const [pane] = yield* runtime.listPanes()
  return pane === undefined ? [] : (yield* runtime.capture(pane.handle)).rows
})

for (const delivery of ["guarded", "stepwise"] as const) {
  for (const profile of ["plain-pane", "agent-aware"] as const) {
    const layer = Scripted.layer({ delivery, profile })
    const submitted = profile === "plain-pane"
      ? ["p1 typed \"true\"", "p1 pressed Enter"]
      : ["p1 prompted \"true\""]

    describe(`Scripted, ${delivery}, ${profile}`, () => {
      it.effect("ACE-41 unavailable before the first byte: the send may be repeated, and nothing was written", () =>
        Effect.gen(function*() {
          const { pane, runtime, script } = yield* open
          yield* script.fault({ _tag: "Down" })

          const error = yield* Effect.flip(runtime.sendCommand(pane, "true"))
          assert.deepInclude(error, { _tag: "RuntimeUnavailable", reason: "lost", retryable: true })
          assert.deepStrictEqual(yield* script.log, [])

          yield* script.heal()
          yield* runtime.sendCommand(pane, "true")
          assert.deepStrictEqual(lines(yield* script.log), submitted)
        }).pipe(Effect.provide(layer)))

      it.effect("ACE-41 unavailable after some bytes: the send is in doubt", () =>
        Effect.gen(function*() {
          const { pane, runtime, script } = yield* open
          yield* script.fault({ _tag: "Down", after: 2 })

          const error = yield* Effect.flip(runtime.sendCommand(pane, "true"))
          assert.deepInclude(error, { _tag: "SendStalled", reason: "connection-lost", retryable: false })
          assert.deepStrictEqual(lines(yield* script.log), ["p1 typed \"tr\""])
          assert.strictEqual((yield* Effect.flip(runtime.listPanes()))._tag, "RuntimeUnavailable")
        }).pipe(Effect.provide(layer)))

      it.effect("ACE-41 a stall after the submit is in doubt, and there was exactly one submit", () =>
        Effect.gen(function*() {
          const { pane, runtime, script } = yield* open
          yield* script.fault({ _tag: "Stall", after: "submit" }, pane)

          const error = yield* inTime(Effect.flip(runtime.sendCommand(pane, "true")))
          assert.deepInclude(error, { _tag: "SendStalled", retryable: false })
          assert.deepStrictEqual(lines(yield* script.log), submitted)
        }).pipe(Effect.provide(layer)))

      it.effect("ACE-41 a target that is missed is not found, and nothing was written", () =>
        Effect.gen(function*() {
          const { pane, runtime, script } = yield* open
          yield* script.fault({ _tag: "Missing" }, pane)

          const error = yield* Effect.flip(runtime.sendCommand(pane, "true"))
          const [probe] = yield* runtime.probe([pane])
          assert.deepInclude(error, { _tag: "TargetNotFound", reason: "absent" })
          assert.strictEqual(probe?.liveness, "gone")
          assert.deepStrictEqual(yield* script.log, [])
        }).pipe(Effect.provide(layer)))

      it.effect("a submit whose answer breaks off is in doubt, whether it arrived or not", () =>
        Effect.gen(function*() {
          const { pane, runtime, script } = yield* open
          for (const arrives of [true, false]) {
            yield* script.clearLog
            yield* script.fault({ _tag: "HalfEnter", arrives }, pane)
            const error = yield* Effect.flip(runtime.sendCommand(pane, "true"))

            assert.strictEqual(error._tag, "SendStalled")
            assert.deepStrictEqual(lines(yield* script.log), submitted)
            assert.strictEqual(yield* script.typing(pane), arrives || profile === "agent-aware" ? "" : "true")
          }
        }).pipe(Effect.provide(layer)))

      it.effect("a write whose answer is lost is in doubt although it arrived", () =>
        Effect.gen(function*() {
          const { pane, runtime, script } = yield* open
          yield* script.fault({ _tag: "AnswerLost" }, pane)

          const error = yield* Effect.flip(runtime.sendText(pane, "x", { profile: "plain-pane" }))
          assert.deepInclude(error, { _tag: "SendStalled", reason: "connection-lost" })
          assert.strictEqual(yield* script.typing(pane), "x")
        }).pipe(Effect.provide(layer)))
    })
  }
}

describe("Scripted", () => {
  it.effect("a stall cuts a text at a count that the report states, and refuses later sends until it is healed", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      yield* script.fault({ _tag: "Stall", after: 3 }, pane)

      const error = yield* inTime(Effect.flip(runtime.sendText(pane, "abcdef")))
      assert(error._tag === "SendStalled")
      assert.deepStrictEqual(error.report.bytes, { accepted: 3, total: 6 })
      assert.strictEqual(yield* script.typing(pane), "abc")
      assert.deepInclude(yield* Effect.flip(runtime.sendText(pane, "x")), { _tag: "SendRejected", code: "draining" })

      yield* script.heal(pane)
      yield* runtime.sendText(pane, "def")
      assert.strictEqual(yield* script.typing(pane), "abcdef")

      yield* script.fault({ _tag: "Stall", after: 2 }, pane)
      const again = yield* inTime(Effect.flip(runtime.sendText(pane, "ghi")))
      assert.strictEqual(again._tag, "SendStalled")
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("a stall in a later step counts what the steps before it wrote", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      yield* script.fault({ _tag: "Stall", after: 4 }, pane)

      const error = yield* inTime(Effect.flip(runtime.send(pane, { items: [{ message: "abc" }, { message: "def" }] })))
      assert(error._tag === "SendStalled")
      assert.deepStrictEqual(error.report.bytes, { accepted: 4, total: 6 })
      assert.deepStrictEqual(lines(yield* script.log), ["p1 typed \"abc\"", "p1 typed \"d\""])
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("a stall before the first byte leaves a send that may be repeated", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      yield* script.fault({ _tag: "Stall", after: 0 }, pane)

      const error = yield* inTime(Effect.flip(runtime.sendText(pane, "abc")))
      assert.deepInclude(error, { _tag: "SendFailed", retryable: true })
      assert.deepStrictEqual(yield* script.log, [])
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("lost characters and keys are sent and never arrive", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      yield* script.fault({ _tag: "Lose", characters: 2, keys: 1 }, pane)

      const report = yield* runtime.sendCommand(pane, "abcd")
      assert.strictEqual(report.outcome, "admitted")
      assert.deepStrictEqual(lines(yield* script.log), ["p1 typed \"abcd\"", "p1 pressed Enter"])
      assert.strictEqual(yield* script.typing(pane), "cd")

      yield* runtime.sendKeys(pane, ["C-u"])
      yield* runtime.sendCommand(pane, "echo ab")
      assert.deepStrictEqual(yield* rows(), ["$ echo ab", "ab", "$"])
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("what is reordered arrives after what follows it", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      yield* script.fault({ _tag: "Reorder" }, pane)

      yield* runtime.sendCommand(pane, "echo late")
      assert.deepStrictEqual(yield* rows(), ["$", "$ echo late"])
      assert.strictEqual(yield* script.typing(pane), "echo late")
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("what is slow takes its time by the clock", () =>
    Effect.gen(function*() {
      const { runtime, script } = yield* open
      yield* script.fault({ _tag: "Slow", by: "10 seconds" })

      const fiber = yield* Effect.forkChild(runtime.listPanes(), { startImmediately: true })
      yield* TestClock.adjust("9 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.lengthOf(yield* Fiber.join(fiber), 1)
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("a fault of one pane counts before that of all", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      yield* script.fault({ _tag: "Slow", by: "1 hour" })
      yield* script.fault({ _tag: "Slow", by: "1 second" }, pane)

      const fiber = yield* Effect.forkChild(runtime.capture(pane), { startImmediately: true })
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual((yield* Fiber.join(fiber)).rows, ["$"])
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("an opening whose answer is lost says that something may have been made", () =>
    Effect.gen(function*() {
      const { runtime, script } = yield* open
      yield* script.fault({ _tag: "AnswerLost" })

      const error = yield* Effect.flip(runtime.spawn({}))
      assert.deepInclude(error, { _tag: "SpawnFailed", reason: "lost", created: "indeterminate" })
      assert.lengthOf(yield* runtime.listPanes(), 2)
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("TRN-38 what the test makes a pane refuse is refused, and leaves an empty log", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      const refused = Effect.map(
        Effect.flip(runtime.sendText(pane, "x")),
        (error) => error._tag === "SendRejected" ? error.code : error._tag
      )

      yield* script.change(pane, { inputOff: true })
      assert.strictEqual(yield* refused, "input-off")
      yield* script.change(pane, { inputOff: false, synchronized: true })
      assert.strictEqual(yield* refused, "synchronized")
      yield* script.change(pane, { synchronized: false })
      yield* script.end(pane, { code: 4 })
      assert.strictEqual(yield* refused, "pane-dead")
      assert.deepStrictEqual(yield* script.log, [])
      assert.deepStrictEqual((yield* runtime.describe(pane)).exit, { code: 4 })
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("a mode is left before the text, once", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      yield* script.change(pane, { mode: "copy" })

      const report = yield* runtime.sendText(pane, "x")
      assert.deepStrictEqual(report.warnings, ["mode-left"])
      assert.deepStrictEqual(lines(yield* script.log), ["p1 left its mode", "p1 typed \"x\""])
    }).pipe(Effect.provide(Scripted.layer())))
})
