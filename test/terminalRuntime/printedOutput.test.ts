import { assert, describe, it } from "@effect/vitest"
import { makePrinted, withoutSequences } from "../../src/terminalRuntime/printedOutput.ts"
import { shellCommand } from "../../src/terminalRuntime/shellCommand.ts"
import { growth } from "../fixtures/processor.ts"

const shell = shellCommand("x", "nonce0")
const bytes = new TextEncoder()
const whole = (output: string, code = "3") =>
  `$ printf '%s%s\\n' 'pw-b' 'nonce0'; ...\r\n${shell.begin}\r\n${output}\r\n\u001b[K${shell.end}${code}\r\n$ after`

const inPieces = (text: string, size: number, most = 1000) => {
  const printed = makePrinted(shell, most)
  const all = bytes.encode(text)
  let ended = false
  for (let at = 0; at < all.length; at += size) ended = printed.push(all.subarray(at, at + size)) || ended
  return { ended, exitCode: printed.exitCode(), ...printed.output(false) }
}

describe("the printed output of a command", () => {
  it("is the same in pieces of every size", () => {
    const output = "ä\r\n漢字 👍\u001b[31mred\u001b[0m\r\n\u001b[Kpw-enonce1:4\u001b[Kpw-e\r\nend"
    const text = whole(output, "130")
    for (let size = 1; size <= text.length; size++) {
      assert.deepStrictEqual(inPieces(text, size), {
        ended: true,
        exitCode: 130,
        output: "ä\n漢字 👍red\npw-enonce1:4pw-e\nend",
        truncated: false
      })
    }
  })

  it("has no end as long as that is not whole", () => {
    const text = whole("out\r\n", "12")
    const end = text.indexOf("12\r\n$ after")
    for (const cut of [end - 5, end, end + 1, end + 2]) {
      const { exitCode, ended, output } = inPieces(text.slice(0, cut), 7)
      assert.deepStrictEqual([ended, exitCode], [false, undefined])
      assert.match(output, /^out\n/)
    }
  })

  it("keeps its last newline, blank lines, and what is no newline of the terminal", () => {
    const cases = [["", ""], ["\r\n", "\n"], ["a\r\n\r\n", "a\n\n"], ["a\r\r\n", "a\r\n"], [
      "1%\r2%\r\n",
      "1%\r2%\n"
    ]] as const
    for (const [printed, output] of cases) assert.strictEqual(inPieces(whole(printed), 100).output, output)
  })

  it("keeps CR LF where the terminal adds no CR", () => {
    const text = whole("a\r\nb\n").replace(`${shell.begin}\r\n`, `${shell.begin}\n`)
    assert.strictEqual(inPieces(text, 100).output, "a\r\nb\n")
  })

  it("begins at the last of the lines that begin it", () => {
    assert.strictEqual(inPieces(whole(`+ trace of ${shell.begin}\r\n${shell.begin}\r\nout\r\n`), 100).output, "out\n")
  })

  it("is the last whole lines where there is more than is kept", () => {
    const lines = Array.from({ length: 200 }, (_, at) => `line ${at} ü\r\n`).join("")
    const { ended, output, truncated } = inPieces(whole(lines), 10, 100)

    assert.deepStrictEqual([ended, truncated], [true, true])
    assert.match(output, /^line \d+ ü\n/)
    assert.isTrue(output.endsWith("line 199 ü\n"))
    assert.isAtMost(bytes.encode(output).length, 120)
    assert.isAtLeast(bytes.encode(output).length, 60)
  })

  it("is the end of a long line where there is no other, without half a character", () => {
    const { output, truncated } = inPieces(whole(`${"é".repeat(5000)}\r\n`), 3, 999)

    assert.isTrue(truncated)
    assert.match(output, /^é{490,510}\n$/)
  })

  it("is all there is where no end comes", () => {
    const text = whole("so far\r\n")
    assert.strictEqual(inPieces(text.slice(0, text.indexOf("\r\n\u001b[K")), 9).output, "so far\n")
  })
})

describe("text without sequences", () => {
  const cases: ReadonlyArray<readonly [text: string, plain: string, styled: string]> = [
    ["\u001b[1;31mred\u001b[0m", "red", "\u001b[1;31mred\u001b[0m"],
    ["\u001b[38:2::1:2:3mx", "x", "\u001b[38:2::1:2:3mx"],
    ["\u001b[2J\u001b[H\u001b[?25lx\u001b[10;20H", "x", "x"],
    ["\u001b]0;title\u0007a\u001b]8;;u\u001b\\b\u001bPq#0\u001b\\c\u001b_x\u001b\\d", "abcd", "abcd"],
    ["\u001b(B\u001b=\u001b7\u001bcx", "x", "x"],
    ["a\u0007b\bc\u0000d\u007fe\u009bf", "abcdef", "abcdef"],
    ["tab\tlf\ncr\r", "tab\tlf\ncr\r", "tab\tlf\ncr\r"],
    ["\u001b[\u001b[31m31m", "[31m", "[\u001b[31m31m"],
    ["\u001b]0;no end\nx", "]0;no end\nx", "]0;no end\nx"],
    ["cut \u001b[31", "cut [31", "cut [31"]
  ]

  it.each(cases)("%j", (text, plain, styled) => {
    assert.strictEqual(withoutSequences(text, false), plain)
    assert.strictEqual(withoutSequences(text, true), styled)
  })

  it("takes a time that grows with its length alone", () => {
    for (const part of ["\u001b", "\u001b[", "\u001b]", "\u001b[1;", "\u001bP0"]) {
      assert.isBelow(growth((length) => withoutSequences(part.repeat(length), false), 400_000), 30)
    }
  })
})
