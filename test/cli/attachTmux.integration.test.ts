import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Pty from "../../layers/Pty.ts"
import type { PaneHandle } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { bin, paneway } from "../fixtures/cli.ts"
import { until } from "../fixtures/processes.ts"
import { runningServer, type TestServer } from "../fixtures/tmuxServers.ts"

const patience = "20 seconds"

/** Somebody with panes on a tmux server, in terminals that are embedded panes of this process. */
const desk = Effect.fnUntraced(function*(server: TestServer) {
  const home = dirname(server.path)
  const config = join(home, "config")
  const env = { ...server.env, HOME: home, XDG_CONFIG_HOME: config }
  const terminals = yield* TerminalRuntime
  const run = (words: ReadonlyArray<string>) => paneway(words, { env, cwd: home })
  const said = (...words: ReadonlyArray<string>) =>
    Effect.map(run(words), ({ code, stderr, stdout }) => {
      assert.strictEqual(code, 0, `${words.join(" ")}: ${stderr}`)
      return stdout.toString().trim()
    })
  /** The printed handle of a pane of that server. */
  const handle = (id: string) =>
    Effect.map(
      paneway(["describe", id, "--json"], { env: { ...env, TMUX: `${server.path},1,0` }, cwd: home }),
      (ended) => {
        assert.strictEqual(ended.code, 0, ended.stderr)
        const { handle }: { readonly handle: string } = JSON.parse(ended.stdout.toString())
        return handle
      }
    )
  const open = (script: string, more: Readonly<Record<string, string>> = {}) =>
    Effect.map(
      terminals.spawn({
        program: { argv: ["sh", "-c", script] },
        cwd: home,
        env: { ...env, ...more },
        size: { columns: 90, rows: 25 }
      }),
      ({ handle }) => handle
    )
  const attaching = (pane: string, words: string) =>
    `stty -g >before; '${process.execPath}' '${bin}' attach '${pane}' ${words}; ` +
    "code=$?; stty -g >after; echo \"code <$code>\"; exec sleep 1000"
  const attach = (pane: string, words = "", more: Readonly<Record<string, string>> = {}) =>
    open(attaching(pane, words), more)
  const seen = (terminal: PaneHandle, pattern: string | RegExp) =>
    terminals.waitOutput(terminal, { pattern, timeout: patience })
  /** The exit code, with the terminal as it was. */
  const ended = Effect.fnUntraced(function*(terminal: PaneHandle) {
    const { groups: [code] } = yield* seen(terminal, /code <(\d+)>/)
    const [before, after] = ["before", "after"].map((name) => readFileSync(join(home, name), "utf8"))
    assert.strictEqual(after, before)
    assert.isFalse((yield* terminals.capture(terminal)).alternate)
    return Number(code)
  })
  return { attach, attaching, ended, handle, home, open, run, said, seen, terminals }
})

const clients = ({ tmux }: TestServer) => tmux("list-clients", "-F", "#{client_control_mode} #{session_name}").trim()

const live = <E>(name: string, body: Effect.Effect<void, E, TerminalRuntime | Scope.Scope>) =>
  it.live(name, () => Effect.scoped(Effect.provide(body, Pty.layer({ shell: "/bin/sh" }))), 90_000)

/** A session `work` of two windows; the second has two panes, and the second of those is meant and not active. */
const crowded = Effect.tap(runningServer, ({ tmux }) =>
  Effect.sync(() => {
    tmux("new-session", "-d", "-s", "work", "-n", "one", "echo in-one; exec cat")
    tmux("new-window", "-d", "-t", "work:", "-n", "two", "echo in-two-a; exec cat")
    tmux("split-window", "-d", "-t", "work:two", "echo in-two-b; exec cat")
  }))

const meant = ({ tmux }: TestServer): string =>
  tmux("list-panes", "-t", "work:two", "-F", "#{pane_id}").trim().split("\n")[1] ?? ""

const active = ({ tmux }: TestServer) =>
  tmux("display-message", "-p", "-t", "work:", "#{window_name} #{pane_id}").trim()

describe("a terminal in which a pane of tmux is attached", () => {
  live(
    "has the user's own client on its session, window and pane, which takes the keys, and detaches with 0",
    Effect.gen(function*() {
      const server = yield* crowded
      const { attach, ended, handle, seen, terminals } = yield* desk(server)
      const id = meant(server)
      const pane = yield* handle(id)
      assert.include(pane, "@")
      const terminal = yield* attach(pane)
      yield* seen(terminal, "in-two-b")
      assert.strictEqual(active(server), `two ${id}`)
      yield* until(() => clients(server) === "0 work")
      yield* terminals.sendCommand(terminal, "typed by hand")
      yield* until(() => server.tmux("capture-pane", "-p", "-t", id).includes("typed by hand\ntyped by hand"))
      yield* terminals.sendKeys(terminal, ["C-b", "d"])

      assert.strictEqual(yield* ended(terminal), 0)
      assert.strictEqual(server.tmux("list-panes", "-t", id, "-F", "#{pane_dead}"), "0\n0\n")
      assert.strictEqual(clients(server), "")
    })
  )

  live(
    "that is a pane of another server of tmux is like any other one",
    Effect.gen(function*() {
      const outer = yield* runningServer
      const server = yield* crowded
      const { attaching, handle, home, open, seen } = yield* desk(server)
      const id = meant(server)
      const pane = yield* handle(id)
      const terminal = yield* open(`exec tmux -S '${outer.path}' -u attach-session -t keeper`)
      yield* until(() => clients(outer) === "0 keeper")
      outer.tmux("respawn-pane", "-k", "-c", home, "-t", "%0", attaching(pane, ""))
      yield* seen(terminal, "in-two-b")
      yield* until(() => clients(server) === "0 work")
      assert.strictEqual(active(server), `two ${id}`)
      server.tmux("detach-client", "-s", "work")
      yield* seen(terminal, "code <0>")
    })
  )

  live(
    "only to look brings nothing to the pane",
    Effect.gen(function*() {
      const server = yield* crowded
      const { attach, handle, seen, terminals } = yield* desk(server)
      const id = meant(server)
      const terminal = yield* attach(yield* handle(id), "--read-only")
      yield* seen(terminal, "in-two-b")
      yield* terminals.sendText(terminal, "nothing of this")
      // tmux takes keys that come at once with a text for a part of it
      const detach = Effect.delay(terminals.sendKeys(terminal, ["C-b", "d"]), "500 millis")
      yield* Effect.raceFirst(seen(terminal, "code <0>"), Effect.forever(detach))

      assert.notInclude(server.tmux("capture-pane", "-p", "-t", id), "nothing")
    })
  )

  live(
    "is left as it was when the session ends, and when the process is told to end",
    Effect.gen(function*() {
      const server = yield* crowded
      const { attach, ended, handle, seen } = yield* desk(server)
      const pane = yield* handle(meant(server))
      const first = yield* attach(pane)
      yield* seen(first, "in-two-b")
      yield* until(() => clients(server) === "0 work")
      const [pid = "0"] = server.tmux("list-clients", "-F", "#{client_pid}").trim().split("\n")
      process.kill(Number(pid), "SIGTERM")
      yield* ended(first)
      const second = yield* attach(pane)
      yield* seen(second, "in-two-b")
      yield* until(() => clients(server) === "0 work")
      server.tmux("kill-session", "-t", "work")
      assert.strictEqual(yield* ended(second), 0)
    })
  )
})

describe("inside the same server", () => {
  live(
    "the client that shows the caller is switched to the pane, and none is started inside it",
    Effect.gen(function*() {
      const server = yield* crowded
      const { attaching, handle, home, open, seen, terminals } = yield* desk(server)
      const id = meant(server)
      const pane = yield* handle(id)
      const terminal = yield* open(`exec tmux -S '${server.path}' -u attach-session -t keeper`)
      yield* until(() => clients(server) === "0 keeper")
      server.tmux("respawn-pane", "-k", "-c", home, "-t", "%0", attaching(pane, ""))
      yield* seen(terminal, "in-two-b")
      yield* until(() => clients(server) === "0 work")

      assert.strictEqual(active(server), `two ${id}`)
      yield* until(() => server.tmux("capture-pane", "-p", "-t", "%0").includes("code <0>"))
      yield* terminals.sendText(terminal, "by the same client")
      yield* until(() => server.tmux("capture-pane", "-p", "-t", id).includes("by the same client"))
    })
  )

  for (
    const [told, words, wanted] of [
      ["a pane that nobody looks at is refused", "", "which nobody looks at"],
      ["--read-only is refused, since the client is the person's own", "--read-only", "without --read-only"]
    ] as const
  ) {
    live(
      told,
      Effect.gen(function*() {
        const server = yield* crowded
        const { attaching, handle, home, open } = yield* desk(server)
        const pane = yield* handle(meant(server))
        if (words !== "") {
          yield* open(`exec tmux -S '${server.path}' -u attach-session -t keeper`)
          yield* until(() => clients(server) === "0 keeper")
        }
        // without the variables that tell it: the terminal does
        server.tmux("respawn-pane", "-k", "-c", home, "-t", "%0", `unset TMUX TMUX_PANE; ${attaching(pane, words)}`)
        const shown = () => server.tmux("capture-pane", "-p", "-J", "-t", "%0")
        yield* until(() => shown().includes("code <6>"))
        assert.include(shown().replaceAll("\n", " "), wanted)
        assert.strictEqual(active(server).split(" ")[0], "one")
      })
    )
  }
})

describe("attaching a pane of tmux is refused", () => {
  live(
    "outside a terminal, with a key that is not tmux's, and of what is not there",
    Effect.gen(function*() {
      const server = yield* crowded
      const { attach, ended, handle, run, seen } = yield* desk(server)
      const pane = yield* handle("%0")
      const alone = yield* run(["attach", pane])
      assert.deepStrictEqual([alone.code, alone.stdout.toString()], [2, ""])
      assert.include(alone.stderr, "needs a terminal")
      const keyed = yield* attach(pane, "--detach-key 'ctrl+]'")
      assert.strictEqual(yield* ended(keyed), 2)
      yield* seen(keyed, "keys of its own")
      server.tmux("kill-session", "-t", "work")
      assert.strictEqual(yield* ended(yield* attach(pane.replace("%0", "%99"))), 4)
    })
  )

  live(
    "where its server has ended, and where the program tmux is missing",
    Effect.gen(function*() {
      const server = yield* crowded
      const { attach, ended, handle, home, seen } = yield* desk(server)
      const pane = yield* handle("%0")
      const config = join(home, "config", "paneway")
      mkdirSync(config, { recursive: true })
      writeFileSync(join(config, "config.yml"), "tmux: { binary: /nonexistent/tmux }\n")
      const without = yield* attach(pane)
      assert.strictEqual(yield* ended(without), 3)
      yield* seen(without, "/nonexistent/tmux")
      rmSync(join(config, "config.yml"))
      server.tmux("kill-server")
      assert.strictEqual(yield* ended(yield* attach(pane)), 3)
      assert.throws(() => server.tmux("list-sessions"))
    })
  )
})
