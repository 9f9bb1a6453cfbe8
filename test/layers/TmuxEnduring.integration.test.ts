import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Pty from "../../layers/Pty.ts"
import * as Tmux from "../../layers/Tmux.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { until } from "../fixtures/processes.ts"
import { runningServer, type TestServer } from "../fixtures/tmuxServers.ts"

const runtimeOn = Effect.fnUntraced(function*({ env, path }: TestServer, more: Tmux.Options = {}) {
  const built = yield* Layer.build(Layer.fresh(Tmux.layer({ server: { path }, env, session: "work", ...more })))
  return Context.get(built, TerminalRuntime)
})

const lifeOf = ({ tmux }: TestServer) => tmux("display-message", "-p", "#{pid}-#{start_time}")
const cat = { program: { argv: ["cat"] } } as const

describe.concurrent("a control client", () => {
  it.live(
    "that a person sends away by attaching alone comes again, and the wait goes on",
    () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        const runtime = yield* runtimeOn(server)
        const { handle } = yield* runtime.spawn(cat)
        const waiting = yield* Effect.forkChild(
          runtime.waitOutput(handle, { pattern: "after it", timeout: "15 seconds" }),
          { startImmediately: true }
        )
        const ours = () => server.tmux("list-clients", "-t", "work", "-F", "#{client_pid} #{client_flags}")
        yield* until(() => ours().includes("control-mode"))
        const former = ours()
        const terminal = Context.get(yield* Layer.build(Pty.layer()), TerminalRuntime)
        yield* terminal.spawn({
          program: { argv: ["tmux", "-S", server.path, "-u", "attach-session", "-d", "-t", "work"] },
          size: { columns: 90, rows: 25 },
          env: server.env
        })
        yield* until(() => ours().includes("UTF-8") && !ours().includes(former.trim()))
        yield* runtime.sendText(handle, "after it")
        const { line } = yield* Fiber.join(waiting)

        assert.include(line, "after it")
        assert.match(ours(), /attached,focused,UTF-8/)
      }).pipe(Effect.scoped),
    30_000
  )
})

for (const way of ["control", "forked"] as const) {
  describe.concurrent(`a tmux server that is stopped (${way})`, () => {
    it.live("leaves a send in doubt that is typed at most once when it goes on", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        const runtime = yield* runtimeOn(server, { way, deadline: Duration.seconds(3) })
        const { handle } = yield* runtime.spawn(cat)
        yield* runtime.sendCommand(handle, "before")
        const pid = Number(server.tmux("display-message", "-p", "#{pid}"))
        process.kill(pid, "SIGSTOP")
        const [sent, listed] = yield* Effect.all([
          Effect.flip(runtime.sendText(handle, "once.")),
          Effect.flip(runtime.listPanes())
        ]).pipe(Effect.timeout("30 seconds"), Effect.ensuring(Effect.sync(() => process.kill(pid, "SIGCONT"))))
        yield* runtime.sendText(handle, "then.")
        const { text } = yield* runtime.waitOutput(handle, { pattern: /then\./, timeout: "30 seconds" }).pipe(
          Effect.andThen(runtime.capture(handle))
        )

        assert.strictEqual(sent._tag, "SendStalled")
        assert.deepInclude(listed, { _tag: "RuntimeUnavailable", reason: "timed-out" })
        assert.isAtMost(text.split("once.").length - 1, 1)
      }).pipe(Effect.scoped), 120_000)
  })

  describe.concurrent(`panes that share keys, or take none (${way})`, () => {
    it.live("get no text that is meant for another one, and a send to them is refused before it is typed", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        const runtime = yield* runtimeOn(server, { way })
        const one = yield* runtime.spawn(cat)
        const other = yield* runtime.spawn({ ...cat, placement: { split: one.handle } })
        server.tmux("set-option", "-w", "-t", one.window.id, "synchronize-panes", "on")
        yield* Effect.exit(runtime.sendCommand(one.handle, "shared"))
        yield* Effect.exit(runtime.sendText(one.handle, "x".repeat(5000)))
        const beside = yield* runtime.capture(other.handle)
        server.tmux("set-option", "-w", "-t", one.window.id, "synchronize-panes", "off")
        server.tmux("select-pane", "-d", "-t", one.handle.id)
        const off = yield* Effect.flip(runtime.sendText(one.handle, "swallowed"))
        server.tmux("select-pane", "-e", "-t", one.handle.id)
        yield* runtime.sendText(one.handle, "taken")
        yield* runtime.waitOutput(one.handle, { pattern: "taken", timeout: "30 seconds" })
        const { text } = yield* runtime.capture(one.handle, { range: "full" })

        assert.strictEqual(beside.text.trim(), "")
        assert.strictEqual(off._tag, "SendRejected")
        assert.notInclude(text, "swallowed")
      }).pipe(Effect.scoped))
  })

  describe.concurrent(`a window of tmux that is full (${way})`, () => {
    it.live("gets room for 24 panes, beside those that are there", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        const runtime = yield* runtimeOn(server, { way, size: { columns: 80, rows: 24 } })
        const { window } = yield* runtime.spawn(cat)
        const made = yield* Effect.forEach(
          Array.from({ length: 24 }),
          () => runtime.spawn({ ...cat, placement: { split: window } })
        )
        const probes = yield* runtime.probe(made.map(({ handle }) => handle))

        assert.isTrue(probes.every(({ liveness }) => liveness === "live"))
        assert.lengthOf(server.tmux("list-panes", "-t", window.id).trim().split("\n"), 25)
      }).pipe(Effect.scoped), 30_000)
  })
}

describe.concurrent("many panes", () => {
  it.live(
    "that print without end, ten of them, leave another one that is typed into and waited for in step",
    () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        const life = lifeOf(server)
        const runtime = yield* runtimeOn(server)
        const { handle } = yield* runtime.spawn(cat)
        for (let n = 0; n < 10; n++) yield* runtime.spawn({ program: { argv: ["yes"] } })
        for (let n = 0; n < 10; n++) {
          const { mark } = yield* runtime.sendCommand(handle, `round-${n}.`)
          yield* runtime.waitOutput(handle, { pattern: `round-${n}.`, timeout: "30 seconds" })
          assert.isDefined(mark)
        }

        assert.strictEqual(lifeOf(server), life)
      }).pipe(Effect.scoped),
    60_000
  )

  it.live("are made and closed, 300 of them, and leave nothing", () =>
    Effect.gen(function*() {
      const server = yield* runningServer
      const life = lifeOf(server)
      const runtime = yield* runtimeOn(server, { session: "keeper" })
      const before = server.tmux("list-panes", "-a", "-F", "#{pane_id}")
      const made = yield* Effect.forEach(Array.from({ length: 300 }), () => runtime.spawn(cat), { concurrency: 4 })
      const during = yield* runtime.listPanes()
      yield* Effect.forEach(made, ({ handle }) => runtime.closePane(handle), { concurrency: 4 })

      assert.lengthOf(during, 301)
      assert.strictEqual(new Set(made.map(({ handle }) => handle.id)).size, 300)
      assert.strictEqual(server.tmux("list-panes", "-a", "-F", "#{pane_id}"), before)
      assert.strictEqual(lifeOf(server), life)
    }).pipe(Effect.scoped), 120_000)
})
