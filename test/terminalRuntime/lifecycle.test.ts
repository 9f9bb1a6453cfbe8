import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import type { AskError } from "../../src/Contract.ts"
import type { LifecycleQuery, RuntimeEvent } from "../../src/Lifecycle.ts"
import { Pane, Window, windowName } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import * as Waiting from "../../src/Waiting.ts"
import * as Watched from "../fixtures/Watched.ts"

const start = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

/** Lets what was forked or woken go on as far as it can without time passing. */
const settle = TestClock.adjust(0)

const paneOf = (id: string, incarnation = "1", more: Partial<Pane> = {}) =>
  new Pane({ handle: Watched.handleOf(id, incarnation), window: Watched.windowOf("w1"), active: false, ...more })
const window = (id: string, name: string, more: Partial<Window> = {}) =>
  new Window({ handle: Watched.windowOf(id), name: windowName(name), active: false, session: "main", ...more })

const wait = (query: LifecycleQuery, timeout: Waiting.Timeout = "1 minute") =>
  TerminalRuntime.use((runtime) => runtime.waitLifecycle({ ...query, timeout }))

describe("waitLifecycle", () => {
  it.effect("knows exactly four conditions, and their targets", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const unknown = yield* Effect.flip(
        wait({ condition: "pane-idle" as "pane-exists", target: watched.pane })
      )
      const mixed = yield* Effect.flip(
        wait({ condition: "pane-exists", target: Watched.windowOf("w1") as unknown as typeof watched.pane })
      )
      const named = yield* Effect.flip(
        wait({ condition: "pane-exited", target: windowName("one") as unknown as typeof watched.pane })
      )

      assert.deepInclude(unknown, { _tag: "InvalidRequest", field: "condition" })
      assert.deepInclude(mixed, { _tag: "InvalidRequest", field: "target" })
      assert.deepInclude(named, { _tag: "InvalidRequest", field: "target" })
      assert.strictEqual(watched.state.inventories, 0)
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("sees a window come and become active, by its name within its session or by its handle", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const two = windowName("two")
      const named = yield* start(wait({ condition: "window-exists", target: two }))
      const elsewhere = yield* start(wait({ condition: "window-exists", target: two, session: "other" }))
      const active = yield* start(wait({ condition: "window-active", target: Watched.windowOf("w2") }))
      yield* settle

      watched.state.windows = [...watched.state.windows, window("w3", "two", { session: "third" })]
      watched.wakeAll()
      yield* TestClock.adjust("1 second")
      const none = [named, elsewhere, active].map((fiber) => fiber.pollUnsafe())
      watched.state.windows = [...watched.state.windows, window("w2", "two")]
      watched.wakeAll()
      const present = yield* Fiber.join(named)
      yield* TestClock.adjust("1 second")
      watched.state.windows = [window("w2", "two", { active: true }), window("w4", "two", { session: "other" })]
      watched.wakeAll()

      assert.deepStrictEqual(none, [undefined, undefined, undefined])
      assert.deepInclude(present, { observed: "present", target: two })
      assert.strictEqual((yield* Fiber.join(active)).observed, "active")
      assert.strictEqual((yield* Fiber.join(elsewhere)).observed, "present")
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("tells a pane that is kept after its end, with its exit, from one that is gone", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const kept = yield* start(wait({ condition: "pane-exited", target: watched.pane }))
      yield* settle
      watched.exit({ code: 143, signal: "SIGTERM" })
      const exited = yield* Fiber.join(kept)
      const exists = yield* wait({ condition: "pane-exists", target: watched.pane })
      watched.remove()
      const absent = yield* wait({ condition: "pane-exited", target: watched.pane })

      assert.deepInclude(exited, { observed: "exited", exit: { code: 143, signal: "SIGTERM" } })
      assert.strictEqual(exists.observed, "present")
      assert.strictEqual(absent.observed, "absent")
      assert.isUndefined(absent.exit)
      assert.notProperty(exited, "success")
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("takes another pane of the same id for the proof that the old one is gone", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      watched.remove()
      watched.state.others = [paneOf("p1", "2")]

      const gone = yield* wait({ condition: "pane-exited", target: watched.pane })
      const exists = yield* Effect.flip(wait({ condition: "pane-exists", target: watched.pane }))
      const other = yield* wait({ condition: "pane-exists", target: Watched.handleOf("p1", "2") })

      assert.strictEqual(gone.observed, "absent")
      assert.deepInclude(exists, { _tag: "TargetNotFound", reason: "reissued" })
      assert.strictEqual(other.observed, "present")
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("goes on while the runtime cannot be asked, and ends with what was seen last", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const exited = yield* start(wait({ condition: "pane-exited", target: watched.pane }, "10 seconds"))
      const timed = yield* start(Effect.flip(wait({ condition: "pane-exited", target: watched.pane }, "5 seconds")))
      yield* settle
      watched.state.fault = Watched.lost()
      watched.state.deaf = true
      watched.lose()
      yield* TestClock.adjust("5 seconds")
      const error = yield* Fiber.join(timed)
      const during = exited.pollUnsafe()
      watched.state.fault = undefined
      watched.state.gone = true
      yield* TestClock.adjust("1 second")

      assert.deepInclude(error, { _tag: "WaitTimeout", waitedFor: "pane-exited" })
      assert(error._tag === "WaitTimeout" && error.lastSeen._tag === "Lifecycle")
      assert.deepInclude(error.lastSeen.probes[0], { liveness: "unknown" })
      assert.isUndefined(during)
      assert.strictEqual((yield* Fiber.join(exited)).observed, "absent")
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("asks again after a question that failed, although it is still told of changes", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      watched.state.fault = Watched.lost("timed-out")
      const fiber = yield* start(wait({ condition: "pane-exists", target: watched.pane }))
      yield* settle
      watched.state.fault = undefined
      yield* TestClock.adjust("1 second")

      assert.strictEqual((yield* Fiber.join(fiber)).observed, "present")
      assert.strictEqual(watched.state.registrations, 1)
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("fails at once where waiting cannot help", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      for (const fault of [Watched.lost("missing-program"), Watched.broken]) {
        watched.state.fault = fault

        assert.deepInclude(yield* Effect.flip(wait({ condition: "pane-exited", target: watched.pane })), {
          _tag: fault._tag
        })
      }
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("says what was there when time is up", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const pane = yield* Effect.flip(wait({ condition: "pane-exited", target: watched.pane }, "0 seconds"))
      const active = yield* Effect.flip(
        wait({ condition: "window-active", target: windowName("one") }, "0 seconds")
      )

      assert(pane._tag === "WaitTimeout" && pane.lastSeen._tag === "Lifecycle")
      assert.deepInclude(pane.lastSeen.probes[0], { liveness: "live" })
      assert(active._tag === "WaitTimeout" && active.lastSeen._tag === "Lifecycle")
      assert.deepStrictEqual(active.lastSeen.probes.map(({ pane }) => pane.id), ["p1"])
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("shares one look between all who wait", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const fibers = yield* Effect.forEach(
        Array.from({ length: 200 }),
        () => start(wait({ condition: "pane-exited", target: watched.pane }))
      )
      yield* TestClock.adjust("1 second")
      const before = watched.state.inventories
      watched.exit()
      yield* Fiber.awaitAll(fibers)

      assert.strictEqual(watched.state.inventories - before, 1)
    }).pipe(Effect.provide(watched.layer))
  })
})

describe("probe", () => {
  it.effect("answers in the same order, and is unknown where it cannot tell", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const asked = [Watched.foreign, watched.pane, Watched.handleOf("p9"), Watched.handleOf("p1", "2"), watched.pane]

      const probes = yield* runtime.probe(asked)
      const listings = watched.state.inventories
      watched.state.fault = Watched.lost()
      const unknown = yield* runtime.probe(asked)

      assert.deepStrictEqual(probes.map(({ pane }) => pane), asked)
      assert.deepStrictEqual(probes.map(({ liveness }) => liveness), ["unknown", "live", "gone", "gone", "live"])
      assert.include(probes[0]?.reason, "foreign")
      assert.strictEqual(listings, 1)
      assert.isTrue(unknown.every(({ liveness, reason }) => liveness === "unknown" && reason !== undefined))
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("of a pane that is kept after its end is live, and asks for one pane alone", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      watched.exit()

      assert.deepInclude((yield* runtime.probe([watched.pane]))[0], { liveness: "live" })
      watched.remove()
      assert.deepInclude((yield* runtime.probe([watched.pane]))[0], { liveness: "gone" })
      assert.deepStrictEqual(yield* runtime.probe([]), [])
      assert.deepInclude(watched.state, { inventories: 0, finds: 2 })
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("is unknown where the runtime does not answer", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      watched.state.hangs = true
      const fiber = yield* start(runtime.probe([watched.pane, Watched.handleOf("p2")]))
      yield* TestClock.adjust("10 seconds")
      const probes = yield* Fiber.join(fiber)

      assert.deepStrictEqual(probes.map(({ liveness }) => liveness), ["unknown", "unknown"])
    }).pipe(Effect.provide(watched.layer))
  })
})

describe("events", () => {
  const collect = (events: Stream.Stream<RuntimeEvent, AskError>, into: Array<RuntimeEvent>) =>
    start(Effect.exit(Stream.runForEach(events, (event) => Effect.sync(() => into.push(event)))))

  it.effect("begin with what exists, windows before panes, and go on with each change", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const events: Array<RuntimeEvent> = []
      const fiber = yield* collect(runtime.events, events)
      yield* TestClock.adjust("1 second")
      const first = Watched.eventsOf(events.splice(0))
      watched.exit({ code: 3 })
      yield* TestClock.adjust("1 second")
      const [exited] = events.splice(0)
      watched.state.windows = [...watched.state.windows, window("w2", "two")]
      watched.state.others = [paneOf("p2", "1", { exit: { code: 0 } })]
      watched.wakeAll()
      yield* TestClock.adjust("1 second")
      const opened = Watched.eventsOf(events.splice(0))
      watched.state.windows = []
      watched.state.others = []
      watched.remove()
      yield* TestClock.adjust("1 second")
      const closed = Watched.eventsOf(events.splice(0))

      assert.deepStrictEqual(first, ["WindowOpened", "PaneOpened"])
      assert(exited?._tag === "PaneExited")
      assert.deepStrictEqual(exited.pane.exit, { code: 3 })
      assert.deepStrictEqual(opened, ["WindowOpened", "PaneOpened", "PaneExited"])
      assert.deepStrictEqual(closed, ["PaneClosed", "PaneClosed", "WindowClosed", "WindowClosed"])
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(watched.allWatchers(), 0)
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("take a pane of another incarnation for a new one", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const events: Array<RuntimeEvent> = []
      const fiber = yield* collect(runtime.events, events)
      yield* settle
      events.splice(0)
      watched.state.others = [paneOf("p1", "2")]
      watched.remove()
      yield* TestClock.adjust("1 second")

      assert.deepStrictEqual(Watched.eventsOf(events), ["PaneOpened", "PaneClosed"])
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("case 149: go on by polling when wake-ups are lost, and take silence for no end", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const events: Array<RuntimeEvent> = []
      const fiber = yield* collect(runtime.events, events)
      yield* settle
      events.splice(0)
      watched.state.deaf = true
      watched.state.fault = Watched.lost()
      watched.lose()
      yield* TestClock.adjust("10 seconds")
      const lost = events.splice(0)
      watched.state.fault = undefined
      watched.state.others = [paneOf("p2")]
      yield* TestClock.adjust("1 second")
      const back = Watched.eventsOf(events.splice(0))

      assert.deepStrictEqual(lost.map((event) => event._tag === "Health" ? event.state : event._tag), ["lost"])
      assert.deepStrictEqual(back, ["Health", "PaneOpened"])
      assert.isUndefined(fiber.pollUnsafe())
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("fail where they cannot say what exists in the first place", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      watched.state.fault = Watched.lost()

      assert.strictEqual((yield* Effect.flip(Stream.runCollect(runtime.events)))._tag, "RuntimeUnavailable")
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("carry the adapter's own health", () => {
    const health = Stream.make({ _tag: "Health", state: "degraded", detail: "forks" } as const)
    const watched = Watched.make({ health: Stream.concat(health, Stream.never) })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const events: Array<RuntimeEvent> = []
      const fiber = yield* collect(runtime.events, events)
      yield* settle
      watched.state.fault = Watched.lost()
      watched.wakeAll()
      yield* TestClock.adjust("1 second")

      assert.deepStrictEqual(Watched.eventsOf(events).toSorted(), ["Health", "PaneOpened", "WindowOpened"])
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("give a reader that falls behind the sum of the changes", () => {
    const watched = Watched.make()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const seen: Array<RuntimeEvent> = []
      const gate = yield* Deferred.make<void>()
      const fiber = yield* start(Stream.runForEach(runtime.events, (event) => {
        seen.push(event)
        return Deferred.await(gate)
      }))
      yield* settle
      for (let n = 0; n < 20; n++) {
        watched.state.others = Array.from({ length: n }, (_, pane) => paneOf(`x${pane}`))
        watched.wakeAll()
        yield* TestClock.adjust("50 millis")
      }
      yield* Deferred.succeed(gate, undefined)
      yield* settle

      assert.strictEqual(seen.length, 2 + 19)
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(watched.layer))
  })

  it.effect("are polled where nothing wakes, on the caller's schedule", () => {
    const watched = Watched.make({ without: ["watchAll"] })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const events: Array<RuntimeEvent> = []
      const fiber = yield* collect(runtime.events, events).pipe(
        Effect.provideService(Waiting.PollSchedule, Schedule.spaced("3 seconds"))
      )
      yield* TestClock.adjust("10 seconds")

      assert.strictEqual(watched.state.inventories, 4)
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(watched.layer))
  })
})
