/** What a pane printed: the newest characters within a bound, and everything since to who reads along within that bound. */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"

/** Characters that are kept. A reader that is further behind misses the oldest. */
const most = 1024 * 1024

export interface Output {
  readonly push: (text: string) => void
  /** Nothing follows. */
  readonly end: () => void
  readonly stream: Stream.Stream<Uint8Array>
}

export const make = (): Output => {
  const readers = new Set<Queue.Queue<void, Cause.Done>>()
  const encoder = new TextEncoder()
  let kept = ""
  let dropped = 0
  let ended = false

  const attach = Effect.acquireRelease(
    Effect.gen(function*() {
      const wakes = yield* Queue.sliding<void, Cause.Done>(1)
      readers.add(wakes)
      Queue.offerUnsafe(wakes, undefined)
      if (ended) Queue.endUnsafe(wakes)
      return wakes
    }),
    (wakes) => Effect.sync(() => readers.delete(wakes))
  )

  return {
    push: (text) => {
      kept += text
      const excess = Math.max(0, kept.length - most)
      kept = kept.slice(excess)
      dropped += excess
      for (const wakes of readers) Queue.offerUnsafe(wakes, undefined)
    },
    end: () => {
      ended = true
      for (const wakes of readers) Queue.endUnsafe(wakes)
    },
    stream: Stream.unwrap(Effect.map(attach, (wakes) => {
      let at = 0
      return Stream.fromQueue(wakes).pipe(
        Stream.map(() => {
          const text = kept.slice(Math.max(0, at - dropped))
          at = dropped + kept.length
          return encoder.encode(text)
        }),
        Stream.filter((bytes) => bytes.length > 0)
      )
    }))
  }
}
