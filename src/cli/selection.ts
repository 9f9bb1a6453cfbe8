/** Which runtime a command uses, and that runtime with its settings. */
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as RuntimeConfig from "../RuntimeConfig.ts"
import type { RuntimeUnavailable, UnknownRuntime } from "../RuntimeError.ts"
import * as RuntimeRegistry from "../RuntimeRegistry.ts"
import type { TerminalRuntime } from "../TerminalRuntime.ts"
import { Caller } from "./Caller.ts"

export interface Selected {
  readonly decision: RuntimeConfig.Decision
  readonly loaded: RuntimeConfig.Loaded
}

/** By the flag, the variables, the config files, then, where `detection` is on, the environment, else the pty. */
export const select = Effect.fnUntraced(function*(flag: Option.Option<string>, detection: boolean) {
  const { cwd, env } = yield* Caller
  const loaded = yield* RuntimeConfig.load({ cwd, env })
  const decision = yield* RuntimeConfig.select({ explicit: Option.getOrUndefined(flag), env, loaded, detection })
  return { decision, loaded } satisfies Selected
})

/** The selected runtime for the effect, made with the settings of the config files. */
export const provide = ({ decision, loaded }: Selected) =>
<A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | UnknownRuntime | RuntimeUnavailable, Exclude<R, TerminalRuntime>> => {
  const layer: Layer.Layer<TerminalRuntime, UnknownRuntime | RuntimeUnavailable> = RuntimeRegistry.layer(
    decision.runtime
  )
  return effect.pipe(Effect.provide(layer), Effect.provideService(RuntimeConfig.Current, loaded.config))
}
