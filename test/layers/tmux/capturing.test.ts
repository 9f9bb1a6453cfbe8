import { assert, describe, it } from "@effect/vitest"
import { wrapsOf } from "../../../layers/tmux/capturing.ts"

describe("rows that go on in the next one", () => {
  it("are those that a logical line needs besides its last", () => {
    assert.deepStrictEqual(wrapsOf(["aaa", "aab", "c", "", "dd"], ["aaaaab", "c", "", "dd"]), [0])
    assert.deepStrictEqual(wrapsOf(["aaa", "aaa", "a"], ["aaaaaaa"]), [0, 1])
    assert.deepStrictEqual(wrapsOf(["aaa", "aaa"], ["aaa", "aaa"]), [])
  })

  it("are not known where rows and lines are not of the same screen", () => {
    assert.isUndefined(wrapsOf(["a", "b"], ["a", "c"]))
    assert.isUndefined(wrapsOf(["a", "b"], ["a"]))
    assert.isUndefined(wrapsOf(["a"], ["a", "b"]))
  })
})
