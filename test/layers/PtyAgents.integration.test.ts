import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as Pty from "../../layers/Pty.ts"
import { type AgentObservation, AgentSense, type Sensed } from "../../src/AgentState.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { remote } from "../fixtures/served.ts"

/** What the program said last of itself. */
const sense: typeof AgentSense.Service = (_, { rows }) => {
  const said = rows.findLast((row) => row.startsWith("state "))
  return Effect.succeedSome<Sensed>({
    state: said === "state working" ? "working" : said === "state idle" ? "idle" : "unknown",
    source: "screen",
    confidence: "certain"
  })
}

describe.concurrent("an agent that is killed while it works", () => {
  for (
    const [where, layer] of [
      ["in the embedded pty", Pty.layer()],
      ["in a pane of a server", remote(Pty.layer())]
    ] as const
  ) {
    for (const onExit of ["hold", "close"] as const) {
      it.live(`case 143: has exited, whatever it said before, ${where} (${onExit})`, () =>
        Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          const { handle, pid = 0 } = yield* runtime.spawn({
            program: { argv: ["sh", "-c", "echo state idle; read -r x; echo state working; read -r x"] },
            onExit
          })
          yield* runtime.waitAgent(handle, { states: ["idle"], timeout: "10 seconds" })
          const told: Array<AgentObservation> = []
          const stream = yield* Effect.forkChild(
            Stream.runForEach(runtime.agents([handle]), (seen) => Effect.sync(() => told.push(seen))),
            { startImmediately: true }
          )
          // both look while it is idle
          const [exited, blocked] = yield* Effect.all([
            Effect.forkChild(runtime.waitAgent(handle, { states: ["exited"], timeout: "10 seconds" }), {
              startImmediately: true
            }),
            Effect.forkChild(Effect.flip(runtime.waitAgent(handle, { states: ["blocked"], timeout: "1 minute" })), {
              startImmediately: true
            })
          ])
          yield* runtime.sendKeys(handle, ["Enter"])
          yield* runtime.waitAgent(handle, { states: ["working"], timeout: "10 seconds" })
          process.kill(pid, "SIGKILL")

          assert.deepInclude(yield* Fiber.join(exited), { state: "exited", source: "process", confidence: "certain" })
          assert.strictEqual((yield* Fiber.join(blocked))._tag, "PaneEnded")
          yield* Fiber.join(stream)
          assert.deepInclude(told.at(-1), { state: "exited" })
        }).pipe(
          Effect.provideService(AgentSense, sense),
          Effect.timeout("20 seconds"),
          Effect.provide(layer)
        ), 30_000)
    }
  }
})

describe("a wait on a pane that goes", () => {
  const layer = Pty.layer()
  const argv = ["sh", "-c", "echo ready; read -r x; echo last"] as const
  const waiting = Effect.fnUntraced(function*(onExit: "hold" | "close") {
    const runtime = yield* TerminalRuntime
    const { handle } = yield* runtime.spawn({ program: { argv }, onExit })
    yield* runtime.waitOutput(handle, { pattern: "ready", timeout: "10 seconds" })
    const [output, stable] = yield* Effect.all([
      Effect.forkChild(Effect.flip(runtime.waitOutput(handle, { pattern: "never", timeout: "1 minute" })), {
        startImmediately: true
      }),
      Effect.forkChild(Effect.flip(runtime.waitStable(handle, { quiet: "50 seconds", timeout: "1 minute" })), {
        startImmediately: true
      })
    ])
    return { handle, runtime, output, stable }
  })

  it.live("ends with it, when the program ends and the pane was to close then", () =>
    Effect.gen(function*() {
      const { handle, output, runtime, stable } = yield* waiting("close")
      yield* runtime.sendKeys(handle, ["Enter"])

      assert.strictEqual((yield* Fiber.join(output))._tag, "PaneEnded")
      assert.strictEqual((yield* Fiber.join(stable))._tag, "PaneEnded")
    }).pipe(Effect.timeout("30 seconds"), Effect.provide(layer)))

  it.live("ends with it, when somebody closes it", () =>
    Effect.gen(function*() {
      const { handle, output, runtime, stable } = yield* waiting("hold")
      yield* runtime.closePane(handle)

      assert.strictEqual((yield* Fiber.join(output))._tag, "PaneEnded")
      assert.strictEqual((yield* Fiber.join(stable))._tag, "PaneEnded")
    }).pipe(Effect.timeout("30 seconds"), Effect.provide(layer)))
})
