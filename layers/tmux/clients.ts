/**
 * The way to one tmux server: by control clients, one for each session that must be heard, and by a process for each
 * call where no client is to be had. While panes print more than a client can be told, its answers come late: commands
 * go by one more client then, which is told no output.
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
import { type Answer, isLoud, isQuestion, type Life, type Transport } from "./transport.ts"
import * as Version from "./version.ts"

export interface Options extends Forked.Options {
  /** `forked`: no control client is ever attached. */
  readonly way: "control" | "forked"
  /** Name of the session that is heard first, if there is one. */
  readonly prefer: string
  /** What the first client is attached for. */
  readonly attach: "question" | "pane" | "wait"
  /** Keeps apart, also between processes, what must not happen on a server at the same time. */
  readonly apart: Control.Options["apart"]
}

type Health = Extract<RuntimeEvent, { readonly _tag: "Health" }>

/** Who hears what the server tells. Both are called from inside a parser. */
export interface Listener {
  readonly told: (session: string, told: Control.Told) => void
  /** Nothing more is heard of that session. */
  readonly lost: (session: string) => void
  /** One more client was attached: it tells at once what others tell late. */
  readonly joined: (client: Control.ControlClient) => void
}

export interface Clients extends Transport {
  /** The client that hears the session with this id; attached if there is none yet. */
  readonly hear: (session: string) => Effect.Effect<Control.ControlClient, NoAnswer>
  /** The client that has heard that session since it was attached, if there is one. */
  readonly hearing: (session: string) => Control.ControlClient | undefined
  /** The one that is told no output, if there was need of it. */
  readonly aside: () => Control.ControlClient | undefined
  readonly listeners: Set<Listener>
  readonly health: Stream.Stream<Health>
  readonly options: Options
}

interface Attached {
  readonly client: Control.ControlClient
  readonly scope: Scope.Closeable
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
  /** In what a client that did not answer left of the time, or a little more. */
  const again = (begin: number) => {
    const most = Duration.toMillis(options.deadline)
    const left = Math.max(most / 2, begin + most - clock.currentTimeMillisUnsafe())
    return Forked.make({ ...options, deadline: Duration.millis(left) })
  }
  const listeners = new Set<Listener>()
  const told = yield* PubSub.sliding<Health>({ capacity: 16, replay: 1 })
  const clients = new Map<string, Attached>()
  const state: {
    health: Health["state"] | undefined
    forkedUntil: number
    aside: Attached | undefined
    /** One more client could not be attached, and is not tried until then. */
    withoutUntil: number
    /** Clients in a row that went before they answered anything. */
    useless: number
  } = { health: undefined, forkedUntil: 0, aside: undefined, withoutUntil: 0, useless: 0 }

  const tell = (health: Health["state"], detail: string) => {
    if (state.health === health) return
    state.health = health
    const event: Health = { _tag: "Health", state: health, detail }
    PubSub.publishUnsafe(told, event)
  }
  tell("ok", options.way === "control" ? "nothing is known against it" : "each call is a process of its own")

  const over = (session: string, { reason, useless, wedged }: Control.Over) => {
    for (const listener of listeners) listener.lost(session)
    state.useless = useless ? state.useless + 1 : 0
    // one may go with its session, or be detached by the user at that moment
    if (!wedged && state.useless < 2) return
    state.forkedUntil = clock.currentTimeMillisUnsafe() + forkedFor
    tell("degraded", `a control client gave no answers (${reason}): calls are forked for ${forkedFor / 1000} s`)
  }

  const living = (session?: string): Control.ControlClient | undefined => {
    if (session !== undefined) {
      const own = clients.get(session)?.client
      return own === undefined || own.isOver() ? undefined : own
    }
    let found: Control.ControlClient | undefined
    for (const { client } of clients.values()) {
      if (client.isOver()) continue
      if (!client.isBehind()) return client
      found ??= client
    }
    return found
  }

  const aside = () => state.aside?.client.isOver() === false ? state.aside.client : undefined

  const started = Effect.fnUntraced(
    function*(more: Pick<Control.Options, "session" | "version" | "silent" | "over">) {
      const own = yield* Scope.fork(scope)
      const client = yield* Control.attach({
        ...options,
        ...more,
        told: (event) => {
          for (const listener of listeners) listener.told(more.session, event)
        }
      }).pipe(Scope.provide(own), Effect.onError(() => Scope.close(own, Exit.void)))
      const made: Attached = { client, scope: own }
      return made
    }
  )

  const attach = Effect.fnUntraced(function*(session: string, version: Version.Version | undefined) {
    const again = living(session)
    if (again !== undefined) return again
    const former = clients.get(session)
    clients.delete(session)
    if (former !== undefined) yield* Scope.close(former.scope, Exit.void)
    const made = yield* started({ session, version, over: (why) => over(session, why) })
    clients.set(session, made)
    tell("ok", "a control client is attached")
    return made.client
  })

  /** Nothing depends on it: without it, answers come late. */
  const attachAside = Effect.fnUntraced(function*(behind: Control.ControlClient) {
    const again = aside()
    if (again !== undefined) return again
    const former = state.aside
    state.aside = undefined
    if (former !== undefined) yield* Scope.close(former.scope, Exit.void)
    const { life: { version }, session } = behind
    if (clock.currentTimeMillisUnsafe() < state.withoutUntil || !Version.has(version, "clientFlags")) return behind
    const without = ({ reason }: { readonly reason: string }) => {
      state.withoutUntil = clock.currentTimeMillisUnsafe() + forkedFor
      tell("degraded", `no other client answers beside the output of panes (${reason}): calls wait for it`)
      return behind
    }
    return yield* started({
      session,
      version,
      silent: true,
      over: (why) => {
        if (why.wedged) without(why)
      }
    }).pipe(
      Effect.map((made) => {
        state.aside = made
        for (const listener of listeners) listener.joined(made.client)
        return made.client
      }),
      Effect.catchTag("NoAnswer", ({ detail }) => Effect.succeed(without({ reason: detail })))
    )
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

  /** Fails where the server is too old, which it says with its answer. */
  const checked = (way: Transport): Transport => ({
    run: (commands, expect) =>
      Effect.tap(way.run(commands, expect), ({ life }) => {
        const old = tooOld(life)
        return old === undefined ? Effect.void : Effect.fail(old)
      })
  })

  const beside = (behind: Control.ControlClient) => {
    const found = aside()
    return found === undefined ? one.withPermit(attachAside(behind)) : Effect.succeed(found)
  }

  /** Attached if there is none, and there may be one. */
  const way = Effect.suspend((): Effect.Effect<Transport, NoAnswer> => {
    const client = living()
    if (client === undefined) {
      return mayAttach() && options.attach === "question"
        ? Effect.map(one.withPermit(any()), (found) => found ?? forked)
        : Effect.succeed(checked(forked))
    }
    return client.isBehind() ? beside(client) : Effect.succeed(client)
  })

  const run: Transport["run"] = (commands, expect) =>
    Effect.suspend((): Effect.Effect<Answer, NoAnswer | OtherServer> => {
      const begin = clock.currentTimeMillisUnsafe()
      const client = living()
      const isQuiet = !commands.some(isLoud)
      const by = (way: Transport) => {
        const answer = way.run(commands, expect)
        return isQuiet ? answer : options.apart(answer)
      }
      const asked = client !== undefined && isQuiet && !client.isBehind()
        ? client.run(commands, expect)
        : Effect.flatMap(way, by)
      // nothing was done, or it is a question
      return Effect.catchIf(
        asked,
        (error) => error._tag === "NoAnswer" && error.reason === "lost" && (!error.sent || commands.every(isQuestion)),
        () => by(checked(again(begin)))
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

  const made: Clients = { run, hear, hearing: living, aside, listeners, health: Stream.fromPubSub(told), options }
  return made
})

/** For `Options.deadline`. */
export const defaultDeadline: Duration.Duration = Duration.seconds(5)
