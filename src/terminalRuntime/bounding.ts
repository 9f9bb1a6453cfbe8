/**
 * Deadlines for writes that must not be cut in the middle.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { WriteFailed } from "../Contract.ts"

/** Runs a write that its caller cannot interrupt, and that is interrupted itself after the deadline. */
type Bounded = <A, E>(write: Effect.Effect<A, E>) => Effect.Effect<A, E | WriteFailed>

/**
 * The writes run in fibers of the scope that is current here, so that they outlive an interrupted caller.
 *
 * @internal
 */
export const makeBounded = Effect.fnUntraced(function*(deadline: Duration.Duration) {
  const scope = yield* Effect.scope

  const bounded: Bounded = Effect.fnUntraced(function*<A, E>(write: Effect.Effect<A, E>) {
    const fiber = yield* Effect.forkIn(Effect.interruptible(write), scope, { startImmediately: true })
    const timer = yield* Effect.forkIn(
      Effect.interruptible(Effect.delay(Fiber.interrupt(fiber), deadline)),
      scope
    )
    const exit = yield* Fiber.await(fiber)
    yield* Fiber.interrupt(timer)
    if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) {
      return yield* new WriteFailed({ stage: "send-keys", written: "indeterminate", cause: "deadline" })
    }
    return yield* exit
  })
  return bounded
})
