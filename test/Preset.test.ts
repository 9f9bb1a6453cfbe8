import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { PresetSource } from "../src/Preset.ts"

it.effect("the default preset source refuses every name", () =>
  Effect.gen(function*() {
    const find = yield* PresetSource

    const error = yield* Effect.flip(find("editor", "/work"))

    assert.deepInclude(error, { _tag: "Unsupported", capability: "windowMetadata" })
  }))
