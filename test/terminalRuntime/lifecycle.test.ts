import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Memory from "../fixtures/Memory.ts"

it.effect("events begin with what exists", () =>
  Effect.gen(function*() {
    const { pane, runtime } = yield* Memory.open

    const [event] = yield* Stream.runCollect(Stream.take(runtime.events, 1))

    assert(event?._tag === "PaneOpened")
    assert.strictEqual(`${event.pane.handle}`, `${pane}`)
  }).pipe(Effect.provide(Memory.layer())))
