/**
 * Looks by the clock: one loop for each schedule, however many wait on it.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import { noLooks } from "./schedules.ts"

/**
 * Starts a fiber from a plain callback. It ends at the latest with the runtime.
 *
 * @internal
 */
export type Run = <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>

type AnySchedule = Schedule.Schedule<unknown>

/**
 * The schedules in use, and whether they count now.
 *
 * @internal
 */
export interface Beats {
  /** Starts the schedule over, so that who comes new need not wait for a pause that has grown long. */
  readonly add: (schedule: AnySchedule) => void
  readonly remove: (schedule: AnySchedule) => void
  readonly start: () => void
  readonly stop: () => void
}

/**
 * @internal
 */
export const makeBeats = (run: Run, beat: Effect.Effect<void>, least: number): Beats => {
  const users = new Map<AnySchedule, number>()
  const loops = new Map<AnySchedule, Fiber.Fiber<unknown, unknown>>()
  let started = false

  const loop = Effect.fnUntraced(function*(schedule: AnySchedule) {
    const step = yield* Schedule.toStepWithSleep(schedule)
    const now = Clock.currentTimeMillis
    while (true) {
      const begin = yield* now
      yield* step(undefined)
      const rest = begin + least - (yield* now)
      if (rest > 0) yield* Effect.sleep(rest)
      yield* beat
    }
  })

  const end = (schedule: AnySchedule) => {
    loops.get(schedule)?.interruptUnsafe()
    loops.delete(schedule)
  }
  const begin = (schedule: AnySchedule) => {
    end(schedule)
    // the failure is the end of the schedule
    loops.set(schedule, run(Effect.ignore(loop(schedule))))
  }

  return {
    add: (schedule) => {
      if (schedule === noLooks) return
      users.set(schedule, (users.get(schedule) ?? 0) + 1)
      if (started) begin(schedule)
    },
    remove: (schedule) => {
      const others = (users.get(schedule) ?? 0) - 1
      if (others > 0) return void users.set(schedule, others)
      users.delete(schedule)
      end(schedule)
    },
    start: () => {
      if (started) return
      started = true
      for (const schedule of users.keys()) begin(schedule)
    },
    stop: () => {
      started = false
      for (const schedule of loops.keys()) end(schedule)
    }
  }
}
