/**
 * Agents: their states and turns, told by a sense that the test provides where the runtime has none of its own.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { AgentSense, type Sensed } from "../../AgentState.ts"
import { failureOf, type Program, type Programs, type Test } from "./world.ts"

/** Reads the state off the last line of the screen that names one. */
const sense = (_: unknown, screen: { readonly rows: ReadonlyArray<string> }) => {
  const states = ["working", "idle", "blocked", "unknown"] as const
  const shown = screen.rows.map((row) => row.trim()).findLast((row) => row.startsWith("agent-is-"))
  const state = states.find((one) => shown === `agent-is-${one}`) ?? "unknown"
  return Effect.succeedSome<Sensed>({
    state,
    source: "screen",
    confidence: state === "unknown" ? "guess" : "certain"
  })
}

const sensing = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideService(effect, AgentSense, sense)

const agentOf = ({ agent }: Programs): Program =>
  agent ?? assert.fail("the runtime tells agents by itself: give programs.agent in the options of the suite")

/**
 * @internal
 */
export const agents = (test: Test): void => {
  test(
    "agent-states",
    "a state is waited for with its evidence, and unknown satisfies only who lists it",
    Effect.fnUntraced(
      function*({ openReady, openShell, patience, programs, runtime }) {
        if (runtime.capabilities.agentState === "native") {
          const { handle } = yield* openReady(agentOf(programs))
          const idle = yield* runtime.waitAgent(handle, { states: ["idle", "done"], timeout: patience })
          const waiting = yield* Effect.forkChild(
            runtime.waitAgent(handle, { states: ["working"], timeout: patience }),
            { startImmediately: true }
          )
          yield* runtime.sendCommand(handle, "work")
          const working = yield* Fiber.join(waiting)
          // no agent is in it
          const shell = yield* openShell()
          const error = yield* failureOf(
            runtime.waitAgent(shell.handle, { states: ["idle", "blocked", "done", "working"], timeout: "300 millis" })
          )
          const unknown = yield* runtime.waitAgent(shell.handle, { states: ["unknown"], timeout: patience })

          for (const told of [idle, working]) {
            assert.notStrictEqual(told.source, "none")
            assert.notStrictEqual(told.confidence, "guess")
          }
          assert.strictEqual(error._tag, "WaitTimeout")
          assert.strictEqual(unknown.state, "unknown")
          return
        }
        const { handle } = yield* openShell()
        const waiting = yield* Effect.forkChild(
          sensing(runtime.waitAgent(handle, { states: ["working"], timeout: patience })),
          { startImmediately: true }
        )
        yield* runtime.sendCommand(handle, "printf 'agent-is-%s\\n' working")
        const working = yield* Fiber.join(waiting)
        yield* runtime.sendCommand(handle, "printf 'agent-is-%s\\n' unknown")
        const error = yield* failureOf(
          sensing(runtime.waitAgent(handle, { states: ["blocked"], timeout: "300 millis" }))
        )
        const unknown = yield* sensing(runtime.waitAgent(handle, { states: ["unknown"], timeout: patience }))

        assert.deepInclude(working, { state: "working", source: "screen", confidence: "certain" })
        assert.strictEqual(error._tag, "WaitTimeout")
        assert.strictEqual(unknown.state, "unknown")
      }
    )
  )

  test(
    "later-turn",
    "idle that was there before the mark is not the answer to it, idle after working is",
    Effect.fnUntraced(
      function*({ openReady, openShell, patience, programs, runtime }) {
        if (runtime.capabilities.agentState === "native") {
          const { handle } = yield* openReady(agentOf(programs))
          yield* runtime.waitAgent(handle, { states: ["idle", "done"], timeout: patience })
          const { mark } = yield* runtime.capture(handle)
          const early = yield* failureOf(
            runtime.waitAgent(handle, { states: ["idle", "done"], after: mark, timeout: "300 millis" })
          )
          const waiting = yield* Effect.forkChild(
            runtime.waitAgent(handle, { states: ["idle", "done"], after: mark, timeout: patience }),
            { startImmediately: true }
          )
          const { mark: sent } = yield* runtime.sendCommand(handle, "work")
          const later = yield* Fiber.join(waiting)
          // the mark of the send is older than the turn that it began
          yield* runtime.waitAgent(handle, { states: ["idle", "done"], after: sent, timeout: patience })

          assert.strictEqual(early._tag, "WaitTimeout")
          assert.include(["idle", "done"], later.state)
          return
        }
        const { handle } = yield* openShell()
        yield* runtime.sendCommand(handle, "printf 'agent-is-%s\\n' idle")
        yield* sensing(runtime.waitAgent(handle, { states: ["idle"], timeout: patience }))
        // the prompt that follows is no later turn
        yield* runtime.waitStable(handle, { quiet: "300 millis", timeout: patience })
        const { mark } = yield* sensing(runtime.capture(handle))
        const early = yield* failureOf(
          sensing(runtime.waitAgent(handle, { states: ["idle"], after: mark, timeout: "300 millis" }))
        )
        const waiting = yield* Effect.forkChild(
          sensing(runtime.waitAgent(handle, { states: ["idle"], after: mark, timeout: patience })),
          { startImmediately: true }
        )
        yield* runtime.sendCommand(handle, "printf 'agent-is-%s\\n' working")
        yield* sensing(runtime.waitAgent(handle, { states: ["working"], timeout: patience }))
        yield* runtime.sendCommand(handle, "printf 'agent-is-%s\\n' idle")
        const later = yield* Fiber.join(waiting)

        assert.strictEqual(early._tag, "WaitTimeout")
        assert.include(["idle", "done"], later.state)
      }
    )
  )
}
