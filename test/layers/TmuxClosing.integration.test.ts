import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Tmux from "../../layers/Tmux.ts"
import { windowName } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { running, seconds, until } from "../fixtures/processes.ts"
import { endsStubborn } from "../fixtures/stubborn.ts"
import { runningServer, type TestServer } from "../fixtures/tmuxServers.ts"

const on = ({ env, path }: TestServer, way: "control" | "forked") =>
  Layer.fresh(Tmux.layer({ server: { path }, env, way, session: "work" }))

const sh = (script: string, window?: string) =>
  TerminalRuntime.use((runtime) =>
    runtime.spawn({
      program: { argv: ["sh", "-c", script] },
      ...(window === undefined ? {} : { placement: { window: windowName(window), session: "work" } })
    })
  )

/** Starts processes that a signal to the terminal's own does not end. */
const leaving = (n: string) =>
  `nohup sleep ${n} >/dev/null 2>&1 & (setsid sleep ${n} <&- >&- 2>&- &); (trap '' HUP TERM; sleep ${n}) & ` +
  `(setsid sh -c 'env -i sleep ${n}; :' &); sleep ${n}`

const linux = process.platform === "linux"

for (const way of ["control", "forked"] as const) {
  const using = <A, E>(run: (server: TestServer) => Effect.Effect<A, E, TerminalRuntime>) =>
    Effect.gen(function*() {
      const server = yield* runningServer
      return yield* Effect.provide(run(server), on(server, way))
    })

  describe.runIf(linux)(`closing in tmux (${way})`, () => {
    it.live("case 146: ends all that a pane started: under nohup, under setsid, and what ignores signals", () =>
      using(() =>
        Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          const n = seconds()
          const { handle } = yield* sh(leaving(n))
          yield* until(() => running(n).length >= 5)

          assert.strictEqual(yield* runtime.closePane(handle), "closed")
          assert.deepStrictEqual(running(n), [])
          assert.strictEqual(yield* runtime.closePane(handle), "already-closed")
        })
      ))

    it.live("case 146: ends what a held pane left behind", () =>
      using(() =>
        Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          const n = seconds()
          const { handle } = yield* sh(`up=$(setsid -f sh -c 'echo up; exec sleep ${n} >&- 2>&-'); exit 3`)
          yield* runtime.waitLifecycle({ condition: "pane-exited", target: handle, timeout: "20 seconds" })
          yield* until(() => running(n).length === 1)

          yield* runtime.closePane(handle)
          assert.deepStrictEqual(running(n), [])
        })
      ))

    it.live("case 146: ends what the panes of a window and of a session started, and of no other", () =>
      using(() =>
        Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          const [a, b, c] = [seconds(), seconds(), seconds()]
          yield* sh(leaving(a), "one")
          yield* sh(leaving(b), "two")
          const other = yield* runtime.spawn({
            program: { argv: ["sh", "-c", leaving(c)] },
            placement: { window: windowName("three"), session: "other" }
          })
          yield* until(() => [a, b, c].every((n) => running(n).length >= 5))

          yield* runtime.closeWindow(windowName("one"))
          assert.deepStrictEqual([running(a).length, running(b).length > 4, running(c).length > 4], [0, true, true])
          yield* runtime.closeSession("work")
          assert.deepStrictEqual([running(b).length, running(c).length > 4], [0, true])
          yield* runtime.closePane(other.handle)
          assert.deepStrictEqual(running(c), [])
        })
      ))

    it.live("case 154: ends a program that ignores every signal to end", () =>
      using(() =>
        Effect.gen(function*() {
          const { isGone } = yield* endsStubborn
          yield* until(isGone)
        })
      ))

    it.live("ends no tmux server that was started in the pane, and none of its panes", () =>
      using((server) =>
        Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          const [n, m] = [seconds(), seconds()]
          const inner = `${server.path}-inner`
          const { handle } = yield* sh(
            `tmux -S ${inner} -f /dev/null new-session -d 'exec sleep ${n}'; exec sleep ${m}`
          )
          yield* Effect.addFinalizer(() =>
            Effect.sync(() => {
              for (const pid of running(n)) process.kill(pid, "SIGKILL")
            })
          )
          yield* until(() => running(n).length === 1 && running(m).length >= 1)

          yield* runtime.closePane(handle)
          assert.deepStrictEqual([running(m).length, running(n).length], [0, 1])
        }).pipe(Effect.scoped)
      ))

    it.live("leaves alone what stays when a pane that tmux itself opened is closed", () =>
      using((server) =>
        Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          const n = seconds()
          yield* Effect.addFinalizer(() =>
            Effect.sync(() => {
              for (const pid of running(n)) process.kill(pid, "SIGKILL")
            })
          )
          const id = server.tmux(
            "new-window",
            "-d",
            "-P",
            "-F",
            "#{pane_id}",
            "-t",
            "keeper:",
            `(setsid sleep ${n} <&- >&- 2>&- &); exec sleep 1000`
          ).trim()
          yield* until(() => running(n).length === 1)
          const pane = (yield* runtime.listPanes()).find(({ handle }) => handle.id === id)
          assert.isDefined(pane)
          if (pane === undefined) return

          assert.strictEqual(yield* runtime.closePane(pane.handle), "closed")
          assert.deepStrictEqual(running(n).length, 1)
        }).pipe(Effect.scoped)
      ))

    it.live("leaves alone a window that another session has as well", () =>
      using((server) =>
        Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          const n = seconds()
          const { handle, window } = yield* sh(`exec sleep ${n}`, "shared")
          yield* until(() => running(n).length >= 1)
          server.tmux("link-window", "-d", "-s", window.id, "-t", "keeper:")

          yield* runtime.closeSession("work")
          assert.strictEqual(running(n).length > 0, true)
          assert.deepStrictEqual((yield* runtime.probe([handle])).map(({ liveness }) => liveness), ["live"])
          yield* runtime.closePane(handle)
          assert.deepStrictEqual(running(n), [])
        })
      ))
  })
}
