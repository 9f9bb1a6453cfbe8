/**
 * The searches of one wait for a regular expression that is matched somewhere else: one after the other, while the wait
 * goes on looking.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { LineFound, Searched } from "../waiting/searching.ts"

/** Lines that wait to be searched, and what is to be known of them when one matches. */
interface Batch<Of> {
  readonly search: Effect.Effect<Searched>
  readonly of: Of
}

/**
 * @internal
 */
export interface Searches<Of> {
  /** The line, or that there is no way to find one. */
  readonly result: { readonly found: LineFound | "unmatchable"; readonly of: Of } | undefined
  /** Some lines are not searched yet. */
  readonly busy: boolean
  /** No more are taken for now: what shows them has to be looked at again. */
  readonly full: boolean
  readonly add: (batch: Batch<Of>) => void
  /** A look is wanted when all are searched. */
  readonly lookAfter: () => void
  /** Runs beside the wait; `refresh` is called when a line is found, and when a look is wanted. */
  readonly run: (refresh: () => void) => Effect.Effect<never>
}

/** Looks whose lines wait at the same time. */
const most = 8

/**
 * @internal
 */
export const makeSearches = <Of>(): Searches<Of> => {
  const waiting: Array<Batch<Of>> = []
  const added = Latch.makeUnsafe()
  let running = false
  let wanted = false
  let result: Searches<Of>["result"]
  const next = Effect.suspend(() => {
    if (result !== undefined) return Effect.never
    const batch = waiting.shift()
    if (batch === undefined) {
      added.closeUnsafe()
      return added.await
    }
    running = true
    return Effect.map(batch.search, (found) => {
      running = false
      if (found !== undefined) result = { found, of: batch.of }
    })
  })
  return {
    get result() {
      return result
    },
    get busy() {
      return running || waiting.length > 0
    },
    get full() {
      return waiting.length >= most
    },
    add: (batch) => {
      waiting.push(batch)
      added.openUnsafe()
    },
    lookAfter: () => {
      wanted = true
    },
    run: (refresh) =>
      Effect.forever(Effect.tap(next, () =>
        Effect.sync(() => {
          if (result === undefined && (!wanted || waiting.length > 0)) return
          wanted = false
          refresh()
        })))
  }
}
