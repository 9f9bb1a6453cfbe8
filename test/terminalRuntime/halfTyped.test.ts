import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { TestClock } from "effect/testing"
import * as Keys from "../../src/Keys.ts"
import type { Step } from "../../src/Send.ts"
import { Pane, type PaneHandle, windowName } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { makeHalfTyped } from "../../src/terminalRuntime/halfTyped.ts"
import * as Memory from "../fixtures/Memory.ts"
import * as Records from "../fixtures/Records.ts"
import * as Watched from "../fixtures/Watched.ts"

const type = (text: string): Step => ({ _tag: "Type", text, paste: text.includes("\n") })
const press = (name: string): Step => ({ _tag: "Press", key: Result.getOrThrow(Keys.parse(name)) })

describe("a line is half typed", () => {
  const pane = Watched.handleOf("p1")
  const after = (...sends: ReadonlyArray<ReadonlyArray<Step>>) => {
    const halfTyped = makeHalfTyped()
    for (const steps of sends) halfTyped.typed(pane, steps)
    return halfTyped.has(pane)
  }

  it("after a text and keys that bring text, until one that submits or cancels", () => {
    const typed = [
      type("x"),
      type("a\nb"),
      press("Up"),
      press("C-r"),
      press("C-p"),
      press("Tab")
    ]
    for (const step of typed) {
      assert.isTrue(after([step]), JSON.stringify(step))
      assert.isTrue(after([step], [press("Left")], [press("C-a")]), JSON.stringify(step))
      for (const end of ["Enter", "C-m", "KPEnter", "C-c", "C-u", "ctrl+c"]) {
        assert.isFalse(after([step], [press(end)]), end)
        assert.isFalse(after([step, press(end)]), end)
        assert.isTrue(after([step, press(end), step]), end)
      }
    }
  })

  it("after characters that are pressed together, and not after one that answers a program", () => {
    assert.isTrue(after([press("l"), press("s")]))
    assert.isTrue(after([type("l")], [press("s")]))
    for (const key of ["q", "y", "1"]) assert.isFalse(after([press(key)]), key)
  })

  it("not after a prompt, and not by keys that bring none", () => {
    assert.isFalse(after([{ _tag: "Prompt", text: "x" }]))
    for (const key of ["Escape", "Left", "F5", "C-d", "C-z", "C-l", "C-\\", "PageDown", "CancelMode"]) {
      assert.isFalse(after([press(key)]), key)
    }
    assert.isFalse(after())
  })

  it("and was cancelled by Ctrl-C, until something is submitted", () => {
    const halfTyped = makeHalfTyped()
    const seen = (...steps: ReadonlyArray<Step>) => {
      halfTyped.typed(pane, steps)
      return halfTyped.wasCancelled(pane)
    }
    assert.isFalse(seen(press("C-c")))
    assert.isFalse(seen(type("x")))
    assert.isTrue(seen(press("C-c")))
    assert.isTrue(seen(type("y")))
    assert.isFalse(seen(press("Enter")))
    assert.isFalse(seen(type("x"), press("C-u")))
    assert.isTrue(seen(type("x")) || seen(press("C-c")))
    halfTyped.keep([])
    assert.isFalse(halfTyped.wasCancelled(pane))
  })

  it("when nobody knows how much was typed, in that pane only, until the pane is forgotten", () => {
    const halfTyped = makeHalfTyped()
    halfTyped.inDoubt(pane)
    assert.deepStrictEqual([pane, Watched.handleOf("p1", "2"), Watched.handleOf("p2")].map(halfTyped.has), [
      true,
      false,
      false
    ])
    const record = (handle: PaneHandle) => new Pane({ handle, window: Watched.windowOf("w1"), active: true })
    halfTyped.keep([record(pane)])
    assert.isTrue(halfTyped.has(pane))
    halfTyped.keep([record(Watched.handleOf("p2"))])
    assert.isFalse(halfTyped.has(pane))
    halfTyped.inDoubt(pane)
    halfTyped.forget(pane)
    assert.isFalse(halfTyped.has(pane))
  })

  it("in 4096 panes at most: the oldest are forgotten", () => {
    const halfTyped = makeHalfTyped()
    const panes = Array.from({ length: 4100 }, (_, n) => Watched.handleOf(`p${n}`))
    for (const one of panes) halfTyped.typed(one, [type("x")])

    assert.deepStrictEqual([panes[3], panes[4], panes[4099]].map((one) => one !== undefined && halfTyped.has(one)), [
      false,
      true,
      true
    ])
  })
})

describe("run", () => {
  it.effect("adds to no line that is half typed, and types nothing then", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      const run = runtime.run(pane, { command: "x", timeout: "0 seconds" })
      const sends = [
        runtime.sendText(pane, "rm -r"),
        runtime.typeInto(pane, "rm -r"),
        runtime.sendKeys(pane, ["l", "s"]),
        runtime.send(pane, { items: [{ message: "a" }, { key: "Enter" }, { message: "b" }] })
      ]
      for (const [index, send] of sends.entries()) {
        yield* send
        const typed = script.log.length
        const error = yield* Effect.flip(run)

        assert.deepInclude(error, { _tag: "SendRejected", code: "busy" })
        assert.include(error.message, "half typed")
        assert.include(error.message, "ctrl+c")
        assert.lengthOf(script.log, typed)
        yield* runtime.sendKeys(pane, [["Enter", "C-c", "C-u", "C-j"][index] ?? ""])
        assert.deepInclude(yield* Effect.flip(run), { _tag: "CommandUnfinished" })
      }
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("adds to no line of which nobody knows whether it was submitted", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      script.writeFault = "half"
      yield* Effect.flip(runtime.sendCommand(pane, "x"))
      script.writeFault = "none"

      assert.deepInclude(yield* Effect.flip(runtime.run(pane, { command: "x", timeout: "0 seconds" })), {
        _tag: "SendRejected",
        code: "busy"
      })
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("drops a line that Ctrl-C was to drop, before it types its own", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      const run = Effect.flip(runtime.run(pane, { command: "x", timeout: "0 seconds" }))
      yield* runtime.sendText(pane, "rm")
      yield* runtime.sendKeys(pane, ["C-c"])
      const before = script.log.length
      yield* run
      yield* run

      assert.deepStrictEqual(
        script.log.slice(before).map((entry) => entry.replace(/^Type.*/, "Type")),
        ["Press u", "Type", "Press Enter", "Type", "Press Enter"]
      )
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("types after sends that typed nothing", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      yield* Effect.flip(runtime.sendText(pane, "\u0000"))
      script.writeFault = "unwritten"
      yield* Effect.flip(runtime.sendKeys(pane, ["a"]))
      script.writeFault = "none"

      assert.deepInclude(yield* Effect.flip(runtime.run(pane, { command: "x", timeout: "0 seconds" })), {
        _tag: "CommandUnfinished"
      })
    }).pipe(Effect.provide(Memory.layer())))
})

describe("preparePane", () => {
  it.effect("gives out no pane with a half typed line, also where its shell is seen at its prompt", () => {
    const world = Records.world({ atShell: true })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const window = yield* runtime.ensureWindow({ name: "a", root: "/w" })
      const first = yield* runtime.preparePane({ window: windowName("a") })
      const again = yield* runtime.preparePane({ window: window.handle })
      yield* runtime.sendText(first.handle, "half")
      const other = yield* runtime.preparePane({ window: window.handle })
      yield* runtime.sendKeys(first.handle, ["C-u"])
      yield* TestClock.adjust("300 millis")
      const cancelled = yield* runtime.preparePane({ window: window.handle })

      assert.strictEqual(`${again.handle}`, `${first.handle}`)
      assert.notStrictEqual(`${other.handle}`, `${first.handle}`)
      assert.strictEqual(`${cancelled.handle}`, `${first.handle}`)
    }).pipe(Effect.provide(Records.layer(world)))
  })
})
