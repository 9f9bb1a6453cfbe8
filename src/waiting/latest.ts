/**
 * The latest of each of several things, as a stream.
 *
 * @since 0.1.0
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"

/**
 * Runs `source` while the stream is read. `emit` is a plain callback; a reader that falls behind gets the latest value of
 * each key, in the order in which the keys changed, and no backlog grows. The stream ends as the source does.
 *
 * @internal
 */
export const latest = <A, E>(
  source: (emit: (key: string, value: A) => void) => Effect.Effect<void, E>
): Stream.Stream<A, E> =>
  Stream.unwrap(Effect.gen(function*() {
    const news = new Map<string, A>()
    const signal = yield* Queue.sliding<void, E | Cause.Done>(1)
    const emit = (key: string, value: A) => {
      news.delete(key)
      news.set(key, value)
      Queue.offerUnsafe(signal, undefined)
    }
    yield* Effect.forkScoped(
      Effect.onExit(source(emit), (exit) =>
        Exit.isSuccess(exit) ? Queue.end(signal) : Queue.failCause(signal, exit.cause)),
      { startImmediately: true }
    )
    const drained = Effect.sync(() => {
      const values = [...news.values()]
      news.clear()
      return values
    })
    return Stream.flattenIterable(Stream.mapEffect(Stream.fromQueue(signal), () =>
      drained))
  }))
