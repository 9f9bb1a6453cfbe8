import { assert, describe, it } from "@effect/vitest"
import { shellCommand } from "../../src/terminalRuntime/shellCommand.ts"

const languages = ["sh", "zsh", "fish"] as const
const command = "if true\r\nthen\n\techo 'it''s' \"$x\" \\ !!\rfi # end"

describe.each(languages)("a command as it is typed into %s", (language) => {
  for (const statusFile of [undefined, "/run/a 'file'/nonce0"]) {
    const { begin, end, typed } = shellCommand(command, "nonce0", { language, statusFile })
    const how = statusFile === undefined ? "" : " with a file for its code"

    it(`is one line that begins with a blank${how}`, () => {
      assert.match(typed, /^ \S[^\n\r\t]*\S$/)
    })

    it(`contains neither of the lines around its output${how}`, () => {
      for (const text of [typed, typed.replaceAll(/\s/g, ""), typed.replaceAll(/['"\\ ]/g, " ")]) {
        assert.notInclude(text, begin)
        assert.notInclude(text, end)
      }
    })
  }

  it("is the same whatever the ends of its lines", () => {
    const typed = (text: string) => shellCommand(text, "nonce0", { language }).typed

    assert.strictEqual(typed("a\r\nb"), typed("a\nb"))
    assert.strictEqual(typed("a\rb"), typed("a\nb"))
  })
})

describe("a command of several lines", () => {
  it("has no mark of the history between double quotes, where some shells would expand it", () => {
    const { typed } = shellCommand("echo one\necho '!!' !x", "nonce0")

    assert.notInclude(typed, "!")
  })
})
