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
  /** Milliseconds since the epoch. A later call replaces an earlier one. */
  readonly set: (at: number) => void
  /** Asks for a look each time that it rings; goes along with the wait. */
  readonly ringing: (refresh: () => void) => Effect.Effect<never>
}

/**
 * @internal
 */
export const makeAlarm = (clock: Clock.Clock): Alarm => {
  let due: number | undefined
  let notice = () => {}

  const noticed = Effect.callback<void>((resume) => {
    notice = () => resume(Effect.void)
  })

  return {
    set: (at) => {
      due = at
      notice()
    },
    ringing: (refresh) =>
      Effect.forever(Effect.suspend(() => {
        if (due === undefined) return noticed
        const rest = due - clock.currentTimeMillisUnsafe()
        if (rest > 0) return Effect.sleep(rest)
        due = undefined
        refresh()
        return Effect.void
      }))
  }
}
