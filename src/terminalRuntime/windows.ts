/**
 * Sessions and windows: found or made by name, listed, closed.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { EnsureWindow, Primitives, Service } from "../Contract.ts"
import type { PaneLocks } from "../PaneLocks.ts"
import { type RuntimeError, TargetNotFound, WindowConflict } from "../RuntimeError.ts"
import { type Window, windowName } from "../Target.ts"
import { unsupported } from "./capabilities.ts"
import { close } from "./closing.ts"
import type { KnownWindows } from "./knownWindows.ts"
import type { Operations } from "./operations.ts"

/**
 * The operations on sessions and windows.
 *
 * @internal
 */
export type Windows = Pick<
  Service,
  "ensureWindow" | "listSessions" | "closeSession" | "listWindows" | "closeWindow"
>

const isAbsent = (error: RuntimeError) => error._tag === "TargetNotFound" && error.reason === "absent"

const conflict = (window: Window, asked: EnsureWindow): Option.Option<WindowConflict> => {
  if (window.root !== undefined && window.root !== asked.root) {
    return Option.some(
      new WindowConflict({ window: window.handle, field: "root", requested: asked.root, existing: window.root })
    )
  }
  const requested = asked.preset ?? ""
  const existing = window.preset ?? ""
  return requested === existing
    ? Option.none()
    : Option.some(new WindowConflict({ window: window.handle, field: "preset", requested, existing }))
}

/**
 * Windows of one name are ensured one after the other, under a lock.
 *
 * @internal
 */
export const makeWindows = ({ knownWindows, locks, operations, primitives }: {
  readonly primitives: Primitives
  readonly operations: Operations
  readonly locks: PaneLocks["Service"]
  readonly knownWindows: KnownWindows
}): Windows => {
  const ensureWindow = operations.rare("ensureWindow")(function*(asked: EnsureWindow) {
    const name = windowName(asked.name)
    const findOrOpen = Effect.gen(function*() {
      const found = yield* Effect.asSome(knownWindows.find(name)).pipe(
        Effect.catchIf(isAbsent, () => Effect.succeedNone)
      )
      if (Option.isSome(found)) {
        const clash = conflict(found.value, asked)
        return Option.isSome(clash) ? yield* clash.value : found.value
      }
      const pane = yield* primitives.open({ placement: { window: name }, cwd: asked.root })
      yield* knownWindows.remember(pane.window, asked)
      return yield* knownWindows.find(pane.window)
    })
    return yield* locks.withLock(`${primitives.runtime}:${primitives.scope}:${name}`)(findOrOpen)
  })

  const closeSession = operations.rare("closeSession")(function*(name: string) {
    if (primitives.closeSession === undefined) return yield* unsupported(primitives, "sessions")
    const { sessions } = yield* primitives.inventory
    if (!sessions.includes(name)) return yield* new TargetNotFound({ target: name, reason: "absent" })
    yield* primitives.closeSession(name)
    return "closed" as const
  })

  const closeWindow: Windows["closeWindow"] = (ref) =>
    Effect.flatMap(knownWindows.find(ref), ({ handle }) => close(primitives, handle)).pipe(
      Effect.catchIf(
        (error) => typeof ref !== "string" && isAbsent(error),
        () => Effect.succeed("already-closed" as const)
      )
    )

  return {
    ensureWindow,
    listSessions: operations.value("listSessions", Effect.map(primitives.inventory, ({ sessions }) => sessions)),
    closeSession,
    listWindows: operations.hot("listWindows", (asked) =>
      Effect.map(
        knownWindows.list,
        (windows) => windows.filter((window) => asked?.session === undefined || window.session === asked.session)
      )),
    closeWindow: operations.rare("closeWindow")(closeWindow)
  }
}
