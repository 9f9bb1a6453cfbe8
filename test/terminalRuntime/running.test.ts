import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Memory from "../fixtures/Memory.ts"

it.effect("run gives the exit code and the command's own output", () =>
  Effect.gen(function*() {
    const { pane, runtime, script } = yield* Memory.open
    script.respond = () => "out\n\n__paneway_end_3"

    const result = yield* runtime.run(pane, { command: "x", timeout: "1 second" })

    assert.strictEqual(result.exitCode, 3)
    assert.strictEqual(result.output.trim(), "out")
  }).pipe(Effect.provide(Memory.layer())))
