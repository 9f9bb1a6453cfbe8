import { assert, describe, it } from "@effect/vitest"
import * as Option from "effect/Option"
import * as Screen from "../../src/Screen.ts"

describe("a pattern", () => {
  it("that is text matches where it occurs, whatever it means to a regular expression", () => {
    const test = Screen.matcher("1 example (0.5s)")

    assert.deepStrictEqual(
      test("> 1 example (0.5s), 0 failures"),
      Option.some({ text: "1 example (0.5s)", groups: [] })
    )
    assert.deepStrictEqual(test("1 example X0.5sX"), Option.none())
  })

  it("gives its groups, and empty text for one that took no part", () => {
    assert.deepStrictEqual(
      Screen.matcher(/(\d+) (passed)?(failed)?/)("12 passed"),
      Option.some({ text: "12 passed", groups: ["12", "passed", ""] })
    )
  })

  it("that is global or sticky matches at every look, and is left as it was", () => {
    for (const pattern of [/done/g, /done/y, /done/gy]) {
      pattern.lastIndex = 3
      const test = Screen.matcher(pattern)

      assert.isTrue(Option.isSome(test("done")))
      assert.isTrue(Option.isSome(test("is done")))
      assert.isTrue(Option.isSome(test("done")))
      assert.strictEqual(pattern.lastIndex, 3)
    }
  })

  it("keeps the flags that change what it means", () => {
    assert.isTrue(Option.isSome(Screen.matcher(/DONE/gi)("done")))
    assert.isTrue(Option.isSome(Screen.matcher(/^\p{Lu}$/u)("É")))
  })

  it("case 119: is empty when it finds nothing in every line", () => {
    const empty = ["", /(?:)/, /(?:)/g, /^/, /$/, /x?/, /x*|y/, /\s*/, /(?=)/]
    const full = [" ", "x", /^$/, /^\s*$/, /x/, /\bx?\b/, /.+/, /$^x/]

    assert.deepStrictEqual(empty.filter((pattern) => !Screen.isEmptyPattern(pattern)), [])
    assert.deepStrictEqual(full.filter((pattern) => Screen.isEmptyPattern(pattern)), [])
  })
})
