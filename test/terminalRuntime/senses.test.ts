import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { TestClock } from "effect/testing"
import { AgentSense, type AgentState } from "../../src/AgentState.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import * as Watched from "../fixtures/Watched.ts"

const start = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

const sense = (state: AgentState, before: Effect.Effect<void> = Effect.void): typeof AgentSense.Service => () =>
  Effect.as(before, Option.some({ state, source: "screen", confidence: "certain" }))

const waitAgent = (watched: Watched.Watched, own: typeof AgentSense.Service) =>
  TerminalRuntime.use((runtime) => runtime.waitAgent(watched.pane, { states: ["working"], timeout: "1 minute" })).pipe(
    Effect.provideService(AgentSense, own)
  )

describe("a sense of one caller", () => {
  it.effect("that takes long delays no wait for a line", () => {
    const watched = Watched.make({ without: ["agent"] })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const slow = yield* start(waitAgent(watched, sense("working", Effect.sleep("30 seconds"))))
      const line = yield* start(runtime.waitOutput(watched.pane, { pattern: "here", timeout: "1 minute" }))
      watched.print("here")
      yield* TestClock.adjust("100 millis")
      const found = line.pollUnsafe()
      const early = slow.pollUnsafe()
      yield* TestClock.adjust("55 seconds")

      assert.isTrue(found?._tag === "Success")
      assert.isUndefined(early)
      assert.strictEqual((yield* Fiber.join(slow)).state, "working")
      yield* Fiber.interrupt(line)
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("with a defect ends the waits that it tells, and no other", () => {
    const watched = Watched.make({ without: ["agent"] })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const line = yield* start(runtime.waitOutput(watched.pane, { pattern: "here", timeout: "1 minute" }))
      const still = yield* start(runtime.waitStable(watched.pane, { quiet: "1 second", timeout: "1 minute" }))
      const sound = yield* start(waitAgent(watched, sense("idle")))
      let dies = false
      const defect = Effect.suspend(() => dies ? Effect.die("sense") : Effect.void)
      const broken = yield* start(Effect.exit(waitAgent(watched, sense("idle", defect))))
      dies = true
      watched.print("something else")
      const exit = yield* Fiber.join(broken)
      yield* TestClock.adjust("100 millis")
      const others = [line, still, sound].map((fiber) => fiber.pollUnsafe())
      watched.print("here")
      yield* TestClock.adjust("5 seconds")

      assert.isTrue(Exit.hasDies(exit))
      assert.deepStrictEqual(others, [undefined, undefined, undefined])
      assert.strictEqual((yield* Fiber.join(line)).line, "here")
      assert.deepStrictEqual((yield* Fiber.join(still)).rows, ["something else", "here"])
      yield* Fiber.interrupt(sound)
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("does not wait for that of another", () => {
    const watched = Watched.make({ without: ["agent"] })
    return Effect.gen(function*() {
      const slow = yield* start(waitAgent(watched, sense("working", Effect.sleep("30 seconds"))))
      const quick = yield* start(waitAgent(watched, sense("working")))
      yield* TestClock.adjust("100 millis")
      const states = [slow, quick].map((fiber) => fiber.pollUnsafe()?._tag)

      assert.deepStrictEqual(states, [undefined, "Success"])
      yield* Fiber.interrupt(slow)
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("leaves no registration behind", () => {
    const watched = Watched.make({ without: ["agent"] })
    return Effect.gen(function*() {
      for (let n = 0; n < 20; n++) yield* waitAgent(watched, sense("working"))
      const during = watched.watchers()
      yield* TestClock.adjust("3 seconds")

      assert.deepStrictEqual([during > 0, watched.watchers()], [true, 0])
    }).pipe(Effect.provide(watched.layer))
  })
})
