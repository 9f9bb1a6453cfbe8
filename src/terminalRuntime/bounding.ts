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
import * as Fiber from "effect/Fiber"
import type * as Option from "effect/Option"

/** For an effect that does not heed its interruption. */
const grace = Duration.seconds(1)

/**
 * Runs an effect that its caller cannot interrupt, and that is interrupted itself after the deadline. `None`: it did
 * not end by itself. A defect of it stays a defect.
 */
type Bounded = <A, E>(
  effect: Effect.Effect<A, E>,
  deadline: () => Duration.Duration
) => Effect.Effect<Option.Option<A>, E>

/**
 * The effects run in fibers of their own, so that they outlive an interrupted caller; the scope that is current here
 * ends them. An effect that ends at once costs neither a timer nor an entry in the scope.
 *
 * @internal
 */
export const makeBounded = Effect.gen(function*() {
  const running = new Set<Fiber.Fiber<unknown, unknown>>()
  yield* Effect.addFinalizer(() => Fiber.interruptAll(running))

  const atDeadline = Effect.fnUntraced(function*<A, E>(fiber: Fiber.Fiber<A, E>, deadline: Duration.Duration) {
    const ended = Deferred.makeUnsafe<Exit.Exit<A, E> | undefined>()
    running.add(fiber)
    fiber.addObserver((exit) => {
      running.delete(fiber)
      Deferred.doneUnsafe(ended, Exit.succeed(exit))
    })
    const cut = Effect.gen(function*() {
      yield* Effect.sleep(deadline)
      fiber.interruptUnsafe()
      yield* Effect.sleep(grace)
      Deferred.doneUnsafe(ended, Exit.succeed(undefined))
    })
    const timer = yield* Effect.forkDetach(Effect.interruptible(cut), { startImmediately: true })
    const exit = yield* Deferred.await(ended)
    timer.interruptUnsafe()
    return exit
  })

  const bounded: Bounded = <A, E>(effect: Effect.Effect<A, E>, deadline: () => Duration.Duration) =>
    Effect.uninterruptible(
      Effect.flatMap(Effect.forkDetach(Effect.interruptible(effect), { startImmediately: true }), (fiber) => {
        const exit = fiber.pollUnsafe()
        return exit === undefined ? Effect.flatMap(atDeadline(fiber, deadline()), settled) : settled(exit)
      })
    )
  return bounded
})

const settled = <A, E>(exit: Exit.Exit<A, E> | undefined): Effect.Effect<Option.Option<A>, E> => {
  if (exit === undefined) return Effect.succeedNone
  if (Exit.isSuccess(exit)) return Effect.succeedSome(exit.value)
  return Cause.hasInterruptsOnly(exit.cause) ? Effect.succeedNone : Effect.failCause(exit.cause)
}

/**
 * Time for writing so many bytes to a reader that takes them slowly but steadily: `stall` for each page of them.
 *
 * @internal
 */
export const timeFor = (bytes: number, stall: Duration.Duration): Duration.Duration =>
  Duration.times(stall, 1 + Math.floor(bytes / 4096))
