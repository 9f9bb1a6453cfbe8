import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { TestClock } from "effect/testing"
import * as Memory from "../fixtures/Memory.ts"
import { orchestrate } from "./orchestrator.ts"

it.effect("the orchestrator prompts every agent, sees the first settle and then all", () =>
  Effect.gen(function*() {
    const { runtime, script } = yield* Memory.open
    script.respond = () => "12 passed"
    const tasks = ["a", "b", "c", "d", "e"].map((name) => ({ name, root: `/w/${name}`, prompt: "go" }))

    const fiber = yield* Effect.forkChild(orchestrate(tasks), { startImmediately: true })
    yield* TestClock.adjust("1 second")
    const panes = yield* runtime.listPanes()
    for (const state of ["working", "blocked"] as const) {
      for (const { handle } of panes) {
        yield* script.agent(handle, state)
        yield* TestClock.adjust("100 millis")
      }
    }
    yield* TestClock.adjust("2 hours")
    const { all, first, panes: prompted, test } = yield* Fiber.join(fiber)

    assert.strictEqual(first.state, "blocked")
    assert.deepStrictEqual(all, Option.some(tasks.length))

    const [pane] = prompted
    assert.isDefined(pane)
    assert.deepStrictEqual((yield* test(pane)).groups, ["12"])
  }).pipe(Effect.provide(Memory.layer({ profile: "agent-aware" }))))
