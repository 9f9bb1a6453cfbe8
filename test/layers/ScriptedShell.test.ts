import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { TestClock } from "effect/testing"
import * as Scripted from "../../layers/Scripted.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"

const open = Effect.gen(function*() {
  const runtime = yield* TerminalRuntime
  const script = yield* Scripted.Script
  const { handle: pane } = yield* runtime.spawn({ env: { NAME: "ada", SECRET: "x" } })
  return { runtime, script, pane }
})

/** Commands with their exit codes and outputs, one after the other in one shell. */
const commands: ReadonlyArray<readonly [string, number, string]> = [
  ["true", 0, ""],
  ["false", 1, ""],
  ["echo hello", 0, "hello\n"],
  ["echo -n hello", 0, "hello"],
  ["echo \"$NAME's\" '$NAME' \\$x", 0, "ada's $NAME $x\n"],
  ["printf '%s-%d\\n' a 1 b 2", 0, "a-1\nb-2\n"],
  ["false || echo or && echo and", 0, "or\nand\n"],
  ["true || echo no; echo yes", 0, "yes\n"],
  ["true && false; echo $?", 0, "1\n"],
  ["X=1; Y=\"$(echo $X; echo 2)\"; echo \"<$Y>\"", 0, "<1\n2>\n"],
  ["echo kept $X # not this", 0, "kept 1\n"],
  ["case b in (a) echo one;; b|c) echo two;; esac", 0, "two\n"],
  ["{ echo in; } 2>/dev/null; echo out >/dev/null", 0, "in\n"],
  ["cd /a/b; cd ../c; pwd; echo $PWD", 0, "/a/c\n/a/c\n"],
  ["cd /nowhere 2>/dev/null", 1, ""],
  ["expr 6 '*' 7", 0, "42\n"],
  ["expr 1 + 2 + 3", 2, "sh: expr: only NUMBER OPERATOR NUMBER is understood here\n"],
  ["eval 'echo a'; command echo b", 0, "a\nb\n"],
  ["export Z=9; echo ${Z}", 0, "9\n"],
  ["nosuch thing", 127, "sh: nosuch: not found\n"],
  ["nosuch 2>/dev/null", 127, ""],
  ["echo a | cat", 2, "sh: syntax error: | is not understood here\n"],
  ["echo a > file", 2, "sh: syntax error: redirection is not understood here\n"],
  ["echo one\necho two", 0, "one\ntwo\n"]
]

describe("the virtual shell", () => {
  it.effect("runs its commands as sh does", () =>
    Effect.gen(function*() {
      const { pane, runtime } = yield* open
      for (const [command, exitCode, output] of commands) {
        assert.deepInclude(yield* runtime.run(pane, { command, timeout: "5 seconds" }), { exitCode, output }, command)
      }
    }).pipe(Effect.provide(Scripted.layer({ directories: (path) => path !== "/nowhere" }))))

  it.effect("runs what is typed for each shell that run knows, and asks the test for the command alone", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const script = yield* Scripted.Script
      for (const name of ["sh", "bash", "dash", "ash", "zsh", "fish"]) {
        const asked: Array<string> = []
        yield* script.respond((line) => {
          asked.push(line)
          return line === "make" ? { print: "made\n", code: 2 } : undefined
        })
        const { handle } = yield* runtime.spawn({ program: { argv: [name] } })
        const result = yield* runtime.run(handle, { command: "make", timeout: "5 seconds" })

        assert.deepInclude(result, { exitCode: 2, output: "made\n" }, name)
        assert.deepStrictEqual(asked, ["make"], name)
      }
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("sleeps by the clock, is busy meanwhile, and can be interrupted", () =>
    Effect.gen(function*() {
      const { pane, runtime } = yield* open
      yield* runtime.sendCommand(pane, "sleep 10; echo slept")
      assert.deepInclude(yield* runtime.describe(pane), { command: "sleep", atShell: false })
      yield* runtime.sendCommand(pane, "echo queued")
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual((yield* runtime.capture(pane)).rows, [
        "$ sleep 10; echo slept",
        "echo queued",
        "slept",
        "$ queued",
        "$"
      ])

      yield* runtime.sendCommand(pane, "sleep 10")
      yield* runtime.sendKeys(pane, ["C-c"])
      yield* runtime.sendCommand(pane, "echo $?")
      assert.deepStrictEqual((yield* runtime.capture(pane, { range: { tail: 4 } })).rows, [
        "^C",
        "$ echo $?",
        "130",
        "$"
      ])
      assert.deepInclude(yield* runtime.describe(pane), { command: "sh", atShell: true })
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("a command that does not end in time is left running", () =>
    Effect.gen(function*() {
      const { pane, runtime } = yield* open
      const fiber = yield* Effect.forkChild(
        Effect.flip(runtime.run(pane, { command: "sleep 60; echo end", timeout: "5 seconds" })),
        { startImmediately: true }
      )
      yield* TestClock.adjust("5 seconds")
      const error = yield* Fiber.join(fiber)
      assert(error._tag === "CommandUnfinished")
      const wait = yield* Effect.forkChild(
        runtime.waitOutput(pane, { pattern: /^end$/, after: error.report.mark, timeout: "2 minutes" }),
        { startImmediately: true }
      )
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* Fiber.join(wait)).text, "end")
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("answers of the test come first: by line, in order, by a function, and in one pane before all", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      const output = (command: string) =>
        Effect.map(runtime.run(pane, { command, timeout: "5 seconds" }), (result) => [result.exitCode, result.output])

      yield* script.respond({ "echo own": "mine", "npm test": { print: "1 failed\n", code: 1 } })
      assert.deepStrictEqual(yield* output("echo own"), [0, "mine\n"])
      assert.deepStrictEqual(yield* output("npm test"), [1, "1 failed\n"])
      assert.deepStrictEqual(yield* output("cd / && npm test || echo again"), [0, "1 failed\nagain\n"])

      assert.deepStrictEqual(yield* output("X=\"$(npm test)\"; echo \"<$X>\""), [0, "<1 failed>\n"])

      yield* script.respond(["first", Effect.succeed("second")], pane)
      assert.deepStrictEqual(yield* output("npm test"), [0, "first\n"])
      assert.deepStrictEqual(yield* output("any"), [0, "second\n"])
      assert.deepStrictEqual(yield* output("echo own"), [0, "mine\n"])

      yield* script.respond((line) => line.startsWith("git ") ? `git said ${line.slice(4)}` : undefined, pane)
      assert.deepStrictEqual(yield* output("git status"), [0, "git said status\n"])
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("an answer may end the program, and the pane is held, closed or given a shell as was asked", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const script = yield* Scripted.Script
      yield* script.respond({ crash: { print: "oh\n", ends: { signal: "SIGSEGV" } } })
      const ended = yield* Effect.forEach(["hold", "close", "shell"] as const, (onExit) =>
        Effect.gen(function*() {
          const { handle } = yield* runtime.spawn({ onExit, program: { argv: ["sh"] } })
          yield* runtime.sendCommand(handle, "crash")
          return yield* Effect.result(runtime.describe(handle))
        }))

      assert.deepStrictEqual(
        ended.map((one) => one._tag === "Success" ? one.success.exit ?? one.success.command : one.failure._tag),
        [{ signal: "SIGSEGV" }, "TargetNotFound", "sh"]
      )
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("a program of lines prints its own answers to what the test leaves to it", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const script = yield* Scripted.Script
      yield* script.respond({ a: "from the test" })
      const { handle } = yield* runtime.spawn({})
      for (const line of ["a", "b"]) yield* runtime.sendCommand(handle, line)

      assert.deepStrictEqual((yield* runtime.capture(handle)).rows, ["> a", "from the test", "> b", "own b", ">"])
    }).pipe(Effect.provide(Scripted.layer({
      program: Scripted.lines({ name: "own", prompt: "> ", answer: (line) => `own ${line}` })
    }))))

  it.effect("a pane has the variables that were set for it, but those that it shall not have", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      yield* runtime.setEnvironment({ name: "A", value: "set" })
      yield* runtime.setEnvironment({ name: "B", value: Redacted.make("hidden") })
      const { handle } = yield* runtime.spawn({ env: { C: "own" }, unset: ["A"] })
      const { output } = yield* runtime.run(handle, { command: "echo \"<$A> <$B> <$C>\"", timeout: "5 seconds" })

      assert.strictEqual(output, "<> <hidden> <own>\n")
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("Ctrl-C ends a program that does not mind it, and what has ended does nothing any more", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const script = yield* Scripted.Script
      yield* script.respond({ later: { takes: "1 minute", print: "too late\n" } })
      const { handle } = yield* runtime.spawn({ program: { argv: ["ask"] } })
      yield* runtime.sendCommand(handle, "later")
      yield* runtime.sendKeys(handle, ["C-c"])
      yield* TestClock.adjust("2 minutes")

      assert.deepStrictEqual((yield* runtime.describe(handle)).exit, { signal: "SIGINT" })
      assert.deepStrictEqual((yield* runtime.capture(handle)).rows, ["later", "^C"])
    }).pipe(Effect.provide(Scripted.layer({ programs: { ask: Scripted.lines({ name: "ask" }) } }))))

  it.effect("starts a line of a shell, a command of its own, or a program of the test, and nothing else", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const spawned = (program: Parameters<typeof runtime.spawn>[0]["program"]) =>
        Effect.gen(function*() {
          const { exit, handle } = yield* runtime.spawn({ program })
          return [exit, (yield* runtime.capture(handle)).text]
        })

      assert.deepStrictEqual(yield* spawned({ shell: "echo a; exit 3" }), [{ code: 3 }, "a"])
      assert.deepStrictEqual(yield* spawned({ argv: ["/bin/echo", "it's"] }), [{ code: 0 }, "it's"])
      assert.deepStrictEqual(yield* spawned({ argv: ["bash", "-c", "false"] }), [{ code: 1 }, ""])
      assert.deepStrictEqual(yield* spawned({ argv: ["ask", "x"] }), [undefined, "ask x:"])
      const failure = yield* Effect.flip(runtime.spawn({ program: { argv: ["nosuch"] } }))
      assert.deepInclude(failure, { _tag: "SpawnFailed", reason: "missing-program", created: "nothing" })
      const nowhere = yield* Effect.flip(runtime.spawn({ cwd: "/nowhere" }))
      assert.deepInclude(nowhere, { _tag: "SpawnFailed", reason: "bad-directory", created: "nothing" })
    }).pipe(Effect.provide(Scripted.layer({
      directories: (path) => path !== "/nowhere",
      programs: { ask: (argv) => Scripted.lines({ name: "ask", prompt: `${argv.join(" ")}: ` }) }
    }))))

  it.effect("a program that fails by itself says so and ends with 1", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { exit, handle } = yield* runtime.spawn({})

      assert.deepStrictEqual(exit, { code: 1 })
      assert.include((yield* runtime.capture(handle)).text, "broken: Error: no")
    }).pipe(Effect.provide(Scripted.layer({
      program: { name: "broken", run: () => Effect.die(new Error("no")) }
    }))))
})
