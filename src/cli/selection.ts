/** Which runtime a command uses, and that runtime with its settings. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as RuntimeConfig from "../RuntimeConfig.ts"
import { type RuntimeUnavailable, UnknownRuntime } from "../RuntimeError.ts"
import * as RuntimeRegistry from "../RuntimeRegistry.ts"
import * as Target from "../Target.ts"
import { TerminalRuntime } from "../TerminalRuntime.ts"
import { Caller } from "./Caller.ts"
import * as Output from "./output.ts"
import { wantsJson } from "./table.ts"
import { usage } from "./usage.ts"

export interface Selected {
  readonly decision: RuntimeConfig.Decision
  readonly loaded: RuntimeConfig.Loaded
}

const load = Effect.gen(function*() {
  const { cwd, env } = yield* Caller
  return yield* RuntimeConfig.load({ cwd, env })
})

/** By the flag, the variables, the config files; then, where `detection` is on, the environment; else the pty. */
export const select = Effect.fnUntraced(function*(flag: Option.Option<string>, detection: boolean) {
  const { env } = yield* Caller
  const loaded = yield* load
  const decision = yield* RuntimeConfig.select({ explicit: Option.getOrUndefined(flag), env, loaded, detection })
  return { decision, loaded } satisfies Selected
})

/** A handle of tmux says which server it is of; the settings of other runtimes name none. */
const inScope = (loaded: RuntimeConfig.Loaded, { runtime, scope }: Target.Printed): RuntimeConfig.Loaded =>
  runtime === "tmux"
    ? {
      ...loaded,
      config: {
        ...loaded.config,
        tmux: { ...loaded.config.tmux, server: scope === undefined ? { name: "default" } : { path: scope } }
      }
    }
    : loaded

const isSocket = (url: string, path: string): boolean => {
  const { pathname, protocol } = new URL(url)
  return protocol === "unix:" && decodeURIComponent(pathname) === path
}

/**
 * The server of the config files that has what the handle means: the one that the flag names, else the one whose socket the
 * handle says. The handle does not say what its server is called here.
 */
const remoteOf = (
  { config: { remotes } }: RuntimeConfig.Loaded,
  flag: string | undefined,
  { runtime, scope }: Target.Printed
): string | undefined => {
  if (flag !== undefined && flag !== runtime) return Object.hasOwn(remotes, flag) ? flag : undefined
  return Object.entries(remotes).find(([, { url }]) => scope !== undefined && isSocket(url, scope))?.[0]
}

/**
 * As {@link select}, unless one of the texts is a printed handle: that says its runtime and server itself. Another
 * runtime in the flag contradicts it; one of a variable or a config file gives way.
 */
const selectFor = Effect.fnUntraced(function*(
  flag: string | undefined,
  targets: ReadonlyArray<string | undefined>
) {
  const printed = targets.flatMap((text) => text === undefined ? [] : Option.toArray(Target.parse(text)))
  const [first, ...others] = printed
  if (first === undefined) return yield* select(Option.fromUndefinedOr(flag), true)
  const other = others.find(({ runtime, scope }) => runtime !== first.runtime || scope !== first.scope)
  if (other !== undefined) {
    return yield* usage(`${first.word} and ${other.word} are of two runtimes or servers: name those of one`)
  }
  const loaded = yield* load
  const remote = remoteOf(loaded, flag?.trim(), first)
  if (remote !== undefined) {
    const decision: RuntimeConfig.Decision = {
      runtime: remote,
      reason: "explicit",
      evidence: [first.word],
      named: true
    }
    return { decision, loaded } satisfies Selected
  }
  if (flag !== undefined && flag.trim() !== first.runtime) {
    return yield* usage(`--runtime ${flag} contradicts ${first.word}, which is of ${first.runtime}: leave it out`)
  }
  const decision: RuntimeConfig.Decision = {
    runtime: first.runtime,
    reason: "explicit",
    evidence: [first.word],
    named: true
  }
  return { decision, loaded: inScope(loaded, first) } satisfies Selected
})

/** The caller asked for a list, and the first of it could not be used. */
const tellPreferred = Effect.fnUntraced(function*() {
  const { passed, reason, runtime } = yield* RuntimeRegistry.Preferred
  if (passed.length === 0) return
  const { words } = yield* Caller
  yield* wantsJson(words)
    ? Output.problemObject({ _tag: "Preferred", runtime, message: reason, passed: passed.map((one) => one.runtime) })
    : Output.problem(reason)
})

/** Who did not name the runtime that is unknown is told where its name is from. */
const told = ({ evidence, reason }: RuntimeConfig.Decision) => (error: UnknownRuntime) =>
  Layer.effectContext(Effect.fail(
    reason === "detected"
      ? new UnknownRuntime({ runtime: error.runtime, available: error.available, detectedBy: evidence })
      : error
  ))

/**
 * The selected runtime for the effect, made with the settings of the config files. A named one is used or the call
 * fails; of a list the first that can be used, and what was passed over is told on standard error.
 */
export const provide = ({ decision, loaded }: Selected) =>
<A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | UnknownRuntime | RuntimeUnavailable, Exclude<R, TerminalRuntime> | Caller> => {
  const layer: Layer.Layer<TerminalRuntime, UnknownRuntime | RuntimeUnavailable, Caller> = decision.prefer === undefined
    ? RuntimeRegistry.layer(decision.runtime)
    : Layer.tap(RuntimeRegistry.prefer(decision.prefer), (context) => Effect.provide(tellPreferred(), context))
  return effect.pipe(
    Effect.provide(Layer.catchTag(layer, "UnknownRuntime", told(decision))),
    Effect.provideService(RuntimeConfig.Current, loaded.config)
  )
}

/** The runtime of the flag, or of the targets that are printed handles. */
export const using = Effect.fnUntraced(function*<A, E, R>(
  flag: string | undefined,
  targets: ReadonlyArray<string | undefined>,
  use: (runtime: TerminalRuntime["Service"], config: RuntimeConfig.Config) => Effect.Effect<A, E, R>
) {
  const selected = yield* selectFor(flag, targets)
  return yield* provide(selected)(TerminalRuntime.use((runtime) => use(runtime, selected.loaded.config)))
})
