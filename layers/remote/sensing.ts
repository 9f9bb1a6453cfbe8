/**
 * Agents that the caller's own sense tells: it cannot cross the connection, so the contract is made here once more, over
 * captures of the remote pane. It looks when the pane wrote something.
 */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { AgentSense } from "../../src/AgentState.ts"
import { type Primitives, type Service, WriteFailed } from "../../src/Contract.ts"
import * as PaneLocks from "../../src/PaneLocks.ts"
import { NativeFailure, OperationRefused } from "../../src/RuntimeError.ts"
import type { PaneHandle } from "../../src/Target.ts"
import * as TerminalRuntime from "../../src/TerminalRuntime.ts"
import type { Wakes } from "../../src/Waiting.ts"
import type { Calls } from "./calls.ts"

type Remote = Pick<
  Service,
  | "runtime"
  | "sendProfile"
  | "capabilities"
  | "listSessions"
  | "listWindows"
  | "listPanes"
  | "resolve"
  | "capture"
  | "events"
>

const unfit = (runtime: string) => (error: { readonly message: string }) =>
  new NativeFailure({ runtime, operation: "capture", detail: error.message })

const noSessions: Service["listSessions"] = Effect.succeed([])

const primitivesOf = (remote: Remote, calls: Calls, { host, scope }: PaneHandle): Primitives => {
  const { capabilities, runtime } = remote
  const refused = new OperationRefused({ runtime, operation: "change", reason: "it only looks" })

  /** Registered before anything that came later: it begins with what the pane wrote so far. */
  const following = <A, E>(stream: Stream.Stream<A, E>, on: Wakes) =>
    Effect.asVoid(
      Stream.runForEach(stream, () => Effect.sync(on.wake)).pipe(
        Effect.matchCauseEffect({
          onFailure: () => Effect.sync(on.lost),
          onSuccess: () => Effect.sync(on.wake)
        }),
        Effect.forkScoped
      )
    )

  return {
    runtime,
    host,
    scope,
    sendProfile: remote.sendProfile,
    inventory: Effect.all({
      sessions: capabilities.sessions === "none" ? noSessions : remote.listSessions,
      windows: remote.listWindows(),
      panes: remote.listPanes()
    }, { concurrency: "unbounded" }).pipe(
      Effect.catchTag(
        ["InvalidRequest", "TargetNotFound", "Unsupported"],
        (error) => Effect.fail(unfit(runtime)(error))
      )
    ),
    find: (id) =>
      Effect.asSome(remote.resolve(id)).pipe(
        Effect.catchTag(["TargetNotFound", "InvalidRequest"], () => Effect.succeedNone)
      ),
    capture: (pane, { ansi, range }) =>
      Effect.map(
        Effect.catchTag(
          remote.capture(pane, { ansi, range: typeof range === "object" && "from" in range ? "full" : range }),
          ["Unsupported", "InvalidRequest"],
          (error) => Effect.fail(unfit(runtime)(error))
        ),
        ({ alternate, ascents, counted, joined, mark, origin, rows, truncated, wrapped }) => ({
          rows,
          joined,
          wrapped,
          truncated,
          ...(alternate === undefined ? {} : { alternate }),
          ...(origin === undefined ? {} : { origin }),
          ...(mark.at === undefined ? {} : { cursor: mark.at }),
          ...(counted === undefined ? {} : { counted }),
          ...(ascents === undefined ? {} : { ascents })
        })
      ),
    ...(capabilities.rawOutput === "none" ? {} : {
      watch: (pane, on) => following(calls.stream("capture", (client) => client.changes({ pane })), on)
    }),
    watchAll: (on) => following(remote.events, on),
    open: () => Effect.fail(new NativeFailure({ runtime, operation: "spawn", detail: "it only looks" })),
    close: () => Effect.fail(refused),
    write: () => Effect.fail(new WriteFailed({ stage: "send-keys", written: "nothing", cause: refused }))
  }
}

interface Sensing {
  /** The contract made here, for the panes of that pane's server. */
  readonly of: (pane: PaneHandle) => Effect.Effect<Service>
}

export const make = Effect.fnUntraced(function*(remote: Remote, calls: Calls) {
  const scope = yield* Effect.scope
  const madeWith = yield* AgentSense
  const made = new Map<string, Service>()
  return {
    of: Effect.fnUntraced(function*(pane) {
      const key = `${pane.host}\0${pane.scope}`
      const known = made.get(key)
      if (known !== undefined) return known
      const service = yield* TerminalRuntime.make(primitivesOf(remote, calls, pane)).pipe(
        Effect.provide(PaneLocks.layerMemory),
        Effect.provideService(Scope.Scope, scope),
        Effect.provideService(AgentSense, madeWith),
        // the server's is the one that is instrumented
        Effect.provideService(TerminalRuntime.Instrument, (primitives) => primitives)
      )
      made.set(key, service)
      return service
    })
  } satisfies Sensing
})
