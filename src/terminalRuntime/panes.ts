/**
 * Panes: made, listed, resized, focused, closed.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { Primitives, Service } from "../Contract.ts"
import { unsupported } from "./capabilities.ts"
import { close } from "./closing.ts"
import type { KnownWindows } from "./knownWindows.ts"
import type { Operations } from "./operations.ts"
import type { Targets } from "./targets.ts"

/**
 * The operations on panes that neither type nor look.
 *
 * @internal
 */
export type Panes = Pick<Service, "spawn" | "preparePane" | "listPanes" | "closePane" | "resize" | "focus">

/**
 * Each asks the adapter once, after the handle was checked.
 *
 * @internal
 */
export const makePanes = ({ knownWindows, operations, primitives, targets }: {
  readonly primitives: Primitives
  readonly operations: Operations
  readonly targets: Targets
  readonly knownWindows: KnownWindows
}): Panes => {
  const preparePane: Panes["preparePane"] = Effect.fnUntraced(function*({ window }) {
    const { handle } = yield* knownWindows.find(window)
    return yield* primitives.open({ placement: { split: handle } })
  })

  const listPanes: Panes["listPanes"] = Effect.fnUntraced(function*(asked) {
    const { panes } = yield* primitives.inventory
    if (asked?.window === undefined) return panes
    const { handle } = yield* knownWindows.find(asked.window)
    return panes.filter((pane) => pane.window.id === handle.id)
  })

  const resize: Panes["resize"] = Effect.fnUntraced(function*(pane, size) {
    yield* targets.own(pane)
    if (primitives.resize === undefined) return yield* unsupported(primitives, "resize")
    yield* primitives.resize(pane, size)
  })

  const focus: Panes["focus"] = Effect.fnUntraced(function*(target) {
    if (primitives.focus === undefined) return yield* unsupported(primitives, "focus")
    const handle = typeof target === "string"
      ? (yield* knownWindows.find(target)).handle
      : yield* targets.own(target)
    yield* primitives.focus(handle)
  })

  return {
    spawn: operations.rare("spawn")(primitives.open),
    preparePane: operations.rare("preparePane")(preparePane),
    listPanes: operations.hot("listPanes", listPanes),
    closePane: operations.rare("closePane")((pane) =>
      Effect.flatMap(targets.own(pane), (handle) => close(primitives, handle))
    ),
    resize: operations.rare("resize")(resize),
    focus: operations.rare("focus")(focus)
  }
}
