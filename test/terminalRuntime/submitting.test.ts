import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { TestClock } from "effect/testing"
import { AgentSense } from "../../src/AgentState.ts"
import type { Delivery, Primitives } from "../../src/Contract.ts"
import { RuntimeUnavailable, SendRejected } from "../../src/RuntimeError.ts"
import * as Send from "../../src/Send.ts"
import * as Memory from "../fixtures/Memory.ts"
import * as Records from "../fixtures/Records.ts"

const verdict: Send.Verdict = {
  outcome: "accepted",
  evidence: "screen",
  inject: "capture_contains_token",
  submit: "pasted_content_prompt_absent_after_submit",
  turn: "leader_new_turn_boundary_verified",
  attempts: 1
}
const policy = (parts: Partial<Send.SubmitPolicyService>) =>
  Effect.provideService(
    Send.SubmitPolicy,
    Option.some<Send.SubmitPolicyService>({
      appliesTo: () => true,
      gate: () => Effect.void,
      submit: (_, __, ___, hands) => Effect.as(hands.submitKey, verdict),
      ...parts
    })
  )

describe("a submit policy", () => {
  it.effect("gets the text typed without a key, presses the key, and its verdict is the report", () => {
    const seen: Array<string> = []
    return Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      script.respond = () => "done"
      const report = yield* runtime.sendCommand(pane, "fix it").pipe(policy({
        appliesTo: (record, profile) => {
          seen.push(`${record.handle.id} ${profile}`)
          return true
        },
        gate: (_, hands) => Effect.map(hands.look, ({ rows }) => void seen.push(`gate ${rows.join("|")}`)),
        submit: Effect.fnUntraced(function*(_, typed, baseline, hands) {
          const before = yield* hands.look
          yield* hands.submitKey
          const after = yield* hands.look
          seen.push(typed, baseline.rows.join("|"), before.rows.join("|"), after.rows.join("|"))
          return verdict
        })
      }))

      assert.deepStrictEqual(
        seen.map((entry) => entry.trimEnd()),
        ["p1 agent-aware", "gate $", "fix it", "$", "$ fix it", "$ fix it|done|$"]
      )
      assert.deepStrictEqual(script.log, ["open p1", "Type fix it", "Press Enter"])
      assert.deepInclude(report, { ...verdict, stage: "submit", droppedTrailingEnter: false })
      assert.deepStrictEqual(report.mark.at, { row: 0, column: 2, epoch: "0" })
    }).pipe(Effect.provide(Memory.layer({ profile: "agent-aware" })))
  })

  it.effect("case 28: has prompts pasted and commands typed", () => {
    const given: Array<Delivery> = []
    const layer = Records.layer(Records.world(), () => ({
      sendProfile: "agent-aware" as const,
      deliver: (_, delivery) =>
        Effect.sync(() => {
          given.push(delivery)
          return { _tag: "Written", before: { tail: ["> "] } }
        })
    }))
    return Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open
      const baselines: Array<string> = []
      const verified = policy({
        submit: (_, __, { text }, hands) => {
          baselines.push(text)
          return Effect.as(hands.submitKey, verdict)
        }
      })
      yield* runtime.sendText(pane, "/tmp is full").pipe(verified)
      yield* runtime.sendCommand(pane, "/model").pipe(verified)

      const [prompt, , command] = given
      assert.deepStrictEqual(prompt?.steps, [{ _tag: "Type", text: "/tmp is full", paste: true }])
      assert.deepStrictEqual(command?.steps, [{ _tag: "Type", text: "/model", paste: false }])
      assert.deepStrictEqual(given.map(({ rows }) => rows), [true, false, true, false])
      assert.deepStrictEqual(baselines, ["> ", "> "])
    }).pipe(Effect.provide(layer))
  })

  it.effect("is asked on a plain pane too, for text with one Enter after it, and for nothing else", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      const asked: Array<string> = []
      const counted = policy({
        submit: (_, typed, __, hands) => {
          asked.push(typed)
          return Effect.as(hands.submitKey, verdict)
        }
      })
      yield* runtime.sendCommand(pane, "a").pipe(counted)
      yield* runtime.send(pane, { items: [{ message: "b" }, { message: "c" }, { key: "Enter" }] }).pipe(counted)
      yield* runtime.typeInto(pane, "d\n").pipe(counted)
      const before = asked.length
      yield* runtime.sendText(pane, "x").pipe(counted)
      yield* runtime.sendKeys(pane, ["Enter"]).pipe(counted)
      yield* runtime.send(pane, { command: "y", items: [{ key: "Down" }] }).pipe(counted)
      yield* runtime.sendCommand(pane, "z").pipe(policy({ appliesTo: () => false, submit: () => Effect.die("asked") }))

      assert.deepStrictEqual(asked, ["a", "bc", "d"])
      assert.strictEqual(before, 3)
      assert.deepStrictEqual(script.log.slice(1, 8), [
        "Type a",
        "Press Enter",
        "Type b",
        "Type c",
        "Press Enter",
        "Type d",
        "Press Enter"
      ])
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("case 46: that refuses at its gate has nothing typed", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      const refusal = new SendRejected({ pane, code: "draft-present", reason: "a draft stands in the composer" })
      const error = yield* Effect.flip(runtime.sendText(pane, "x")).pipe(policy({ gate: () => Effect.fail(refusal) }))

      assert.strictEqual(error, refusal)
      assert.deepStrictEqual(script.log, ["open p1"])
    }).pipe(Effect.provide(Memory.layer({ profile: "agent-aware" }))))

  it.effect("case 55: presses the submit key three times at most, and every press is counted", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      const presses: Array<string> = []
      const report = yield* runtime.sendText(pane, "x").pipe(policy({
        submit: Effect.fnUntraced(function*(_, __, ___, hands) {
          for (let n = 0; n < 5; n++) {
            presses.push(
              yield* Effect.match(hands.submitKey, {
                onFailure: ({ _tag }) => _tag,
                onSuccess: ({ _tag }) => _tag
              })
            )
          }
          return { ...verdict, attempts: 1 }
        })
      }))

      assert.deepStrictEqual(presses, ["Written", "Written", "Written", "NativeFailure", "NativeFailure"])
      assert.deepStrictEqual(script.log, ["open p1", "Type x", "Press Enter", "Press Enter", "Press Enter"])
      assert.strictEqual(report.attempts, 3)
    }).pipe(Effect.provide(Memory.layer({ profile: "agent-aware" }))))

  it.effect("case 40: that saw no processing leaves the delivery in doubt, with what it saw", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      const unseen: Send.Verdict = {
        outcome: "in-doubt",
        evidence: "none",
        inject: "capture_missing_token",
        submit: "Enter_sent_after_visible_token",
        turn: "leader_new_turn_boundary_missing",
        attempts: 3
      }
      const error = yield* Effect.flip(runtime.sendText(pane, "x")).pipe(
        policy({ submit: (_, __, ___, { submitKey }) => Effect.as(Effect.andThen(submitKey, submitKey), unseen) })
      )

      assert(error._tag === "SendStalled" && error.reason === "not-processed")
      assert.deepInclude(error.report, { ...unseen, attempts: 2, stage: "submit" })
      assert.deepStrictEqual(script.log.filter((entry) => entry.startsWith("Type")), ["Type x"])
    }).pipe(Effect.provide(Memory.layer({ profile: "agent-aware" }))))

  it.effect("has as long as the caller says, 30 seconds otherwise, and is not cut by the caller's timeout", () =>
    Effect.gen(function*() {
      const { pane, runtime } = yield* Memory.open
      const slow = policy({ submit: () => Effect.never })
      const short = yield* Effect.forkChild(
        Effect.flip(runtime.sendText(pane, "x", { within: "2 seconds" })).pipe(slow)
      )
      yield* TestClock.adjust("1999 millis")
      assert.isUndefined(short.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      const error = yield* Fiber.join(short)
      assert(error._tag === "SendStalled" && error.reason === "not-processed")
      assert.include(String(error.cause), "2 s")

      const timed = yield* Effect.forkChild(
        Effect.timeoutOption(Effect.flip(runtime.sendText(pane, "x")), "1 second").pipe(slow)
      )
      yield* TestClock.adjust("29 seconds")
      assert.isUndefined(timed.pollUnsafe())
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(timed)
    }).pipe(Effect.provide(Memory.layer({ profile: "agent-aware" }))))

  it.effect("that fails or dies after the text leaves it in doubt", () =>
    Effect.gen(function*() {
      const { pane, runtime } = yield* Memory.open
      const lost = new RuntimeUnavailable({ runtime: "memory", reason: "lost", detail: "gone" })
      const failed = yield* Effect.flip(runtime.sendText(pane, "x")).pipe(policy({ submit: () => Effect.fail(lost) }))
      const died = yield* Effect.flip(runtime.sendText(pane, "x")).pipe(policy({ submit: () => Effect.die("broken") }))

      assert.deepInclude(failed, { _tag: "SendStalled", reason: "connection-lost" })
      assert.deepInclude(died, { _tag: "SendStalled", reason: "not-processed" })
    }).pipe(Effect.provide(Memory.layer({ profile: "agent-aware" }))))

  it.effect("holds the pane's lock until its verdict", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      const slow = policy({
        submit: (_, __, ___, hands) => Effect.as(Effect.delay(hands.submitKey, "2 seconds"), verdict)
      })
      const both = yield* Effect.forkChild(
        Effect.all([runtime.sendText(pane, "a"), runtime.sendText(pane, "b")], { concurrency: 2 }).pipe(slow)
      )
      yield* TestClock.adjust("4 seconds")
      yield* Fiber.join(both)

      assert.deepStrictEqual(script.log, ["open p1", "Type a", "Press Enter", "Type b", "Press Enter"])
    }).pipe(Effect.provide(Memory.layer({ profile: "agent-aware" }))))

  it.effect("is interrupted at its gate, where nothing was typed", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      const waits = yield* Effect.forkChild(runtime.sendText(pane, "x").pipe(policy({ gate: () => Effect.never })), {
        startImmediately: true
      })
      yield* Fiber.interrupt(waits)
      yield* runtime.sendText(pane, "y")

      assert.deepStrictEqual(script.log, ["open p1", "Prompt y"])
    }).pipe(Effect.provide(Memory.layer({ profile: "agent-aware" }))))

  it.effect("is told when the pane changes, and what the agent does", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      const states: Array<string> = []
      const sends = yield* Effect.forkChild(
        runtime.sendText(pane, "x").pipe(policy({
          submit: Effect.fnUntraced(function*(_, __, ___, hands) {
            yield* hands.submitKey
            for (let n = 0; n < 20; n++) {
              const state = Option.match(yield* hands.agent, { onNone: () => "none", onSome: ({ state }) => state })
              states.push(state)
              if (state === "working") return verdict
              yield* hands.changed
            }
            return { ...verdict, outcome: "in-doubt" as const }
          })
        })),
        { startImmediately: true }
      )
      yield* TestClock.adjust("1 second")
      yield* script.agent(pane, "working")
      yield* Fiber.join(sends)

      assert.strictEqual(states[0], "idle")
      assert.strictEqual(states[states.length - 1], "working")
    }).pipe(Effect.provide(Memory.layer({ profile: "agent-aware" }))))

  it.effect("asks the sense of agents where the runtime knows none, and polls where nothing wakes", () => {
    const looks: Array<string> = []
    const sense = Effect.provideService(AgentSense, (_, screen) =>
      Effect.sync(() => {
        looks.push(screen.text)
        return Option.some({ state: "working" as const, source: "screen" as const, confidence: "likely" as const })
      }))
    return Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open
      const sends = yield* Effect.forkChild(
        runtime.sendCommand(pane, "x").pipe(
          policy({
            submit: (_, __, ___, hands) =>
              Effect.map(
                Effect.andThen(hands.changed, hands.agent),
                (sensed) => ({ ...verdict, outcome: Option.isSome(sensed) ? "accepted" as const : "in-doubt" as const })
              )
          }),
          sense
        )
      )
      yield* TestClock.adjust("1 second")

      assert.strictEqual((yield* Fiber.join(sends)).outcome, "accepted")
      assert.deepStrictEqual(new Set(looks.map((text) => text.trimEnd())), new Set(["$"]))
    }).pipe(Effect.provide(Records.layer(Records.world())))
  })

  it.effect("that is provided where the runtime is made is used too", () =>
    Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open

      assert.deepInclude(yield* runtime.sendCommand(pane, "x"), { outcome: "accepted", evidence: "screen" })
    }).pipe(Effect.provide(Records.layer(Records.world())), policy({})))

  it.effect("with weaker evidence than required is in doubt", () =>
    Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open
      const error = yield* Effect.flip(runtime.sendCommand(pane, "x", { require: "transcript" })).pipe(policy({}))
      const enough = yield* runtime.sendCommand(pane, "x", { require: "screen" }).pipe(policy({}))

      assert(error._tag === "SendStalled")
      assert.deepInclude(error.report, { ...verdict, outcome: "in-doubt" })
      assert.strictEqual(enough.outcome, "accepted")
    }).pipe(Effect.provide(Records.layer(Records.world()))))

  it.effect("whose key may not have arrived counts it, and goes on looking", () => {
    let writes = 0
    const halting = ({ write }: Primitives) => ({
      write: (...args: Parameters<Primitives["write"]>) => ++writes === 2 ? Effect.never : write(...args)
    })
    return Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open
      const sends = yield* Effect.forkChild(runtime.sendCommand(pane, "x").pipe(policy({})))
      yield* TestClock.adjust("5 seconds")

      assert.deepInclude(yield* Fiber.join(sends), { outcome: "accepted", attempts: 1 })
    }).pipe(Effect.provide(Records.layer(Records.world(), halting)))
  })
})
