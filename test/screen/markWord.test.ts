import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Screen from "../../src/Screen.ts"
import * as Target from "../../src/Target.ts"

const pane = new Target.PaneHandle({
  runtime: "tmux",
  host: "build-1",
  scope: "/tmp/tmux-1000/default",
  id: "%12",
  incarnation: "812@1764500000"
})
const mark = new Screen.Mark({
  pane,
  at: { row: 1234, column: 2, epoch: "w120" },
  anchor: ["a", "b", "$"].map(Screen.lineHash),
  echo: Screen.echoOf("make test"),
  turn: { sequence: 7, by: "123456789" }
})
const word = Screen.markToWord(mark)

const json = (payload: string) => `m1.${Buffer.from(payload).toString("base64url")}`

describe("the word of a mark", () => {
  it("is one word of at most 600 bytes that reads back as the same mark", () => {
    assert.match(word, /^m1\.[A-Za-z0-9_-]+$/)
    assert.isAtMost(word.length, 600)
    assert.deepStrictEqual(Screen.markFromWord(word), Result.succeed(mark))
    assert.deepStrictEqual(Screen.markFromWord(word, pane), Result.succeed(mark))
    assert.deepStrictEqual(
      Screen.markFromWord(Screen.markToWord(new Screen.Mark({ pane }))),
      Result.succeed(new Screen.Mark({ pane }))
    )
  })

  it("keeps the step of a position and what is left of it", () => {
    const stepped = new Screen.Mark({
      ...mark,
      at: { row: 1, column: 2, epoch: "0", step: 3, left: { length: 2, hash: 7 } }
    })
    assert.deepStrictEqual(Screen.markFromWord(Screen.markToWord(stepped)), Result.succeed(stepped))
  })

  it("is the same for equal marks", () => {
    const again = new Screen.Mark({ ...mark, pane: new Target.PaneHandle({ ...pane }) })

    assert.strictEqual(Screen.markToWord(again), word)
  })

  it("is refused when any character of it was changed, and never throws", () => {
    const changed = Array.from(
      word,
      (_, at) =>
        ["A", "z", "0", "-", "=", "é", ""].map((character) => word.slice(0, at) + character + word.slice(at + 1))
    )
      .flat()
      .filter((other) => other !== word)

    assert.deepStrictEqual(changed.filter((other) => Result.isSuccess(Screen.markFromWord(other))), [])
  })

  it("is refused with its reason", () => {
    const failures: ReadonlyArray<readonly [string, string]> = [
      ["", "a mark begins with m1."],
      ["last", "a mark begins with m1."],
      ["m2.e30", "this mark is of another version of paneway"],
      ["m1.", "this mark is damaged"],
      ["m1.!!", "this mark is damaged"],
      [json("{}"), "this mark is damaged"],
      [json("null"), "this mark is damaged"],
      [json("{\"c\":\"0\",\"p\":\"0123456789\",\"x\":1}"), "this mark is damaged"],
      [json("{\"c\":\"0\",\"p\":\"0123456789\"}"), "this mark was changed"],
      [`${word}=`, "this mark is damaged"],
      ["m1.".padEnd(601, "A"), "a mark is at most 600 bytes long"]
    ]
    for (const [text, reason] of failures) {
      const read = Screen.markFromWord(text)

      assert.isTrue(Result.isFailure(read), text)
      if (Result.isFailure(read) && text !== `${word}=`) assert.strictEqual(read.failure, reason, text)
    }
    const other = new Target.PaneHandle({ ...pane, id: "%13" })
    assert.deepStrictEqual(
      Screen.markFromWord(word, other),
      Result.fail("this mark was taken on another pane")
    )
  })

  it("fits with names that are very long, and then needs its pane", () => {
    const long = new Target.PaneHandle({ ...pane, scope: `/${"long/".repeat(200)}s`, host: "h".repeat(253) })
    const wide = new Screen.Mark({
      pane: long,
      at: {
        row: Number.MAX_SAFE_INTEGER,
        column: Number.MAX_SAFE_INTEGER,
        epoch: "e".repeat(78),
        step: Number.MAX_SAFE_INTEGER,
        left: { length: 4000, hash: 0xffffffff }
      },
      anchor: [0xffffffff, 0xfffffffe, 0xfffffffd],
      turn: { sequence: Number.MAX_SAFE_INTEGER, by: "b".repeat(38) },
      echo: Screen.echoOf(Array.from({ length: 8 }, (_, n) => `line ${n}`).join("\n"))
    })
    const short = Screen.markToWord(wide)

    assert.isAtMost(short.length, 600)
    assert.deepStrictEqual(Screen.markFromWord(short), Result.fail("this mark needs the pane that it was taken on"))
    assert.deepStrictEqual(Screen.markFromWord(short, pane), Result.fail("this mark was taken on another pane"))
    const read = Result.getOrThrow(Screen.markFromWord(short, long))
    assert.deepStrictEqual(read.at, wide.at)
    assert.deepStrictEqual(read.turn, wide.turn)
    assert.deepStrictEqual(read.pane, long)
  })

  it("gives up a position whose epoch does not fit, and believes no turn of a counter whose name does not", () => {
    const odd = new Screen.Mark({
      ...mark,
      at: { row: 1, column: 1, epoch: "e".repeat(81) },
      turn: { sequence: 7, by: "b".repeat(41) }
    })
    const read = Result.getOrThrow(Screen.markFromWord(Screen.markToWord(odd)))

    assert.isUndefined(read.at)
    assert.deepStrictEqual(read.anchor, mark.anchor)
    assert.strictEqual(read.turn?.sequence, 7)
    assert.notStrictEqual(read.turn?.by, "b".repeat(41))
  })
})

const text = Arbitrary.map(
  Arbitrary.array(Arbitrary.schema(Schema.Literals(["a", "é", "漢", "\"", "\\", "\u0001", "/x", "😀", "~"])), {
    maxLength: 90
  }),
  (parts) => parts.join("")
)
/** Without the zero that JSON does not know. */
const int = Arbitrary.map(Arbitrary.schema(Schema.Int), (n) => n + 0)

describe("any mark", () => {
  it.effect.prop("has a word of at most 600 bytes that its pane reads, never as another turn or place", {
    host: text,
    scope: text,
    incarnation: text,
    epoch: text,
    by: text,
    row: int,
    hashes: Arbitrary.array(int, { maxLength: 6 })
  }, ({ by, epoch, hashes, host, incarnation, row, scope }) =>
    Effect.sync(() => {
      const own = new Target.PaneHandle({ ...pane, host, scope, incarnation })
      const given = new Screen.Mark({
        pane: own,
        at: { row, column: 3, epoch },
        anchor: hashes,
        echo: hashes.map((hash) => ({ length: 4, hash })),
        turn: { sequence: row, by }
      })
      const printed = Screen.markToWord(given)
      const read = Result.getOrThrow(Screen.markFromWord(printed, own))

      assert.isAtMost(Buffer.byteLength(printed), 600)
      assert.deepStrictEqual(read.pane, own)
      assert.strictEqual(read.turn?.sequence, row)
      if (read.at !== undefined) assert.deepStrictEqual(read.at, given.at)
      assert.strictEqual(Screen.markToWord(read).slice(0, 3), "m1.")
    }), { arbitrary: { runs: 300 } })
})
