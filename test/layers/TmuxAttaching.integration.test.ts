import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Pty from "../../layers/Pty.ts"
import * as Tmux from "../../layers/Tmux.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { until } from "../fixtures/processes.ts"
import { runningServer, type TestServer } from "../fixtures/tmuxServers.ts"

const script = fileURLToPath(new URL("../fixtures/attachSession.ts", import.meta.url))
const attaching = (path: string, session: string) => `stty sane; '${process.execPath}' '${script}' '${path}' ${session}`

const clients = ({ tmux }: TestServer) => {
  const shown = tmux("list-clients", "-F", "#{client_control_mode} #{session_name}").trim().split("\n")
  return shown.filter((line) => line.startsWith("0")).join()
}

const withTwo = Effect.tap(
  runningServer,
  ({ tmux }) => Effect.sync(() => tmux("new-session", "-d", "-s", "other", "echo in-the-other; exec cat"))
)

describe("a program that attaches to a session of tmux", () => {
  it.live("is told why it cannot, without a terminal and without such a session", () =>
    Effect.gen(function*() {
      const { env, path } = yield* runningServer
      const layer = Layer.fresh(Tmux.layer({ server: { path }, env }))
      const [absent, alone] = yield* Effect.gen(function*() {
        const runtime = yield* TerminalRuntime
        assert.strictEqual(runtime.capabilities.attach, "native")
        return [yield* runtime.attach({ session: "keep" }), yield* runtime.attach({ session: "keeper" })] as const
      }).pipe(Effect.provide(layer))

      assert(absent._tag === "Unsupported" && alone._tag === "Unsupported")
      assert.include(absent.reason, "there is no session keep")
      assert.include(alone.reason, "has no terminal")
    }).pipe(Effect.scoped))

  it.live("goes on when its person has detached, with the terminal as it was", () =>
    Effect.gen(function*() {
      const server = yield* withTwo
      const runtime = yield* TerminalRuntime
      const home = dirname(server.path)
      const { handle } = yield* runtime.spawn({
        program: {
          argv: ["sh", "-c", `stty sane; stty -g; ${attaching(server.path, "other")}; stty -g; echo over; exec cat`]
        },
        env: server.env,
        cwd: join(home)
      })
      yield* runtime.waitOutput(handle, { pattern: "in-the-other", timeout: "20 seconds" })
      yield* runtime.sendKeys(handle, ["C-b", "d"])
      yield* runtime.waitOutput(handle, { pattern: /^said \{"_tag":"Attached"\}\.$/, timeout: "20 seconds" })
      yield* runtime.waitOutput(handle, { pattern: /^over$/, timeout: "20 seconds" })
      const { rows } = yield* runtime.capture(handle)
      const settings = rows.filter((row) => /^[0-9a-f]+(?::[0-9a-f]+)+$/.test(row))
      assert.lengthOf(settings, 2)
      assert.strictEqual(settings[1], settings[0])
    }).pipe(Effect.scoped, Effect.provide(Pty.layer())), 60_000)

  it.live("inside the same server has its person's client switched", () =>
    Effect.gen(function*() {
      const server = yield* withTwo
      const runtime = yield* TerminalRuntime
      const { handle } = yield* runtime.spawn({
        program: { argv: ["tmux", "-S", server.path, "-u", "attach-session", "-t", "keeper"] },
        env: server.env
      })
      yield* until(() => clients(server) === "0 keeper")
      server.tmux("respawn-pane", "-k", "-t", "%0", `${attaching(server.path, "other")}; exec sleep 1000`)
      yield* runtime.waitOutput(handle, { pattern: "in-the-other", timeout: "20 seconds" })
      assert.strictEqual(clients(server), "0 other")
      yield* until(() => server.tmux("capture-pane", "-p", "-t", "%0").includes("said {\"_tag\":\"Attached\"}."))
    }).pipe(Effect.scoped, Effect.provide(Pty.layer())), 60_000)
})
