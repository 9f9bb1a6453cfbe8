/** One timer for all that waits: while anything does, it is looked at now and then. */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"

interface Deadline {
  /** Something began to wait. */
  readonly watch: () => void
  readonly stop: () => void
}

export interface Waiting {
  /** In milliseconds. */
  readonly since: number
  /** Milliseconds that it may wait. */
  readonly most: number
}

/**
 * `passed` is called for what waited longer than it may, up to two `every` later: what came while this process was busy
 * is read before.
 */
export const make = Effect.fnUntraced(function*<A extends Waiting>({ every, now, passed, waiting }: {
  readonly every: number
  readonly now: () => number
  readonly waiting: () => Iterable<A>
  readonly passed: (one: A) => void
}) {
  const fork = Effect.runForkWith(yield* Effect.context())
  const state: { timer: Fiber.Fiber<void> | undefined; stopped: boolean; late: ReadonlySet<A> } = {
    timer: undefined,
    stopped: false,
    late: new Set()
  }

  const look = () => {
    state.timer = undefined
    const at = now()
    const all = Array.from(waiting())
    const late = all.filter(({ most, since }) => at - since >= most)
    for (const one of late) if (state.late.has(one)) passed(one)
    state.late = new Set(late)
    if (all.length > 0) watch()
  }

  const watch = () => {
    if (state.timer !== undefined || state.stopped) return
    state.timer = fork(Effect.andThen(Effect.sleep(every), Effect.sync(look)))
  }

  const made: Deadline = {
    watch,
    stop: () => {
      state.stopped = true
      state.timer?.interruptUnsafe()
    }
  }
  return made
})
