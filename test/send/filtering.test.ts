import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Send from "../../src/Send.ts"
import { growth } from "../fixtures/processor.ts"

const message = (text: string, sanitize = false) =>
  Send.plan({ items: [{ key: "Up" }, { message: text }] }, { profile: "plain-pane", sanitize })
const sanitized = (text: string) => {
  const plan = message(`x${text}`, true)
  const step = Result.getOrThrow(plan).steps[1]
  return step?._tag === "Type" ? step.text.slice(1) : undefined
}

const forbidden = Array.from({ length: 0xa0 }, (_, code) => code).filter((code) =>
  (code < 0x20 || code >= 0x7f) && code !== 0x09 && code !== 0x0a && code !== 0x0d
)

describe("a message", () => {
  it("case 20: with ESC, DEL, or any control character but TAB and newlines is rejected at its place", () => {
    for (const code of forbidden) {
      const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`

      assert.deepStrictEqual(
        message(`é😀\r\n${String.fromCharCode(code)}201~`),
        Result.fail({
          code: "control-character",
          reason: `message holds a control character (${name}) at character 4`,
          index: 1,
          offset: 4
        })
      )
    }
    assert.lengthOf(forbidden, 28 + 1 + 33)
  })

  it("with TAB, newlines and any other character is sent", () => {
    for (
      const text of ["\t", "a\nb", "\u00a0", "\u200b", "\u202e", "\u2028", "\ufeff", "é", "e\u0301", "👩‍👩‍👧", "\uffff"]
    ) {
      assert.isTrue(Result.isSuccess(message(text)), JSON.stringify(text))
    }
  })

  it("with half of a surrogate pair is rejected: no encoding carries it", () => {
    assert.deepStrictEqual(
      message("a😀\ud83d!\u0007"),
      Result.fail({
        code: "control-character",
        reason: "message holds half of a character (U+D83D) at character 2",
        index: 1,
        offset: 2
      })
    )
    assert.deepInclude(Result.isFailure(message("\udc00")) ? { at: 0 } : {}, { at: 0 })
    assert.strictEqual(sanitized("a\ud83d😀\udc00b"), "a😀b")
  })

  it("is rejected at the first of several places, and only the first item counts", () => {
    const plan = Send.plan({ items: [{ message: "ok" }, { message: "a\u0007\u001b" }, { message: "\u0000" }] }, {
      profile: "agent-aware"
    })

    assert.isTrue(Result.isFailure(plan) && plan.failure.index === 1 && plan.failure.offset === 1)
  })

  it("of nothing but control characters is rejected although they are removed", () => {
    assert.deepStrictEqual(
      message("\u001b\u0007", true),
      Result.fail({ code: "shape", reason: "message holds nothing but control characters", index: 1 })
    )
  })
})

describe("a command", () => {
  it("is filtered as messages are, without an index", () => {
    assert.deepStrictEqual(
      Send.plan({ command: "ls\u0003" }, { profile: "plain-pane" }),
      Result.fail({
        code: "control-character",
        reason: "the command holds a control character (U+0003) at character 2",
        offset: 2
      })
    )
    assert.deepStrictEqual(
      Result.getOrThrow(Send.plan({ command: "ls\u0003 \r" }, { profile: "agent-aware", sanitize: true })).steps,
      [{ _tag: "Prompt", text: "ls \n" }]
    )
  })

  it("that is blank without its control characters is absent", () => {
    const plan = Send.plan({ command: "\u001b ", items: [{ message: "x" }] }, {
      profile: "agent-aware",
      sanitize: true
    })

    assert.deepStrictEqual(Result.getOrThrow(plan).steps, [{ _tag: "Prompt", text: "x" }])
  })
})

describe("sanitizing", () => {
  it("case 19: removes paste markers that appear only when another was removed", () => {
    assert.strictEqual(sanitized("\u001b\u001b[201~[201~"), "")
    assert.strictEqual(sanitized("\u001b[20\u001b[201~1~"), "")
    assert.strictEqual(sanitized("\u001b[\u001b[\u001b[201~201~201~"), "")
    assert.strictEqual(sanitized("a\u001b[200~b\u001b[201~c"), "abc")
  })

  it("case 20: removes a sequence that begins with the one-byte introducer", () => {
    assert.strictEqual(sanitized("a\u009b201~b"), "ab")
    assert.strictEqual(sanitized("a\u009b\u001b[201~201~b"), "ab")
  })

  it("removes sequences whole, and of what is no sequence the control characters only", () => {
    assert.strictEqual(sanitized("\u001b[1;31mred\u001b[0m"), "red")
    assert.strictEqual(sanitized("\u001b]0;title\u0007text"), "text")
    assert.strictEqual(sanitized("\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\"), "link")
    assert.strictEqual(sanitized("\u001b]no end"), "]no end")
    assert.strictEqual(sanitized("\u001bc\u0000a\u007fb"), "cab")
    assert.strictEqual(sanitized("[201~ and 0;31m are text"), "[201~ and 0;31m are text")
  })

  const hostile = Arbitrary.map(
    Arbitrary.array(
      Arbitrary.schema(Schema.Literals([
        "\u001b",
        "\u009b",
        "[",
        "]",
        "P",
        "20",
        "0",
        "1",
        "~",
        ";",
        "m",
        "\u001b[201~",
        "\u0007",
        "\u001b\\",
        "\u009c",
        "\r",
        "\n",
        "\t",
        "\u0000",
        "\u007f",
        "\u0085",
        "\ud83d",
        "\ude00",
        "é",
        " "
      ])),
      { maxLength: 24 }
    ),
    (parts) => parts.join("")
  )

  it.effect.prop(
    "case 19: leaves nothing to obey, and nothing for a second time",
    [hostile],
    ([text]) =>
      Effect.sync(() => {
        const once = sanitized(text) ?? ""

        assert.notMatch(once, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
        assert.notMatch(once, /\p{Cs}/u)
        assert.strictEqual(sanitized(once), once)
      }),
    { arbitrary: { runs: 2000 } }
  )

  it.effect.prop("changes no text that would be accepted", [hostile], ([text]) =>
    Effect.sync(() => {
      const plan = message(`x${text}`)
      return Result.isFailure(plan) || JSON.stringify(plan) === JSON.stringify(message(`x${text}`, true))
    }), { arbitrary: { runs: 2000 } })

  it("takes time in proportion to the text", () => {
    for (const part of ["\u001b[", "\u001b]", "\u001b[201", "\u001b", "~", "\u001b[~"]) {
      assert.isBelow(
        growth((length) => sanitized(`${part.repeat(length / part.length)}${"201~".repeat(length / 8)}`), 400_000),
        30
      )
    }
  })
})
