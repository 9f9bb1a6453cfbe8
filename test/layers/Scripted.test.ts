import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { TestClock } from "effect/testing"
import * as Scripted from "../../layers/Scripted.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { program as everywhere } from "../use/everywhere.ts"
import { orchestrate } from "../use/orchestrator.ts"

const open = Effect.gen(function*() {
  const runtime = yield* TerminalRuntime
  const script = yield* Scripted.Script
  const { handle: pane } = yield* runtime.spawn({})
  return { runtime, script, pane }
})

const shown = Effect.fnUntraced(function*(lines: number) {
  const runtime = yield* TerminalRuntime
  const [pane] = yield* runtime.listPanes()
  if (pane === undefined) return []
  return (yield* runtime.capture(pane.handle, { range: { tail: lines } })).rows
})

describe("Scripted", () => {
  it.effect("shows what was typed and what the virtual shell prints", () =>
    Effect.gen(function*() {
      const { pane, runtime } = yield* open

      yield* runtime.sendCommand(pane, "echo hello")

      assert.deepStrictEqual(yield* shown(3), ["$ echo hello", "hello", "$"])
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("runs a command to its exit code and its own output", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      yield* script.respond({ "make test": { print: "12 passed\n", code: 3 } })

      const own = yield* runtime.run(pane, { command: "echo a; echo b; false", timeout: "5 seconds" })
      const answered = yield* runtime.run(pane, { command: "make test", timeout: "5 seconds" })
      const several = yield* runtime.run(pane, { command: "echo one\necho 'two'\n", timeout: "5 seconds" })

      assert.deepInclude(own, { exitCode: 1, output: "a\nb\n" })
      assert.deepInclude(answered, { exitCode: 3, output: "12 passed\n" })
      assert.deepInclude(several, { exitCode: 0, output: "one\ntwo\n" })
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("a program over the service alone does the same here", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(everywhere, { startImmediately: true })
      yield* TestClock.adjust("1 second")
      const seen = yield* Fiber.join(fiber)

      assert.deepStrictEqual(seen, {
        name: "sums-more",
        same: true,
        conflict: "WindowConflict",
        outcome: ["admitted", "bytes"],
        line: "42",
        refused: "SendRejected",
        late: "WaitTimeout",
        found: true,
        closed: ["closed", "already-closed"],
        gone: "TargetNotFound"
      })
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("TRN-38 an orchestrator of agents runs on it unchanged", () =>
    Effect.gen(function*() {
      const script = yield* Scripted.Script
      yield* script.respond((line) => line === "go" ? { takes: "1 minute", agent: "blocked" } : "12 passed")
      const tasks = ["a", "b", "c"].map((name) => ({ name, root: `/w/${name}`, prompt: "go" }))

      const fiber = yield* Effect.forkChild(orchestrate(tasks), { startImmediately: true })
      yield* TestClock.adjust("2 hours")
      const { all, first, panes: [pane], test } = yield* Fiber.join(fiber)

      assert.strictEqual(first.state, "blocked")
      assert.deepStrictEqual(all, Option.some(tasks.length))
      assert.isDefined(pane)
      assert.deepStrictEqual((yield* test(pane)).groups, ["12"])
    }).pipe(Effect.provide(Scripted.layer({ profile: "agent-aware" }))))

  it.effect("ACE-41 records each mutation with its target, in order, and nothing of a refused send", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      yield* script.clearLog

      yield* Effect.flip(runtime.send(pane, { command: "ls", items: [{ message: "x" }] }))
      assert.deepStrictEqual(yield* script.log, [])

      yield* runtime.sendCommand(pane, "true")
      yield* runtime.resize(pane, { columns: 40, rows: 10 })
      yield* runtime.closePane(pane)
      assert.deepStrictEqual(yield* script.log, [
        new Scripted.Typed({ target: pane, text: "true", paste: false }),
        new Scripted.Pressed({ target: pane, key: "Enter" }),
        new Scripted.Resized({ target: pane, columns: 40, rows: 10 }),
        new Scripted.Closed({ target: pane })
      ])
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("records a command that is run as the command, and the Enter that submits it", () => {
    const commands = ["true", "echo 'it is'", "printf 'a!\\n'\n\techo \"b\"", "eval 'echo x'"]
    const runs = Effect.fnUntraced(function*(command: string) {
      const { pane, runtime, script } = yield* open
      yield* script.clearLog
      yield* Effect.forkScoped(Effect.exit(runtime.run(pane, { command, timeout: "1 second" })), {
        startImmediately: true
      })
      yield* TestClock.adjust("2 seconds")

      assert.deepStrictEqual(yield* script.log, [
        new Scripted.Ran({ target: pane, command }),
        new Scripted.Pressed({ target: pane, key: "Enter" })
      ])
    })
    return Effect.forEach(["sh", "zsh", "fish"], (name) =>
      Effect.provide(
        // the virtual shell reads no quotes of fish
        Effect.forEach(name === "fish" ? ["true"] : commands, (command) => Effect.scoped(runs(command))),
        Scripted.layer({ program: Scripted.shell({ name }) })
      ))
  })
})
