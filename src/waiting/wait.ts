/**
 * One wait: from its registration at a hub to its end, whichever comes first of what it waits for, its deadline and its
 * interruption.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Hub, Waiter } from "./hub.ts"
import { PollSchedule, SafetySchedule } from "./schedules.ts"

/**
 * What a wait is for.
 *
 * @internal
 */
export interface Wait<W, Seen, A, E> {
  /** Makes its waiter complete. */
  readonly waiter: (waiter: Waiter<Seen>) => W
  /**
   * Called with every look that it takes part in. Undefined: not yet. `refresh` asks for another look at once, which
   * belongs to this one. `searching`: what it saw is being searched, which ends with another look.
   */
  readonly see: (seen: Seen, waiter: W, refresh: () => void) => Exit.Exit<A, E> | "searching" | undefined
  /** For the whole wait. Zero: one look, however long it takes. Absent: none. */
  readonly deadline?: { readonly timeout: Duration.Duration; readonly failure: () => E } | undefined
  /** Told when it comes to wait (1) and when it does no more (-1). */
  readonly count: (change: 1 | -1) => void
  /** Runs as long as the wait does; `refresh` asks for a look at once. */
  readonly beside?: ((refresh: () => void) => Effect.Effect<never>) | undefined
}

/**
 * Waits. However it ends, nothing of it is left at the hub.
 *
 * @internal
 */
export const wait = <W extends Waiter<Seen>, Seen, A, E>(
  hub: Hub<W>,
  { beside, count, deadline, see, waiter: complete }: Wait<W, Seen, A, E>
): Effect.Effect<A, E> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.withFiber((fiber) => {
      const once = deadline !== undefined && Duration.isZero(deadline.timeout)
      let end: Exit.Exit<A, E> | undefined
      let resume: ((exit: Exit.Exit<A, E>) => void) | undefined
      let again = false

      const finish = (exit: Exit.Exit<A, E>) => {
        if (end !== undefined) return
        end = exit
        resume?.(exit)
      }
      const more = () => {
        again = true
        hub.refresh(waiter)
      }
      const waiter = complete({
        poll: fiber.getRef(PollSchedule),
        safety: fiber.getRef(SafetySchedule),
        see: (seen) => {
          if (end !== undefined) return true
          again = false
          try {
            const exit = see(seen, waiter, more) ?? (once && !again ? Exit.fail(deadline.failure()) : undefined)
            if (exit !== undefined && exit !== "searching") finish(exit)
          } catch (defect) {
            finish(Exit.die(defect))
          }
          return end !== undefined
        },
        abort: (cause) => finish(Exit.failCause(cause))
      })
      hub.enter(waiter)
      if (end !== undefined) return Effect.andThen(hub.leave(waiter), end)

      count(1)
      const pending = Effect.callback<A, E>((done) => {
        resume = done
      })
      const accompanied = beside === undefined ? pending : Effect.raceFirst(pending, beside(() => hub.refresh(waiter)))
      const bounded = deadline === undefined || once || !Duration.isFinite(deadline.timeout)
        ? accompanied
        : Effect.timeoutOrElse(accompanied, {
          duration: deadline.timeout,
          orElse: () => Effect.fail(deadline.failure())
        })
      return Effect.onExit(restore(bounded), () => {
        count(-1)
        return hub.leave(waiter)
      })
    })
  )
