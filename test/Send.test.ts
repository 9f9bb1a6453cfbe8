import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Send from "../src/Send.ts"

describe("plan", () => {
  it("makes one prompt of an agent's messages and leaves out the trailing Enter", () => {
    const plan = Send.plan({ items: [{ message: "a" }, { message: "b" }, { key: "Enter" }] }, "agent-aware")

    assert.deepStrictEqual(
      plan,
      Result.succeed({ steps: [{ _tag: "Prompt", text: "a\nb" }], droppedTrailingEnter: true, echo: "a\nb" })
    )
  })

  it("refuses an item with a key that is neither message nor key", () => {
    const item = { message: "a", kye: "Enter" }

    const plan = Send.plan({ items: [item] }, "plain-pane")

    assert.deepStrictEqual(plan, Result.fail({ index: 0, reason: "must be exactly one of message or key" }))
  })
})

it.effect("the default submit policy is none", () =>
  Effect.map(Send.SubmitPolicy, (policy) => assert.isTrue(Option.isNone(policy))))
