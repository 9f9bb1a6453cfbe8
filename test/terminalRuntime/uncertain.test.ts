import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { TestClock } from "effect/testing"
import { isRetryable } from "../../src/RuntimeError.ts"
import * as Send from "../../src/Send.ts"
import * as Memory from "../fixtures/Memory.ts"

/** Looks until the agent works. */
const untilWorking: Send.SubmitPolicyService = {
  appliesTo: () => true,
  gate: () => Effect.void,
  submit: Effect.fnUntraced(function*(_, __, ___, { agent, changed, submitKey }) {
    yield* submitKey
    while (Option.getOrUndefined(yield* agent)?.state !== "working") yield* changed
    return {
      outcome: "accepted",
      evidence: "screen",
      inject: "capture_contains_token",
      submit: "pasted_content_prompt_absent_after_submit",
      turn: "leader_new_turn_boundary_verified",
      attempts: 1
    }
  })
}

describe("a send that is in doubt", () => {
  it.effect("case 52: is cleared up by the agent that starts late, and nothing is sent again", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      const sent = yield* Effect.forkChild(
        Effect.flip(runtime.sendText(pane, "do it", { within: "5 seconds" })).pipe(
          Effect.provideService(Send.SubmitPolicy, Option.some(untilWorking))
        ),
        { startImmediately: true }
      )
      yield* TestClock.adjust("5 seconds")
      const error = yield* Fiber.join(sent)
      assert(error._tag === "SendStalled")
      const waiting = yield* Effect.forkChild(
        runtime.waitAgent(pane, { states: ["working"], after: error.report.mark, timeout: "10 seconds" }),
        { startImmediately: true }
      )
      yield* TestClock.adjust("2 seconds")
      yield* script.agent(pane, "working")
      yield* TestClock.adjust("1 second")
      const observed = yield* Fiber.join(waiting)

      assert.deepStrictEqual([error.report.outcome, isRetryable(error)], ["in-doubt", false])
      assert.strictEqual(observed.state, "working")
      assert.deepStrictEqual(script.log, ["open p1", "Type do it", "Press Enter"])
    }).pipe(Effect.provide(Memory.layer({ profile: "agent-aware" }))))
})

describe("a send without text", () => {
  for (const profile of ["plain-pane", "agent-aware"] as const) {
    it.effect(`case 8: presses its key and types nothing (${profile})`, () =>
      Effect.gen(function*() {
        const { pane, runtime, script } = yield* Memory.open
        yield* runtime.typeInto(pane, "\n")
        yield* runtime.sendKeys(pane, ["Enter"])
        const refused = yield* Effect.all([
          Effect.flip(runtime.sendText(pane, "")),
          Effect.flip(runtime.sendCommand(pane, " ")),
          Effect.flip(runtime.send(pane, { items: [{ message: "" }, { key: "Enter" }] }))
        ])

        assert.deepStrictEqual(script.log, ["open p1", "Press Enter", "Press Enter"])
        for (const error of refused) assert.deepInclude(error, { _tag: "SendRejected", code: "shape" })
      }).pipe(Effect.provide(Memory.layer({ profile }))))
  }
})
