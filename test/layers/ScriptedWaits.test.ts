import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import * as Scripted from "../../layers/Scripted.ts"
import type { AgentState } from "../../src/AgentState.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"

const open = Effect.gen(function*() {
  const runtime = yield* TerminalRuntime
  const script = yield* Scripted.Script
  const { handle: pane } = yield* runtime.spawn({})
  return { runtime, script, pane }
})

const started = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.tap(Effect.forkChild(effect, { startImmediately: true }), () => Effect.yieldNow)

describe("Scripted", () => {
  it.effect("with wake-ups a wait sees what is printed without a look in between", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      const fiber = yield* started(runtime.waitOutput(pane, { pattern: "ready", timeout: "1 hour" }))
      yield* TestClock.adjust("30 minutes")
      const { looks, watchers } = yield* script.counts
      assert.strictEqual(looks, 1)
      assert.strictEqual(watchers, 1)

      yield* script.print(pane, "now ready\n")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(fiber)).line, "$ now ready")
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("a resize wakes who waits, and what was wrapped is found as one line", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      yield* script.print(pane, `\n${"x".repeat(100)}`)
      const fiber = yield* started(runtime.waitStable(pane, { quiet: "10 seconds", timeout: "1 hour" }))
      yield* TestClock.adjust("9 seconds")
      yield* runtime.resize(pane, { columns: 120, rows: 24 })
      yield* TestClock.adjust("9 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* Fiber.join(fiber)).rows[1], "x".repeat(100))
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("without wake-ups it looks again and again", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      const fiber = yield* started(runtime.waitOutput(pane, { pattern: "ready", timeout: "1 hour" }))
      yield* TestClock.adjust("10 seconds")
      const { looks, watchers } = yield* script.counts
      assert.isAbove(looks, 10)
      assert.strictEqual(watchers, 0)

      yield* script.print(pane, "ready\n")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(fiber)).text, "ready")
      assert.strictEqual(runtime.capabilities.wakeUps, "derived")
    }).pipe(Effect.provide(Scripted.layer({ wakeUps: false }))))

  it.effect("a wait whose wake-ups are lost ends by its deadline with what it saw last", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      yield* script.fault({ _tag: "Deaf" }, pane)
      const fiber = yield* started(Effect.flip(runtime.waitOutput(pane, { pattern: "ready", timeout: "1 minute" })))
      yield* script.print(pane, "ready\n")
      yield* TestClock.adjust("1 minute")

      assert.strictEqual((yield* Fiber.join(fiber))._tag, "WaitTimeout")
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("a wait outlives a time in which the runtime cannot be asked", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      const fiber = yield* started(
        runtime.waitLifecycle({ condition: "pane-exited", target: pane, timeout: "1 hour" })
      )
      assert.strictEqual((yield* script.counts).watchers, 1)
      yield* script.fault({ _tag: "Down" })
      assert.strictEqual((yield* script.counts).watchers, 0)
      yield* TestClock.adjust("1 minute")
      assert.isUndefined(fiber.pollUnsafe())

      yield* script.heal()
      yield* script.end(pane, { code: 7 })
      yield* TestClock.adjust("1 minute")
      assert.deepInclude(yield* Fiber.join(fiber), { observed: "exited", exit: { code: 7 } })
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("a wait whose program ends fails at once, with the exit where the runtime knows it", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      const fiber = yield* started(Effect.flip(runtime.waitOutput(pane, { pattern: "never", timeout: "1 hour" })))
      yield* script.end(pane, { code: 3 })
      yield* TestClock.adjust("1 second")

      assert.deepInclude(yield* Fiber.join(fiber), { _tag: "PaneEnded", exit: { code: 3 } })
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("a pane whose exit code is not known says that it ended and no more", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      yield* script.end(pane, { code: 3 })

      assert.deepStrictEqual((yield* runtime.describe(pane)).exit, {})
      assert.strictEqual(runtime.capabilities.exitStatus, "none")
    }).pipe(Effect.provide(Scripted.layer({ exitCodes: false }))))

  it.effect("a pane that somebody closes is gone for a wait", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      const fiber = yield* started(runtime.waitLifecycle({ condition: "pane-exited", target: pane, timeout: "1 hour" }))
      yield* script.vanish(pane)
      yield* TestClock.adjust("1 second")

      assert.strictEqual((yield* Fiber.join(fiber)).observed, "absent")
      assert.strictEqual((yield* script.counts).watchers, 0)
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("an agent works for as long as its answer takes, and its turn is told from the one before", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      yield* script.respond([{ takes: "1 minute", print: "one\n" }, { takes: "1 minute", agent: "blocked" }])

      for (const [sequence, state] of (["done", "blocked"] as const).entries()) {
        const { evidence, mark, outcome } = yield* runtime.sendText(pane, "go")
        assert.deepStrictEqual(mark.turn, { sequence, by: "native" })
        const fiber = yield* started(runtime.waitAgent(pane, { states: [state], after: mark, timeout: "1 hour" }))
        yield* TestClock.adjust("59 seconds")
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust("2 seconds")
        assert.strictEqual((yield* Fiber.join(fiber)).state, state)
        assert.deepStrictEqual([outcome, evidence], ["accepted", "agent-protocol"])
      }
    }).pipe(Effect.provide(Scripted.layer({ profile: "agent-aware" }))))

  it.effect("the test states what an agent does, and the stream tells each change", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      const fiber = yield* started(
        runtime.agents([pane]).pipe(Stream.map(({ state }) => state), Stream.take(4), Stream.runCollect)
      )
      for (const state of ["working", "blocked", "exited"] as const) {
        yield* TestClock.adjust("1 second")
        yield* state === "exited" ? script.end(pane) : script.agent(pane, state)
      }
      yield* TestClock.adjust("1 second")

      const expected: ReadonlyArray<AgentState> = ["idle", "working", "blocked", "exited"]
      assert.deepStrictEqual(yield* Fiber.join(fiber), expected)
    }).pipe(Effect.provide(Scripted.layer({ profile: "agent-aware" }))))

  it.effect("nobody knows an agent in a pane of which nobody said anything", () =>
    Effect.gen(function*() {
      const { pane, runtime } = yield* open
      const seen = yield* runtime.waitAgent(pane, { states: ["unknown"], timeout: "0 seconds" })

      assert.deepInclude(seen, { state: "unknown", source: "none", confidence: "guess" })
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("without agents of its own the runtime says that it knows none", () =>
    Effect.gen(function*() {
      const { pane, runtime } = yield* open
      const error = yield* Effect.flip(runtime.waitAgent(pane, { states: ["idle"], timeout: "1 second" }))

      assert.deepInclude(error, { _tag: "Unsupported", capability: "agentState" })
    }).pipe(Effect.provide(Scripted.layer({ agents: false }))))

  it.effect("the bytes of a pane end when somebody closes it", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      const bytes = yield* started(Stream.runCollect(runtime.output(pane)))
      yield* TestClock.adjust("1 second")
      yield* script.vanish(pane)
      yield* TestClock.adjust("1 second")

      assert.strictEqual(Buffer.concat(yield* Fiber.join(bytes)).toString(), "\u001b[?2004h$ ")
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("tells what comes and goes as events, and what a pane prints as bytes", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      const events = yield* started(
        runtime.events.pipe(Stream.map(({ _tag }) => _tag), Stream.take(5), Stream.runCollect)
      )
      const bytes = yield* started(Stream.runCollect(runtime.output(pane)))
      yield* TestClock.adjust("1 second")
      yield* runtime.sendCommand(pane, "echo x; exit 3")
      yield* TestClock.adjust("1 second")
      yield* script.vanish(pane)
      yield* TestClock.adjust("1 second")

      assert.deepStrictEqual(yield* Fiber.join(events), [
        "WindowOpened",
        "PaneOpened",
        "PaneExited",
        "PaneClosed",
        "WindowClosed"
      ])
      assert.strictEqual(
        Buffer.concat(yield* Fiber.join(bytes)).toString(),
        "\u001b[?2004h$ echo x; exit 3\r\n\u001b[?2004lx\r\n"
      )
    }).pipe(Effect.provide(Scripted.layer())))
})
