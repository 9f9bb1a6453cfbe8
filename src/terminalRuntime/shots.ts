/**
 * One look at a pane that covers what all its waiters wait for, in as few captures as there can be.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { AgentSense, Sensed } from "../AgentState.ts"
import type { AskError, Primitives, TargetError } from "../Contract.ts"
import { TargetNotFound } from "../RuntimeError.ts"
import type * as Screen from "../Screen.ts"
import type { Exit, Pane, PaneHandle } from "../Target.ts"
import type { Output } from "../Waiting.ts"
import type { Waiter } from "../waiting/hub.ts"
import type { Looking } from "./looking.ts"
import { countOf, type LinesNeed, makeViews, type Place, type View } from "./views.ts"

/**
 * Reads an agent's state from a screen; undefined where the adapter knows it itself.
 *
 * @internal
 */
export type Sense = typeof AgentSense.Service | undefined

/**
 * What a waiter has to see: logical lines of the screen, of all that is held, or from a counted row on; the rows of the
 * screen as they stand; or the agent.
 *
 * @internal
 */
export type Need =
  | LinesNeed
  | { readonly _tag: "Rows" }
  | { readonly _tag: "Agent"; readonly sense: Sense }

/**
 * One who waits for something in a pane. What it has to see can change from look to look.
 *
 * @internal
 */
export interface PaneWaiter extends Waiter<Shot> {
  need: Need
  /** Where it waits for a line. */
  place: Place | undefined
  /** The look whose lines of that place it has tested; -1: none. */
  tested: number
  /** Text that the line has to hold. */
  readonly text: string | undefined
  /** Whether one of these lines is what it waits for. */
  readonly isIn: (lines: string) => boolean
  /** The row where what it has seen ends, in the epoch that it was counted in. */
  seen: Pick<Screen.Position, "row" | "epoch">
  /** Rows that it never saw were forgotten. */
  missed: boolean
}

const unseen: PaneWaiter["seen"] = { row: Number.POSITIVE_INFINITY, epoch: "" }

/**
 * All waiters of panes have one shape, because many are gone through at each look.
 *
 * @internal
 */
export const paneWaiter = (
  need: Need,
  { isIn, place, text }: {
    readonly place?: Place
    readonly text?: string | undefined
    readonly isIn?: PaneWaiter["isIn"]
  } = {}
) =>
({ abort, poll, safety, see }: Waiter<Shot>): PaneWaiter => ({
  poll,
  safety,
  see,
  abort,
  need,
  place,
  tested: -1,
  text,
  isIn: isIn ?? (() => false),
  seen: place?.mark?.at ?? unseen,
  missed: false
})

/**
 * An agent at one look. `turn` is the backend's own count.
 *
 * @internal
 */
export interface AgentSeen {
  readonly told: Sensed & { readonly turn?: number | undefined }
  readonly screen: Screen.Screen
}

type Looked<A> = Result.Result<A, TargetError>
type LookedScreen = Looked<Screen.Screen>

/**
 * What one look saw. A part is undefined when no waiter of the look needed it.
 *
 * @internal
 */
export interface Shot {
  readonly number: number
  /** Changes that were noted before it. Of several since another look, what some of them showed was not seen. */
  readonly woken: number
  /** The pane's process had ended before this look, or the pane was gone. */
  readonly ended: { readonly exit?: Exit } | undefined
  /** How many rows were captured. */
  readonly captured: number
  /** A part of it could not be asked. */
  readonly failed: boolean
  /** The rows of the screen as they stand. */
  readonly rows: LookedScreen | undefined
  readonly agent: (sense: Sense) => Looked<AgentSeen> | undefined
  /** What it showed of a place. Undefined: no waiter of the look waited there. */
  readonly view: (place: Place) => Looked<View> | undefined
}

/**
 * A pane as its hub looks at it.
 *
 * @internal
 */
export interface Shots {
  readonly look: (due: ReadonlyArray<PaneWaiter>, all: boolean, woken: number) => Effect.Effect<Shot>
  readonly passes: (waiter: PaneWaiter, shot: Shot) => boolean
  readonly needs: (waiter: PaneWaiter, output: Output) => boolean
  /** True once: the pane's end became known. */
  readonly settle: Effect.Effect<boolean>
  /** Where a wait for a line begins. */
  readonly start: (after: Screen.Mark | undefined) => Place
  /** Forgets what was seen. */
  readonly forget: () => void
}

const unknown: Sensed = { state: "unknown", source: "none", confidence: "guess" }

/**
 * The record of a pane; undefined when the pane is gone.
 *
 * @internal
 */
export const recordOf = (primitives: Primitives, pane: PaneHandle): Effect.Effect<Pane | undefined, AskError> => {
  const same = ({ handle }: Pane) => handle.id === pane.id && handle.incarnation === pane.incarnation
  return primitives.find === undefined
    ? Effect.map(primitives.inventory, ({ panes }) => panes.find(same))
    : Effect.map(
      primitives.find(pane.id),
      (found) => found._tag === "Some" && same(found.value) ? found.value : undefined
    )
}

/**
 * What the adapter or the sense says of the agent in a pane. A sense is given the screen, an adapter is not.
 *
 * @internal
 */
export const tell = (
  primitives: Primitives,
  pane: PaneHandle,
  sense: Sense,
  screen: Effect.Effect<Screen.Screen, TargetError>
): Effect.Effect<AgentSeen["told"], TargetError> => {
  if (primitives.agent !== undefined) return primitives.agent(pane)
  if (sense === undefined) return Effect.succeed(unknown)
  return Effect.gen(function*() {
    const shown = yield* screen
    const record = yield* recordOf(primitives, pane)
    if (record === undefined) return yield* new TargetNotFound({ target: pane, reason: "absent" })
    const sensed = yield* sense(record, shown)
    return sensed._tag === "Some" ? sensed.value : unknown
  })
}

const isFailure = (looked: Looked<unknown> | undefined): boolean => looked !== undefined && Result.isFailure(looked)

/**
 * Notes what a waiter has seen, and whether rows had been forgotten before.
 *
 * @internal
 */
export const note = (waiter: PaneWaiter, screen: Screen.Screen): void => {
  const { alternate, cursor, mark, origin, rows } = screen
  const epoch = countOf(screen)
  if (origin === undefined || epoch === undefined || alternate === true) return
  const { seen } = waiter
  if (seen.row < origin && (seen.epoch === epoch || seen.epoch === mark.at?.epoch)) waiter.missed = true
  waiter.seen = { row: Math.max(origin + rows.length, cursor?.row ?? 0), epoch }
}

/** Only who waits for a line needs more than the screen. */
const needs = (waiter: PaneWaiter, { row, text }: Output): boolean => {
  if (waiter.place === undefined) return false
  if (text === undefined || waiter.isIn(text)) return true
  waiter.seen = { ...waiter.seen, row: Math.max(waiter.seen.row, row) }
  return false
}

/** Nothing changed at its place, or nothing that holds its text. */
const passes = (waiter: PaneWaiter, shot: Shot): boolean => {
  const { place, tested, text } = waiter
  if (text === undefined || place === undefined || shot.ended !== undefined) return false
  const looked = shot.view(place)
  if (looked === undefined || Result.isFailure(looked)) return false
  const view = looked.success
  if (tested === -1 || view.before !== tested || view.next !== place || view.changed().includes(text)) return false
  note(waiter, view.screen)
  waiter.tested = view.shot
  return true
}

/**
 * `count` is told of each capture, `onGone` that the pane is gone, once nobody waits on it any more.
 *
 * @internal
 */
export const makeShots = (
  pane: PaneHandle,
  { count, looking, onGone, primitives }: {
    readonly primitives: Primitives
    readonly looking: Looking
    readonly count: () => void
    readonly onGone: () => void
  }
): Shots => {
  const views = makeViews()
  let number = 0
  let ended: Shot["ended"]
  let gone = false
  let captured = 0

  const capture = (range: Parameters<Looking["look"]>[1]["range"], join: boolean) =>
    Effect.suspend(() => {
      count()
      return Effect.map(Effect.result(looking.look(pane, { range, join })), (looked) => {
        if (Result.isSuccess(looked)) captured += looked.success.rows.length
        else if (looked.failure._tag === "TargetNotFound") gone = true
        return looked
      })
    })

  const agentOn = (sense: Sense, screen: LookedScreen): Effect.Effect<Looked<AgentSeen>> =>
    Effect.result(
      Effect.flatMap(Effect.fromResult(screen), (screen) =>
        Effect.map(tell(primitives, pane, sense, Effect.succeed(screen)), (told): AgentSeen => ({ told, screen })))
    )

  /** What all of them have to see. */
  const needsOf = (due: ReadonlyArray<PaneWaiter>) => {
    const needs = { visible: false, everything: false, rows: false, from: new Set<number>(), senses: new Set<Sense>() }
    let last: Need | undefined
    for (const { need } of due) {
      // most wait for the same
      if (need === last) continue
      last = need
      if (need._tag === "Visible") needs.visible = true
      else if (need._tag === "From") needs.from.add(need.row)
      else if (need._tag === "Everything") needs.everything = true
      else {
        needs.rows = true
        if (need._tag === "Agent") needs.senses.add(need.sense)
      }
    }
    return needs
  }

  /** One capture from the first row on, if the others can be found in it. */
  const captureFrom = Effect.fnUntraced(function*(rows: ReadonlySet<number>, everything: LookedScreen | undefined) {
    const first = Math.min(...rows)
    const covers = everything !== undefined && Result.isSuccess(everything) && !everything.success.joined
    const lowest = covers ? everything : yield* capture({ from: first }, true)
    const captures = new Map<number, LookedScreen>()
    for (const row of rows) {
      // a row is not found again among joined ones, unless it is the first
      const own = row !== first && Result.isSuccess(lowest) && lowest.success.joined
      captures.set(row, own ? yield* capture({ from: row }, true) : lowest)
    }
    return captures
  })

  const settle = Effect.suspend(() =>
    ended === undefined
      ? Effect.match(recordOf(primitives, pane), {
        onFailure: () => false,
        onSuccess: (record) => {
          if (record?.rows !== undefined) views.height(record.rows)
          if (record !== undefined && record.exit === undefined) return false
          gone = record === undefined
          ended = record?.exit === undefined ? {} : { exit: record.exit }
          return true
        }
      })
      : Effect.succeed(false)
  )

  const look = Effect.fnUntraced(function*(due: ReadonlyArray<PaneWaiter>, all: boolean, woken: number) {
    const needs = needsOf(due)
    const shot = ++number
    captured = 0
    // what is said of the agent of a process that has ended is not so any more
    if (needs.senses.size > 0) yield* settle
    const endedBefore = ended

    const visible = needs.visible ? yield* capture("visible", true) : undefined
    const everything = needs.everything ? yield* capture("full", true) : undefined
    const from = needs.from.size === 0 ? undefined : yield* captureFrom(needs.from, everything)
    const screen = needs.rows ? yield* capture("visible", false) : undefined
    const agents = new Map<Sense, Looked<AgentSeen>>()
    for (const sense of needs.senses) if (screen !== undefined) agents.set(sense, yield* agentOn(sense, screen))
    if (all) views.prune(shot)

    const seen: Shot = {
      number: shot,
      woken,
      ended: endedBefore,
      captured,
      failed: [visible, everything, screen, ...from?.values() ?? [], ...agents.values()].some(isFailure),
      rows: screen,
      agent: (sense) => agents.get(sense),
      view: (place) => {
        const { latest, need } = place
        if (latest?.shot === shot) return latest.view
        const looked = need._tag === "Visible" ? visible : need._tag === "From" ? from?.get(need.row) : everything
        return looked === undefined ? undefined : views.at(shot, place, looked)
      }
    }
    return seen
  })

  return {
    look,
    passes,
    needs,
    settle,
    start: views.start,
    forget: () => {
      views.forget()
      ended = undefined
      if (gone) onGone()
      gone = false
    }
  }
}
