import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { createHash, randomBytes } from "node:crypto"
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Pty from "../../layers/Pty.ts"
import type { SpawnRequest } from "../../src/Contract.ts"
import * as Passthrough from "../../src/Passthrough.ts"
import type { PaneHandle } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { running, seconds, until } from "../fixtures/processes.ts"

const { PATH } = process.env
const layer = Pty.layer({ size: { columns: 80, rows: 24 } })

const spawn = (argv: readonly [string, ...Array<string>], more: Omit<SpawnRequest, "program"> = {}) =>
  TerminalRuntime.use((rt) => rt.spawn({ program: { argv }, ...more }))
const sh = (script: string, more?: Omit<SpawnRequest, "program">) => spawn(["sh", "-c", script], more)

const text = <E, R>(stream: Stream.Stream<Uint8Array, E, R>) =>
  Effect.map(Stream.runCollect(stream), (chunks) => Buffer.concat(chunks).toString("latin1"))
const printed = (pane: PaneHandle) => TerminalRuntime.use((rt) => text(rt.output(pane)))
const exitOf = (pane: PaneHandle) => TerminalRuntime.use((rt) => Effect.map(rt.describe(pane), ({ exit }) => exit))

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "paneway-test-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

/** By these a program would take the pane for one of another terminal, or of another size. */
const around = [
  ..."TMUX TMUX_PANE ACE_TMUX_SESSION STY WINDOW WINDOWID TERMCAP COLUMNS LINES".split(" "),
  ..."TERM_PROGRAM TERM_PROGRAM_VERSION ZELLIJ ZELLIJ_SESSION_NAME ZELLIJ_PANE_ID HERDR_PANE_ID".split(" "),
  ..."KITTY_WINDOW_ID KITTY_LISTEN_ON WEZTERM_PANE WEZTERM_UNIX_SOCKET PANEWAY_INPUT PANEWAY_SOCKET".split(" "),
  "PANEWAY_SESSION"
]

describe("a program in the embedded pty", () => {
  it.live("prints to a terminal of its own, from the first byte to the last", () =>
    Effect.gen(function*() {
      const { handle } = yield* sh("test -t 0 && test -t 1 && test -t 2 && printf 'on %s\\n' \"$TERM\"; printf end")

      assert.strictEqual(yield* printed(handle), "on xterm-256color\r\nend")
    }).pipe(Effect.provide(layer)))

  it.live("has its exit code, its signal and nothing before it ended", () =>
    Effect.gen(function*() {
      const code = yield* sh("exit 3")
      const killed = yield* sh("kill -9 $$")
      const lives = yield* sh("read line")
      yield* printed(code.handle)
      yield* printed(killed.handle)

      assert.deepStrictEqual(yield* exitOf(code.handle), { code: 3 })
      assert.deepStrictEqual(yield* exitOf(killed.handle), { code: 137, signal: "SIGKILL" })
      assert.isUndefined(yield* exitOf(lives.handle))
    }).pipe(Effect.provide(layer)))

  it.live("shows its last 64 KB in the capture made when its end was seen, 20 of 20", () =>
    Effect.gen(function*() {
      const rt = yield* TerminalRuntime
      for (let n = 0; n < 20; n++) {
        const { handle } = yield* sh(`seq 1 12000; echo last-${n}`)
        yield* rt.waitLifecycle({ condition: "pane-exited", target: handle, timeout: "10 seconds" })
        const screen = yield* rt.capture(handle, { range: "full" })

        assert.deepStrictEqual(screen.rows.slice(-3), ["11999", "12000", `last-${n}`])
        yield* rt.closePane(handle)
      }
    }).pipe(Effect.provide(layer)))

  it.live("loses nothing to a reader that is slower than it", () =>
    Effect.gen(function*() {
      const rt = yield* TerminalRuntime
      const { handle } = yield* sh("seq 1 200000")
      const slowly = rt.output(handle).pipe(
        Stream.tap((chunk) => chunk.length % 7 === 0 ? Effect.sleep("1 millis") : Effect.void)
      )
      const all = yield* text(slowly)

      assert.strictEqual(all.length, Array.from({ length: 200_000 }, (_, n) => `${n + 1}\r\n`).join("").length)
      assert.isTrue(all.endsWith("199999\r\n200000\r\n"))
    }).pipe(Effect.provide(layer)))

  it.live("types what it is sent and shows what it answers", () =>
    Effect.gen(function*() {
      const rt = yield* TerminalRuntime
      const { handle } = yield* sh("while read -r line; do echo \"got ${#line} [$line]\"; done")
      yield* rt.sendCommand(handle, "it's; $HOME 'quoted' \\")
      const match = yield* rt.waitOutput(handle, { pattern: /got (\d+) (.*)/, timeout: "30 seconds" })

      assert.deepStrictEqual(match.groups, ["22", "[it's; $HOME 'quoted' \\]"])
    }).pipe(Effect.provide(layer)))

  it.live("is told the size and each new one", () =>
    Effect.gen(function*() {
      const rt = yield* TerminalRuntime
      const { handle } = yield* sh("trap 'stty size' WINCH; stty size; while :; do sleep 0.02; done", {
        size: { columns: 100, rows: 30 }
      })
      yield* rt.waitOutput(handle, { pattern: "30 100", timeout: "30 seconds" })
      yield* rt.resize(handle, { columns: 66, rows: 22 })
      yield* rt.waitOutput(handle, { pattern: "22 66", timeout: "30 seconds" })
    }).pipe(Effect.provide(layer)))

  it.live("gets the requested environment, and none of the multiplexer around it", () =>
    Effect.gen(function*() {
      const inside = Pty.layer({
        env: {
          PATH,
          ...Object.fromEntries(around.map((name) => [name, "outer"])),
          KEPT: "yes",
          GONE: "1",
          NONE: undefined
        }
      })
      const output = yield* Effect.gen(function*() {
        const pane = yield* sh("env", { env: { ADDED: "a=b c", SECRET: Redacted.make("s3cret") }, unset: ["GONE"] })
        return yield* printed(pane.handle)
      }).pipe(Effect.provide(inside))
      const names = output.split("\r\n")

      assert.includeMembers(names, ["KEPT=yes", "ADDED=a=b c", "SECRET=s3cret", "TERM=xterm-256color"])
      assert.notMatch(output, /outer|GONE|NONE|undefined/)
    }))

  it.live("starts in the requested directory", () =>
    Effect.gen(function*() {
      const folder = yield* temporary
      const { handle } = yield* sh("pwd", { cwd: folder })

      assert.strictEqual(yield* printed(handle), `${folder}\r\n`)
    }).pipe(Effect.provide(layer)))
})

describe("what cannot be started", () => {
  it.live("fails typed before any pane exists", () =>
    Effect.gen(function*() {
      const rt = yield* TerminalRuntime
      const folder = yield* temporary
      writeFileSync(join(folder, "plain"), "text")
      symlinkSync(join(folder, "circle"), join(folder, "circle"))
      const cases = [
        [spawn(["no-such-program-here"]), "missing-program", 127],
        [spawn(["./missing"], { cwd: folder }), "missing-program", 127],
        [spawn(["./plain"], { cwd: folder }), "not-executable", 126],
        [spawn([folder]), "not-executable", 126],
        [spawn(["true"], { cwd: join(folder, "missing") }), "bad-directory", 9],
        [spawn(["true"], { cwd: join(folder, "plain") }), "bad-directory", 9],
        [spawn(["true"], { cwd: "/tmp/\0x" }), "bad-directory", 9],
        [spawn(["true"], { cwd: join(folder, "circle") }), "bad-directory", 9],
        [spawn(["true"], { cwd: join(folder, "x".repeat(300)) }), "bad-directory", 9],
        [spawn([join(folder, "circle")]), "missing-program", 127],
        [spawn(["x".repeat(300)]), "missing-program", 127],
        [spawn(["true"], { env: { "A=B": "x" } }), "bad-environment", 9],
        [spawn(["true", "a\0b"]), "bad-request", 9],
        [spawn(["true", "x".repeat(200_000)]), "no-space", 9],
        [spawn(["true"], { env: { BIG: "x".repeat(200_000) } }), "no-space", 9]
      ] as const
      for (const [attempt, reason, exitCode] of cases) {
        const error = yield* Effect.flip(attempt)

        assert.deepInclude(error, { _tag: "SpawnFailed", reason, created: "nothing" })
        assert.strictEqual(Runtime.getErrorExitCode(error), exitCode)
      }

      assert.deepStrictEqual(yield* rt.listPanes(), [])
    }).pipe(Effect.provide(layer)))
})

describe("closing", () => {
  const script = (n: string) =>
    `nohup sleep ${n} >/dev/null 2>&1 & (setsid sleep ${n} <&- >&- 2>&- &); (trap '' HUP TERM; sleep ${n}) & sleep ${n}`

  it.live("case 146: a pane ends all it started: background, nohup, setsid, and what ignores signals", () =>
    Effect.gen(function*() {
      const rt = yield* TerminalRuntime
      const n = seconds()
      const { handle } = yield* sh(script(n))
      yield* until(() => running(n).length >= 4)

      assert.strictEqual(yield* rt.closePane(handle), "closed")
      assert.deepStrictEqual(running(n), [])
      assert.strictEqual(yield* rt.closePane(handle), "already-closed")
      assert.deepStrictEqual((yield* rt.probe([handle])).map(({ liveness }) => liveness), ["gone"])
    }).pipe(Effect.provide(layer)))

  it.live("the layer's scope ends all panes", () =>
    Effect.gen(function*() {
      const [a, b] = [seconds(), seconds()]
      yield* Effect.gen(function*() {
        yield* sh(script(a))
        yield* sh(script(b))
        yield* until(() => running(a).length >= 4 && running(b).length >= 4)
      }).pipe(Effect.provide(layer))

      assert.deepStrictEqual([running(a), running(b)], [[], []])
    }))

  it.live("a pane on its end happens by itself when that was asked for", () =>
    Effect.gen(function*() {
      const rt = yield* TerminalRuntime
      const { handle } = yield* sh("exit 0", { onExit: "close" })
      const seen = yield* rt.waitLifecycle({ condition: "pane-exited", target: handle, timeout: "30 seconds" })

      assert.include(["absent", "exited"], seen.observed)
      yield* Effect.repeat(rt.listPanes(), {
        until: (panes) => panes.length === 0,
        schedule: Schedule.spaced("10 millis")
      })
    }).pipe(Effect.timeout("30 seconds"), Effect.provide(layer)))
})

describe("a held pane", () => {
  it.live("keeps its screen and refuses text", () =>
    Effect.gen(function*() {
      const rt = yield* TerminalRuntime
      const { handle } = yield* sh("echo over; exit 7")
      yield* printed(handle)
      const error = yield* Effect.flip(rt.sendText(handle, "x"))

      assert.deepInclude(error, { _tag: "SendRejected", code: "pane-dead" })
      assert.deepStrictEqual((yield* rt.capture(handle)).rows, ["over"])
      assert.deepStrictEqual((yield* rt.probe([handle])).map(({ liveness }) => liveness), ["live"])
    }).pipe(Effect.provide(layer)))
})

describe("bytes from a pipe", () => {
  const feed = Effect.fnUntraced(function*(argv: readonly [string, ...Array<string>], data: Uint8Array) {
    const through = Option.getOrThrow(yield* Passthrough.Passthrough)
    const { handle } = yield* through.open({ program: { argv } }, { input: "pipe", replies: true })
    yield* Effect.forkScoped(Effect.andThen(through.write(handle, data), through.end(handle)))
    return yield* printed(handle)
  })

  it.live("reach a program on a terminal one by one, then the end of file", () =>
    Effect.gen(function*() {
      for (const size of [0, 1, 4000, 4001, 4096, 8192, 300_000]) {
        const data = randomBytes(size)
        const sum = createHash("sha256").update(data).digest("hex")

        assert.strictEqual(yield* feed(["sha256sum"], data), `${sum}  -\r\n`)
      }
    }).pipe(Effect.provide(layer)))

  it.live("are one line longer than a terminal's own limit", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* feed(["wc", "-c"], Buffer.alloc(100_000, "x")), "100000\r\n")
    }).pipe(Effect.provide(layer)))

  it.live("are not echoed and are no signals", () =>
    Effect.gen(function*() {
      const output = yield* feed(
        ["sh", "-c", "test -t 0 && cat -v"],
        Buffer.from("x\x03\x1a\x7f\r\x13\x11\x15\x16\x04y")
      )

      assert.strictEqual(output, "x^C^Z^?^M^S^Q^U^V^Dy")
    }).pipe(Effect.provide(layer)))
})
