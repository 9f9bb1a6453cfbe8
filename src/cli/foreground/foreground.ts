/**
 * One command in a pane, as if it had been started here: its output is this process's output, this process's input is
 * its input, and its end is the end.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Size, SpawnRequest } from "../../Contract.ts"
import * as Passthrough from "../../Passthrough.ts"
import * as RuntimeConfig from "../../RuntimeConfig.ts"
import type { Exit, PaneHandle } from "../../Target.ts"
import { TerminalRuntime } from "../../TerminalRuntime.ts"
import { Caller } from "../Caller.ts"
import * as Environment from "../environment.ts"
import * as Collected from "./collected.ts"
import { tellKept } from "./kept.ts"
import * as LineEndings from "./lineEndings.ts"

export interface Request {
  readonly argv: readonly [string, ...Array<string>]
  readonly cwd: string | undefined
  readonly env: Readonly<Record<string, string>>
  readonly size: Size | undefined
  readonly timeout: Duration.Duration | undefined
  /** True: the output is kept for the result instead of written. */
  readonly collect: boolean
  /** The pane stays; its window may be named. */
  readonly keep: { readonly window: string | undefined; readonly session: string | undefined } | undefined
}

export interface Result {
  /** Absent when the deadline passed first; the command was ended then. */
  readonly exit: Exit | undefined
  /** Empty unless it was collected. */
  readonly output: string
  readonly truncated: boolean
  readonly pane: PaneHandle
}

/**
 * Fails as `spawn` does, and with the output's errors when it cannot be written. Interrupted or failed, it ends the
 * command and all that it started first.
 */
export const run = Effect.fn("cli.run")(function*(request: Request) {
  const caller = yield* Caller
  const runtime = yield* TerminalRuntime
  const passthrough = yield* Passthrough.Passthrough
  const onTerminal = caller.outputIsTerminal && !request.collect
  const collected = Collected.make()
  // keys that nobody forwards keep their meaning: Ctrl-C ends this process
  if (Option.isSome(passthrough) && (caller.input === "keyboard" || onTerminal)) yield* caller.raw

  const fromHost = request.keep !== undefined && runtime.runtime === "pty"
  const spawn: SpawnRequest = {
    program: { argv: request.argv },
    cwd: request.cwd,
    env: {
      ...(fromHost ? Environment.handed(caller.env, (yield* RuntimeConfig.Current).env, false) : {}),
      ...(onTerminal ? kindOf(caller.env) : {}),
      ...request.env
    },
    unset: [
      ...(fromHost ? [Environment.all] : []),
      ...(onTerminal && !caller.env.COLORTERM ? ["COLORTERM"] : [])
    ],
    size: request.size ?? (onTerminal ? caller.size() : undefined),
    onExit: "hold",
    placement: placementOf(request.keep)
  }
  const open = Option.match(passthrough, {
    onNone: () => runtime.spawn(spawn),
    onSome: (through) =>
      through.open(spawn, {
        input: caller.input === "keyboard" ? "keyboard" : "pipe",
        replies: !(onTerminal && caller.input === "keyboard")
      })
  })
  const { handle: pane } = yield* Effect.acquireRelease(open, ({ handle }, end) =>
    Effect.andThen(
      onTerminal && Option.isSome(passthrough) ? restoreTerminal(caller, passthrough.value, handle) : Effect.void,
      request.keep === undefined ? Effect.ignore(runtime.closePane(handle)) : tellKept(handle, end)
    ))

  if (Option.isSome(passthrough)) yield* Effect.forkScoped(forwardInput(passthrough.value, pane))
  if (onTerminal && request.size === undefined) {
    yield* Effect.forkScoped(
      Stream.runForEach(caller.resizes, (size) => Effect.ignore(runtime.resize(pane, size)))
    )
  }

  const output = onTerminal ? runtime.output(pane) : withoutCarriageReturns(runtime.output(pane))
  const drained = Stream.runForEachArray(output, (chunks) => {
    if (!request.collect) return caller.write(joined(chunks))
    return Effect.sync(() => chunks.forEach(collected.add))
  })
  const inTime = yield* request.timeout === undefined
    ? Effect.asSome(drained)
    : Effect.timeoutOption(drained, request.timeout)
  const exit = Option.isSome(inTime) ? (yield* runtime.describe(pane)).exit : undefined
  // a deadline ends the command, whether its pane stays or not
  if (Option.isNone(inTime) && request.keep !== undefined) yield* Effect.ignore(runtime.closePane(pane))
  return { exit, output: collected.text(), truncated: collected.truncated(), pane } satisfies Result
}, Effect.scoped)

/** A kept pane that names no window is where the runtime puts it. */
export const placementOf = (keep: Request["keep"]) =>
  keep?.window === undefined ? undefined : {
    window: keep.window,
    ...(keep.session === undefined ? {} : { session: keep.session })
  }

/** The terminal that shows the bytes is the caller's, so the program is told its kind. */
const kindOf = ({ COLORTERM, TERM }: Readonly<Record<string, string | undefined>>) => ({
  ...(TERM ? { TERM } : {}),
  ...(COLORTERM ? { COLORTERM } : {})
})

const joined = (chunks: ReadonlyArray<Uint8Array>): Uint8Array => {
  const [first] = chunks
  if (chunks.length === 1 && first !== undefined) return first
  const all = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
  chunks.reduce((at, chunk) => {
    all.set(chunk, at)
    return at + chunk.length
  }, 0)
  return all
}

const withoutCarriageReturns = <E, R>(output: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E, R> =>
  Stream.suspend(() => {
    const endings = LineEndings.make()
    return output.pipe(
      Stream.map(endings.restore),
      Stream.concat(Stream.sync(endings.rest)),
      Stream.filter((chunk) => chunk.length > 0)
    )
  })

const forwardInput = Effect.fnUntraced(function*(through: Passthrough.Service, pane: PaneHandle) {
  const caller = yield* Caller
  const keyboard = caller.input === "keyboard"
  const forward = (bytes: Uint8Array) =>
    Effect.andThen(
      through.write(pane, bytes),
      keyboard && bytes.includes(suspendKey) ? stopTogether(through, pane) : Effect.void
    )
  if (caller.input !== "none") yield* Stream.runForEach(caller.read, forward)
  yield* through.end(pane)
}, (effect) => Effect.ignore(effect))

/** Ctrl-Z. */
const suspendKey = 0x1a

/** A program that stopped itself in its own terminal has no shell there; the one around this process continues both. */
const stopTogether = Effect.fnUntraced(function*(through: Passthrough.Service, pane: PaneHandle) {
  yield* Effect.sleep("100 millis")
  if (!(yield* through.stopped(pane))) return
  const caller = yield* Caller
  yield* caller.suspend
  yield* through.proceed(pane)
})

/** What the program left switched on would stay on in the caller's terminal: a hidden cursor, the other screen. */
const restoreTerminal = Effect.fnUntraced(function*(
  caller: Caller["Service"],
  through: Passthrough.Service,
  pane: PaneHandle
) {
  const text = yield* through.restore(pane)
  if (text !== "") yield* caller.write(new TextEncoder().encode(text))
}, (effect) => Effect.ignore(effect))
