/**
 * One program on its own pseudo-terminal: started, read to the last byte, written to, and ended with all it started.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import { closeSync, constants, openSync } from "node:fs"
import { constants as os } from "node:os"
import { ReadStream } from "node:tty"
import type { Size } from "../../src/Contract.ts"
import { SpawnFailed } from "../../src/RuntimeError.ts"
import type * as Target from "../../src/Target.ts"
import * as Pasting from "../internal/pasting.ts"
import type { Command } from "./command.ts"
import type { Loaded } from "./native.ts"
import * as OutputLog from "./outputLog.ts"
import * as Prompted from "./prompted.ts"
import * as Reap from "./reap.ts"
import * as Replies from "./replies.ts"
import * as ScreenModel from "./screenModel.ts"
import * as WriteQueue from "./writeQueue.ts"

/** Milliseconds of silence after the exit, with the terminal still held open by a survivor, that count as its end. */
const quiet = 100
/** A survivor that never falls silent is cut off after so many milliseconds, or so many bytes. */
const longest = 5000
const longestTail = 1024 * 1024

export interface Options extends Size {
  readonly command: Command
  readonly tag: string
  readonly scrollback: number
  /** False: a terminal that sees the same bytes answers the program's queries. */
  readonly replies: boolean
  /** The first bytes of output are exactly these and belong to no program. */
  readonly preamble: Uint8Array | undefined
}

export interface PtyProcess {
  readonly pid: number
  readonly tty: string
  readonly output: OutputLog.OutputLog
  readonly screen: ScreenModel.ScreenModel
  readonly input: WriteQueue.WriteQueue
  /** Done once the preamble was read, or the program ended before. */
  readonly ready: Deferred.Deferred<void>
  /** Succeeds once a text of any length can be sent, or that took too long (false): see `prompted.ts`. */
  readonly prompted: (longest: number) => Effect.Effect<boolean>
  /** The program that would read it asked for marked pastes. */
  readonly marksPastes: () => boolean
  /** How often the program has asked for marked pastes, as line editors do at each prompt. */
  readonly prompts: () => number
  /** Done after the program ended and its last byte was read. */
  readonly ended: Deferred.Deferred<Target.Exit>
  readonly exit: () => Target.Exit | undefined
  /** The program ended, although not all that it printed may have been read. Nothing is written to it any more. */
  readonly dead: () => boolean
  readonly resize: (size: Size) => void
  /** Name of the program in the foreground, as the kernel tells it. */
  readonly foreground: () => string | undefined
}

const signalName = (signal: number): string =>
  Object.entries(os.signals).find(([, number]) => number === signal)?.[0] ?? `SIG${signal}`

/** Forks. The scope owns the process: closing it ends everything that the program started. */
export const start = (
  loaded: Loaded,
  options: Options
): Effect.Effect<PtyProcess, SpawnFailed, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.flatMap(Effect.context(), (context) =>
        Effect.try({ try: () => open(loaded, options, Effect.runForkWith(context)), catch: noPty })),
      ({ close }) =>
        close
    ),
    ({ pane }) => pane
  )

const noPty = (cause: unknown) =>
  new SpawnFailed({
    runtime: "pty",
    reason: "no-space",
    detail: "the system gave no pseudo-terminal or process: close some panes, or raise the limits",
    created: "nothing",
    cause
  })

/** The loop has asked the system for readable terminals since: a busy loop runs late timers before it reads. */
const looked: Effect.Effect<void> = Effect.callback((resume) => {
  setImmediate(() => setImmediate(() => resume(Effect.void)))
})

interface Status {
  exit: Target.Exit | undefined
  /** The program ended and its last byte was read. */
  over: boolean
  /** The terminal can be read and written. */
  open: boolean
  /** Bytes read so far. */
  received: number
}

/** A program may close its terminal and open it again: as long as somebody has it open, it is not hung up. */
const hold = (tty: string): number | undefined => {
  try {
    return openSync(tty, constants.O_RDWR | constants.O_NOCTTY)
  } catch {
    return undefined // out of descriptors: the program is hung up if it closes all of its own
  }
}

const release = (held: number | undefined): void => {
  if (held !== undefined) closeSync(held)
}

type RunFork = <A, E>(effect: Effect.Effect<A, E>) => unknown

const open = ({ helperPath, native }: Loaded, options: Options, run: RunFork) => {
  const { columns, command, rows } = options
  const owned = Reap.begin(options.tag)
  const status: Status = { exit: undefined, over: false, open: true, received: 0 }
  const ended = Deferred.makeUnsafe<Target.Exit>()
  const ready = Deferred.makeUnsafe<void>()
  const drained = Deferred.makeUnsafe<void>()

  const child = native.fork(
    command.argv[0],
    command.argv.slice(1),
    Object.entries(command.env).map(([name, value]) => `${name}=${value}`),
    command.cwd,
    columns,
    rows,
    -1,
    -1,
    true, // IUTF8: Backspace at a cooked prompt removes a character, not a byte
    helperPath,
    (code, signal) => {
      status.exit = signal > 0 ? { code: 128 + signal, signal: signalName(signal) } : { code }
      release(held)
      run(afterExit(Reap.noteExit(owned)))
    }
  )
  owned.leader = child.pid
  owned.tty = child.pty
  const held = hold(child.pty)
  Reap.guard(owned)

  const socket = new ReadStream(child.fd)
  // after the exit the rest is read at once: it is no more than the kernel's buffer, and nothing refills that
  const stops = new Set<"reader" | "screen">()
  const flow = (who: "reader" | "screen") => (on: boolean) => {
    if (on) stops.delete(who)
    else stops.add(who)
    if (stops.size === 0 || status.exit !== undefined) socket.resume()
    else socket.pause()
  }
  const output = OutputLog.make(flow("reader"))
  const input = WriteQueue.make(child.fd, () => status.open && status.exit === undefined)
  const reply = Replies.make(input, run)
  let prompts = 0
  const pasting = Pasting.make(child.pid)
  const screen = ScreenModel.make({
    columns,
    rows,
    scrollback: options.scrollback,
    reply: options.replies ? reply : undefined,
    onPasteMode: () => {
      prompts += 1
      pasting.asked()
    }
  }, flow("screen"))

  let preamble = options.preamble
  if (preamble === undefined) Deferred.doneUnsafe(ready, Exit.void)
  let start: Uint8Array = new Uint8Array(0)
  const deliver = (chunk: Uint8Array) => {
    output.push(chunk)
    screen.feed(chunk)
  }
  const receive = (chunk: Uint8Array) => {
    status.received += chunk.length
    if (preamble === undefined) return deliver(chunk)
    start = Buffer.concat([start, chunk])
    if (start.length < preamble.length) return
    const matches = Buffer.compare(start.subarray(0, preamble.length), preamble) === 0
    const rest = matches ? start.subarray(preamble.length) : start
    preamble = undefined
    Deferred.doneUnsafe(ready, Exit.void)
    if (rest.length > 0) deliver(rest)
  }
  /** Its number and its name may be given to another one now. */
  const shut = () => {
    status.open = false
    owned.tty = undefined
    socket.destroy()
  }
  socket.on("data", receive)
  socket.on("end", shut)
  socket.on("error", shut) // EIO: how Linux says that the last process let go of the terminal
  socket.on("close", () => Deferred.doneUnsafe(drained, Exit.void))

  /** No byte follows. */
  const finish = () => {
    if (status.over) return
    status.over = true
    if (preamble !== undefined && start.length > 0) deliver(start)
    preamble = undefined
    output.end()
    Deferred.doneUnsafe(ready, Exit.void)
    Deferred.doneUnsafe(ended, Exit.succeed(status.exit ?? {}))
    const waiting = [...screen.wakes] // over a copy: a woken one may wait again at once
    for (const wake of waiting) wake()
  }
  const silence = Effect.gen(function*() {
    const first = status.received
    for (let waited = 0; waited < longest; waited += quiet) {
      const before = status.received
      yield* Effect.sleep(quiet)
      yield* looked
      if (before === status.received || before > first + longestTail) return
    }
  })
  const afterExit = Effect.fnUntraced(function*(note: Effect.Effect<void>) {
    socket.resume()
    const noted = Deferred.makeUnsafe<void>()
    run(Effect.andThen(note, Effect.sync(() => Deferred.doneUnsafe(noted, Exit.void))))
    yield* Effect.raceFirst(Deferred.await(drained), Effect.andThen(silence, Deferred.await(noted)))
    shut()
    yield* Effect.timeoutOption(screen.fed, longest)
    screen.release()
    finish()
  })

  const pane: PtyProcess = {
    pid: child.pid,
    tty: child.pty,
    output,
    screen,
    input,
    ready,
    prompted: Prompted.make(command, child.pty, screen),
    marksPastes: () => pasting.counts(screen.bracketedPaste()),
    prompts: () => prompts,
    ended,
    exit: () => status.over ? status.exit : undefined,
    dead: () => status.exit !== undefined || !status.open,
    resize: (size) => {
      if (status.open && status.exit === undefined) native.resize(child.fd, size.columns, size.rows, 0, 0)
      screen.resize(size)
    },
    foreground: () => status.open && status.exit === undefined ? native.process(child.fd, child.pty) : undefined
  }
  const close = Effect.ensuring(
    Reap.end(owned),
    Effect.sync(() => {
      Reap.release(owned)
      shut()
      finish()
      screen.dispose()
    })
  )
  return { pane, close }
}
