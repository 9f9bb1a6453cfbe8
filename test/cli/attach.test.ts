import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { world } from "../fixtures/commandLine.ts"

describe("paneway attach", () => {
  it.effect("fails with 6 on a runtime that shows no panes, and writes nothing to the terminal", () =>
    Effect.gen(function*() {
      const { run, runtime } = yield* world({})
      const { handle } = yield* runtime.spawn({})
      const { code, stderr, stdout } = yield* run(["attach", `${handle}`], { terminal: true })

      assert.deepStrictEqual([code, stdout], [6, ""])
      assert.include(stderr, "does not support attach")
    }))

  it.effect("needs a terminal at both ends before it asks for anything", () =>
    Effect.gen(function*() {
      const { run } = yield* world({})
      for (const options of [{}, { terminal: true, input: "keys" }]) {
        const { code, stderr, stdout } = yield* run(["attach", "nothing of that name"], options)
        assert.deepStrictEqual([code, stdout], [2, ""])
        assert.include(stderr, "needs a terminal")
      }
    }))
})
