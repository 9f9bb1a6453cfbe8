import { assert, describe, it } from "@effect/vitest"
import { make, most, rest, searchInTime } from "../../../layers/host/searching.ts"
import { searchLines } from "../../../src/Waiting.ts"

const long = "a".repeat(60)

describe("the host's search for a line", () => {
  it.each(
    [
      /b/,
      /(b+)(c)?/,
      /^Tests .*passed/u,
      /(\w+) \1/,
      /nowhere(x|y)/
    ].map((pattern) => ({ pattern }))
  )("finds with $pattern what one without a limit does", ({ pattern }) => {
    const lines = ["", "one two", "Tests 3 passed", "abb c", "two two"]
    assert.deepStrictEqual(searchInTime(pattern, lines), searchLines(pattern, lines))
  })

  it.each(
    [
      { pattern: /(a|a)*b/, lines: ["a", `${long}c`] },
      { pattern: /(a+)+b/u, lines: [`${long}c`] },
      { pattern: new RegExp(`^${"(a|a)".repeat(60)}b`), lines: [`${long}c`] },
      { pattern: /(a*)\1b/, lines: ["a".repeat(30_000)] },
      { pattern: /a+b/, lines: ["a".repeat(2_000_000)] }
    ]
  )("gives $pattern up after its time, and finds the next thing", ({ lines, pattern }) => {
    const started = performance.now()
    assert.strictEqual(searchInTime(pattern, lines), "unmatchable")
    assert.isBelow(performance.now() - started, most * 5)
    const again = performance.now()
    assert.strictEqual(searchInTime(pattern, lines), "unmatchable")
    assert.isBelow(performance.now() - again, most / 2)
    assert.deepStrictEqual(searchInTime(/c(.)(.)/, ["abc", "abcde"]), { at: 1, text: "cde", groups: ["d", "e"] })
  })

  it("tries one again that was given up a minute ago", () => {
    const clock = { now: 0 }
    const search = make(() => clock.now)
    const pattern = /(x|x)*y/
    assert.strictEqual(search(pattern, [`${"x".repeat(60)}z`]), "unmatchable")
    clock.now = rest - 1
    assert.strictEqual(search(pattern, ["xy"]), "unmatchable")
    clock.now = rest
    assert.deepStrictEqual(search(pattern, ["xy"]), { at: 0, text: "xy", groups: ["x"] })
  })
})
