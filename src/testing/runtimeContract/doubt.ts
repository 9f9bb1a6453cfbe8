/**
 * Failures of sends and of other changes: what they say about what may have happened.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Service } from "../../Contract.ts"
import { WriteFailed } from "../../Contract.ts"
import { isRetryable, type RuntimeError } from "../../RuntimeError.ts"
import type { PaneHandle } from "../../Target.ts"
import { answerLost, silent, unavailable, writing } from "./faults.ts"
import { failureOf, type Test } from "./world.ts"

const both = ["plain-pane", "agent-aware"] as const

const failed = (written: WriteFailed["written"], stage: WriteFailed["stage"] = "send-keys") =>
  Effect.fail(new WriteFailed({ stage, written, cause: "the test cut it" }))

const changes = (
  runtime: Service,
  pane: PaneHandle,
  root: string
): Readonly<Record<string, Effect.Effect<unknown, RuntimeError>>> => ({
  closePane: runtime.closePane(pane),
  ensureWindow: runtime.ensureWindow({ name: "unreachable", root }),
  sendText: runtime.sendText(pane, "hello"),
  sendCommand: runtime.sendCommand(pane, "hello"),
  sendKeys: runtime.sendKeys(pane, ["Enter"]),
  typeInto: runtime.typeInto(pane, "hello\n"),
  spawn: runtime.spawn({})
})

/**
 * @internal
 */
export const doubt = (test: Test): void => {
  test(
    "nothing-typed",
    "a server that is away is unavailable before the first byte, and it is safe to try again",
    Effect.fnUntraced(
      function*({ line, openReady, programs, recorder, root, runtime }) {
        const { handle } = yield* openReady(programs.recorder)
        const panes = (yield* runtime.listPanes()).length
        yield* Effect.forEach(
          Object.entries(changes(runtime, handle, root)),
          Effect.fnUntraced(function*([name, change]) {
            const error = yield* failureOf(change)
            assert.deepInclude(error, { _tag: "RuntimeUnavailable", reason: "lost", retryable: true }, name)
          })
        ).pipe(recorder.during(unavailable))
        yield* runtime.sendKeys(handle, ["z"])

        assert.strictEqual((yield* line(handle, /z$/)).line, "z")
        assert.strictEqual((yield* runtime.listPanes()).length, panes)
      }
    )
  )

  for (const profile of both) {
    test(
      "nothing-typed",
      `a write that certainly wrote nothing is safe to repeat (${profile})`,
      Effect.fnUntraced(
        function*({ line, openReady, programs, recorder, runtime }) {
          const { handle } = yield* openReady(programs.recorder)
          const error = yield* failureOf(runtime.sendText(handle, "hello", { profile })).pipe(
            recorder.during(writing(failed("nothing")))
          )
          yield* runtime.sendKeys(handle, ["z"])

          assert.deepInclude(error, { _tag: "SendFailed", retryable: true })
          assert.strictEqual((yield* line(handle, /z$/)).line, "z")
        }
      )
    )

    test(
      "in-doubt",
      `a write that may have written is never repeated (${profile})`,
      Effect.fnUntraced(
        function*({ openReady, programs, recorder, runtime }) {
          const { handle } = yield* openReady(programs.recorder)
          recorder.clear()
          const error = yield* failureOf(runtime.sendText(handle, "hello", { profile })).pipe(
            recorder.during(writing(failed("indeterminate")))
          )

          assert(error._tag === "SendStalled")
          assert.strictEqual(error.report.outcome, "in-doubt")
          assert.strictEqual(error.report.mark.pane.toString(), handle.toString())
          assert.isFalse(isRetryable(error))
          assert.lengthOf(
            recorder.mutations().filter(({ primitive }) => primitive === "write" || primitive === "deliver"),
            1
          )
        }
      )
    )

    test(
      "in-doubt",
      `a lost answer after the last byte is in doubt, and the text arrived once (${profile})`,
      Effect.fnUntraced(
        function*({ line, openReady, programs, recorder, runtime }) {
          const { handle } = yield* openReady(programs.recorder)
          const error = yield* failureOf(runtime.sendCommand(handle, "hello", { profile })).pipe(
            recorder.during(answerLost(failed("indeterminate", "submit")))
          )
          yield* runtime.sendKeys(handle, ["z"])

          assert.deepInclude(error, { _tag: "SendStalled" })
          assert.match((yield* line(handle, /z$/)).line, /^hello(?:\^M)?z$/)
        }
      )
    )

    test(
      "stalls",
      `a write that gets no answer ends by its deadline, with one submit at most (${profile})`,
      Effect.fnUntraced(
        function*({ openReady, programs, recorder, runtime }) {
          const { handle } = yield* openReady(programs.recorder)
          recorder.clear()
          const error = yield* failureOf(runtime.sendCommand(handle, "hello", { profile })).pipe(
            recorder.during(silent("write", "deliver"))
          )

          assert(error._tag === "SendStalled")
          assert.strictEqual(error.report.outcome, "in-doubt")
          assert.isAtMost(error.report.attempts, 1)
          const submits = recorder.written(handle).filter(({ _tag }) => _tag !== "Type")
          assert.isAtMost(submits.length, 1)
        }
      ),
      { writeDeadline: "200 millis" }
    )
  }

  test(
    "in-doubt",
    "a count of bytes that were written is told",
    Effect.fnUntraced(
      function*({ openReady, programs, recorder, runtime }) {
        const { handle } = yield* openReady(programs.recorder)
        const error = yield* failureOf(runtime.sendText(handle, "hello", { profile: "plain-pane" })).pipe(
          recorder.during(writing(failed(3)))
        )
        assert(error._tag === "SendStalled")
        assert.strictEqual(error.report.bytes?.accepted, 3)
      }
    )
  )

  test(
    "in-doubt",
    "a wait after the mark of a send in doubt finds what became of it",
    Effect.fnUntraced(
      function*({ line, openShell, recorder, runtime }) {
        const { handle } = yield* openShell()
        const error = yield* failureOf(
          runtime.sendCommand(handle, "printf '%s\\n' it''-ran", { profile: "plain-pane" })
        ).pipe(
          recorder.during(answerLost(failed("indeterminate", "submit")))
        )
        assert(error._tag === "SendStalled")
        yield* line(handle, "it-ran", { after: error.report.mark })
      }
    )
  )

  test(
    "idempotent-changes",
    "a close whose answer was lost is unavailable, and repeating it is safe",
    Effect.fnUntraced(
      function*({ open, programs, recorder, runtime }) {
        const { handle } = yield* open(programs.echo)
        const error = yield* failureOf(runtime.closePane(handle)).pipe(
          recorder.during((original) => ({
            close: (target) =>
              Effect.andThen(original.close(target), unavailable(original).close?.(target) ?? Effect.void)
          }))
        )
        assert.deepInclude(error, { _tag: "RuntimeUnavailable", retryable: true })
        assert.strictEqual(yield* runtime.closePane(handle), "already-closed")
      }
    )
  )

  test(
    "not-knowing",
    "what cannot be asked is a failure, never an empty list, and probes know nothing",
    Effect.fnUntraced(
      function*({ open, programs, recorder, runtime }) {
        const { handle } = yield* open(programs.echo)
        yield* Effect.gen(function*() {
          const questions: ReadonlyArray<Effect.Effect<unknown, RuntimeError>> = [
            runtime.listPanes(),
            runtime.listWindows(),
            runtime.describe(handle),
            runtime.capture(handle)
          ]
          for (const question of questions) {
            assert.deepInclude(yield* failureOf(question), { _tag: "RuntimeUnavailable" })
          }
          const [probe] = yield* runtime.probe([handle])
          assert.strictEqual(probe?.liveness, "unknown")
          const asked = yield* failureOf(
            runtime.waitLifecycle({ condition: "pane-exited", target: handle, timeout: "300 millis" })
          )
          assert.strictEqual(asked._tag, "WaitTimeout")
        }).pipe(recorder.during(unavailable))
        assert.strictEqual((yield* runtime.probe([handle]))[0]?.liveness, "live")
      }
    )
  )
}
