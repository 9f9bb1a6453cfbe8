import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as Tmux from "../../layers/Tmux.ts"
import type { RuntimeEvent } from "../../src/Lifecycle.ts"
import type { PaneHandle } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { until } from "../fixtures/processes.ts"
import { slow } from "../fixtures/tmuxPrograms.ts"
import { runningServer, type TestServer } from "../fixtures/tmuxServers.ts"

const runtimeOn = Effect.fnUntraced(function*({ env, path }: TestServer, more: Tmux.Options = {}) {
  const built = yield* Layer.build(Layer.fresh(Tmux.layer({ server: { path }, env, session: "keeper", ...more })))
  return Context.get(built, TerminalRuntime)
})

/** Answers each line that it is sent. */
const quiet = { argv: ["sh", "-c", "stty -echo; while read -r line; do echo \"got $line now\"; done"] } as const

/** A window of `keeper` that prints without end. */
const flood = ({ tmux }: TestServer) =>
  tmux("new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "keeper:", "exec yes").trim()

/** Clients of the server that are told output, and those that are not, by their names. */
const clientsOf = ({ tmux }: TestServer) => {
  const all = tmux("list-clients", "-F", "#{client_name} #{client_flags}").trim().split("\n")
  const named = (silent: boolean) =>
    all.filter((line) => line.includes("no-output") === silent).map((line) => line.split(" ", 1)[0] ?? "")
  return { heard: named(false), silent: named(true) }
}

/** Sends a line, and waits for what answers it. */
const rounds = Effect.fnUntraced(function*(runtime: TerminalRuntime["Service"], pane: PaneHandle, count: number) {
  for (let round = 0; round < count; round++) {
    const { mark } = yield* runtime.sendCommand(pane, `round ${round}.`)
    yield* runtime.waitOutput(pane, { pattern: `got round ${round}. now`, after: mark, timeout: "30 seconds" })
  }
})

// one after the other: each of them keeps a machine busy
describe("beside panes that print without end", () => {
  for (const watched of [false, true]) {
    it.live(
      `${
        watched ? "all of which are waited for, " : ""
      }sends and waits on another pane are answered before their output`,
      () =>
        Effect.gen(function*() {
          const server = yield* runningServer
          const life = server.tmux("display-message", "-p", "#{pid}-#{start_time}")
          // the server itself may be slow where other work keeps the machine busy
          const runtime = yield* runtimeOn(server, { deadline: "30 seconds" })
          const { handle } = yield* runtime.spawn({ program: quiet })
          const told: Array<RuntimeEvent> = []
          yield* Effect.forkScoped(
            Stream.runForEach(runtime.events, (event) => Effect.sync(() => told.push(event))),
            { startImmediately: true }
          )
          for (let n = 0; n < 10; n++) {
            const { handle: flooding } = yield* runtime.resolve(flood(server))
            if (watched) {
              yield* Effect.forkChild(runtime.waitOutput(flooding, { pattern: "never", timeout: "5 minutes" }))
            }
          }
          yield* rounds(runtime, handle, 20)
          const { text } = yield* runtime.capture(handle)
          const { heard, silent } = clientsOf(server)

          assert.strictEqual(text.trim(), Array.from({ length: 20 }, (_, n) => `got round ${n}. now`).join("\n"))
          assert.lengthOf(heard, 1)
          assert.isAtMost(silent.length, 1)
          assert.isFalse(told.some((event) => event._tag === "Health" && event.state === "degraded"))
          assert.strictEqual(server.tmux("display-message", "-p", "#{pid}-#{start_time}"), life)
        }).pipe(Effect.scoped),
      180_000
    )
  }
})

describe.concurrent("beside a pane that prints more than can be told", () => {
  it.live(
    "sends and waits on another pane are answered before its output, also the first ones",
    () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        const runtime = yield* runtimeOn(server, { binary: yield* slow })
        const { handle } = yield* runtime.spawn({ program: quiet })
        flood(server)
        // behind the output of five seconds, each round would take that long
        yield* Effect.timeout(rounds(runtime, handle, 20), "60 seconds")
        const { heard, silent } = clientsOf(server)

        assert.deepStrictEqual([heard.length, silent.length], [1, 1])
      }).pipe(Effect.scoped),
    60_000
  )

  it.live("an answer that waits for its output comes all the same", () =>
    Effect.gen(function*() {
      const server = yield* runningServer
      const told: Array<RuntimeEvent> = []
      const runtime = yield* runtimeOn(server, { binary: yield* slow })
      const { handle } = yield* runtime.spawn({ program: quiet })
      yield* Effect.forkScoped(
        Stream.runForEach(runtime.events, (event) => Effect.sync(() => told.push(event))),
        { startImmediately: true }
      )
      flood(server)
      // some are under way when it turns out that the client is behind
      const sends = yield* FiberSet.make()
      yield* Effect.repeat(FiberSet.run(sends, Effect.asVoid(runtime.sendText(handle, "x"))), {
        schedule: Schedule.spaced("10 millis"),
        times: 59
      })
      yield* FiberSet.awaitEmpty(sends)
      yield* runtime.sendKeys(handle, ["Enter"])
      yield* runtime.waitOutput(handle, { pattern: `got ${"x".repeat(60)} now`, timeout: "30 seconds" })

      assert.isFalse(told.some((event) => event._tag === "Health" && event.state === "degraded"))
    }).pipe(Effect.scoped), 120_000)

  it.live("the end of another pane is told before its output", () =>
    Effect.gen(function*() {
      const server = yield* runningServer
      const runtime = yield* runtimeOn(server, { binary: yield* slow })
      const { handle } = yield* runtime.spawn({ program: quiet })
      flood(server)
      yield* Effect.repeat(runtime.capture(handle), { until: () => clientsOf(server).silent.length === 1 })
      yield* Effect.timeout(
        Effect.gen(function*() {
          for (let round = 0; round < 16; round++) {
            const ending = yield* runtime.spawn({ program: quiet })
            const waiting = yield* Effect.forkChild(
              runtime.waitLifecycle({ condition: "pane-exited", target: ending.handle, timeout: "30 seconds" }),
              { startImmediately: true }
            )
            yield* runtime.sendKeys(ending.handle, ["C-c"])
            yield* Fiber.join(waiting)
          }
        }),
        "50 seconds"
      )
    }).pipe(Effect.scoped), 120_000)
})

describe.concurrent("a pane whose output the server holds back", () => {
  it.live("is waited for all the same: what it prints meanwhile is seen, and it goes on", () =>
    Effect.gen(function*() {
      const server = yield* runningServer
      const runtime = yield* runtimeOn(server)
      const { handle } = yield* runtime.spawn({ program: quiet })
      for (let round = 0; round < 20; round++) {
        const waiting = yield* Effect.forkChild(
          runtime.waitOutput(handle, { pattern: `got round ${round}. now`, timeout: "30 seconds" }),
          { startImmediately: true }
        )
        yield* until(() => clientsOf(server).heard.length === 1)
        const [client = ""] = clientsOf(server).heard
        server.tmux(
          "refresh-client",
          "-t",
          client,
          "-A",
          `${handle.id}:pause`,
          ";",
          "send-keys",
          "-t",
          handle.id,
          `round ${round}.`,
          "Enter"
        )
        yield* Fiber.join(waiting)
      }
    }).pipe(Effect.scoped), 120_000)

  it.live("is told on to who waits for it only later", () =>
    Effect.gen(function*() {
      const server = yield* runningServer
      const runtime = yield* runtimeOn(server)
      const { handle } = yield* runtime.spawn({ program: quiet })
      yield* runtime.capture(handle)
      yield* until(() => clientsOf(server).heard.length === 1)
      const [client = ""] = clientsOf(server).heard
      server.tmux("refresh-client", "-t", client, "-A", `${handle.id}:pause`)
      // rows are not counted meanwhile: the mark is one of the lines around it
      const { mark } = yield* runtime.sendCommand(handle, "first")
      const waiting = yield* Effect.forkChild(
        runtime.waitOutput(handle, { pattern: "got second", after: mark, timeout: "30 seconds" }),
        { startImmediately: true }
      )
      yield* runtime.waitOutput(handle, { pattern: "got first", timeout: "30 seconds" })
      server.tmux("send-keys", "-t", handle.id, "second", "Enter")
      const { line } = yield* Fiber.join(waiting)

      assert.strictEqual(line, "got second now")
    }).pipe(Effect.scoped), 120_000)

  it.live(
    "because it prints more than can be told for longer than five seconds, is waited for until its last line",
    () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        const runtime = yield* runtimeOn(server)
        for (let n = 0; n < 9; n++) flood(server)
        const { handle } = yield* runtime.spawn({
          program: { argv: ["sh", "-c", "timeout 8 yes; echo the last line; exec sleep 1000"] }
        })
        const { line } = yield* runtime.waitOutput(handle, { pattern: "the last line", timeout: "60 seconds" })

        assert.include(line, "the last line")
      }).pipe(Effect.scoped),
    90_000
  )
})
