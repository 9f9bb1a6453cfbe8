import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Semaphore from "effect/Semaphore"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Pty from "../../layers/Pty.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import * as Recorder from "../../src/testing/Recorder.ts"
import { type Shell, shells } from "../fixtures/shells.ts"

const layer = Pty.layer({ size: { columns: 100, rows: 30 } })
/** The same terminal, as a runtime has it that gives no bytes. */
const shown = layer.pipe(Layer.provide(Recorder.layer(Recorder.make({ without: ["output"] }))))

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "paneway-test-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

/** What keeps this process busy goes one after the other: each has all of its time. */
const alone = Semaphore.makeUnsafe(1)

const open = (shell: Shell, size = { columns: 100, rows: 30 }) =>
  Effect.gen(function*() {
    const runtime = yield* TerminalRuntime
    const { handle: pane } = yield* runtime.spawn({ program: { argv: shell.argv }, env: shell.env, size })
    const run = (command: string, options: { readonly ansi?: boolean; readonly maxOutput?: number } = {}) =>
      runtime.run(pane, { command, timeout: "1 minute", ...options })
    return { runtime, pane, run }
  })

describe.concurrent("run in a pane that is no shell at its prompt", () => {
  const programs: ReadonlyArray<readonly [name: string, ...argv: [string, ...Array<string>]]> = [
    ["python", "/usr/bin/python3", "-q", "-i"],
    ["node", process.execPath, "-i"],
    ["a program that reads lines", "cat"]
  ]

  it.live.each(programs)(
    "case 106: types nothing to %s, in a pane of its own and below a shell",
    ([, ...argv]) =>
      Effect.gen(function*() {
        const runtime = yield* TerminalRuntime
        const own = yield* runtime.spawn({ program: { argv } })
        const shell = yield* runtime.spawn({ program: { argv: ["/bin/sh", "-i"] }, env: { PS1: "$ ", ENV: "" } })
        yield* runtime.sendCommand(shell.handle, argv.join(" "))
        yield* Effect.repeat(runtime.describe(shell.handle), {
          until: ({ atShell }) => atShell === false,
          schedule: Schedule.spaced("10 millis").pipe(Schedule.upTo({ duration: "30 seconds" }))
        })
        const codes = yield* Effect.forEach(
          [own, shell],
          ({ handle }) => Effect.flip(runtime.run(handle, { command: "1+1", timeout: "1 second" }))
        )

        assert.deepInclude(codes[0], { _tag: "SendRejected", code: "not-a-shell" })
        assert.deepInclude(codes[1], { _tag: "SendRejected", code: "busy" })
        for (const { handle } of [own, shell]) assert.notInclude((yield* runtime.capture(handle)).text, "1+1")
      }).pipe(Effect.provide(layer))
  )
})

describe.concurrent.each(shells)("$name", (shell) => {
  const { language, name } = shell

  it.live("gives the exit code and exactly the output of each kind of command", () =>
    Effect.gen(function*() {
      const { run } = yield* open(shell)
      const table: ReadonlyArray<readonly [command: string, exitCode: number, output: string]> = [
        ["echo hello", 0, "hello\n"],
        ["true", 0, ""],
        ["false", 1, ""],
        [language.keep, 0, ""],
        [language.kept, 0, "a b\n"],
        [language.loop, 0, "row 1\nrow 2\nrow 3\n"],
        [language.quoting, 0, "it's \\\\\n"],
        ["echo one\necho two\nfalse", 1, "one\ntwo\n"],
        ["echo one\r\necho two", 0, "one\ntwo\n"],
        ["seq 3 | sort -r | tr '\\n' ,", 0, "3,2,1,"],
        ["printf '%s' abc", 0, "abc"],
        ["echo; echo x; echo", 0, "\nx\n\n"],
        ["printf ' lead and trail  \\n\\n\\n'", 0, " lead and trail  \n\n\n"],
        [`printf '%s\\n' "it's" '$HOME' '!!' 'a!b' '#' ';' '%'`, 0, "it's\n$HOME\n!!\na!b\n#\n;\n%\n"],
        [`echo 'tab\there'\nprintf '%s\\n' 'bang!\\back !echo !!'`, 0, "tab\there\nbang!\\back !echo !!\n"],
        ["echo 'ünï 漢字 👍🏽'", 0, "ünï 漢字 👍🏽\n"],
        ["echo hello # the end", 0, "hello\n"],
        [language.subshell, 4, "in\n"],
        ["sh -c 'echo out; echo err >&2; exit 7'", 7, "out\nerr\n"],
        ["sh -c 'kill -9 $$'", 137, "*"],
        ["no-such-command-here", 127, "*"],
        [language.broken, -1, "*"],
        ["printf 'crlf\\r\\nlf\\n'", 0, "crlf\r\nlf\n"],
        ["printf '10%%\\r99%%\\r100%%\\n'", 0, "10%\r99%\r100%\n"],
        ["printf 'gone'; clear; echo stays", 0, "gonestays\n"],
        ["cd /usr; pwd", 0, "/usr\n"],
        ["pwd", 0, "/usr\n"],
        ["stty -echo; echo quiet; stty echo", 0, "quiet\n"],
        ["stty -onlcr; printf 'a\\nb\\n'; stty onlcr", 0, "a\nb\n"],
        ["printf 'pw-b pw-e:0\\n'", 0, "pw-b pw-e:0\n"],
        [`echo ${"x".repeat(2000)}`, 0, `${"x".repeat(2000)}\n`]
      ]
      for (const [command, exitCode, output] of table) {
        const result = yield* run(command)

        if (output !== "*") assert.deepStrictEqual([command, result.output], [command, output])
        if (exitCode === -1) assert.notStrictEqual(result.exitCode, 0)
        else assert.deepStrictEqual([command, result.exitCode], [command, exitCode])
        assert.isFalse(result.truncated)
      }
    }).pipe(Effect.provide(layer)), 120_000)

  it.live("strips colour codes and all other sequences, or keeps the colours that were asked for", () =>
    Effect.gen(function*() {
      const { run } = yield* open(shell)
      const command =
        `printf '\\033[1;31mred\\033[0m \\033]8;;http://x\\033\\\\link\\033]8;;\\033\\\\ \\033]0;title\\007\\033[2Kend\\n'`
      const plain = yield* run(command)
      const colours = yield* run(command, { ansi: true })

      assert.strictEqual(plain.output, "red link end\n")
      assert.strictEqual(colours.output, "\u001b[1;31mred\u001b[0m link end\n")
    }).pipe(Effect.provide(layer)))

  it.live("gives 10 MB exactly, and the last lines of what is longer than was asked for", () =>
    Effect.gen(function*() {
      const { run } = yield* open(shell)
      const line = `${"0123456789 é ".repeat(7)}\n`
      const lines = Math.ceil(10 * 1024 * 1024 / Buffer.byteLength(line))
      const command = `yes '${line.trimEnd()} ' | head -n ${lines}`
      const all = yield* run(command)
      const some = yield* run(command, { maxOutput: 100_000 })

      assert.deepInclude({ ...all, output: "" }, { exitCode: 0, truncated: false })
      assert.strictEqual(all.output.length, line.length * lines)
      assert.isTrue(all.output === line.repeat(lines))
      assert.deepInclude({ ...some, output: "" }, { exitCode: 0, truncated: true })
      assert.isAtLeast(some.output.length, 80_000)
      assert.isAtMost(some.output.length, 200_000)
      assert.isTrue(some.output === line.repeat(some.output.length / line.length))
    }).pipe(Effect.provide(layer), (test) => alone.withPermit(test)), 240_000)

  it.live("runs a command that reads the terminal, with what is typed to it", () =>
    Effect.gen(function*() {
      const { pane, run, runtime } = yield* open(shell)
      const running = yield* Effect.forkChild(run("sh -c 'printf \"name? \"; read -r x; echo \"<$x>\"'"))
      yield* runtime.waitOutput(pane, { pattern: /^name\?$/, timeout: "30 seconds" })
      yield* runtime.sendCommand(pane, "Ada")

      // the terminal itself echoes what is typed
      assert.deepInclude(yield* Fiber.join(running), { exitCode: 0, output: "name? Ada\n<Ada>\n" })
    }).pipe(Effect.provide(layer)))

  it.live("does not wait for background jobs, and leaves what they print later out", () =>
    Effect.gen(function*() {
      const { pane, run, runtime } = yield* open(shell)
      const { exitCode, output } = yield* run("sh -c 'sleep 0.4; echo la\"\"te' &\necho started")
      const later = yield* runtime.waitOutput(pane, { pattern: /late$/, timeout: "30 seconds" })
      const next = yield* run("echo next")

      // where the shell tells the number of a job, it is the command that has it told
      assert.match(output, /^(?:\[\d\] \d+\n)?started\n$/)
      assert.strictEqual(exitCode, 0)
      assert.match(later.line, /late$/)
      // a shell may tell of the job's end whenever it comes to it
      assert.match(next.output, /^(?:\[\d\] .*\n)?next\n$/)
    }).pipe(Effect.provide(layer)))

  it.live("gives the pane's code for a command that ends its shell", () =>
    Effect.gen(function*() {
      const ends: ReadonlyArray<readonly [command: string, exitCode: number, output: string]> = [
        ["echo bye; exit 5", 5, "bye\n"],
        ["exec sh -c 'printf there; exit 6'", 6, "there"],
        ...(name === "fish" ? [] : [["set -e; echo before; (exit 3); echo after", 3, "before\n"] as const])
      ]
      for (const [command, exitCode, output] of ends) {
        const { pane, run } = yield* open(shell)
        const result = yield* run(command)

        // bash itself says that it exits
        assert.strictEqual(result.output.replace(/^exit\n/m, ""), output)
        assert.deepInclude(result, { exitCode, truncated: false })
        assert.deepInclude(yield* Effect.flip(run("true")), { _tag: "SendRejected" })
        assert.isDefined(pane)
      }
    }).pipe(Effect.provide(layer)))

  it.live.skipIf(name === "fish")("goes on under set -e until a command fails", () =>
    Effect.gen(function*() {
      const { run } = yield* open(shell)

      assert.deepInclude(yield* run("set -e"), { exitCode: 0, output: "" })
      assert.deepInclude(yield* run("echo one | cat; false || echo two"), { exitCode: 0, output: "one\ntwo\n" })
      assert.deepInclude(yield* run("sh -c 'exit 9'"), { exitCode: 9 })
    }).pipe(Effect.provide(layer)))

  it.live("leaves a command running that does not end, and what it prints can be waited for", () =>
    Effect.gen(function*() {
      const { pane, run, runtime } = yield* open(shell)
      const fifo = join(yield* folder, "fifo")
      execFileSync("/usr/bin/mkfifo", [fifo])
      yield* run("true")
      const error = yield* Effect.flip(
        runtime.run(pane, { command: `echo early; head -n 1 ${fifo}; echo af''ter`, timeout: "1500 millis" })
      )
      yield* Effect.repeat(runtime.describe(pane), {
        until: ({ command }) => command === "head",
        schedule: Schedule.spaced("10 millis").pipe(Schedule.upTo({ duration: "30 seconds" }))
      })
      const busy = yield* Effect.flip(run("true"))
      yield* Effect.promise(() => writeFile(fifo, "go\n"))
      assert(error._tag === "CommandUnfinished" && error.lastSeen._tag === "Screen")
      const { line } = yield* runtime.waitOutput(pane, {
        pattern: /^after$/,
        timeout: "30 seconds",
        after: error.report.mark
      })
      yield* runtime.waitStable(pane, { quiet: "200 millis", timeout: "30 seconds" })

      assert.include(error.lastSeen.screen.text, "early")
      assert.isUndefined(error.ended)
      assert.deepInclude(busy, { _tag: "SendRejected", code: "busy" })
      assert.strictEqual(line, "after")
      assert.strictEqual((yield* run("echo again")).output, "again\n")
    }).pipe(Effect.provide(layer)))

  it.live("types where a line wraps many times", () =>
    Effect.gen(function*() {
      const { run } = yield* open(shell, { columns: 20, rows: 6 })

      for (const word of ["first", "second"]) {
        const { exitCode, output, truncated } = yield* run(
          `printf '%s and a line that wraps\\n' ${word}; sh -c 'exit 2'`
        )

        assert.deepStrictEqual([exitCode, output, truncated], [2, `${word} and a line that wraps\n`, false])
      }
    }).pipe(Effect.provide(layer)))

  it.live("has what the scrollback holds, where the runtime gives no bytes", () =>
    Effect.gen(function*() {
      const { run } = yield* open(shell)
      const exact: ReadonlyArray<readonly [command: string, exitCode: number, output: string]> = [
        ["echo hello", 0, "hello\n"],
        ["printf '%s' abc", 0, "abc"],
        [language.loop, 0, "row 1\nrow 2\nrow 3\n"],
        [language.subshell, 4, "in\n"]
      ]
      for (const [command, exitCode, output] of exact) {
        assert.deepInclude(yield* run(command), { exitCode, output, truncated: false })
      }
      const long = yield* run("seq 5000; sh -c 'exit 3'")
      const ended = yield* run("echo bye; exit 5")

      assert.deepInclude({ ...long, output: "" }, { exitCode: 3, truncated: true })
      assert.isTrue(long.output.endsWith("\n4999\n5000\n"))
      assert.deepInclude(ended, { exitCode: 5, truncated: false })
      assert.match(ended.output, /^bye\n(?:exit\n)?$/)
    }).pipe(Effect.provide(shown)))
})
