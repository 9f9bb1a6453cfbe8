/**
 * When to look: the durations and schedules of waits.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { InvalidRequest } from "../RuntimeError.ts"

/**
 * A duration with its unit, such as `"5 seconds"`. A bare number is refused, because it would be milliseconds here and
 * seconds on a command line.
 *
 * @category models
 * @since 0.1.0
 */
export type Timeout = Exclude<Duration.Input, number | bigint | readonly [seconds: number, nanos: number]>

const isBare = (given: unknown): boolean =>
  typeof given === "number" || typeof given === "bigint" || Array.isArray(given)

const hasNaN = (given: unknown): boolean =>
  typeof given === "object" && given !== null && Object.values(given).some(Number.isNaN)

/**
 * The duration that a caller gave. Zero and infinity are durations; a bare number, a negative one, NaN and text that is
 * no duration are refused, also where the types were not asked.
 *
 * @category guards
 * @since 0.1.0
 */
export const duration = (operation: string, field: string, given: Timeout): Duration.Duration | InvalidRequest => {
  if (Duration.isDuration(given) && !Duration.isNegative(given)) return given
  const refused = (reason: string) => new InvalidRequest({ operation, field, reason })
  if (isBare(given)) return refused(`needs a unit, such as "5 seconds"`)
  const parsed = hasNaN(given) ? Option.none() : Duration.fromInput(given)
  if (Option.isNone(parsed)) return refused(`must be a duration, such as "5 seconds"`)
  return Duration.isNegative(parsed.value) ? refused("must not be negative") : parsed.value
}

/**
 * From 50 milliseconds, doubling to 500 milliseconds.
 *
 * @category schedules
 * @since 0.1.0
 */
export const defaultPoll = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("500 millis")])

/**
 * Asks for no look.
 *
 * @category schedules
 * @since 0.1.0
 */
export const noLooks = Schedule.recurs(0)

/**
 * When to look where nothing wakes the wait. Replace it with `Effect.provideService`; a schedule that ends asks for no
 * more looks, and the deadline still holds. However short its pauses, looks are 50 milliseconds apart. Default:
 * {@link defaultPoll}.
 *
 * @category references
 * @since 0.1.0
 */
export const PollSchedule = Context.Reference<Schedule.Schedule<unknown>>("paneway/Waiting/PollSchedule", {
  defaultValue: () => defaultPoll
})

/**
 * When to look although wake-ups are on. Insurance against lost wake-ups is the adapter's, so the default is
 * {@link noLooks}.
 *
 * @category references
 * @since 0.1.0
 */
export const SafetySchedule = Context.Reference<Schedule.Schedule<unknown>>("paneway/Waiting/SafetySchedule", {
  defaultValue: () => noLooks
})
