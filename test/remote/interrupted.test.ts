import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { connect } from "node:net"
import * as Remote from "../../layers/Remote.ts"
import * as Scripted from "../../layers/Scripted.ts"
import type { OpenError, Service } from "../../src/Contract.ts"
import type { WindowConflict } from "../../src/RuntimeError.ts"
import { windowName } from "../../src/Target.ts"
import * as TerminalRuntime from "../../src/TerminalRuntime.ts"
import { until } from "../fixtures/processes.ts"
import { serve, socketPath } from "../fixtures/served.ts"

/** A server whose runtime opens a pane when the test lets it, and counts what it opened. */
const gated = Effect.gen(function*() {
  const path = yield* socketPath
  const state = { asked: 0, opened: 0, gate: Deferred.makeUnsafe<void>() }
  const context = yield* Layer.build(serve(path, Scripted.layer())).pipe(
    Effect.provideService(TerminalRuntime.Instrument, (primitives) => ({
      ...primitives,
      open: (request) =>
        Effect.suspend(() => {
          state.asked += 1
          return Effect.andThen(Deferred.await(state.gate), primitives.open(request))
        }).pipe(Effect.tap(() => Effect.sync(() => state.opened += 1)))
    }))
  )
  const own = Context.get(context, TerminalRuntime.TerminalRuntime)
  return { path, own, state, open: Effect.suspend(() => Deferred.succeed(state.gate, undefined)) }
})

const operations: ReadonlyArray<
  readonly [string, (runtime: Service) => Effect.Effect<unknown, OpenError | WindowConflict>]
> = [
  ["ensureWindow", (runtime) => runtime.ensureWindow({ name: "work", root: "/" })],
  ["preparePane", (runtime) => runtime.preparePane({ window: windowName("base") })],
  ["spawn", (runtime) => runtime.spawn({ placement: { window: "work" } })]
]

describe("a client that goes in the middle", () => {
  for (const [operation, ask] of operations) {
    it.live(`of ${operation} leaves what is complete and known, or nothing`, () =>
      Effect.gen(function*() {
        const { open, own, path, state } = yield* gated
        if (operation === "preparePane") {
          yield* open
          // its pane is not a prepared one
          yield* own.spawn({ placement: { window: "base" } })
          state.gate = Deferred.makeUnsafe()
          state.asked = 0
          state.opened = 0
        }
        const before = yield* own.listPanes()
        const scope = yield* Scope.make()
        const client = yield* Scope.provide(Remote.make({ path }), scope)
        yield* Effect.forkIn(Effect.exit(ask(client)), scope, { startImmediately: true })
        yield* until(() => state.asked === 1)
        const other = yield* Remote.make({ path })
        yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
        // the server has noticed
        yield* Effect.repeat(other.probe([]), Schedule.recurs(20))
        yield* open
        yield* until(() => state.opened === 1)

        if (operation === "spawn") {
          const closed = Effect.map(own.listPanes(), (panes) => panes.length === before.length)
          yield* Effect.repeat(closed, { until: (is) => is }).pipe(Effect.timeout("30 seconds"))
          return
        }
        yield* ask(other)
        assert.strictEqual(state.opened, 1)
        assert.strictEqual((yield* own.listPanes()).length, before.length + 1)
        assert.isTrue((yield* own.listPanes()).at(-1)?.prepared)
        if (operation === "ensureWindow") {
          assert.deepInclude((yield* own.listWindows())[0], { name: windowName("work"), root: "/" })
        }
      }).pipe(Effect.scoped), 20_000)
  }

  it.live("of a window that waits for its turn makes none", () =>
    Effect.gen(function*() {
      const { open, own, path, state } = yield* gated
      const first = yield* Remote.make({ path })
      yield* Effect.forkChild(Effect.exit(first.ensureWindow({ name: "work", root: "/" })), { startImmediately: true })
      yield* until(() => state.asked === 1)
      const second = connect(path)
      second.on("error", () => {})
      const payload = { name: "work", root: "/tmp" }
      second.write(`${JSON.stringify({ _tag: "Request", id: "1", tag: "ensureWindow", payload, headers: [] })}\n`)
      yield* Effect.repeat(first.probe([]), Schedule.recurs(5))
      second.destroy()
      yield* Effect.repeat(first.probe([]), Schedule.recurs(5))
      yield* open
      yield* until(() => state.opened === 1)
      assert.strictEqual((yield* own.listWindows()).length, 1)
      assert.strictEqual(state.asked, 1)
    }).pipe(Effect.scoped), 20_000)
})
