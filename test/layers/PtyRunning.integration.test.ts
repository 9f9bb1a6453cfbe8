import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Pty from "../../layers/Pty.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"

const layer = Pty.layer({ size: { columns: 100, rows: 30 } })

const shells: ReadonlyArray<readonly [name: string, program: string, ...args: ReadonlyArray<string>]> = [
  ["sh", "/bin/sh", "-i"],
  ["bash", "/bin/bash", "--norc", "--noprofile", "-i"],
  ["bash without an editor", "/bin/bash", "--norc", "--noprofile", "--noediting", "-i"],
  ["zsh", "/bin/zsh", "-f", "-i"]
]

const open = (argv: readonly [string, ...Array<string>]) =>
  Effect.gen(function*() {
    const runtime = yield* TerminalRuntime
    const { handle: pane } = yield* runtime.spawn({ program: { argv }, env: { PS1: "$ ", PS4: "+ ", LC_ALL: "C" } })
    const run = (command: string) => runtime.run(pane, { command, timeout: "10 seconds" })
    return { runtime, pane, run }
  })

describe.each(shells)("a command that is run in %s", (_, program, ...args) => {
  const shell = open([program, ...args])

  it.live("has its own output and code where the shell traces what it runs", () =>
    Effect.gen(function*() {
      const { run } = yield* shell
      const on = yield* run("set -x")
      const traced = yield* run("echo one; (exit 3)")
      const lines = yield* run("echo two\necho three")
      const broken = yield* run("if then (")
      const off = yield* run("set +x")
      const plain = yield* run("echo four; (exit 5)")

      assert.deepInclude(on, { exitCode: 0, output: "", truncated: false })
      // the trace of the command itself is on the terminal, as it is for a person
      const own = (output: string) =>
        output.split("\n").filter((line) => !/^\++ (?!printf|command|eval|case)/.test(line))
      assert.deepInclude({ ...traced, output: own(traced.output) }, { exitCode: 3, output: ["one", ""] })
      assert.match(traced.output, /^\++ echo one\none\n\++ exit 3\n$/)
      assert.deepInclude({ ...lines, output: own(lines.output) }, { exitCode: 0, output: ["two", "three", ""] })
      assert.include([1, 2], broken.exitCode)
      // zsh reads all of what is evaluated before it runs any of it
      const complaint = broken.output.replace(program === "/bin/zsh" ? /^\+ eval .*\n/ : "", "")
      assert.match(complaint, /^.*(?:syntax|parse) error.*\n(?:.*\n)?$/i)
      assert.match(off.output, /^\++ set \+x\n$/)
      assert.deepInclude(plain, { exitCode: 5, output: "four\n", truncated: false })
    }).pipe(Effect.provide(layer)))

  it.live("is traced to the end of it, where it switches that on itself", () =>
    Effect.gen(function*() {
      const { run } = yield* shell
      const { exitCode, output } = yield* run("set -x; (exit 4)")

      assert.strictEqual(exitCode, 4)
      assert.match(output, /^\++ exit 4\n$/)
    }).pipe(Effect.provide(layer)))

  it.live("is not added to a line that is half typed there", () =>
    Effect.gen(function*() {
      const { pane, run, runtime } = yield* shell
      yield* runtime.sendText(pane, "echo half; ")
      const refused = yield* Effect.flip(run("echo whole"))
      yield* runtime.sendKeys(pane, ["C-u"])
      const cancelled = yield* run("echo whole")
      yield* runtime.sendText(pane, "echo half")
      yield* runtime.sendKeys(pane, ["Enter"])
      const submitted = yield* run("echo whole")

      assert.deepInclude(refused, { _tag: "SendRejected", code: "busy" })
      assert.strictEqual(cancelled.output, "whole\n")
      assert.strictEqual(submitted.output, "whole\n")
      assert.notInclude((yield* runtime.capture(pane)).text, "half; {")
    }).pipe(Effect.provide(layer)))

  it.live("is not added to a line that Ctrl-C was to drop, however busy the shell was then", () =>
    Effect.gen(function*() {
      const { pane, run, runtime } = yield* shell
      // Ctrl-C ends a shell that has not begun to mind it
      yield* runtime.waitOutput(pane, { pattern: /\$ ?$/, timeout: "10 seconds" })
      for (let round = 0; round < 5; round++) {
        yield* runtime.sendText(pane, "echo half; ")
        yield* runtime.sendKeys(pane, ["C-c"])

        assert.deepInclude(yield* run("echo whole"), { exitCode: 0, output: "whole\n" })
      }
    }).pipe(Effect.provide(layer)))
})
