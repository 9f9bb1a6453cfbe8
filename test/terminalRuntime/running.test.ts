import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import * as Scripted from "../../layers/Scripted.ts"
import type { Primitives } from "../../src/Contract.ts"
import * as PaneLocks from "../../src/PaneLocks.ts"
import * as RuntimeError from "../../src/RuntimeError.ts"
import { Pane } from "../../src/Target.ts"
import * as TerminalRuntime from "../../src/TerminalRuntime.ts"
import * as Memory from "../fixtures/Memory.ts"
import * as Watched from "../fixtures/Watched.ts"

const start = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

/** What a shell prints for the typed line, if the command prints the output and ends with the code. */
const shell = (output: string, code: number) => (line: string): string => {
  const [begin = [], end = []] = [...line.matchAll(/'(pw-[be])' '(\w+)'/g)]
  return `${begin[1]}${begin[2]}\n${output}\n${end[1]}${end[2]}:${code}`
}

describe("run", () => {
  it.effect("gives the exit code and the command's own output", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      const outputs = ["", "out\n", "no newline", "two\nlines\n", "\n", "ends in blank lines\n\n"]
      for (const output of outputs) {
        script.respond = shell(output, 3)

        const result = yield* runtime.run(pane, { command: "x", timeout: "1 second" })

        assert.deepInclude(result, { exitCode: 3, output, truncated: false })
        assert.strictEqual(result.report.outcome, "admitted")
      }
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("finds the output behind the prompt of a shell that was not ready for what was typed", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      script.respond = (line) => `$ ${shell("out\n", 0)(line)}`

      assert.strictEqual((yield* runtime.run(pane, { command: "x", timeout: "1 second" })).output, "out\n")
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("case 107: types nothing that could be taken for what it prints", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      const typed: Array<string> = []
      script.respond = (line) => {
        typed.push(line)
        return shell("x\n", 0)(line)
      }

      const command = "echo 'it'\\''s' # $HOME; echo \\\\ !!"
      yield* runtime.run(pane, { command, timeout: "1 second" })
      yield* runtime.run(pane, { command, timeout: "1 second" })
      const [first = "", second = ""] = typed
      const printed = shell("", 0)(first).split("\n").filter((line) => line !== "")

      assert.strictEqual(printed.length, 2)
      for (const line of printed) assert.notInclude(first.replaceAll(/\s/g, ""), line.replace(/\d+$/, ""))
      assert.notStrictEqual(first, second)
      assert.notInclude(first, "\n")
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("reports a command that does not end, with its mark, and never types it again", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      script.respond = (line) => shell("still going", 0)(line).split("\n").slice(0, 2).join("\n")
      const fiber = yield* start(Effect.flip(runtime.run(pane, { command: "x", timeout: "10 seconds" })))
      yield* TestClock.adjust("10 seconds")
      const error = yield* Fiber.join(fiber)

      assert(error._tag === "CommandUnfinished" && error.lastSeen._tag === "Screen")
      assert.include(error.lastSeen.screen.text, "still going")
      assert.isFalse(RuntimeError.isRetryable(error))
      assert.strictEqual(RuntimeError.exitCode(error), 7)
      assert.strictEqual(script.log.filter((line) => line.startsWith("Type")).length, 1)
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("says that the command was typed when the runtime is lost before its end is seen", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      script.respond = () => {
        script.down = true
        return ""
      }
      const error = yield* Effect.flip(runtime.run(pane, { command: "x", timeout: "10 seconds" }))

      assert.deepInclude(error, { _tag: "CommandUnfinished" })
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("says that the pane ended where nobody tells how the command did", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      script.respond = () => "exit"
      const fiber = yield* start(Effect.flip(runtime.run(pane, { command: "exit 3", timeout: "10 seconds" })))
      yield* TestClock.adjust("1 second")
      yield* script.wakeThenClose(pane)

      const error = yield* Fiber.join(fiber)
      assert(error._tag === "CommandUnfinished" && error.lastSeen._tag === "Screen")
      assert.isTrue(error.ended)
      assert.include(error.message, "ended before its command did")
      assert.include(error.lastSeen.screen.text, "exit")
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("says when the beginning of the output is lost", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      script.respond = (line) => shell("tail\n", 0)(line).split("\n").slice(1).join("\n")

      const result = yield* runtime.run(pane, { command: "x", timeout: "1 second" })

      assert.isTrue(result.truncated)
      assert.include(result.output, "tail\n")
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("case 106: is refused where the pane's record says that no shell reads, and types nothing", () => {
    const cases: ReadonlyArray<readonly [Partial<Pane>, "not-a-shell" | "busy" | "ran"]> = [
      [{ startCommand: "python3 -i", command: "python3" }, "not-a-shell"],
      [{ startCommand: "/usr/bin/node", command: "node" }, "not-a-shell"],
      [{ startCommand: "tcsh", command: "tcsh" }, "not-a-shell"],
      [{ startCommand: "bash build.sh --fast", command: "bash", atShell: true }, "not-a-shell"],
      [{ startCommand: "sh build.sh" }, "not-a-shell"],
      [{ startCommand: "bash enter.sh", command: "zsh" }, "ran"],
      [{ startCommand: "bash --rcfile x -i", command: "bash" }, "ran"],
      [{ startCommand: "bash", command: "vim" }, "busy"],
      [{ startCommand: "/bin/sh -i", command: "sleep", atShell: false }, "busy"],
      [{ command: "less" }, "busy"],
      [{ command: "bash", atShell: false }, "busy"],
      [{ atShell: false }, "busy"],
      [{ startCommand: "/bin/bash --norc", command: "bash", atShell: true }, "ran"],
      [{ command: "-sh" }, "ran"],
      [{ command: "-zsh" }, "ran"],
      [{ startCommand: "/usr/bin/fish -N" }, "ran"],
      [{ command: "/usr/bin/dash" }, "ran"],
      [{}, "ran"]
    ]
    return Effect.gen(function*() {
      for (const [facts, expected] of cases) {
        const watched = Watched.make()
        const writes: Array<string> = []
        const primitives: Primitives = {
          ...watched.primitives,
          find: () =>
            Effect.succeedSome(
              new Pane({ handle: watched.pane, window: Watched.windowOf("w1"), active: true, ...facts })
            ),
          write: (_, step) =>
            Effect.sync(() => {
              writes.push(step._tag)
              if (step._tag === "Type") watched.print(`$ ${step.text}`, ...shell("", 0)(step.text).split("\n"))
            })
        }
        const running = yield* start(
          Effect.gen(function*() {
            const runtime = yield* TerminalRuntime.make(primitives)
            return yield* runtime.run(watched.pane, { command: "x", timeout: "1 minute" })
          }).pipe(
            Effect.as("ran"),
            Effect.catchTag("SendRejected", ({ code }) => Effect.succeed(code)),
            Effect.scoped,
            Effect.provide(PaneLocks.layerMemory)
          )
        )
        yield* TestClock.adjust("1 second")

        assert.strictEqual(yield* Fiber.join(running), expected)
        assert.strictEqual(writes.length === 0, expected !== "ran")
      }
    })
  })

  it.effect("waits a moment for the shell of a pane that is just starting", () => {
    const watched = Watched.make()
    let command = "launcher"
    const find: Primitives["find"] = () =>
      Effect.succeedSome(
        new Pane({
          handle: watched.pane,
          window: Watched.windowOf("w1"),
          active: true,
          startCommand: "bash",
          atShell: true,
          command
        })
      )
    const write: Primitives["write"] = (_, step) =>
      Effect.sync(() => {
        if (step._tag === "Type") watched.print(`$ ${step.text}`, ...shell("x", 0)(step.text).split("\n"))
      })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime.make({ ...watched.primitives, find, write })
      const fiber = yield* start(runtime.run(watched.pane, { command: "x", timeout: "1 second" }))
      yield* TestClock.adjust("100 millis")
      command = "bash"
      yield* TestClock.adjust("20 millis")

      assert.strictEqual((yield* Fiber.join(fiber)).output, "x")
    }).pipe(Effect.scoped, Effect.provide(PaneLocks.layerMemory))
  })

  it.effect("waits a moment after what was typed: its shell may be about to start a program", () => {
    const watched = Watched.make()
    let atShell = true
    const find: Primitives["find"] = () =>
      Effect.succeedSome(
        new Pane({ handle: watched.pane, window: Watched.windowOf("w1"), active: true, command: "bash", atShell })
      )
    const write: Primitives["write"] = (_, step) =>
      Effect.sync(() => {
        if (step._tag === "Type") watched.print(`$ ${step.text}`, ...shell("x", 0)(step.text).split("\n"))
      })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime.make({ ...watched.primitives, find, write })
      const run = runtime.run(watched.pane, { command: "x", timeout: "1 second" })
      assert.strictEqual((yield* run).output, "x")
      assert.strictEqual((yield* run).output, "x", "a command that has ended is waited for no more")

      yield* runtime.sendCommand(watched.pane, "cd /w")
      const after = yield* start(run)
      yield* TestClock.adjust("280 millis")
      assert.isUndefined(after.pollUnsafe())
      yield* TestClock.adjust("20 millis")
      assert.strictEqual((yield* Fiber.join(after)).output, "x")

      yield* runtime.sendKeys(watched.pane, ["Enter"])
      const busy = yield* start(Effect.flip(run))
      yield* TestClock.adjust("100 millis")
      atShell = false
      yield* TestClock.adjust("1 second")
      assert.deepInclude(yield* Fiber.join(busy), { _tag: "SendRejected", code: "busy" })
    }).pipe(Effect.scoped, Effect.provide(PaneLocks.layerMemory))
  })

  it.effect("refuses a command that a terminal would cut, by its bytes, and types nothing", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      const refused = (command: string) =>
        Effect.map(Effect.flip(runtime.run(pane, { command, timeout: "0 seconds" })), ({ _tag }) => _tag)

      assert.strictEqual(yield* refused(`: ${"x".repeat(4000)}`), "SendRejected")
      assert.strictEqual(yield* refused(`: ${"я".repeat(2000)}`), "SendRejected")
      assert.deepStrictEqual(script.log, ["open p1"])
      assert.strictEqual(yield* refused(`: ${"я".repeat(1500)}`), "CommandUnfinished")
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("waits as long as it takes where the time is infinite, and looks once where it is zero", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime.TerminalRuntime
      const { handle: pane } = yield* runtime.spawn({})
      const fiber = yield* start(runtime.run(pane, { command: "sleep 86400; echo end", timeout: "Infinity" }))
      yield* TestClock.adjust("23 hours")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 hour")
      const now = yield* Effect.result(runtime.run(pane, { command: "echo now", timeout: "0 seconds" }))

      assert.strictEqual((yield* Fiber.join(fiber)).output, "end\n")
      assert.strictEqual(now._tag === "Success" ? now.success.output : now.failure._tag, "now\n")
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("reads from the screen what the runtime's bytes do not have", () => {
    const missing: Record<string, Primitives["output"]> = {
      "that come too late": () => Stream.never,
      "that end at once": () => Stream.empty,
      "that fail": () => Stream.fail(new RuntimeError.RuntimeUnavailable({ runtime: "x", reason: "lost", detail: "" }))
    }
    return Effect.gen(function*() {
      for (const [what, output] of Object.entries(missing)) {
        const instrument = (primitives: Primitives): Primitives => ({
          ...primitives,
          ...(output === undefined ? {} : { output })
        })
        const layer = Scripted.layer().pipe(Layer.provide(Layer.succeed(TerminalRuntime.Instrument, instrument)))
        const fiber = yield* start(
          Effect.gen(function*() {
            const runtime = yield* TerminalRuntime.TerminalRuntime
            const { handle: pane } = yield* runtime.spawn({})
            return yield* runtime.run(pane, { command: "echo seen; expr 0 / 1", timeout: "5 seconds" })
          }).pipe(Effect.provide(layer))
        )
        yield* TestClock.adjust("5 seconds")

        const { exitCode, output: told } = yield* Fiber.join(fiber)
        assert.deepStrictEqual([what, exitCode, told], [what, 1, "seen\n0\n"])
      }
    })
  })

  it.effect("gives back its subscription when it is interrupted, and leaves the command alone", () => {
    let readers = 0
    const instrument = (primitives: Primitives): Primitives => ({
      ...primitives,
      output: () =>
        Stream.unwrap(Effect.as(
          Effect.acquireRelease(Effect.sync(() => (readers += 1)), () => Effect.sync(() => (readers -= 1))),
          Stream.never
        ))
    })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime.TerminalRuntime
      const { handle: pane } = yield* runtime.spawn({})
      const fiber = yield* start(runtime.run(pane, { command: "sleep 60; echo end", timeout: "Infinity" }))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(readers, 1)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(readers, 0)
      yield* TestClock.adjust("1 minute")

      assert.match((yield* runtime.capture(pane)).text, /^end$/m)
    }).pipe(
      Effect.provide(Scripted.layer().pipe(Layer.provide(Layer.succeed(TerminalRuntime.Instrument, instrument))))
    )
  })

  it.effect("refuses a bound that is no count of bytes", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      for (const maxOutput of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
        const error = yield* Effect.flip(runtime.run(pane, { command: "x", timeout: "1 second", maxOutput }))
        assert.deepInclude(error, { _tag: "InvalidRequest", operation: "run", field: "maxOutput" })
      }
      assert.deepStrictEqual(script.log, ["open p1"])
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("refuses an empty command and colours where there are none", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime.TerminalRuntime
      const empty = yield* Effect.flip(runtime.run(watched.pane, { command: " \n", timeout: "1 second" }))
      const ansi = yield* Effect.flip(runtime.run(watched.pane, { command: "x", timeout: "1 second", ansi: true }))

      assert.deepInclude(empty, { _tag: "InvalidRequest", operation: "run", field: "command" })
      assert.deepInclude(ansi, { _tag: "InvalidRequest", field: "ansi" })
    }).pipe(Effect.provide(watched.layer))
  })
})
