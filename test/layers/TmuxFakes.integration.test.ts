import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Tmux from "../../layers/Tmux.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { controlled, script } from "../fixtures/tmuxPrograms.ts"
import { emptyServer, runningServer, type TestServer } from "../fixtures/tmuxServers.ts"

const runtimeOn = Effect.fnUntraced(function*({ env, path }: TestServer, more: Tmux.Options) {
  const built = yield* Layer.build(Layer.fresh(Tmux.layer({ server: { path }, env, session: "work", ...more })))
  return Context.get(built, TerminalRuntime)
})

/** Programs that are no tmux, or a broken one, and what there is to say of them. */
const broken: Readonly<Record<string, readonly [does: string, reasons: ReadonlyArray<string>]>> = {
  "hangs": ["exec sleep 1000", ["timed-out"]],
  "hangs and cannot be interrupted": ["trap '' TERM INT HUP; exec sleep 1000", ["timed-out"]],
  "dies at once": ["exit 1", ["refused", "lost"]],
  "ends well and says nothing": ["exit 0", ["refused", "lost"]],
  "is killed": ["kill -9 $$", ["refused", "lost"]],
  "answers noise": ["head -c 100000 /dev/urandom; exit 0", ["refused", "lost"]],
  "answers half": ["printf '1-1 3.3a\\nhalf of an ans'; exit 0", ["refused", "lost"]],
  "says that its server went away": ["echo 'server exited unexpectedly' >&2; exit 1", ["lost"]],
  "is older than what can be used": ["cat >/dev/null; printf '1-1 2.9a\\n'; exit 0", ["unsupported-version", "lost"]]
}

const deadline = Duration.seconds(1)

for (const way of ["control", "forked"] as const) {
  describe.concurrent(`a program tmux that is none (${way})`, () => {
    for (const [name, [does, reasons]] of Object.entries(broken)) {
      it.live(`and ${name} is unavailable in time`, () =>
        Effect.gen(function*() {
          const server = yield* emptyServer
          const binary = yield* script(`${does}\n`)
          const error = yield* Effect.flip(Effect.timeout(runtimeOn(server, { way, binary, deadline }), "30 seconds"))

          assert.strictEqual(error._tag, "RuntimeUnavailable")
          assert.include(reasons, error._tag === "RuntimeUnavailable" ? error.reason : "")
        }).pipe(Effect.scoped))
    }
  })
}

/** Of which a part is left when a client has not answered. */
const shared = Duration.seconds(4)

const begin = "printf '%%begin 1 1 0\\n%%end 1 1 0\\n'"
const life = (life: string) => `read -r line; printf '%%begin 1 2 1\\n${life}\\n%%end 1 2 1\\n'`

/** What control clients may do instead of serving. */
const clients: Readonly<Record<string, (life: string) => string>> = {
  "never answers": () => "exec sleep 1000",
  "dies at once": () => "exit 1",
  "is refused": () => "printf '%%begin 1 1 0\\nno sessions\\n%%error 1 1 0\\n%%exit\\n'; exit 1",
  "answers noise": () => "exec head -c 100000 /dev/urandom",
  "attaches and goes": () => `${begin}; printf '%%exit\\n'; exit 0`,
  "attaches and is silent": () => `${begin}; exec sleep 1000`,
  "dies at its first command": (id) => `${begin}; ${life(id)}; read -r line; exit 1`,
  "is silent after the first answer": (id) => `${begin}; ${life(id)}; exec sleep 1000`,
  "answers the half and is silent": (id) =>
    `${begin}; ${life(id)}; read -r line; printf '%%begin 1 3 1\\nhalf'; exec sleep 1000`,
  "answers the half and dies": (id) => `${begin}; ${life(id)}; read -r line; printf '%%begin 1 3 1\\nhalf'; exit 1`
}

const lifeOf = ({ tmux }: TestServer) => tmux("display-message", "-p", "#{pid}-#{start_time} #{version}").trim()

describe.concurrent("a control client that does not serve", () => {
  for (const [name, does] of Object.entries(clients)) {
    it.live(`because it ${name} is left, and calls go on by processes of their own`, () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        const binary = yield* controlled(does(lifeOf(server)))
        const runtime = yield* runtimeOn(server, { binary, deadline: shared })
        const panes = yield* runtime.listPanes()
        const [{ handle } = yield* Effect.die("no pane")] = panes
        const screen = yield* runtime.capture(handle)
        const health = yield* Effect.timeout(
          Stream.runHead(Stream.filter(runtime.events, ({ _tag }) => _tag === "Health")),
          "10 seconds"
        )

        assert.lengthOf(panes, 1)
        assert.strictEqual(screen.text.trim(), "")
        // one that dies is attached again, and given up when it dies again and again
        if (/silent|never|its first command/.test(name)) {
          assert.deepInclude(Option.getOrThrow(health), { state: "degraded" })
        }
        assert.include(server.tmux("list-sessions"), "keeper")
      }).pipe(Effect.scoped))
  }

  it.live("is told of in the events", () =>
    Effect.gen(function*() {
      const server = yield* runningServer
      const binary = yield* controlled("exit 1")
      const runtime = yield* runtimeOn(server, { binary, deadline: shared })
      const degraded = yield* Effect.forkChild(
        Stream.runHead(Stream.filter(runtime.events, (event) => event._tag === "Health" && event.state === "degraded")),
        { startImmediately: true }
      )
      yield* runtime.listPanes()
      const told = yield* Effect.timeout(Fiber.join(degraded), "30 seconds")

      assert.isTrue(told._tag === "Some")
    }).pipe(Effect.scoped))
})
