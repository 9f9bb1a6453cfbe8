/**
 * Hubs: one for each pane that somebody waits on, and one for what exists. They come with their first waiter and go a
 * moment after their last, so that waits which follow each other register once.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { AskError, Inventory, Primitives } from "../Contract.ts"
import type { PaneHandle } from "../Target.ts"
import type { Wakes } from "../Waiting.ts"
import type { Run } from "../waiting/beats.ts"
import { type Hub, makeHub, pause, type Subject, type Waiter } from "../waiting/hub.ts"
import { makeIdle } from "../waiting/idle.ts"
import type { Looking } from "./looking.ts"
import { makeShots, type PaneWaiter, type Sense, type Shot, type Shots } from "./shots.ts"
import { makeViews } from "./views.ts"

/**
 * What exists, with the session that an absent option means if a waiter needs it, or why it could not be asked.
 *
 * @internal
 */
export type Existing = Result.Result<{ readonly known: Inventory; readonly session: string | undefined }, AskError>

/**
 * @internal
 */
export interface ExistingWaiter extends Waiter<Existing> {
  readonly needsSession: boolean
}

/**
 * A pane's hub, and where in the pane a wait for a line begins.
 *
 * @internal
 */
export interface PaneHub {
  readonly hub: Hub<PaneWaiter>
  readonly start: Shots["start"]
}

/** Rows that a look takes in without costing more than it is worth every time. */
const cheap = 200

/** After its runtime nothing can be waited for. */
const over: Hub<Waiter<never>> = {
  enter: (waiter) => waiter.abort(Cause.interrupt()),
  refresh: () => {},
  leave: () => Effect.void,
  isIdle: () => true,
  close: () => Effect.void
}

/**
 * Where waits register.
 *
 * @internal
 */
export interface Watching {
  /**
   * Who enters leaves, or the hub stays. A sense takes its time and may have a defect, so those who wait with one have a
   * hub of their own, and nobody else waits for it.
   */
  readonly pane: (pane: PaneHandle, sense?: Sense) => PaneHub
  readonly existing: () => Hub<ExistingWaiter>
  /** Told of each wait that begins (1) or ends (-1). */
  readonly count: (change: 1 | -1) => void
  /** Told of panes that are gone, once nobody waits on them any more. */
  readonly onGone: (told: (pane: PaneHandle) => void) => void
  /**
   * The bare wake-ups of a pane, until the scope closes; they end when their source is lost. `None`: nothing wakes
   * here, because the adapter cannot or because registering failed.
   */
  readonly subscribe: (
    pane: PaneHandle
  ) => Effect.Effect<Option.Option<Queue.Dequeue<void, Cause.Done>>, never, Scope.Scope>
}

const looksTotal = Metric.counter("paneway_looks_total", {
  description: "Looks of waits at panes and at what exists",
  incremental: true
})
const waitersNow = Metric.gauge("paneway_waiters", { description: "Waits under way" })

/**
 * The scope that is current here holds every look and every registration.
 *
 * @internal
 */
export const makeWatching = Effect.fnUntraced(function*({ inventory, looking, primitives }: {
  readonly primitives: Primitives
  /** Everything that exists, with what is remembered of it. */
  readonly inventory: Effect.Effect<Inventory, AskError>
  readonly looking: Looking
}) {
  const scope = yield* Effect.scope
  const context = yield* Effect.context()
  const clock = yield* Clock.Clock
  const { runtime, session = Effect.undefined, watch, watchAll } = primitives
  const looks = Metric.withAttributes(looksTotal, { runtime })
  const waiters = Metric.withAttributes(waitersNow, { runtime })
  const fork = Effect.runForkWith(context)
  const run: Run = (effect) => Fiber.runIn(fork(effect), scope)
  const countLook = () => looks.updateUnsafe(1, context)
  const countWaiter = (change: 1 | -1) => waiters.modifyUnsafe(change, context)

  const panes = new Map<Sense, Map<string, PaneHub>>()
  let all: Hub<ExistingWaiter> | undefined
  const idle = makeIdle(run, clock)
  const gone = new Set<(pane: PaneHandle) => void>()
  let closed = false

  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      closed = true
      const ofPanes = Array.from(panes.values()).flatMap((hubs) => Array.from(hubs.values(), ({ hub }) => hub))
      const hubs = [...ofPanes, ...(all === undefined ? [] : [all])]
      return Effect.forEach(hubs, (hub) => hub.close(Cause.interrupt()), { discard: true })
    })
  )

  /** `forget` when the last waiter leaves, `remove` a moment later. */
  const hubOf = <W extends Waiter<Seen>, Seen>(
    subject: Omit<Subject<W, Seen>, "onIdle">,
    forget: () => void,
    remove: () => void
  ): Hub<W> => {
    const onIdle = () => {
      forget()
      idle.add(
        hub,
        Effect.suspend(() => {
          remove()
          return hub.close(Cause.interrupt())
        })
      )
    }
    const hub: Hub<W> = makeHub<W, Seen>({ ...subject, onIdle }, run, clock)
    return hub
  }

  const paneHub = (pane: PaneHandle, remove: (made: PaneHub) => void): PaneHub => {
    const { forget, look, needs, passes, settle, start } = makeShots(pane, {
      primitives,
      looking,
      count: countLook,
      onGone: () => {
        for (const told of gone) told(pane)
      }
    })
    const register = watch === undefined ? undefined : (on: Wakes) => watch(pane, on)
    const hub = hubOf<PaneWaiter, Shot>(
      {
        look,
        passes,
        needs,
        settle,
        register,
        pauseAfter: ({ captured }) => pause * Math.max(1, captured / cheap),
        failed: ({ failed }) => failed
      },
      forget,
      () => remove(made)
    )
    const made = { hub, start }
    return made
  }

  const lookAtAll = (due: ReadonlyArray<ExistingWaiter>): Effect.Effect<Existing> => {
    countLook()
    const wanted = due.some(({ needsSession }) => needsSession) ? session : Effect.undefined
    return Effect.result(Effect.flatMap(inventory, (known) => Effect.map(wanted, (session) => ({ known, session }))))
  }
  const existingHub = (): Hub<ExistingWaiter> => {
    const hub = hubOf<ExistingWaiter, Existing>(
      {
        look: lookAtAll,
        passes: () => false,
        needs: () => false,
        pauseAfter: () => pause,
        settle: Effect.succeed(false),
        register: watchAll,
        failed: Result.isFailure
      },
      () => {},
      () => {
        if (all === hub) all = undefined
      }
    )
    return hub
  }

  return {
    pane: (pane, sense) => {
      if (closed) return { hub: over, start: makeViews().start }
      const key = `${pane.id}\0${pane.incarnation}`
      const hubs = panes.get(sense) ?? new Map<string, PaneHub>()
      const known = hubs.get(key)
      if (known !== undefined) return known
      const made = paneHub(pane, (old) => {
        if (hubs.get(key) === old) hubs.delete(key)
        if (hubs.size === 0) panes.delete(sense)
      })
      panes.set(sense, hubs.set(key, made))
      return made
    },

    existing: () => closed ? over : all ??= existingHub(),

    count: countWaiter,

    onGone: (told) => {
      gone.add(told)
    },

    subscribe: Effect.fnUntraced(function*(pane) {
      if (watch === undefined) return Option.none()
      const queue = yield* Queue.sliding<void, Cause.Done>(1)
      const registered = yield* Effect.option(watch(pane, {
        wake: () => {
          Queue.offerUnsafe(queue, undefined)
        },
        lost: () => {
          Queue.endUnsafe(queue)
        }
      }))
      return Option.map(registered, () => queue)
    })
  } satisfies Watching
})
