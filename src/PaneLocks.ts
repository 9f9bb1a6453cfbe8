/**
 * One writer per pane. An adapter's layer brings the locks that its terminals need: in memory where one process owns
 * them, in files where several do.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RcMap from "effect/RcMap"
import * as Semaphore from "effect/Semaphore"
import type { RuntimeUnavailable } from "./RuntimeError.ts"

/**
 * `withLock(key)` runs an effect while no other holds `key`. Waiting can be interrupted; the lock is released when the
 * effect ends in any way, also by a crash of the holder. Not reentrant.
 *
 * @category services
 * @since 0.1.0
 */
export class PaneLocks extends Context.Service<PaneLocks, {
  readonly withLock: (
    key: string
  ) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | RuntimeUnavailable, R>
}>()("paneway/PaneLocks") {}

/**
 * Locks within this process only. A key costs nothing when nobody holds it or waits for it.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerMemory: Layer.Layer<PaneLocks> = Layer.effect(
  PaneLocks,
  Effect.gen(function*() {
    const locks = yield* RcMap.make({ lookup: (_: string) => Semaphore.make(1) })
    return {
      withLock: (key) => (effect) =>
        Effect.scoped(Effect.flatMap(RcMap.get(locks, key), (lock) => lock.withPermits(1)(effect)))
    }
  })
)
