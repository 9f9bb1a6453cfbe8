import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ScreenModel from "../../../layers/pty/screenModel.ts"
import * as Grid from "../../../layers/scripted/grid.ts"
import type { RawScreen } from "../../../src/Contract.ts"

const size = { columns: 10, rows: 4 }

const rowsOf = (...feeds: ReadonlyArray<string>) => {
  const grid = Grid.make({ ...size, scrollback: 3 })
  feeds.forEach(grid.feed)
  return grid.read("full")
}

/** What a look gives; blanks that were printed at the end do not count. */
const lookOf = ({ alternate, ascents, cursor, origin, rows, wrapped = [] }: RawScreen) => {
  const trimmed = rows.map((row) => row.trimEnd())
  const last = trimmed.findLastIndex((row) => row !== "")
  return {
    rows: trimmed.slice(0, last + 1),
    wrapped: wrapped.filter((row) => row < last),
    alternate,
    origin,
    cursor: cursor === undefined ? undefined : { ...cursor, epoch: "" },
    ascents
  }
}

/** What the embedded terminal gives at a look after each of the texts. */
const xterm = async (texts: ReadonlyArray<string>) => {
  const model = ScreenModel.make({ ...size, scrollback: 3, reply: undefined })
  const looks: Array<ReturnType<typeof lookOf>> = []
  for (const text of texts) {
    model.feed(new TextEncoder().encode(text))
    await Effect.runPromise(model.flush)
    looks.push(lookOf(model.read("full")))
  }
  model.dispose()
  return looks
}

const ours = (texts: ReadonlyArray<string>) => {
  const grid = Grid.make({ ...size, scrollback: 3 })
  return texts.map((text) => {
    grid.feed(text)
    return lookOf(grid.read("full"))
  })
}

const pieces: ReadonlyArray<string> = [
  "abc",
  "hello world",
  "漢字",
  "é",
  "e\u0301",
  "👍",
  "x",
  " ",
  "\r\n",
  "\n",
  "\r",
  "\b",
  "\t",
  "\u001b[A",
  "\u001b[2B",
  "\u001b[3C",
  "\u001b[2D",
  "\u001b[G",
  "\u001b[5G",
  "\u001b[2d",
  "\u001b[H",
  "\u001b[2;3H",
  "\u001b[K",
  "\u001b[1K",
  "\u001b[2K",
  "\u001b[J",
  "\u001b[1J",
  "\u001b[2X",
  "\u001b[2P",
  "\u001b[2@",
  "\u001b[L",
  "\u001b[M",
  "\u001bM",
  "\u001bD",
  "\u001bE",
  "\u001b[r",
  "\u001b[2r",
  "\u001b[2;3r",
  "\u001b[1;3r",
  "\u001b[S",
  "\u001b[2T",
  "\u001b[9S",
  "\u001b[?1049h",
  "\u001b[?1049l",
  "\u001b[31m",
  "\u001b7",
  "\u001b8",
  "\u001b]0;title\u0007",
  "\u001b[?25l",
  "\u001b(B"
]

const printed = Arbitrary.map(
  Arbitrary.array(Arbitrary.schema(Schema.Literals(pieces)), { maxLength: 12 }),
  (some) => some.join("")
)

describe("grid", () => {
  it.effect.prop(
    "gives at each look what the embedded terminal gives, for any of the sequences that it understands",
    { texts: Arbitrary.array(printed, { maxLength: 4 }) },
    ({ texts }) =>
      Effect.promise(async () => assert.deepStrictEqual(ours(texts), await xterm(texts), JSON.stringify(texts))),
    { arbitrary: { runs: 1500, seed: "grid" } }
  )

  it("leaves the screen as it was when the alternate one is left, as the embedded terminal does", async () => {
    for (
      const text of ["one\r\ntwo\u001b[?1049h\u001b[Hthree", "one\u001b[?1049h\u001b[Hx\r\n\n\n\n\ny\u001b[?1049ltwo"]
    ) {
      assert.deepStrictEqual(ours([text]), await xterm([text]))
    }
  })

  it("takes sequences and characters that come in parts", () => {
    assert.deepStrictEqual(rowsOf("a\u001b", "[", "2", "Cb\u001b]0;t", "itle\u0007c").rows, ["a  bc"])
  })

  it("keeps so many rows above the screen and counts those that it dropped", () => {
    const { origin, rows, truncated } = rowsOf(Array.from({ length: 10 }, (_, at) => `${at}`).join("\r\n"))

    assert.deepStrictEqual(rows, ["3", "4", "5", "6", "7", "8", "9"])
    assert.strictEqual(origin, 3)
    assert.isTrue(truncated)
  })

  it("wraps rows anew when its width changes, and keeps the cursor behind what was typed", () => {
    const grid = Grid.make({ ...size, scrollback: 3 })
    grid.feed("one\r\nabcdefghijklmno")
    grid.resize({ columns: 6, rows: 4 })

    assert.deepStrictEqual(grid.read("visible").rows, ["one", "abcdef", "ghijkl", "mno"])
    assert.deepStrictEqual(grid.read("visible").wrapped, [1, 2])
    assert.deepStrictEqual(grid.cursor(), { row: 3, column: 3 })

    grid.resize({ columns: 20, rows: 4 })
    grid.feed("p")

    assert.deepStrictEqual(grid.read("full").rows, ["one", "abcdefghijklmnop"])
    assert.deepStrictEqual(grid.read("full").wrapped, [])
  })

  it("keeps no more rows when they become more by a resize", () => {
    const grid = Grid.make({ ...size, scrollback: 3 })
    grid.feed(Array.from({ length: 7 }, (_, at) => `${at}23456789`).join("\r\n"))
    grid.resize({ columns: 5, rows: 4 })

    assert.deepStrictEqual(grid.read("full").rows, ["6789", "42345", "6789", "52345", "6789", "62345", "6789"])
    assert.strictEqual(grid.read("full").origin, 7)
  })

  it("gives rows another epoch when they cannot be found again", () => {
    const grid = Grid.make({ ...size, scrollback: 3 })
    const epoch = () => grid.read("visible").cursor?.epoch
    const epochs = [
      epoch(),
      ...["\u001b[?1049h"].map((text) => {
        grid.feed(text)
        return epoch()
      })
    ]
    grid.resize({ columns: 9, rows: 4 })

    assert.strictEqual(new Set([...epochs, epoch()]).size, 3)
  })
})
