/**
 * The way to one tmux server: by control clients, one for each session that must be heard, and by a process for each
 * call where no client is to be had.
 *
 * A client is attached when the first command comes, and again when it was lost. One that takes commands and does not
 * answer them is given up; calls are forked for a while then, and the health says so.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as PubSub from "effect/PubSub"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import type { RuntimeEvent } from "../../src/Lifecycle.ts"
import * as Control from "./control.ts"
import { NoAnswer, type OtherServer } from "./failures.ts"
import * as Forked from "./forked.ts"
import type { Command } from "./quoting.ts"
import { type Answer, isQuestion, type Life, type Transport } from "./transport.ts"
import * as Version from "./version.ts"

export interface Options extends Forked.Options {
  /** `forked`: no control client is ever attached. */
  readonly way: "control" | "forked"
  /** Name of the session that is heard first, if there is one. */
  readonly prefer: string
}

type Health = Extract<RuntimeEvent, { readonly _tag: "Health" }>

/** Who hears what the server tells. Both are called from inside a parser. */
export interface Listener {
  readonly told: (session: string, told: Control.Told) => void
  /** Nothing more is heard of that session. */
  readonly lost: (session: string) => void
}

export interface Clients extends Transport {
  /** The client that hears the session with this id; attached if there is none yet. */
  readonly hear: (session: string) => Effect.Effect<Control.ControlClient, NoAnswer>
  /** The client that has heard that session since it was attached, if there is one. */
  readonly hearing: (session: string) => Control.ControlClient | undefined
  readonly listeners: Set<Listener>
  readonly health: Stream.Stream<Health>
  readonly options: Options
}

/** Milliseconds for which calls are forked after a client gave no answers. */
const forkedFor = 30_000

const tooOld = ({ version }: Life): NoAnswer | undefined =>
  Version.support(version) === "refused"
    ? new NoAnswer({
      reason: "unsupported-version",
      detail: `the server is tmux ${version?.text ?? ""}, and 3.0 is the oldest that can be used`,
      sent: false
    })
    : undefined

export const make = Effect.fnUntraced(function*(options: Options) {
  const scope = yield* Effect.scope
  const clock = yield* Clock.Clock
  const one = Semaphore.makeUnsafe(1)
  const forked = Forked.make(options)
  const listeners = new Set<Listener>()
  const told = yield* PubSub.sliding<Health>({ capacity: 16, replay: 1 })
  const clients = new Map<string, { readonly client: Control.ControlClient; readonly scope: Scope.Closeable }>()
  const state: { health: Health["state"] | undefined; forkedUntil: number } = { health: undefined, forkedUntil: 0 }

  const tell = (health: Health["state"], detail: string) => {
    if (state.health === health) return
    state.health = health
    const event: Health = { _tag: "Health", state: health, detail }
    PubSub.publishUnsafe(told, event)
  }
  tell("ok", options.way === "control" ? "nothing is known against it" : "each call is a process of its own")

  const over = (session: string, { reason, wedged }: Control.Over) => {
    for (const listener of listeners) listener.lost(session)
    if (!wedged) return
    state.forkedUntil = clock.currentTimeMillisUnsafe() + forkedFor
    tell("degraded", `a control client gave no answers (${reason}): calls are forked for ${forkedFor / 1000} s`)
  }

  const living = (session?: string): Control.ControlClient | undefined => {
    if (session !== undefined) {
      const own = clients.get(session)?.client
      return own === undefined || own.isOver() ? undefined : own
    }
    for (const { client } of clients.values()) if (!client.isOver()) return client
    return undefined
  }

  const attach = Effect.fnUntraced(function*(session: string, version: Version.Version | undefined) {
    const again = living(session)
    if (again !== undefined) return again
    const former = clients.get(session)
    clients.delete(session)
    if (former !== undefined) yield* Scope.close(former.scope, Exit.void)
    const own = yield* Scope.fork(scope)
    const client = yield* Control.attach({
      ...options,
      session,
      version,
      told: (event) => {
        for (const listener of listeners) listener.told(session, event)
      },
      over: (why) => over(session, why)
    }).pipe(Scope.provide(own), Effect.onError(() => Scope.close(own, Exit.void)))
    clients.set(session, { client, scope: own })
    tell("ok", "a control client is attached")
    return client
  })

  /** Clients whose session has ended are not asked any more. */
  const prune = Effect.suspend(() =>
    Effect.forEach(
      [...clients].filter(([, { client }]) => client.isOver()),
      ([session, { scope }]) => {
        clients.delete(session)
        return Scope.close(scope, Exit.void)
      },
      { discard: true }
    )
  )

  const sessions: ReadonlyArray<Command> = [["list-sessions", "-F", "#{session_id} #{session_name}"]]

  /** Any client. `undefined`: there is no session to attach to, or attaching failed, and the server can be asked. */
  const any = Effect.fnUntraced(function*(preferred?: string) {
    const again = living()
    if (again !== undefined) return again
    yield* prune
    const { life, outputs: [listed = ""] } = yield* Effect.catchTag(
      forked.run(sessions),
      "OtherServer",
      () => Effect.fail(new NoAnswer({ reason: "lost", detail: "the server was started anew", sent: false }))
    )
    const old = tooOld(life)
    if (old !== undefined) return yield* old
    const known = listed.split("\n").map((line) => {
      const gap = line.indexOf(" ")
      return { id: line.slice(0, Math.max(0, gap)), name: line.slice(gap + 1) }
    })
    const session = (known.find(({ id }) => id === preferred) ??
      known.find(({ name }) => name === options.prefer) ?? known[0])?.id
    if (session === undefined || session === "") return undefined
    return yield* Effect.catchTag(attach(session, life.version), "NoAnswer", ({ detail }) => {
      state.forkedUntil = clock.currentTimeMillisUnsafe() + forkedFor
      tell("degraded", `no control client could be attached (${detail}): calls are forked`)
      return Effect.undefined
    })
  })

  const mayAttach = () => options.way === "control" && clock.currentTimeMillisUnsafe() >= state.forkedUntil

  const forkedRun = (commands: ReadonlyArray<Command>, expect?: string) =>
    Effect.tap(forked.run(commands, expect), ({ life }) => {
      const old = tooOld(life)
      return old === undefined ? Effect.void : Effect.fail(old)
    })

  const run: Transport["run"] = (commands, expect) =>
    Effect.suspend((): Effect.Effect<Answer, NoAnswer | OtherServer> => {
      const client = living()
      const asked = client === undefined
        ? mayAttach()
          ? Effect.flatMap(one.withPermit(any()), (found) => (found ?? forked).run(commands, expect))
          : forkedRun(commands, expect)
        : client.run(commands, expect)
      // nothing was done, or it is a question
      return Effect.catchIf(
        asked,
        (error) => error._tag === "NoAnswer" && error.reason === "lost" && (!error.sent || commands.every(isQuestion)),
        () => forkedRun(commands, expect)
      )
    })

  const hear: Clients["hear"] = (session) =>
    Effect.suspend(() => {
      const own = living(session)
      if (own !== undefined) return Effect.succeed(own)
      if (!mayAttach()) {
        return Effect.fail(new NoAnswer({ reason: "lost", detail: "calls are forked at present", sent: false }))
      }
      return one.withPermit(
        Effect.gen(function*() {
          const found = yield* any(session)
          return found?.session === session ? found : yield* attach(session, found?.life.version)
        })
      )
    })

  const made: Clients = { run, hear, hearing: living, listeners, health: Stream.fromPubSub(told), options }
  return made
})

/** For `Options.deadline`. */
export const defaultDeadline: Duration.Duration = Duration.seconds(5)
