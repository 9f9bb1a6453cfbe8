import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Service } from "../src/Contract.ts"
import type { PaneHandle } from "../src/Target.ts"
import * as TerminalPane from "../src/TerminalPane.ts"
import * as Memory from "./fixtures/Memory.ts"
import * as Records from "./fixtures/Records.ts"

/** Every method that takes a pane first is a method of a bound pane; closing is called `close` there. */
type OfOnePane = {
  [K in keyof Service]: Service[K] extends (pane: infer P, ...rest: ReadonlyArray<never>) => unknown
    ? PaneHandle extends P ? K : never
    : never
}[keyof Service]
const complete: Record<Exclude<OfOnePane, "closePane">, true> & Partial<Record<keyof TerminalPane.TerminalPane, true>> =
  {
    send: true,
    sendCommand: true,
    sendText: true,
    sendKeys: true,
    typeInto: true,
    run: true,
    capture: true,
    output: true,
    waitOutput: true,
    waitStable: true,
    waitAgent: true,
    resize: true,
    focus: true,
    describe: true
  }

describe("a bound pane", () => {
  it.effect("has every operation of one pane, and each acts on its pane", () =>
    Effect.gen(function*() {
      const { pane: other, script } = yield* Memory.open
      const { pane: handle, runtime } = yield* Memory.open
      const pane = yield* TerminalPane.make(handle)
      script.respond = (line) => line.toUpperCase()

      yield* pane.send({ items: [{ message: "a" }] })
      yield* pane.sendText("b")
      yield* pane.sendKeys(["Enter"])
      yield* pane.typeInto("c")
      yield* pane.sendCommand("d")

      assert.hasAllKeys(pane, [...Object.keys(complete), "handle", "runtime", "probe", "agent", "waitExit", "close"])
      assert.strictEqual((yield* pane.waitOutput({ pattern: /^CD$/, timeout: "1 second" })).line, "CD")
      assert.include((yield* pane.capture()).text, "AB")
      assert.notInclude((yield* runtime.capture(other)).text, "AB")
      assert.strictEqual(`${(yield* pane.describe()).handle}`, `${handle}`)
      assert.strictEqual((yield* pane.probe).liveness, "live")
      assert.strictEqual((yield* pane.waitAgent({ states: ["idle"], timeout: "1 second" })).state, "idle")
      assert.strictEqual((yield* Stream.runHead(pane.agent))._tag, "Some")
      assert.deepInclude(yield* Effect.flip(pane.focus), { _tag: "Unsupported" })
      assert.deepInclude(yield* Effect.flip(pane.resize({ columns: 80, rows: 24 })), { _tag: "Unsupported" })
      assert.deepInclude(yield* Effect.flip(Stream.runDrain(pane.output())), { _tag: "Unsupported" })

      assert.strictEqual(yield* pane.close, "closed")
      assert.strictEqual((yield* pane.waitExit({ timeout: "1 second" })).observed, "absent")
      assert.strictEqual((yield* pane.probe).liveness, "gone")
      assert.strictEqual(yield* pane.close, "already-closed")
      assert.strictEqual(pane.runtime, runtime)
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("is focused and resized by its runtime", () => {
    const world = Records.world()
    return Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open
      const bound = TerminalPane.fromRuntime(runtime, pane)
      yield* bound.focus
      yield* bound.resize({ columns: 100, rows: 30 })

      assert.deepStrictEqual(world.log.slice(1), [`focus ${pane.id}`, "resize 100x30"])
    }).pipe(Effect.provide(Records.layer(world)))
  })
})
