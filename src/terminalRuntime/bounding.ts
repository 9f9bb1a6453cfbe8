/**
 * Deadlines for what must not be cut in the middle by its caller.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"

/** For an effect that does not heed its interruption. */
const grace = Duration.seconds(1)

/**
 * Runs an effect that its caller cannot interrupt, and that is interrupted itself after the deadline. `None`: it did
 * not end by itself. A defect of it stays a defect.
 */
type Bounded = <A, E>(
  effect: Effect.Effect<A, E>,
  deadline: Duration.Duration
) => Effect.Effect<Option.Option<A>, E>

/**
 * The effects run in fibers of the scope that is current here, so that they outlive an interrupted caller.
 *
 * @internal
 */
export const makeBounded = Effect.gen(function*() {
  const scope = yield* Effect.scope

  const bounded: Bounded = Effect.fnUntraced(function*<A, E>(
    effect: Effect.Effect<A, E>,
    deadline: Duration.Duration
  ) {
    const fiber = yield* Effect.forkIn(Effect.interruptible(effect), scope, { startImmediately: true })
    const exit = fiber.pollUnsafe() ?? (yield* atDeadline(fiber, deadline))
    if (exit === undefined || (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))) return Option.none<A>()
    return Option.some(yield* exit)
  }, Effect.uninterruptible)

  const atDeadline = Effect.fnUntraced(function*<A, E>(fiber: Fiber.Fiber<A, E>, deadline: Duration.Duration) {
    const ended = Deferred.makeUnsafe<Exit.Exit<A, E> | undefined>()
    fiber.addObserver((exit) => {
      Deferred.doneUnsafe(ended, Exit.succeed(exit))
    })
    const cut = Effect.gen(function*() {
      yield* Effect.sleep(deadline)
      fiber.interruptUnsafe()
      yield* Effect.sleep(grace)
      Deferred.doneUnsafe(ended, Exit.succeed(undefined))
    })
    const timer = yield* Effect.forkIn(Effect.interruptible(cut), scope, { startImmediately: true })
    const exit = yield* Deferred.await(ended)
    timer.interruptUnsafe()
    return exit
  })

  return bounded
})

/**
 * Time for writing so many bytes to a reader that takes them slowly but steadily: `stall` for each page of them.
 *
 * @internal
 */
export const timeFor = (bytes: number, stall: Duration.Duration): Duration.Duration =>
  Duration.times(stall, 1 + Math.floor(bytes / 4096))
