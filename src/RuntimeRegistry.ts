/**
 * Runtimes by name. An adapter is loaded when its runtime is first asked for, so a program pays for what it uses.
 *
 * {@link layer} is for a runtime that somebody named: it is used or the program fails. {@link prefer} may fall through
 * and says so. {@link Runtimes} is for programs that hold several at once.
 *
 * @since 0.1.0
 */
import type * as Array from "effect/Array"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as RcMap from "effect/RcMap"
import * as Scope from "effect/Scope"
import { RuntimeUnavailable, UnknownRuntime } from "./RuntimeError.ts"
import { TerminalRuntime } from "./TerminalRuntime.ts"

/**
 * A runtime that can be had. `load` fetches the adapter; the layer that it gives opens the runtime and brings all that
 * the runtime needs, its locks included.
 *
 * @category models
 * @since 0.1.0
 */
export interface Entry {
  readonly load: Effect.Effect<Layer.Layer<TerminalRuntime, RuntimeUnavailable>, RuntimeUnavailable>
  /** Looks, without side effects, at whether the runtime can be used here. Absent: it cannot tell before it is used. */
  readonly examine?: Effect.Effect<Examination> | undefined
}

/**
 * What a look at a runtime found, in short sentences. `advice` says how to get what is missing; it is empty where the
 * runtime can be used.
 *
 * @category models
 * @since 0.1.0
 */
export interface Examination {
  readonly usable: boolean
  readonly facts: ReadonlyArray<string>
  readonly advice: ReadonlyArray<string>
}

/**
 * What is registered, by name. Empty by default: a program provides the built-in entries, or its own.
 *
 * @category references
 * @since 0.1.0
 */
export const Entries = Context.Reference<ReadonlyMap<string, Entry>>("paneway/RuntimeRegistry/Entries", {
  defaultValue: () => new Map()
})

/**
 * Adds entries to those of the surroundings. A name that is taken is replaced.
 *
 * Give all entries in one call, or nest the layers: of two layers that are merged side by side one wins.
 *
 * @category registering
 * @since 0.1.0
 */
export const register = (entries: Readonly<Record<string, Entry>>): Layer.Layer<never> =>
  Layer.effect(Entries, Effect.map(Entries, (known) => new Map([...known, ...Object.entries(entries)])))

/**
 * Removes entries from those of the surroundings. A name that is not there is not missed.
 *
 * @category registering
 * @since 0.1.0
 */
export const unregister = (...names: ReadonlyArray<string>): Layer.Layer<never> =>
  Layer.effect(Entries, Effect.map(Entries, (known) => new Map([...known].filter(([name]) => !names.includes(name)))))

const sorted = (entries: ReadonlyMap<string, Entry>): ReadonlyArray<string> =>
  [...entries.keys()].toSorted((one, other) => one < other ? -1 : 1)

/**
 * The names that are registered, sorted. Loads nothing.
 *
 * @category accessors
 * @since 0.1.0
 */
export const list: Effect.Effect<ReadonlyArray<string>> = Effect.map(Entries, sorted)

const open = (
  entries: ReadonlyMap<string, Entry>,
  name: string
): Effect.Effect<Layer.Layer<TerminalRuntime, RuntimeUnavailable>, UnknownRuntime | RuntimeUnavailable> => {
  const entry = entries.get(name)
  return entry === undefined
    ? Effect.fail(new UnknownRuntime({ runtime: name, available: sorted(entries) }))
    : entry.load
}

/**
 * The runtime of that name and no other: fails where it is not registered, cannot be loaded or cannot be opened.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (name: string): Layer.Layer<TerminalRuntime, UnknownRuntime | RuntimeUnavailable> =>
  Layer.unwrap(Effect.flatMap(Entries, (entries) => open(entries, name)))

/**
 * A runtime that was tried before the one that was chosen.
 *
 * @category models
 * @since 0.1.0
 */
export interface PassedOver {
  readonly runtime: string
  readonly failure: UnknownRuntime | RuntimeUnavailable
}

/**
 * What {@link prefer} chose. `passed` holds the names before it, in order, and why each could not be used; `reason` is
 * the same in words.
 *
 * @category services
 * @since 0.1.0
 */
export class Preferred extends Context.Service<Preferred, {
  readonly runtime: string
  readonly reason: string
  readonly passed: ReadonlyArray<PassedOver>
}>()("paneway/RuntimeRegistry/Preferred") {}

const told = (passed: ReadonlyArray<PassedOver>): string => passed.map(({ failure }) => failure.message).join("; ")

const chosen = (runtime: string, passed: ReadonlyArray<PassedOver>): Layer.Layer<Preferred> =>
  Layer.succeed(Preferred, {
    runtime,
    passed,
    reason: passed.length === 0 ? `${runtime} is the first choice` : `${runtime} is the next choice: ${told(passed)}`
  })

/** Unavailable where one of them may become available, with the reason of the first such. */
const exhausted = (passed: ReadonlyArray<PassedOver>, available: ReadonlyArray<string>) => {
  const names = passed.map(({ runtime }) => runtime).join(", ")
  const known = passed.flatMap(({ failure }) => failure._tag === "RuntimeUnavailable" ? [failure] : [])[0]
  return known === undefined
    ? new UnknownRuntime({ runtime: names, available })
    : new RuntimeUnavailable({
      runtime: known.runtime,
      reason: known.reason,
      detail: `none of ${names} can be used: ${told(passed)}`,
      cause: known
    })
}

/**
 * The first of these runtimes that is registered, loads and opens, with {@link Preferred} beside it. What a runtime
 * held when it failed to open is released before the next is tried. Fails where none can be used.
 *
 * Only an unknown or unavailable runtime is passed over; a defect ends the search.
 *
 * @category layers
 * @since 0.1.0
 */
export const prefer = (
  names: Array.NonEmptyReadonlyArray<string>
): Layer.Layer<TerminalRuntime | Preferred, UnknownRuntime | RuntimeUnavailable> => {
  const attempt = (
    rest: ReadonlyArray<string>,
    passed: ReadonlyArray<PassedOver>
  ): Layer.Layer<TerminalRuntime | Preferred, UnknownRuntime | RuntimeUnavailable> => {
    const [name, ...others] = rest
    if (name === undefined) {
      return Layer.unwrap(Effect.flatMap(list, (available) => Effect.fail(exhausted(passed, available))))
    }
    return Layer.merge(layer(name), chosen(name, passed)).pipe(
      Layer.catchTag(
        ["UnknownRuntime", "RuntimeUnavailable"],
        (failure) => attempt(others, [...passed, { runtime: name, failure }])
      )
    )
  }
  return attempt(names, [])
}

/**
 * The registered runtimes for programs that hold several at once. Each is opened when it is first asked for, shared by
 * all who hold it, and closed when nobody has held it for a minute. A runtime that could not be opened is tried again
 * by the next who asks.
 *
 * @category services
 * @since 0.1.0
 */
export class Runtimes extends Context.Service<Runtimes, {
  /** Holds the runtime until the scope closes. */
  readonly get: (
    name: string
  ) => Effect.Effect<TerminalRuntime["Service"], UnknownRuntime | RuntimeUnavailable, Scope.Scope>
}>()("paneway/RuntimeRegistry/Runtimes") {}

/**
 * The entries are those of the place where this layer is provided.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerRuntimes: Layer.Layer<Runtimes> = Layer.effect(
  Runtimes,
  Effect.gen(function*() {
    const entries = yield* Entries
    const memoMap = Layer.CurrentMemoMap.forkOrCreate(yield* Effect.context())
    const build = Effect.fnUntraced(function*(name: string) {
      const scope = yield* Effect.scope
      const context = yield* Layer.buildWithMemoMap(Layer.unwrap(open(entries, name)), memoMap, scope)
      return Context.get(context, TerminalRuntime)
    })
    const opened: RcMap.RcMap<string, TerminalRuntime["Service"], UnknownRuntime | RuntimeUnavailable> = yield* RcMap
      .make({
        // a map keeps failures too; it forgets an interrupted lookup by itself
        lookup: (name: string) =>
          Effect.tapCause(
            build(name),
            (cause) => Cause.hasInterruptsOnly(cause) ? Effect.void : RcMap.invalidate(opened, name)
          ),
        idleTimeToLive: "1 minute"
      })
    return {
      // in a scope of its own, so that trying again in one scope does not hold what failed
      get: Effect.fnUntraced(function*(name) {
        const scope = yield* Scope.fork(yield* Effect.scope)
        return yield* RcMap.get(opened, name).pipe(
          Scope.provide(scope),
          Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
        )
      })
    }
  })
)

/**
 * Holds the runtime of that name until the scope closes.
 *
 * @category accessors
 * @since 0.1.0
 */
export const get = (
  name: string
): Effect.Effect<TerminalRuntime["Service"], UnknownRuntime | RuntimeUnavailable, Runtimes | Scope.Scope> =>
  Runtimes.use((runtimes) => runtimes.get(name))
