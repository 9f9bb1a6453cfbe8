import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { AgentSense } from "../src/AgentState.ts"
import * as Memory from "./fixtures/Memory.ts"

it.effect("the default agent sense knows no agent", () =>
  Effect.gen(function*() {
    const { pane, runtime } = yield* Memory.open
    const sense = yield* AgentSense

    const sensed = yield* sense(yield* runtime.describe(pane), yield* runtime.capture(pane))

    assert.isTrue(Option.isNone(sensed))
  }).pipe(Effect.provide(Memory.layer())))
