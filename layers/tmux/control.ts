/**
 * One client of a tmux server in control mode, for as long as its scope: commands go down one pipe and are answered in
 * order, and the server tells what changes in the session that the client is attached to.
 *
 * It has no size and no say in those of windows, takes no focus, leaves the session's environment alone and starts no
 * server.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import * as Deadline from "./deadline.ts"
import { NoAnswer, OtherServer } from "./failures.ts"
import * as Lag from "./lag.ts"
import * as Protocol from "./protocol.ts"
import { type Command, group } from "./quoting.ts"
import type { Server } from "./server.ts"
import {
  type Answer,
  isQuestion,
  type Life,
  lifeFormat,
  lifeOf,
  lines,
  needsGuard,
  nonce,
  print,
  type Transport
} from "./transport.ts"
import { has, type Version } from "./version.ts"

/** What the server tells without being asked. */
export type Told = Exclude<Protocol.Event, { readonly _tag: "Reply" | "Exit" | "Broken" }>

export interface Options {
  readonly binary: string
  readonly server: Server
  readonly env: Readonly<Record<string, string>>
  readonly deadline: Duration.Duration
  /** Of the session, as `$1`. */
  readonly session: string
  readonly version: Version | undefined
  /** It is not told what panes print, so that nothing comes before an answer. Not for servers without client flags. */
  readonly silent?: true | undefined
  /** While it attaches and while it leaves, nobody else does, and nobody changes what all clients are told of. */
  readonly apart: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Called from inside the parser: it must be short. */
  readonly told: (told: Told) => void
  /** The client is gone, or gives no answers any more; called once. */
  readonly over: (why: Over) => void
}

/**
 * `wedged`: the server took commands and did not answer them in time. `useless`: it was asked something, and never
 * answered but to say who it is.
 */
export interface Over {
  readonly reason: string
  readonly wedged: boolean
  readonly useless: boolean
}

export interface ControlClient extends Transport {
  readonly session: string
  /** No other client has it. */
  readonly name: string
  readonly life: Life
  readonly isOver: () => boolean
  /** Panes print more than it can be told, and answers wait behind that. */
  readonly isBehind: () => boolean
  /** It holds the output of that pane back. */
  readonly isPaused: (pane: string) => boolean
  /** All that the pane printed until an answer that just came, of this client or of another one, was told. */
  readonly hearsAll: (pane: string) => boolean
  /** Executes a command after those before it; nobody waits for its answer. */
  readonly tell: (command: Command) => void
}

/** A group of commands that was written and not answered yet. It outlives who asked, so that answers stay in order. */
interface Slot {
  /** When it was written, in milliseconds, and how long it may go unanswered. */
  readonly since: number
  most: number
  /** It changes nothing, and can be asked again. */
  question: boolean
  /** Nothing of it can have reached the server. */
  unsent: boolean
  readonly kinds: ReadonlyArray<Kind>
  /** Printed after all, where the number of replies is not known before. */
  readonly last: string | undefined
  readonly outputs: Array<string>
  readonly branch: Array<string>
  at: number
  failure: string | undefined
  disturbed: boolean
  done: (result: Exit.Exit<Answer, NoAnswer>) => void
}

/** What the next reply is: of a command, of a word between two, or of a command with a branch, of unknown number. */
type Kind = "plain" | "guarded" | "word" | "branch"

const kindOf = (command: Command): Kind =>
  command[0] === "if-shell" ? "branch" : needsGuard(command) ? "guarded" : "plain"

/** Seconds that a client may lag behind the output of a pane before it is paused. */
const pauseAfter = 5

/** Milliseconds since its last output for which a pane counts as printing. */
const hotFor = 2000

/** Panes of which that is known at the same time. */
const mostHot = 4096

/** Bytes that may wait to be written. */
const mostWaiting = 64 * 1024 * 1024

/** Characters that are written whole or not at all: 4096 bytes of any text. */
const atOnce = 1024

/** For the client to go by itself. */
const leaving = Duration.seconds(1)

const attachArgs = ({ server, session, silent, version }: Options): ReadonlyArray<string> =>
  has(version, "clientFlags")
    ? [...server.args, "-u", "-N", "-C", "attach-session", "-E", "-t", session, "-f", silent ? unheard : heard]
    : [...server.args, "-u", "-C", "attach-session", "-E", "-t", session]

// from the start, and never changed: older servers forget a client whose flag is changed while panes print
const heard = `ignore-size,pause-after=${pauseAfter}`
const unheard = "ignore-size,no-output"

const unknownLife: Life = { incarnation: "", version: undefined }

/** How often more a question is asked whose answer holds a line that may not belong there. */
const askedAgain = 2

const failed = (reason: NoAnswer["reason"], detail: string, sent: boolean, cause?: unknown) =>
  new NoAnswer({ reason, detail, sent, cause })

/** The process, which goes with the scope: by itself where it can, since it is the server's client. */
const start = (options: Options, leave: (child: ChildProcessWithoutNullStreams) => Effect.Effect<void>) =>
  Effect.acquireRelease(
    Effect.try({
      try: () => spawn(options.binary, attachArgs(options), { env: options.env, stdio: ["pipe", "pipe", "pipe"] }),
      catch: (cause) => failed("missing-program", `${options.binary} cannot be run`, false, cause)
    }),
    leave
  )

const isRunning = (child: ChildProcessWithoutNullStreams) => child.exitCode === null && child.signalCode === null

/** Attaches, and succeeds once the server has answered. */
export const attach = Effect.fnUntraced(function*(options: Options) {
  const { deadline, over, session, told } = options
  const clock = yield* Clock.Clock
  const slots: Array<Slot> = []
  const hot = new Map<string, number>()
  const lag = Lag.make()
  const longest = Duration.toMillis(deadline)
  const paused = new Set<string>()
  const ready = Deferred.makeUnsafe<void, NoAnswer>()
  const state: {
    child: ChildProcessWithoutNullStreams | undefined
    ended: Over | undefined
    life: Life | undefined
    answered: boolean
    stderr: string
  } = {
    child: undefined,
    ended: undefined,
    life: undefined,
    answered: false,
    stderr: ""
  }

  const end = (reason: string, wedged = false) => {
    if (state.ended !== undefined) return
    state.ended = { reason, wedged, useless: state.life !== undefined && !state.answered && slots.length > 0 }
    overdue.stop()
    const pending = slots.splice(0)
    for (const { done, unsent } of pending) done(Exit.fail(failed("lost", reason, !unsent)))
    Deferred.doneUnsafe(ready, Exit.fail(failed("lost", state.stderr.trim() || reason, false)))
    over(state.ended)
    if (wedged) state.child?.kill("SIGKILL")
    else state.child?.stdin.end()
  }

  const put = (
    child: ChildProcessWithoutNullStreams,
    asked: Pick<Slot, "kinds" | "last" | "done" | "question">,
    text: string
  ) => {
    const slot: Slot = {
      ...asked,
      unsent: false,
      since: clock.currentTimeMillisUnsafe(),
      most: asked.question ? longest / 2 : longest,
      outputs: [],
      branch: [],
      at: 0,
      failure: undefined,
      disturbed: false
    }
    slots.push(slot)
    overdue.watch()
    child.stdin.write(text, (error) => {
      slot.unsent = text.length <= atOnce && error !== null && error !== undefined
    })
  }

  const late = `the server at ${options.server.path} did not answer within ${Duration.toSeconds(deadline)} s`

  const overdue = yield* Deadline.make<Slot>({
    every: longest / 16,
    now: () => clock.currentTimeMillisUnsafe(),
    waiting: () => slots,
    passed: (slot) => {
      const { question } = slot
      // a question can be asked by another way, in time
      slot.done(Exit.fail(failed(question ? "lost" : "timed-out", late, true)))
      slot.done = () => {}
      slot.most = longest
      slot.question = false
      // behind much output, answers come late, but come
      if (!question || !lag.isBehind(clock.currentTimeMillisUnsafe())) end(late, true)
    }
  })

  const finish = (slot: Slot) => {
    slots.shift()
    state.answered = state.life !== undefined
    const { branch, disturbed, failure, outputs } = slot
    if (branch.length > 0) outputs.push(branch.filter((text) => text !== "").join("\n"))
    slot.done(Exit.succeed({ life: state.life ?? unknownLife, outputs, failure, disturbed }))
  }

  const onReply = ({ disturbed, ok, own, text }: Protocol.Reply) => {
    if (!own) {
      // the first one is that of attaching
      if (ok) Deferred.doneUnsafe(ready, Exit.void)
      else Deferred.doneUnsafe(ready, Exit.fail(failed("lost", text, false)))
      return
    }
    const [slot] = slots
    if (slot === undefined) return end("the server answered what nobody asked")
    if (slot.last !== undefined && text === slot.last) return finish(slot)
    const kind = slot.kinds[slot.at]
    slot.disturbed ||= disturbed
    if (!ok) {
      slot.failure ??= text
    } else if (kind === "branch") {
      slot.branch.push(text)
    } else {
      if (kind !== "word") slot.outputs.push(text)
      slot.at += 1
    }
    if (slot.last === undefined && (!ok || slot.at === slot.kinds.length)) finish(slot)
  }

  const onEvent = (event: Protocol.Event) => {
    if (event._tag === "Output") {
      if (hot.size > mostHot) hot.clear()
      const now = clock.currentTimeMillisUnsafe()
      hot.set(event.pane, now)
      lag.note(event.age, now)
      return told(event)
    }
    if (event._tag === "Reply") return onReply(event)
    if (event._tag === "Paused") paused.add(event.pane)
    if (event._tag === "Continued") paused.delete(event.pane)
    if (event._tag === "Exit") return end(event.reason === "" ? "the client was detached" : event.reason)
    if (event._tag === "Broken") return end(event.reason, true)
    if (event._tag === "Notice" && event.name === "session-changed" && !event.text.startsWith(`${session} `)) {
      return end("the session ended, and the client was moved to another one")
    }
    told(event)
  }

  const parser = Protocol.make({
    on: onEvent,
    guard: () => {
      const [slot] = slots
      return slot?.failure === undefined && slot?.kinds[slot.at] === "guarded" ? slot.last : undefined
    }
  })

  const write = (child: ChildProcessWithoutNullStreams, text: string) => {
    child.stdin.write(text)
  }

  const leave = (child: ChildProcessWithoutNullStreams) =>
    Effect.interruptible(Effect.callback<void>((resume) => {
      if (!isRunning(child)) {
        end("the client was closed")
        return resume(Effect.void)
      }
      child.once("exit", () => resume(Effect.void))
      const now = clock.currentTimeMillisUnsafe()
      const busy = [...hot].filter(([, at]) => at > now - hotFor).map(([pane]) => pane)
      // a client that goes while a pane floods it can take the server with it
      for (const pane of state.ended === undefined ? busy : []) {
        write(child, `${group([["refresh-client", "-A", `${pane}:pause`]])}\n`)
      }
      end("the client was closed")
    })).pipe(
      Effect.timeoutOrElse({ duration: leaving, orElse: () => Effect.sync(() => child.kill("SIGKILL")) })
    )

  /** Not for ever: whoever closes the layer waits for it. */
  const leaveApart = (child: ChildProcessWithoutNullStreams) =>
    Effect.timeoutOrElse(Effect.interruptible(options.apart(leave(child))), {
      duration: Duration.times(leaving, 2),
      orElse: () => leave(child)
    })

  const child = yield* options.apart(Effect.gen(function*() {
    const child = yield* start(options, (child) => isRunning(child) ? leaveApart(child) : leave(child))
    state.child = child
    child.on("error", (cause) => end(`${options.binary} cannot be run: ${cause.message}`))
    child.stdin.on("error", (cause) => end(`the client cannot be written to: ${cause.message}`))
    child.stdout.on("data", parser.push)
    child.stderr.on("data", (chunk: Buffer) => {
      state.stderr = `${state.stderr}${chunk.toString("utf8")}`.slice(-1000)
    })
    child.on("close", () => end("the server went away"))
    yield* Effect.timeoutOrElse(Effect.interruptible(Deferred.await(ready)), {
      duration: deadline,
      orElse: () => Effect.fail(failed("timed-out", "attaching got no answer", false))
    })
    return child
  }))

  const tell = (command: Command) => {
    if (state.ended !== undefined) return
    put(child, { last: undefined, kinds: ["plain"], done: () => {}, question: false }, `${group([command])}\n`)
  }

  const ask = (commands: ReadonlyArray<Command>, question: boolean): Effect.Effect<Answer, NoAnswer> =>
    Effect.callback((resume) => {
      if (state.ended !== undefined) return resume(Effect.fail(failed("lost", state.ended.reason, false)))
      if (child.stdin.writableLength > mostWaiting) {
        return resume(Effect.fail(failed("timed-out", "the server does not take commands", false)))
      }
      const kinds = commands.map(kindOf)
      if (kinds.every((kind) => kind === "plain")) {
        return put(child, { kinds, last: undefined, done: resume, question }, `${group(commands)}\n`)
      }
      const last = nonce()
      const marked = kinds.flatMap((kind, at) =>
        kind === "guarded" && at < kinds.length - 1 ? [kind, "word" as const] : [kind]
      )
      put(
        child,
        { kinds: marked, last, done: resume, question },
        `${group(lines(commands, `${last}.`, needsGuard))}\n${group([print(last)])}\n`
      )
    })

  /** What it shows all the same belongs there. */
  const undisturbed = (commands: ReadonlyArray<Command>, left: number): Effect.Effect<Answer, NoAnswer> =>
    Effect.filterOrElse(
      ask(commands, true),
      ({ disturbed }) => disturbed !== true || left === 0,
      () => undisturbed(commands, left - 1)
    )

  const run: Transport["run"] = (commands, expect) =>
    expect !== undefined && state.ended === undefined && expect !== state.life?.incarnation
      ? Effect.fail(new OtherServer())
      : commands.every(isQuestion)
      ? undisturbed(commands, askedAgain)
      : ask(commands, false)

  const { outputs: [line = ""] } = yield* ask([print(lifeFormat)], true)
  const life = lifeOf(line)
  if (life === undefined) return yield* failed("unsupported-version", `the server says ${line} of itself`, false)
  state.life = life

  const client: ControlClient = {
    session,
    name: nonce().slice(-8),
    life,
    isOver: () => state.ended !== undefined,
    isBehind: () => lag.isBehind(clock.currentTimeMillisUnsafe()),
    isPaused: (pane) => paused.has(pane),
    // what another one was asked while this one was behind has been answered by then
    hearsAll: (pane) => !paused.has(pane) && !lag.isBehind(clock.currentTimeMillisUnsafe(), Lag.calm + longest),
    tell,
    run
  }
  return client
})
