import { assert, describe, it } from "@effect/vitest"
import * as Collected from "../../../src/cli/foreground/collected.ts"

const add = (collected: Collected.Collected, text: string) => collected.add(new TextEncoder().encode(text))

describe("collected output", () => {
  it("is whole within its bound", () => {
    const collected = Collected.make(6)
    add(collected, "abc")
    add(collected, "def")

    assert.deepStrictEqual([collected.text(), collected.truncated()], ["abcdef", false])
  })

  it("keeps its end and says so when it is longer than its bound", () => {
    const collected = Collected.make(4)
    add(collected, "abc")
    add(collected, "defg")
    add(collected, "h")

    assert.deepStrictEqual([collected.text(), collected.truncated()], ["efgh", true])
  })

  it("joins characters that were cut between chunks", () => {
    const collected = Collected.make()
    const bytes = new TextEncoder().encode("grün")
    for (const byte of bytes) collected.add(Uint8Array.of(byte))

    assert.strictEqual(collected.text(), "grün")
  })
})
