/**
 * Closing a pane or a window, idempotently.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { Close, CloseError, Primitives } from "../Contract.ts"
import type { RuntimeError } from "../RuntimeError.ts"
import type { Handle } from "../Target.ts"

/**
 * The target is not there. Not so for an id that was issued again, which names a stranger now.
 *
 * @internal
 */
export const isAbsent = (error: RuntimeError): boolean => error._tag === "TargetNotFound" && error.reason === "absent"

/**
 * Asks the adapter to close, once. A target that is not there is `already-closed`.
 *
 * @internal
 */
export const close = (primitives: Primitives, handle: Handle): Effect.Effect<Close, CloseError> =>
  primitives.close(handle).pipe(
    Effect.as("closed" as const),
    Effect.catchIf(isAbsent, () => Effect.succeed("already-closed" as const))
  )
