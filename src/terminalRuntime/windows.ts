/**
 * Sessions and windows: found or made by name, listed, closed.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Capabilities } from "../Capabilities.ts"
import type { EnsureWindow, Inventory, OpenError, Primitives, Service, TargetError } from "../Contract.ts"
import { Handed } from "../internal/handed.ts"
import * as Roots from "../internal/roots.ts"
import type { PaneLocks } from "../PaneLocks.ts"
import { PresetSource } from "../Preset.ts"
import { InvalidRequest, SpawnFailed, TargetNotFound, WindowConflict } from "../RuntimeError.ts"
import { Window, type WindowName, windowName } from "../Target.ts"
import { unsupported } from "./capabilities.ts"
import { close, isAbsent } from "./closing.ts"
import type { KnownWindows } from "./knownWindows.ts"
import type { Operations } from "./operations.ts"

/** The operations on sessions and windows. */
type Windows = Pick<
  Service,
  "ensureWindow" | "listSessions" | "closeSession" | "listWindows" | "closeWindow"
>

/** What an {@link EnsureWindow} comes down to. */
interface Wanted {
  readonly name: WindowName
  readonly session: string | undefined
  readonly root: string
  readonly preset: string | undefined
}

/**
 * The failure of a step after something was made: what could be told with certainty was told before.
 *
 * @internal
 */
export const afterOpen = (runtime: string) => (error: TargetError): SpawnFailed =>
  isAbsent(error)
    ? new SpawnFailed({ runtime, reason: "died-at-once", detail: "it ended at once", created: "nothing", cause: error })
    : new SpawnFailed({ runtime, reason: "lost", detail: error.message, created: "indeterminate", cause: error })

/**
 * Windows of one name are ensured one after the other, under a lock.
 *
 * @internal
 */
export const makeWindows = Effect.fnUntraced(
  function*({ capabilities, knownWindows, locks, operations, primitives }: {
    readonly primitives: Primitives
    readonly capabilities: Capabilities
    readonly operations: Operations
    readonly locks: PaneLocks["Service"]
    readonly knownWindows: KnownWindows
  }) {
    const { host, runtime, scope } = primitives
    const realPath = yield* Roots.RealPath

    /** Roots are compared as they are spelled first; the file system is asked only when that does not decide. */
    const isSameRoot = Effect.fnUntraced(function*(one: string, another: string) {
      const [a, b] = [Roots.normalize(one), Roots.normalize(another)]
      return a === b || (yield* realPath(a)) === (yield* realPath(b))
    })

    const lockOf = ({ name, session = "" }: Wanted) =>
      `${runtime}:window:${JSON.stringify([host, scope, session, name])}`

    /** A window whose root nobody knows is the wanted one only if it is proved to be there already. */
    const rootOf = Effect.fnUntraced(function*({ panes }: Inventory, window: Window, wanted: Wanted) {
      if (window.root !== undefined) return window.root
      const inside = panes.filter((pane) => pane.window.id === window.handle.id).flatMap(({ cwd }) => cwd ?? [])
      for (const cwd of inside) if (yield* isSameRoot(cwd, wanted.root)) return wanted.root
      return inside[0] ?? ""
    })

    const adopt = Effect.fnUntraced(function*(inventory: Inventory, window: Window, wanted: Wanted) {
      const root = yield* rootOf(inventory, window, wanted)
      if (root === "" || !(yield* isSameRoot(root, wanted.root))) {
        return yield* new WindowConflict({
          window: window.handle,
          field: "root",
          requested: wanted.root,
          existing: root
        })
      }
      const requested = wanted.preset ?? ""
      const existing = window.preset ?? ""
      if (requested !== existing) {
        return yield* new WindowConflict({ window: window.handle, field: "preset", requested, existing })
      }
      if (window.root !== undefined) return window
      yield* knownWindows.remember(window.handle, { root })
      return new Window({ ...window, root })
    })

    /** Once there is a pane, the window is remembered whatever happens to the caller. */
    const make = Effect.fnUntraced(function*({ name, preset, root, session }: Wanted) {
      return yield* Effect.uninterruptible(Effect.gen(function*() {
        const placement = { window: name, ...(session === undefined ? {} : { session }) }
        const pane = yield* primitives.open({ ...yield* Handed, placement, cwd: root })
        return yield* Effect.gen(function*() {
          yield* knownWindows.remember(pane.window, { root, ...(preset === undefined ? {} : { preset }) })
          yield* knownWindows.remember(pane.handle, { prepared: true })
          return yield* knownWindows.find(pane.window, undefined)
        }).pipe(Effect.mapError(afterOpen(runtime)))
      }))
    })

    /** A runtime that does not run has no windows, and may be started by a pane that is opened there. */
    const inventoryBefore = Effect.catchIf(
      knownWindows.inventory,
      (error) => error._tag === "RuntimeUnavailable" && error.reason === "not-running",
      () => Effect.succeed<Inventory>({ sessions: [], windows: [], panes: [] })
    )

    const findOrMake = Effect.fnUntraced(function*(wanted: Wanted) {
      const inventory = yield* inventoryBefore
      const found = yield* Effect.asSome(knownWindows.findIn(inventory, wanted.name, wanted.session)).pipe(
        Effect.catchIf(isAbsent, () => Effect.succeedNone)
      )
      if (Option.isSome(found)) return yield* adopt(inventory, found.value, wanted)
      // a preset that nobody knows is refused before anything is made
      if (wanted.preset !== undefined) yield* (yield* PresetSource)(wanted.preset, wanted.root)
      return yield* make(wanted)
    })

    const ensureWindow = Effect.fnUntraced(
      function*(asked: EnsureWindow): Effect.fn.Return<Window, WindowConflict | OpenError> {
        if (!Roots.isAbsolute(asked.root)) {
          return yield* new InvalidRequest({
            operation: "ensureWindow",
            field: "root",
            reason: "must be an absolute path"
          })
        }
        const wanted: Wanted = {
          name: windowName(asked.name),
          session: yield* knownWindows.session(asked),
          root: Roots.normalize(asked.root),
          preset: asked.preset === "" ? undefined : asked.preset
        }
        return yield* locks.withLock(lockOf(wanted))(findOrMake(wanted))
      }
    )

    const listSessions: Windows["listSessions"] = capabilities.sessions === "none"
      ? Effect.fail(unsupported(primitives, "sessions"))
      : Effect.map(primitives.inventory, ({ sessions }) => sessions)

    const closeSession = Effect.fnUntraced(function*(name: string) {
      if (primitives.closeSession === undefined || capabilities.sessions === "none") {
        return yield* unsupported(primitives, "sessions")
      }
      const { sessions } = yield* primitives.inventory
      if (!sessions.includes(name)) return yield* new TargetNotFound({ target: name, reason: "absent" })
      return yield* primitives.closeSession(name).pipe(
        Effect.as("closed" as const),
        Effect.catchIf(isAbsent, () => Effect.succeed("already-closed" as const))
      )
    })

    const listWindows: Windows["listWindows"] = (asked) =>
      Effect.map(
        knownWindows.inventory,
        ({ windows }) => windows.filter((window) => asked?.session === undefined || window.session === asked.session)
      )

    const closeWindow: Windows["closeWindow"] = (ref, asked) =>
      Effect.flatMap(knownWindows.find(ref, asked), ({ handle }) => close(primitives, handle)).pipe(
        Effect.catchIf(
          (error) => typeof ref !== "string" && isAbsent(error),
          () => Effect.succeed("already-closed" as const)
        )
      )

    return {
      ensureWindow: operations.rare("ensureWindow")(ensureWindow),
      listSessions: operations.value("listSessions", listSessions),
      closeSession: operations.rare("closeSession")(closeSession),
      listWindows: operations.hot("listWindows", listWindows),
      closeWindow: operations.rare("closeWindow")(closeWindow)
    } satisfies Windows
  }
)
