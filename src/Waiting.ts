/**
 * The wait engine: register for wake-ups, look, and look again when woken, until the look matches or time is up.
 *
 * Wake-ups carry nothing; the look decides. Where nothing wakes, a schedule says when to look.
 *
 * @since 0.1.0
 */
import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Pull from "effect/Pull"
import * as Queue from "effect/Queue"
import * as Ref from "effect/Ref"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"

/**
 * A duration with its unit, such as `"5 seconds"`. A bare number is refused, because it would be milliseconds here and
 * seconds on a command line.
 *
 * @category models
 * @since 0.1.0
 */
export type Timeout = Exclude<Duration.Input, number | bigint | readonly [seconds: number, nanos: number]>

/**
 * From 50 milliseconds, doubling to 500 milliseconds.
 *
 * @category schedules
 * @since 0.1.0
 */
export const defaultPoll = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("500 millis")])

/**
 * When to look where nothing wakes the wait. Replace it with `Effect.provideService`; a schedule that ends asks for no
 * more looks, and the deadline still holds. Default: {@link defaultPoll}.
 *
 * @category references
 * @since 0.1.0
 */
export const PollSchedule = Context.Reference<Schedule.Schedule<unknown>>("paneway/Waiting/PollSchedule", {
  defaultValue: () => defaultPoll
})

/**
 * When to look although wake-ups are on: insurance, not the mechanism. Default: every 5 seconds.
 *
 * @category references
 * @since 0.1.0
 */
export const SafetySchedule = Context.Reference<Schedule.Schedule<unknown>>("paneway/Waiting/SafetySchedule", {
  defaultValue: () => Schedule.spaced("5 seconds")
})

/**
 * What an adapter calls when a pane changes. Plain callbacks, so that a parser can call `wake` from inside its loop;
 * the waiters of the pane are reached from there. `lost`: the source of wake-ups is gone, and the waits poll.
 *
 * @category models
 * @since 0.1.0
 */
export interface Wakes {
  readonly wake: () => void
  readonly lost: () => void
}

/**
 * One waiter's wake-ups. The queue ends when the source is lost.
 *
 * @category models
 * @since 0.1.0
 */
export type Wakeups = Queue.Dequeue<void, Cause.Done>

/**
 * What to wait for.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options<A, B, E, R, E2, E3> {
  /** Succeeds once registered, so nothing is missed between it and the first look. `None`: poll. */
  readonly subscribe: Effect.Effect<Option.Option<Wakeups>, never, Scope.Scope>
  readonly look: Effect.Effect<A, E, R>
  readonly match: (seen: A) => Option.Option<B>
  /** Time for the whole wait. */
  readonly timeout: Timeout
  /** The failure when time is up, given what the last look saw. */
  readonly onTimeout: (last: Option.Option<A>, timeout: Duration.Duration) => E2
  /** A look failed: what that means, given what was seen before. Absent: the failure itself. */
  readonly onEnd?: ((error: E, last: Option.Option<A>) => E | E3) | undefined
}

/**
 * Waits until a look matches. Fails with what a look failed with, or with `onTimeout`; registrations end with the wait.
 *
 * @category waiting
 * @since 0.1.0
 */
export const until = Effect.fnUntraced(function*<A, B, E, R, E2, E3 = never>(options: Options<A, B, E, R, E2, E3>) {
  const timeout = Duration.fromInputUnsafe(options.timeout)
  const last = yield* Ref.make(Option.none<A>())

  const loop = Effect.gen(function*() {
    const wakes = yield* options.subscribe
    const schedule = yield* Option.isSome(wakes) ? SafetySchedule : PollSchedule
    // succeeds with false when the schedule asks for a look, and never once it has ended
    const sleep = (step: Effect.Effect<(input: unknown) => Pull.Pull<unknown, never, unknown>>) =>
      Effect.map(
        step,
        (next): Effect.Effect<boolean> => Effect.catch(Effect.as(next(undefined), false), () => Effect.never)
      )
    const safety = yield* sleep(Schedule.toStepWithSleep(schedule))
    const poll = yield* sleep(Effect.flatMap(PollSchedule, Schedule.toStepWithSleep))
    const woken = Option.map(
      wakes,
      (queue) =>
        Effect.raceFirst(Effect.match(Queue.take(queue), { onFailure: () => true, onSuccess: () => false }), safety)
    )
    let pause = Option.getOrElse(woken, () => poll)

    while (true) {
      const seen = yield* Effect.catch(
        options.look,
        (error): Effect.Effect<never, E | E3> =>
          Effect.flatMap(
            Ref.get(last),
            (before) => Effect.fail(options.onEnd === undefined ? error : options.onEnd(error, before))
          )
      )
      yield* Ref.set(last, Option.some(seen))
      const hit = options.match(seen)
      if (Option.isSome(hit)) return hit.value
      if (yield* pause) pause = poll
    }
  }).pipe(Effect.scoped)

  return yield* Effect.timeoutOrElse(loop, {
    duration: timeout,
    orElse: () => Effect.flatMap(Ref.get(last), (seen) => Effect.fail(options.onTimeout(seen, timeout)))
  })
})
