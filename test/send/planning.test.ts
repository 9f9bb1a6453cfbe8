import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Keys from "../../src/Keys.ts"
import * as Send from "../../src/Send.ts"

const type = (text: string) => ({ _tag: "Type", text, paste: text.includes("\n") })
const press = (name: string) => ({ _tag: "Press", key: Result.getOrThrow(Keys.parse(name)) })
const prompt = (text: string) => ({ _tag: "Prompt", text })
const enter = press("Enter")

const m = (message: string) => ({ message })
const k = (key: string) => ({ key })

const nothing = "nothing to send: give a command that is not blank, a message or a key"
const alone = "a command submits on its own: only keys may follow it, no messages"
const oneEnter = "an agent pane takes at most one Enter in a send"
const afterCommand = "on an agent pane only a single Enter may follow the command"
const afterMessages = "on an agent pane only a single Enter may follow the messages, at their end"

type Expected = string | ReadonlyArray<unknown> | { readonly dropped: ReadonlyArray<unknown> }

/** The request, what becomes of it on a plain pane, and on an agent pane: steps, or the reason of the rejection. */
const matrix: ReadonlyArray<readonly [string, Send.SendRequest, Expected, Expected]> = [
  ["nothing", {}, nothing, nothing],
  ["no items", { items: [] }, nothing, nothing],
  ["a blank command", { command: " \t\n " }, nothing, nothing],
  ["a blank command and no items", { command: "", items: [] }, nothing, nothing],
  ["a command", { command: "make" }, [type("make"), enter], [prompt("make")]],
  ["a command with blanks around it", { command: "  make " }, [type("  make "), enter], [prompt("  make ")]],
  ["a command of two lines", { command: "a\nb\n" }, [type("a\nb\n"), enter], [prompt("a\nb\n")]],
  ["a command, Enter", { command: "x", items: [k("Enter")] }, [type("x"), enter, enter], { dropped: [prompt("x")] }],
  ["a command, key", { command: "x", items: [k("C-c")] }, [type("x"), enter, press("C-c")], afterCommand],
  ["a command, Return", { command: "x", items: [k("Return")] }, [type("x"), enter, press("Return")], afterCommand],
  [
    "a command, two Enters",
    { command: "x", items: [k("Enter"), k("enter")] },
    [type("x"), enter, enter, enter],
    oneEnter
  ],
  [
    "a command, key, Enter",
    { command: "x", items: [k("Up"), k("Enter")] },
    [type("x"), enter, press("Up"), enter],
    afterCommand
  ],
  [
    "a command, Enter, key",
    { command: "x", items: [k("Enter"), k("Up")] },
    [type("x"), enter, enter, press("Up")],
    afterCommand
  ],
  ["a command, message", { command: "x", items: [m("y")] }, alone, alone],
  ["a command, blank message", { command: "x", items: [m(" ")] }, alone, alone],
  ["a command, message, Enter", { command: "x", items: [m("y"), k("Enter")] }, alone, alone],
  ["a command, key, message", { command: "x", items: [k("Up"), m("y")] }, alone, alone],
  ["a command, two Enters, message", { command: "x", items: [k("Enter"), k("Enter"), m("y")] }, alone, alone],
  ["a blank command, message", { command: " ", items: [m("y")] }, [type("y")], [prompt("y")]],
  ["a blank command, key", { command: " ", items: [k("Up")] }, [press("Up")], [press("Up")]],
  ["a message", { items: [m("a")] }, [type("a")], [prompt("a")]],
  ["a blank message", { items: [m("  ")] }, [type("  ")], [prompt("  ")]],
  ["two messages", { items: [m("a"), m("b")] }, [type("a"), type("b")], [prompt("a\nb")]],
  ["three messages of lines", { items: [m("a\n"), m("b"), m("c")] }, [type("a\n"), type("b"), type("c")], [
    prompt("a\n\nb\nc")
  ]],
  ["a message, Enter", { items: [m("a"), k("Enter")] }, [type("a"), enter], { dropped: [prompt("a")] }],
  ["a message, ENTER with blanks", { items: [m("a"), k(" ENTER\t")] }, [type("a"), enter], { dropped: [prompt("a")] }],
  ["two messages, Enter", { items: [m("a"), m("b"), k("Enter")] }, [type("a"), type("b"), enter], {
    dropped: [prompt("a\nb")]
  }],
  ["a message, two Enters", { items: [m("a"), k("Enter"), k("Enter")] }, [type("a"), enter, enter], oneEnter],
  ["a message, key", { items: [m("a"), k("Up")] }, [type("a"), press("Up")], afterMessages],
  ["a message, Return", { items: [m("a"), k("Return")] }, [type("a"), press("Return")], afterMessages],
  ["a message, C-m", { items: [m("a"), k("C-m")] }, [type("a"), press("C-m")], afterMessages],
  ["a message, KPEnter", { items: [m("a"), k("KPEnter")] }, [type("a"), press("KPEnter")], afterMessages],
  ["a message, S-Enter", { items: [m("a"), k("S-Enter")] }, [type("a"), press("S-Enter")], afterMessages],
  ["a message, key, Enter", { items: [m("a"), k("Tab"), k("Enter")] }, [type("a"), press("Tab"), enter], afterMessages],
  ["a message, Enter, key", { items: [m("a"), k("Enter"), k("Tab")] }, [type("a"), enter, press("Tab")], afterMessages],
  ["key, message", { items: [k("C-u"), m("a")] }, [press("C-u"), type("a")], afterMessages],
  ["key, message, Enter", { items: [k("C-u"), m("a"), k("Enter")] }, [press("C-u"), type("a"), enter], afterMessages],
  ["Enter, message", { items: [k("Enter"), m("a")] }, [enter, type("a")], afterMessages],
  ["message, Enter, message", { items: [m("a"), k("Enter"), m("b")] }, [type("a"), enter, type("b")], afterMessages],
  [
    "message, Enter, message, Enter",
    { items: [m("a"), k("Enter"), m("b"), k("Enter")] },
    [type("a"), enter, type("b"), enter],
    oneEnter
  ],
  ["CancelMode, message", { items: [k("CancelMode"), m("a")] }, [press("CancelMode"), type("a")], afterMessages],
  ["Enter", { items: [k("Enter")] }, [enter], [enter]],
  ["a key", { items: [k("Escape")] }, [press("Escape")], [press("Escape")]],
  ["keys", { items: [k("Up"), k("y"), k("C-c")] }, [press("Up"), press("y"), press("C-c")], [
    press("Up"),
    press("y"),
    press("C-c")
  ]],
  ["keys, Enter", { items: [k("Down"), k("Enter")] }, [press("Down"), enter], [press("Down"), enter]],
  ["Enter, key", { items: [k("Enter"), k("Down")] }, [enter, press("Down")], [enter, press("Down")]],
  ["two Enters", { items: [k("Enter"), k("enter")] }, [enter, enter], oneEnter],
  ["key, Enter, key, Enter", { items: [k("Up"), k("Enter"), k("Up"), k("Enter")] }, [
    press("Up"),
    enter,
    press("Up"),
    enter
  ], oneEnter]
]

/** The plan as a row of the matrix states it. */
const planned = (request: Send.SendRequest, profile: Send.SendProfile): Expected =>
  Result.match(Send.plan(request, { profile }), {
    onFailure: ({ code, index, reason }) => code === "shape" && index === undefined ? reason : "another failure",
    onSuccess: ({ droppedTrailingEnter, steps }) => droppedTrailingEnter ? { dropped: [...steps] } : [...steps]
  })

describe("on a plain pane", () => {
  it.for(matrix)("%s", ([, request, expected]) => {
    assert.deepStrictEqual(planned(request, "plain-pane"), expected)
  })
})

describe("on an agent pane", () => {
  it.for(matrix)("%s", ([, request, , expected]) => {
    assert.deepStrictEqual(planned(request, "agent-aware"), expected)
  })
})

describe("a request of the wrong shape", () => {
  const reasons: ReadonlyArray<readonly [unknown, Send.Rejection]> = [
    [undefined, { code: "shape", reason: "the request must be an object with a command, items or both" }],
    [null, { code: "shape", reason: "the request must be an object with a command, items or both" }],
    ["ls", { code: "shape", reason: "the request must be an object with a command, items or both" }],
    [[], { code: "shape", reason: "the request must be an object with a command, items or both" }],
    [() => 1, { code: "shape", reason: "the request must be an object with a command, items or both" }],
    [{ comand: "ls" }, { code: "shape", reason: "the request has command and items, not \"comand\"" }],
    [{ command: null, items: null }, { code: "shape", reason: nothing }],
    [{ command: {} }, { code: "shape", reason: "the command must be text" }],
    [{ command: true }, { code: "shape", reason: "the command must be text" }],
    [{ command: ["ls"] }, { code: "shape", reason: "the command must be text" }],
    [{ items: "ls" }, { code: "shape", reason: "items must be an array" }],
    [{ items: { message: "x" } }, { code: "shape", reason: "items must be an array" }],
    [{ items: new Set(["x"]) }, { code: "shape", reason: "items must be an array" }]
  ]
  const object = "must be an object with one field, message or key"
  const items: ReadonlyArray<readonly [unknown, string, Send.Rejection["code"]?]> = [
    [undefined, object],
    [null, object],
    ["x", object],
    [7, object],
    [["x"], object],
    [{}, object],
    [{ message: undefined }, object],
    [{ message: "x", key: "Enter" }, object],
    [{ message: "x", kye: "Enter" }, object],
    [{ text: "x" }, "must have message or key, not \"text\""],
    [{ "": "x" }, "must have message or key, not \"\""],
    [{ message: "" }, "message must be text that is not empty"],
    [{ message: 7 }, "message must be text that is not empty"],
    [{ message: null }, "message must be text that is not empty"],
    [{ message: ["x"] }, "message must be text that is not empty"],
    [{ key: "" }, "key must be the name of a key"],
    [{ key: " \t" }, "key must be the name of a key"],
    [{ key: null }, "key must be the name of a key"],
    [{ key: false }, "key must be the name of a key"],
    [{ key: {} }, "key must be the name of a key"],
    [{ key: Symbol("") }, "key must be the name of a key"],
    [{ key: "Entr" }, "unknown key \"Entr\"", "unknown-key"],
    [{ key: "super+x" }, "unknown key \"super+x\"", "unknown-key"],
    [{ key: "\u001b[A" }, "unknown key \"\\u{1b}[A\"", "unknown-key"],
    [{ key: 12 }, "unknown key \"12\"", "unknown-key"]
  ]

  it("is rejected with what is wrong, on both profiles", () => {
    for (const profile of ["plain-pane", "agent-aware"] as const) {
      for (const [request, rejection] of reasons) {
        assert.deepStrictEqual(Send.plan(request as Send.SendRequest, { profile }), Result.fail(rejection))
      }
    }
  })

  it("is rejected with the index of the item that is wrong, on both profiles", () => {
    for (const profile of ["plain-pane", "agent-aware"] as const) {
      for (const [item, reason, code = "shape"] of items) {
        const request = { items: [{ message: "ok" }, item, { key: "Nope" }] } as Send.SendRequest

        assert.deepStrictEqual(Send.plan(request, { profile }), Result.fail({ code, reason, index: 1 }))
      }
    }
  })

  it("is rejected although reading it throws", () => {
    const throwing = {
      get command(): string {
        throw new Error("no")
      }
    }
    const revoked = Proxy.revocable({}, {})
    revoked.revoke()
    const list = Proxy.revocable([], {})
    list.revoke()

    for (
      const request of [throwing, revoked.proxy, { items: list.proxy }, { items: [throwing] }, {
        items: [revoked.proxy]
      }]
    ) {
      assert.deepStrictEqual(
        Send.plan(request as Send.SendRequest, { profile: "plain-pane" }),
        Result.fail({ code: "shape", reason: "the request cannot be read" })
      )
    }
  })

  it("is rejected for a profile that is none, before anything else", () => {
    const options: ReadonlyArray<unknown> = [undefined, null, 7, {}, { profile: "agent" }, "plain_pane", Symbol("x")]
    for (const option of options) {
      const plan = Send.plan({}, option as Send.PlanOptions)

      assert.isTrue(Result.isFailure(plan) && plan.failure.reason.startsWith("unknown send profile"))
    }
  })

  it("takes numbers and symbols for the keys that they name, and a number for a command", () => {
    const plan = (request: unknown): ReadonlyArray<unknown> => {
      const { steps } = Result.getOrThrow(Send.plan(request as Send.SendRequest, { profile: "plain-pane" }))
      return steps
    }

    assert.deepStrictEqual([...plan({ items: [{ key: 7 }, { key: Symbol("Enter") }] })], [press("7"), enter])
    assert.deepStrictEqual(plan({ command: 42 }), [type("42"), enter])
    assert.deepStrictEqual(plan({ items: [{ key: Keys.make("Up", { ctrl: true }) }] }), [press("C-Up")])
    assert.deepStrictEqual(plan({ command: undefined, items: [{ message: "x", key: undefined }] }), [type("x")])
  })
})
