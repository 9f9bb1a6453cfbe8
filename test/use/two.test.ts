import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { main } from "./two.ts"

it.effect("two runtimes are open at once and a pane of one is foreign to the other", () =>
  Effect.gen(function*() {
    const { crossed, owned, shared, unknown } = yield* main

    assert.deepInclude(crossed, { _tag: "TargetNotFound", reason: "foreign" })
    assert.deepInclude(unknown, { _tag: "UnknownRuntime", available: ["local", "remote"] })
    assert.isTrue(shared)
    assert.isTrue(owned)
  }))
