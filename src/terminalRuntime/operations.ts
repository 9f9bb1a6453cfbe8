/**
 * One span and two metrics for each public operation. Nothing below an operation has a span of its own.
 *
 * The span `TerminalRuntime.<operation>` carries `paneway.runtime`, `paneway.pane` where the operation is given a pane,
 * and `paneway.outcome`: `ok`, the `_tag` of the failure, `interrupted`, or `defect`. Text never gets into it.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import { isInstance } from "../internal/instance.ts"
import type { InvalidRequest } from "../RuntimeError.ts"
import { PaneHandle } from "../Target.ts"
import { argumentsOf, type Checked } from "./arguments.ts"

type Rare = <Args extends ReadonlyArray<unknown>, A, E>(
  body: (...args: Args) => Effect.Effect<A, E>
) => (...args: Args) => Effect.Effect<A, E | InvalidRequest>

/**
 * Ways to give an operation its span and to count it. Arguments of a wrong shape fail inside the span, and the body is
 * not called.
 *
 * @internal
 */
export interface Operations {
  /** For operations that are called in loops: the smallest cost. */
  readonly hot: <Args extends ReadonlyArray<unknown>, A, E>(
    name: Checked,
    body: (...args: Args) => Effect.Effect<A, E>
  ) => (...args: Args) => Effect.Effect<A, E | InvalidRequest>
  /** For rare operations: a failure also carries the frame of the call. */
  readonly rare: (name: Checked) => Rare
  /** For operations without arguments. */
  readonly value: <A, E>(name: string, effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** For operations that answer with a stream: the span lasts as long as the stream is read. */
  readonly stream: <Args extends ReadonlyArray<unknown>, A, E>(
    name: Checked,
    body: (...args: Args) => Stream.Stream<A, E>
  ) => (...args: Args) => Stream.Stream<A, E | InvalidRequest>
  /** The same for a stream without arguments. */
  readonly streaming: <A, E>(name: string, stream: () => Stream.Stream<A, E>) => Stream.Stream<A, E>
  /** Counts a delivery that is in doubt. */
  readonly inDoubt: Effect.Effect<void>
}

const operationsTotal = Metric.counter("paneway_operations_total", {
  description: "Operations that ended",
  incremental: true
})
const operationMillis = Metric.histogram("paneway_operation_millis", {
  description: "How long operations took, in milliseconds",
  boundaries: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000]
})
const inDoubtTotal = Metric.counter("paneway_in_doubt_total", {
  description: "Deliveries that may have happened",
  incremental: true
})

const outcomeOf = (exit: Exit.Exit<unknown, unknown>): string => {
  if (exit._tag === "Success") return "ok"
  const failure = exit.cause.reasons.find(Cause.isFailReason)
  if (failure !== undefined) {
    const { error } = failure
    return Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" ? error._tag : "failure"
  }
  return Cause.hasInterruptsOnly(exit.cause) ? "interrupted" : "defect"
}

const spanOf = (fiber: Fiber.Fiber<unknown, unknown>) => Context.getOrUndefined(fiber.context, Tracer.ParentSpan)

/** The series of one operation, made when an outcome first occurs. */
const makeSeries = (runtime: string, operation: string) => {
  const byOutcome = new Map<
    string,
    { readonly total: typeof operationsTotal; readonly millis: typeof operationMillis }
  >()
  return (outcome: string) => {
    const known = byOutcome.get(outcome)
    if (known !== undefined) return known
    const attributes = { runtime, operation, outcome }
    const made = {
      total: Metric.withAttributes(operationsTotal, attributes),
      millis: Metric.withAttributes(operationMillis, attributes)
    }
    byOutcome.set(outcome, made)
    return made
  }
}

/**
 * The operations of one runtime.
 *
 * @internal
 */
export const makeOperations = (runtime: string): Operations => {
  const options = { attributes: { "paneway.runtime": runtime } }
  const inDoubt = Metric.withAttributes(inDoubtTotal, { runtime })

  /** Notes the beginning; what it returns notes the end. */
  const begin = (
    series: ReturnType<typeof makeSeries>,
    fiber: Fiber.Fiber<unknown, unknown>,
    span: Tracer.AnySpan | undefined,
    target: unknown
  ) => {
    const clock = fiber.getRef(Clock.Clock)
    const start = clock.currentTimeNanosUnsafe()
    const attribute = (key: string, value: string) => {
      if (span?._tag === "Span") span.attribute(key, value)
    }
    if (isInstance(target, PaneHandle)) attribute("paneway.pane", `${target}`)
    return (exit: Exit.Exit<unknown, unknown>): void => {
      const outcome = outcomeOf(exit)
      attribute("paneway.outcome", outcome)
      const { millis, total } = series(outcome)
      total.updateUnsafe(1, fiber.context)
      millis.updateUnsafe(Number(clock.currentTimeNanosUnsafe() - start) / 1e6, fiber.context)
    }
  }

  const measured = <A, E>(
    series: ReturnType<typeof makeSeries>,
    span: Tracer.AnySpan | undefined,
    target: unknown,
    effect: Effect.Effect<A, E>
  ): Effect.Effect<A, E> =>
    Effect.withFiber((fiber) => {
      const end = begin(series, fiber, span, target)
      return Effect.onExitPrimitive(effect, (exit) => {
        end(exit)
        return undefined
      })
    })

  const spanned = (name: string) => {
    const spanName = `TerminalRuntime.${name}`
    const series = makeSeries(runtime, name)
    return <A, E>(target: unknown, body: () => Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.useSpan(
        spanName,
        options,
        (span) => Effect.provideService(measured(series, span, target, body()), Tracer.ParentSpan, span)
      )
  }

  /** The body, behind the check of its arguments. */
  const checked = <Args extends ReadonlyArray<unknown>, A, E>(
    name: Checked,
    body: (...args: Args) => Effect.Effect<A, E>
  ) => {
    const faultIn = argumentsOf(name)
    return (args: Args): Effect.Effect<A, E | InvalidRequest> => {
      const fault = faultIn(args)
      return fault === undefined ? body(...args) : Effect.fail(fault)
    }
  }

  const streamed = (name: string) => {
    const series = makeSeries(runtime, name)
    return <A, E>(target: unknown, body: () => Stream.Stream<A, E>): Stream.Stream<A, E> =>
      Stream.unwrap(Effect.withFiberSucceed((fiber) => {
        const end = begin(series, fiber, spanOf(fiber), target)
        return Stream.onExit(body(), (exit) => Effect.sync(() => end(exit)))
      })).pipe(Stream.withSpan(`TerminalRuntime.${name}`, options))
  }

  return {
    hot: (name, body) => {
      const inSpan = spanned(name)
      const called = checked(name, body)
      return (...args) => inSpan(args[0], () => called(args))
    },
    rare: (name) => {
      const series = makeSeries(runtime, name)
      return <Args extends ReadonlyArray<unknown>, A, E>(
        body: (...args: Args) => Effect.Effect<A, E>
      ): (...args: Args) => Effect.Effect<A, E | InvalidRequest> => {
        const called = checked(name, body)
        return Effect.fn(`TerminalRuntime.${name}`, options)((...args: Args) =>
          Effect.withFiber<A, E | InvalidRequest>((fiber) => measured(series, spanOf(fiber), args[0], called(args)))
        )
      }
    },
    value: (name, effect) => {
      const inSpan = spanned(name)
      return inSpan(undefined, () => effect)
    },
    stream: <Args extends ReadonlyArray<unknown>, A, E>(
      name: Checked,
      body: (...args: Args) => Stream.Stream<A, E>
    ) => {
      const inSpan = streamed(name)
      const faultIn = argumentsOf(name)
      return (...args: Args) =>
        inSpan(args[0], (): Stream.Stream<A, E | InvalidRequest> => {
          const fault = faultIn(args)
          return fault === undefined ? body(...args) : Stream.fail(fault)
        })
    },
    streaming: (name, stream) => streamed(name)(undefined, stream),
    inDoubt: Effect.withFiberSucceed((fiber) => inDoubt.updateUnsafe(1, fiber.context))
  }
}
