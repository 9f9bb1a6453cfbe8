/**
 * The programs that the suite runs in panes: if they do not work there, this test says which one, before others fail for
 * reasons that they cannot tell.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { cksum } from "./cksum.ts"
import { printed, type Programs, type Test } from "./world.ts"

/**
 * @internal
 */
export const programs = (test: Test): void => {
  test(
    "programs",
    "the programs that the suite needs run here",
    Effect.fnUntraced(function*({ has, line, open, openReady, openShell, programs, runtime }) {
      const plain = { profile: "plain-pane" } as const
      const say = (problem: unknown): string => problem instanceof Error ? problem.message : String(problem)
      const need = <E>(name: keyof Programs, does: string, check: Effect.Effect<unknown, E>) =>
        Effect.catch(check, (problem) =>
          Effect.gen(function*() {
            const panes = yield* Effect.orElseSucceed(runtime.listPanes(), () => [])
            const shown = yield* Effect.forEach(panes.slice(-1), ({ handle }) =>
              Effect.match(runtime.capture(handle), {
                onFailure: say,
                onSuccess: ({ text }) => JSON.stringify(text)
              }))
            assert.fail(
              `programs.${name} ${does}. Here it does not: ${say(problem)}. The newest pane shows ${
                shown.join() || "nothing: there is none"
              }. Give programs.${name} in the options of the suite, or correct what the adapter starts, types or captures.`
            )
          }))

      yield* need(
        "printing",
        "prints a text and then ready on a line",
        Effect.flatMap(
          open(programs.printing("here\r\n")),
          ({ handle }) => Effect.andThen(line(handle, /^here$/), line(handle, /^ready$/))
        )
      )
      yield* need(
        "shell",
        "prompts, with one of $ # % > at the end of a line, and runs what is typed",
        Effect.gen(function*() {
          const { handle } = yield* openShell()
          yield* runtime.sendCommand(handle, "printf '<%s>\\n' ru''ns", plain)
          yield* line(handle, printed("<runs>"))
        })
      )
      yield* need(
        "echo",
        "prints ready on a line, then the lines that it reads",
        Effect.gen(function*() {
          const { handle } = yield* openReady(programs.echo)
          yield* runtime.sendCommand(handle, "back", plain)
          yield* line(handle, /^back$/)
        })
      )
      const recorders = has("bracketedPaste") ? ["recorder", "pasteRecorder"] as const : ["recorder"] as const
      for (const name of recorders) {
        yield* need(
          name,
          "prints ready on a line, then what it gets, as cat -vt shows it, and echoes nothing",
          Effect.gen(function*() {
            const { handle } = yield* openReady(programs[name])
            yield* runtime.send(handle, { items: [{ message: "a" }, { key: "Enter" }, { key: "z" }] }, plain)
            const seen = yield* line(handle, /z$/)
            assert.strictEqual(seen.line, "a^Mz", `what programs.${name} shows of a, Enter and z`)
          })
        )
      }
      yield* need(
        "counter",
        "prints ready on a line, reads so many bytes, and prints what cksum prints",
        Effect.gen(function*() {
          const { handle } = yield* openReady(programs.counter(3))
          yield* runtime.sendText(handle, "abc", plain)
          yield* line(handle, cksum(new TextEncoder().encode("abc")))
        })
      )
      yield* need(
        "ending",
        "prints a text and ends",
        Effect.gen(function*() {
          const { handle } = yield* open(programs.ending("over", 3), { onExit: "hold" })
          yield* line(handle, "over")
        })
      )
      if (runtime.capabilities.agentState !== "native") return
      const { agent } = programs
      assert(agent !== undefined, "the runtime tells agents by itself: give programs.agent in the options of the suite")
      yield* need("agent", "prints ready on a line", openReady(agent))
    })
  )
}
