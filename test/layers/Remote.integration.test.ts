import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import { connect, createServer } from "node:net"
import * as Pty from "../../layers/Pty.ts"
import * as Remote from "../../layers/Remote.ts"
import * as Scripted from "../../layers/Scripted.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { until } from "../fixtures/processes.ts"
import { remote, serve, socketPath } from "../fixtures/served.ts"
import { tap } from "../fixtures/tapped.ts"

/** A scripted runtime behind a way that can be cut, and its client. */
const tapped = Effect.gen(function*() {
  const path = yield* socketPath
  const served = yield* Layer.build(serve(path, Scripted.layer()))
  const way = yield* tap(path)
  const runtime = yield* Remote.make({ path: way.path })
  const script = Context.get(served, Scripted.Script)
  const { handle: pane } = yield* runtime.spawn({})
  yield* script.clearLog
  return { runtime, script, pane, way }
})

describe("a server", () => {
  it.live("attaches no client to a terminal that is its own", () =>
    Effect.gen(function*() {
      const attached: Array<string> = []
      const path = yield* socketPath
      const own = Layer.effect(
        TerminalRuntime,
        Effect.map(TerminalRuntime, (runtime) => ({
          ...runtime,
          attach: () => {
            attached.push("its own")
            return Effect.succeed({ _tag: "Attached" as const })
          }
        }))
      ).pipe(Layer.provide(Scripted.layer()))
      yield* Layer.build(serve(path, own))
      const runtime = yield* Remote.make({ path })

      assert.deepInclude(yield* runtime.attach(), { _tag: "Unsupported" })
      assert.strictEqual(runtime.capabilities.attach, "none")
      assert.deepStrictEqual(attached, [])
    }).pipe(Effect.scoped))
})

describe("a connection that is lost", () => {
  it.live("after a send was asked for leaves it in doubt, and it is sent once", () =>
    Effect.gen(function*() {
      const { pane, runtime, script, way } = yield* tapped
      way.cutAfter("send")
      const error = yield* Effect.flip(runtime.sendText(pane, "once"))
      yield* runtime.capture(pane)

      assert.deepInclude(error, { _tag: "SendStalled", reason: "connection-lost", retryable: false })
      assert.deepStrictEqual(way.asked.filter((procedure) => procedure === "send"), ["send"])
      assert.isAtMost((yield* script.log).length, 1)
    }).pipe(Effect.scoped))

  it.live("after a spawn was asked for leaves open whether there is a pane", () =>
    Effect.gen(function*() {
      const { runtime, way } = yield* tapped
      way.cutAfter("spawn")
      const error = yield* Effect.flip(runtime.spawn({}))

      assert.deepInclude(error, { _tag: "SpawnFailed", created: "indeterminate", retryable: false })
      assert.deepStrictEqual(way.asked.filter((procedure) => procedure === "spawn"), ["spawn", "spawn"])
    }).pipe(Effect.scoped))

  it.live("after a command was asked for leaves that in doubt, and it runs once", () =>
    Effect.gen(function*() {
      const { pane, runtime, way } = yield* tapped
      way.cutAfter("run")
      const error = yield* Effect.flip(runtime.run(pane, { command: "true", timeout: "30 seconds" }))

      assert.deepInclude(error, { _tag: "SendStalled", reason: "connection-lost" })
      assert.deepStrictEqual(way.asked.filter((procedure) => procedure === "run"), ["run"])
    }).pipe(Effect.scoped))

  it.live("after a question was asked is opened again, and the question is answered", () =>
    Effect.gen(function*() {
      const { pane, runtime, way } = yield* tapped
      way.cutAfter("describe")
      way.cutAfter("describe")
      const { handle } = yield* runtime.describe(pane)

      assert.strictEqual(`${handle}`, `${pane}`)
      assert.strictEqual(way.connections(), 3)
    }).pipe(Effect.scoped))

  it.live("again and again makes the runtime unavailable, and probes know nothing", () =>
    Effect.gen(function*() {
      const { pane, runtime, way } = yield* tapped
      for (const procedure of ["describe", "describe", "describe", "probe", "probe", "probe"]) way.cutAfter(procedure)
      const error = yield* Effect.flip(runtime.describe(pane))
      const [probe] = yield* runtime.probe([pane])

      assert.deepInclude(error, { _tag: "RuntimeUnavailable", reason: "lost", retryable: true })
      assert.strictEqual(probe?.liveness, "unknown")
    }).pipe(Effect.scoped))

  it.live("after a close was asked for may be repeated by the caller", () =>
    Effect.gen(function*() {
      const { pane, runtime, way } = yield* tapped
      way.cutAfter("closePane")
      const error = yield* Effect.flip(runtime.closePane(pane))
      const closed = yield* runtime.closePane(pane)

      assert.deepInclude(error, { _tag: "RuntimeUnavailable", reason: "lost", retryable: true })
      assert.include(["closed", "already-closed"], closed)
      assert.strictEqual(way.asked.filter((procedure) => procedure === "closePane").length, 2)
    }).pipe(Effect.scoped))

  it.live("during a wait does not keep it from seeing what comes", () =>
    Effect.gen(function*() {
      const { pane, runtime, script, way } = yield* tapped
      way.cutAfter("waitOutput")
      const waiting = yield* Effect.forkChild(
        runtime.waitOutput(pane, { pattern: "there", timeout: "10 seconds" }),
        { startImmediately: true }
      )
      yield* until(() => way.asked.filter((procedure) => procedure === "waitOutput").length === 2)
      yield* script.print(pane, "there\n")
      assert.strictEqual((yield* Fiber.join(waiting)).text, "there")
    }).pipe(Effect.scoped))

  it.effect("during a wait does not lengthen it", () =>
    Effect.gen(function*() {
      const { pane, runtime, way } = yield* tapped
      const asked = (times: number) =>
        Effect.promise(() => new Promise((resolve) => setImmediate(resolve))).pipe(
          Effect.repeat({
            until: () => way.asked.filter((procedure) => procedure === "waitOutput").length === times
          })
        )
      const waiting = yield* Effect.forkChild(
        Effect.flip(runtime.waitOutput(pane, { pattern: "absent", timeout: "700 millis" })),
        { startImmediately: true }
      )
      yield* asked(1)
      yield* TestClock.adjust("500 millis")
      yield* way.cut
      yield* asked(2)
      yield* TestClock.adjust("199 millis")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("251 millis")
      const error = yield* Fiber.join(waiting)

      assert(error._tag === "WaitTimeout")
      assert.strictEqual(Duration.toMillis(error.timeout), 700)
    }).pipe(Effect.scoped))

  it.live("ends a stream with a failure that may be tried again", () =>
    Effect.gen(function*() {
      const { runtime, way } = yield* tapped
      way.cutAfter("events")
      const error = yield* Effect.flip(Stream.runDrain(runtime.events))

      assert.deepInclude(error, { _tag: "RuntimeUnavailable", reason: "lost" })
    }).pipe(Effect.scoped))
})

describe("a server", () => {
  it.live("that is not there is not running, whatever is asked", () =>
    Effect.gen(function*() {
      const path = yield* socketPath
      const error = yield* Effect.flip(Effect.scoped(Remote.make({ path })))

      assert.deepInclude(error, { _tag: "RuntimeUnavailable", reason: "not-running" })
      assert.include(error.message, path)
    }).pipe(Effect.scoped))

  it.live("of another version of the protocol is refused with its version and its process", () =>
    Effect.gen(function*() {
      const path = yield* socketPath
      const value = { protocol: 99, version: "9.8.7", pid: 4321, runtime: "x", sendProfile: "x", capabilities: {} }
      yield* answering(
        path,
        (requestId) => JSON.stringify({ _tag: "Exit", requestId, exit: { _tag: "Success", value } })
      )
      const error = yield* Effect.flip(Effect.scoped(Remote.make({ path })))

      assert.deepInclude(error, { _tag: "RuntimeUnavailable", reason: "unsupported-version" })
      for (const part of ["9.8.7", "4321", "99"]) assert.include(error.message, part)
    }).pipe(Effect.scoped))

  it.live("that speaks another language is refused", () =>
    Effect.gen(function*() {
      const path = yield* socketPath
      yield* answering(path, () => "this is no answer")
      const error = yield* Effect.flip(Effect.scoped(Remote.make({ path })))

      assert.deepInclude(error, { _tag: "RuntimeUnavailable", reason: "unsupported-version" })
    }).pipe(Effect.scoped))

  it.live("answers a client that writes the lines by itself", () =>
    Effect.gen(function*() {
      const path = yield* socketPath
      yield* Layer.build(serve(path, Scripted.layer()))
      const answer = yield* Effect.callback<string>((resume) => {
        const socket = connect(path, () => {
          socket.write(
            `${JSON.stringify({ _tag: "Request", id: "1", tag: "resolve", payload: { text: "p9" }, headers: [] })}\n`
          )
        })
        let text = ""
        socket.on("data", (data) => {
          text += data.toString()
          if (!text.includes("\n")) return
          socket.destroy()
          resume(Effect.succeed(text))
        })
      })
      const { exit } = JSON.parse(answer)

      assert.strictEqual(exit._tag, "Failure")
      assert.deepInclude(exit.cause[0].error, { _tag: "TargetNotFound", target: "p9", reason: "absent" })
    }).pipe(Effect.scoped))
})

/** Answers every line of a client in that way. */
const answering = (path: string, answer: (id: unknown) => string) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer((socket) => {
        socket.on("error", () => {})
        socket.on("data", (data) => {
          const [line = "{}"] = data.toString().split("\n")
          socket.write(`${answer(JSON.parse(line).id)}\n`)
        })
      })
      server.listen(path, () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => server.close())
  )

describe("a client", () => {
  it.live("that does not read a stream still gets every other answer, and delays nobody else", () =>
    Effect.gen(function*() {
      const path = yield* socketPath
      yield* Layer.build(serve(path, Pty.layer()))
      const [one, two] = yield* Effect.all([Remote.make({ path }), Remote.make({ path })])
      const { handle } = yield* one.spawn({ program: { argv: ["yes", "x".repeat(100)] } })
      const other = yield* one.spawn({ program: { argv: ["cat"] } })
      // takes the first part and no other
      const stuck = yield* Effect.forkChild(
        Stream.runForEach(one.output(handle), () => Effect.never),
        { startImmediately: true }
      )
      yield* one.waitOutput(handle, { pattern: "xxx", timeout: "10 seconds" })
      for (const client of [one, two]) {
        for (let round = 0; round < 20; round++) {
          yield* client.describe(other.handle).pipe(Effect.timeout("30 seconds"))
        }
      }
      yield* two.sendText(other.handle, "still here").pipe(Effect.timeout("30 seconds"))
      yield* two.waitOutput(other.handle, { pattern: "still here", timeout: "10 seconds" })
      assert.isUndefined(stuck.pollUnsafe())
    }).pipe(Effect.scoped))

  it.live("that reads nothing at all is not read from any more, and delays nobody else", () =>
    Effect.gen(function*() {
      const path = yield* socketPath
      yield* Layer.build(serve(path, Scripted.layer()))
      const other = yield* Remote.make({ path })
      const { handle } = yield* other.spawn({})
      const id = `${handle}`
      const socket = yield* Effect.acquireRelease(
        Effect.sync(() => connect(path)),
        (socket) => Effect.sync(() => socket.destroy())
      )
      socket.pause()
      const request = (at: number) =>
        `${JSON.stringify({ _tag: "Request", id: `${at}`, tag: "resolve", payload: { text: id }, headers: [] })}\n`
      // far more than the system keeps for a socket in both directions
      const all = Array.from({ length: 100_000 }, (_, at) => request(at)).join("")
      socket.write(all)
      yield* until(() => socket.writableLength > 0)
      for (let round = 0; round < 50; round++) yield* Effect.timeout(other.describe(handle), "30 seconds")

      assert.isAbove(socket.writableLength, all.length / 2)
    }).pipe(Effect.scoped))

  it.live("that closes interrupts what it asked for, and nothing of others", () =>
    Effect.gen(function*() {
      const path = yield* socketPath
      const script = Context.get(yield* Layer.build(serve(path, Scripted.layer())), Scripted.Script)
      const others = yield* Remote.make({ path })
      const { handle } = yield* others.spawn({})
      const waiting = yield* Effect.forkChild(
        others.waitOutput(handle, { pattern: "there", timeout: "10 seconds" }),
        { startImmediately: true }
      )
      const scope = yield* Scope.make()
      const runtime = yield* Scope.provide(Remote.make({ path }), scope)
      const { handle: second } = yield* runtime.spawn({})
      yield* Effect.forkIn(
        Effect.ignore(runtime.waitOutput(second, { pattern: "absent", timeout: Duration.infinity })),
        scope,
        { startImmediately: true }
      )
      const watchers = { now: 0 }
      const watched = (count: number) =>
        Effect.repeat(
          Effect.tap(script.counts, ({ watchers: now }) =>
            Effect.sync(() => {
              watchers.now = now
            })),
          { until: ({ watchers }) => watchers === count }
        ).pipe(Effect.timeout("30 seconds"))
      yield* watched(2)
      yield* Scope.close(scope, Exit.void)
      yield* watched(1)
      yield* script.print(handle, "there\n")

      assert.strictEqual((yield* Fiber.join(waiting)).text, "there")
      assert.strictEqual((yield* others.describe(second)).handle.id, second.id)
    }).pipe(Effect.scoped))

  it.live("gives secrets to the program and to no failure", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { handle } = yield* runtime.spawn({
        program: { shell: "printf '%s\\n' \"$SECRET\" | tr a-z A-Z" },
        env: { SECRET: Redacted.make("quite-secret") }
      })
      yield* runtime.waitOutput(handle, { pattern: "QUITE-SECRET", timeout: "10 seconds" })
      const error = yield* Effect.flip(
        runtime.spawn({ program: { argv: ["/absent"] }, env: { SECRET: Redacted.make("quite-secret") } })
      )

      assert.strictEqual(error._tag, "SpawnFailed")
      assert.notInclude(JSON.stringify(error), "quite-secret")
    }).pipe(Effect.provide(remote(Pty.layer()))))

  it.live("sends the flags of a regular expression, and durations with their units", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { handle } = yield* runtime.spawn({ program: { shell: "printf 'ÄPFEL %s\\n' 12; exec cat" } })
      const match = yield* runtime.waitOutput(handle, { pattern: /äpfel (\p{Nd}+)/iu, timeout: "10 seconds" })
      const error = yield* Effect.flip(runtime.waitStable(handle, { quiet: "10 seconds", timeout: "250 millis" }))

      assert.deepStrictEqual(match.groups, ["12"])
      assert(error._tag === "WaitTimeout")
      assert.strictEqual(Duration.toMillis(error.timeout), 250)
    }).pipe(Effect.provide(remote(Pty.layer()))))

  it.live("knows the pane that it runs in by the server's socket only", () =>
    Effect.gen(function*() {
      const path = yield* socketPath
      yield* Layer.build(serve(path, Pty.layer({ served: { socket: path, tag: `test-${process.pid}` } })))
      const opener = yield* Remote.make({ path })
      const { handle } = yield* opener.spawn({
        program: { shell: "echo \"<$PANEWAY_PANE|$PANEWAY_SOCKET|$PANEWAY_SESSION>\"; exec cat" },
        placement: { window: "here", session: "mine" },
        size: { columns: 400, rows: 10 }
      })
      const { groups: [pane, socket, session] } = yield* opener.waitOutput(handle, {
        pattern: /<(.*)\|(.*)\|(.*)>/,
        timeout: "10 seconds"
      })
      const inside = yield* Remote.make({ path, env: { PANEWAY_PANE: pane, PANEWAY_SOCKET: socket } })
      const elsewhere = yield* Remote.make({ path, env: { PANEWAY_PANE: pane, PANEWAY_SOCKET: `${path}2` } })

      assert.deepStrictEqual([pane, socket, session], [`${handle}`, path, "mine"])
      assert.deepInclude(yield* inside.context, { inRuntime: true, session: "mine" })
      assert.deepStrictEqual(yield* elsewhere.context, { inRuntime: false })
    }).pipe(Effect.scoped))

  it.live("means its own session by a window's name, and no session by a handle", () =>
    Effect.gen(function*() {
      const path = yield* socketPath
      yield* Layer.build(serve(path, Scripted.layer({ program: Scripted.shell() })))
      const mine = yield* Remote.make({ path, session: "mine" })
      const other = yield* Remote.make({ path, session: "other" })
      const window = yield* mine.ensureWindow({ name: "work", root: "/" })
      const same = yield* mine.ensureWindow({ name: "work", root: "/" })
      const another = yield* other.ensureWindow({ name: "work", root: "/" })
      const { handle } = yield* mine.spawn({ placement: { window: "work" } })
      const panes = yield* mine.listPanes({ window: window.name, session: "" })

      assert.deepStrictEqual([window.session, another.session], ["mine", "other"])
      assert.strictEqual(`${same.handle}`, `${window.handle}`)
      assert.strictEqual((yield* mine.describe(handle)).session, "mine")
      assert.isAtLeast(panes.length, 1)
      assert.strictEqual((yield* other.listPanes({ window: another.name })).length, 1)
      assert.strictEqual(yield* other.closeWindow(window.handle), "closed")
      assert.isTrue((yield* mine.listWindows()).some(({ handle }) => `${handle}` === `${another.handle}`))
    }).pipe(Effect.scoped))

  it.live("refuses values that no procedure takes, and asks nothing", () =>
    Effect.gen(function*() {
      const { pane, runtime, way } = yield* tapped
      const before = way.asked.length
      const foreign: unknown = { profile: "nobody" }
      const error = yield* Effect.flip(
        // @ts-expect-error a caller without types
        runtime.sendText(pane, "text", foreign)
      )

      assert.deepInclude(error, { _tag: "InvalidRequest", operation: "send", field: "profile" })
      assert.strictEqual(way.asked.length, before)
    }).pipe(Effect.scoped))
})

describe("a reader of a pane's output", () => {
  it.live("gets every byte in its order, however slowly it reads", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { handle } = yield* runtime.spawn({ program: { shell: "seq 1 20000" } })
      const text = yield* Stream.runFold(
        Stream.tap(decoded(runtime.output(handle)), () => Effect.yieldNow),
        () => "",
        (sofar, part) => sofar + part
      )

      assert.strictEqual(text.replaceAll("\r", ""), Array.from({ length: 20_000 }, (_, at) => `${at + 1}\n`).join(""))
    }).pipe(Effect.provide(remote(Pty.layer()))))
})

const decoded = <E>(output: Stream.Stream<Uint8Array, E>) => Stream.decodeText(output)
