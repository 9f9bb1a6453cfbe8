import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Keys from "../src/Keys.ts"
import * as Send from "../src/Send.ts"

const key = (text: string) => Result.getOrThrow(Keys.parse(text))

describe("typeInto", () => {
  it("submits once what ends in a newline, however it is spelled, and nothing else", () => {
    const enter = { key: Keys.enter }
    const requests: ReadonlyArray<readonly [string, Send.SendRequest]> = [
      ["ls", { items: [{ message: "ls" }] }],
      ["ls\n", { items: [{ message: "ls" }, enter] }],
      ["ls\r\n", { items: [{ message: "ls" }, enter] }],
      ["ls\r", { items: [{ message: "ls" }, enter] }],
      ["a\nb\n", { items: [{ message: "a\nb" }, enter] }],
      ["ls\n\n", { items: [{ message: "ls\n" }, enter] }],
      [" \n", { items: [{ message: " " }, enter] }],
      ["\n", { items: [enter] }],
      ["", { items: [{ message: "" }] }]
    ]

    assert.deepStrictEqual(requests.map(([text]) => Send.typeInto(text)), requests.map(([, request]) => request))
  })

  it("passes a command on as it is, its quotes and metacharacters too", () => {
    const text = "K='v' \"$HOME\" `id`; a && b | c > d \\\n"
    const plan = Result.getOrThrow(Send.plan(Send.typeInto(text), { profile: "plain-pane" }))

    assert.deepStrictEqual(plan.steps, [
      { _tag: "Type", text: text.slice(0, -1), paste: false },
      { _tag: "Press", key: Keys.enter }
    ])
  })
})

describe("the echo of a plan", () => {
  const echo = (request: Send.SendRequest, profile: Send.SendProfile = "plain-pane") =>
    Result.getOrThrow(Send.plan(request, { profile })).echo
  const items = (...given: ReadonlyArray<Send.SendItem>): Send.SendRequest => ({ items: given })

  it("is what is typed, submitted or not, a line for each that is submitted", () => {
    assert.strictEqual(echo({ command: "make" }), "make")
    assert.strictEqual(echo({ command: "make", items: [{ key: "Up" }] }), "make")
    assert.strictEqual(echo(items({ message: "a" })), "a")
    assert.strictEqual(echo(items({ message: "a" }, { message: "b" }, { key: "Enter" }, { message: "c" })), "ab\nc")
    assert.strictEqual(echo(items({ message: "a" }, { key: "C-m" }, { message: "b" }, { key: "KPEnter" })), "a\nb")
    assert.strictEqual(echo(items({ message: "a\nb" }, { key: "Enter" })), "a\nb")
    assert.strictEqual(echo(items({ key: "y" }, { key: "Space" }, { key: "E" }, { key: "Enter" })), "y E")
  })

  it("leaves out what a key may have changed", () => {
    assert.strictEqual(echo(items({ message: "old" }, { key: "C-u" }, { message: "new" }, { key: "Enter" })), "new")
    assert.isUndefined(echo(items({ key: "Up" }, { key: "Enter" })))
  })

  it("of a prompt is its text, and of an agent's keys nothing", () => {
    assert.strictEqual(echo(items({ message: "a" }, { message: "b" }, { key: "Enter" }), "agent-aware"), "a\nb")
    assert.isUndefined(echo(items({ key: "Escape" }), "agent-aware"))
  })
})

describe("newlines", () => {
  const plan = (text: string, options: Partial<Send.PlanOptions> = {}) =>
    Result.getOrThrow(Send.plan({ items: [{ message: text }] }, { profile: "plain-pane", ...options }))

  it("case 14: make one paste of a text, and need bracketed paste unless they may submit", () => {
    assert.deepStrictEqual(plan("l1\nl2\nl3").steps, [{ _tag: "Type", text: "l1\nl2\nl3", paste: true }])
    assert.isTrue(plan("l1\nl2").needsBracketedPaste)
    assert.isFalse(plan("l1\nl2", { allowNewlines: true }).needsBracketedPaste)
    assert.deepStrictEqual(plan("l1\nl2", { allowNewlines: true }).steps, plan("l1\nl2").steps)
    assert.isFalse(plan("l1").needsBracketedPaste)
    assert.deepStrictEqual(plan("l1").steps, [{ _tag: "Type", text: "l1", paste: false }])
  })

  it("case 14: of an agent's messages are in one prompt, which is submitted once", () => {
    const prompt = plan("l1\nl2\nl3", { profile: "agent-aware" })

    assert.deepStrictEqual(prompt.steps, [{ _tag: "Prompt", text: "l1\nl2\nl3" }])
    assert.isFalse(prompt.needsBracketedPaste)
  })

  it("are LF however they are spelled", () => {
    assert.deepStrictEqual(plan("a\r\nb\rc\n\rd").steps, [{ _tag: "Type", text: "a\nb\nc\n\nd", paste: true }])
  })
})

describe("a text", () => {
  it("case 5: that is the name of a key is typed", () => {
    const names = [...Keys.Named.literals, "C-c", "M-x", "^C", "BTab", "PPage", "ctrl+c", "shift+tab"]
    for (const text of names) {
      const plan = Result.getOrThrow(
        Send.plan({ items: [{ message: text }, { key: "Enter" }] }, { profile: "plain-pane" })
      )

      assert.deepStrictEqual(plan.steps, [
        { _tag: "Type", text, paste: false },
        { _tag: "Press", key: key("Enter") }
      ])
    }
  })

  it("keeps every blank, dash and semicolon", () => {
    for (
      const text of ["run tests;", ";", "a\\;", ";;", "-ready", "--", "ls  -l\t ", " x", "#{pane_id}", "漢字 é 😀"]
    ) {
      for (const profile of ["plain-pane", "agent-aware"] as const) {
        const plan = Result.getOrThrow(Send.plan({ command: text }, { profile }))

        assert.strictEqual(plan.steps[0]._tag === "Press" ? "" : plan.steps[0].text, text)
      }
    }
  })
})

it("a plan says whether its text is a command", () => {
  const plan = (request: Send.SendRequest) =>
    Result.getOrThrow(Send.plan(request, { profile: "agent-aware" })).isCommand

  assert.isTrue(plan({ command: "x" }))
  assert.isFalse(plan({ command: " ", items: [{ message: "x" }] }))
})

it.effect("the default submit policy is none", () =>
  Effect.map(Send.SubmitPolicy, (policy) => assert.isTrue(Option.isNone(policy))))
