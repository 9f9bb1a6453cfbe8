import { assert, describe, it } from "@effect/vitest"
import * as Quoting from "../../../layers/tmux/quoting.ts"

describe("a line", () => {
  it("has the commands without their last letters, which no alias of a user replaces", () => {
    assert.strictEqual(
      Quoting.group([["send-keys", "-t", "%1", "-l", "--", "x"], ["display-message", "-p", "#{pid}"]]),
      "send-key -t '%1' -l '--' x ; display-messag -p '#{pid}'"
    )
  })

  it("has the commands of a branch in braces", () => {
    assert.strictEqual(
      Quoting.group([["if-shell", "-F", "1", { run: [["send-keys", "}"], ["send-keys", ";"]] }, {
        run: [["a1", "b"]]
      }]]),
      "if-shel -F 1 { send-key '}' ; send-key ';' } { a b }"
    )
  })

  it("is one line, whatever its texts hold", () => {
    assert.strictEqual(Quoting.word("a\nb\r$HOME \"q\" ~ it's \\"), `"a\\nb\\r\\$HOME \\"q\\" \\~ it's \\\\"`)
    assert.strictEqual(Quoting.word(""), "''")
    assert.strictEqual(Quoting.word("a\0b"), "'a\u{fffd}b'")
  })
})

describe("a word of an argv", () => {
  it("case 1: keeps the semicolon at its end", () => {
    assert.deepStrictEqual(["run;", ";", "end\\;", "a;b", ""].map(Quoting.argv), [
      "run\\;",
      "\\;",
      "end\\\\;",
      "a;b",
      ""
    ])
  })
})

describe("a literal in a format", () => {
  it("has every # twice, but for those before [", () => {
    assert.deepStrictEqual(
      ["x#(touch owned)", "#{pid}#S##", "#[x", "##[x#", "plain"].map(Quoting.literal),
      ["x##(touch owned)", "##{pid}##S####", "#[x", "##[x##", "plain"]
    )
  })
})
