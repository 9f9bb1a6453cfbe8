/** Who waits for a change of a pane, or of what exists, and is told by the notifications of control clients. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { AskError, TargetError } from "../../src/Contract.ts"
import type { PaneHandle } from "../../src/Target.ts"
import type { Wakes } from "../../src/Waiting.ts"
import { change } from "./asking.ts"
import type { Clients, Listener } from "./clients.ts"
import type { ControlClient, Told } from "./control.ts"
import { absent, unavailable } from "./failures.ts"
import type { Heard } from "./heard.ts"
import type { Command } from "./quoting.ts"
import { print } from "./transport.ts"
import { has } from "./version.ts"

interface Watcher {
  readonly on: Wakes
  readonly session: string
  readonly window: string
}

/** Notifications that say that windows, panes or sessions came, went or changed. */
const changes = new Set([
  "window-add",
  "window-close",
  "window-renamed",
  "unlinked-window-add",
  "unlinked-window-close",
  "unlinked-window-renamed",
  "layout-change",
  "window-pane-changed",
  "session-window-changed",
  "sessions-changed",
  "session-renamed",
  "pane-mode-changed"
])

/** Those after which a pane of that window may be gone, or dead: see the hook of panes that are opened. */
const endings = new Set([
  "window-close",
  "unlinked-window-close",
  "layout-change",
  "window-renamed",
  "unlinked-window-renamed"
])

/**
 * Every pane of the server, and whether its program has ended: tmux says neither of windows that are not in the
 * client's session, nor of panes that are kept. It looks once a second, and tells a change.
 */
const subscription: Command = [
  "refresh-client",
  "-B",
  "paneway::#{S:#{session_id}#{W:#{window_id}#{?window_active,+,}#{P: #{pane_id}/#{pane_dead}#{pane_dead_status}#{pane_dead_signal}}}}"
]

/** Has the output of a pane told again, after it was held back because the client could not keep up. */
const proceed = (pane: string): Command => ["refresh-client", "-A", `${pane}:continue`]

/** Servers without subscriptions tell nothing of panes that are kept, nor of other sessions: who waits looks each second. */
const remind = (on: Wakes) =>
  Effect.forkScoped(Effect.repeat(Effect.delay(Effect.sync(on.wake), "1 second"), Schedule.forever))

/**
 * Servers tell of panes in the order in which these began to print, and again from the first as soon as their buffer has
 * room: beside panes that fill it all the time, those after them are told of late. They are paused then, and that is told
 * only when something else is. So much output within that time is reason to look at all who wait now and then, for a
 * while.
 */
const flood = { bytes: 64 * 1024, millis: 1000, every: "1 second", lasting: 15_000 } as const

/** Its answer takes along what the server has not told yet. */
const nudge: Command = print("")

export const make = Effect.fnUntraced(function*(clients: Clients, heard: Heard) {
  const clock = yield* Clock.Clock
  const scope = yield* Effect.scope
  /** What was told of a session, and until when it counts as flooded. */
  const volumes = new Map<string, { bytes: number; since: number; until: number }>()
  const watchers = new Map<string, Set<Watcher>>()
  const all = new Set<Wakes>()
  const state: { subscribed: ControlClient | undefined; value: string | undefined } = {
    subscribed: undefined,
    value: undefined
  }

  const wake = (some: Iterable<{ readonly on: Wakes }>) => {
    // over a copy: one that is woken may register again at once
    for (const { on } of Array.from(some)) on.wake()
  }
  const wakeAll = () => {
    for (const on of Array.from(all)) on.wake()
  }
  const wakeWhere = (test: (watcher: Watcher) => boolean) => {
    for (const set of watchers.values()) wake([...set].filter(test))
  }

  const volumeOf = (session: string, now: number) => {
    const found = volumes.get(session)
    if (found !== undefined) return found
    const made = { bytes: 0, since: now, until: 0 }
    volumes.set(session, made)
    return made
  }

  /** Also of those who come to wait meanwhile. */
  const lookNowAndThen = (session: string) =>
    Effect.gen(function*() {
      for (;;) {
        yield* Effect.sleep(flood.every)
        const volume = volumes.get(session)
        if (volume === undefined || clock.currentTimeMillisUnsafe() >= volume.until) break
        clients.hearing(session)?.tell(nudge)
        wakeWhere((watcher) => watcher.session === session)
      }
      volumes.delete(session)
    })

  const run = Effect.runForkWith(yield* Effect.context())

  const count = (session: string, bytes: number) => {
    const now = clock.currentTimeMillisUnsafe()
    const volume = volumeOf(session, now)
    volume.bytes += bytes
    const isNew = now - volume.since >= flood.millis
    if (volume.bytes >= flood.bytes || (isNew && clients.hearing(session)?.isBehind() === true)) {
      const begins = volume.until === 0
      volume.until = now + flood.lasting
      if (begins) Fiber.runIn(run(lookNowAndThen(session)), scope)
    }
    if (!isNew) return
    volume.bytes = 0
    volume.since = now
  }

  /** How each pane is: alive, or dead in some way. */
  const statesIn = (value: string) =>
    new Map(Array.from(value.matchAll(/(%\d+)\/(\w+)/g), ([, pane = "", how = ""]) => [pane, how]))

  /** Panes that are not as they were. */
  const onValue = (value: string) => {
    const before = state.value
    state.value = value
    wakeAll()
    if (before === undefined) return wakeWhere(() => true)
    const [old, now] = [statesIn(before), statesIn(value)]
    for (const [pane, set] of watchers) if (old.get(pane) !== now.get(pane)) wake(set)
  }

  const onTold = (session: string, told: Told) => {
    switch (told._tag) {
      case "Output": {
        heard.output(told.pane, told.data)
        const set = watchers.get(told.pane)
        if (set !== undefined) wake(set)
        return count(session, told.data.length)
      }
      case "Paused": {
        heard.missed(told.pane)
        const set = watchers.get(told.pane)
        if (set === undefined) return
        clients.hearing(session)?.tell(proceed(told.pane))
        return wake(set)
      }
      case "Continued":
        // what was printed until now was not told: a look shows it
        heard.missed(told.pane)
        return wake(watchers.get(told.pane) ?? [])
      case "Changed":
        return told.name === "paneway" ? onValue(told.value) : undefined
      case "Notice": {
        if (!changes.has(told.name)) return
        wakeAll()
        const [window] = told.text.split(" ", 1)
        if (endings.has(told.name)) wakeWhere((watcher) => watcher.window === window)
        else if (told.name === "sessions-changed") wakeWhere(() => true)
      }
    }
  }

  const onLost = (session: string) => {
    volumes.delete(session)
    for (const set of watchers.values()) {
      for (const { on } of [...set].filter((watcher) => watcher.session === session)) on.lost()
    }
    if (state.subscribed?.session !== session) return
    state.subscribed = undefined
    state.value = undefined
    for (const on of Array.from(all)) on.lost()
  }

  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const listener: Listener = {
        told: onTold,
        lost: onLost,
        joined: (client) => {
          if (state.subscribed !== undefined) client.tell(subscription)
        }
      }
      clients.listeners.add(listener)
      return listener
    }),
    (listener) => Effect.sync(() => clients.listeners.delete(listener))
  )

  const hear = Effect.fnUntraced(function*(session: string): Effect.fn.Return<ControlClient, AskError> {
    const client = yield* Effect.mapError(clients.hear(session), unavailable)
    if (state.subscribed === undefined || state.subscribed.isOver()) {
      state.subscribed = client
      state.value = undefined
      client.tell(subscription)
      clients.aside()?.tell(subscription)
    }
    return client
  })

  const watch = Effect.fnUntraced(
    function*(pane: PaneHandle, on: Wakes): Effect.fn.Return<void, TargetError, Scope.Scope> {
      const [said = ""] = yield* change(clients, "watch", pane, [
        print("#{pane_id} #{session_id} #{window_id}", pane.id)
      ])
      const [id, session, window] = said.split(" ")
      if (id !== pane.id || session === undefined || window === undefined) return yield* absent(pane)
      const client = yield* hear(session)
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          const watcher: Watcher = { on, session, window }
          const set = watchers.get(pane.id) ?? new Set()
          watchers.set(pane.id, set.add(watcher))
          return watcher
        }),
        (watcher) =>
          Effect.sync(() => {
            const set = watchers.get(pane.id)
            set?.delete(watcher)
            if (set?.size === 0) watchers.delete(pane.id)
          })
      )
      if (!has(client.life.version, "clientFlags")) yield* remind(on)
      // it may have been paused while nobody watched
      else if (client.isPaused(pane.id)) client.tell(proceed(pane.id))
    }
  )

  /** Any session will do. */
  const watchAll = Effect.fnUntraced(
    function*(on: Wakes): Effect.fn.Return<void, AskError, Scope.Scope> {
      const answer = yield* Effect.catchTags(clients.run([["list-sessions", "-F", "#{session_id}"]]), {
        NoAnswer: (error) => Effect.fail(unavailable(error)),
        OtherServer: () => Effect.die("no life of the server was asked for")
      })
      const [session = ""] = (answer.outputs[0] ?? "").split("\n")
      if (state.subscribed === undefined || state.subscribed.isOver()) yield* hear(session)
      yield* Effect.acquireRelease(
        Effect.sync(() => all.add(on)),
        () => Effect.sync(() => all.delete(on))
      )
      if (!has(answer.life.version, "clientFlags")) yield* remind(on)
    }
  )

  return { watch, watchAll }
})
