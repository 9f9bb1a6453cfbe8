/** The detector of agents for the commands, with the user's profiles. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as AgentDetector from "../agent/AgentDetector.ts"
import * as AgentProfile from "../agent/AgentProfile.ts"
import { AgentSense } from "../AgentState.ts"
import type { Service } from "../Contract.ts"
import { Caller } from "./Caller.ts"

export const detector = Effect.gen(function*() {
  const { env } = yield* Caller
  const context = yield* Effect.scoped(Layer.build(AgentDetector.layerHost(env)))
  return Context.get(context, AgentDetector.AgentDetector)
})

/** Built-in profiles, and those of the user's files with what is wrong with them. */
export const profiles = Effect.gen(function*() {
  const directory = AgentDetector.directoryOf((yield* Caller).env)
  return directory === undefined
    ? { profiles: AgentProfile.builtIn, files: [], problems: [] } satisfies AgentProfile.Loaded
    : yield* AgentProfile.load(directory)
})

/** What agents do is told here where the runtime does not. */
export const sensing = ({ capabilities }: Service) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  capabilities.agentState === "none"
    ? Effect.flatMap(detector, ({ sense }) => Effect.provideService(effect, AgentSense, sense))
    : effect
