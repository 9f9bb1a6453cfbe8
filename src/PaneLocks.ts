/**
 * One writer per pane. An adapter's layer brings the locks that its terminals need: in memory where one process owns
 * them, in files where several do.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { RuntimeUnavailable } from "./RuntimeError.ts"

/**
 * `withLock(key)` runs an effect while no other holds `key`. Those who wait come in order, and fail with
 * `RuntimeUnavailable` `timed-out` after 30 seconds or what the layer was given. Waiting can be interrupted; the lock is released when the effect
 * ends in any way, also by a crash of the holder. Not reentrant.
 *
 * A key begins with the runtime's name and a colon, as printed handles do.
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
 * How long a lock is waited for where nothing else is said.
 *
 * @category constants
 * @since 0.1.0
 */
export const defaultWait: Duration.Duration = Duration.seconds(30)

/**
 * The runtime that a key belongs to.
 *
 * @internal
 */
export const runtimeOf = (key: string): string => key.slice(0, key.indexOf(":"))

const timedOut = (key: string, limit: Duration.Duration) =>
  new RuntimeUnavailable({
    runtime: runtimeOf(key),
    reason: "timed-out",
    detail: `another sender has held ${key} for ${Duration.toSeconds(limit)} s`
  })

/** One who waits. The state leaves `waiting` once, by the hand-over or by the end of waiting. */
interface Turn {
  state: "waiting" | "mine" | "left"
  readonly decided: Deferred.Deferred<void>
}

/**
 * Locks within this process only, for those who build upon them.
 *
 * @internal
 */
export const makeMemory = (limit: Duration.Duration): PaneLocks["Service"] => {
  const queues = new Map<string, Set<Turn>>()

  const decide = (queue: Set<Turn>, turn: Turn, state: "mine" | "left") => {
    queue.delete(turn)
    turn.state = state
    Deferred.doneUnsafe(turn.decided, Exit.void)
  }

  const release = (key: string) => {
    const queue = queues.get(key)
    const [next] = queue ?? []
    if (queue === undefined || next === undefined) queues.delete(key)
    else decide(queue, next, "mine")
  }

  const inLine = Effect.fnUntraced(function*(
    key: string,
    queue: Set<Turn>,
    restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  ) {
    const turn: Turn = { state: "waiting", decided: Deferred.makeUnsafe() }
    queue.add(turn)
    const leave = Effect.sync(() => {
      if (turn.state === "waiting") decide(queue, turn, "left")
    })
    const giveBack = Effect.sync(() => {
      if (turn.state === "mine") release(key)
    })
    const timer = yield* Effect.forkChild(Effect.interruptible(Effect.delay(leave, limit)))
    yield* restore(Deferred.await(turn.decided)).pipe(
      Effect.onInterrupt(() => Effect.andThen(leave, giveBack)),
      Effect.ensuring(Fiber.interrupt(timer))
    )
    if (turn.state === "left") return yield* timedOut(key, limit)
  })

  return {
    withLock: (key) => (effect) =>
      Effect.uninterruptibleMask((restore) => {
        const queue = queues.get(key)
        if (queue === undefined) queues.set(key, new Set())
        const held = Effect.ensuring(restore(effect), Effect.sync(() => release(key)))
        return queue === undefined ? held : Effect.andThen(inLine(key, queue, restore), held)
      })
  }
}

/**
 * Locks within this process only. A key costs nothing when nobody holds it or waits for it.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerMemory: Layer.Layer<PaneLocks> = Layer.sync(PaneLocks, () => makeMemory(defaultWait))
