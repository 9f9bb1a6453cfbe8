/**
 * The states of agents: looked at, numbered, waited for, streamed.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import { AgentObservation, type AgentState } from "../AgentState.ts"
import type { Primitives, Service, TargetError } from "../Contract.ts"
import { WaitTimeout } from "../RuntimeError.ts"
import type { Mark } from "../Screen.ts"
import type { PaneHandle } from "../Target.ts"
import * as Waiting from "../Waiting.ts"
import { unsupported } from "./capabilities.ts"
import type { Looking } from "./looking.ts"
import type { Operations } from "./operations.ts"
import type { Targets } from "./targets.ts"
import { ticks, type Watching } from "./watching.ts"

/**
 * The operations on agents, and what a send needs of them.
 *
 * @internal
 */
export interface Agents extends Pick<Service, "waitAgent" | "agents"> {
  /** Looks, so that a change that nobody saw is not taken for a later turn. Does nothing without a native agent. */
  readonly note: (pane: PaneHandle) => Effect.Effect<void, TargetError>
  /** The turn that a mark taken now stands in: what is known already, without a look. */
  readonly turnOf: (pane: PaneHandle, sequence?: number) => Mark["turn"]
}

/**
 * Numbers the changes of each pane's agent from the first look on.
 *
 * @internal
 */
export const makeAgents = Effect.fnUntraced(function*({ looking, operations, primitives, targets, watching }: {
  readonly primitives: Primitives
  readonly operations: Operations
  readonly targets: Targets
  readonly looking: Looking
  readonly watching: Watching
}) {
  // tells this runtime's sequences from those of another process
  const counter = `${yield* Random.next}`
  const seenLast = new Map<string, { readonly state: AgentState; readonly sequence: number }>()

  const observe = Effect.fnUntraced(function*(agent: NonNullable<Primitives["agent"]>, pane: PaneHandle) {
    const seen = yield* agent(pane)
    const before = seenLast.get(`${pane}`)
    const sequence = before === undefined ? 0 : before.sequence + (before.state === seen.state ? 0 : 1)
    seenLast.set(`${pane}`, { state: seen.state, sequence })
    const { mark } = yield* looking.look(pane, { range: "visible" })
    return new AgentObservation({ ...seen, pane, sequence, mark })
  })

  const waitAgent: Agents["waitAgent"] = Effect.fnUntraced(function*(pane, { after, states, timeout }) {
    yield* targets.own(pane)
    const { agent } = primitives
    if (agent === undefined) return yield* unsupported(primitives, "agentState")
    const turn = after?.turn
    return yield* Waiting.until({
      subscribe: watching.subscribe(pane),
      look: observe(agent, pane),
      match: (seen) => {
        const fresh = turn === undefined || (turn.by === counter && seen.sequence > turn.sequence)
        return fresh && states.includes(seen.state) ? Option.some(seen) : Option.none()
      },
      timeout,
      onTimeout: (last, timeout) =>
        new WaitTimeout({
          target: pane,
          waitedFor: states.join("|"),
          timeout,
          lastSeen: Option.match(last, {
            onNone: () => ({ _tag: "Nothing" }) as const,
            onSome: (observation) => ({ _tag: "Agent", observation }) as const
          })
        })
    })
  })

  const agents: Agents["agents"] = (panes) => {
    const { agent } = primitives
    if (agent === undefined) return Stream.fail(unsupported(primitives, "agentState"))
    const statesOf = (pane: PaneHandle) =>
      Stream.unwrap(Effect.map(watching.subscribe(pane), ticks)).pipe(
        Stream.mapEffect(() => observe(agent, pane)),
        Stream.changesWith((a, b) => a.sequence === b.sequence && a.state === b.state),
        Stream.catchTag("TargetNotFound", () => Stream.empty)
      )
    return Stream.mergeAll(panes.map(statesOf), { concurrency: "unbounded" })
  }

  return {
    waitAgent: operations.hot("waitAgent", waitAgent),
    agents,
    note: (pane) => primitives.agent === undefined ? Effect.void : Effect.asVoid(observe(primitives.agent, pane)),
    turnOf: (pane, sequence = seenLast.get(`${pane}`)?.sequence) =>
      sequence === undefined ? undefined : { sequence, by: counter }
  } satisfies Agents
})
