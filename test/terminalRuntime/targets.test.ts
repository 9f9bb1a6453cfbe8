import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { TargetNotFound } from "../../src/RuntimeError.ts"
import { PaneHandle, WindowHandle } from "../../src/Target.ts"
import * as Memory from "../fixtures/Memory.ts"
import * as Records from "../fixtures/Records.ts"

it.effect("printed handles and native ids resolve, foreign and reissued handles do not", () =>
  Effect.gen(function*() {
    const { pane, runtime } = yield* Memory.open

    const printed = yield* runtime.resolve(`${pane}`)
    const native = yield* runtime.resolve("p1")
    const reissued = yield* Effect.flip(runtime.describe(new PaneHandle({ ...pane, incarnation: "0" })))
    const foreign = yield* Effect.flip(runtime.capture(new PaneHandle({ ...pane, scope: "x" })))

    assert.strictEqual(`${printed.handle}`, `${pane}`)
    assert.strictEqual(`${native.handle}`, `${pane}`)
    assert.deepInclude(reissued, { _tag: "TargetNotFound", reason: "reissued" })
    assert.deepInclude(foreign, { _tag: "TargetNotFound", reason: "foreign" })
  }).pipe(Effect.provide(Memory.layer())))

describe("text that names no pane here", () => {
  const refused = (text: (pane: PaneHandle) => string, reason: TargetNotFound["reason"], asks: number) => {
    const world = Records.world()
    return Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open
      world.asks = 0
      const error = yield* Effect.flip(runtime.resolve(text(pane)))

      assert.deepInclude(error, { _tag: "TargetNotFound", reason, target: text(pane) })
      assert.strictEqual(world.asks, asks)
    }).pipe(Effect.provide(Records.layer(world)))
  }
  const word = (change: Partial<PaneHandle>) => (pane: PaneHandle) => `${new PaneHandle({ ...pane, ...change })}`

  it.effect("is foreign when another runtime or server printed it, without asking", () =>
    Effect.all([
      refused(word({ runtime: "tmux" }), "foreign", 0),
      refused(word({ scope: "/tmp/other" }), "foreign", 0)
    ]))

  it.effect("is reissued when an earlier server or another host printed it", () =>
    Effect.all([
      // once more, whether a window printed it
      refused(word({ incarnation: "0" }), "reissued", 2),
      refused(word({ host: "there" }), "reissued", 2)
    ]))

  it.effect("is absent when its id is not given out, also for ids as the runtime writes them", () =>
    Effect.all([
      refused(word({ id: "%99" }), "absent", 2),
      refused(() => "%99", "absent", 1),
      refused(() => "w1:p9", "absent", 1)
    ]))

  it.effect("is told to be a window's where a window printed it", () =>
    Effect.gen(function*() {
      const { pane, runtime } = yield* Memory.open
      const { window } = yield* runtime.describe(pane)
      const { host, id, incarnation, runtime: name, scope } = pane
      const sameId = new WindowHandle({ runtime: name, host, scope, id, incarnation })

      const error = yield* Effect.flip(runtime.resolve(`${window}`))
      const other = yield* Effect.flip(runtime.resolve(`${sameId}`))

      assert(error._tag === "InvalidRequest")
      assert.match(error.message, /handle of a window, and that of a pane is needed/)
      assert.strictEqual(other._tag, "TargetNotFound")
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("is never found by a part of an id", () =>
    Effect.gen(function*() {
      const { runtime } = yield* Records.open
      for (const text of ["%", "1", "%11", "% 1", "%1 "]) {
        assert.strictEqual((yield* Effect.flip(runtime.resolve(text)))._tag, "TargetNotFound")
      }
    }).pipe(Effect.provide(Records.layer(Records.world()))))

  it.effect("is not found by an adapter that answers with another pane", () => {
    const world = Records.world()
    return Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open

      assert.deepInclude(yield* Effect.flip(runtime.resolve("%7")), { reason: "absent" })
      assert.strictEqual(`${(yield* runtime.resolve(pane.id)).handle}`, `${pane}`)
    }).pipe(
      Effect.provide(Records.layer(world, () => ({
        find: () => Effect.sync(() => Option.fromUndefinedOr(world.panes[0]))
      })))
    )
  })

  it.effect("is unparsable when no terminal program would have such an id, without asking", () =>
    Effect.forEach(
      ["", " ", "a b", "%1\n", "-x", "$(reboot)", "a;b", "日本"],
      (text) => refused(() => text, "unparsable", 0)
    ))

  it.effect("case 74: is told apart by its server although the ids are equal", () =>
    Effect.gen(function*() {
      const { pane } = yield* Records.open
      const here = yield* Memory.open.pipe(Effect.provide(Memory.layer({ scope: "a" })))
      const there = yield* Memory.open.pipe(Effect.provide(Memory.layer({ scope: "b" })))

      assert.strictEqual(here.pane.id, there.pane.id)
      assert.notStrictEqual(`${here.pane}`, `${there.pane}`)
      const probes = yield* here.runtime.probe([here.pane, there.pane, pane])
      assert.deepStrictEqual(probes.map(({ liveness }) => liveness), ["live", "unknown", "unknown"])
    }).pipe(Effect.provide(Records.layer(Records.world()))))
})
