import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { PaneHandle } from "../../src/Target.ts"
import * as Memory from "../fixtures/Memory.ts"

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
