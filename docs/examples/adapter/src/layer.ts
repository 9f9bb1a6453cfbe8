/** The adapter: panes over plain pipes, owned by this process. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { randomUUID } from "node:crypto"
import { hostname } from "node:os"
import { type Contract, PaneLocks, RuntimeError, Target, TerminalRuntime, type Waiting } from "paneway"
import * as Program from "./program.ts"

export interface Options {
  /** Size of the screen where none is asked for. Defaults to 120x40. */
  readonly size?: Contract.Size | undefined
  /** Rows kept above the screen. Defaults to 1000. */
  readonly scrollback?: number | undefined
  /** Time without progress after which a send is cut. Defaults to 5 seconds. */
  readonly stall?: Duration.Input | undefined
}

interface Held {
  readonly handle: Target.PaneHandle
  readonly window: Target.Window
  readonly program: Program.Program
  readonly wakes: Set<() => void>
}

const make = Effect.fnUntraced(function*({ scrollback = 1000, size, stall = "5 seconds" }: Options) {
  // a name for this server that no other has, then or now: ids of ours are never taken for those of another one
  const nonce = randomUUID()
  const identity = { runtime: "pipes", host: hostname(), scope: `process-${process.pid}-${nonce}`, incarnation: nonce }
  const panes = new Map<string, Held>()
  const changes = new Set<() => void>()
  let opened = 0

  /** Over a copy: one that is woken may register anew at once. */
  const wake = (wakes: Iterable<() => void>) => {
    const told = [...wakes]
    for (const one of told) one()
  }

  const windows = () => new Map(Array.from(panes.values(), ({ window }) => [window.handle.id, window]))
  const inWindow = ({ id }: Target.WindowHandle) => [...panes.values()].filter(({ window }) => window.handle.id === id)

  const describe = ({ handle, program, window }: Held): Target.Pane => {
    const exit = program.exit()
    return new Target.Pane({
      handle,
      window: window.handle,
      active: false,
      startCommand: program.startCommand,
      pid: program.pid,
      ...program.foreground(),
      ...(exit === undefined ? {} : { exit })
    })
  }

  /** Every primitive begins here: the id says which pane, the incarnation that it is still that one. */
  const need = (handle: Target.PaneHandle) => {
    const pane = panes.get(handle.id)
    if (pane?.handle.incarnation === handle.incarnation) return Effect.succeed(pane)
    const reason = pane === undefined ? "absent" : "reissued"
    return Effect.fail(new RuntimeError.TargetNotFound({ target: handle, reason }))
  }
  const needWindow = (handle: Target.WindowHandle) => {
    const window = windows().get(handle.id)
    if (window?.handle.incarnation === handle.incarnation) return Effect.succeed(window)
    const reason = window === undefined ? "absent" : "reissued"
    return Effect.fail(new RuntimeError.TargetNotFound({ target: handle, reason }))
  }

  const newWindow = (name: string) =>
    new Target.Window({
      handle: new Target.WindowHandle({ ...identity, id: `w${opened}` }),
      name: Target.windowName(name),
      active: false
    })
  const place = Effect.fnUntraced(function*(placement: Contract.SpawnRequest["placement"]) {
    if (placement === undefined) return newWindow(`pane-${opened}`)
    const named = "window" in placement ? placement.window : placement.split
    if (typeof named !== "string") {
      return named._tag === "PaneHandle" ? (yield* need(named)).window : yield* needWindow(named)
    }
    const name = Target.windowName(named)
    return [...windows().values()].find((window) => window.name === name) ?? newWindow(named)
  })

  const remove = Effect.fnUntraced(function*(pane: Held) {
    pane.program.kill()
    yield* Effect.timeoutOption(pane.program.ended, "1 second")
    panes.delete(pane.handle.id)
    pane.program.screen.dispose()
    wake(pane.wakes)
    wake(changes)
  }, Effect.uninterruptible)

  const open = Effect.fnUntraced(function*(request: Contract.SpawnRequest) {
    opened += 1
    const window = yield* place(request.placement)
    const wakes = new Set<() => void>()
    const screenSize = request.size ?? size ?? { columns: 120, rows: 40 }
    const program = yield* Program.start(request, { ...screenSize, scrollback }, () => wake(wakes))
    const pane: Held = {
      handle: new Target.PaneHandle({ ...identity, id: `p${opened}` }),
      window,
      program,
      wakes
    }
    panes.set(pane.handle.id, pane)
    wake(changes)
    const afterEnd = request.onExit === "close" ? remove(pane) : Effect.sync(() => wake(changes))
    yield* Effect.forkIn(Effect.andThen(program.ended, afterEnd), scope)
    return describe(pane)
  }, Effect.uninterruptible)

  const registered = (wakes: Set<() => void>, { wake }: Waiting.Wakes) =>
    Effect.asVoid(
      Effect.acquireRelease(Effect.sync(() => wakes.add(wake)), () => Effect.sync(() => wakes.delete(wake)))
    )

  const scope = yield* Effect.scope
  yield* Effect.addFinalizer(() =>
    Effect.forEach([...panes.values()], remove, { concurrency: "unbounded", discard: true })
  )

  const limit = Duration.fromInputUnsafe(stall)
  const primitives: Contract.Primitives = {
    runtime: identity.runtime,
    host: identity.host,
    scope: identity.scope,
    sendProfile: "plain-pane",
    inventory: Effect.sync(() => ({
      sessions: [],
      windows: [...windows().values()],
      panes: Array.from(panes.values(), describe)
    })),
    open,
    close: Effect.fnUntraced(function*(target) {
      if (target._tag === "PaneHandle") return yield* remove(yield* need(target))
      yield* needWindow(target)
      yield* Effect.forEach(inWindow(target), remove, { concurrency: "unbounded", discard: true })
    }),
    write: Effect.fnUntraced(function*(handle, step) {
      const { program } = yield* need(handle)
      yield* program.screen.settled
      yield* program.type(step, { stall: limit, before: {} })
    }),
    capture: Effect.fnUntraced(function*(handle, { range }) {
      const { program: { screen } } = yield* need(handle)
      yield* screen.settled
      return screen.read(range)
    }),

    // with these five it works; what follows makes it exact and quick

    deliver: Effect.fnUntraced(function*(handle, { stall, steps, unless }) {
      const { program } = yield* need(handle)
      yield* program.screen.settled
      const [obstacle, ...more] = program.obstacles(steps).filter((one) => unless.includes(one))
      if (obstacle !== undefined) return { _tag: "Refused", obstacles: [obstacle, ...more] }
      const { cursor, rows } = program.screen.read("visible")
      const before: Contract.Place = { at: cursor, tail: rows }
      let bytes = 0
      for (const step of steps) bytes += yield* program.type(step, { stall, before })
      return { _tag: "Written", before, bytes }
    }),
    watch: (handle, on) => Effect.flatMap(need(handle), ({ wakes }) => registered(wakes, on)),
    watchAll: (on) => registered(changes, on),
    writeDeadline: limit,
    // the process is ours, so its exit is known and not guessed
    declared: { exitStatus: "native" }
  }
  return yield* TerminalRuntime.make(primitives)
})

/** Provides `TerminalRuntime` over pipes. Closing the scope ends every pane. One process owns them: locks in memory do. */
export const layer = (options: Options = {}): Layer.Layer<TerminalRuntime.TerminalRuntime> =>
  Layer.effect(TerminalRuntime.TerminalRuntime, make(options)).pipe(Layer.provide(PaneLocks.layerMemory))
