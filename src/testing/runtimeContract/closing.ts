/**
 * What is left when a runtime, a wait or a stream is over.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { printed, type Test } from "./world.ts"

/**
 * @internal
 */
export const closing = (test: Test): void => {
  test(
    "interruption",
    "a registration that was given back is told nothing more",
    Effect.fnUntraced(
      function*({ line, open, openReady, programs, recorder, runtime, until }) {
        const { handle } = yield* openReady(programs.echo)
        yield* Stream.runDrain(Stream.take(runtime.events, 1))
        // registrations outlive who asked for them for a moment
        yield* until(Effect.sync(() => recorder.watching() === 0))
        const told: Array<string> = []
        yield* Effect.forkChild(Stream.runForEach(runtime.events, ({ _tag }) => Effect.sync(() => told.push(_tag))), {
          startImmediately: true
        })
        yield* until(Effect.sync(() => told.includes("PaneOpened")))
        yield* runtime.sendCommand(handle, "again", { profile: "plain-pane" })
        yield* line(handle, /^again$/)
        yield* open(programs.echo)
        yield* until(Effect.sync(() => told.filter((tag) => tag === "PaneOpened").length > 1))

        assert.strictEqual(recorder.late(), 0)
      }
    ),
    { needs: ["wakeUps"] }
  )

  test(
    "closing",
    "panes, programs, registrations and calls end with it",
    Effect.fnUntraced(
      function*({ another, line, openShell, runtime, until }) {
        const left = yield* another(Effect.fnUntraced(function*({ line, openShell, recorder, runtime }) {
          const { handle } = yield* openShell()
          yield* runtime.sendCommand(handle, `printf '<%s>\\n' "$$"; sleep 0.3; printf '%s\\n' la''te`)
          const { text } = yield* line(handle, printed(String.raw`<(\d+|\$\$)>`))
          return { handle, process: /<(\d+)>/.exec(text)?.[1], recorder }
        }))
        const after = [left.recorder.watching(), left.recorder.calls.filter(({ state }) => state === "running")]
        const panes = (yield* runtime.listPanes()).map(({ handle }) => `${handle}`)
        // as long as what was running there goes on
        const { handle } = yield* openShell()
        yield* runtime.sendCommand(handle, "sleep 0.5; printf '%s\\n' o''ver")
        yield* line(handle, printed("over"))
        if (left.process !== undefined) {
          const { exitCode } = yield* runtime.run(handle, { command: `kill -0 $$`, timeout: "30 seconds" })
          assert.strictEqual(exitCode, 0, "the shell of a pane that is there answers signals")
          const ended = runtime.run(handle, { command: `kill -0 ${left.process}`, timeout: "30 seconds" })
          yield* until(Effect.map(ended, ({ exitCode }) => exitCode !== 0))
        }

        assert.deepStrictEqual(after, [0, []])
        assert.notInclude(panes, `${left.handle}`)
        assert.strictEqual(left.recorder.late(), 0)
      }
    )
  )
}
