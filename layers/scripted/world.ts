/**
 * The windows and panes of one scripted runtime, the recorder, and who is told of changes. Groups exist while they have a
 * pane.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { AskError, Facts, Inventory, TargetError } from "../../src/Contract.ts"
import { RuntimeUnavailable, TargetNotFound } from "../../src/RuntimeError.ts"
import type * as Send from "../../src/Send.ts"
import * as Target from "../../src/Target.ts"
import type { Wakes } from "../../src/Waiting.ts"
import { Closed, type Entry } from "./entries.ts"
import type { Faults } from "./faults.ts"
import type { Output } from "./output.ts"
import type { Running } from "./terminal.ts"

export interface HeldWindow {
  readonly handle: Target.WindowHandle
  readonly name: Target.WindowName
  readonly session: string
  facts: Facts
}

/** What the test can say of a pane beside its program. */
export interface Traits {
  readonly mode?: string | undefined
  readonly inputOff?: boolean | undefined
  readonly synchronized?: boolean | undefined
  readonly profile?: Send.SendProfile | undefined
}

export interface HeldPane {
  readonly handle: Target.PaneHandle
  readonly window: HeldWindow
  readonly running: Running
  readonly startCommand: string
  readonly title: string | undefined
  readonly output: Output
  readonly watchers: Set<Wakes>
  facts: Facts
  traits: Traits
  /** Steps that arrive after the next one. */
  late: string
  /** A write was cut inside, and what was taken was not read. */
  clogged: boolean
}

export interface Options {
  readonly runtime: string
  readonly host: string
  readonly scope: string
  readonly exitCodes: boolean
  readonly faults: Faults
}

export interface World {
  readonly identity: () => Pick<Target.Handle, "runtime" | "host" | "scope" | "incarnation">
  readonly log: Array<Entry>
  readonly panes: Map<string, HeldPane>
  readonly windows: Map<string, HeldWindow>
  readonly watchers: Set<Wakes>
  readonly state: {
    looks: number
    /** The pane that this process runs in. */
    current: Target.PaneHandle | undefined
    /** Of panes that are opened from now on. */
    readonly variables: Map<string, string>
  }
  readonly nextId: (kind: "pane" | "window") => string
  /** Asks the runtime: fails while it is down, takes its time while it is slow. */
  readonly ask: (target?: Target.Handle) => Effect.Effect<void, AskError>
  readonly down: (reason?: RuntimeUnavailable["reason"]) => RuntimeUnavailable
  readonly need: (handle: Target.PaneHandle) => Effect.Effect<HeldPane, TargetError>
  readonly needWindow: (handle: Target.WindowHandle) => Effect.Effect<HeldWindow, TargetError>
  /** Without asking the runtime, as the test does. */
  readonly held: (handle: Target.PaneHandle) => Effect.Effect<HeldPane, TargetNotFound>
  readonly inventory: () => Inventory
  readonly describe: (pane: HeldPane) => Target.Pane
  readonly byName: (session: string, name: Target.WindowName) => HeldWindow | undefined
  readonly in: (window: Target.WindowHandle) => ReadonlyArray<HeldPane>
  /** The pane of the window that was active last. */
  readonly activeIn: (window: Target.WindowHandle) => HeldPane | undefined
  readonly focus: (pane: HeldPane) => void
  readonly remove: (pane: HeldPane) => void
  readonly close: (target: Target.Handle, panes: ReadonlyArray<HeldPane>) => void
  /** What exists changed. */
  readonly changed: () => void
  readonly wake: (pane: HeldPane) => void
  /** The way to the runtime is lost: with it all registrations. */
  readonly loseWatchers: () => void
  /** Registrations now. */
  readonly watching: () => number
  /** Nothing is left, and ids are given out again. */
  readonly restart: () => void
}

export const make = ({ exitCodes, faults, host, runtime, scope }: Options): World => {
  const panes = new Map<string, HeldPane>()
  const windows = new Map<string, HeldWindow>()
  const watchers = new Set<Wakes>()
  const log: Array<Entry> = []
  let incarnation = 1
  let numbers = { pane: 0, window: 0 }
  /** The active one last. */
  const focused = new Set<string>()
  const active = (among: ReadonlyArray<HeldPane> = [...panes.values()]): HeldPane | undefined => {
    const ids = new Set(among.map(({ handle }) => handle.id))
    const id = [...focused].findLast((one) => ids.has(one))
    return id === undefined ? among[0] : panes.get(id)
  }

  const identity = () => ({ runtime, host, scope, incarnation: `${incarnation}` })
  const down: World["down"] = (reason = "lost") =>
    new RuntimeUnavailable({ runtime, reason, detail: "the script took it down" })

  const ask: World["ask"] = (target) =>
    Effect.suspend(() => {
      const fault = faults.find("Down")
      if (fault !== undefined && fault.after === undefined) return Effect.fail(down(fault.reason))
      const slow = faults.find("Slow", target)
      return slow === undefined ? Effect.void : Effect.sleep(Duration.fromInputUnsafe(slow.by))
    })
  const missing = (target: Target.Handle) => faults.find("Missing", target) !== undefined

  const among = <H extends Target.Handle, A extends { readonly handle: H }>(
    all: ReadonlyMap<string, A>,
    handle: H
  ): Effect.Effect<A, TargetNotFound> => {
    const found = all.get(handle.id)
    if (found === undefined || missing(handle)) {
      return Effect.fail(new TargetNotFound({ target: handle, reason: "absent" }))
    }
    return found.handle.incarnation === handle.incarnation
      ? Effect.succeed(found)
      : Effect.fail(new TargetNotFound({ target: handle, reason: "reissued" }))
  }
  const held: World["held"] = (handle) => Effect.suspend(() => among(panes, handle))

  const describe: World["describe"] = (pane) => {
    const { facts, handle, running, startCommand, title, traits, window } = pane
    const exit = running.exit()
    const program = running.program()
    const foreground = running.foreground()
    const inside = [...panes.values()].filter((one) => one.window === window)
    return new Target.Pane({
      handle,
      window: window.handle,
      session: window.session,
      active: active(inside) === pane,
      startCommand,
      cwd: running.directory(),
      ...running.grid.size(),
      cursor: running.grid.cursor(),
      ...(exit === undefined ? {} : { exit: exitCodes ? exit : {} }),
      ...(facts.prepared === undefined ? {} : { prepared: facts.prepared }),
      ...(title === undefined ? {} : { title }),
      ...(traits.mode === undefined ? {} : { mode: traits.mode }),
      ...(exit !== undefined || program === undefined ? {} : { command: foreground ?? program.name }),
      ...(exit === undefined && program?.isShell === true ? { atShell: foreground === undefined } : {})
    })
  }
  const describeWindow = ({ facts: { preset, root }, handle, name, session }: HeldWindow): Target.Window =>
    new Target.Window({
      handle,
      name,
      session,
      active: active()?.window.handle.id === handle.id,
      ...(root === undefined ? {} : { root }),
      ...(preset === undefined ? {} : { preset })
    })

  const notify = (all: Iterable<Wakes>, target?: Target.Handle) => {
    if (faults.find("Deaf", target) !== undefined) return
    const told = [...all] // over a copy: one that is told may ask again at once
    for (const { wake } of told) wake()
  }
  const changed = () => notify(watchers)
  const within = (window: Target.WindowHandle) =>
    [...panes.values()].filter((pane) => pane.window.handle.id === window.id)

  /** Forgotten before its program ends, so that nobody finds it ended. */
  const remove: World["remove"] = (pane) => {
    panes.delete(pane.handle.id)
    focused.delete(pane.handle.id)
    if (within(pane.window.handle).length === 0) windows.delete(pane.window.handle.id)
    pane.running.end({})
    pane.output.end()
    notify(pane.watchers, pane.handle)
    changed()
  }
  const loseWatchers = () => {
    const all = [...watchers, ...Array.from(panes.values(), (pane) => [...pane.watchers]).flat()]
    watchers.clear()
    for (const pane of panes.values()) pane.watchers.clear()
    for (const { lost } of all) lost()
  }

  return {
    identity,
    log,
    panes,
    windows,
    watchers,
    state: { looks: 0, current: undefined, variables: new Map() },
    nextId: (kind) => {
      numbers = { ...numbers, [kind]: numbers[kind] + 1 }
      return `${kind === "pane" ? "p" : "w"}${numbers[kind]}`
    },
    ask,
    down,
    need: (handle) => Effect.andThen(ask(handle), held(handle)),
    needWindow: (handle) => Effect.andThen(ask(handle), Effect.suspend(() => among(windows, handle))),
    held,
    inventory: () => {
      const present = [...windows.values()].filter(({ handle }) => !missing(handle))
      return {
        sessions: [...new Set(present.map((window) => window.session))],
        windows: present.map(describeWindow),
        panes: [...panes.values()].filter(({ handle }) => !missing(handle)).map(describe)
      }
    },
    describe,
    byName: (inSession, name) =>
      [...windows.values()].find((window) => window.session === inSession && window.name === name),
    in: within,
    activeIn: (window) => active(within(window)),
    focus: ({ handle: { id } }) => {
      focused.delete(id)
      focused.add(id)
      changed()
    },
    remove,
    close: (target, some) => {
      log.push(new Closed({ target }))
      some.forEach(remove)
    },
    changed,
    wake: (pane) => notify(pane.watchers, pane.handle),
    loseWatchers,
    watching: () => [...panes.values()].reduce((sum, pane) => sum + pane.watchers.size, watchers.size),
    restart: () => {
      const all = [...panes.values()]
      loseWatchers()
      panes.clear()
      windows.clear()
      focused.clear()
      for (const { output, running } of all) {
        running.end({})
        output.end()
      }
      incarnation += 1
      numbers = { pane: 0, window: 0 }
    }
  }
}
