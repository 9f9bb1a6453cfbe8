import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { realpathSync } from "node:fs"
import { dirname } from "node:path"
import * as Tmux from "../../layers/Tmux.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { runningServer, type TestServer } from "../fixtures/tmuxServers.ts"

const runtimeOn = Effect.fnUntraced(function*({ env, path }: TestServer, more: Tmux.Options) {
  const built = yield* Layer.build(Layer.fresh(Tmux.layer({ server: { path }, env, ...more })))
  return Context.get(built, TerminalRuntime)
})

/** What people have in their files, and what is in the way of programs that drive tmux. */
const settings: ReadonlyArray<ReadonlyArray<string>> = [
  ["set-option", "-g", "base-index", "1"],
  ["set-option", "-gw", "pane-base-index", "1"],
  ["set-option", "-g", "renumber-windows", "on"],
  ["set-option", "-gw", "mode-keys", "vi"],
  ["set-option", "-g", "mouse", "on"],
  ["set-option", "-g", "status-right", "#(date) #S"],
  ["set-option", "-g", "set-titles", "on"],
  ["set-option", "-gw", "automatic-rename", "on"],
  ["set-option", "-gw", "allow-rename", "on"],
  ["set-option", "-gw", "remain-on-exit", "on"],
  ["set-option", "-g", "default-command", "exec sleep 999"],
  ["set-option", "-g", "history-limit", "50000"],
  ["set-option", "-s", "-a", "command-alias", "send-keys=display-message stolen"],
  ["set-option", "-s", "-a", "command-alias", "capture-pane=display-message stolen"],
  ["set-hook", "-g", "after-send-keys", "display-message -p of-a-hook"],
  ["set-hook", "-g", "after-new-window", "set-option -g @hooked 1"],
  ["set-hook", "-g", "client-attached", "display-message -p attached"]
]

for (const way of ["control", "forked"] as const) {
  describe(`a tmux with settings of its user (${way})`, () => {
    it.live("case 64: serves as any other one, and is as before afterwards", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        for (const words of settings) server.tmux(...words)
        server.tmux("split-window", "-d", "-t", "keeper", "exec sleep 1000")
        server.tmux("rename-window", "-t", "keeper", "of the user")
        server.tmux("set-buffer", "of the user")
        const look = () => [
          server.tmux("show-options", "-g"),
          server.tmux("show-options", "-s"),
          server.tmux("show-hooks", "-g"),
          server.tmux(
            "list-windows",
            "-a",
            "-F",
            "#{window_id} #{window_name} #{window_width}x#{window_height} #{window_layout} #{window_active}"
          ),
          server.tmux("list-panes", "-a", "-F", "#{pane_id} #{pane_active} #{pane_in_mode}"),
          server.tmux("list-buffers"),
          server.tmux("show-environment", "-g"),
          server.tmux("show-environment", "-t", "keeper")
        ]
        const before = look()
        const root = realpathSync(dirname(server.path))
        yield* Effect.gen(function*() {
          const runtime = yield* runtimeOn(server, { way, session: "keeper" })
          const window = yield* runtime.ensureWindow({ name: "build", root })
          const { handle } = yield* runtime.preparePane({ window: window.handle })
          const { mark } = yield* runtime.sendCommand(handle, "printf '%s-%s\\n' all done; pwd")
          const { line } = yield* runtime.waitOutput(handle, {
            pattern: "all-done",
            after: mark,
            timeout: "10 seconds"
          })
          const again = yield* runtime.ensureWindow({ name: "build", root })
          yield* runtime.sendText(handle, "x".repeat(5000))
          const { text } = yield* runtime.capture(handle, { range: "full" })

          assert.match(line, /^(?:[$#] )?all-done$/)
          assert.strictEqual(again.handle.id, window.handle.id)
          assert.include(text, root)
          assert.notInclude(text, "stolen")
          assert.strictEqual(yield* runtime.closeWindow(window.handle), "closed")
        }).pipe(Effect.scoped)

        const hooked = (text: string) => text.replaceAll(/^@hooked 1\n/gm, "")
        assert.deepStrictEqual(look().map(hooked), before)
      }).pipe(Effect.scoped))
  })
}

describe("the caller's own pane", () => {
  it.live("case 73: is the one that its variables name, whatever is active, and no other server's", () =>
    Effect.gen(function*() {
      const server = yield* runningServer
      server.tmux("new-session", "-d", "-s", "mine", "exec sleep 1000")
      const pane = server.tmux("list-panes", "-t", "mine", "-F", "#{pane_id}").trim()
      const inside = (socket: string) =>
        Effect.flatMap(
          runtimeOn(server, { env: { ...server.env, TMUX: `${socket},1,0`, TMUX_PANE: pane } }),
          (runtime) => Effect.map(runtime.context, (context) => ({ runtime, context }))
        )
      const { context, runtime } = yield* inside(server.path)
      const opened = yield* runtime.spawn({ program: { argv: ["cat"] } })
      const elsewhere = yield* inside("/tmp/another")

      assert(context.inRuntime)
      assert.strictEqual(context.pane.id, pane)
      assert.strictEqual(opened.session, "mine")
      assert.isFalse(elsewhere.context.inRuntime)
    }).pipe(Effect.scoped))
})

describe("a private server", () => {
  it.live("is named by its workspace, and two layers with that name have one", () =>
    Effect.gen(function*() {
      const server = yield* runningServer
      const name = Tmux.privateServer(dirname(server.path))
      const env = { ...server.env, TMUX_TMPDIR: dirname(server.path) }
      const on = () =>
        Effect.map(Layer.build(Layer.fresh(Tmux.layer({ server: { name }, env, session: "w" }))), (built) =>
          Context.get(built, TerminalRuntime))
      const one = yield* on()
      const { handle } = yield* one.spawn({ program: { argv: ["cat"] } })
      const other = yield* on()
      const [probe] = yield* other.probe([handle])
      assert.strictEqual(probe?.liveness, "live")
      assert.strictEqual(yield* other.closeSession("w"), "closed")
    }).pipe(Effect.scoped))
})
