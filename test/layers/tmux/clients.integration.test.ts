import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Clients from "../../../layers/tmux/clients.ts"
import type { ControlClient, Told } from "../../../layers/tmux/control.ts"
import { print } from "../../../layers/tmux/transport.ts"
import { slow } from "../../fixtures/tmuxPrograms.ts"
import { runningServer } from "../../fixtures/tmuxServers.ts"

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
          prefer: "keeper"
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
