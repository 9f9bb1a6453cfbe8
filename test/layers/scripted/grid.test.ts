import { assert, describe, it } from "@effect/vitest"
import { UnicodeGraphemesAddon } from "@xterm/addon-unicode-graphemes"
import Headless from "@xterm/headless"
import * as Grid from "../../../layers/scripted/grid.ts"

const size = { columns: 10, rows: 4 }

const rowsOf = (...feeds: ReadonlyArray<string>) => {
  const grid = Grid.make({ ...size, scrollback: 3 })
  feeds.forEach(grid.feed)
  return grid.read("full")
}

/** What xterm shows after the same output. */
const xterm = async (text: string) => {
  const term = new Headless.Terminal({ cols: size.columns, rows: size.rows, scrollback: 3, allowProposedApi: true })
  term.loadAddon(new UnicodeGraphemesAddon())
  await new Promise<void>((done) => {
    term.write(text, done)
  })
  const buffer = term.buffer.active
  const rows = Array.from(
    { length: buffer.length },
    (_, at) => buffer.getLine(at)?.translateToString(true).trimEnd() ?? ""
  )
  const last = rows.findLastIndex((row) => row !== "")
  const seen = {
    rows,
    // blank rows at the end are not captured
    wrapped: rows.flatMap((_, at) => at < last && buffer.getLine(at + 1)?.isWrapped === true ? [at] : []),
    cursor: { row: buffer.baseY + buffer.cursorY, column: buffer.cursorX },
    alternate: buffer.type === "alternate"
  }
  term.dispose()
  return seen
}

const ours = (text: string) => {
  const grid = Grid.make({ ...size, scrollback: 3 })
  grid.feed(text)
  const { alternate, cursor, origin = 0, rows, wrapped } = grid.read({ from: 0 })
  const all = grid.read("visible")
  const height = (all.origin ?? 0) - origin + size.rows
  return {
    rows: [...rows, ...Array.from({ length: height - rows.length }, () => "")].map((row) => row.trimEnd()),
    wrapped,
    cursor: { row: (cursor?.row ?? 0) - origin, column: cursor?.column },
    alternate
  }
}

/** The same numbers each time. */
const numbers = (seed: number) => {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor(state / 2 ** 32 * below)
  }
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
  "\u001b[31m",
  "\u001b7",
  "\u001b8",
  "\u001b]0;title\u0007",
  "\u001b[?25l",
  "\u001b(B"
]

describe("grid", () => {
  it("shows what xterm shows for any of the sequences that it understands", async () => {
    for (let seed = 1; seed <= 400; seed++) {
      const next = numbers(seed)
      const text = Array.from({ length: 1 + next(14) }, () => pieces[next(pieces.length)] ?? "").join("")

      assert.deepStrictEqual(ours(text), await xterm(text), JSON.stringify(text))
    }
  })

  it("leaves the screen as it was when the alternate one is left, as xterm does", async () => {
    for (
      const text of ["one\r\ntwo\u001b[?1049h\u001b[Hthree", "one\u001b[?1049h\u001b[Hx\r\n\n\n\n\ny\u001b[?1049ltwo"]
    ) {
      assert.deepStrictEqual(ours(text), await xterm(text))
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
      ...["\u001b[2J", "\u001b[?1049h"].map((text) => {
        grid.feed(text)
        return epoch()
      })
    ]
    grid.resize({ columns: 9, rows: 4 })

    assert.strictEqual(new Set([...epochs, epoch()]).size, 4)
  })
})
