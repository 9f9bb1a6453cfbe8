/**
 * One span for each public operation, named `TerminalRuntime.<operation>`.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"

/**
 * Ways to give an operation its span.
 *
 * @internal
 */
export interface Operations {
  /** For operations that are called in loops: the span alone, at the smallest cost. */
  readonly hot: <Args extends ReadonlyArray<unknown>, A, E>(
    name: string,
    body: (...args: Args) => Effect.Effect<A, E>
  ) => (...args: Args) => Effect.Effect<A, E>
  /** For rare operations: a failure also carries the frame of the call. */
  readonly rare: (name: string) => Effect.fn.Traced
  /** For operations without arguments. */
  readonly value: <A, E>(name: string, effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/**
 * The spans of one runtime; each carries its name.
 *
 * @internal
 */
export const makeOperations = (runtime: string): Operations => {
  const options = { attributes: { "paneway.runtime": runtime } }

  return {
    hot: (name, body) => {
      const spanName = `TerminalRuntime.${name}`
      return (...args) =>
        Effect.useSpan(spanName, options, (span) => Effect.provideService(body(...args), Tracer.ParentSpan, span))
    },
    rare: (name) => Effect.fn(`TerminalRuntime.${name}`, options),
    value: (name, effect) =>
      Effect.useSpan(
        `TerminalRuntime.${name}`,
        options,
        (span) => Effect.provideService(effect, Tracer.ParentSpan, span)
      )
  }
}
