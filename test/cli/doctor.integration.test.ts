import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { paneway } from "../fixtures/cli.ts"

describe("paneway doctor", () => {
  it.live("tells of each runtime whether it can be used, and by what facts", () =>
    Effect.gen(function*() {
      const told = yield* paneway(["doctor"])
      const json = yield* paneway(["doctor", "--json"])

      assert.match(
        told.stdout.toString(),
        /^pty: can be used\n {2}the native module for \S+ is loaded\n {2}\/dev\/ptmx/
      )
      assert.deepInclude(JSON.parse(json.stdout.toString()).runtimes[0], { runtime: "pty", usable: true, advice: [] })
      assert.deepStrictEqual([told.code, json.code, told.stderr, json.stderr], [0, 0, "", ""])
    }))

  it.live("says what is missing and how to get it, and exits with 3", () =>
    Effect.gen(function*() {
      const told = yield* paneway(["doctor", "--runtime", "pty"], { env: { PATH: "/nonexistent" } })

      assert.strictEqual(told.code, 3)
      assert.match(told.stdout.toString(), /^pty: cannot be used\n[^]* {2}to do: install coreutils\n$/)
    }))

  it.live("fails closed for a runtime that is unknown", () =>
    Effect.gen(function*() {
      const { code, stderr, stdout } = yield* paneway(["doctor", "--runtime", "nope"])

      assert.deepStrictEqual([code, stdout.toString()], [3, ""])
      assert.match(stderr, /^paneway: unknown runtime nope/)
    }))
})
