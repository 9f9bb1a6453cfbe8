import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layout from "../../src/cli/layout.ts"
import type * as Contract from "../../src/Contract.ts"
import { Warning } from "../../src/send/records.ts"
import { call, world } from "../fixtures/commandLine.ts"

/** A runtime whose rows hold what a terminal obeys, as that of a program that does not take it out. */
const raw = Effect.fnUntraced(function*() {
  const { runtime } = yield* world({})
  const { handle } = yield* runtime.spawn({})
  const rows = ["a\u001b[31mred\u001b[0m", "\u001b]0;title\u0007b\u009b2Jc", ""]
  const dirty: Contract.Service = {
    ...runtime,
    capture: (pane, options) =>
      Effect.map(runtime.capture(pane, { range: options?.range }), (screen) => ({ ...screen, rows, text: "" })),
    waitOutput: (pane, { timeout }) =>
      Effect.map(runtime.waitOutput(pane, { pattern: "$", timeout }), (found) => ({ ...found, line: rows[0] ?? "" })),
    waitStable: (pane, options) =>
      Effect.map(runtime.waitStable(pane, options), (screen) => ({ ...screen, rows, text: "" }))
  }
  const run = (...words: ReadonlyArray<string>) => Effect.map(call(words, { scripted: dirty }), ({ stdout }) => stdout)
  return { pane: `${handle}`, run }
})

describe("text of a pane", () => {
  it.effect("is printed without what a terminal obeys, unless that is asked for", () =>
    Effect.gen(function*() {
      const { pane, run } = yield* raw()
      assert.strictEqual(yield* run("capture", pane), "ared\nbc\n")
      assert.strictEqual(
        yield* run("capture", pane, "--ansi"),
        "a\u001b[31mred\u001b[0m\n\u001b]0;title\u0007b\u009b2Jc\n"
      )
      assert.strictEqual(yield* run("wait", "stable", pane, "--quiet", "0"), "ared\nbc\n")
      assert.strictEqual(yield* run("wait", "output", pane, "--match", "a"), "ared\n")
      const json = yield* run("capture", pane, "--json")
      assert.notMatch(json, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
      assert.strictEqual(JSON.parse(json).rows[1], "\u001b]0;title\u0007b\u009b2Jc")
    }))
})

describe("warnings of a send", () => {
  it("are told by their words, each with what it means", () => {
    for (const warning of Warning.literals) {
      assert.match(Layout.warned([warning]), /^sent, but: [a-z-]+ \(.+\)$/, warning)
    }
    assert.strictEqual(
      Layout.warned(["of-another-version", "mode-left"]),
      "sent, but: of-another-version, mode-left (the pane showed its history, and was taken out of that)"
    )
  })
})
