import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Tmux from "../../layers/Tmux.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { runningServer } from "../fixtures/tmuxServers.ts"

const alone = (more: Tmux.Options) =>
  Layer.unwrap(Effect.map(runningServer, ({ env, path }) =>
    Layer.fresh(
      Tmux.layer({ server: { path }, env, session: "work", size: { columns: 100, rows: 30 }, ...more })
    )))

const start = (script: string) =>
  TerminalRuntime.use((runtime) => runtime.spawn({ program: { argv: ["/bin/sh", "-c", script] } }))

const ended = Effect.fnUntraced(function*(script: string) {
  const runtime = yield* TerminalRuntime
  const { handle } = yield* start(script)
  yield* runtime.waitLifecycle({ condition: "pane-exited", target: handle, timeout: "30 seconds" })
  return yield* runtime.describe(handle)
})

for (const way of ["control", "forked"] as const) {
  describe.concurrent(`a program in tmux that ends (${way})`, () => {
    const layer = alone({ way })

    it.live(
      "case 155: has all rows on its screen that it printed, however fast it ended",
      () =>
        Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          for (let round = 0; round < 20; round++) {
            const { handle } = yield* ended("head -c 4101 /dev/zero | od -v")
            const { rows } = yield* runtime.capture(handle, { range: "full" })
            assert.strictEqual(rows.filter((row) => /^\d{7}/.test(row)).length, 258)
            yield* runtime.closePane(handle)
          }
        }).pipe(Effect.provide(layer)),
      60_000
    )

    it.live("keeps its exit code and its signal apart", () =>
      Effect.gen(function*() {
        assert.deepStrictEqual((yield* ended("exit 143")).exit, { code: 143 })
        assert.deepStrictEqual((yield* ended("kill -TERM $$")).exit, { signal: "SIGTERM" })
        assert.deepStrictEqual((yield* ended("kill -SEGV $$")).exit, { signal: "SIGSEGV" })
      }).pipe(Effect.provide(layer)))

    it.live("gets the signals that are sent to the pane's process", () =>
      Effect.gen(function*() {
        const runtime = yield* TerminalRuntime
        const { handle, pid = 0 } = yield* start(
          "trap 'echo taken; exit 9' TERM; echo ready; while :; do sleep 0.05; done"
        )
        yield* runtime.waitOutput(handle, { pattern: "ready", timeout: "30 seconds" })
        process.kill(pid, "SIGTERM")
        yield* runtime.waitLifecycle({ condition: "pane-exited", target: handle, timeout: "30 seconds" })
        assert.deepStrictEqual((yield* runtime.describe(handle)).exit, { code: 9 })
        assert.include((yield* runtime.capture(handle)).text, "taken")
      }).pipe(Effect.provide(layer)))

    it.live("goes on after Ctrl-Z, and is named by its own name", () =>
      Effect.gen(function*() {
        const runtime = yield* TerminalRuntime
        const { handle } = yield* start("echo ready; read line; echo \"had $line\"; exec sleep 1000")
        yield* runtime.waitOutput(handle, { pattern: "ready", timeout: "30 seconds" })
        yield* runtime.send(handle, { items: [{ key: "ctrl+z" }] })
        yield* runtime.send(handle, { command: "more" })
        yield* runtime.waitOutput(handle, { pattern: "had more", timeout: "30 seconds" })
        const command = Effect.map(runtime.describe(handle), (pane) => pane.command)
        yield* Effect.repeat(command, { until: (name) => name === "sleep" }).pipe(Effect.timeout("30 seconds"))
      }).pipe(Effect.provide(layer)))
  })

  describe.concurrent(`a shell in tmux that is held (${way})`, () => {
    const layer = alone({ way })

    const shell = (...argv: readonly [string, ...Array<string>]) =>
      TerminalRuntime.use((runtime) => runtime.spawn({ program: { argv }, env: { PS1: "$ ", ENV: "" } }))

    it.live("case 155: gives all that its last line printed, 40 of 40", () =>
      Effect.gen(function*() {
        const runtime = yield* TerminalRuntime
        const one = Effect.gen(function*() {
          const { handle } = yield* shell("/bin/sh", "-i")
          const { exitCode, output } = yield* runtime.run(handle, {
            command: "echo bye; exit 3",
            timeout: "30 seconds"
          })
          assert.deepStrictEqual([exitCode, output], [3, "bye\n"])
        })
        yield* Effect.forEach(Array.from({ length: 40 }), () => one, { concurrency: 4 })
      }).pipe(Effect.provide(layer)), 60_000)

    it.live("has its own name from its beginning, and stops and resumes what it runs", () =>
      Effect.gen(function*() {
        const runtime = yield* TerminalRuntime
        const pane = yield* shell("/bin/bash", "--norc", "-i")
        const { handle } = pane
        const shows = (wanted: string, atShell: boolean) =>
          runtime.describe(handle).pipe(
            Effect.repeat({ until: (pane) => pane.command === wanted && pane.atShell === atShell }),
            Effect.timeout("30 seconds")
          )
        assert.strictEqual(pane.command, "bash")
        yield* runtime.run(handle, { command: "true", timeout: "30 seconds" })
        yield* runtime.sendCommand(handle, "sleep 1000")
        yield* shows("sleep", false)
        yield* runtime.send(handle, { items: [{ key: "ctrl+z" }] })
        yield* shows("bash", true)
        yield* runtime.sendCommand(handle, "fg")
        yield* shows("sleep", false)
        yield* runtime.send(handle, { items: [{ key: "ctrl+c" }] })
        yield* shows("bash", true)
        // the first process of a pipeline ends before the others
        yield* runtime.sendCommand(handle, "true | sleep 1000")
        yield* runtime.describe(handle).pipe(
          Effect.repeat({ until: (pane) => pane.atShell === false }),
          Effect.timeout("30 seconds")
        )
      }).pipe(Effect.provide(layer)), 60_000)
  })
}

describe.concurrent("a held pane in tmux that is listened to", () => {
  it.live("is known to have ended as soon as it ended", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const seven = Effect.gen(function*() {
        let late = 0
        for (let round = 0; round < 7; round++) {
          const { handle } = yield* start("exit 3")
          const begun = yield* Clock.currentTimeMillis
          yield* runtime.waitLifecycle({ condition: "pane-exited", target: handle, timeout: "30 seconds" })
          if ((yield* Clock.currentTimeMillis) - begun > 500) late += 1
          yield* runtime.closePane(handle)
        }
        return late
      })
      // a machine that is busy is late too, but not for ever
      const late = yield* Effect.repeat(seven, { until: (late) => late <= 1, times: 4 })
      assert.isAtMost(late, 1)
    }).pipe(Effect.provide(alone({}))), 60_000)
})
