/**
 * What a pane printed: the newest bytes within a bound, and everything to who reads along.
 *
 * A reader that falls behind stops the program, as a terminal that is not read does: nothing is dropped for a reader
 * once it has begun, and nothing grows without limit.
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/** Bytes that a pane keeps for readers who come later. */
const keptBytes = 128 * 1024
/** A reader this far behind stops the pty; it goes on when every reader is below the lower mark. */
const highWater = 512 * 1024
const lowWater = 128 * 1024

interface Reader {
  readonly queue: Queue.Queue<Uint8Array, Cause.Done>
  pending: number
}

export interface OutputLog {
  readonly push: (chunk: Uint8Array) => void
  /** No byte follows. Readers get what is left and end. */
  readonly end: () => void
  /** What is kept of the output from the pane's start, then live, ending after the last byte. */
  readonly stream: Stream.Stream<Uint8Array>
}

/** `flow(false)` asks for the pty to be read no further, `flow(true)` for more. */
export const make = (flow: (on: boolean) => void): OutputLog => {
  const kept: Array<Uint8Array> = []
  let size = 0
  let ended = false
  let flowing = true
  const readers = new Set<Reader>()

  const adjust = () => {
    const most = Math.max(0, ...Array.from(readers, (reader) => reader.pending))
    if (flowing && most > highWater) {
      flowing = false
      flow(false)
    } else if (!flowing && most < lowWater) {
      flowing = true
      flow(true)
    }
  }

  const push = (chunk: Uint8Array) => {
    kept.push(chunk)
    size += chunk.length
    while (size > keptBytes && kept.length > 1) size -= kept.shift()?.length ?? 0
    if (readers.size === 0) return
    for (const reader of readers) {
      reader.pending += chunk.length
      Queue.offerUnsafe(reader.queue, chunk)
    }
    adjust()
  }

  const end = () => {
    ended = true
    for (const reader of readers) Queue.endUnsafe(reader.queue)
  }

  const attach: Effect.Effect<Reader, never, Scope.Scope> = Effect.acquireRelease(
    Effect.gen(function*() {
      const reader: Reader = { queue: yield* Queue.unbounded<Uint8Array, Cause.Done>(), pending: 0 }
      for (const chunk of kept) {
        reader.pending += chunk.length
        Queue.offerUnsafe(reader.queue, chunk)
      }
      if (ended) Queue.endUnsafe(reader.queue)
      else readers.add(reader)
      return reader
    }),
    (reader) =>
      Effect.sync(() => {
        readers.delete(reader)
        adjust()
      })
  )

  const stream = Stream.unwrap(Effect.map(attach, (reader) =>
    Stream.map(Stream.fromQueue(reader.queue), (chunk) => {
      reader.pending -= chunk.length
      adjust()
      return chunk
    })))

  return { push, end, stream }
}
