import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Clients from "../../../layers/tmux/clients.ts"
import type { ControlClient, Told } from "../../../layers/tmux/control.ts"
import { print } from "../../../layers/tmux/transport.ts"
import * as PaneLocks from "../../../src/PaneLocks.ts"
import { slow } from "../../fixtures/tmuxPrograms.ts"
import { runningServer, type TestServer } from "../../fixtures/tmuxServers.ts"

describe("the clients of a server", () => {
  it.live(
    "are one, and one more once output comes late: it is announced, and tells no output",
    () =>
      Effect.gen(function*() {
        const { args, env, path, tmux } = yield* runningServer
        const clients = yield* Clients.make({
          binary: yield* slow,
          server: { path, args },
          env,
          deadline: Duration.seconds(10),
          way: "control",
          prefer: "keeper",
          attach: "question",
          apart: (effect) => effect
        })
        const joined: Array<ControlClient> = []
        const told: Array<Told> = []
        clients.listeners.add({
          told: (_, what) => void told.push(what),
          lost: () => {},
          joined: (client) => void joined.push(client)
        })
        yield* clients.run([print("")])
        assert.isUndefined(clients.aside())
        tmux("new-window", "-d", "-t", "keeper:", "exec yes")
        yield* Effect.repeat(clients.run([print("")]), { until: () => clients.aside() !== undefined })
        const aside = clients.aside()
        for (let n = 0; n < 10; n++) yield* clients.run([print("")])

        assert.deepStrictEqual(joined, [aside])
        assert.isTrue(told.some(({ _tag }) => _tag === "Output"))
        assert.match(
          tmux("list-clients", "-F", "#{client_flags}"),
          /^[^\n]*,pause-after=\d[^\n]*\n[^\n]*,no-output[^\n]*\n$/
        )
      }).pipe(Effect.scoped),
    60_000
  )
})

/** Every client on its own, as those of several processes. */
const clientsOf = Effect.fnUntraced(
  function*(
    { args, env, path }: TestServer,
    way: "control" | "forked",
    attach: Clients.Options["attach"] = "question"
  ) {
    const { withLock } = PaneLocks.makeMemory(Duration.seconds(30))
    return yield* Clients.make({
      binary: "tmux",
      server: { path, args },
      env,
      deadline: Duration.seconds(10),
      way,
      prefer: "keeper",
      attach,
      apart: (effect) => Effect.flatten(Effect.orDie(withLock("tmux:test")(Effect.exit(effect))))
    })
  }
)

const lifeOf = ({ tmux }: TestServer) => tmux("display-message", "-p", "#{pid}-#{start_time}")

for (const way of ["control", "forked"] as const) {
  describe(`commands that all clients are told of (${way})`, () => {
    it.live("K8: are not executed together, so that the last windows of a session can be closed at once", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        const life = lifeOf(server)
        // one that is told
        const told = yield* clientsOf(server, "control")
        yield* told.run([print("")])
        const clients = yield* clientsOf(server, way)
        for (let round = 0; round < 5; round++) {
          server.tmux("new-session", "-d", "-s", "work", "exec sleep 1000")
          for (let n = 0; n < 2; n++) server.tmux("new-window", "-d", "-t", "work:", "exec sleep 1000")
          const windows = server.tmux("list-windows", "-t", "work", "-F", "#{window_id}").trim().split("\n")
          yield* Effect.forEach(windows, (window) => clients.run([["kill-window", "-t", window]]), {
            concurrency: "unbounded"
          })
          assert.strictEqual(lifeOf(server), life)
        }
      }).pipe(Effect.scoped))
  })
}

describe("clients that come late", () => {
  it.live("are not attached before something has to be heard", () =>
    Effect.gen(function*() {
      const server = yield* runningServer
      const clients = yield* clientsOf(server, "control", "wait")
      const { life, outputs } = yield* clients.run([print("#{session_id}", "keeper:")])
      assert.deepStrictEqual([outputs, life.incarnation], [["$0"], lifeOf(server).trim()])
      assert.strictEqual(server.tmux("list-clients"), "")

      yield* clients.hear("$0")
      assert.lengthOf(server.tmux("list-clients").trim().split("\n"), 1)
      yield* clients.run([print("")])
      assert.isDefined(clients.hearing("$0"))
    }).pipe(Effect.scoped))
})
