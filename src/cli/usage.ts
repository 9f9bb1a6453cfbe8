/**
 * Wrong words on the command line.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"

/**
 * The words make no sense, whatever there is in the world. Nothing was asked of a runtime.
 *
 * @category errors
 * @since 0.1.0
 */
export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", { reason: Schema.String }) {
  override get message(): string {
    return this.reason
  }
  override get [Runtime.errorExitCode](): number {
    return 2
  }
}

export const usage = (reason: string): Effect.Effect<never, UsageError> => Effect.fail(new UsageError({ reason }))
