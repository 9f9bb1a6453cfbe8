/**
 * One hub for all who wait on one thing: a set of waiters, a dirty flag, and one look at a time that all of them share.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import type { Output, Wakes } from "../Waiting.ts"
import { makeBeats, type Run } from "./beats.ts"
import type { PollSchedule, SafetySchedule } from "./schedules.ts"

/**
 * The least milliseconds between looks while changes stream in.
 *
 * @internal
 */
export const pause = 50

/**
 * One who waits.
 *
 * @internal
 */
export interface Waiter<in Seen> {
  readonly poll: typeof PollSchedule.Service
  readonly safety: typeof SafetySchedule.Service
  /** Called with every look that began after it came. True: it waits no more. */
  readonly see: (seen: Seen) => boolean
  /** The look had a defect, or the runtime is closing. */
  readonly abort: (cause: Cause.Cause<never>) => void
}

/**
 * What is looked at, and what wakes.
 *
 * @internal
 */
export interface Subject<W, Seen> {
  /** One look that covers what all of these wait for. `all`: nobody else waits. `woken`: how many changes were noted. */
  readonly look: (due: ReadonlyArray<W>, all: boolean, woken: number) => Effect.Effect<Seen>
  /** Most looks have nothing new for most waiters; true tells so without asking the waiter. */
  readonly passes: (waiter: W, seen: Seen) => boolean
  /** Whether a waiter has to look at output before it is forgotten. False: it takes it for seen. */
  readonly needs: (waiter: W, output: Output) => boolean
  /** Whether it could not be asked: it is polled then until it can. */
  readonly failed: (seen: Seen) => boolean
  /** Milliseconds between this look and the next while changes stream in: {@link pause}, more after a costly look. */
  readonly pauseAfter: (seen: Seen) => number
  /** Asked once changes have come to rest and somebody still waits. True: all look once more. */
  readonly settle: Effect.Effect<boolean>
  /** Registers for wake-ups until the scope closes. Absent: it is polled. */
  readonly register: ((on: Wakes) => Effect.Effect<void, unknown, Scope.Scope>) | undefined
  /** The last waiter left: what was remembered goes. It stays registered until it is closed. */
  readonly onIdle: () => void
}

/**
 * @internal
 */
export interface Hub<W> {
  /** From here on no change is missed; the first look begins after the registration. */
  readonly enter: (waiter: W) => void
  /** A look for this one, at once. */
  readonly refresh: (waiter: W) => void
  /** With the last one goes a look that is under way. */
  readonly leave: (waiter: W) => Effect.Effect<void>
  readonly isIdle: () => boolean
  /** Ends the registration. Who still waits is aborted. */
  readonly close: (cause: Cause.Cause<never>) => Effect.Effect<void>
}

/**
 * `run` starts fibers; `clock` measures pauses.
 *
 * @internal
 */
export const makeHub = <W extends Waiter<Seen>, Seen>(
  { failed, look, needs, onIdle, passes, pauseAfter, register, settle }: Subject<W, Seen>,
  run: Run,
  clock: Clock.Clock
): Hub<W> => {
  const waiters = new Set<W>()
  /** Those of them that no look has served yet. */
  const fresh = new Set<W>()
  let dirty = false
  let woken = 0
  let lastLook = Number.NEGATIVE_INFINITY
  let between = pause
  /** The fiber of the looks, from when it is wanted until no look is due. */
  let looking: Fiber.Fiber<void> | "starting" | undefined
  /** It waits for an answer now. */
  let asking = false
  let timer: Fiber.Fiber<unknown> | undefined
  let watch: Scope.Closeable | undefined
  let registering = false
  let tried = false
  let failing = false
  /** Told after the next look of all: output is held back until then. */
  let held: Array<() => void> = []

  const rest = () => lastLook + between - clock.currentTimeMillisUnsafe()

  /** Notes a change. Called from inside parsers. */
  const wake = () => {
    if (waiters.size === 0) return
    woken += 1
    dirty = true
    soon()
  }
  const release = () => {
    const told = held
    held = []
    for (const looked of told) looked()
  }
  /** As `wake`, but without a pause before the look. */
  const overflow = (output: Output, looked: () => void): boolean => {
    let needed = false
    for (const waiter of waiters) if (needs(waiter, output)) needed = true
    if (!needed) return false
    held.push(looked)
    dirty = true
    lastLook = Number.NEGATIVE_INFINITY
    timer?.interruptUnsafe()
    timer = undefined
    soon()
    return true
  }
  const soon = () => {
    if (looking !== undefined || timer !== undefined) return
    const time = rest()
    if (time <= 0) return begin(Effect.andThen(Effect.yieldNow, looks))
    timer = run(Effect.andThen(
      Effect.sleep(time),
      Effect.sync(() => {
        timer = undefined
        if (waiters.size > 0) begin(looks)
      })
    ))
  }
  const begin = (effect: Effect.Effect<void>) => {
    if (looking !== undefined) return
    looking = "starting"
    const fiber = run(effect)
    // it may have ended already
    if (looking === "starting") looking = fiber
  }

  /** Polls where nothing wakes or nothing answers; else follows the safety schedules. */
  const pace = () => {
    const [slow, other] = watch === undefined || failing ? [polls, safeties] : [safeties, polls]
    other.stop()
    slow.start()
  }
  const lost = (scope: Scope.Closeable) => {
    if (watch !== scope) return
    watch = undefined
    run(Scope.close(scope, Exit.void))
    if (waiters.size === 0) return stop()
    pace()
    wake()
  }
  const registered = (scope: Scope.Closeable) => {
    watch = scope
    pace()
    if (tried) wake()
  }
  const tryToRegister: Effect.Effect<void> = Effect.suspend(() => {
    if (register === undefined || watch !== undefined || registering) return Effect.void
    registering = true
    const scope = Scope.makeUnsafe()
    let lostAtOnce = false
    const on: Wakes = {
      wake,
      overflow,
      lost: () => {
        lostAtOnce = true
        lost(scope)
      }
    }
    return Effect.ignoreCause(Effect.onExit(Scope.provide(Effect.suspend(() => register(on)), scope), (exit) => {
      registering = false
      if (Exit.isFailure(exit) || lostAtOnce || waiters.size === 0) return Scope.close(scope, Exit.void)
      registered(scope)
      return Effect.void
    }))
  })
  const beat = Effect.andThen(tryToRegister, Effect.sync(wake))
  const polls = makeBeats(run, beat, pause)
  const safeties = makeBeats(run, Effect.sync(wake), pause)

  /** True when the waiter is done. A defect of its own ends it alone: the looks go on for the others. */
  const serve = (waiter: W, seen: Seen): boolean => {
    try {
      return !passes(waiter, seen) && waiter.see(seen)
    } catch (defect) {
      waiter.abort(Cause.die(defect))
      return true
    }
  }
  const offer = (due: ReadonlyArray<W>, seen: Seen) => {
    failing = failed(seen)
    between = pauseAfter(seen)
    for (const waiter of due) if (serve(waiter, seen)) forget(waiter)
    if (waiters.size > 0) pace()
  }
  const forget = (waiter: W) => {
    if (!waiters.delete(waiter)) return
    fresh.delete(waiter)
    polls.remove(waiter.poll)
    safeties.remove(waiter.safety)
  }

  /** Looks until nobody is due. Those who came new do not wait for the pause between looks. */
  const looks = Effect.gen(function*() {
    if (!tried) {
      asking = true
      yield* tryToRegister
      asking = false
      tried = true
    }
    while (waiters.size > 0) {
      const all = dirty && rest() <= 0
      const due = all ? [...waiters] : [...fresh]
      fresh.clear()
      if (all) {
        dirty = false
        lastLook = clock.currentTimeMillisUnsafe()
      }
      if (due.length === 0) {
        if (dirty) break
        asking = true
        const settled = yield* Effect.exit(settle)
        asking = false
        if (Exit.isFailure(settled)) { for (const waiter of waiters) waiter.abort(settled.cause) }
        else if (settled.value) { for (const waiter of waiters) fresh.add(waiter) }
        if (fresh.size === 0 && !dirty) break
        continue
      }
      asking = true
      const told = all ? [...held] : []
      const seen = yield* Effect.exit(look(due, all, woken))
      asking = false
      if (Exit.isSuccess(seen)) offer(due, seen.value)
      else for (const waiter of due) waiter.abort(seen.cause)
      held = held.filter((looked) => !told.includes(looked))
      for (const looked of told) looked()
    }
    looking = undefined
    if (dirty && waiters.size > 0) soon()
  })

  const stop = () => {
    dirty = false
    failing = false
    polls.stop()
    safeties.stop()
    timer?.interruptUnsafe()
    timer = undefined
    if (watch === undefined) tried = false
    release()
  }
  /** The answer that is waited for is wanted no more. */
  const idle = Effect.suspend(() => {
    stop()
    onIdle()
    if (!asking || looking === undefined || looking === "starting") return Effect.void
    const answer = looking
    looking = undefined
    asking = false
    return Fiber.interrupt(answer)
  })

  return {
    enter: (waiter) => {
      // the first change that it is told of is looked at without a pause
      lastLook = Number.NEGATIVE_INFINITY
      waiters.add(waiter)
      fresh.add(waiter)
      polls.add(waiter.poll)
      safeties.add(waiter.safety)
      begin(looks)
    },
    refresh: (waiter) => {
      if (!waiters.has(waiter)) return
      fresh.add(waiter)
      begin(looks)
    },
    leave: (waiter) => {
      forget(waiter)
      return waiters.size > 0 ? Effect.void : idle
    },
    isIdle: () => waiters.size === 0,
    close: (cause) =>
      Effect.suspend(() => {
        for (const waiter of waiters) waiter.abort(cause)
        const scope = watch
        watch = undefined
        stop()
        return scope === undefined ? Effect.void : Scope.close(scope, Exit.void)
      })
  }
}
