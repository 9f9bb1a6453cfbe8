import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import * as Tracer from "effect/Tracer"
import type { Primitives, Service } from "../../src/Contract.ts"
import type { RuntimeError } from "../../src/RuntimeError.ts"
import { windowName } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import * as Memory from "../fixtures/Memory.ts"
import * as Records from "../fixtures/Records.ts"

const recording = () => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  return { spans, traced: Effect.provideService(Tracer.Tracer, tracer) }
}

const secret = "hunter2-hunter2"

/** Every operation once, with text that must not leave the terminal. */
const everything = Effect.gen(function*() {
  const runtime = yield* TerminalRuntime
  const window = yield* runtime.ensureWindow({ name: "a", root: "/w" })
  const { handle: pane } = yield* runtime.preparePane({ window: window.handle })
  const wait = { timeout: "0 seconds" } as const
  const calls: {
    readonly [K in Exclude<keyof Service, "runtime" | "sendProfile" | "capabilities">]: Effect.Effect<
      unknown,
      RuntimeError
    >
  } = {
    context: runtime.context,
    resolve: runtime.resolve(`${pane}`),
    ensureWindow: runtime.ensureWindow({ name: "a", root: "/w" }),
    listSessions: runtime.listSessions,
    closeSession: runtime.closeSession("none"),
    listWindows: runtime.listWindows(),
    closeWindow: runtime.closeWindow(windowName("none")),
    preparePane: runtime.preparePane({ window: window.handle }),
    listPanes: runtime.listPanes(),
    closePane: runtime.closePane((yield* runtime.spawn({})).handle),
    resize: runtime.resize(pane, { columns: 80, rows: 24 }),
    focus: runtime.focus(pane),
    spawn: runtime.spawn({ title: secret }),
    send: runtime.send(pane, { command: secret }),
    sendCommand: runtime.sendCommand(pane, secret),
    sendText: runtime.sendText(pane, `${secret}\u0000`),
    sendKeys: runtime.sendKeys(pane, [secret]),
    typeInto: runtime.typeInto(pane, secret),
    run: runtime.run(pane, { command: secret, ...wait }),
    capture: runtime.capture(pane),
    output: Stream.runDrain(runtime.output(pane)),
    waitOutput: runtime.waitOutput(pane, { pattern: `${secret}2`, ...wait }),
    waitStable: runtime.waitStable(pane, { quiet: "1 second", ...wait }),
    waitAgent: runtime.waitAgent(pane, { states: ["blocked"], ...wait }),
    waitLifecycle: runtime.waitLifecycle({ condition: "pane-exited", target: pane, ...wait }),
    agents: Stream.runDrain(Stream.take(runtime.agents([pane]), 1)),
    events: Stream.runDrain(Stream.take(runtime.events, 1)),
    probe: runtime.probe([pane]),
    describe: runtime.describe(pane),
    setEnvironment: runtime.setEnvironment({ name: "TOKEN", value: secret }),
    attach: runtime.attach()
  }
  const fiber = yield* Effect.forkChild(
    Effect.forEach(Object.entries(calls), ([name, call]) => Effect.as(Effect.exit(call), name))
  )
  yield* TestClock.adjust("10 minutes")
  return { pane, names: yield* Fiber.join(fiber) }
})

describe("an operation", () => {
  it.effect("has one span with its runtime, its pane and its outcome", () => {
    const { spans, traced } = recording()
    return Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      yield* runtime.sendCommand(pane, "x").pipe(traced)
      yield* runtime.capture(pane).pipe(traced)
      yield* Effect.exit(runtime.sendText(pane, "")).pipe(traced)
      script.writeFault = "half"
      yield* Effect.exit(runtime.sendCommand(pane, "x")).pipe(traced)
      yield* Effect.exit(runtime.closePane(pane)).pipe(traced)
      yield* Effect.exit(runtime.describe(pane)).pipe(traced)
      yield* runtime.listPanes().pipe(traced)

      const attributes = (outcome: string) => ({
        "paneway.runtime": "memory",
        "paneway.pane": `${pane}`,
        "paneway.outcome": outcome
      })
      assert.deepStrictEqual(
        spans.map(({ attributes, name }) => [name, Object.fromEntries(attributes)]),
        [
          ["TerminalRuntime.send", attributes("ok")],
          ["TerminalRuntime.capture", attributes("ok")],
          ["TerminalRuntime.send", attributes("SendRejected")],
          ["TerminalRuntime.send", attributes("SendStalled")],
          ["TerminalRuntime.closePane", attributes("ok")],
          ["TerminalRuntime.describe", attributes("TargetNotFound")],
          ["TerminalRuntime.listPanes", { "paneway.runtime": "memory", "paneway.outcome": "ok" }]
        ]
      )
    }).pipe(Effect.provide(Memory.layer()))
  })

  it.effect("that is interrupted or dies says so", () => {
    const { spans, traced } = recording()
    const broken = (): Partial<Primitives> => ({ focus: () => Effect.die("broken"), capture: () => Effect.never })
    return Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open
      const waits = yield* Effect.forkChild(runtime.capture(pane).pipe(traced), { startImmediately: true })
      yield* Fiber.interrupt(waits)
      yield* Effect.exit(runtime.focus(pane)).pipe(traced)

      assert.deepStrictEqual(spans.map(({ attributes }) => attributes.get("paneway.outcome")), [
        "interrupted",
        "defect"
      ])
    }).pipe(Effect.provide(Records.layer(Records.world(), broken)))
  })

  it.effect("never has a span inside its own, and no span holds any text", () => {
    const { spans, traced } = recording()
    return Effect.gen(function*() {
      const { names } = yield* everything.pipe(traced)

      assert.strictEqual(names.length, 31)
      for (const { attributes, name, parent } of spans) {
        assert.isTrue(Option.isNone(parent), `${name} in ${Option.isSome(parent) ? parent.value.spanId : ""}`)
        assert.notInclude(JSON.stringify([...attributes, name]), secret)
      }
      const operations = new Set(spans.map(({ name }) => name.replace("TerminalRuntime.", "")))
      const shapes = ["sendCommand", "sendText", "sendKeys", "typeInto"]
      for (const name of names) assert.include([...operations, ...shapes], name)
    }).pipe(Effect.provide(Memory.layer()))
  })

  it.effect("is counted and timed by runtime, operation and outcome", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      yield* Effect.exit(runtime.sendText(pane, ""))
      script.writeFault = "hang"
      const sends = yield* Effect.forkChild(runtime.sendText(pane, "x"))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(sends)
      const snapshot = yield* Metric.snapshot
      const of = (id: string) =>
        snapshot.filter((metric) => metric.id === id && metric.attributes?.["operation"] === "send")

      assert.deepStrictEqual(of("paneway_operations_total").map(({ attributes, state }) => [attributes, state]), [
        [{ runtime: "memory", operation: "send", outcome: "SendRejected" }, { count: 1, incremental: true }],
        [{ runtime: "memory", operation: "send", outcome: "ok" }, { count: 1, incremental: true }]
      ])
      const [, timed] = of("paneway_operation_millis")
      assert.deepInclude(timed?.state, { count: 1, min: 1000, max: 1000, sum: 1000 })
    }).pipe(Effect.provide(Memory.layer()), Effect.provideService(Metric.MetricRegistry, new Map())))

  it.effect("prints nothing and logs nothing", () =>
    Effect.gen(function*() {
      const printed: Array<unknown> = []
      const restore: Array<() => void> = []
      const spy = (owner: object, key: string) => {
        const before: unknown = Reflect.get(owner, key)
        restore.push(() => void Reflect.set(owner, key, before))
        Reflect.set(owner, key, (...args: ReadonlyArray<unknown>) => {
          printed.push([key, ...args])
          return true
        })
      }
      const silently = Effect.acquireUseRelease(
        Effect.sync(() => {
          for (const key of ["log", "error", "warn", "info", "debug", "trace"] as const) spy(console, key)
          spy(process.stdout, "write")
          spy(process.stderr, "write")
        }),
        () => everything.pipe(Effect.provide(Memory.layer())),
        () => Effect.sync(() => restore.forEach((undo) => undo()))
      )
      yield* silently.pipe(
        Effect.provide(Logger.layer([Logger.make((entry) => void printed.push(entry.message))])),
        Effect.provideService(References.MinimumLogLevel, "All")
      )

      assert.deepStrictEqual(printed, [])
    }))
})
