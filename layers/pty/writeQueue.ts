/**
 * Bytes on their way into a pty. The kernel takes what fits; the rest waits here without using the processor.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { writeSync } from "node:fs"

/** Milliseconds between tries while the reader takes nothing. It starts again at the first after each progress. */
const backOff = [1, 1, 2, 4, 8, 16, 32] as const

/** Bytes to a reader that keeps up, after which the loop does other things. */
const atOnce = 64 * 1024

/** What became of a write that did not end well. */
interface Cut {
  readonly _tag: "Cut"
  /** Bytes that the kernel took; the rest was dropped and is not written later. */
  readonly written: number
  readonly total: number
  readonly cause: unknown
}

/** One writer at a time, in order of arrival. */
export interface WriteQueue {
  /**
   * Succeeds when the kernel took the last byte. Fails with the count when nothing was taken for `stall` milliseconds
   * (Infinity: wait as long as it takes), or when the pty is gone. `first`: the same for the first byte alone. An
   * interruption cuts it between two tries.
   */
  readonly write: (bytes: Uint8Array, stall: number, first?: number) => Effect.Effect<void, Cut>
}

const isFull = (cause: unknown) =>
  typeof cause === "object" && cause !== null && "code" in cause &&
  (cause.code === "EAGAIN" || cause.code === "EWOULDBLOCK")

/** `open` says whether somebody may still read what is written. */
export const make = (fd: number, open: () => boolean): WriteQueue => {
  const turn = Semaphore.makeUnsafe(1)

  const push = Effect.fnUntraced(function*(bytes: Uint8Array, stall: number, first: number) {
    let offset = 0
    let tries = 0
    let waited = 0
    let untilPause: number = atOnce
    const cut = (cause: unknown) => Effect.fail<Cut>({ _tag: "Cut", written: offset, total: bytes.length, cause })
    while (offset < bytes.length) {
      const step = attempt(fd, open, bytes, offset)
      if (step._tag === "Failed") return yield* cut(step.cause)
      offset += step.written
      if (step.written > 0) {
        tries = 0
        waited = 0
        untilPause -= step.written
        if (untilPause > 0) continue
        untilPause = atOnce
        yield* Effect.yieldNow
        continue
      }
      if (waited >= (offset === 0 ? first : stall)) {
        return yield* cut(`the program took nothing for ${waited / 1000} s`)
      }
      const pause = backOff[Math.min(tries, backOff.length - 1)] ?? 32
      tries += 1
      waited += pause
      yield* Effect.sleep(pause)
    }
  })

  return { write: (bytes, stall, first = stall) => turn.withPermits(1)(push(bytes, stall, first)) }
}

type Attempt = { readonly _tag: "Wrote"; readonly written: number } | {
  readonly _tag: "Failed"
  readonly cause: unknown
}

const attempt = (fd: number, open: () => boolean, bytes: Uint8Array, offset: number): Attempt => {
  if (!open()) return { _tag: "Failed", cause: "the pty is closed" }
  try {
    return { _tag: "Wrote", written: writeSync(fd, bytes, offset) }
  } catch (cause) {
    return isFull(cause) ? { _tag: "Wrote", written: 0 } : { _tag: "Failed", cause }
  }
}
