import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { sha256 } from "../../src/internal/sha256.ts"

const expected = (text: string) => createHash("sha256").update(text, "utf8").digest("hex")

describe("sha256", () => {
  it("equals Node's at every length around the edge of a block", () => {
    for (let length = 0; length < 300; length++) {
      const text = "aé漢😀\0".repeat(length).slice(0, length)

      assert.strictEqual(sha256(text), expected(text), `length ${length}`)
    }
  })

  it("equals Node's for a megabyte, for a lone surrogate, and for the texts of the standard", () => {
    for (const text of ["", "abc", "a".repeat(1_000_000), "\ud800", "\udc00x", "x\ud800"]) {
      assert.strictEqual(sha256(text), expected(text))
    }
    assert.strictEqual(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  })

  it.effect.prop(
    "equals Node's for any text",
    [Schema.String],
    ([text]) => Effect.sync(() => sha256(text) === expected(text))
  )
})
