/**
 * What callers and adapters say to the wait engine: how long a wait may take, when it looks without being woken, and
 * that a pane changed.
 *
 * A wait registers for wake-ups, looks, and looks again when woken, until what it sees is enough or time is up.
 * Wake-ups carry nothing; the look decides. All waits of one pane share its looks. While a pane keeps changing it is
 * looked at every 50 milliseconds: at its first change at once, and once more after the last one.
 *
 * @since 0.1.0
 */
export * from "./waiting/schedules.ts"
export { type LineFound, LineSearch, type LineSearchService, type Searched, searchLines } from "./waiting/searching.ts"

/**
 * What an adapter calls when a pane changes: what it shows, or that it ended. Plain callbacks, so that a parser can call
 * `wake` from inside its loop; it only notes the change, and the look follows in another turn of the event loop.
 * `lost`: the source of wake-ups is gone. The waits poll then, and register again when they can.
 *
 * @category models
 * @since 0.1.0
 */
export interface Wakes {
  readonly wake: () => void
  readonly lost: () => void
  /**
   * For an adapter that can hold output back, so that no row is forgotten which nobody has seen. It calls this when about
   * as many rows have come since the last call as it keeps above the screen, with what came. False: nobody who waits
   * needs it, go on. True: hold what follows back; a look comes at once, and `looked` is called after it. An adapter
   * that cannot wait so long goes on, and the waits say that rows were lost.
   */
  readonly overflow?: (output: Output, looked: () => void) => boolean
}

/**
 * Output that may be forgotten soon. `row` is the row where it ends, counted as in a mark. `text` is what its lines say,
 * whole lines only; absent where the rows may read otherwise.
 *
 * @category models
 * @since 0.1.0
 */
export interface Output {
  readonly row: number
  readonly text: string | undefined
}
