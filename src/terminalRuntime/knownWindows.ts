/**
 * Windows by name or handle within their session, and what is remembered of windows and panes.
 *
 * A window is identified by its session and its name. What is remembered is kept on the target itself where the adapter
 * has a place for it, so that other processes find it, and here for as long as the runtime lives.
 *
 * @since 0.1.0
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { AskError, Facts, InSession, Inventory, Primitives, TargetError } from "../Contract.ts"
import { TargetNotFound } from "../RuntimeError.ts"
import { type Handle, Pane, type PaneHandle, Window, type WindowHandle, type WindowRef } from "../Target.ts"
import { type HalfTyped, makeHalfTyped } from "./halfTyped.ts"
import { isReplaced } from "./shells.ts"
import type { Targets } from "./targets.ts"

/**
 * Windows with what is remembered of them.
 *
 * @internal
 */
export interface KnownWindows {
  /** The session that the option means: itself, else the one that the adapter resolves, else any. */
  readonly session: (asked: InSession | undefined) => Effect.Effect<string | undefined, AskError>
  /** Everything that exists, with what is remembered of it. */
  readonly inventory: Effect.Effect<Inventory, AskError>
  /** Fails with `absent` or `reissued`, with `foreign`, and with `ambiguous` for a name that several windows have. */
  readonly find: (ref: WindowRef, asked: InSession | undefined) => Effect.Effect<Window, TargetNotFound | AskError>
  /** Like `find`, in what was asked before. */
  readonly findIn: (
    inventory: Inventory,
    ref: WindowRef,
    session: string | undefined
  ) => Effect.Effect<Window, TargetNotFound>
  /** Remembers facts here, and on the target itself where the adapter has a place for them. */
  readonly remember: (target: Handle, facts: Facts) => Effect.Effect<void, TargetError>
  /** Lines that wait for their end. */
  readonly halfTyped: HalfTyped
  /** Something is typed into the pane from now on, until it was `used`. */
  readonly uses: (pane: PaneHandle) => void
  /** Something was typed into the pane just now. */
  readonly used: (pane: PaneHandle) => void
  /**
   * A pane that was made to be given out and whose shell waits at its prompt, with nothing typed there. Where the
   * adapter cannot tell that, only a pane that this runtime prepared and never typed into.
   */
  readonly isIdle: (pane: Pane) => boolean
  /**
   * Whether it was made as such a pane, and a moment tells whether its shell comes to its prompt, or leaves it. One that
   * was never typed into here may show the program that is about to become its shell, or what its start-up files run.
   */
  readonly isStarting: (pane: Pane) => boolean
  /** Something is typed there now, or was so lately that its shell may yet start a command. */
  readonly isTaking: (pane: Pane) => boolean
  /** What was typed there has ended. */
  readonly rests: (pane: PaneHandle) => void
}

/** Milliseconds in which a shell reads a line that was typed, and starts its command. */
const takes = 300

/** Milliseconds in which a pane that was never typed into may show what becomes its shell, or what its shell starts with. */
const starts = 10_000

/** Targets that are remembered at the same time; the oldest are forgotten. */
const most = 4096

/**
 * Nothing here is lost by a lost answer: what is remembered here comes first.
 *
 * @internal
 */
export const makeKnownWindows = (primitives: Primitives, targets: Targets, clock: Clock.Clock): KnownWindows => {
  const remembered = new Map<string, Facts>()
  /** Into which something is typed now. */
  const using = new Set<string>()
  /** When something was typed last, in milliseconds. */
  const usedAt = new Map<string, number>()
  /** Prepared here, and not typed into since: when, in milliseconds. */
  const untouched = new Map<string, number>()

  const forgetOldest = (known: Map<string, unknown>) => {
    const [oldest] = known.keys()
    if (known.size > most && oldest !== undefined) known.delete(oldest)
  }

  /** What the target itself says wins, because other processes see that. */
  const withFacts = (window: Window) => {
    const facts = remembered.get(`${window.handle}`)
    if (facts === undefined) return window
    const root = window.root ?? facts.root
    const preset = window.preset ?? facts.preset
    return new Window({
      ...window,
      ...(root === undefined ? {} : { root }),
      ...(preset === undefined ? {} : { preset })
    })
  }
  const withPrepared = (pane: Pane) =>
    pane.prepared === undefined && remembered.get(`${pane.handle}`)?.prepared === true
      ? new Pane({ ...pane, prepared: true })
      : pane

  const halfTyped = makeHalfTyped()

  const inventory = Effect.map(primitives.inventory, ({ panes, sessions, windows }): Inventory => {
    halfTyped.keep(panes)
    return remembered.size === 0
      ? { panes, sessions, windows }
      : { sessions, windows: windows.map(withFacts), panes: panes.map(withPrepared) }
  })

  const session: KnownWindows["session"] = (asked) => {
    if (asked?.session !== undefined && asked.session !== "") return Effect.succeed(asked.session)
    return primitives.session ?? Effect.undefined
  }

  const byHandle = Effect.fnUntraced(function*({ windows }: Inventory, ref: WindowHandle) {
    yield* targets.own(ref)
    const same = windows.filter(({ handle }) => handle.id === ref.id)
    const hit = same.find(({ handle }) => handle.incarnation === ref.incarnation)
    if (hit !== undefined) return hit
    return yield* new TargetNotFound({ target: ref, reason: same.length === 0 ? "absent" : "reissued" })
  })

  const findIn: KnownWindows["findIn"] = Effect.fnUntraced(function*(inventory, ref, session) {
    if (typeof ref !== "string") return yield* byHandle(inventory, ref)
    const hits = inventory.windows.filter((window) =>
      window.name === ref && (session === undefined || window.session === undefined || window.session === session)
    )
    // of several the one that was made here; the others took its name by hand
    const made = hits.filter(({ root }) => root !== undefined)
    const [first, ...more] = made.length === 1 ? made : hits
    if (first === undefined) return yield* new TargetNotFound({ target: ref, reason: "absent" })
    if (more.length === 0) return first
    const candidates = hits.map(({ handle }) => `${handle}`)
    return yield* new TargetNotFound({ target: ref, reason: "ambiguous", candidates })
  })

  const find: KnownWindows["find"] = Effect.fnUntraced(function*(ref, asked) {
    const wanted = typeof ref === "string" ? yield* session(asked) : undefined
    if (typeof ref !== "string") yield* targets.own(ref)
    return yield* findIn(yield* inventory, ref, wanted)
  })

  const remember: KnownWindows["remember"] = (target, facts) =>
    Effect.suspend(() => {
      const key = `${target}`
      remembered.set(key, { ...remembered.get(key), ...facts })
      forgetOldest(remembered)
      if (facts.prepared === true) {
        untouched.set(key, clock.currentTimeMillisUnsafe())
        forgetOldest(untouched)
      }
      return primitives.remember?.(target, facts) ?? Effect.void
    })

  const isFree = (pane: Pane): boolean =>
    pane.prepared === true && pane.exit === undefined && !halfTyped.has(pane.handle) && !isReplaced(pane) &&
    (pane.atShell ?? untouched.has(`${pane.handle}`))
  const isTaking = ({ atShell, handle }: Pane): boolean => {
    if (atShell !== true || halfTyped.has(handle)) return false
    if (using.has(`${handle}`)) return true
    const at = usedAt.get(`${handle}`)
    return at !== undefined && clock.currentTimeMillisUnsafe() - at < takes
  }

  const isYoung = (pane: PaneHandle) => {
    const at = untouched.get(`${pane}`)
    return at !== undefined && clock.currentTimeMillisUnsafe() - at < starts
  }

  return {
    session,
    inventory,
    find,
    findIn,
    remember,
    halfTyped,
    uses: (pane) => {
      using.add(`${pane}`)
      if (untouched.size > 0) untouched.delete(`${pane}`)
    },
    used: (pane) => {
      const key = `${pane}`
      using.delete(key)
      usedAt.delete(key)
      usedAt.set(key, clock.currentTimeMillisUnsafe())
      forgetOldest(usedAt)
    },
    isIdle: (pane) => isFree(pane) && !isTaking(pane),
    isStarting: (pane) =>
      (pane.exit === undefined && (pane.atShell === false || isReplaced(pane)) && isYoung(pane.handle)) ||
      (isFree(pane) && isTaking(pane)),
    isTaking,
    rests: (pane) => {
      usedAt.delete(`${pane}`)
    }
  }
}
