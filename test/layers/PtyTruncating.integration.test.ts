import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Pty from "../../layers/Pty.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"

const layer = Pty.layer({ size: { columns: 100, rows: 30 } })

/** Warnings of a text that is sent once the program is seen to read. */
const warnings = (argv: readonly [string, ...Array<string>], seen: string | RegExp, text: string) =>
  Effect.gen(function*() {
    const runtime = yield* TerminalRuntime
    const { handle } = yield* runtime.spawn({ program: { argv }, env: { PS1: "$ ", LC_ALL: "C" } })
    yield* runtime.waitOutput(handle, { pattern: seen, timeout: "10 seconds" })
    return (yield* runtime.sendText(handle, text)).warnings ?? []
  })

const long = "x".repeat(4096)
const cooked = ["sh", "-c", "stty -echo; printf ready; exec cat"] as const
const raw = ["sh", "-c", "stty raw -echo; printf ready; exec cat"] as const
const bash = ["bash", "--norc", "--noprofile", "-i"] as const
const bashWithout = ["bash", "--norc", "--noprofile", "--noediting", "-i"] as const

describe("a line that is longer than a terminal keeps", () => {
  it.live("is told where the terminal edits it", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* warnings(cooked, "ready", long), ["line-may-be-truncated"])
      assert.deepStrictEqual(yield* warnings(cooked, "ready", `short ${"я".repeat(2048)}`), ["line-may-be-truncated"])
      assert.deepStrictEqual(yield* warnings(bashWithout, /^\$/, long), ["line-may-be-truncated"])
      assert.deepStrictEqual(yield* warnings(cooked, "ready", long.slice(1)), [])
    }).pipe(Effect.provide(layer)))

  it.live("is nothing to tell where the program edits lines or reads each key", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* warnings(bash, /^\$/, long), [])
      assert.deepStrictEqual(yield* warnings(raw, "ready", long), [])
    }).pipe(Effect.provide(layer)))

  it.live("is told of a program that a shell with an editor runs", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { handle } = yield* runtime.spawn({ program: { argv: bash }, env: { PS1: "$ " } })
      yield* runtime.sendCommand(handle, "stty -echo; printf 'rea%s' dy; cat")
      yield* runtime.waitOutput(handle, { pattern: "ready", timeout: "10 seconds" })
      const report = yield* runtime.sendText(handle, long)

      assert.deepStrictEqual(report.warnings, ["line-may-be-truncated"])
    }).pipe(Effect.provide(layer)))
})
