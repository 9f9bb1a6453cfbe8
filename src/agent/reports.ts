/**
 * What hooks of agents report, and whose report counts, for how long, and against what the screen shows. Pure.
 *
 * @since 0.1.0
 */
import type { AgentReport } from "../AgentState.ts"
import type { Verdict } from "./judge.ts"

/**
 * A report that was taken.
 *
 * @internal
 */
export interface Reported extends Omit<AgentReport, "pane" | "state" | "atMillis"> {
  readonly state: Exclude<AgentReport["state"], "exited">
  readonly at: number
  /** The screen at the first look after it, by its hash. */
  readonly screen: number | undefined
  /** Since when a screen that was drawn later says something else. */
  readonly against: { readonly state: Verdict["state"]; readonly since: number } | undefined
}

/** Milliseconds for which a report counts at most, and for which an idle screen has to contradict it. */
const times = { limit: 600_000, doubt: 2000 } as const

const isOld = ({ at }: Reported, now: number) => now - at >= times.limit

/**
 * What holds after a report, and what became of it. Who reported first is heard alone until it says that it ended, or has
 * not been heard of for as long as a report counts.
 *
 * @internal
 */
export const accept = (
  before: Reported | undefined,
  { atMillis, pane: _, state, ...rest }: AgentReport,
  now: number
): { readonly kept: Reported | undefined; readonly result: "taken" | "late" | "other" } => {
  const at = Math.min(atMillis ?? now, now)
  const owner = before === undefined || isOld(before, now) ? undefined : before
  if (owner !== undefined && owner.session !== rest.session) return { kept: owner, result: "other" }
  const isLate = owner !== undefined && (owner.sequence !== undefined && rest.sequence !== undefined
    ? rest.sequence <= owner.sequence
    : at < owner.at)
  if (isLate || now - at >= times.limit) return { kept: owner, result: "late" }
  return {
    kept: state === "exited" ? undefined : { ...rest, state, at, screen: undefined, against: undefined },
    result: "taken"
  }
}

/**
 * One look, after a report.
 *
 * @internal
 */
export interface Beside {
  /** What the screen says by itself; undefined: no agent is known there. */
  readonly verdict: Verdict["state"] | undefined
  /** A hash of the screen. */
  readonly screen: number
  readonly now: number
  /** For so long the end of another state has to be seen. */
  readonly confirm: number
}

/**
 * Whether the report says more than the screen, what is kept of it, and when that may change by itself.
 *
 * A dialog that is seen goes before every report, and work that is seen before one of rest. Any other state of a screen
 * that was drawn after the report ends it, once that has lasted.
 *
 * @internal
 */
export const weigh = (
  reported: Reported,
  { confirm, now, screen, verdict }: Beside
): { readonly counts: boolean; readonly kept: Reported | undefined; readonly againMillis?: number } => {
  if (isOld(reported, now)) return { counts: false, kept: undefined }
  const rest = reported.at + times.limit - now
  const first = reported.screen === undefined
  const known = first ? { ...reported, screen } : reported
  const contrary = verdict !== undefined && verdict !== "unknown" && verdict !== "starting" && verdict !== known.state
  if (!contrary) return { counts: true, kept: { ...known, against: undefined }, againMillis: rest }
  const counts = verdict !== "blocked" && !(verdict === "working" && known.state === "idle")
  if (known.screen === screen && known.against === undefined) return { counts, kept: known, againMillis: rest }
  const against = known.against?.state === verdict ? known.against : { state: verdict, since: now }
  const left = against.since + (verdict === "idle" ? Math.max(confirm, times.doubt) : confirm) - now
  return left <= 0
    ? { counts: false, kept: undefined }
    : { counts, kept: { ...known, against }, againMillis: Math.min(left, rest) }
}
