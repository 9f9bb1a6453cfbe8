import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import type { Clients, Listener } from "../../../layers/tmux/clients.ts"
import * as Heard from "../../../layers/tmux/heard.ts"
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
