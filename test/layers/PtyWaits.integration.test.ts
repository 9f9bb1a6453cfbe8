import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Pty from "../../layers/Pty.ts"
import type { Size } from "../../src/Contract.ts"
import type { RuntimeEvent } from "../../src/Lifecycle.ts"
import type { PaneHandle } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { until } from "../fixtures/processes.ts"

const { PATH = "" } = process.env
/** A bare environment, so that nobody's settings print into the panes. */
const env = { PATH, HOME: "/", LANG: "C.UTF-8", PS1: "$ ", SHELL: "/bin/sh" }
const layer = Pty.layer({ size: { columns: 80, rows: 24 }, env })

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "paneway-test-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)
const spawn = (argv: readonly [string, ...Array<string>], size?: Size) =>
  TerminalRuntime.use((rt) => Effect.map(rt.spawn({ program: { argv }, size }), ({ handle }) => handle))
const sh = (script: string, size?: Size) => spawn(["sh", "-c", script], size)

const shells = {
  bash: ["bash", "--norc", "--noprofile", "-i"],
  sh: ["sh", "-i"]
} as const

const run = (pane: PaneHandle, command: string, timeout: "10 seconds" | "300 millis" = "10 seconds") =>
  TerminalRuntime.use((rt) => rt.run(pane, { command, timeout }))

describe.concurrent("a wait in the embedded pty", () => {
  it.live("finds what was printed right before the end, 30 of 30", () =>
    Effect.gen(function*() {
      const rt = yield* TerminalRuntime
      for (let n = 0; n < 30; n++) {
        const pane = yield* sh(`read -r go; echo DONE-${n}; exit ${n}`)
        const { mark } = yield* rt.capture(pane)
        const fiber = yield* Effect.forkChild(
          rt.waitOutput(pane, { pattern: /^DONE-\d+$/, timeout: "30 seconds", after: mark }),
          { startImmediately: true }
        )
        yield* rt.sendCommand(pane, "go")

        assert.strictEqual((yield* Fiber.join(fiber)).line, `DONE-${n}`)
        yield* rt.closePane(pane)
      }
    }).pipe(Effect.provide(layer)))

  it.live("fails with the exit and the last screen as soon as the pane ends", () =>
    Effect.gen(function*() {
      const rt = yield* TerminalRuntime
      const pane = yield* sh("echo bye; sleep 0.2; exit 3")
      const error = yield* Effect.flip(rt.waitOutput(pane, { pattern: "never", timeout: "1 hour" }))

      assert.deepInclude(error, { _tag: "PaneEnded", exit: { code: 3 } })
      assert(error._tag === "PaneEnded" && error.lastSeen._tag === "Screen")
      assert.include(error.lastSeen.screen.text, "bye")
    }).pipe(Effect.provide(layer)))

  it.live("case 94: matches across the wrap of a narrow pane, wherever it stands", () =>
    Effect.gen(function*() {
      const rt = yield* TerminalRuntime
      for (const columns of [5, 13, 20, 40]) {
        for (const offset of [0, 3, 11, 17, 19]) {
          const pane = yield* sh(`printf '%s\\n' '${"x".repeat(offset)}DONE-MARK'; read -r x`, { columns, rows: 24 })
          const hit = yield* rt.waitOutput(pane, { pattern: /^x*DONE-MARK$/, timeout: "30 seconds" })

          assert.strictEqual(hit.line, `${"x".repeat(offset)}DONE-MARK`)
          yield* rt.closePane(pane)
        }
      }
    }).pipe(Effect.provide(layer)))

  it.live("case 98, case 101: finds a line that a burst has scrolled off the screen", () =>
    Effect.gen(function*() {
      const rt = yield* TerminalRuntime
      for (const more of [1, 50, 500]) {
        const pane = yield* sh(`read -r go; echo TARGET; seq 1 ${more}; read -r x`)
        const { mark } = yield* rt.capture(pane)
        const plain = yield* Effect.forkChild(
          rt.waitOutput(pane, { pattern: /^TARGET$/, timeout: "30 seconds" }),
          { startImmediately: true }
        )
        yield* rt.sendCommand(pane, "go")

        assert.strictEqual((yield* Fiber.join(plain)).line, "TARGET")
        const marked = yield* rt.waitOutput(pane, { pattern: "TARGET", timeout: "30 seconds", after: mark })
        assert.isFalse(marked.markLost)
        yield* rt.closePane(pane)
      }
    }).pipe(Effect.provide(layer)))

  it.live("case 112: is not disturbed by colours, links and private modes", () =>
    Effect.gen(function*() {
      const rt = yield* TerminalRuntime
      const text = [..."Do you want"].map((letter) => `\\033[3${letter.charCodeAt(0) % 8}m${letter}\\033[0m`).join("")
      const pane = yield* sh(
        `printf '\\033[?25l\\033]8;;http://x\\033\\\\${text}\\033]8;;\\033\\\\ to go?\\033[?25h\\n'; read -r x`
      )
      const hit = yield* rt.waitOutput(pane, { pattern: /^Do you want to go\?$/, timeout: "30 seconds" })

      assert.strictEqual(hit.text, "Do you want to go?")
    }).pipe(Effect.provide(layer)))

  it.live("for a still screen sees the end of a burst", () =>
    Effect.gen(function*() {
      const rt = yield* TerminalRuntime
      const pane = yield* sh("for n in 1 2 3 4 5 6 7 8; do echo $n; sleep 0.05; done; read -r x")
      const screen = yield* rt.waitStable(pane, { quiet: "1 second", timeout: "15 seconds" })

      assert.include(screen.text, "8")
    }).pipe(Effect.provide(layer)))

  it.live("for what exists sees panes come, end and go", () =>
    Effect.gen(function*() {
      const rt = yield* TerminalRuntime
      const events: Array<RuntimeEvent> = []
      const fiber = yield* Effect.forkChild(
        Stream.runForEach(
          Stream.takeUntil(rt.events, ({ _tag }) => _tag === "WindowClosed"),
          (event) => Effect.sync(() => events.push(event))
        ),
        { startImmediately: true }
      )
      const pane = yield* sh("read -r x; exit 7")
      yield* rt.waitLifecycle({ condition: "pane-exists", target: pane, timeout: "30 seconds" })
      yield* until(() => events.some(({ _tag }) => _tag === "PaneOpened"))
      yield* rt.sendCommand(pane, "go")
      const exited = yield* rt.waitLifecycle({ condition: "pane-exited", target: pane, timeout: "30 seconds" })
      yield* until(() => events.some(({ _tag }) => _tag === "PaneExited"))
      yield* rt.closePane(pane)
      yield* Fiber.join(fiber)

      assert.deepInclude(exited, { observed: "exited", exit: { code: 7 } })
      assert.deepStrictEqual(events.map(({ _tag }) => _tag), [
        "WindowOpened",
        "PaneOpened",
        "PaneExited",
        "PaneClosed",
        "WindowClosed"
      ])
    }).pipe(Effect.timeout("50 seconds"), Effect.provide(layer)))
})

for (const [name, argv] of Object.entries(shells)) {
  describe.concurrent(`run in ${name} in the embedded pty`, () => {
    for (const columns of [20, 80]) {
      it.live(`gives exactly the command's own output and exit code at ${columns} columns`, () =>
        Effect.gen(function*() {
          const pane = yield* spawn(argv, { columns, rows: 10 })
          const cases = [
            ["true", 0, ""],
            ["false", 1, ""],
            ["echo hello", 0, "hello\n"],
            ["printf 'no newline'", 0, "no newline"],
            ["printf 'a\\nb\\n\\n'", 0, "a\nb\n\n"],
            ["printf '%s' ''; (exit 42)", 42, ""],
            ["seq 1 40", 0, Array.from({ length: 40 }, (_, n) => `${n + 1}\n`).join("")],
            [`printf '%s\\n' ${"w".repeat(50)}`, 0, `${"w".repeat(50)}\n`],
            [`printf '%s' ${"v".repeat(20)}`, 0, "v".repeat(20)],
            ["echo it\\'s \"two words\" '$HOME' # a comment", 0, "it's two words $HOME\n"],
            ["echo 'bang!' one!two", 0, "bang! one!two\n"],
            ["echo one; echo two >&2", 0, "one\ntwo\n"],
            ["echo first\necho second", 0, "first\nsecond\n"],
            ["for n in 1 2\ndo\n\tprintf '%s\\n' \"n=$n\" '\\t'\ndone", 0, "n=1\n\\t\nn=2\n\\t\n"],
            ["cat <<'END'\na 'quoted' line\nEND", 0, "a 'quoted' line\n"],
            ["echo héllo 漢字", 0, "héllo 漢字\n"]
          ] as const
          for (const [command, exitCode, output] of cases) {
            const result = yield* run(pane, command)

            assert.deepInclude({ command, ...result }, { command, exitCode, output, truncated: false })
          }
        }).pipe(Effect.provide(layer)))
    }

    it.live("runs in the shell itself: directory and variables stay, a syntax error is an exit code", () =>
      Effect.gen(function*() {
        const pane = yield* spawn(argv)
        yield* run(pane, "cd /tmp && PLACE=there")
        const where = yield* run(pane, "pwd; echo $PLACE")
        const broken = yield* run(pane, "if then (")
        const missing = yield* run(pane, "no-such-program-here")

        assert.strictEqual(where.output, "/tmp\nthere\n")
        assert.notStrictEqual(broken.exitCode, 0)
        assert.strictEqual(missing.exitCode, 127)
        assert.strictEqual((yield* run(pane, "echo alive")).output, "alive\n")
      }).pipe(Effect.provide(layer)))

    it.live("case 100: misses no command that ends at once, 50 of 50", () =>
      Effect.gen(function*() {
        const pane = yield* spawn(argv)
        for (let n = 0; n < 50; n++) {
          const { exitCode, output } = yield* run(pane, `echo ${n}`)

          assert.deepStrictEqual([exitCode, output], [0, `${n}\n`])
        }
      }).pipe(Effect.provide(layer)))

    it.live("leaves a command running that does not end, and is refused while it does", () =>
      Effect.gen(function*() {
        const rt = yield* TerminalRuntime
        const pane = yield* spawn(argv)
        yield* run(pane, "true")
        const go = join(yield* folder, "go")
        const unfinished = yield* Effect.flip(
          run(pane, `sh -c 'until test -e ${go}; do sleep 0.05; done'; echo after`, "300 millis")
        )
        const busy = yield* Effect.flip(run(pane, "true"))
        writeFileSync(go, "")
        assert(unfinished._tag === "CommandUnfinished")
        const later = yield* rt.waitOutput(pane, {
          pattern: /^after$/,
          timeout: "30 seconds",
          after: unfinished.report.mark
        })

        assert.deepInclude(busy, { _tag: "SendRejected", code: "busy" })
        assert.strictEqual(later.line, "after")
        yield* rt.waitStable(pane, { quiet: "200 millis", timeout: "30 seconds" })
        assert.strictEqual((yield* run(pane, "echo again")).output, "again\n")
      }).pipe(Effect.provide(layer)))
  })
}

it.live("case 106: run types nothing into what is no shell", () =>
  Effect.gen(function*() {
    const rt = yield* TerminalRuntime
    const pane = yield* spawn(["cat"])
    const error = yield* Effect.flip(run(pane, "echo x"))
    yield* Effect.sleep("100 millis")

    assert.deepInclude(error, { _tag: "SendRejected", code: "not-a-shell" })
    assert.strictEqual((yield* rt.capture(pane)).text, "")
  }).pipe(Effect.provide(layer)))

describe.concurrent("the end of a command in the embedded pty", () => {
  it.live("is seen wherever the command left the cursor, with no row of an earlier one", () =>
    Effect.gen(function*() {
      for (const move of ["\\033[H", "\\033[20A", "\\033[2J", "\\033c"]) {
        const pane = yield* spawn(shells.bash)
        yield* run(pane, "for n in $(seq 1 20); do echo OTHER$n; done")
        const { exitCode, output } = yield* run(pane, `printf '${move}'; echo DONE; (exit 4)`)

        assert.strictEqual(exitCode, 4)
        assert.notInclude(output, "OTHER")
      }
    }).pipe(Effect.provide(layer)))
})
