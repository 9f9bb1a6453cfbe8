import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ScreenModel from "../../../layers/pty/screenModel.ts"

const size = { columns: 20, rows: 6 }
const made = (at = size) => ScreenModel.make({ ...at, scrollback: 50, reply: undefined })

const fed = (screen: ScreenModel.ScreenModel, bytes: Uint8Array) => {
  screen.feed(bytes)
  return screen.flush
}

/** All that can be seen of a screen, and how a program would go on in it. */
const look = (screen: ScreenModel.ScreenModel) => {
  const { alternate, cursor, rows, wrapped } = screen.read("visible", true)
  const top = screen.read("visible").origin ?? 0
  return {
    rows,
    wrapped,
    alternate,
    cursor: [(cursor?.row ?? 0) - top, cursor?.column],
    keys: [
      screen.applicationCursorKeys(),
      screen.applicationKeypad(),
      screen.bracketedPaste(),
      screen.keyboardFlags()
    ],
    restore: screen.restore().replace("\u001b[m", "")
  }
}

const programs: Readonly<Record<string, string>> = {
  "text with wide and combined characters": "one é漢字\u0301 two\r\nthree 👩‍💻 four\r\n",
  "rows that wrap": `${"abcdefghij".repeat(5)}\r\n${"漢".repeat(25)}|end\r\n`,
  "rows that end in the last column": `${"x".repeat(20)}\r\n${"漢".repeat(10)}\r\n${"y".repeat(20)}${"z".repeat(20)}`,
  "a filled screen": Array.from({ length: 6 }, (_, n) => `${n}`.repeat(20)).join("\r\n"),
  "rows above the screen": Array.from({ length: 30 }, (_, n) => `row ${n}\r\n`).join(""),
  "styles":
    "\u001b[1;31mred\u001b[4:3;48;5;200m x \u001b[22;38;2;1;2;3mrgb\u001b[0m\u001b[7mback\r\n\u001b[K\u001b[27;9mstruck\u001b[39;49m",
  "colours in parts": "\u001b[38:2::10:20:30;48:5:17mx\u001b[58;5;3;4my\u001b[24;1mz\u001b[m-",
  "another screen and back":
    "shell$ vim\r\n\u001b[?1049h\u001b[22;0;0t\u001b[?1h\u001b=\u001b[?2004h\u001b[H\u001b[2Jvim here\u001b[3;5H\u001b[44mblue\u001b[K\u001b[m~" +
    "\u001b[6;1H-- INSERT --\u001b[2;3Hx\u001b[?1049l\u001b[?1l\u001b>\u001b[?2004lshell$ after\r\n",
  "a part of the screen that scrolls":
    "\u001b[2;4r\u001b[4;1Ha\r\nb\r\nc\r\nd\u001b[?6h\u001b[2;2Hin\u001b[3;1Hx\r\ny\u001b[?6l\u001b[rz",
  "modes of keys and the mouse":
    "\u001b[?1000h\u001b[?1006h\u001b[?1004h\u001b[?1h\u001b=\u001b[>1u\u001b[>4;2m\u001b[?25l\u001b[5 qtext\u001b[<u\u001b[>4m\u001b[?25h",
  "insertion, no wrap, drawn lines":
    "abcdef\u001b[4h\u001b[1;3HXY\u001b[4l\u001b[?7l\u001b[1;15Hlong enough\u001b[?7h\u001b(0lqqk\u001b(B",
  "strings":
    "\u001b]0;a title é\u0007text\u001bP+q544e\u001b\\more\u001b_Gpicture\u001b\\\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\end",
  "resets": "\u001b[31;?25l\u001b[2;3r\u001bcnew\u001b[32m\u001b[2;3r\u001b[!psoft"
}

describe("the snapshot of a screen and what is printed after it", () => {
  for (const [name, text] of Object.entries(programs)) {
    it.live(`make the same screen elsewhere, wherever they meet: ${name}`, () =>
      Effect.gen(function*() {
        const bytes = Buffer.from(text, "utf8")
        for (let cut = 0; cut <= bytes.length; cut++) {
          const [here, there] = [made(), made()]
          yield* fed(here, bytes.subarray(0, cut))
          yield* fed(there, here.snapshot())
          assert.strictEqual(here.offset(), cut)
          yield* fed(here, bytes.subarray(cut))
          yield* fed(there, bytes.subarray(cut))
          assert.deepStrictEqual(look(there), look(here), `${cut}: ${JSON.stringify(text.slice(0, cut))}`)
          here.dispose()
          there.dispose()
        }
      }))
  }

  it.live("leaves out a string that is too long to be kept, up to its end", () =>
    Effect.gen(function*() {
      for (
        const [begin, end] of [["\u001b]52;c;", "\u0007"], ["\u001bPq", "\u001b\\"], ["\u001b_G", "\u001b\\"]] as const
      ) {
        const [here, there] = [made(), made()]
        yield* fed(here, Buffer.from(`before ${begin}${"A".repeat(10_000)}`))
        yield* fed(there, here.snapshot())
        for (const screen of [here, there]) yield* fed(screen, Buffer.from(`${"B".repeat(100)}${end}after`))

        assert.deepStrictEqual(there.read("visible").rows[0], "before after")
        here.dispose()
        there.dispose()
      }
    }))

  it.live("is of one moment: bytes that are not on the screen yet are told later, each once", () =>
    Effect.gen(function*() {
      const [here, there] = [made(), made()]
      const told: Array<Uint8Array> = []
      let begun: { readonly image: Uint8Array; readonly offset: number } | undefined
      const mirror = {
        output: (chunk: Uint8Array) => void told.push(chunk),
        resized: () => {}
      }
      const bytes = Buffer.from(Array.from({ length: 3000 }, (_, n) => `line ${n}\r\n`).join(""))
      for (let at = 0; at < bytes.length; at += 1000) {
        here.feed(bytes.subarray(at, at + 1000))
        if (at !== 10_000) continue
        begun = { image: here.snapshot(), offset: here.offset() }
        here.mirrors.add(mirror)
      }
      yield* here.flush
      yield* fed(there, begun?.image ?? Buffer.alloc(0))
      for (const chunk of told) yield* fed(there, chunk)

      assert.strictEqual(Buffer.concat(told).toString(), bytes.subarray(begun?.offset).toString())
      assert.isBelow(begun?.offset ?? Infinity, bytes.length)
      assert.deepStrictEqual(look(there), look(here))
      here.dispose()
      there.dispose()
    }))

  it.live("for a terminal of another size is what that has room for, around the cursor", () =>
    Effect.gen(function*() {
      const here = made()
      const small = made({ columns: 8, rows: 3 })
      const large = made({ columns: 40, rows: 10 })
      yield* fed(
        here,
        Buffer.from("漢字漢字漢字\r\n1\r\n2\r\n3\r\n0123456789\u001b[31mred\u001b[?25l\u001b[2;3r\u001b[5;4H")
      )
      yield* fed(small, here.snapshot({ columns: 8, rows: 3 }))
      yield* fed(large, here.snapshot({ columns: 40, rows: 10 }))
      const rows = here.read("visible", true).rows

      assert.deepStrictEqual(small.read("visible", true).rows, ["2", "3", "01234567"])
      assert.deepStrictEqual(large.read("visible", true).rows, [...rows, "", "", "", ""])
      assert.deepStrictEqual(
        [small, large].map((
          screen
        ) => [screen.read("visible").cursor?.row ?? 0, screen.read("visible").cursor?.column]),
        [[2, 3], [4, 3]]
      )
      assert.include(small.restore(), "\u001b[?25h")
      assert.notInclude(small.restore(), "\u001b[r")
    }))
})
