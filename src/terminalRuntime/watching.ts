/**
 * Wake-ups: one native watch per pane, shared by all who wait on it, and one per subscriber for what exists.
 *
 * @since 0.1.0
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as RcMap from "effect/RcMap"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Primitives } from "../Contract.ts"
import type { PaneHandle } from "../Target.ts"
import * as Waiting from "../Waiting.ts"

/** `None`: nothing wakes here, because the adapter cannot or because registering failed. */
type Subscription = Effect.Effect<Option.Option<Waiting.Wakeups>, never, Scope.Scope>

/**
 * Who is woken, and by what.
 *
 * @internal
 */
export interface Watching {
  /** Wakes when the pane's output or state may have changed. */
  readonly subscribe: (pane: PaneHandle) => Subscription
  /** Wakes when what exists may have changed. */
  readonly subscribeAll: Subscription
}

/**
 * Ticks at once, then at each wake-up, or by polling where nothing wakes.
 *
 * @internal
 */
export const ticks = (wakes: Option.Option<Waiting.Wakeups>): Stream.Stream<void> =>
  Stream.concat(
    Stream.succeed(undefined),
    Option.isSome(wakes)
      ? Stream.fromQueue(wakes.value)
      : Stream.map(Stream.fromSchedule(Waiting.defaultPoll), () => undefined)
  )

/**
 * A watch that cannot be registered degrades to polling.
 *
 * @internal
 */
export const makeWatching = Effect.fnUntraced(function*(primitives: Primitives) {
  const watches = yield* RcMap.make({
    lookup: Effect.fnUntraced(function*(pane: PaneHandle) {
      const { watch } = primitives
      if (watch === undefined) return Option.none()
      const waiters = new Set<Queue.Queue<void, Cause.Done>>()
      const registered = yield* Effect.option(watch(pane, {
        wake: () => waiters.forEach((waiter) => Queue.offerUnsafe(waiter, undefined)),
        lost: () => waiters.forEach((waiter) => Queue.endUnsafe(waiter))
      }))
      return Option.map(registered, () => waiters)
    })
  })

  const subscribe = Effect.fnUntraced(function*(pane: PaneHandle) {
    const shared = yield* RcMap.get(watches, pane)
    if (Option.isNone(shared)) return Option.none<Waiting.Wakeups>()
    const queue = yield* Queue.sliding<void, Cause.Done>(1)
    yield* Effect.acquireRelease(
      Effect.sync(() => shared.value.add(queue)),
      () => Effect.sync(() => shared.value.delete(queue))
    )
    return Option.some<Waiting.Wakeups>(queue)
  })

  const subscribeAll = Effect.gen(function*() {
    if (primitives.watchAll === undefined) return Option.none<Waiting.Wakeups>()
    const queue = yield* Queue.sliding<void, Cause.Done>(1)
    const registered = yield* Effect.option(primitives.watchAll({
      wake: () => {
        Queue.offerUnsafe(queue, undefined)
      },
      lost: () => {
        Queue.endUnsafe(queue)
      }
    }))
    return Option.map(registered, (): Waiting.Wakeups => queue)
  })

  return { subscribe, subscribeAll } satisfies Watching
})
