/**
 * A look at a given time, for a wait that has to see that nothing changed until then.
 *
 * @since 0.1.0
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/**
 * @internal
 */
export interface Alarm {
  /** Milliseconds since the epoch; undefined: none. A later call replaces an earlier one. */
  readonly set: (at: number | undefined) => void
  /** Asks for a look each time that it rings; goes along with the wait. */
  readonly ringing: (refresh: () => void) => Effect.Effect<never>
}

/**
 * @internal
 */
export const makeAlarm = (clock: Clock.Clock): Alarm => {
  let due: number | undefined
  /** When it looks at `due` again by itself. */
  let wakes = Number.POSITIVE_INFINITY
  let notice = () => {}

  const noticed = Effect.callback<void>((resume) => {
    notice = () => resume(Effect.void)
  })

  return {
    set: (at) => {
      due = at
      if (at !== undefined && at < wakes) notice()
    },
    ringing: (refresh) =>
      Effect.forever(Effect.suspend(() => {
        wakes = due ?? Number.POSITIVE_INFINITY
        if (due === undefined) return noticed
        const rest = due - clock.currentTimeMillisUnsafe()
        if (rest > 0) return Effect.timeoutOrElse(noticed, { duration: rest, orElse: () => Effect.void })
        due = undefined
        refresh()
        return Effect.void
      }))
  }
}
