/**
 * From handles and text to panes. Ids repeat across servers, so a handle of another one is stopped here and never
 * reaches the adapter.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Primitives, Service, TargetError } from "../Contract.ts"
import { InvalidRequest, TargetNotFound } from "../RuntimeError.ts"
import { type Handle, isFrom, type Pane, type PaneHandle, parse, type Printed, printedBy } from "../Target.ts"
import type { Operations } from "./operations.ts"

/**
 * Handles checked and panes found.
 *
 * @internal
 */
export interface Targets extends Pick<Service, "resolve" | "describe"> {
  /** Whether this runtime, on this host and server, issued the handle. */
  readonly isOwn: (handle: Handle) => boolean
  /** The handle, unless it is foreign. Asks the adapter nothing. */
  readonly own: <H extends Handle>(handle: H) => Effect.Effect<H, TargetNotFound>
  /** The pane of a handle, without a span. */
  readonly find: (handle: PaneHandle) => Effect.Effect<Pane, TargetError>
}

/** What ids of terminal programs are made of: `%12`, `w1:p1`, `terminal_3`, `0`. Other text names no pane anywhere. */
const idLike = /^[\w%@$][\w%@$:.+/-]*$/

const aWindow = new InvalidRequest({
  operation: "resolve",
  field: "text",
  reason: "is the handle of a window, and that of a pane is needed: list the panes of that window"
})

/**
 * Finds one pane natively where the adapter can, else in the inventory. Ids match whole, never by a prefix.
 *
 * @internal
 */
export const makeTargets = (primitives: Primitives, operations: Operations): Targets => {
  const isOwn = (handle: Handle) =>
    handle.runtime === primitives.runtime && handle.host === primitives.host && handle.scope === primitives.scope

  const own = <H extends Handle>(handle: H): Effect.Effect<H, TargetNotFound> =>
    isOwn(handle) ? Effect.succeed(handle) : Effect.fail(new TargetNotFound({ target: handle, reason: "foreign" }))

  const byId = (id: string): Effect.Effect<Pane | undefined, TargetError> =>
    primitives.find === undefined
      ? Effect.map(primitives.inventory, ({ panes }) => panes.find((pane) => pane.handle.id === id))
      : Effect.map(
        primitives.find(id),
        (found) => Option.isSome(found) && found.value.handle.id === id ? found.value : undefined
      )

  const find = Effect.fnUntraced(function*(handle: PaneHandle) {
    yield* own(handle)
    const pane = yield* byId(handle.id)
    if (pane === undefined) return yield* new TargetNotFound({ target: handle, reason: "absent" })
    if (pane.handle.incarnation !== handle.incarnation) {
      return yield* new TargetNotFound({ target: handle, reason: "reissued" })
    }
    return pane
  })

  /** Whether a word that names no pane was printed by a window that is there. */
  const isWindow = (printed: Printed): Effect.Effect<boolean, TargetError> =>
    Effect.map(primitives.inventory, ({ windows }) => windows.some(({ handle }) => printedBy(printed, handle)))

  const resolve = Effect.fnUntraced(function*(text: string) {
    const printed = parse(text)
    if (Option.isNone(printed) && !idLike.test(text)) {
      return yield* new TargetNotFound({ target: text, reason: "unparsable" })
    }
    if (Option.isSome(printed) && !isFrom(printed.value, primitives)) {
      return yield* new TargetNotFound({ target: text, reason: "foreign" })
    }
    const pane = yield* byId(Option.isSome(printed) ? printed.value.id : text)
    if (pane === undefined) {
      if (Option.isSome(printed) && (yield* isWindow(printed.value))) return yield* aWindow
      return yield* new TargetNotFound({ target: text, reason: "absent" })
    }
    // of this server by its looks: another incarnation, another host, or not what was printed
    if (Option.isSome(printed) && !printedBy(printed.value, pane.handle)) {
      if (yield* isWindow(printed.value)) return yield* aWindow
      return yield* new TargetNotFound({ target: text, reason: "reissued" })
    }
    return pane
  })

  return {
    isOwn,
    own,
    find,
    resolve: operations.hot("resolve", resolve),
    describe: operations.hot("describe", find)
  }
}
