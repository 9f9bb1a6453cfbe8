/**
 * The panes of one embedded runtime, grouped in windows and sessions. Groups exist while they have a pane.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { basename } from "node:path"
import type { Facts, Inventory, Size, SpawnRequest } from "../../src/Contract.ts"
import { TargetNotFound } from "../../src/RuntimeError.ts"
import * as Target from "../../src/Target.ts"
import type { Command } from "./command.ts"
import * as SystemFacts from "./facts.ts"
import type { PtyProcess } from "./process.ts"

/** What every handle of this runtime has in common. */
export interface Identity {
  readonly runtime: string
  readonly host: string
  readonly scope: string
  readonly incarnation: string
}

/** A pane as this process holds it. */
export interface HeldPane {
  readonly handle: Target.PaneHandle
  readonly window: WindowRecord
  readonly command: Command
  readonly title: string | undefined
  readonly process: PtyProcess
  readonly scope: Scope.Closeable
  size: Size
  facts: Facts
  /** It was removed while its program ran: once that is ended the pane is gone, and how it ended is nobody's exit. */
  cut: boolean
  /** Something was sent to it. What runs before that was started by the pane's own program: by a shell's start-up files. */
  typed: boolean
}

interface WindowRecord {
  readonly handle: Target.WindowHandle
  readonly name: Target.WindowName
  readonly session: string
  facts: Facts
}

interface Place {
  readonly session: string
  readonly name: Target.WindowName
  readonly window: WindowRecord | undefined
}

export interface Panes {
  readonly inventory: () => Inventory
  readonly find: (id: string) => HeldPane | undefined
  readonly need: (handle: Target.PaneHandle) => Effect.Effect<HeldPane, TargetNotFound>
  readonly needWindow: (handle: Target.WindowHandle) => Effect.Effect<WindowRecord, TargetNotFound>
  readonly place: (request: SpawnRequest, session: string, command: Command) => Effect.Effect<Place, TargetNotFound>
  /** The handle of the next pane; each is given out once. */
  readonly issue: () => Target.PaneHandle
  readonly add: (place: Place, pane: Omit<HeldPane, "window" | "facts" | "typed" | "cut">) => HeldPane
  readonly describe: (pane: HeldPane) => Target.Pane
  /** Makes the pane and with it its window the active ones. */
  readonly focus: (pane: HeldPane) => void
  /** The same for the pane of the window that was active last. */
  readonly focusWindow: (window: Target.WindowHandle) => void
  /** Ends what runs in it, then forgets it. */
  readonly remove: (pane: HeldPane) => Effect.Effect<void>
  readonly in: (window: Target.WindowHandle) => ReadonlyArray<HeldPane>
  readonly inSession: (name: string) => ReadonlyArray<HeldPane>
  /** Called when a pane or window came, ended or went. */
  readonly changes: Set<() => void>
  readonly changed: () => void
}

const isGone = ({ cut, process }: HeldPane): boolean => cut && process.dead()

export const make = (identity: Identity): Panes => {
  const panes = new Map<string, HeldPane>()
  const windows = new Map<string, WindowRecord>()
  const changes = new Set<() => void>()
  let nextPane = 0
  let nextWindow = 0
  /** The active one last. */
  const focused = new Set<string>()
  let active: string | undefined

  const changed = () => {
    const told = [...changes] // over a copy: one that is told may ask again at once
    for (const change of told) change()
  }
  const describe = (pane: HeldPane): Target.Pane => {
    const exit = pane.process.exit()
    const foreground = pane.process.foreground()
    const { atShell, cwd } = exit === undefined ? SystemFacts.of(pane.process.pid) : SystemFacts.absent
    const ended = exit === undefined ? {} : { exit }
    const prepared = pane.facts.prepared === undefined ? {} : { prepared: pane.facts.prepared }
    return new Target.Pane({
      handle: pane.handle,
      window: pane.window.handle,
      session: pane.window.session,
      active: pane.handle.id === active,
      startCommand: pane.command.argv.join(" "),
      pid: pane.process.pid,
      tty: pane.process.tty,
      columns: pane.size.columns,
      rows: pane.size.rows,
      ...ended,
      ...prepared,
      ...(pane.title === undefined ? {} : { title: pane.title }),
      ...(foreground === undefined ? {} : { command: foreground }),
      ...(cwd === undefined ? {} : { cwd }),
      ...(atShell === undefined || (!atShell && !pane.typed) ? {} : { atShell })
    })
  }
  const describeWindow = (window: WindowRecord): Target.Window => {
    const { preset, root } = window.facts
    return new Target.Window({
      handle: window.handle,
      name: window.name,
      session: window.session,
      active: active !== undefined && panes.get(active)?.window === window,
      ...(root === undefined ? {} : { root }),
      ...(preset === undefined ? {} : { preset })
    })
  }
  const byName = (session: string, name: Target.WindowName) =>
    [...windows.values()].find((window) => window.session === session && window.name === name)
  const freeName = (session: string, wanted: Target.WindowName): Target.WindowName => {
    const free = (name: Target.WindowName, n: number): Target.WindowName =>
      byName(session, name) === undefined ? name : free(Target.windowName(`${wanted}-${n}`), n + 1)
    return free(wanted, 2)
  }
  const missing = (target: Target.Handle | Target.WindowName, reissued: boolean) =>
    new TargetNotFound({ target, reason: reissued ? "reissued" : "absent" })

  const find = (id: string) => {
    const pane = panes.get(id)
    return pane === undefined || isGone(pane) ? undefined : pane
  }
  const need = (handle: Target.PaneHandle) => {
    const pane = find(handle.id)
    return pane !== undefined && pane.handle.incarnation === handle.incarnation
      ? Effect.succeed(pane)
      : Effect.fail(missing(handle, pane !== undefined))
  }
  const needWindow = (handle: Target.WindowHandle) => {
    const window = windows.get(handle.id)
    return window !== undefined && window.handle.incarnation === handle.incarnation
      ? Effect.succeed(window)
      : Effect.fail(missing(handle, window !== undefined))
  }

  const placeOf = (window: WindowRecord): Place => ({ window, session: window.session, name: window.name })
  const place: Panes["place"] = Effect.fnUntraced(function*(request, session, command) {
    const where = request.placement
    if (where === undefined) {
      return {
        window: undefined,
        session,
        name: freeName(session, Target.windowName(request.title ?? basename(command.argv[0])))
      }
    }
    if ("window" in where) {
      const name = Target.windowName(where.window)
      const inSession = where.session ?? session
      return { window: byName(inSession, name), session: inSession, name }
    }
    if (typeof where.split === "string") {
      const window = byName(session, where.split)
      return window === undefined ? yield* missing(where.split, false) : placeOf(window)
    }
    return where.split._tag === "PaneHandle"
      ? placeOf((yield* need(where.split)).window)
      : placeOf(yield* needWindow(where.split))
  })

  const add: Panes["add"] = (at, parts) => {
    const window = at.window ?? {
      handle: new Target.WindowHandle({ ...identity, id: `w${++nextWindow}` }),
      name: at.name,
      session: at.session,
      facts: {}
    }
    windows.set(window.handle.id, window)
    const pane: HeldPane = { ...parts, window, facts: {}, typed: false, cut: false }
    panes.set(pane.handle.id, pane)
    if (active === undefined) focus(pane)
    else changed()
    return pane
  }

  const focus = ({ handle: { id } }: HeldPane) => {
    focused.delete(id)
    focused.add(id)
    active = id
    changed()
  }
  const within = (window: Target.WindowHandle) =>
    [...panes.values()].filter((pane) => pane.window.handle.id === window.id)
  /** Of some panes the one that was active last, else the oldest. */
  const lastActive = (some: ReadonlyArray<HeldPane>): HeldPane | undefined => {
    const among = new Map(some.map((pane) => [pane.handle.id, pane]))
    const id = [...focused].findLast((id) => among.has(id))
    return id === undefined ? some[0] : among.get(id)
  }
  const focusWindow = (window: Target.WindowHandle) => {
    const pane = lastActive(within(window))
    if (pane !== undefined) focus(pane)
  }
  /** The next active pane is in the same window, else in the same session, else anywhere. */
  const forget = (pane: HeldPane) => {
    panes.delete(pane.handle.id)
    focused.delete(pane.handle.id)
    const siblings = within(pane.window.handle)
    if (siblings.length === 0) windows.delete(pane.window.handle.id)
    if (active !== pane.handle.id) return changed()
    const others = [...panes.values()]
    const next = [siblings, others.filter(({ window }) => window.session === pane.window.session), others]
      .find((some) => some.length > 0)
    active = undefined
    const heir = lastActive(next ?? [])
    if (heir === undefined) changed()
    else focus(heir)
  }

  const remove: Panes["remove"] = (pane) =>
    Effect.suspend(() => {
      pane.cut ||= pane.process.exit() === undefined
      return Effect.andThen(Scope.close(pane.scope, Exit.void), Effect.sync(() => forget(pane)))
    })

  return {
    inventory: () => ({
      sessions: [...new Set(Array.from(windows.values(), (window) => window.session))],
      windows: Array.from(windows.values(), describeWindow),
      panes: [...panes.values()].filter((pane) => !isGone(pane)).map(describe)
    }),
    find,
    need,
    needWindow,
    place,
    issue: () => new Target.PaneHandle({ ...identity, id: `p${++nextPane}` }),
    add,
    describe,
    focus,
    focusWindow,
    remove,
    in: within,
    inSession: (name) => [...panes.values()].filter((pane) => pane.window.session === name),
    changes,
    changed
  }
}
