/**
 * What exists, as events: everything once, then each change.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { AskError, Inventory, Primitives } from "../Contract.ts"
import type { RuntimeEvent } from "../Lifecycle.ts"
import type { Handle, Pane, Window } from "../Target.ts"
import { latest } from "../waiting/latest.ts"
import { wait } from "../waiting/wait.ts"
import type { Existing, ExistingWaiter, Watching } from "./watching.ts"

interface Known {
  readonly windows: ReadonlyMap<string, Window>
  readonly panes: ReadonlyMap<string, Pane>
  /** The last question was answered. */
  readonly answered: boolean
}

const nothing: Known = { windows: new Map(), panes: new Map(), answered: true }

const byHandle = <A extends { readonly handle: Handle }>(all: ReadonlyArray<A>): ReadonlyMap<string, A> =>
  new Map(all.map((one) => [`${one.handle.id}\0${one.handle.incarnation}`, one]))

/** Windows come before their panes and go after them. */
const changes = (before: Known, now: Known): ReadonlyArray<RuntimeEvent> => {
  const events: Array<RuntimeEvent> = []
  for (const [key, window] of now.windows) {
    if (!before.windows.has(key)) events.push({ _tag: "WindowOpened", window })
  }
  for (const [key, pane] of now.panes) {
    const known = before.panes.get(key)
    if (known === undefined) events.push({ _tag: "PaneOpened", pane })
    if (pane.exit !== undefined && known?.exit === undefined) events.push({ _tag: "PaneExited", pane })
  }
  for (const [key, { handle }] of before.panes) {
    if (!now.panes.has(key)) events.push({ _tag: "PaneClosed", pane: handle })
  }
  for (const [key, { handle }] of before.windows) {
    if (!now.windows.has(key)) events.push({ _tag: "WindowClosed", window: handle })
  }
  return events
}

/** What a look adds. One that failed says nothing of what exists; where the adapter tells no health, it is told here. */
const step =
  (tellsHealth: boolean) => (before: Known, seen: Existing): readonly [Known, ReadonlyArray<RuntimeEvent>] => {
    const health = (state: "ok" | "lost", detail: string): ReadonlyArray<RuntimeEvent> =>
      tellsHealth ? [{ _tag: "Health", state, detail }] : []
    if (Result.isFailure(seen)) {
      const { message } = seen.failure
      return [{ ...before, answered: false }, before.answered ? health("lost", message) : []]
    }
    const { panes, windows } = seen.success.known
    const now: Known = { windows: byHandle(windows), panes: byHandle(panes), answered: true }
    return [now, [...(before.answered ? [] : health("ok", "it answers again")), ...changes(before, now)]]
  }

/**
 * The stream fails when it cannot say what exists in the first place; later it goes on by polling until the runtime
 * answers again. A reader that falls behind sees the sum of the changes.
 *
 * @internal
 */
export const makeEvents = ({ keep, primitives, watching }: {
  readonly primitives: Primitives
  readonly watching: Watching
  readonly keep: (inventory: Inventory) => void
}): Stream.Stream<RuntimeEvent, AskError> => {
  const { health } = primitives
  const looks = latest<Existing, AskError>((emit) =>
    Effect.suspend(() => {
      let first = true
      return wait<ExistingWaiter, Existing, void, AskError>(watching.existing(), {
        count: watching.count,
        waiter: (waiter) => ({ ...waiter, needsSession: false }),
        see: (seen) => {
          if (Result.isFailure(seen) && (first || !seen.failure.retryable)) return Exit.fail(seen.failure)
          first = false
          if (Result.isSuccess(seen)) keep(seen.success.known)
          emit("existing", seen)
          return undefined
        }
      })
    })
  )
  const existing = Stream.mapAccum(looks, () => nothing, step(health === undefined))
  return health === undefined ? existing : Stream.merge(existing, health, { haltStrategy: "left" })
}
