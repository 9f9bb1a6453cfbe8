import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Screen from "../../src/Screen.ts"
import * as Target from "../../src/Target.ts"

const pane = new Target.PaneHandle({ runtime: "pty", host: "h", scope: "s", id: "p1", incarnation: "1" })
const mark = new Screen.Mark({ pane })
const screen = (rows: ReadonlyArray<string>, more: Partial<Screen.Screen> = {}) =>
  new Screen.Screen({ rows, wrapped: [], joined: false, truncated: false, mark, ...more })

describe("rows", () => {
  it("case 113: are normalised as the source system does it: no-break spaces, blanks at the end, every row kept", () => {
    const rows = "line one  \nbusy\u00a0marker   \n  \n".split("\n")

    assert.strictEqual(Screen.normalise(rows).join("\n"), "line one\nbusy marker\n\n")
    assert.deepStrictEqual(Screen.normalise(["│ x │\u00a0", "\u00a0 indented", "\t"]), ["│ x │", "  indented", ""])
  })

  it("keep the last blanks of one that goes on in the next", () => {
    assert.deepStrictEqual(Screen.normalise(["two \u00a0", "words ", "end "], [0]), ["two  ", "words", "end"])
  })

  it.effect.prop("are normal once normalised", [Schema.Array(Schema.String)], ([rows]) =>
    Effect.sync(() => {
      const once = Screen.normalise(rows)

      assert.lengthOf(once, rows.length)
      assert.deepStrictEqual(Screen.normalise(once), once)
    }))
})

describe("logical lines", () => {
  it("case 94: join the rows that the terminal wrapped, at every width and place", () => {
    for (let width = 5; width <= 40; width++) {
      for (let before = 0; before < 2 * width; before++) {
        const text = `${"x".repeat(before)}DONE-MARK`
        const rows = text.match(new RegExp(`.{1,${width}}`, "g")) ?? []
        const lines = Screen.logicalLines({
          rows: ["first", ...rows, "last"],
          wrapped: rows.slice(1).map((_, n) => n + 1)
        })

        assert.deepStrictEqual(lines.map((line) => line.text), ["first", text, "last"])
        assert.deepStrictEqual(lines.map((line) => line.row), [0, 1, 1 + rows.length])
      }
    }
  })

  it("are the rows where none is wrapped", () => {
    assert.deepStrictEqual(Screen.logicalLines({ rows: ["a", ""] }), [{ text: "a", row: 0 }, { text: "", row: 1 }])
  })

  it("end where a wrapped row is the last that was captured", () => {
    assert.deepStrictEqual(Screen.logicalLines({ rows: ["a", "b"], wrapped: [1] }).map(({ text }) => text), ["a", "b"])
  })
})

describe("the tail of a screen", () => {
  const tall = screen(["0", "1", "2", "", "4", "", " "], { wrapped: [1], origin: 10 })

  it("is its last rows, blank ones at its end not counted", () => {
    const two = Screen.tail(tall, 2)

    assert.deepStrictEqual(two.rows, ["", "4"])
    assert.strictEqual(two.origin, 13)
    assert.isTrue(two.truncated)
    assert.deepStrictEqual(two.wrapped, [])
    assert.strictEqual(two.text, "\n4")
  })

  it("keeps which rows go on in the next", () => {
    const four = Screen.tail(tall, 4)

    assert.deepStrictEqual(four.rows, ["1", "2", "", "4"])
    assert.deepStrictEqual(four.wrapped, [0])
    assert.deepStrictEqual(Screen.tail(screen(["a", "b", " "], { wrapped: [1] }), 2).wrapped, [])
  })

  it("is the whole screen where it has no more, and says so", () => {
    const all = Screen.tail(tall, 40)

    assert.deepStrictEqual(all.rows, ["0", "1", "2", "", "4"])
    assert.isFalse(all.truncated)
    assert.strictEqual(all.origin, 10)
    assert.deepStrictEqual(Screen.tail(screen(["", ""]), 3).rows, [])
  })

  it("is nothing for a count that is none", () => {
    for (const count of [0, -1, Number.NaN]) assert.deepStrictEqual(Screen.tail(tall, count).rows, [])
    assert.lengthOf(Screen.tail(tall, Number.POSITIVE_INFINITY).rows, 5)
  })

  it.effect.prop("has at most that many rows and no blank one at its end", {
    rows: Schema.Array(Schema.Literals(["", " ", "a", "b c"])),
    count: Schema.Int
  }, ({ count, rows }) =>
    Effect.sync(() => {
      const cut = Screen.tail(screen(rows), count)

      assert.isAtMost(cut.rows.length, Math.max(0, count))
      assert.notStrictEqual(cut.rows.at(-1)?.trim(), "")
    }))
})

describe("a digest", () => {
  it("is equal for equal rows and for blanks at their ends, and differs otherwise", () => {
    assert.strictEqual(Screen.digest({ rows: ["a ", "b"] }), Screen.digest({ rows: ["a", "b"] }))
    assert.notStrictEqual(Screen.digest({ rows: ["a", "b"] }), Screen.digest({ rows: ["ab"] }))
    assert.match(Screen.digest({ rows: [] }), /^[0-9a-f]{16}$/)
  })
})
