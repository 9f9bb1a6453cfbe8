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
import * as Option from "effect/Option"
import * as RcMap from "effect/RcMap"
import * as Scope from "effect/Scope"
import { RuntimeUnavailable, TargetNotFound, UnknownRuntime } from "./RuntimeError.ts"
import type { PaneHandle } from "./Target.ts"
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
 * The version of what Paneway and adapters of third parties agree upon: this module, the service and its records. An
 * adapter of another version is refused.
 *
 * @category models
 * @since 0.1.0
 */
export const contractVersion = 1

/**
 * What the module of a third party's adapter exports under the name `entry`. Made by {@link entry}.
 *
 * @category models
 * @since 0.1.0
 */
export interface ThirdParty extends Entry {
  readonly contractVersion: number
}

/**
 * An entry for `export const entry`, marked with the version of the contract that it was made for. Settings are in
 * `RuntimeConfig.Current` when `load` runs.
 *
 * @category constructors
 * @since 0.1.0
 */
export const entry = ({ examine, load }: Entry): ThirdParty => ({ contractVersion, load, examine })

/**
 * Finds runtimes that are not registered. `configured`: somebody named a module for this name, which wins over what is
 * registered. `installed`: a package of that name is there. Neither runs code of the adapter.
 *
 * @category models
 * @since 0.1.0
 */
export interface Finder {
  readonly configured: (name: string) => Effect.Effect<Option.Option<Entry>>
  readonly installed: (name: string) => Effect.Effect<Option.Option<Entry>>
  /** All names that it finds, each with where that is. */
  readonly names: Effect.Effect<ReadonlyMap<string, string>>
}

/**
 * Where runtimes are looked for besides those registered. Finds none by default; the command line finds adapters of
 * third parties.
 *
 * @category references
 * @since 0.1.0
 */
export const Outside = Context.Reference<Finder>("paneway/RuntimeRegistry/Outside", {
  defaultValue: () => ({
    configured: () => Effect.succeedNone,
    installed: () => Effect.succeedNone,
    names: Effect.succeed(new Map())
  })
})

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

const listed = Effect.fnUntraced(function*(entries: ReadonlyMap<string, Entry>, outside: Finder) {
  const found = yield* outside.names
  return [...new Set([...entries.keys(), ...found.keys()])].toSorted((one, other) => one < other ? -1 : 1)
})

/**
 * The names that are registered or found outside, sorted. Loads nothing.
 *
 * @category accessors
 * @since 0.1.0
 */
export const list: Effect.Effect<ReadonlyArray<string>> = Effect.gen(function*() {
  return yield* listed(yield* Entries, yield* Outside)
})

const findIn = Effect.fnUntraced(function*(entries: ReadonlyMap<string, Entry>, outside: Finder, name: string) {
  const configured = yield* outside.configured(name)
  const found = Option.orElse(configured, () => Option.fromUndefinedOr(entries.get(name)))
  const entry = Option.isSome(found) ? found : yield* outside.installed(name)
  return Option.isSome(entry)
    ? entry.value
    : yield* new UnknownRuntime({ runtime: name, available: yield* listed(entries, outside) })
})

/**
 * The entry of a runtime that is registered or found outside.
 *
 * @category accessors
 * @since 0.1.0
 */
export const find = Effect.fnUntraced(function*(name: string): Effect.fn.Return<Entry, UnknownRuntime> {
  return yield* findIn(yield* Entries, yield* Outside, name)
})

/**
 * The runtime of that name and no other: fails where it is not registered, cannot be loaded or cannot be opened.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (name: string): Layer.Layer<TerminalRuntime, UnknownRuntime | RuntimeUnavailable> =>
  Layer.unwrap(Effect.flatMap(find(name), ({ load }) => load))

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
  /**
   * Holds the runtime that issued the handle, by runtime, host and server: one of those that are open, else the one
   * that is registered under the name in the handle. `TargetNotFound` `foreign` where that is of another server. Whether
   * the pane is still there is not asked.
   */
  readonly of: (
    handle: PaneHandle
  ) => Effect.Effect<
    TerminalRuntime["Service"],
    UnknownRuntime | RuntimeUnavailable | TargetNotFound,
    Scope.Scope
  >
}>()("paneway/RuntimeRegistry/Runtimes") {}

/** The contract itself refuses a foreign handle before it asks the terminal program. */
const issued = (runtime: TerminalRuntime["Service"], handle: PaneHandle): Effect.Effect<boolean> =>
  runtime.runtime === handle.runtime
    ? Effect.match(runtime.describe(handle), {
      onFailure: (error) => !(error._tag === "TargetNotFound" && error.reason === "foreign"),
      onSuccess: () => true
    })
    : Effect.succeed(false)

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
    const outside = yield* Outside
    const memoMap = Layer.CurrentMemoMap.forkOrCreate(yield* Effect.context())
    const build = Effect.fnUntraced(function*(name: string) {
      const scope = yield* Effect.scope
      const context = yield* Layer.buildWithMemoMap(
        Layer.unwrap(Effect.flatMap(findIn(entries, outside, name), ({ load }) => load)),
        memoMap,
        scope
      )
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
    // in a scope of its own, so that trying again in one scope does not hold what failed
    const inOwnScope = Effect.fnUntraced(function*<A, E>(use: Effect.Effect<A, E, Scope.Scope>) {
      const scope = yield* Scope.fork(yield* Effect.scope)
      return yield* use.pipe(
        Scope.provide(scope),
        Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
      )
    })
    const owned = Effect.fnUntraced(function*(name: string, handle: PaneHandle) {
      const runtime = yield* RcMap.get(opened, name)
      return (yield* issued(runtime, handle))
        ? runtime
        : yield* new TargetNotFound({ target: handle, reason: "foreign" })
    })
    return {
      get: (name) => inOwnScope(RcMap.get(opened, name)),
      of: Effect.fnUntraced(function*(handle) {
        for (const name of yield* RcMap.keys(opened)) {
          const runtime = yield* Effect.option(inOwnScope(owned(name, handle)))
          if (Option.isSome(runtime)) return runtime.value
        }
        return yield* inOwnScope(owned(handle.runtime, handle))
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

/**
 * Holds the runtime that issued the handle until the scope closes.
 *
 * @category accessors
 * @since 0.1.0
 */
export const of = (
  handle: PaneHandle
): Effect.Effect<
  TerminalRuntime["Service"],
  UnknownRuntime | RuntimeUnavailable | TargetNotFound,
  Runtimes | Scope.Scope
> => Runtimes.use((runtimes) => runtimes.of(handle))
