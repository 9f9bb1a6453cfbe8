/**
 * Commands with an end.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { failureOf, type Test } from "./world.ts"

const commands: ReadonlyArray<readonly [string, string, number, string]> = [
  ["output and success", "echo hello", 0, "hello\n"],
  ["an exit code", "sh -c 'exit 3'", 3, ""],
  ["no newline at the end", "printf '%s' abc", 0, "abc"],
  ["several lines", "echo one\necho two", 0, "one\ntwo\n"],
  ["quotes and dollars", `printf '%s\\n' "it's" '$HOME'`, 0, "it's\n$HOME\n"],
  ["blank lines", "echo; echo x; echo", 0, "\nx\n\n"],
  ["blanks at both ends", `printf '%s\\n' '  a  b  '; printf '%s' c`, 0, "  a  b  \nc"],
  ["letters of any script", "echo 'ünï 漢字'", 0, "ünï 漢字\n"],
  ["a comment", "echo x # the end", 0, "x\n"],
  ["what a marker may look like", "echo pw-b pw-e:0", 0, "pw-b pw-e:0\n"]
]

/**
 * @internal
 */
export const running = (test: Test): void => {
  test(
    "running",
    "a command gives its exit code and exactly its output",
    Effect.fnUntraced(
      function*({ has, openShell, patience, runtime }) {
        const { handle } = yield* openShell()
        for (const [what, command, exitCode, output] of commands) {
          const result = yield* runtime.run(handle, { command, timeout: patience })
          // a screen keeps no blanks at the end of a line; the bytes do
          const exact = has("rawOutput") ? result.output : result.output.replaceAll(/ +$/gm, "")
          const wanted = has("rawOutput") ? output : output.replaceAll(/ +$/gm, "")
          assert.deepInclude({ ...result, output: exact }, { exitCode, output: wanted, truncated: false }, what)
        }
      }
    )
  )

  test(
    "running",
    "it runs in the pane's own shell, so that what it changes stays",
    Effect.fnUntraced(
      function*({ openShell, patience, runtime }) {
        const { handle } = yield* openShell()
        yield* runtime.run(handle, { command: "suite=kept; cd /", timeout: patience })
        const { output } = yield* runtime.run(handle, { command: `echo "$suite $PWD"`, timeout: patience })
        assert.strictEqual(output, "kept /\n")
      }
    )
  )

  test(
    "running",
    "a command that does not end is left running and is not typed again",
    Effect.fnUntraced(
      function*({ line, openShell, recorder, runtime }) {
        const { handle } = yield* openShell()
        yield* runtime.run(handle, { command: "true", timeout: "10 seconds" })
        recorder.clear()
        const error = yield* failureOf(
          runtime.run(handle, { command: "sleep 1.2; echo at la''st", timeout: "200 millis" })
        )
        assert.deepInclude(error, { _tag: "CommandUnfinished", retryable: false })
        assert(error._tag === "CommandUnfinished")
        yield* line(handle, "at last", { after: error.report.mark })
        assert.isAtMost(recorder.written(handle).filter(({ _tag }) => _tag !== "Type").length, 1)
      }
    )
  )

  test(
    "running",
    "a pane without a shell, or with a busy one, is refused and nothing is typed",
    Effect.fnUntraced(
      function*({ line, openReady, openShell, programs, recorder, runtime }) {
        const reader = yield* openReady(programs.recorder)
        const busy = yield* openShell()
        yield* runtime.sendCommand(busy.handle, "printf '%s\\n' be''gun")
        yield* line(busy.handle, "begun")
        // its shell may not have started it yet
        yield* runtime.sendCommand(busy.handle, "cat")
        recorder.clear()
        for (const { handle } of [reader, busy]) {
          const error = yield* failureOf(runtime.run(handle, { command: "echo no", timeout: "10 seconds" }))
          assert(error._tag === "SendRejected")
          assert.include(["busy", "not-a-shell"], error.code)
        }
        assert.deepStrictEqual(recorder.mutations(), [])
      }
    )
  )

  test(
    "running",
    "colours and styles are no part of the output unless they are asked for",
    Effect.fnUntraced(function*({ has, openShell, patience, runtime }) {
      const { handle } = yield* openShell()
      const command = "printf '\\033[31mred\\033[0m and not\\n'"
      const { output } = yield* runtime.run(handle, { command, timeout: patience })
      assert.strictEqual(output, "red and not\n")
      if (!has("ansi")) return
      const styled = yield* runtime.run(handle, { command, timeout: patience, ansi: true })
      // a runtime may write a colour in its own way
      assert.match(styled.output, /^\u001b\[[0-9;:]*31m.*red.*\u001b\[[0-9;:]*m and not\n$/)
    })
  )

  test(
    "running",
    "a command that ends its shell gives the code of the pane that is held, or says that its end was not seen",
    Effect.fnUntraced(function*({ has, openShell, patience, runtime }) {
      const { handle } = yield* openShell({ onExit: "hold" })
      const ended = yield* Effect.result(runtime.run(handle, { command: "echo bye; exit 5", timeout: patience }))
      if (ended._tag === "Success") {
        assert.strictEqual(ended.success.exitCode, 5)
        assert.match(ended.success.output, /^bye\n/)
        return
      }
      assert.isFalse(has("exitStatus"), ended.failure.message)
      assert.deepInclude(ended.failure, { _tag: "CommandUnfinished", ended: true })
    })
  )

  test(
    "running",
    "a command whose pane is closed has no code, whatever its shell ended with",
    Effect.fnUntraced(function*({ line, openShell, patience, runtime }) {
      const { handle } = yield* openShell()
      const running = yield* Effect.forkChild(
        failureOf(runtime.run(handle, { command: "echo be''gun; sleep 1000", timeout: patience }))
      )
      yield* line(handle, "begun")
      yield* runtime.closePane(handle)
      const error = yield* Fiber.join(running)
      assert.deepInclude(error, { _tag: "CommandUnfinished", ended: true, retryable: false })
    })
  )

  test(
    "running",
    "an empty command is refused",
    Effect.fnUntraced(function*({ openShell, recorder, runtime }) {
      const { handle } = yield* openShell()
      recorder.clear()
      const error = yield* failureOf(runtime.run(handle, { command: " ", timeout: "1 second" }))
      assert.deepInclude(error, { _tag: "InvalidRequest", field: "command" })
      assert.deepStrictEqual(recorder.mutations(), [])
    })
  )
}
