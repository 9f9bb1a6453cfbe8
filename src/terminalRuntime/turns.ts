/**
 * Which look at an agent satisfies a wait.
 *
 * A state of before the mark never does. Where the counter of the mark is the counter of the look, a later turn has a
 * greater count. Where it is not, as in another process, the state has to be confirmed on a screen that shows output
 * after the mark other than what was typed there; such a look also proves that idle is done.
 *
 * @since 0.1.0
 */
import type { AgentObservation, AgentState } from "../AgentState.ts"
import * as Screen from "../Screen.ts"
import { isLater, type Numbered } from "./agentLog.ts"

/** Milliseconds that a state which is not certain has to last to count as confirmed. */
const confirmation = 250

/**
 * @internal
 */
export interface Turns {
  /**
   * The state that satisfies the wait and how sure it is, or nothing. `ring` asks for another look at that time.
   */
  readonly judge: (
    seen: Numbered & Pick<AgentObservation, "confidence">,
    screen: Screen.Screen,
    now: number,
    ring: (at: number) => void
  ) => Pick<AgentObservation, "state" | "confidence"> | undefined
}

/** Whether the screen shows anything after the mark but the echo. Rows that were dropped since stood after it too. */
const shows = (screen: Screen.Screen, mark: Screen.Mark): boolean => {
  const { lines, markLost, rewritten = false } = Screen.linesAfter(screen, mark)
  return (!markLost || rewritten) && lines.some(({ text }) => text.trim() !== "")
}

/**
 * @internal
 */
export const makeTurns = (states: ReadonlyArray<AgentState>, after: Screen.Mark | undefined): Turns => {
  let held: { readonly state: AgentState; readonly since: number } | undefined

  const confirmed = (
    { confidence, state }: Pick<AgentObservation, "state" | "confidence">,
    now: number,
    ring: (at: number) => void
  ) => {
    if (held?.state !== state) held = { state, since: now }
    if (confidence === "certain" || now - held.since >= confirmation) return true
    ring(held.since + confirmation)
    return false
  }

  /** The listed state that the look is in: done is idle too. */
  const listed = (state: AgentState): AgentState | undefined => {
    if (states.includes(state)) return state
    return state === "done" && states.includes("idle") ? "idle" : undefined
  }

  return {
    judge: (seen, screen, now, ring) => {
      const { confidence } = seen
      const plain = () => {
        const state = listed(seen.state)
        return state === undefined ? undefined : { state, confidence }
      }
      if (after === undefined) return plain()
      const later = after.turn === undefined ? undefined : isLater(seen, after.turn)
      if (later !== undefined) return later ? plain() : undefined

      const proven = shows(screen, after)
      if (!proven) {
        held = undefined
        return undefined
      }
      const state = listed(seen.state)
      const wanted = state ?? (seen.state === "idle" && states.includes("done") ? "done" : undefined)
      if (wanted === undefined || !confirmed(seen, now, ring)) return undefined
      return state === undefined ? { state: wanted, confidence: "likely" } : { state, confidence }
    }
  }
}
