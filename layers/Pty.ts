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
import { randomBytes } from "node:crypto"
import { hostname } from "node:os"
import type { Delivered, Delivery, Place, Primitives, SpawnRequest } from "../src/Contract.ts"
import * as Contract from "../src/Contract.ts"
import * as Roots from "../src/internal/roots.ts"
import * as Keys from "../src/Keys.ts"
import * as PaneLocks from "../src/PaneLocks.ts"
import * as Passthrough from "../src/Passthrough.ts"
import type { RuntimeUnavailable } from "../src/RuntimeError.ts"
import { InvalidRequest, TargetNotFound } from "../src/RuntimeError.ts"
import type * as Send from "../src/Send.ts"
import type * as Target from "../src/Target.ts"
import * as TerminalRuntime from "../src/TerminalRuntime.ts"
import type { Wakes } from "../src/Waiting.ts"
import { realPath } from "./internal/realPath.ts"
import * as Command from "./pty/command.ts"
import * as Native from "./pty/native.ts"
import * as Panes from "./pty/panes.ts"
import * as PipedInput from "./pty/pipedInput.ts"
import * as PtyProcess from "./pty/process.ts"
import * as Reap from "./pty/reap.ts"

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
  readonly size?: Contract.Size | undefined
  /** Rows that a pane keeps above its screen; about 3 MB for 1000 rows of 120 columns when full. Defaults to 1000. */
  readonly scrollback?: number | undefined
  /** Session that an absent option means. Defaults to `PANEWAY_SESSION`, else `paneway`. */
  readonly session?: string | undefined
  /** Shell of panes that are given no program. Defaults to `$SHELL`, else the user's login shell, else `/bin/sh`. */
  readonly shell?: string | undefined
  /** Environment that panes inherit, multiplexer variables aside. Defaults to that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Time without progress after which a send is cut. Defaults to 5 seconds. */
  readonly stall?: Duration.Input | undefined
}

const largest = 5000
const isSize = (size: Contract.Size) =>
  [size.columns, size.rows].every((side) => Number.isInteger(side) && side >= 1 && side <= largest)

const badSize = (operation: string) =>
  new InvalidRequest({ operation, field: "size", reason: `needs whole columns and rows from 1 to ${largest}` })

const make = Effect.fnUntraced(function*(options: Options) {
  const loaded = yield* Native.load
  const inherited: Readonly<Record<string, string | undefined>> = {
    ...(options.env ?? process.env),
    ...(options.shell === undefined ? {} : { SHELL: options.shell })
  }
  const size = options.size ?? { columns: 120, rows: 40 }
  const scrollback = options.scrollback ?? 1000
  const session = options.session ?? (inherited.PANEWAY_SESSION?.trim() || "paneway")
  const stall = Duration.fromInputUnsafe(options.stall ?? "5 seconds")
  const nonce = randomBytes(8).toString("hex")
  const identity = { runtime: "pty", host: hostname(), scope: `process-${process.pid}-${nonce}`, incarnation: nonce }
  const layerScope = yield* Effect.scope
  const paneScopes = yield* Scope.fork(layerScope, "parallel")
  const panes = Panes.make(identity)
  const piped = new WeakMap<Panes.HeldPane, ReturnType<typeof PipedInput.make>>()

  const open = Effect.fnUntraced(function*(request: SpawnRequest, how: Passthrough.Options) {
    const wanted = request.size ?? size
    if (!isSize(wanted)) return yield* badSize("spawn")
    const command = yield* Command.make(request, inherited, workingDirectory())
    const place = yield* panes.place(request, session, command)
    const outer = inherited[Reap.tagVariable]
    const own = randomBytes(8).toString("hex")
    const tag = outer === undefined ? own : `${outer}/${own}`
    const after = request.onExit === "shell" ? thenShell(command.argv) : command.argv
    const wrapped = how.input === "pipe"
      ? PipedInput.wrap(after, command.env, own)
      : { argv: after, env: {}, preamble: undefined }
    const scope = yield* Scope.fork(paneScopes)
    const started = yield* PtyProcess.start(loaded, {
      ...wanted,
      command: { ...command, argv: wrapped.argv, env: { ...command.env, ...wrapped.env, [Reap.tagVariable]: tag } },
      tag,
      scrollback,
      replies: how.replies,
      preamble: wrapped.preamble
    }).pipe(Scope.provide(scope), Effect.onError(() => Scope.close(scope, Exit.void)))
    const pane = panes.add(place, { command, title: request.title, process: started, scope, size: wanted })
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

  const describeAfter = (pane: Panes.HeldPane) => Effect.map(pane.process.screen.flush, () => pane.process.screen)

  /** Panes whose program has not read what was sent last: a text was cut there. */
  const clogged = new WeakSet<Panes.HeldPane>()

  const write = Effect.fnUntraced(function*(pane: Panes.HeldPane, step: Send.Step, before: Place, already: number) {
    const bytes = Buffer.from(encode(pane, step), "utf8")
    yield* Effect.mapError(
      pane.process.input.write(bytes, Duration.toMillis(stall)),
      (cut) => {
        const written = already + cut.written
        if (written > 0) clogged.add(pane)
        return new Contract.WriteFailed({
          stage: step._tag === "Type" ? "send-keys" : "submit",
          written: written === 0 ? "nothing" : written,
          before,
          cause: cut.cause
        })
      }
    )
    clogged.delete(pane)
    return bytes.length
  })

  const deliver = Effect.fnUntraced(function*(handle: Target.PaneHandle, delivery: Delivery) {
    const pane = yield* panes.need(handle)
    const screen = yield* describeAfter(pane)
    const newline = delivery.steps.some((step) => step._tag !== "Press" && step.text.includes("\n"))
    if (delivery.unless.includes("dead") && pane.process.exit() !== undefined) {
      return { _tag: "Refused", obstacles: ["dead"] } satisfies Delivered
    }
    if (delivery.unless.includes("no-bracketed-paste") && newline && !screen.bracketedPaste()) {
      return { _tag: "Refused", obstacles: ["no-bracketed-paste"] } satisfies Delivered
    }
    const seen = screen.read("visible")
    const before: Place = { at: seen.cursor, ...(delivery.rows ? { tail: seen.rows } : {}) }
    const typed = Effect.gen(function*() {
      let bytes = 0
      for (const step of delivery.steps) bytes += yield* write(pane, step, before, bytes)
      return { _tag: "Written", before, bytes } satisfies Delivered
    })
    if (!clogged.has(pane) || !delivery.unless.includes("draining")) return yield* typed
    return yield* Effect.catchIf(
      typed,
      ({ written }) => written === "nothing",
      () => Effect.succeed({ _tag: "Refused", obstacles: ["draining"] } satisfies Delivered)
    )
  })

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
    write: Effect.fnUntraced(function*(handle, step) {
      const pane = yield* panes.need(handle)
      yield* write(pane, step, {}, 0)
    }),
    deliver,
    capture: Effect.fnUntraced(function*(handle, { range }) {
      const pane = yield* panes.need(handle)
      return (yield* describeAfter(pane)).read(range)
    }),
    watch: Effect.fnUntraced(function*(handle, on) {
      const { process: { screen } } = yield* panes.need(handle)
      yield* Effect.acquireRelease(
        Effect.sync(() => screen.wakes.add(on.wake)),
        () => Effect.sync(() => screen.wakes.delete(on.wake))
      )
    }),
    watchAll,
    output: (handle) => Stream.unwrap(Effect.map(panes.need(handle), (pane) => pane.process.output.stream)),
    resize: Effect.fnUntraced(function*(handle, wanted) {
      const pane = yield* panes.need(handle)
      if (pane.process.exit() !== undefined) return yield* new TargetNotFound({ target: handle, reason: "absent" })
      pane.size = wanted
      pane.process.resize(wanted)
    }),
    remember: Effect.fnUntraced(function*(target, facts) {
      const holder = yield* target._tag === "PaneHandle" ? panes.need(target) : panes.needWindow(target)
      holder.facts = { ...holder.facts, ...facts }
    }),
    writeDeadline: stall,
    declared: { exitStatus: "native" }
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
      return (yield* describeAfter(yield* panes.need(handle))).restore()
    })
  }

  const runtime = yield* Effect.provideService(TerminalRuntime.make(primitives), Roots.RealPath, realPath)
  return Context.make(TerminalRuntime.TerminalRuntime, runtime).pipe(
    Context.add(Passthrough.Passthrough, Option.some(passthrough))
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

const thenShell = (argv: readonly [string, ...Array<string>]): readonly [string, ...Array<string>] => [
  "/bin/sh",
  "-c",
  "\"$@\"; exec \"${SHELL:-/bin/sh}\" -l",
  "sh",
  ...argv
]

const encode = (pane: Panes.HeldPane, step: Send.Step): string => {
  if (step._tag === "Press") {
    const { applicationCursorKeys, applicationKeypad, keyboardFlags } = pane.process.screen
    return Keys.encode(step.key, {
      applicationCursorKeys: applicationCursorKeys(),
      applicationKeypad: applicationKeypad(),
      disambiguate: (keyboardFlags() & 1) === 1
    })
  }
  const paste = step._tag === "Prompt" || step.paste
  const text = paste && pane.process.screen.bracketedPaste() ? `\x1b[200~${step.text}\x1b[201~` : step.text
  return step._tag === "Prompt" ? `${text}\r` : text
}

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
  Layer.effectContext(make(options)).pipe(Layer.provide(PaneLocks.layerMemory))
