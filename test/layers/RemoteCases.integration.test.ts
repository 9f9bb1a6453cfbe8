import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import { TestClock } from "effect/testing"
import * as Tracer from "effect/Tracer"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"
import { inspect } from "node:util"
import { identity } from "../../layers/host/identity.ts"
import * as Pty from "../../layers/Pty.ts"
import * as Remote from "../../layers/Remote.ts"
import * as Scripted from "../../layers/Scripted.ts"
import { protocolVersion } from "../../src/remote/TerminalRpcs.ts"
import { isRetryable } from "../../src/RuntimeError.ts"
import { PaneHandle } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { processorOf } from "../fixtures/processor.ts"
import { remote, serve, socketPath } from "../fixtures/served.ts"
import { sink } from "../fixtures/sink.ts"

/** A server that greets whoever connects, and then says nothing any more. */
const silent = Effect.gen(function*() {
  const path = yield* socketPath
  const asked: Array<string> = []
  yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer((socket) => {
        let rest = ""
        socket.on("error", () => {})
        socket.on("data", (data) => {
          const lines = (rest + data.toString()).split("\n")
          rest = lines.pop() ?? ""
          for (const { id, tag } of lines.filter((line) => line !== "").map((line) => JSON.parse(line))) {
            asked.push(String(tag))
            if (tag !== "hello") continue
            const value = { protocol: protocolVersion, version: "1.2.3", pid: process.pid, ...identity }
            socket.write(`${JSON.stringify({ _tag: "Exit", requestId: id, exit: { _tag: "Success", value } })}\n`)
          }
        })
      })
      server.listen(path, () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => server.close())
  )
  const pane = new PaneHandle({ runtime: "pty", host: "here", scope: path, incarnation: "one", id: "p1" })
  /** Succeeds in real time, also where a test has the clock. */
  const until = Effect.fnUntraced(function*(tag: string) {
    const deadline = performance.now() + 30_000
    while (!asked.includes(tag)) {
      if (performance.now() > deadline) return yield* Effect.die(new Error(`${tag} was not asked`))
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    }
  })
  return { pane, asked, until, runtime: yield* Remote.make({ path, expect: identity }) }
})

describe("a server that hangs", () => {
  it.effect("case 103: lengthens no wait by more than a quarter of a second", () =>
    Effect.gen(function*() {
      const { pane, runtime, until } = yield* silent
      const timeout = "2 seconds"
      const ended: Array<string> = []
      const noted = <A, E extends { readonly _tag: string }>(wait: Effect.Effect<A, E>) =>
        Effect.tap(Effect.flip(wait), ({ _tag }) => Effect.sync(() => void ended.push(_tag)))
      const waiting = yield* Effect.forkChild(
        Effect.all([
          noted(runtime.waitOutput(pane, { pattern: /never/, timeout })),
          noted(runtime.waitStable(pane, { quiet: "1 second", timeout })),
          noted(runtime.waitLifecycle({ condition: "pane-exited", target: pane, timeout }))
        ], { concurrency: "unbounded" }),
        { startImmediately: true }
      )
      for (const tag of ["waitOutput", "waitStable", "waitLifecycle"]) yield* until(tag)
      yield* TestClock.adjust("1999 millis")
      assert.deepStrictEqual(ended, [])
      yield* TestClock.adjust("251 millis")
      const errors = yield* Fiber.join(waiting)

      assert.deepStrictEqual(
        errors.map((error) => error._tag === "WaitTimeout" ? [error.waitedFor, error.lastSeen._tag] : error._tag),
        [["/never/", "Nothing"], ["a still screen", "Nothing"], ["pane-exited", "Nothing"]]
      )
    }).pipe(Effect.scoped))

  it.effect("case 34: leaves a send in doubt after a while, which is not asked for again", () =>
    Effect.gen(function*() {
      const { asked, pane, runtime, until } = yield* silent
      const sending = yield* Effect.forkChild(Effect.flip(runtime.sendCommand(pane, "once")), {
        startImmediately: true
      })
      yield* until("send")
      yield* TestClock.adjust("10 seconds")
      yield* TestClock.adjust("10 seconds")
      const error = yield* Fiber.join(sending)

      assert.deepInclude(error, { _tag: "SendStalled", reason: "connection-lost" })
      assert.isFalse(isRetryable(error))
      assert.strictEqual(asked.filter((tag) => tag === "send").length, 1)
    }).pipe(Effect.scoped))
})

/** Two processes that send at the same time, each so many prompts. */
const twoSenders = Effect.fnUntraced(function*(path: string, pane: PaneHandle, rounds: number) {
  const senders = yield* Effect.forEach(["a", "b"], (who) =>
    Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, ["test/fixtures/remoteSender.ts", path, `${pane}`, who, `${rounds}`], {
          stdio: ["pipe", "pipe", "inherit"]
        })
      ),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    ))
  yield* Effect.promise(() => Promise.all(senders.map(({ stdout }) => once(stdout, "data"))))
  const ends = Promise.all(senders.map((child) => once(child, "exit")))
  for (const { stdin } of senders) stdin.end("go\n")
  assert.deepStrictEqual(yield* Effect.promise(() => ends), [[0, null], [0, null]])
})

const promptsOf = (who: string, rounds: number) =>
  Array.from({ length: rounds }, (_, n) => `${who}${n}(${"-".repeat(20)})`)

/** Each prompt whole, those of a sender in their order, and of both in turns. */
const assertWhole = (got: ReadonlyArray<string>, rounds: number) => {
  for (const who of ["a", "b"]) {
    assert.deepStrictEqual(got.filter((line) => line.startsWith(who)), promptsOf(who, rounds))
  }
  assert.strictEqual(got.length, 2 * rounds)
  assert.isAbove(got.filter((line, at) => line[0] !== got[at - 1]?.[0]).length, 2)
}

describe("two processes", () => {
  it.live("case 31: send prompts step by step to one pane, and nobody comes in between", () =>
    Effect.gen(function*() {
      const path = yield* socketPath
      const served = yield* Layer.build(serve(path, Scripted.layer({ delivery: "stepwise" })))
      const script = Context.get(served, Scripted.Script)
      const { handle } = yield* Context.get(served, TerminalRuntime).spawn({})
      // each step takes its time, in which another sender could come
      yield* script.fault({ _tag: "Slow", by: "1 millis" })
      yield* script.clearLog
      yield* twoSenders(path, handle, 50)
      const log = (yield* script.log).map(String)
      const steps = log.map((entry) => /(?:typed|pressed) (.*)$/.exec(entry)?.[1] ?? "")

      assertWhole(steps.join("").replaceAll("\"", "").split("Enter").slice(0, -1), 50)
    }).pipe(Effect.scoped), 60_000)

  it.live(
    "case 31: send a hundred prompts each to one pane, and all arrive whole and in their order",
    () =>
      Effect.gen(function*() {
        const path = yield* socketPath
        const layer = Pty.layer({ size: { columns: 100, rows: 30 }, scrollback: 5000 })
        const served = yield* Layer.build(serve(path, layer))
        const all = ["a", "b"].flatMap((who) => promptsOf(who, 100))
        const { handle, read } = yield* sink(Buffer.byteLength(all.join("\r")) + 1).pipe(Effect.provide(served))
        yield* twoSenders(path, handle, 100)

        assertWhole((yield* Effect.provide(read, served)).split("\r").slice(0, -1), 100)
      }).pipe(Effect.scoped),
    60_000
  )
})

describe("a client", () => {
  it.live("case 73: in a pane is told that pane, whichever has the focus", () =>
    Effect.gen(function*() {
      const path = yield* socketPath
      yield* Layer.build(serve(path, Scripted.layer()))
      const other = yield* Remote.make({ path })
      const { handle: own } = yield* other.spawn({ placement: { window: "own" } })
      const { handle: focused } = yield* other.spawn({ placement: { window: "other" } })
      yield* other.focus(focused)
      const inside = yield* Remote.make({ path, env: { PANEWAY_PANE: `${own}`, PANEWAY_SOCKET: path } })
      const context = yield* inside.context

      assert(context.inRuntime)
      assert.strictEqual(`${context.pane}`, `${own}`)
    }).pipe(Effect.scoped))

  it.live("case 104: that interrupts its waits leaves none of them at the server", () =>
    Effect.gen(function*() {
      const path = yield* socketPath
      const script = Context.get(yield* Layer.build(serve(path, Scripted.layer())), Scripted.Script)
      const runtime = yield* Remote.make({ path })
      const { handle } = yield* runtime.spawn({})
      const watched = (holds: (watchers: number) => boolean) =>
        Effect.repeat(script.counts, { until: ({ watchers }) => holds(watchers) }).pipe(Effect.timeout("30 seconds"))
      for (let round = 0; round < 5; round++) {
        const waits = yield* Effect.forEach(
          Array.from({ length: 100 }),
          () =>
            Effect.forkChild(runtime.waitOutput(handle, { pattern: "never", timeout: "1 hour" }), {
              startImmediately: true
            })
        )
        yield* watched((watchers) => watchers > 0)
        yield* Fiber.interruptAll(waits)
        yield* watched((watchers) => watchers === 0)
      }
      yield* script.print(handle, "still served\n")

      assert.strictEqual(
        (yield* runtime.waitOutput(handle, { pattern: "still served", timeout: "30 seconds" })).text,
        "still served"
      )
    }).pipe(Effect.scoped), 90_000)

  it.live("case 122: is not held up by a flood in five other panes", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { handle } = yield* runtime.spawn({
        program: { argv: ["sh", "-c", "while read -r line; do echo \"got $line\"; done"] }
      })
      for (let n = 0; n < 5; n++) {
        const flood = yield* runtime.spawn({ program: { argv: ["yes"] } })
        yield* runtime.waitOutput(flood.handle, { pattern: /^y$/, timeout: "15 seconds" })
      }
      const times: Array<number> = []
      for (let n = 0; n < 20; n++) {
        const sent = Effect.gen(function*() {
          const { mark } = yield* runtime.sendCommand(handle, `${n}`)
          yield* runtime.waitOutput(handle, { pattern: `got ${n}`, after: mark, timeout: "30 seconds" })
        })
        times.push(yield* processorOf(sent))
      }
      const [slow = Infinity] = times.toSorted((a, b) => b - a).slice(1)

      assert.isBelow(slow, 500, "milliseconds of the processor")
    }).pipe(Effect.provide(remote(Pty.layer()))), 60_000)
})

describe("what is sent", () => {
  const secret = "hunter2hunter2"
  for (
    const [where, layer] of [
      ["here", Scripted.layer()],
      ["at a server", remote(Scripted.layer())]
    ] as const
  ) {
    it.live(`case 169: is in no span and in no log, ${where}`, () =>
      Effect.gen(function*() {
        const told: Array<unknown> = []
        const tracer = Tracer.make({
          span: (options) => {
            const span = new Tracer.NativeSpan(options)
            told.push(span)
            return span
          }
        })
        const logger = Logger.make(({ cause, message }) => void told.push(message, Cause.pretty(cause)))
        const use = Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          const { handle } = yield* runtime.spawn({ env: { API_KEY: secret } })
          yield* runtime.sendCommand(handle, `export TOKEN=${secret}`)
          yield* runtime.send(handle, { items: [{ message: secret }, { key: "Enter" }] })
          yield* Effect.flip(runtime.send(handle, { command: secret, items: [{ message: secret }] }))
          yield* Effect.logError("the end")
        })
        yield* Effect.exit(use).pipe(
          Effect.tap((exit) => Effect.sync(() => assert.isTrue(Exit.isSuccess(exit)))),
          Effect.provide(Layer.merge(layer, Logger.layer([logger]))),
          Effect.provideService(References.MinimumLogLevel, "All"),
          Effect.withTracer(tracer)
        )
        const all = inspect(told, { depth: 20, maxStringLength: null, maxArrayLength: null })

        assert.include(all, "TerminalRuntime.send")
        assert.include(all, "the end")
        assert.notInclude(all, "hunter2")
      }))
  }
})
