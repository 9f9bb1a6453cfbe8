import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import { TestClock } from "effect/testing"
import type { Primitives, SendOptions } from "../../src/Contract.ts"
import * as PaneLocks from "../../src/PaneLocks.ts"
import * as RuntimeError from "../../src/RuntimeError.ts"
import type * as Send from "../../src/Send.ts"
import * as TerminalRuntime from "../../src/TerminalRuntime.ts"
import * as Memory from "../fixtures/Memory.ts"
import * as Records from "../fixtures/Records.ts"
import * as Watched from "../fixtures/Watched.ts"

const profiles: ReadonlyArray<Send.SendProfile> = ["plain-pane", "agent-aware"]

interface Refusal {
  readonly request: unknown
  readonly code: RuntimeError.SendRejectedCode
  readonly index?: number
  readonly offset?: number
  readonly on?: Send.SendProfile
}
const m = (message: unknown) => ({ message })
const k = (key: unknown) => ({ key })
const refusals: ReadonlyArray<Refusal> = [
  { request: {}, code: "shape" },
  { request: { items: [] }, code: "shape" },
  { request: { command: "  \n " }, code: "shape" },
  { request: null, code: "shape" },
  { request: { items: "Enter" }, code: "shape" },
  { request: { items: [m("a"), {}] }, code: "shape", index: 1 },
  { request: { items: [{ message: "a", key: "Enter" }] }, code: "shape", index: 0 },
  { request: { items: [m("")] }, code: "shape", index: 0 },
  { request: { items: [k(" ")] }, code: "shape", index: 0 },
  { request: { items: [m("a"), m(7)] }, code: "shape", index: 1 },
  { request: { items: [k("Entr")] }, code: "unknown-key", index: 0 },
  { request: { command: "a", items: [k("C-")] }, code: "unknown-key", index: 0 },
  { request: { command: "a", items: [m("b")] }, code: "shape" },
  { request: { command: "ab\u001b[201~" }, code: "control-character", offset: 2 },
  { request: { items: [k("Up"), m("a\u009bb")] }, code: "control-character", index: 1, offset: 1 },
  { request: { items: [k("Enter"), k("Enter")] }, code: "shape", on: "agent-aware" },
  { request: { items: [k("Enter"), m("a")] }, code: "shape", on: "agent-aware" },
  { request: { items: [m("a"), k("Up")] }, code: "shape", on: "agent-aware" },
  { request: { command: "a", items: [k("C-c")] }, code: "shape", on: "agent-aware" },
  { request: { command: "a\nb" }, code: "newline-would-submit", on: "plain-pane" },
  { request: { items: [m("a\r\nb"), k("Enter")] }, code: "newline-would-submit", on: "plain-pane" }
]

describe("a send that is rejected", () => {
  for (const profile of profiles) {
    it.effect(`types nothing on a pane of profile ${profile}, and has the code and the place of its reason`, () =>
      Effect.gen(function*() {
        const { pane, runtime, script } = yield* Memory.open
        for (const { code, index, offset, on = profile, request } of refusals) {
          if (on !== profile) continue
          const error = yield* Effect.flip(runtime.send(pane, request as Send.SendRequest))
          const what = JSON.stringify(request)

          assert(error._tag === "SendRejected", what)
          assert.deepStrictEqual([error.code, error.index, error.offset], [code, index, offset], what)
        }
        assert.deepStrictEqual(script.log, ["open p1"])
      }).pipe(Effect.provide(Memory.layer({ profile }))))
  }

  it.effect("asks nothing of the adapter when its shape is wrong, not even the pane's profile", () => {
    const world = Records.world()
    const profileOf: Primitives["profileOf"] = () => Effect.die("asked")
    return Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open
      const { asks } = world
      for (const { code, on, request } of refusals) {
        if (on !== undefined || code === "newline-would-submit") continue
        const error = yield* Effect.flip(runtime.send(pane, request as Send.SendRequest))
        assert.strictEqual(error._tag, "SendRejected")
      }
      const text = "Enter" as unknown as ReadonlyArray<string>
      assert.deepInclude(yield* Effect.flip(runtime.sendKeys(pane, text)), { _tag: "SendRejected", code: "shape" })
      assert.strictEqual(world.asks, asks)
    }).pipe(Effect.provide(Records.layer(world, () => ({ profileOf }))))
  })

  it.effect("says whatever the state of the world when its options make no sense", () => {
    const world = Records.world()
    const odd = { profile: "robot", require: "hope", within: -1 } as unknown as Record<keyof SendOptions, never>
    const wrong: ReadonlyArray<readonly [string, SendOptions]> = [
      ["profile", { profile: odd.profile }],
      ["require", { require: odd.require }],
      ["within", { within: odd.within }],
      ["within", { within: "-1 second" }],
      ["within", { within: "Infinity" }],
      ["within", { within: { seconds: Number.NaN } }],
      ["within", { within: "soon" as "1 second" }]
    ]
    return Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open
      const { asks } = world
      for (const [field, options] of wrong) {
        const error = yield* Effect.flip(runtime.sendText(pane, "x", options))
        assert.deepInclude(error, { _tag: "InvalidRequest", operation: "send", field })
      }
      assert.strictEqual(world.asks, asks)
      yield* runtime.sendText(pane, "x", { within: "0 seconds", require: "bytes", profile: "plain-pane" })
    }).pipe(Effect.provide(Records.layer(world)))
  })
})

describe("a send", () => {
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

      assert.deepInclude(error, { _tag: "SendFailed" })
      assert.isTrue(RuntimeError.isRetryable(error))
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("is in doubt when the server is lost between the text and Enter", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      script.writeFault = "dies"

      const error = yield* Effect.flip(runtime.sendCommand(pane, "x"))

      assert.deepInclude(error, { _tag: "SendStalled", reason: "connection-lost" })
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("that is in doubt is counted", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      script.writeFault = "half"
      yield* Effect.flip(runtime.sendCommand(pane, "x"))
      yield* Effect.flip(runtime.sendCommand(pane, "x"))
      script.writeFault = "none"
      yield* runtime.sendCommand(pane, "x")
      const counted = (yield* Metric.snapshot).filter(({ id }) => id === "paneway_in_doubt_total")

      assert.deepStrictEqual(counted.map(({ attributes, state }) => ({ attributes, state })), [
        { attributes: { runtime: "memory" }, state: { count: 2, incremental: true } }
      ])
    }).pipe(Effect.provide(Memory.layer()), Effect.provideService(Metric.MetricRegistry, new Map())))

  it.effect("that hangs ends at its deadline, in doubt, also when it was interrupted", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      script.writeFault = "forever"

      const hangs = yield* Effect.forkChild(Effect.flip(runtime.sendCommand(pane, "x")))
      yield* TestClock.adjust("5 seconds")
      const error = yield* Fiber.join(hangs)
      assert.deepInclude(error, { _tag: "SendStalled" })

      const interrupted = yield* Effect.forkChild(runtime.sendCommand(pane, "x"), { startImmediately: true })
      const interruption = yield* Effect.forkChild(Fiber.interrupt(interrupted), { startImmediately: true })
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

  it.effect("case 31: never interleaves with another, and 100 at once come in order", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      script.writeFault = "hang"
      const few = yield* Effect.forkChild(
        Effect.all([runtime.sendCommand(pane, "a"), runtime.sendCommand(pane, "b")], { concurrency: 2 })
      )
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(few)
      assert.deepStrictEqual(script.log, ["open p1", "Type a", "Press Enter", "Type b", "Press Enter"])

      script.writeFault = "none"
      script.log.length = 0
      const names = Array.from({ length: 100 }, (_, n) => `n${n}`)
      yield* Effect.forEach(names, (name) => runtime.sendCommand(pane, name), { concurrency: "unbounded" })

      assert.deepStrictEqual(script.log, names.flatMap((name) => [`Type ${name}`, "Press Enter"]))
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("that waits longer than 30 seconds for its turn is unavailable, and types nothing", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      script.writeFault = "hang"
      const long: Send.SendRequest = { items: Array.from({ length: 40 }, () => ({ key: "Up" })) }
      const first = yield* Effect.forkChild(runtime.send(pane, long), { startImmediately: true })
      const second = yield* Effect.forkChild(Effect.flip(runtime.sendText(pane, "x")))
      yield* TestClock.adjust("30 seconds")
      const error = yield* Fiber.join(second)
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(first)

      assert.deepInclude(error, { _tag: "RuntimeUnavailable", runtime: "memory", reason: "timed-out" })
      assert.isFalse(script.log.includes("Type x"))
    }).pipe(Effect.provide(Memory.layer())))
})

describe("the report", () => {
  const told = ({ attempts, inject, stage, submit, turn }: Send.DeliveryReport) => ({
    attempts,
    inject,
    stage,
    submit,
    turn
  })

  it.effect("tells text, submitted text and keys alone apart", () =>
    Effect.gen(function*() {
      const { pane, runtime } = yield* Memory.open
      const command = yield* runtime.sendCommand(pane, "make")
      const text = yield* runtime.sendText(pane, "make")
      const enter = yield* runtime.sendKeys(pane, ["Enter"])
      const twice = yield* runtime.send(pane, { items: [m1("a"), { key: "Enter" }, m1("b"), { key: "Enter" }] })

      assert.deepStrictEqual(told(command), {
        attempts: 1,
        inject: "no_token",
        stage: "submit",
        submit: "enter_sent_without_placeholder_check",
        turn: "not_yet_observed"
      })
      assert.deepStrictEqual(told(text), {
        attempts: 0,
        inject: "no_token",
        stage: "send-keys",
        submit: "not_submitted",
        turn: "not_required"
      })
      assert.deepStrictEqual(told(enter), {
        attempts: 1,
        inject: "empty_text_send_keys",
        stage: "submit",
        submit: "enter_sent_without_placeholder_check",
        turn: "not_required"
      })
      assert.strictEqual(twice.attempts, 2)
      assert.deepStrictEqual(command.bytes, { accepted: 5, total: 5 })
      assert.deepInclude(command, { outcome: "admitted", evidence: "bytes", droppedTrailingEnter: false })
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("says that the trailing Enter of a prompt was left out, and the prompt is submitted once", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      const report = yield* runtime.send(pane, { items: [m1("fix"), m1("it"), { key: "Enter" }] })
      const keys = yield* runtime.sendKeys(pane, ["Enter"])

      assert.isTrue(report.droppedTrailingEnter)
      assert.strictEqual(report.attempts, 1)
      assert.isFalse(keys.droppedTrailingEnter)
      assert.deepStrictEqual(script.log, ["open p1", "Prompt fix\nit", "Press Enter"])
    }).pipe(Effect.provide(Memory.layer({ profile: "agent-aware" }))))

  it.effect("case 13: leaves that warning to an adapter that says what it knows", () => {
    const said: Array<ReadonlyArray<Send.Warning> | undefined> = [undefined, [], ["focus-sent"]]
    const watched = Watched.make()
    return Effect.gen(function*() {
      const told: Array<ReadonlyArray<Send.Warning> | undefined> = []
      for (const warnings of said) {
        const runtime = yield* TerminalRuntime.make({
          ...watched.primitives,
          deliver: () =>
            Effect.succeed({ _tag: "Written", before: {}, ...(warnings === undefined ? {} : { warnings }) })
        })
        told.push((yield* runtime.sendText(watched.pane, "x".repeat(4096))).warnings)
      }
      assert.deepStrictEqual(told, [["line-may-be-truncated"], undefined, ["focus-sent"]])
    }).pipe(Effect.scoped, Effect.provide(PaneLocks.layerMemory))
  })

  it.effect("case 13: warns that a terminal may cut a line of 4096 bytes, and of no shorter one", () =>
    Effect.gen(function*() {
      const { pane, runtime } = yield* Memory.open
      const warned = (text: string, options?: SendOptions) =>
        Effect.map(runtime.sendText(pane, text, options), ({ warnings = [] }) => warnings)

      assert.deepStrictEqual(yield* warned("x".repeat(4096)), ["line-may-be-truncated"])
      assert.deepStrictEqual(yield* warned("я".repeat(2048)), ["line-may-be-truncated"])
      assert.deepStrictEqual(yield* warned("x".repeat(4095)), [])
      assert.deepStrictEqual(yield* warned("я".repeat(2047)), [])
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("case 169: holds nothing of the text", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      const report = yield* runtime.sendCommand(pane, "export TOKEN=hunter2hunter2")
      script.writeFault = "half"
      const error = yield* Effect.flip(runtime.sendCommand(pane, "export TOKEN=hunter2hunter2"))

      assert.notInclude(JSON.stringify([report, error, error.message]), "hunter2")
    }).pipe(Effect.provide(Memory.layer())))
})

describe("typing into a pane", () => {
  for (const profile of profiles) {
    it.effect(`of profile ${profile} submits once for a newline at the end, and not without one`, () =>
      Effect.gen(function*() {
        const { pane, runtime, script } = yield* Memory.open
        yield* runtime.typeInto(pane, "ls")
        const submits = script.log.filter((entry) => /^(?:Press Enter|Prompt)/.test(entry)).length
        for (const ending of ["\n", "\r\n", "\r"]) yield* runtime.typeInto(pane, `a${ending}`)
        yield* runtime.typeInto(pane, "\n")

        assert.strictEqual(submits, 0)
        assert.deepStrictEqual(
          script.log.slice(1),
          profile === "plain-pane"
            ? ["Type ls", ...["a", "a", "a"].flatMap((text) => [`Type ${text}`, "Press Enter"]), "Press Enter"]
            : ["Type ls", "Prompt a", "Prompt a", "Prompt a", "Press Enter"]
        )
      }).pipe(Effect.provide(Memory.layer({ profile }))))
  }
})

const m1 = (message: string) => ({ message })
