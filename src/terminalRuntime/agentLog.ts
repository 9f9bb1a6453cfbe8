/**
 * What this runtime saw of agents before: it numbers their turns and knows whose work was seen.
 *
 * @since 0.1.0
 */
import type { AgentState } from "../AgentState.ts"
import type { Mark } from "../Screen.ts"
import type { PaneHandle } from "../Target.ts"
import type { AgentSeen } from "./shots.ts"

interface Entry {
  readonly state: AgentState
  readonly sequence: number
  /** Another one counts differently: this runtime, or the backend. */
  readonly by: string
  /** It was seen working since it started. */
  readonly worked: boolean
}

/**
 * One look as it is numbered.
 *
 * @internal
 */
export interface Numbered {
  readonly state: AgentState
  readonly sequence: number
  readonly by: string
}

/**
 * @internal
 */
export interface AgentLog {
  readonly number: (pane: PaneHandle, told: AgentSeen["told"]) => Numbered
  readonly last: (pane: PaneHandle) => Entry | undefined
  readonly forget: (pane: PaneHandle) => void
  /** Forgets all panes but these. */
  readonly keep: (panes: Iterable<PaneHandle>) => void
  /** So many panes are known that it is worth asking which of them exist. */
  readonly crowded: () => boolean
}

/**
 * Counts of the backend itself, which every process reads.
 *
 * @internal
 */
export const native = "native"

const keyOf = ({ id, incarnation }: PaneHandle) => `${id}\0${incarnation}`

const few = 64

/**
 * `counter` names the counts that are made here.
 *
 * @internal
 */
export const makeAgentLog = (counter: string): AgentLog => {
  const entries = new Map<string, Entry>()
  let most = few

  const workedAfter = (state: AgentState, before: Entry | undefined) =>
    state === "working" || (state !== "starting" && state !== "exited" && before?.worked === true)

  /** Idle after work is done, and done without it is idle. */
  const judged = (state: AgentState, worked: boolean): AgentState =>
    state === "idle" || state === "done" ? (worked ? "done" : "idle") : state

  return {
    number: (pane, { state: told, turn }) => {
      const before = entries.get(keyOf(pane))
      const worked = workedAfter(told, before)
      const state = judged(told, worked)
      const by = turn === undefined ? counter : native
      const same = before?.by === by ? before : undefined
      // what is known after not knowing may have been so all the time
      const changed = same !== undefined && state !== "unknown" && same.state !== "unknown" && state !== same.state
      const sequence = turn ?? (same === undefined ? 0 : same.sequence + (changed ? 1 : 0))
      entries.set(keyOf(pane), {
        state: state === "unknown" && same !== undefined ? same.state : state,
        sequence,
        by,
        worked
      })
      return { state, sequence, by }
    },
    last: (pane) => entries.get(keyOf(pane)),
    forget: (pane) => {
      entries.delete(keyOf(pane))
    },
    keep: (panes) => {
      const kept = new Set(Array.from(panes, keyOf))
      for (const key of entries.keys()) if (!kept.has(key)) entries.delete(key)
      most = Math.max(few, 2 * entries.size)
    },
    crowded: () => entries.size > most
  }
}

/**
 * Whether the look is of a later turn than the mark, as its counter tells; undefined: it cannot tell.
 *
 * @internal
 */
export const isLater = ({ by, sequence }: Numbered, turn: NonNullable<Mark["turn"]>): boolean | undefined =>
  turn.by === by ? sequence > turn.sequence : undefined
