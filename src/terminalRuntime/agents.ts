/**
 * The states of agents: looked at, numbered, waited for, streamed.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { AgentObservation, AgentReports, AgentSense, isProvided } from "../AgentState.ts"
import type { AskError, Inventory, Primitives, Service, TargetError, WaitError } from "../Contract.ts"
import { InvalidRequest, type Unsupported } from "../RuntimeError.ts"
import type { Mark } from "../Screen.ts"
import type { PaneHandle } from "../Target.ts"
import { type Alarm, makeAlarm } from "../waiting/alarm.ts"
import { latest } from "../waiting/latest.ts"
import { duration } from "../waiting/schedules.ts"
import { wait } from "../waiting/wait.ts"
import { makeAgentLog, native, type Numbered } from "./agentLog.ts"
import { unsupported } from "./capabilities.ts"
import { isMark, makeEnds, noMark } from "./ending.ts"
import type { Looking } from "./looking.ts"
import type { Operations } from "./operations.ts"
import { type AgentSeen, type Need, type PaneWaiter, paneWaiter, type Sense, type Shot, tell } from "./shots.ts"
import type { Targets } from "./targets.ts"
import { makeTurns } from "./turns.ts"
import type { Watching } from "./watching.ts"

/**
 * The operations on agents, and what a send needs of them.
 *
 * @internal
 */
export interface Agents extends Pick<Service, "waitAgent" | "agents"> {
  /** Looks, so that a change that nobody saw is not taken for a later turn. Does nothing where no agent is known. */
  readonly note: (pane: PaneHandle) => Effect.Effect<void, TargetError>
  /** The turn that a mark taken now stands in: what is known already, without a look. */
  readonly turnOf: (pane: PaneHandle, sequence?: number) => Mark["turn"]
  /** Forgets panes that are gone. */
  readonly keep: (inventory: Inventory) => void
}

/** When the sense asks for another look. */
const dueAt = ({ againMillis }: AgentSeen["told"], now: number) =>
  againMillis === undefined ? undefined : now + againMillis

/** What the contract says itself when the pane's process has ended. */
const exited = { state: "exited", source: "process", confidence: "certain" } as const

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
  const log = makeAgentLog(`${yield* Random.nextInt}`)
  const madeWith = yield* AgentSense
  const reports = yield* AgentReports
  const isNative = primitives.agent !== undefined

  /** What tells the agents' states: the adapter, else the sense of the caller, else that of the runtime, else nothing. */
  const given: Effect.Effect<{ readonly sense: Sense } | undefined> = isNative
    ? Effect.succeed({ sense: undefined })
    : Effect.map(AgentSense, (own) => {
      const sense = isProvided(own) ? own : madeWith
      return isProvided(sense) ? { sense } : undefined
    })
  const sensed: Effect.Effect<Sense, Unsupported> = Effect.flatMap(
    given,
    (known) => known === undefined ? Effect.fail(unsupported(primitives, "agentState")) : Effect.succeed(known.sense)
  )

  /** Looks of a wait beside those at changes: when the sense asked for one, and when a hook of the agent reported. */
  const beside = (pane: PaneHandle, { ringing }: Alarm) => (refresh: () => void): Effect.Effect<never> =>
    reports === undefined ? ringing(refresh) : Effect.raceFirst(ringing(refresh), reports.follow(pane, refresh))

  const observation = (
    pane: PaneHandle,
    { screen, told: { againMillis: _, ...told } }: AgentSeen,
    { sequence, state }: Pick<Numbered, "state" | "sequence">
  ): AgentObservation => new AgentObservation({ ...told, pane, state, sequence, mark: screen.mark })

  const keep = ({ panes }: Inventory) => log.keep(panes.map(({ handle }) => handle))

  /** Panes that went unseen are forgotten when many are known. */
  const tidy = Effect.suspend(() =>
    log.crowded() ? Effect.match(primitives.inventory, { onFailure: () => {}, onSuccess: keep }) : Effect.void
  )

  watching.onGone(log.forget)

  /** The last that is seen of an agent. Its pane may be forgotten already. */
  const exitedAt = (pane: PaneHandle, mark: Mark, last: AgentObservation | undefined): AgentObservation =>
    new AgentObservation({
      pane,
      mark,
      ...exited,
      ...(last?.agent === undefined ? {} : { agent: last.agent }),
      sequence: Math.max(log.last(pane)?.sequence ?? -1, last?.sequence ?? -1) + 1
    })

  const waitAgent: Agents["waitAgent"] = Effect.fnUntraced(function*(pane, { after, states, timeout }) {
    const time = duration("waitAgent", "timeout", timeout)
    if (!Duration.isDuration(time)) return yield* time
    if (!isMark(after)) return yield* noMark("waitAgent")
    if (states.length === 0) {
      return yield* new InvalidRequest({ operation: "waitAgent", field: "states", reason: "must not be empty" })
    }
    yield* targets.own(pane)
    const sense = yield* sensed
    yield* tidy
    const clock = yield* Clock.Clock
    const need: Need = { _tag: "Agent", sense }
    const turns = makeTurns(states, after)
    const alarm = makeAlarm(clock)
    let last: AgentObservation | undefined
    const ends = makeEnds(
      pane,
      states.join("|"),
      () => last === undefined ? { _tag: "Nothing" } : { _tag: "Agent", observation: last }
    )
    const over = (shot: Shot, mark: Mark): Exit.Exit<AgentObservation, WaitError> => {
      const end = exitedAt(pane, mark, last)
      return states.includes("exited") ? Exit.succeed(end) : Exit.fail(ends.ended(shot.ended))
    }

    return yield* wait<PaneWaiter, Shot, AgentObservation, WaitError>(watching.pane(pane, sense).hub, {
      count: watching.count,
      waiter: paneWaiter(need),
      see: (shot) => {
        const looked = shot.agent(sense)
        if (looked === undefined) return undefined
        if (Result.isFailure(looked)) {
          return looked.failure._tag === "TargetNotFound" && last !== undefined
            ? over(shot, last.mark)
            : ends.failed(looked.failure, shot)
        }
        const { screen, told } = looked.success
        if (shot.ended !== undefined) return over(shot, screen.mark)
        const numbered = log.number(pane, told)
        last = observation(pane, looked.success, numbered)
        const now = clock.currentTimeMillisUnsafe()
        let due = dueAt(told, now)
        const found = turns.judge({ ...numbered, confidence: told.confidence }, screen, now, (at) => {
          due = Math.min(due ?? at, at)
        })
        alarm.set(due)
        return found === undefined ? undefined : Exit.succeed(new AgentObservation({ ...last, ...found }))
      },
      deadline: { timeout: time, failure: () => ends.timedOut(time) },
      beside: after === undefined && isNative ? undefined : isNative ? alarm.ringing : beside(pane, alarm)
    })
  })

  /** One pane's part of the stream. It ends with its pane. */
  const follow = (
    pane: PaneHandle,
    sense: Sense,
    clock: Clock.Clock,
    emit: (seen: AgentObservation) => void
  ) => {
    const need: Need = { _tag: "Agent", sense }
    const alarm = makeAlarm(clock)
    let last: AgentObservation | undefined
    const told = (seen: AgentObservation) => {
      if (last?.state !== seen.state || last.sequence !== seen.sequence || last.stalled !== seen.stalled) emit(seen)
      last = seen
    }
    /** Not being able to ask for a while is not the end, and says nothing of the agent. */
    const unanswered = (error: TargetError): Exit.Exit<void, AskError> | undefined => {
      if (error._tag === "TargetNotFound") {
        if (last !== undefined) told(exitedAt(pane, last.mark, last))
        return Exit.void
      }
      if (!error.retryable || last === undefined) return Exit.fail(error)
      const { mark, sequence } = last
      told(
        new AgentObservation({
          pane,
          mark,
          sequence,
          state: "unknown",
          source: "none",
          confidence: "guess",
          detail: error.message
        })
      )
      return undefined
    }

    return wait<PaneWaiter, Shot, void, AskError>(watching.pane(pane, sense).hub, {
      count: watching.count,
      waiter: paneWaiter(need),
      see: (shot) => {
        const looked = shot.agent(sense)
        if (looked === undefined) return undefined
        if (Result.isFailure(looked)) return unanswered(looked.failure)
        if (shot.ended === undefined) {
          told(observation(pane, looked.success, log.number(pane, looked.success.told)))
          alarm.set(dueAt(looked.success.told, clock.currentTimeMillisUnsafe()))
          return undefined
        }
        told(exitedAt(pane, looked.success.screen.mark, last))
        return Exit.void
      },
      beside: isNative ? undefined : beside(pane, alarm)
    })
  }

  const agents: Agents["agents"] = (panes) =>
    Stream.unwrap(Effect.gen(function*() {
      const sense = yield* sensed
      yield* tidy
      const clock = yield* Clock.Clock
      const own = panes.filter(targets.isOwn)
      return latest((emit) =>
        Effect.forEach(own, (pane) =>
          follow(pane, sense, clock, (seen) => emit(`${pane.id}\0${pane.incarnation}`, seen)), {
          concurrency: "unbounded",
          discard: true
        })
      )
    }))

  return {
    waitAgent: operations.hot("waitAgent", waitAgent),
    agents: operations.stream("agents", agents),
    note: (pane) =>
      Effect.flatMap(given, (known) =>
        known === undefined ? Effect.void : Effect.map(
          Effect.andThen(tidy, tell(primitives, pane, known.sense, looking.look(pane, { range: "visible" }))),
          (told) => void log.number(pane, told)
        )),
    turnOf: (pane, sequence) => {
      // an adapter that delivers by itself and knows agents gives its own count, or nothing is known of this moment
      if (isNative && primitives.deliver !== undefined) {
        return sequence === undefined
          ? undefined
          : { sequence, by: native }
      }
      const last = log.last(pane)
      return last === undefined ? undefined : { sequence: sequence ?? last.sequence, by: last.by }
    },
    keep
  } satisfies Agents
})
