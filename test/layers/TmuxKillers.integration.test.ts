import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Tmux from "../../layers/Tmux.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { paneway } from "../fixtures/cli.ts"
import { until } from "../fixtures/processes.ts"
import { runningServer, type TestServer } from "../fixtures/tmuxServers.ts"

const runtimeOn = Effect.fnUntraced(function*({ env, path }: TestServer, more: Tmux.Options = {}) {
  const built = yield* Layer.build(Layer.fresh(Tmux.layer({ server: { path }, env, session: "work", ...more })))
  return Context.get(built, TerminalRuntime)
})

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "paneway-test-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Two servers never have it in common. */
const lifeOf = ({ tmux }: TestServer) => tmux("display-message", "-p", "#{pid}-#{start_time}")

/** A window of `keeper` that prints without end. */
const flood = ({ tmux }: TestServer) =>
  tmux("new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "keeper:", "exec yes").trim()

/** A client in control mode that is not ours. */
const stranger = ({ args, env }: TestServer, flags: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn("tmux", [...args, "-u", "-C", "attach-session", "-t", "keeper", "-f", flags], { env })
      child.stdout.resume()
      child.stderr.resume()
      return child
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

/** Panes of a user, in windows of their own, in a session that ends with them. */
const opened = Effect.fnUntraced(function*({ tmux }: TestServer, runtime: TerminalRuntime["Service"]) {
  tmux("new-session", "-d", "-s", "theirs", "exec sleep 1000")
  for (let n = 0; n < 3; n++) tmux("new-window", "-d", "-t", "theirs:", "exec sleep 1000")
  return (yield* runtime.listPanes()).filter(({ session }) => session === "theirs")
})

for (const way of ["control", "forked"] as const) {
  describe(`what would end a tmux server (${way})`, () => {
    it.live("K8: all windows of a session are closed at the same time, by one process and by two", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        const life = lifeOf(server)
        const runtimes = [yield* runtimeOn(server, { way }), yield* runtimeOn(server, { way })]
        for (let round = 0; round < 6; round++) {
          const panes = yield* opened(server, runtimes[0] ?? (yield* runtimeOn(server)))
          const closing = panes.map(({ handle, window }, at) => {
            const runtime = runtimes[round < 3 ? 0 : at % 2]
            if (runtime === undefined) return Effect.void
            return at % 2 === 0 ? runtime.closePane(handle) : runtime.closeWindow(window)
          })
          yield* Effect.all(closing, { concurrency: "unbounded", discard: true })
          assert.strictEqual(lifeOf(server), life)
          assert.strictEqual(server.tmux("list-sessions", "-F", "#{session_name}").trim(), "keeper")
        }
      }).pipe(Effect.scoped))

    it.live("K8: a session is closed while its windows are focused and closed", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        const life = lifeOf(server)
        const runtime = yield* runtimeOn(server, { way })
        for (let round = 0; round < 4; round++) {
          const panes = yield* opened(server, runtime)
          yield* Effect.all([
            ...panes.map(({ handle }) => Effect.ignore(runtime.focus(handle))),
            ...panes.slice(1).map(({ handle }) => Effect.ignore(runtime.closePane(handle))),
            runtime.closeSession("theirs")
          ], { concurrency: "unbounded", discard: true })
          assert.strictEqual(lifeOf(server), life)
        }
      }).pipe(Effect.scoped))

    it.live("K1: several lines for a pane whose program ended are refused", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        const runtime = yield* runtimeOn(server, { way })
        const life = lifeOf(server)
        const { handle } = yield* runtime.spawn({ program: { argv: ["sh", "-c", "exit 3"] }, onExit: "hold" })
        yield* runtime.waitLifecycle({ condition: "pane-exited", target: handle, timeout: "30 seconds" })
        for (const text of ["one\ntwo", "x".repeat(10_000)]) {
          const error = yield* Effect.flip(runtime.sendText(handle, text, { allowNewlines: true }))
          assert.deepInclude(error, { _tag: "SendRejected", code: "pane-dead" })
        }
        assert.strictEqual(lifeOf(server), life)
        assert.strictEqual(server.tmux("list-buffers"), "")
      }).pipe(Effect.scoped))

    it.live("K2: a new window is refused while the size of all windows is manual", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        server.tmux("set-option", "-g", "window-size", "manual")
        const life = lifeOf(server)
        const runtime = yield* runtimeOn(server, { way })
        for (const session of ["keeper", "other"]) {
          const error = yield* Effect.flip(runtime.spawn({ placement: { window: "new", session } }))
          assert.deepInclude(error, { _tag: "RuntimeUnavailable", reason: "refused" })
        }
        assert.strictEqual(lifeOf(server), life)
      }).pipe(Effect.scoped))
  })
}

describe("what would end a tmux server that is listened to", () => {
  it.live("K3: a client that leaves while a pane floods it holds the output back in a safe way, 12 times", () =>
    Effect.gen(function*() {
      const server = yield* runningServer
      const life = lifeOf(server)
      const pane = flood(server)
      for (let round = 0; round < 12; round++) {
        yield* Effect.gen(function*() {
          const runtime = yield* runtimeOn(server, { session: "keeper" })
          const found = yield* runtime.resolve(pane)
          yield* runtime.waitOutput(found.handle, { pattern: /^y$/, timeout: "30 seconds" })
        }).pipe(Effect.scoped)
      }

      assert.strictEqual(lifeOf(server), life)
    }).pipe(Effect.scoped))

  it.live("K4: waits that come and go on a pane that floods change no flag of the client, and calls are answered", () =>
    Effect.gen(function*() {
      const server = yield* runningServer
      const life = lifeOf(server)
      const runtime = yield* runtimeOn(server, { session: "keeper" })
      const { handle } = yield* runtime.resolve(flood(server))
      // where output comes late, a second client is told none of it
      const flags = () =>
        server.tmux("list-clients", "-F", "#{?#{m:*no-output*,#{client_flags}},,#{client_pid} #{client_flags}}")
          .replaceAll(/^\n/gm, "")
      yield* runtime.waitOutput(handle, { pattern: /^y$/, timeout: "30 seconds" })
      const before = flags()
      for (let round = 0; round < 20; round++) {
        const waiting = yield* Effect.forkChild(
          runtime.waitOutput(handle, { pattern: "never", timeout: "30 seconds" }),
          { startImmediately: true }
        )
        const { text } = yield* runtime.capture(handle)
        yield* Fiber.interrupt(waiting)
        assert.include(text, "y\ny")
      }

      assert.match(before, /^\d+ attached,focused,control-mode,ignore-size,pause-after=\d+(?:,UTF-8)?\n$/)
      assert.strictEqual(flags(), before)
      assert.strictEqual(lifeOf(server), life)
    }).pipe(Effect.scoped))

  it.live(
    "K5: 50 clients leave a flood one after the other while others listen to it and type",
    () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        const life = lifeOf(server)
        const pane = flood(server)
        yield* stranger(server, "no-output")
        const resident = yield* runtimeOn(server, { session: "keeper" })
        const { handle: typed } = yield* resident.spawn({ program: { argv: ["cat"] } })
        const { handle: flooding } = yield* resident.resolve(pane)
        yield* Effect.forkChild(
          resident.waitOutput(flooding, { pattern: "never", timeout: "5 minutes" }),
          { startImmediately: true }
        )
        for (let round = 0; round < 50; round++) {
          yield* Effect.gen(function*() {
            const runtime = yield* runtimeOn(server, { session: "keeper" })
            const { handle } = yield* runtime.resolve(pane)
            yield* runtime.waitOutput(handle, { pattern: /^y$/, timeout: "30 seconds" })
            yield* resident.sendCommand(typed, `round ${round}.`)
          }).pipe(Effect.scoped)
        }
        yield* resident.waitOutput(typed, { pattern: "round 49.", timeout: "30 seconds" })
        const { text } = yield* resident.capture(typed, { range: "full" })

        for (let round = 0; round < 50; round++) assert.include(text, `round ${round}.`)
        assert.strictEqual(lifeOf(server), life)
        yield* until(() => server.tmux("list-clients").trim().split("\n").length <= 4)
      }).pipe(Effect.scoped),
    150_000
  )
})

describe("control clients that come and go", () => {
  it.live("K7: while others come, go, and make and close sessions, leave the server alone", () =>
    Effect.gen(function*() {
      const server = yield* runningServer
      const life = lifeOf(server)
      const visit = (n: number) =>
        Effect.scoped(Effect.gen(function*() {
          const runtime = yield* runtimeOn(server)
          yield* runtime.listPanes()
          if (n % 3 > 0) return
          const session = `short-${n}`
          const pane = yield* runtime.spawn({ program: { argv: ["sleep", "1000"] }, session })
          yield* runtime.focus(pane.handle)
          yield* runtime.closeSession(session)
        }))
      for (let round = 0; round < 6; round++) {
        yield* Effect.forEach(Array.from({ length: 9 }, (_, n) => n), visit, {
          concurrency: "unbounded",
          discard: true
        })
        assert.strictEqual(lifeOf(server), life)
      }
    }).pipe(Effect.scoped))

  it.live("K7: of ten command lines at once, leave the server alone", () =>
    Effect.gen(function*() {
      const server = yield* runningServer
      const life = lifeOf(server)
      const run = paneway(["run", "--runtime", "tmux", "--", "echo", "hi"], {
        env: { ...server.env, HOME: yield* folder, TMUX: `${server.path},${life.split("-")[0] ?? ""},0` }
      })
      for (let round = 0; round < 3; round++) {
        const ended = yield* Effect.all(Array.from({ length: 10 }, () => run), { concurrency: "unbounded" })
        assert.deepStrictEqual(
          ended.map(({ code, stderr, stdout }) => [code, stderr, stdout.toString()]),
          ended.map(() => [0, "", "hi\n"])
        )
        assert.strictEqual(lifeOf(server), life)
      }
    }).pipe(Effect.scoped), 90_000)
})
