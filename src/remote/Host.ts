/**
 * A host: serves a runtime until it is told to stop, or has had no pane and no client for a while.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as SocketServer from "effect/socket/SocketServer"
import * as Stream from "effect/Stream"
import { AgentReports } from "../AgentState.ts"
import { NativeFailure, OperationRefused, Unsupported } from "../RuntimeError.ts"
import { TerminalRuntime } from "../TerminalRuntime.ts"
import { HostRpcs } from "./HostRpcs.ts"
import * as Server from "./Server.ts"

/**
 * @category options
 * @since 0.1.0
 */
export interface Options {
  readonly version: string
  readonly pid: number
  /** Time without a pane and a client after which it ends. */
  readonly idle: Duration.Duration
}

/** Counts the connections that are open. */
const counted = (server: SocketServer.SocketServer["Service"], changed: () => void) => {
  const open = { count: 0 }
  const add = (some: number) => {
    open.count += some
    changed()
  }
  return {
    open,
    server: SocketServer.SocketServer.of({
      address: server.address,
      run: (handler) =>
        server.run((socket) =>
          Effect.acquireUseRelease(Effect.sync(() => add(1)), () => handler(socket), () => Effect.sync(() => add(-1)))
        )
    })
  }
}

/**
 * Serves the runtime; ends when the host should end. Whoever runs it then closes the runtime, which ends its panes.
 *
 * @category running
 * @since 0.1.0
 */
export const run = Effect.fnUntraced(function*({ idle, pid, version }: Options) {
  const runtime = yield* TerminalRuntime
  const reports = yield* AgentReports
  const stopped = yield* Deferred.make<void>()
  const changed = Latch.makeUnsafe()
  const { open, server } = counted(yield* SocketServer.SocketServer, () => changed.openUnsafe())
  const startedAtMillis = yield* Clock.currentTimeMillis

  const status = Effect.map(runtime.listPanes(), (panes) => ({
    pid,
    version,
    startedAtMillis,
    panes: panes.length,
    live: panes.filter(({ exit }) => exit === undefined).length,
    clients: open.count
  })).pipe(
    // every pane is asked for, of no window and no session
    Effect.catchTag(
      ["TargetNotFound", "InvalidRequest"],
      ({ message }) =>
        Effect.fail(new NativeFailure({ runtime: runtime.runtime, operation: "host status", detail: message }))
    )
  )

  const handlers = HostRpcs.toLayer(HostRpcs.of({
    hostStatus: () => status,
    hostStop: ({ force }) =>
      Effect.gen(function*() {
        const { live } = yield* status
        if (live > 0 && !force) {
          return yield* new OperationRefused({
            runtime: runtime.runtime,
            operation: "host stop",
            reason: `${live === 1 ? "a pane lives" : `${live} panes live`}: close them first, or pass --force`
          })
        }
        yield* Effect.forkDetach(Effect.delay(Deferred.succeed(stopped, undefined), "10 millis"))
      }),
    agentReport: Effect.fnUntraced(function*({ pane, ...report }) {
      if (reports === undefined) {
        return yield* new Unsupported({
          runtime: runtime.runtime,
          capability: "agentState",
          reason: "this host takes no reports of agents"
        })
      }
      const { handle } = yield* runtime.resolve(pane)
      const result = yield* reports.report({ ...report, pane: handle })
      // what the screen shows now is no newer than the report
      yield* Effect.ignore(runtime.waitAgent(handle, { states: ["exited"], timeout: "0 millis" }))
      return { pane: handle, result }
    })
  }))

  yield* Layer.build(
    Server.layerHost(handlers, { version, pid }).pipe(
      Layer.provide(Layer.succeed(SocketServer.SocketServer, server))
    )
  )
  yield* Effect.forkScoped(
    Stream.runForEach(runtime.events, () => Effect.sync(() => changed.openUnsafe())).pipe(Effect.ignore)
  )

  const isIdle = Effect.match(status, {
    onFailure: () => false,
    onSuccess: ({ clients, panes }) => clients === 0 && panes === 0
  })
  const untilIdle = Effect.gen(function*() {
    for (;;) {
      changed.closeUnsafe()
      if (yield* isIdle) {
        const quiet = yield* Effect.timeoutOption(changed.await, idle)
        if (quiet._tag === "None" && (yield* isIdle)) return
      } else yield* changed.await
    }
  })
  yield* Effect.raceFirst(Deferred.await(stopped), untilIdle)
}, Effect.scoped)
