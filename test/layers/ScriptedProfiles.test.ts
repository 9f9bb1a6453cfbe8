import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Scripted from "../../layers/Scripted.ts"
import type { SendRequest } from "../../src/Send.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"

const open = Effect.gen(function*() {
  const runtime = yield* TerminalRuntime
  const script = yield* Scripted.Script
  const { handle: pane } = yield* runtime.spawn({})
  yield* script.clearLog
  return { runtime, script, pane }
})

const lines = (entries: ReadonlyArray<Scripted.Entry>) => entries.map((entry) => entry.toString())

/** What is asked for, and what a plain pane and an agent get of it; undefined where it is refused. */
const matrix: ReadonlyArray<
  readonly [SendRequest, ReadonlyArray<string> | undefined, ReadonlyArray<string> | undefined]
> = [
  [{ command: "ls" }, ["p1 typed \"ls\"", "p1 pressed Enter"], ["p1 prompted \"ls\""]],
  [{ items: [{ message: "a" }] }, ["p1 typed \"a\""], ["p1 prompted \"a\""]],
  [{ items: [{ message: "a" }, { message: "b" }] }, ["p1 typed \"a\"", "p1 typed \"b\""], ["p1 prompted \"a\\nb\""]],
  [{ items: [{ message: "a" }, { key: "Enter" }] }, ["p1 typed \"a\"", "p1 pressed Enter"], ["p1 prompted \"a\""]],
  [{ items: [{ key: "C-u" }, { message: "a" }] }, ["p1 pressed C-u", "p1 typed \"a\""], undefined],
  [{ items: [{ key: "Up" }, { key: "Enter" }] }, ["p1 pressed Up", "p1 pressed Enter"], [
    "p1 pressed Up",
    "p1 pressed Enter"
  ]],
  [{ command: "ls", items: [{ message: "x" }] }, undefined, undefined],
  [{}, undefined, undefined]
]

for (const delivery of ["guarded", "stepwise"] as const) {
  for (const profile of ["plain-pane", "agent-aware"] as const) {
    it.effect(`ACE-40 sends as the profile ${profile} says, ${delivery}, and writes nothing of what it refuses`, () =>
      Effect.gen(function*() {
        const { pane, runtime, script } = yield* open
        for (const [request, plain, agent] of matrix) {
          yield* script.clearLog
          const expected = profile === "plain-pane" ? plain : agent
          const result = yield* Effect.result(runtime.send(pane, request))

          assert.strictEqual(result._tag, expected === undefined ? "Failure" : "Success", JSON.stringify(request))
          assert.deepStrictEqual(lines(yield* script.log), expected ?? [])
        }
      }).pipe(Effect.provide(Scripted.layer({ profile, delivery }))))
  }
}

describe("Scripted", () => {
  it.effect("panes of a mixed runtime take what their program takes", () =>
    Effect.gen(function*() {
      const { pane: shell, runtime, script } = yield* open
      const { handle: agent } = yield* runtime.spawn({ program: { argv: ["/usr/bin/claude", "--resume"] } })
      yield* script.clearLog
      yield* runtime.sendText(shell, "a")
      yield* runtime.sendText(agent, "b")
      yield* runtime.sendText(agent, "c", { profile: "plain-pane" })

      assert.deepStrictEqual(lines(yield* script.log), ["p1 typed \"a\"", "p2 prompted \"b\"", "p2 typed \"c\""])
    }).pipe(Effect.provide(Scripted.layer({ mixed: true, programs: { claude: Scripted.agent({ name: "claude" }) } }))))

  it.effect("a pane that became an agent unnoticed gets a prompt, and nothing is typed twice", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      yield* script.fault({ _tag: "StaleProfile", as: "plain-pane" }, pane)
      yield* script.change(pane, { profile: "agent-aware" })
      yield* runtime.sendText(pane, "go")

      assert.deepStrictEqual(lines(yield* script.log), ["p1 prompted \"go\""])
    }).pipe(Effect.provide(Scripted.layer({ mixed: true }))))

  it.effect("a prompt that an agent does not begin with is no evidence, and in doubt where evidence is asked for", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      const error = yield* Effect.flip(runtime.sendText(pane, "go", { require: "agent-protocol" }))

      assert.deepInclude(error, { _tag: "SendStalled", reason: "not-processed" })
      assert.deepStrictEqual(lines(yield* script.log), ["p1 prompted \"go\""])
    }).pipe(Effect.provide(Scripted.layer({ profile: "agent-aware", program: Scripted.lines({ name: "deaf" }) }))))
})
