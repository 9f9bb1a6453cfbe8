import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as DetachKey from "../../../src/cli/foreground/detachKey.ts"

const finder = (name: string) => DetachKey.make([Result.getOrThrow(DetachKey.parse(name))])
const found = (name: string, ...parts: ReadonlyArray<string>) => {
  const { find } = finder(name)
  return parts.map((part) => find(Buffer.from(part, "latin1")))
}

describe("the key that detaches", () => {
  it("is found in each way in which a terminal sends it", () => {
    for (const sent of ["\x1c", "\x1b[92;5u", "\x1b[92;5:1u", "\x1b[27;5;92~"]) {
      assert.deepStrictEqual(found("ctrl+\\", `ab${sent}c`), [2], JSON.stringify(sent))
    }
    assert.deepStrictEqual([found("C-]", "\x1d"), found("^A", "x\x01"), found("F12", "\x1b[24~")], [[0], [1], [0]])
    assert.deepStrictEqual(found("alt+x", "\x1bx"), [0])
  })

  it("is found over the parts in which it comes, and the bytes before it are counted in its last part", () => {
    assert.deepStrictEqual(found("ctrl+\\", "abc\x1b[92", ";5", "u"), [undefined, undefined, 0])
    assert.deepStrictEqual(found("ctrl+\\", "abc\x1b[92;", "xx;5u"), [undefined, undefined])
    assert.deepStrictEqual(found("ctrl+\\", "x\x1c", "y"), [1, undefined])
  })

  it("is not found in what is another key", () => {
    for (const sent of ["\\", "\x1b[92;1u", "\x1b[92;5:3u", "\x1b[192;5u", "\x1b", "\x1d", "\xe2\x9c\x9c"]) {
      assert.deepStrictEqual(found("ctrl+\\", sent), [undefined], JSON.stringify(sent))
    }
  })

  it("is none that types text or begins other keys", () => {
    for (const name of ["a", "Enter", "Escape", "Tab", "Space", "ctrl+[", "ctrl+m", "é", "nonsense", ""]) {
      const wrong = DetachKey.parse(name)
      assert.isTrue(Result.isFailure(wrong) && / key( |,)/.test(wrong.failure), name)
    }
  })
})
