/** What the suite cannot know of this adapter. */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { readFileSync } from "node:fs"
import { TerminalRuntime } from "paneway"
import { layer } from "../src/index.ts"

const build = Effect.map(
  Layer.build(Layer.fresh(layer({ stall: "500 millis" }))),
  (context) => Context.get(context, TerminalRuntime.TerminalRuntime)
)
const timeout = "10 seconds"
const shell = (script: string) => ({ program: { argv: ["sh", "-c", script] as const } })

/** By Linux; an orphan that nobody has waited for yet has ended. */
const isAlive = (pid: number): boolean => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ")
  } catch {
    return false
  }
}

describe("pipes", () => {
  it.live("end with the scope of the layer, and so does what their programs started", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const runtime = yield* Scope.provide(build, scope)
      const { handle, pid = 0 } = yield* runtime.spawn(shell("sleep 1000 & echo child $!; wait"))
      const { groups: [child] } = yield* runtime.waitOutput(handle, { pattern: /^child (\d+)$/, timeout })
      assert.deepStrictEqual([pid, Number(child)].map(isAlive), [true, true])

      yield* Scope.close(scope, Exit.void)
      const left = Effect.sync(() => [pid, Number(child)].filter(isAlive).length)
      yield* Effect.repeat(left, { while: (count) => count > 0, schedule: Schedule.spaced("10 millis") })
    }), 10_000)

  it.live("cut a text that their program does not read, and take no other one behind it", () =>
    Effect.gen(function*() {
      const runtime = yield* build
      const { handle } = yield* runtime.spawn(shell("printf '\\033[12h'; echo ready; exec sleep 1000"))
      yield* runtime.waitOutput(handle, { pattern: "ready", timeout })

      const cut = yield* Effect.flip(runtime.sendText(handle, "x".repeat(2_000_000)))
      const next = yield* Effect.flip(runtime.sendText(handle, "y"))

      assert.strictEqual(cut._tag, "SendStalled")
      assert.deepInclude(next, { _tag: "SendRejected", code: "draining" })
    }).pipe(Effect.scoped), 20_000)

  it.live("have all that was printed on the screen when they tell the exit", () =>
    Effect.gen(function*() {
      const runtime = yield* build
      const { handle } = yield* runtime.spawn(shell("trap '' HUP; (sleep 0.3; echo last words) & exit 3"))
      const { exit } = yield* runtime.waitLifecycle({ condition: "pane-exited", target: handle, timeout })

      const { text } = yield* runtime.capture(handle)

      assert.deepStrictEqual([exit, text], [{ code: 3 }, "last words"])
    }).pipe(Effect.scoped), 20_000)

  it.live("lose their marks when the screen is cleared, however much is printed after", () =>
    Effect.gen(function*() {
      const runtime = yield* build
      const { handle } = yield* runtime.spawn({})
      yield* runtime.run(handle, { command: "echo before", timeout })
      const { mark } = yield* runtime.capture(handle)
      yield* runtime.run(handle, { command: "printf '\\033[H\\033[2J'; echo new; seq 30", timeout })

      const found = yield* runtime.waitOutput(handle, { pattern: /^new$/, after: mark, timeout })

      assert.isTrue(found.markLost)
    }).pipe(Effect.scoped), 20_000)

  it.live("have a keyboard: Backspace, Ctrl-U, Ctrl-C and Ctrl-D", () =>
    Effect.gen(function*() {
      const runtime = yield* build
      const { handle } = yield* runtime.spawn({})
      yield* runtime.waitOutput(handle, { pattern: /^[$#]/, timeout })
      yield* runtime.send(handle, { items: [{ message: "wrong" }, { key: "ctrl+u" }, { message: "echo fixexd" }] })
      yield* runtime.sendKeys(handle, ["BSpace", "BSpace", "d", "Enter"])
      yield* runtime.waitOutput(handle, { pattern: /^fixed$/, timeout })
      yield* runtime.sendCommand(handle, "echo be''gun; sleep 1000")
      yield* runtime.waitOutput(handle, { pattern: "begun", timeout })
      yield* runtime.sendKeys(handle, ["ctrl+c"])
      yield* runtime.sendCommand(handle, "echo code $?")
      yield* runtime.waitOutput(handle, { pattern: /^.*code 130$/, timeout })
      yield* runtime.sendKeys(handle, ["ctrl+d"])

      const { exit } = yield* runtime.waitLifecycle({ condition: "pane-exited", target: handle, timeout })

      assert.deepStrictEqual(exit, { code: 0 })
    }).pipe(Effect.scoped), 40_000)
})
