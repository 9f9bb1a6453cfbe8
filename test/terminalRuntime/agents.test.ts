import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import { type AgentObservation, AgentSense, type AgentState, type Sensed } from "../../src/AgentState.ts"
import type { AskError, Service } from "../../src/Contract.ts"
import * as PaneLocks from "../../src/PaneLocks.ts"
import type { InvalidRequest, RuntimeError, Unsupported } from "../../src/RuntimeError.ts"
import { Mark } from "../../src/Screen.ts"
import * as TerminalRuntime from "../../src/TerminalRuntime.ts"
import * as Memory from "../fixtures/Memory.ts"
import * as Watched from "../fixtures/Watched.ts"

const start = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

/** Lets what was forked or woken go on as far as it can without time passing. */
const settle = TestClock.adjust(0)

type States = Parameters<Service["waitAgent"]>[1]["states"]

const wait = (watched: Watched.Watched, states: States, after?: Mark) =>
  TerminalRuntime.TerminalRuntime.use((runtime) =>
    runtime.waitAgent(watched.pane, { states, timeout: "1 minute", after })
  )

/** The mark of a send that another process made, when the screen was as it is now. */
const foreignMark = (watched: Watched.Watched, turn?: Mark["turn"]) =>
  TerminalRuntime.TerminalRuntime.use((runtime) =>
    Effect.map(
      runtime.capture(watched.pane),
      ({ mark }) => new Mark({ ...mark, ...(turn === undefined ? {} : { turn }) })
    )
  )

describe("waitAgent", () => {
  it.effect("is not satisfied after a turn by an idle from before it", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      const { mark } = yield* runtime.sendText(pane, "go")
      const stale = yield* runtime.waitAgent(pane, { states: ["idle"], timeout: "1 second" })
      const wait = runtime.waitAgent(pane, { states: ["idle", "done"], timeout: "1 minute", after: mark })
      const fiber = yield* start(wait)

      yield* TestClock.adjust("1 second")
      const before = fiber.pollUnsafe()
      yield* script.agent(pane, "working")
      yield* TestClock.adjust("1 second")
      yield* script.agent(pane, "done")

      assert.strictEqual(stale.state, "idle")
      assert.isUndefined(before)
      assert.strictEqual((yield* Fiber.join(fiber)).state, "done")
    }).pipe(Effect.provide(Memory.layer({ profile: "agent-aware" }))))

  it.effect("is not satisfied by the old idle after a send that is in doubt", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* Memory.open
      script.writeFault = "half"
      const stalled = yield* Effect.flip(runtime.sendCommand(pane, "go"))
      assert(stalled._tag === "SendStalled")

      const wait = runtime.waitAgent(pane, { states: ["idle"], timeout: "1 second", after: stalled.report.mark })
      const fiber = yield* start(Effect.flip(wait))
      yield* TestClock.adjust("1 second")
      const error = yield* Fiber.join(fiber)

      assert(error._tag === "WaitTimeout" && error.lastSeen._tag === "Agent")
      assert.strictEqual(error.lastSeen.observation.state, "idle")
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("takes idle for done only after work that was seen", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      watched.agent("done")
      const idle = yield* wait(watched, ["idle"])
      const done = yield* start(wait(watched, ["done"]))
      yield* TestClock.adjust("1 second")
      const early = done.pollUnsafe()
      watched.agent("working")
      yield* TestClock.adjust("1 second")
      watched.agent("idle")
      const finished = yield* Fiber.join(done)
      const still = yield* wait(watched, ["done"])
      const both = yield* wait(watched, ["idle", "done"])
      const asIdle = yield* wait(watched, ["idle"])

      assert.strictEqual(idle.state, "idle")
      assert.isUndefined(early)
      assert.deepInclude(finished, { state: "done", confidence: "certain" })
      assert.strictEqual(still.sequence, finished.sequence)
      assert.strictEqual(both.state, "done")
      assert.strictEqual(asIdle.state, "idle")
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("is not satisfied by unknown unless that is listed, and counts it for no turn", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime.TerminalRuntime
      yield* wait(watched, ["idle"])
      const { mark } = yield* runtime.sendCommand(watched.pane, "go")
      const fiber = yield* start(wait(watched, ["idle", "done", "working", "blocked"], mark))
      for (const state of ["unknown", "idle", "unknown", "idle"] as const) {
        watched.agent(state)
        yield* TestClock.adjust("1 second")
      }
      const early = fiber.pollUnsafe()
      watched.agent("unknown")
      const listed = yield* wait(watched, ["unknown"])
      watched.agent("blocked", { kind: "permission", detail: "run rm?", source: "transcript" })
      yield* TestClock.adjust("1 second")

      assert.isUndefined(early)
      assert.strictEqual(listed.state, "unknown")
      assert.deepInclude(yield* Fiber.join(fiber), {
        state: "blocked",
        kind: "permission",
        detail: "run rm?",
        source: "transcript"
      })
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("follows the backend's own count of turns, also that of a turn nobody saw", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      watched.agent("idle", { turn: 7 })
      const mark = yield* foreignMark(watched, { sequence: 7, by: "native" })
      const fiber = yield* start(wait(watched, ["idle"], mark))
      yield* TestClock.adjust("1 second")
      const early = fiber.pollUnsafe()
      watched.agent("idle", { turn: 8 })
      const seen = yield* Fiber.join(fiber)

      assert.isUndefined(early)
      assert.strictEqual(seen.sequence, 8)
      assert.notProperty(seen, "turn")
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("with another process's mark needs output after it, and takes idle for done as likely", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      watched.print("> ")
      const mark = yield* foreignMark(watched, { sequence: 3, by: "elsewhere" })
      const idle = yield* start(wait(watched, ["idle"], mark))
      const done = yield* start(wait(watched, ["done"], mark))
      yield* TestClock.adjust("1 second")
      const early = [idle.pollUnsafe(), done.pollUnsafe()]
      watched.print("the answer")

      assert.deepStrictEqual(early, [undefined, undefined])
      assert.deepInclude(yield* Fiber.join(idle), { state: "idle", confidence: "certain" })
      assert.deepInclude(yield* Fiber.join(done), { state: "done", confidence: "likely" })
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("confirms a state that is not certain by a second look", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      watched.agent("idle", { confidence: "likely", source: "screen" })
      watched.print("> ")
      const mark = yield* foreignMark(watched)
      const fiber = yield* start(wait(watched, ["idle"], mark))
      watched.print("thinking")
      yield* TestClock.adjust("100 millis")
      watched.agent("working")
      yield* TestClock.adjust("1 second")
      watched.agent("idle")
      yield* TestClock.adjust("200 millis")
      const early = fiber.pollUnsafe()
      yield* TestClock.adjust("50 millis")

      assert.isUndefined(early)
      assert.strictEqual((yield* Fiber.join(fiber)).state, "idle")
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("takes a mark that cannot be placed for no proof", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      watched.print("old answer", "> ")
      const mark = yield* foreignMark(watched)
      const fiber = yield* start(Effect.flip(wait(watched, ["idle"], new Mark({ pane: mark.pane, anchor: [1, 2, 3] }))))
      yield* TestClock.adjust("1 minute")

      assert.strictEqual((yield* Fiber.join(fiber))._tag, "WaitTimeout")
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("case 143: the end of the process overrides what was said before, and satisfies a wait for it", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      watched.agent("working")
      const exited = yield* start(wait(watched, ["exited"]))
      const idle = yield* start(Effect.flip(wait(watched, ["idle"])))
      yield* settle
      watched.exit({ code: 137, signal: "SIGKILL" })

      assert.deepInclude(yield* Fiber.join(exited), { state: "exited", source: "process", confidence: "certain" })
      assert.deepInclude(yield* Fiber.join(idle), { _tag: "PaneEnded", exit: { code: 137, signal: "SIGKILL" } })

      // what its hook said last is not so any more
      watched.agent("idle")
      yield* TestClock.adjust("1 second")
      assert.deepInclude(yield* Effect.flip(wait(watched, ["idle"])), { _tag: "PaneEnded" })
      assert.strictEqual((yield* wait(watched, ["exited"])).state, "exited")

      watched.state.exit = undefined
      yield* TestClock.adjust("2 seconds")
      const gone = yield* start(wait(watched, ["exited"]))
      yield* settle
      watched.remove()
      assert.strictEqual((yield* Fiber.join(gone)).state, "exited")
    }).pipe(Effect.provide(watched.layer))
  })
})

describe("the sense of agents", () => {
  const sense = (states: () => AgentState): typeof AgentSense.Service => (_, screen) =>
    Effect.sync((): Option.Option<Sensed> =>
      screen.text.includes("agent")
        ? Option.some({ state: states(), source: "screen", confidence: "likely", agent: "test" })
        : Option.none()
    )

  it.effect("is asked where the adapter cannot tell; without one waits and streams are refused", () => {
    const watched = Watched.make({ without: ["agent"] })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime.TerminalRuntime
      const refused: Unsupported | RuntimeError = yield* Effect.flip(wait(watched, ["idle"]))
      const stream = yield* Effect.flip(Stream.runCollect(runtime.agents([watched.pane])))
      watched.print("agent")
      const seen = yield* wait(watched, ["idle"]).pipe(
        Effect.provideService(AgentSense, sense(() => "idle"))
      )

      assert.deepInclude(refused, { _tag: "Unsupported", capability: "agentState" })
      assert.deepInclude(stream, { _tag: "Unsupported", capability: "agentState" })
      assert.deepInclude(seen, { state: "idle", source: "screen", confidence: "likely", agent: "test" })
      assert.strictEqual(runtime.capabilities.agentState, "none")
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("that the runtime was made with is a derived capability, and knows no agent where there is none", () => {
    const watched = Watched.make({ without: ["agent"] })
    const layer = Layer.provide(watched.layer, Layer.succeed(AgentSense, sense(() => "working")))
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime.TerminalRuntime
      const unknown = yield* wait(watched, ["unknown", "idle"])
      watched.print("agent")
      const working = yield* wait(watched, ["working"])

      assert.strictEqual(runtime.capabilities.agentState, "derived")
      assert.deepInclude(unknown, { state: "unknown", source: "none" })
      assert.strictEqual(working.state, "working")
    }).pipe(Effect.provide(layer))
  })

  it.effect("is asked before a send, so that a turn is told from the idle before it", () => {
    const watched = Watched.make({ without: ["agent"] })
    let state: AgentState = "idle"
    const layer = Layer.provide(watched.layer, Layer.succeed(AgentSense, sense(() => state)))
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime.TerminalRuntime
      watched.print("agent")
      const { mark } = yield* runtime.sendCommand(watched.pane, "go")
      watched.print("output")
      const fiber = yield* start(wait(watched, ["done"], mark))
      yield* TestClock.adjust("10 seconds")
      const early = fiber.pollUnsafe()
      state = "working"
      watched.wake()
      yield* TestClock.adjust("1 second")
      state = "idle"
      watched.wake()

      assert.isDefined(mark.turn)
      assert.isUndefined(early)
      assert.strictEqual((yield* Fiber.join(fiber)).state, "done")
    }).pipe(Effect.provide(layer))
  })
})

describe("the stream of agents", () => {
  const collect = (watched: Watched.Watched, into: Array<AgentObservation>) =>
    TerminalRuntime.TerminalRuntime.use((runtime) =>
      start<void, InvalidRequest | Unsupported | AskError, never>(
        Stream.runForEach(
          runtime.agents([watched.pane, Watched.foreign]),
          (seen) => Effect.sync(() => into.push(seen))
        )
      )
    )

  it.effect("begins with the current state, goes on with changes, and ends with the pane", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const seen: Array<AgentObservation> = []
      const fiber = yield* collect(watched, seen)
      for (const state of ["idle", "working", "working", "blocked", "working", "idle", "idle"] as const) {
        yield* TestClock.adjust("1 second")
        watched.agent(state)
      }
      yield* TestClock.adjust("1 second")
      watched.exit()
      yield* Fiber.join(fiber)

      assert.deepStrictEqual(
        seen.map(({ state }) => state),
        ["idle", "working", "blocked", "working", "done", "exited"]
      )
      assert.deepStrictEqual(seen.map(({ sequence }) => sequence), [0, 1, 2, 3, 4, 5])
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(watched.watchers(), 0)
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("goes on by polling when the source of wake-ups is lost, and not knowing is a state", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const seen: Array<AgentObservation> = []
      const fiber = yield* collect(watched, seen)
      yield* TestClock.adjust("1 second")
      watched.state.deaf = true
      watched.state.fault = Watched.lost()
      watched.lose()
      yield* TestClock.adjust("10 seconds")
      watched.state.fault = undefined
      yield* TestClock.adjust("1 second")
      watched.state.agent = { ...watched.state.agent, state: "working" }
      yield* TestClock.adjust("1 second")

      assert.isUndefined(fiber.pollUnsafe())
      assert.deepStrictEqual(seen.map(({ state }) => state), ["idle", "unknown", "idle", "working"])
      assert.deepInclude(seen[1], { source: "none", sequence: 0 })
      watched.remove()
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(fiber)
      assert.deepInclude(seen.at(-1), { state: "exited", source: "process" })
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("fails with what no waiting mends", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const fiber = yield* collect(watched, [])
      yield* TestClock.adjust("1 second")
      watched.state.fault = Watched.broken
      watched.wake()

      assert.deepInclude(yield* Effect.flip(Fiber.join(fiber)), { _tag: "NativeFailure" })
    }).pipe(Effect.provide(watched.layer))
  })
})

it.effect("what was seen of an agent goes with its pane", () => {
  const watched = Watched.make()
  return Effect.gen(function*() {
    const runtime = yield* TerminalRuntime.TerminalRuntime
    watched.agent("working")
    yield* wait(watched, ["working"])
    watched.agent("idle")
    const { sequence } = yield* wait(watched, ["done"])
    const fibers = yield* Effect.forEach([1, 2], () => start(wait(watched, ["exited"])))
    yield* settle
    watched.remove()
    yield* TestClock.adjust("1 second")
    const ends = yield* Effect.forEach(fibers, Fiber.join)

    // as if it were another pane
    watched.state.gone = false
    const again = yield* runtime.waitAgent(watched.pane, { states: ["idle"], timeout: "1 second" })

    assert.strictEqual(sequence, 1)
    assert.deepStrictEqual(ends.map((end) => end.sequence), [2, 2])
    assert.deepInclude(again, { state: "idle", sequence: 0 })
  }).pipe(Effect.provide(watched.layer))
})

it.effect("what was seen of many agents does not grow without bound", () => {
  const watched = Watched.make()
  return Effect.gen(function*() {
    const runtime = yield* TerminalRuntime.make({
      ...watched.primitives,
      find: () => Effect.fail(Watched.lost()),
      agent: () => Effect.sync(() => watched.state.agent)
    })
    for (let n = 0; n < 300; n++) {
      yield* runtime.waitAgent(Watched.handleOf("p1", `${n}`), { states: ["idle"], timeout: "0 seconds" })
    }

    // each time that many are known it is asked which of them exist
    assert.strictEqual(watched.state.inventories, 4)
  }).pipe(Effect.scoped, Effect.provide(PaneLocks.layerMemory))
})
