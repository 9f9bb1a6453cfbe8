import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import type { Clients, Listener } from "../../../layers/tmux/clients.ts"
import type { ControlClient, Told } from "../../../layers/tmux/control.ts"
import * as Heard from "../../../layers/tmux/heard.ts"
import { type Command, group } from "../../../layers/tmux/quoting.ts"
import * as Version from "../../../layers/tmux/version.ts"
import * as Watching from "../../../layers/tmux/watching.ts"
import { PaneHandle } from "../../../src/Target.ts"
import * as Stand from "../../fixtures/tmuxClient.ts"

const pane = new PaneHandle({ runtime: "tmux", host: "h", scope: "/s", id: "%1", incarnation: "7-7" })

const clients = (version: string): Clients => {
  const life = { incarnation: "7-7", version: Version.parse(version) }
  const run = () => Effect.succeed({ life, outputs: ["%1 $0 @1"], failure: undefined })
  const client = Stand.client({ life, run })
  return {
    run,
    hear: () => Effect.succeed(client),
    hearing: () => client,
    aside: () => undefined,
    listeners: new Set<Listener>(),
    health: Stream.empty,
    options: {
      binary: "tmux",
      server: { path: "/s", args: ["-S", "/s"] },
      env: {},
      deadline: Duration.seconds(5),
      way: "control",
      attach: "question",
      apart: (effect) => effect,
      prefer: ""
    }
  }
}

const wakesIn = (version: string) =>
  Effect.gen(function*() {
    let woken = 0
    const watching = yield* Watching.make(clients(version), Heard.make())
    yield* Effect.scoped(Effect.gen(function*() {
      yield* watching.watch(pane, { wake: () => woken += 1, lost: () => {} })
      yield* TestClock.adjust("3500 millis")
    }))
    const until = woken
    yield* TestClock.adjust("5 seconds")
    assert.strictEqual(woken, until)
    return woken
  })

describe("who waits for a pane of a quiet tmux", () => {
  it.effect("is woken each second where the server has no subscriptions, as long as it waits", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* wakesIn("3.1c"), 3)
    }))

  it.effect("is not woken where it has them", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* wakesIn("3.3a"), 0)
    }))
})

/** A watched pane and its client, which is told what the server says. */
const watched = Effect.fnUntraced(function*(more: Partial<ControlClient> = {}) {
  const told: Array<string> = []
  const tell = (command: Command) => void told.push(group([command]))
  const { run } = clients("3.3a")
  const client = Stand.client({ run, tell, life: { incarnation: "7-7", version: Version.parse("3.3a") }, ...more })
  const listeners = new Set<Listener>()
  const heard = Heard.make()
  const watching = yield* Watching.make(
    { ...clients("3.3a"), listeners, hear: () => Effect.succeed(client), hearing: () => client },
    heard
  )
  let woken = 0
  yield* watching.watch(pane, { wake: () => woken += 1, lost: () => {} })
  const [listener] = listeners
  assert.isDefined(listener)
  const say = (what: Told) => {
    const before = woken
    listener.told("$0", what)
    return woken - before
  }
  return { heard, joined: listener.joined, say, told, wakes: () => woken }
})

const proceeds = "refresh-clien -A '%1:continue'"

describe("a pane whose output is held back", () => {
  it.effect("goes on and is looked at, and once more when it went on: what came between was not told", () =>
    Effect.gen(function*() {
      const { heard, say, told } = yield* watched()
      const before = heard.generation("%1")
      assert.notInclude(told, proceeds)
      assert.strictEqual(say({ _tag: "Paused", pane: "%1" }), 1)
      assert.strictEqual(told.at(-1), proceeds)
      const between = heard.generation("%1")
      assert.strictEqual(say({ _tag: "Continued", pane: "%1" }), 1)

      assert.notStrictEqual(between, before)
      assert.notStrictEqual(heard.generation("%1"), between)
    }))

  it.effect("is left alone while nobody waits for it, and goes on for the first who does", () =>
    Effect.gen(function*() {
      const { say, told } = yield* watched({ isPaused: () => true })
      assert.strictEqual(told.at(-1), proceeds)
      const asked = told.length
      say({ _tag: "Paused", pane: "%2" })
      assert.lengthOf(told, asked)
    }))
})

describe("a client that is told no output", () => {
  it.effect("is asked for the states of panes too, which others would tell late", () =>
    Effect.gen(function*() {
      const { joined, told } = yield* watched()
      const [subscribed] = told
      const late: Array<string> = []
      joined(Stand.client({ run: Stand.unanswered, tell: (command) => void late.push(group([command])) }))

      assert.include(subscribed, "refresh-clien -B")
      assert.deepStrictEqual(late, [subscribed])
    }))

  it.effect("wakes by what it is told as any other does", () =>
    Effect.gen(function*() {
      const { say } = yield* watched()
      assert.strictEqual(say({ _tag: "Notice", name: "window-close", text: "@1" }), 1)
      assert.strictEqual(say({ _tag: "Notice", name: "window-close", text: "@2" }), 0)
    }))
})

describe("a pane beside others that print very much", () => {
  const output = (bytes: number): Told => ({ _tag: "Output", pane: "%2", data: Buffer.alloc(bytes, "y"), age: 0 })
  const nudge = "display-messag -p ''"

  it.effect("is looked at each second while they do and for a while after, since it may be told of late", () =>
    Effect.gen(function*() {
      const { say, told, wakes } = yield* watched()
      say(output(70_000))
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual([wakes(), told.filter((line) => line === nudge).length], [5, 5])
      say(output(70_000))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(wakes(), 5 + 14)
      say(output(70_000))
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(wakes(), 5 + 14 + 2)
    }))

  it.effect("is left alone where they print little", () =>
    Effect.gen(function*() {
      const { say, told, wakes } = yield* watched()
      for (let n = 0; n < 20; n++) {
        say(output(30_000))
        yield* TestClock.adjust("1 second")
      }
      assert.deepStrictEqual([wakes(), told.filter((line) => line === nudge).length], [0, 0])
    }))
})
