import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { type Ended, paneway, started } from "../fixtures/cli.ts"
import { running, seconds, until } from "../fixtures/processes.ts"
import { emptyServer, runningServer, type TestServer } from "../fixtures/tmuxServers.ts"

/** Somebody whose config file names that server. */
const userOf = (server: TestServer) => {
  const home = dirname(server.path)
  mkdirSync(join(home, "config/paneway"), { recursive: true })
  writeFileSync(join(home, "config/paneway/config.yml"), `tmux: {server: {path: "${server.path}"}}\n`)
  const options = { env: { ...server.env, HOME: home, XDG_CONFIG_HOME: join(home, "config") }, cwd: home }
  const words = (args: ReadonlyArray<string>) => ["run", "--runtime", "tmux", ...args]
  return {
    home,
    run: (...args: ReadonlyArray<string>) => paneway(words(args), options),
    start: (...args: ReadonlyArray<string>) => started(words(args), options),
    other: (...args: ReadonlyArray<string>) => paneway(args, options),
    data: (input: string, ...args: ReadonlyArray<string>) => paneway(words(args), { ...options, input }),
    panes: () => server.tmux("list-panes", "-a", "-F", "#{session_name}").trim().split("\n")
  }
}

const seen = ({ code, stderr, stdout }: Ended) => [stdout.toString(), code, stderr]
const sh = (script: string) => ["--", "sh", "-c", script]

describe.concurrent("paneway run --runtime tmux", () => {
  it.live("starts a server where none runs, prints, exits with the command's code and leaves no server", () =>
    Effect.gen(function*() {
      const server = yield* emptyServer
      const { home, run } = userOf(server)
      const ended = yield* run("--env", "A=b c", ...sh("echo \"$A\"; pwd; test -n \"$TMUX\" && tty >/dev/null; exit 3"))

      assert.deepStrictEqual(seen(ended), [`b c\n${home}\n`, 3, ""])
      assert.throws(() => server.tmux("list-sessions"))
    }))

  it.live("prints lines as they were printed, whole, up to what tmux keeps", () =>
    Effect.gen(function*() {
      const { panes, run } = userOf(yield* runningServer)
      const open = yield* run(...sh("printf 'a\\n\\n\\033[31mred\\033[m'"))
      const long = yield* run(...sh("printf '%0300d|\\n' 7; seq 1000"))
      const more = yield* run("--json", ...sh("seq 3000"))
      const numbers = (first: number, last: number) =>
        Array.from({ length: last - first + 1 }, (_, n) => `${first + n}\n`).join("")
      const { output, truncated }: { output: string; truncated: boolean } = JSON.parse(more.stdout.toString())

      assert.deepStrictEqual(seen(open), ["a\n\nred", 0, ""])
      assert.deepStrictEqual(seen(long), [`${"7".padStart(300, "0")}|\n${numbers(1, 1000)}`, 0, ""])
      assert.deepStrictEqual([output, truncated], [numbers(3001 - output.split("\n").slice(1).length, 3000), true])
      assert.deepStrictEqual(panes(), ["keeper"])
    }), 30_000)

  it.live("tells signals, missing programs, and input that no pane could be given", () =>
    Effect.gen(function*() {
      const { data, panes, run } = userOf(yield* runningServer)
      const killed = yield* run("--json", ...sh("kill -USR1 $$"))
      const missing = yield* run("--", "no-such-program")
      const refused = yield* data("y\n", "--", "cat")

      assert.deepStrictEqual([killed.code, JSON.parse(killed.stdout.toString()).signal], [138, "SIGUSR1"])
      assert.deepStrictEqual([missing.code, refused.code], [127, 2])
      assert.match(refused.stderr, /^paneway: standard input has data, [^\n]*\n$/)
      assert.deepStrictEqual(panes(), ["keeper"])
    }), 30_000)

  it.live("--keep leaves the pane in its window, for all other verbs", () =>
    Effect.gen(function*() {
      const { other, run } = userOf(yield* runningServer)
      const kept = yield* run("--keep", "--window", "build", ...sh("echo kept; exit 4"))
      const [, pane = ""] = /^paneway: the pane is kept: (tmux:\S+)\n$/.exec(kept.stderr) ?? []
      const shown = yield* other("capture", pane)
      const windows = yield* other("windows", "--runtime", "tmux")

      assert.deepStrictEqual([kept.stdout.toString(), kept.code], ["kept\n", 4])
      assert.deepStrictEqual(seen(shown), ["kept\n", 0, ""])
      assert.match(windows.stdout.toString(), / build /)
    }), 30_000)

  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    it.live(`leaves neither pane nor command when ${signal} ends it`, () =>
      Effect.gen(function*() {
        const { panes, start } = userOf(yield* runningServer)
        const n = seconds()
        const { child, ended } = yield* start("--", "sleep", n)
        yield* until(() => running(n).some((pid) => !running("--runtime").includes(pid)))
        child.kill(signal)

        assert.strictEqual((yield* ended).code, 130)
        assert.deepStrictEqual(panes(), ["keeper"])
        yield* until(() => running(n).length === 0)
      }), 30_000)
  }
})
