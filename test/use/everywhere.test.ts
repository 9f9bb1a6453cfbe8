import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Pty from "../../layers/Pty.ts"
import * as Memory from "../fixtures/Memory.ts"
import { program } from "./everywhere.ts"

const expected = {
  name: "sums-more",
  same: true,
  conflict: "WindowConflict",
  outcome: ["admitted", "bytes"],
  line: "42",
  refused: "SendRejected",
  late: "WaitTimeout",
  found: true,
  closed: ["closed", "already-closed"],
  gone: "TargetNotFound"
}

describe("a program over the service alone runs unchanged", () => {
  it.live("on an adapter in memory", () =>
    Effect.gen(function*() {
      const script = yield* Memory.Script
      script.respond = () => "42"

      assert.deepStrictEqual(yield* program, expected)
    }).pipe(Effect.provide(Memory.layer())))

  it.live("on the embedded pty", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* program, expected)
    }).pipe(Effect.provide(Pty.layer())))
})
