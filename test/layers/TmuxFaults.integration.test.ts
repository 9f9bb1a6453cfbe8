import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import * as Tmux from "../../layers/Tmux.ts"
import type { RuntimeEvent } from "../../src/Lifecycle.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { emptyServer, runningServer, type TestServer } from "../fixtures/tmuxServers.ts"

const runtimeOn = Effect.fnUntraced(function*({ env, path }: TestServer, more: Tmux.Options = {}) {
  const built = yield* Layer.build(Layer.fresh(Tmux.layer({ server: { path }, env, session: "work", ...more })))
  return Context.get(built, TerminalRuntime)
})

const eventually = (isSo: () => boolean) =>
  Effect.repeat(Effect.sync(isSo), { until: (so) => so, schedule: Schedule.spaced("10 millis") }).pipe(
    Effect.timeout("30 seconds")
  )

const ways = ["control", "forked"] as const
const recorder = { argv: ["sh", "-c", "stty raw -echo; echo ready; exec cat -vt"] } as const

const clientsOf = ({ tmux }: TestServer) =>
  tmux("list-clients", "-F", "#{client_name} #{client_flags}").split("\n").filter((line) => line !== "")

for (const way of ways) {
  describe(`a tmux server that is not there (${way})`, () => {
    it.live("is unavailable to whoever asks, and is started by a pane that is opened", () =>
      Effect.gen(function*() {
        const server = yield* emptyServer
        const runtime = yield* runtimeOn(server, { way })
        const error = yield* Effect.flip(runtime.listPanes())
        const { handle } = yield* runtime.spawn({ program: recorder })
        yield* runtime.waitOutput(handle, { pattern: "ready", timeout: "30 seconds" })

        assert.deepInclude(error, { _tag: "RuntimeUnavailable", reason: "not-running" })
        assert.strictEqual(server.tmux("list-sessions", "-F", "#{session_name}"), "work\n")
      }).pipe(Effect.scoped))

    it.live("makes panes unknown when it dies, and what it is sent then is typed nowhere", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        const runtime = yield* runtimeOn(server, { way })
        const { handle } = yield* runtime.spawn({ program: recorder })
        server.tmux("kill-server")
        const [probe] = yield* runtime.probe([handle])
        const sent = yield* Effect.flip(runtime.sendText(handle, "x"))

        assert.strictEqual(probe?.liveness, "unknown")
        assert.deepInclude(sent, { _tag: "RuntimeUnavailable", reason: "not-running" })
      }).pipe(Effect.scoped))

    it.live("case 65: gives no pane of before when it is there again", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        const runtime = yield* runtimeOn(server, { way })
        const before = yield* runtime.spawn({ program: recorder })
        server.tmux("kill-server")
        yield* Effect.retry(Effect.try(() => server.tmux("new-session", "-d", "-s", "work", "exec sleep 1000")), {
          schedule: Schedule.spaced("50 millis"),
          times: 40
        })
        server.tmux("new-window", "-d", "-t", "work:", "exec sleep 1000")
        assert.include(server.tmux("list-panes", "-a", "-F", "#{pane_id}"), before.handle.id)
        const sent = yield* Effect.flip(runtime.sendText(before.handle, "x"))
        const closed = yield* Effect.flip(runtime.closePane(before.handle))
        const [probe] = yield* runtime.probe([before.handle])

        assert.deepInclude(sent, { _tag: "TargetNotFound", reason: "reissued" })
        assert.deepInclude(closed, { _tag: "TargetNotFound", reason: "reissued" })
        assert.strictEqual(probe?.liveness, "gone")
        assert.lengthOf(yield* runtime.listPanes(), 2)
      }).pipe(Effect.scoped))
  })

  describe(`texts where tmux expands formats (${way})`, () => {
    it.live("case 170: name a directory, a title and a session as they are, and run nothing", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        const runtime = yield* runtimeOn(server, { way })
        const folder = join(server.path, "..")
        for (const name of ["x#(touch owned)", "#{pid}", "##[a#S", "%H", "it's \"q\""]) {
          const cwd = join(folder, name)
          mkdirSync(cwd)
          const session = name.replaceAll(/[.:]/g, "")
          const pane = yield* runtime.spawn({
            program: { argv: ["cat"] },
            cwd,
            title: name,
            placement: { window: "w", session }
          })
          const described = yield* Effect.repeat(runtime.describe(pane.handle), {
            until: ({ command, cwd }) => command === "cat" && cwd !== undefined
          })

          assert.deepInclude(described, { cwd, title: name, session })
          assert.deepStrictEqual(readdirSync(cwd), [])
        }
      }).pipe(Effect.scoped))
  })
}

describe("a control client", () => {
  it.live("case 71: changes nothing of a session but being there, and goes with the scope", () =>
    Effect.gen(function*() {
      const server = yield* runningServer
      server.tmux("set-environment", "-t", "keeper", "DISPLAY", ":77")
      const look = () => [
        server.tmux("list-windows", "-a", "-F", "#{window_id} #{window_width}x#{window_height} #{window_active}"),
        server.tmux("show-environment", "-t", "keeper"),
        server.tmux("show-options", "-g"),
        server.tmux("list-buffers")
      ]
      const before = look()
      const during = yield* Effect.gen(function*() {
        const runtime = yield* runtimeOn({ ...server, env: { ...server.env, DISPLAY: ":1" } })
        const [pane] = yield* runtime.listPanes()
        if (pane !== undefined) yield* runtime.capture(pane.handle)
        return [clientsOf(server), look()] as const
      }).pipe(Effect.scoped)

      assert.lengthOf(during[0], 1)
      assert.match(during[0][0] ?? "", /control-mode,ignore-size/)
      assert.deepStrictEqual(during[1], before)
      yield* eventually(() => clientsOf(server).length === 0)
      assert.deepStrictEqual(look(), before)
    }).pipe(Effect.scoped))

  it.live("that somebody detached is attached again, and waits go on", () =>
    Effect.gen(function*() {
      const server = yield* runningServer
      const runtime = yield* runtimeOn(server)
      const { handle } = yield* runtime.spawn({ program: recorder })
      const waiting = yield* Effect.forkChild(
        runtime.waitOutput(handle, { pattern: "after it", timeout: "30 seconds" }),
        { startImmediately: true }
      )
      yield* eventually(() => clientsOf(server).length > 0)
      server.tmux("detach-client", "-s", "work")
      yield* runtime.sendText(handle, "after it")
      yield* Fiber.join(waiting)
      const again = yield* runtime.waitOutput(handle, { pattern: "after", timeout: "30 seconds" })

      assert.include(again.line, "after it")
    }).pipe(Effect.scoped))

  it.live("of a session that ends does not listen to another one", () =>
    Effect.gen(function*() {
      const server = yield* runningServer
      server.tmux("set-option", "-g", "detach-on-destroy", "off")
      const runtime = yield* runtimeOn(server)
      yield* runtime.spawn({ program: recorder })
      assert.strictEqual(yield* runtime.closeSession("work"), "closed")
      const panes = yield* runtime.listPanes()
      yield* eventually(() => clientsOf(server).length <= 1)

      assert.deepStrictEqual(panes.map(({ session }) => session), ["keeper"])
    }).pipe(Effect.scoped))

  it.live("that gets no answers is given up and told of, and calls are forked", () =>
    Effect.gen(function*() {
      const server = yield* runningServer
      const runtime = yield* runtimeOn(server, { deadline: Duration.seconds(3) })
      const { handle } = yield* runtime.spawn({ program: recorder })
      const pid = Number(server.tmux("display-message", "-p", "#{pid}"))
      const told: Array<RuntimeEvent> = []
      yield* Effect.forkScoped(
        Stream.runForEach(runtime.events, (event) => Effect.sync(() => told.push(event))),
        { startImmediately: true }
      )
      yield* eventually(() => told.length > 0)
      process.kill(pid, "SIGSTOP")
      const error = yield* Effect.flip(runtime.capture(handle)).pipe(
        Effect.ensuring(Effect.sync(() => process.kill(pid, "SIGCONT")))
      )

      yield* eventually(() => told.some((event) => event._tag === "Health" && event.state === "degraded"))
      yield* runtime.sendText(handle, "goes on")
      yield* runtime.waitOutput(handle, { pattern: "goes on", timeout: "30 seconds" })

      assert.deepInclude(error, { _tag: "RuntimeUnavailable", reason: "timed-out" })
      yield* eventually(() => clientsOf(server).length <= 1)
    }).pipe(Effect.scoped))
})
