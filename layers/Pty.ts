/**
 * The embedded runtime: pseudo-terminals owned by this process. Nothing has to be installed; panes end with the layer's
 * scope.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { hostname } from "node:os"
import type { Primitives, Size, SpawnRequest } from "../src/Contract.ts"
import * as Roots from "../src/internal/roots.ts"
import * as PaneLocks from "../src/PaneLocks.ts"
import * as PaneView from "../src/PaneView.ts"
import * as Passthrough from "../src/Passthrough.ts"
import type { RuntimeUnavailable } from "../src/RuntimeError.ts"
import { InvalidRequest, TargetNotFound } from "../src/RuntimeError.ts"
import type { PaneHandle } from "../src/Target.ts"
import * as TerminalRuntime from "../src/TerminalRuntime.ts"
import type { Wakes } from "../src/Waiting.ts"
import { nonce } from "./internal/nonce.ts"
import { tagVariable } from "./internal/processTable.ts"
import { realPath } from "./internal/realPath.ts"
import * as Command from "./pty/command.ts"
import * as Delivering from "./pty/delivering.ts"
import * as Inherited from "./pty/inherited.ts"
import * as Native from "./pty/native.ts"
import * as Panes from "./pty/panes.ts"
import * as PipedInput from "./pty/pipedInput.ts"
import * as PtyProcess from "./pty/process.ts"
import * as Reap from "./pty/reap.ts"
import * as Viewing from "./pty/viewing.ts"

/**
 * Whether embedded panes can be had on this machine; opens no terminal and starts no program.
 *
 * @category examining
 * @since 0.1.0
 */
export { examine } from "./pty/examine.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** Columns and rows of a pane that asks for no size. Defaults to 120x40. */
  readonly size?: Size | undefined
  /** Rows that a pane keeps above its screen; about 3 MB for 1000 rows of 120 columns when full. Defaults to 1000. */
  readonly scrollback?: number | undefined
  /** Session that an absent option means. Defaults to `PANEWAY_SESSION`, else `paneway`. */
  readonly session?: string | undefined
  /** Shell of panes that are given no program. Defaults to `$SHELL`, else the user's login shell, else `/bin/sh`. */
  readonly shell?: string | undefined
  /** Environment that panes inherit, multiplexer variables aside. Defaults to that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /**
   * Names of inherited variables that panes do not get (`deny`) or get although they are denied (`allow`); `*` stands for
   * any characters. Defaults to no rule: agents need their keys. What a spawn sets itself is not touched.
   */
  readonly inherit?: { readonly allow?: ReadonlyArray<string>; readonly deny?: ReadonlyArray<string> } | undefined
  /** Time without progress after which a send is cut. Defaults to 5 seconds. */
  readonly stall?: Duration.Input | undefined
  /** Time to wait for another sender of the same pane. Defaults to 30 seconds. */
  readonly lock?: Duration.Input | undefined
  /** That other processes reach the panes at a socket. Defaults to nobody but this process. */
  readonly served?: Served | undefined
}

/**
 * How panes are known that other processes reach.
 *
 * @category models
 * @since 0.1.0
 */
export interface Served {
  /** Path of the socket: the scope of the handles. Panes are told it, and their handle and session. */
  readonly socket: string
  /** Marks every process that a pane starts, so that those are found which outlive this process. */
  readonly tag: string
}

/**
 * Ends the processes that panes with that tag left behind when their process was killed, and tells how many. Nobody may
 * own such a pane any more.
 *
 * @category ending
 * @since 0.1.0
 */
export const endLeftBehind: (tag: string) => Effect.Effect<number> = Reap.endTagged

/**
 * How many they are.
 *
 * @internal
 */
export const countLeftBehind: (tag: string) => Effect.Effect<number> = Reap.countTagged

const largest = 5000
const isSize = (size: Size) =>
  [size.columns, size.rows].every((side) => Number.isInteger(side) && side >= 1 && side <= largest)

const badSize = (operation: string) =>
  new InvalidRequest({ operation, field: "size", reason: `needs whole columns and rows from 1 to ${largest}` })

const make = Effect.fnUntraced(function*(options: Options) {
  const loaded = yield* Native.load
  const inherited: Readonly<Record<string, string | undefined>> = {
    ...Inherited.filter(options.env ?? process.env, options.inherit),
    ...(options.shell === undefined ? {} : { SHELL: options.shell })
  }
  const size = options.size ?? { columns: 120, rows: 40 }
  const scrollback = options.scrollback ?? 1000
  const session = options.session ?? (inherited.PANEWAY_SESSION?.trim() || "paneway")
  const stall = Duration.fromInputUnsafe(options.stall ?? "5 seconds")
  const server = nonce()
  const { served } = options
  const identity = {
    runtime: "pty",
    host: hostname(),
    scope: served?.socket ?? `process-${process.pid}-${server}`,
    incarnation: server
  }
  const told = (pane: PaneHandle, session: string) =>
    served === undefined
      ? {}
      : { PANEWAY_PANE: `${pane}`, PANEWAY_SOCKET: served.socket, PANEWAY_SESSION: session }
  const layerScope = yield* Effect.scope
  const paneScopes = yield* Scope.fork(layerScope, "parallel")
  const panes = Panes.make(identity)
  const piped = new WeakMap<Panes.HeldPane, ReturnType<typeof PipedInput.make>>()

  const open = Effect.fnUntraced(function*(request: SpawnRequest, how: Passthrough.Options) {
    const wanted = request.size ?? size
    if (!isSize(wanted)) return yield* badSize("spawn")
    const command = yield* Command.make(request, inherited, workingDirectory())
    const place = yield* panes.place(request, request.session ?? session, command)
    const outer = served?.tag ?? inherited[tagVariable]
    const own = nonce()
    const tag = outer === undefined ? own : `${outer}/${own}`
    const after = request.onExit === "shell" ? thenShell(command.argv) : command.argv
    const wrapped = how.input === "pipe"
      ? PipedInput.wrap(after, command.env, own)
      : { argv: after, env: {}, preamble: undefined }
    const scope = yield* Scope.fork(paneScopes)
    const handle = panes.issue()
    const env = { ...command.env, ...wrapped.env, ...told(handle, place.session), [tagVariable]: tag }
    const started = yield* PtyProcess.start(loaded, {
      ...wanted,
      command: { ...command, argv: wrapped.argv, env },
      tag,
      scrollback,
      replies: how.replies,
      preamble: wrapped.preamble
    }).pipe(Scope.provide(scope), Effect.onError(() => Scope.close(scope, Exit.void)))
    const pane = panes.add(place, { handle, command, title: request.title, process: started, scope, size: wanted })
    if (how.input === "pipe") piped.set(pane, PipedInput.make())
    yield* Effect.forkIn(
      Effect.andThen(
        Deferred.await(started.ended),
        request.onExit === "close" ? panes.remove(pane) : Effect.sync(panes.changed)
      ),
      layerScope
    )
    return panes.describe(pane)
  }, Effect.uninterruptible)

  const flushed = (pane: Panes.HeldPane) => Effect.map(pane.process.screen.flush, () => pane.process.screen)
  const { deliver, write } = Delivering.make(panes, Duration.toMillis(stall))

  const resize = (pane: Panes.HeldPane, wanted: Size) => {
    pane.size = wanted
    pane.process.resize(wanted)
  }

  const watchAll = (on: Wakes) =>
    Effect.asVoid(Effect.acquireRelease(
      Effect.sync(() => panes.changes.add(on.wake)),
      () => Effect.sync(() => panes.changes.delete(on.wake))
    ))

  const primitives: Primitives = {
    runtime: identity.runtime,
    host: identity.host,
    scope: identity.scope,
    sendProfile: "plain-pane",
    session: Effect.succeed(session),
    inventory: Effect.sync(panes.inventory),
    find: (id) => Effect.sync(() => Option.map(Option.fromUndefinedOr(panes.find(id)), panes.describe)),
    open: (request) => open(request, { input: "keyboard", replies: true }),
    close: Effect.fnUntraced(function*(target) {
      if (target._tag === "PaneHandle") return yield* panes.remove(yield* panes.need(target))
      yield* panes.needWindow(target)
      yield* Effect.forEach(panes.in(target), panes.remove, { concurrency: "unbounded", discard: true })
    }, Effect.uninterruptible),
    closeSession: (name) =>
      Effect.uninterruptible(
        Effect.forEach(panes.inSession(name), panes.remove, { concurrency: "unbounded", discard: true })
      ),
    write,
    deliver,
    capture: Effect.fnUntraced(function*(handle, { ansi, range }) {
      const pane = yield* panes.need(handle)
      return (yield* flushed(pane)).read(range, ansi)
    }),
    focus: Effect.fnUntraced(function*(target) {
      if (target._tag === "PaneHandle") return panes.focus(yield* panes.need(target))
      yield* panes.needWindow(target)
      panes.focusWindow(target)
    }),
    watch: Effect.fnUntraced(function*(handle, on) {
      const { process: { screen } } = yield* panes.need(handle)
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          screen.wakes.add(on.wake)
          if (on.overflow !== undefined) screen.watch(on.overflow)
        }),
        () =>
          Effect.sync(() => {
            screen.wakes.delete(on.wake)
            if (on.overflow !== undefined) screen.unwatch(on.overflow)
          })
      )
    }),
    watchAll,
    output: (handle) => Stream.unwrap(Effect.map(panes.need(handle), (pane) => pane.process.output.stream)),
    resize: Effect.fnUntraced(function*(handle, wanted) {
      const pane = yield* panes.need(handle)
      if (pane.process.dead()) return yield* new TargetNotFound({ target: handle, reason: "absent" })
      resize(pane, wanted)
    }),
    remember: Effect.fnUntraced(function*(target, facts) {
      const holder = yield* target._tag === "PaneHandle" ? panes.need(target) : panes.needWindow(target)
      holder.facts = { ...holder.facts, ...facts }
    }),
    writeDeadline: stall,
    declared: { exitStatus: "native", ansi: "native" }
  }

  const passthrough: Passthrough.Service = {
    open,
    write: Effect.fnUntraced(function*(handle, bytes) {
      const pane = yield* panes.need(handle)
      yield* Deferred.await(pane.process.ready)
      const encoder = piped.get(pane)
      const encoded = encoder === undefined ? bytes : encoder.encode(bytes)
      yield* Effect.ignore(pane.process.input.write(encoded, Infinity))
    }),
    end: Effect.fnUntraced(function*(handle) {
      const pane = yield* panes.need(handle)
      yield* Deferred.await(pane.process.ready)
      const encoder = piped.get(pane) ?? PipedInput.make()
      yield* Effect.ignore(pane.process.input.write(encoder.end(), Infinity))
      yield* Effect.forkIn(PipedInput.endAgain(pane.process), pane.scope)
    }),
    stopped: (handle) => Effect.map(panes.need(handle), ({ process: { pid } }) => Reap.isStopped(pid)),
    proceed: (handle) => Effect.map(panes.need(handle), ({ process: { pid } }) => Reap.proceed(pid)),
    restore: Effect.fnUntraced(function*(handle) {
      return (yield* flushed(yield* panes.need(handle))).restore()
    })
  }

  const view = Viewing.make({
    panes,
    locks: yield* PaneLocks.PaneLocks,
    stall: Duration.toMillis(stall),
    isSize,
    resize
  })

  const runtime = yield* Effect.provideService(TerminalRuntime.make(primitives), Roots.RealPath, realPath)
  return Context.make(TerminalRuntime.TerminalRuntime, runtime).pipe(
    Context.add(Passthrough.Passthrough, Option.some(passthrough)),
    Context.add(PaneView.PaneView, Option.some(view))
  )
})

/** Of this process; absent where it was removed. */
const workingDirectory = (): string | undefined => {
  try {
    return process.cwd()
  } catch {
    return undefined
  }
}

/** Of what the program may have left on, focus events and marked pastes would reach the shell as text. */
const thenShell = (argv: readonly [string, ...Array<string>]): readonly [string, ...Array<string>] => [
  "/bin/sh",
  "-c",
  "\"$@\"; printf '\\033[?1004l\\033[?2004l'; exec \"${SHELL:-/bin/sh}\" -l",
  "sh",
  ...argv
]

/**
 * Provides `TerminalRuntime` over pseudo-terminals of this process; closing the scope ends every pane and all that it
 * started. Fails with `RuntimeUnavailable` where there is no native pty. Panes are locked within this process.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  options: Options = {}
): Layer.Layer<TerminalRuntime.TerminalRuntime, RuntimeUnavailable> =>
  Layer.effectContext(make(options)).pipe(
    Layer.provide(
      Layer.sync(
        PaneLocks.PaneLocks,
        () => PaneLocks.makeMemory(Duration.fromInputUnsafe(options.lock ?? PaneLocks.defaultWait))
      )
    )
  )
