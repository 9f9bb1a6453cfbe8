/**
 * Panes: made, listed, resized, focused, closed.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Capabilities } from "../Capabilities.ts"
import type { OpenError, Primitives, Service, Size, SpawnRequest } from "../Contract.ts"
import { Handed } from "../internal/handed.ts"
import type { PaneLocks } from "../PaneLocks.ts"
import { InvalidRequest } from "../RuntimeError.ts"
import { Pane, type Window, windowName } from "../Target.ts"
import { unsupported } from "./capabilities.ts"
import { close } from "./closing.ts"
import type { KnownWindows } from "./knownWindows.ts"
import type { Operations } from "./operations.ts"
import { moment } from "./shells.ts"
import type { Targets } from "./targets.ts"
import { afterOpen } from "./windows.ts"

/**
 * The operations on panes that neither type nor look.
 *
 * @internal
 */
export type Panes = Pick<Service, "spawn" | "preparePane" | "listPanes" | "closePane" | "resize" | "focus">

const largest = 5000

const checkSize = (operation: string, { columns, rows }: Size): Effect.Effect<void, InvalidRequest> =>
  [columns, rows].every((side) => Number.isInteger(side) && side >= 1 && side <= largest)
    ? Effect.void
    : Effect.fail(
      new InvalidRequest({ operation, field: "size", reason: `needs whole columns and rows from 1 to ${largest}` })
    )

/**
 * Each asks the adapter once, after the handle was checked.
 *
 * @internal
 */
export const makePanes = ({ capabilities, knownWindows, locks, operations, primitives, targets }: {
  readonly primitives: Primitives
  readonly capabilities: Capabilities
  readonly operations: Operations
  readonly locks: PaneLocks["Service"]
  readonly targets: Targets
  readonly knownWindows: KnownWindows
}): Panes => {
  /** Names become window names, and windows to split become handles of this runtime. */
  const placed = Effect.fnUntraced(
    function*(placement: SpawnRequest["placement"]): Effect.fn.Return<SpawnRequest["placement"], OpenError> {
      if (placement === undefined) return undefined
      if ("window" in placement) return { ...placement, window: windowName(placement.window) }
      if (capabilities.splitPane === "none") return yield* unsupported(primitives, "splitPane")
      const { split } = placement
      return {
        split: typeof split === "string"
          ? (yield* knownWindows.find(split, undefined)).handle
          : yield* targets.own(split)
      }
    }
  )

  /** A pane that nobody is told of any more, because its caller was interrupted meanwhile, is closed. */
  const opened = (request: SpawnRequest) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.tap(
        primitives.open(request),
        ({ handle }) => Effect.onInterrupt(restore(Effect.void), () => Effect.ignore(close(primitives, handle)))
      )
    )

  const spawn = Effect.fnUntraced(function*(request: SpawnRequest) {
    if (request.size !== undefined) yield* checkSize("spawn", request.size)
    const placement = yield* placed(request.placement)
    return yield* opened(placement === undefined ? request : { ...request, placement })
  })

  /** An idle pane; the first one has a moment to become it while its shell is starting. */
  const idleIn = Effect.fnUntraced(function*(window: Window) {
    const inside = Effect.map(
      knownWindows.inventory,
      ({ panes }) => panes.filter((pane) => pane.window.id === window.handle.id)
    )
    const panes = yield* Effect.repeat(inside, {
      schedule: moment,
      while: (found) => !found.some(knownWindows.isIdle) && found.some(knownWindows.isStarting)
    })
    return panes.find(knownWindows.isIdle)
  })

  /** Once there is a pane, it is remembered whatever happens to the caller. */
  const split = Effect.fnUntraced(function*(window: Window) {
    if (capabilities.splitPane === "none") return yield* unsupported(primitives, "splitPane")
    return yield* Effect.uninterruptible(Effect.gen(function*() {
      const cwd = window.root === undefined ? {} : { cwd: window.root }
      const pane = yield* primitives.open({ ...yield* Handed, placement: { split: window.handle }, ...cwd })
      yield* Effect.mapError(knownWindows.remember(pane.handle, { prepared: true }), afterOpen(primitives.runtime))
      return new Pane({ ...pane, prepared: true })
    }))
  })

  const preparePane = Effect.fnUntraced(
    function*(asked: Parameters<Panes["preparePane"]>[0]): Effect.fn.Return<Pane, OpenError> {
      const window = yield* knownWindows.find(asked.window, asked)
      return yield* locks.withLock(`${window.handle}`)(
        Effect.filterOrElse(idleIn(window), Predicate.isNotUndefined, () => split(window))
      )
    }
  )

  const listPanes: Panes["listPanes"] = Effect.fnUntraced(function*(asked) {
    const window = asked?.window
    const session = asked?.session
    if (window !== undefined && typeof window !== "string") yield* targets.own(window)
    const wanted = typeof window === "string" ? yield* knownWindows.session(asked) : session
    const inventory = yield* knownWindows.inventory
    if (window !== undefined) {
      const { handle } = yield* knownWindows.findIn(inventory, window, wanted)
      return inventory.panes.filter((pane) => pane.window.id === handle.id)
    }
    if (session === undefined) return inventory.panes
    const inside = new Set(inventory.windows.flatMap((one) => one.session === session ? [one.handle.id] : []))
    return inventory.panes.filter((pane) =>
      pane.session === undefined ? inside.has(pane.window.id) : pane.session === session
    )
  })

  const resize: Panes["resize"] = Effect.fnUntraced(function*(pane, size) {
    yield* targets.own(pane)
    yield* checkSize("resize", size)
    if (primitives.resize === undefined || capabilities.resize === "none") {
      return yield* unsupported(primitives, "resize")
    }
    yield* primitives.resize(pane, size)
  })

  const focus: Panes["focus"] = Effect.fnUntraced(function*(target) {
    if (typeof target !== "string") yield* targets.own(target)
    if (primitives.focus === undefined || capabilities.focus === "none") return yield* unsupported(primitives, "focus")
    const handle = typeof target === "string" ? (yield* knownWindows.find(target, undefined)).handle : target
    yield* primitives.focus(handle)
  })

  return {
    spawn: operations.rare("spawn")(spawn),
    preparePane: operations.rare("preparePane")(preparePane),
    listPanes: operations.hot("listPanes", listPanes),
    closePane: operations.rare("closePane")((pane) =>
      Effect.flatMap(targets.own(pane), (handle) => close(primitives, handle)).pipe(
        Effect.tap(() => Effect.sync(() => knownWindows.halfTyped.forget(pane)))
      )
    ),
    resize: operations.rare("resize")(resize),
    focus: operations.rare("focus")(focus)
  }
}
