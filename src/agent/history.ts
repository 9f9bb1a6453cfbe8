/**
 * From what single screens say to what is so: over time, by what was seen before. Pure; time is given.
 *
 * @since 0.1.0
 */
import type { Sensed } from "../AgentState.ts"
import type { Verdict } from "./judge.ts"
import type { AgentProfile } from "./profile.ts"
import { resetAt } from "./reset.ts"

type State = Verdict["state"]

/**
 * What is kept of one pane's agent.
 *
 * @internal
 */
export interface Memory {
  readonly agent: string
  readonly state: State
  /** What the state was told by. */
  readonly verdict: Verdict
  /** Another state that was seen: at first, and since when nothing of it has changed. */
  readonly held: { readonly state: State; readonly first: number; readonly since: number } | undefined
  /** When it was first seen. */
  readonly first: number
  /** It has shown that it is there: a composer, a dialog, work. */
  readonly shown: boolean
  readonly screen: number
  readonly transcript: number
  readonly changedAt: number
  readonly limit: { readonly text: string; readonly at: number | undefined } | undefined
}

/**
 * One look.
 *
 * @internal
 */
export interface Look {
  readonly profile: AgentProfile
  readonly verdict: Verdict
  /** A hash of the screen. */
  readonly screen: number
  /** A hash of it without the rows at its end, where a composer and a status stand. */
  readonly transcript: number
  readonly now: number
  /** Nothing was written for so long, where that is known. */
  readonly quiet: number | undefined
  /** The program is known to run, not only told by the screen. */
  readonly running: boolean
}

const defaults = { confirm: 300, stall: 300_000, start: 30_000 }

/** Milliseconds after which a row that changes at the end of a screen is taken for a decoration. */
const decoration = 10_000

/** An answer that is still written, though nothing says so, is no end. */
const isWritten = ({ held, screen, transcript }: Memory, look: Look): boolean =>
  look.verdict.state === "idle" && held !== undefined &&
  (look.transcript !== transcript || (look.screen !== screen && look.now - held.first < decoration))

/**
 * Milliseconds for which the end of a state has to be seen.
 *
 * @internal
 */
export const confirmMillis = ({ timing }: AgentProfile): number => timing?.confirmMillis ?? defaults.confirm

/** The state that holds after the look, and what it is still waiting for. */
const settled = (
  memory: Memory | undefined,
  look: Look
): { readonly state: State; readonly held: Memory["held"]; readonly again?: number } => {
  const { now, profile, quiet, running, verdict: { state } } = look
  const confirm = confirmMillis(profile)
  const before = memory?.state
  if (state === "working" || state === "blocked" || state === "starting") return { state, held: undefined }
  if (state === "unknown" && memory?.shown !== true && running) {
    const left = (memory?.first ?? now) + (profile.timing?.startMillis ?? defaults.start) - now
    return left > 0 ? { state: "starting", held: undefined, again: left } : { state, held: undefined }
  }
  if (state === before) return { state, held: undefined }
  // idle needs no work before it to be doubted, not knowing only where something was known
  if (state === "unknown" && before !== "working" && before !== "blocked") return { state, held: undefined }
  const held = memory?.held?.state === state ? memory.held : undefined
  const since = held === undefined
    ? now - Math.min(quiet ?? 0, confirm)
    : memory !== undefined && isWritten(memory, look)
    ? now
    : held.since
  const left = since + confirm - now
  return left <= 0
    ? { state, held: undefined }
    : { state: before ?? "unknown", held: { state, first: held?.first ?? now, since }, again: left }
}

const limitOf = (memory: Memory | undefined, { now, verdict: { limit } }: Look): Memory["limit"] => {
  if (limit === undefined) return undefined
  // a time of day is of the day when it was first seen
  return memory?.limit?.text === limit ? memory.limit : { text: limit, at: resetAt(limit, now) }
}

const least = (...times: ReadonlyArray<number | undefined>): number | undefined => {
  const known = times.filter((time) => time !== undefined)
  return known.length === 0 ? undefined : Math.max(1, Math.min(...known))
}

/**
 * What is known after a look, and what is told.
 *
 * @internal
 */
export const next = (
  before: Memory | undefined,
  look: Look
): { readonly memory: Memory; readonly told: Sensed } => {
  const memory = before?.agent === look.profile.name ? before : undefined
  const { now, profile, screen, transcript, verdict } = look
  const { again, held, state } = settled(memory, look)
  const changedAt = memory === undefined || memory.screen !== screen || memory.state !== "working"
    ? now
    : memory.changedAt
  const limit = limitOf(memory, look)
  const told = held === undefined || memory === undefined ? verdict : memory.verdict
  const stall = changedAt + (profile.timing?.stallMillis ?? defaults.stall) - now
  const stalled = state === "working" && stall <= 0
  const due = least(again, state === "working" && !stalled ? stall : undefined)
  const { agent, choice, confidence, excerpt, interrupted, kind, region, rule, version } = told
  const unconfirmed = held !== undefined && memory === undefined

  return {
    memory: {
      agent: profile.name,
      state,
      verdict: told,
      held,
      first: memory?.first ?? now,
      shown: memory?.shown === true || verdict.state === "idle" || verdict.state === "working" ||
        verdict.state === "blocked",
      screen,
      transcript,
      changedAt,
      limit
    },
    told: {
      state,
      source: state === "starting" && verdict.state === "unknown" ? "process" : "screen",
      confidence: state === "unknown" ? "guess" : state === "starting" ? "likely" : confidence,
      agent,
      evidence: { rule, region, excerpt, version },
      ...(unconfirmed ? { detail: `${verdict.state} was seen just now and is not confirmed yet` } : {}),
      ...(state === "blocked" && kind !== undefined ? { kind } : {}),
      ...(state === "blocked" && choice !== undefined
        ? { choice, detail: `the cursor is on: ${choice.options[choice.at] ?? ""}` }
        : {}),
      ...(state === "blocked" && limit?.at !== undefined ? { resetAtMillis: limit.at } : {}),
      ...(state === "idle" && interrupted === true ? { interrupted } : {}),
      ...(stalled ? { stalled } : {}),
      ...(due === undefined ? {} : { againMillis: due })
    }
  }
}
