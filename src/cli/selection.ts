/** Which runtime a command uses, and that runtime with its settings. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as RuntimeConfig from "../RuntimeConfig.ts"
import type { RuntimeUnavailable, UnknownRuntime } from "../RuntimeError.ts"
import * as RuntimeRegistry from "../RuntimeRegistry.ts"
import type { TerminalRuntime } from "../TerminalRuntime.ts"
import { Caller } from "./Caller.ts"
import * as Output from "./output.ts"

export interface Selected {
  readonly decision: RuntimeConfig.Decision
  readonly loaded: RuntimeConfig.Loaded
}

/** By the flag, the variables, the config files; then, where `detection` is on, the environment; else the pty. */
export const select = Effect.fnUntraced(function*(flag: Option.Option<string>, detection: boolean) {
  const { cwd, env } = yield* Caller
  const loaded = yield* RuntimeConfig.load({ cwd, env })
  const decision = yield* RuntimeConfig.select({ explicit: Option.getOrUndefined(flag), env, loaded, detection })
  return { decision, loaded } satisfies Selected
})

/** The caller asked for a list, and the first of it could not be used. */
const tellPreferred = Effect.fnUntraced(function*() {
  const { passed, reason, runtime } = yield* RuntimeRegistry.Preferred
  if (passed.length === 0) return
  const { argv } = yield* Caller
  yield* argv.includes("--json")
    ? Output.problemObject({ _tag: "Preferred", runtime, message: reason, passed: passed.map((one) => one.runtime) })
    : Output.problem(reason)
})

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
  return effect.pipe(Effect.provide(layer), Effect.provideService(RuntimeConfig.Current, loaded.config))
}
