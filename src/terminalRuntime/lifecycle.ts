/**
 * What exists, asked once, waited for, or streamed. Failing to ask is never taken for "gone".
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { AskError, Inventory, Primitives, Service, TargetError } from "../Contract.ts"
import { LifecycleObservation, type LifecycleQuery, Probe } from "../Lifecycle.ts"
import { InvalidRequest, type LastSeen, TargetNotFound, WaitTimeout } from "../RuntimeError.ts"
import type { PaneHandle } from "../Target.ts"
import { duration } from "../waiting/schedules.ts"
import { wait } from "../waiting/wait.ts"
import { makeEvents } from "./events.ts"
import type { Operations } from "./operations.ts"
import { recordOf } from "./shots.ts"
import type { Targets } from "./targets.ts"
import type { Existing, ExistingWaiter, Watching } from "./watching.ts"

/**
 * The operations on what exists.
 *
 * @internal
 */
export type Lifecycle = Pick<Service, "probe" | "waitLifecycle" | "events">

/** For the whole answer to a probe; an adapter's own deadline is shorter. */
const probeDeadline = Duration.seconds(6)

const same = (a: LifecycleQuery["target"], b: PaneHandle | { readonly id: string; readonly incarnation: string }) =>
  typeof a !== "string" && a.id === b.id && a.incarnation === b.incarnation

type Found = Pick<LifecycleObservation, "observed" | "exit">

const findPane = (
  { condition, target }: Extract<LifecycleQuery, { readonly target: PaneHandle }>,
  known: Inventory
) => {
  const pane = known.panes.find(({ handle }) => same(target, handle))
  if (condition === "pane-exists") return pane === undefined ? undefined : ({ observed: "present" } satisfies Found)
  if (pane === undefined) return { observed: "absent" } satisfies Found
  return pane.exit === undefined ? undefined : ({ observed: "exited", exit: pane.exit } satisfies Found)
}

/** A name means a window of that session; a runtime that knows no sessions has one of every window. */
const windowsOf = ({ target }: LifecycleQuery, { windows }: Inventory, session: string | undefined) =>
  windows.filter((window) =>
    typeof target === "string"
      ? window.name === target &&
        (session === undefined || window.session === undefined || window.session === session)
      : same(target, window.handle)
  )

const isPaneQuery = (query: LifecycleQuery): query is Extract<LifecycleQuery, { readonly target: PaneHandle }> =>
  query.condition === "pane-exists" || query.condition === "pane-exited"

const observed = (query: LifecycleQuery, known: Inventory, session: string | undefined): Found | undefined => {
  if (isPaneQuery(query)) return findPane(query, known)
  const windows = windowsOf(query, known, session)
  if (query.condition === "window-exists") return windows.length === 0 ? undefined : { observed: "present" }
  return windows.some(({ active }) => active) ? { observed: "active" } : undefined
}

/** Its id was given to another one, so what is waited for never comes. */
const isReissued = ({ condition, target }: LifecycleQuery, { panes, windows }: Inventory): boolean => {
  if (condition === "pane-exited" || typeof target === "string") return false
  const alike = condition === "pane-exists" ? panes : windows
  return alike.some(({ handle }) => handle.id === target.id && handle.incarnation !== target.incarnation)
}

/** What the types say, for callers that have none. */
const refusalOf = ({ condition, target }: LifecycleQuery): Option.Option<InvalidRequest> => {
  const kind = typeof target === "string" || target._tag === "WindowHandle" ? "window" : "pane"
  if (condition.startsWith(kind)) return Option.none()
  const reason = `must be a ${condition.split("-")[0]}`
  return Option.some(new InvalidRequest({ operation: "waitLifecycle", field: "target", reason }))
}

/**
 * Every answer comes from the inventory; waits and the stream of events share it.
 *
 * @internal
 */
export const makeLifecycle = ({ keep, operations, primitives, targets, watching }: {
  readonly primitives: Primitives
  readonly operations: Operations
  readonly targets: Targets
  readonly watching: Watching
  /** Told of everything that exists, now and then. */
  readonly keep: (inventory: Inventory) => void
}): Lifecycle => {
  const inventory = Effect.tap(primitives.inventory, (known) => Effect.sync(() => keep(known)))

  const probeOf = (pane: PaneHandle, isThere: boolean) => new Probe({ pane, liveness: isThere ? "live" : "gone" })
  const unknown = (pane: PaneHandle, reason: string) => new Probe({ pane, liveness: "unknown", reason })

  /** Whether each pane is there, in one question. */
  const ask = (panes: ReadonlyArray<PaneHandle>): Effect.Effect<(pane: PaneHandle) => boolean, AskError> => {
    const [only, ...more] = panes
    if (only === undefined) return Effect.succeed(() => false)
    return more.length === 0 && primitives.find !== undefined
      ? Effect.map(recordOf(primitives, only), (record) => () => record !== undefined)
      : Effect.map(inventory, (known) => (pane) => known.panes.some(({ handle }) => same(pane, handle)))
  }

  const probe: Lifecycle["probe"] = Effect.fnUntraced(function*(panes) {
    const own = panes.filter(targets.isOwn)
    const answer = yield* Effect.result(
      Effect.timeoutOrElse(Effect.mapError(ask(own), ({ message }) => message), {
        duration: probeDeadline,
        orElse: () => Effect.fail(`${primitives.runtime} did not answer`)
      })
    )
    return panes.map((pane) => {
      if (!targets.isOwn(pane)) return unknown(pane, "foreign: another runtime or server issued it")
      return Result.isSuccess(answer) ? probeOf(pane, answer.success(pane)) : unknown(pane, answer.failure)
    })
  })

  /** What a timeout reports: the target, or the panes of the window. */
  const lastOf = (query: LifecycleQuery, last: Existing | undefined, asked: string | undefined): LastSeen => {
    if (last === undefined) return { _tag: "Nothing" }
    if (Result.isFailure(last)) {
      return { _tag: "Lifecycle", probes: isPaneQuery(query) ? [unknown(query.target, last.failure.message)] : [] }
    }
    const { known, session } = last.success
    if (isPaneQuery(query)) {
      const isThere = known.panes.some(({ handle }) => same(query.target, handle))
      return { _tag: "Lifecycle", probes: [probeOf(query.target, isThere)] }
    }
    const windows = windowsOf(query, known, asked ?? session)
    const panes = known.panes.filter(({ window }) => windows.some(({ handle }) => same(handle, window)))
    return { _tag: "Lifecycle", probes: panes.map(({ handle }) => probeOf(handle, true)) }
  }

  /**
   * A runtime that cannot be asked now tells nothing of the target, so the wait goes on: `pane-exited` is proof or
   * nothing, and a server that comes back answers. The deadline ends it with what was seen last. What will not get
   * better by waiting, such as a missing program, fails at once.
   */
  const waitLifecycle: Lifecycle["waitLifecycle"] = Effect.fnUntraced(function*(query) {
    const refusal = refusalOf(query)
    if (Option.isSome(refusal)) return yield* refusal.value
    const time = duration("waitLifecycle", "timeout", query.timeout)
    if (!Duration.isDuration(time)) return yield* time
    const { condition, target } = query
    if (typeof target !== "string") yield* targets.own(target)
    const asked = "session" in query && query.session !== "" ? query.session : undefined
    let last: Existing | undefined

    return yield* wait<ExistingWaiter, Existing, LifecycleObservation, WaitTimeout | TargetError>(
      watching.existing(),
      {
        count: watching.count,
        waiter: (waiter) => ({ ...waiter, needsSession: typeof target === "string" && asked === undefined }),
        see: (existing) => {
          last = existing
          if (Result.isFailure(existing)) {
            return existing.failure.retryable ? undefined : Exit.fail(existing.failure)
          }
          const { known, session } = existing.success
          keep(known)
          const found = observed(query, known, asked ?? session)
          if (found !== undefined) return Exit.succeed(new LifecycleObservation({ condition, target, ...found }))
          return isReissued(query, known) ? Exit.fail(new TargetNotFound({ target, reason: "reissued" })) : undefined
        },
        deadline: {
          timeout: time,
          failure: () =>
            new WaitTimeout({ target, waitedFor: condition, timeout: time, lastSeen: lastOf(query, last, asked) })
        }
      }
    )
  })

  return {
    probe: operations.hot("probe", probe),
    waitLifecycle: operations.rare("waitLifecycle")(waitLifecycle),
    events: operations.streaming("events", () => makeEvents({ primitives, watching, keep }))
  }
}
