import { assert, describe, it } from "@effect/vitest"
import * as Display from "../../../src/cli/foreground/display.ts"

const bytes = (text: string) => Buffer.from(text, "latin1")

/** What is shown of a text that comes in parts of so many bytes. */
const shown = (text: string, part = Infinity): string => {
  const display = Display.make()
  const all = bytes(text)
  const out: Array<Uint8Array> = []
  for (let at = 0; at < all.length; at += part) {
    out.push(display.show(all.subarray(at, Math.min(all.length, at + part))))
  }
  return Buffer.concat(out).toString("latin1")
}

const questions = [
  "\x1b[c",
  "\x1b[0c",
  "\x1b[>c",
  "\x1b[>0c",
  "\x1b[=c",
  "\x1b[5n",
  "\x1b[6n",
  "\x1b[?6n",
  "\x1b[?996n",
  "\x1b[?2026$p",
  "\x1b[4$p",
  "\x1b[>q",
  "\x1b[>0q",
  "\x1b[?u",
  "\x1b[14t",
  "\x1b[18t",
  "\x1b[8;30;100t",
  "\x1b[x",
  "\x1b[1$w",
  "\x1b[?1;1;0S",
  "\x1b[1;1;1;1;1;1*y",
  "\x1bZ",
  "\x1b]11;?\x07",
  "\x1b]10;?\x1b\\",
  "\x1b]4;1;?;2;?\x07",
  "\x1b]52;c;?\x07",
  "\x1bP+q544e\x1b\\",
  "\x1bP$qm\x1b\\",
  "\x1b_Gi=1,a=q;AAAA\x1b\\"
]

const others = [
  "text \xc3\xa9 \x00\x07\x9b\xff",
  "\x1b[1;31m",
  "\x1b[m",
  "\x1b[?25l",
  "\x1b[>4;2m",
  "\x1b[>1u",
  "\x1b[<u",
  "\x1b[=1;1u",
  "\x1b[u",
  "\x1b[S",
  "\x1b[2 q",
  "\x1b[!p",
  "\x1b[22;0;0t",
  "\x1b[23t",
  "\x1b]0;is it? yes;\x07",
  "\x1b]8;;http://host/?a\x1b\\",
  "\x1b]11;#000000\x1b\\",
  "\x1b]52;c;aGk=\x07",
  "\x1bPq#0;2;0;0;0~-\x1b\\",
  "\x1b(0",
  "\x1b7",
  "\x1b\x1b[1m",
  "\x1b[1\x18x",
  "\x1b]0;cut\x1b[2m",
  "\x1bPqcut\x1a",
  "\x1b[1;\x1b[3m",
  `\x1b]52;c;${"A".repeat(10_000)}\x07`,
  `\x1bPq${"~".repeat(10_000)}\x1b[5m`
]

describe("a terminal that shows a pane", () => {
  it("gets no question that it would answer, wherever its parts are cut", () => {
    for (const question of questions) {
      for (const part of [1, 2, 3, Infinity]) {
        assert.strictEqual(shown(`a${question}b`, part), "ab", JSON.stringify(question))
      }
    }
  })

  it("gets everything else byte for byte", () => {
    for (const other of others) {
      for (const part of [1, 2, 3, 7, Infinity]) {
        assert.strictEqual(shown(`a${other}\x1b[mb`, part), `a${other}\x1b[mb`, JSON.stringify(other.slice(0, 40)))
      }
    }
    const all = others.join("") + questions.join("")
    for (const part of [1, 5, 64, Infinity]) assert.strictEqual(shown(`${all}z`, part), `${others.join("")}z`)
  })

  it("is told to leave what it was told to enter, and nothing that it may not know", () => {
    const left = (text: string) => {
      const display = Display.make()
      display.show(bytes(text))
      return [display.leave(), display.leave()] as const
    }
    const [plain] = left("text")

    assert.notMatch(plain, /1049|\[<|\[>|\[=/)
    assert.match(plain, /\x1b\[\?25h/)
    for (
      const [text, off] of [
        ["\x1b[?1049h", "\x1b[?1049l"],
        ["\x1b[?47;1h", "\x1b[?1049l"],
        ["\x1b[>1u\x1b[>3u\x1b[<u\x1b[>5u", "\x1b[<2u"],
        ["\x1b[>1u\x1b[?1049h\x1b[>1u\x1b[>1u", "\x1b[<2u\x1b[?1049l\x1b[<1u"],
        ["\x1b[=1;1u", "\x1b[=0u"],
        ["\x1b[>4;1m", "\x1b[>4m"],
        ["\x1b[?2031h", "\x1b[?2031l"]
      ] as const
    ) {
      const [first, second] = left(text)
      assert.include(first, off, JSON.stringify(text))
      assert.strictEqual(second, plain, JSON.stringify(text))
    }
    for (const text of ["\x1b[?1049h\x1b[?1049l", "\x1b[>1u\x1b[<u", "\x1b[?1049h\x1bc", "\x1b[?2031h\x1b[?2031l"]) {
      assert.strictEqual(left(text)[0], plain, JSON.stringify(text))
    }
  })

  it("forgets what was not whole when it leaves", () => {
    const display = Display.make()
    display.show(bytes("a\x1b[3"))
    display.leave()

    assert.strictEqual(Buffer.from(display.show(bytes("1m"))).toString(), "1m")
  })
})
