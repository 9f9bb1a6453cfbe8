/**
 * Marks, the echo of what was typed, and lines that are wrapped.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import { Mark } from "../../Screen.ts"
import { failureOf, printed, type Test } from "./world.ts"

const numbered = (word: string, count: number) =>
  `printf '${word} %s\\n' ${Array.from({ length: count }, (_, index) => index).join(" ")}`

/**
 * @internal
 */
export const marks = (test: Test): void => {
  test(
    "marks",
    "what was on the screen before the mark does not match, what comes after it does",
    Effect.fnUntraced(
      function*({ line, openShell, runtime }) {
        const { handle } = yield* openShell()
        yield* runtime.sendCommand(handle, "printf '%s\\n' o''ld")
        yield* line(handle, printed("old"))
        const { mark } = yield* runtime.capture(handle)
        const missed = yield* failureOf(
          runtime.waitOutput(handle, { pattern: "old", after: mark, timeout: Duration.zero })
        )
        yield* runtime.sendCommand(handle, "printf '%s\\n' ne''w o''ld")
        const match = yield* line(handle, printed("old"), { after: mark })

        assert.strictEqual(missed._tag, "WaitTimeout")
        assert.isFalse(match.markLost)
      }
    )
  )

  test(
    "marks",
    "a wait after a mark sees the first line that follows it, and what follows on the line of the mark",
    Effect.fnUntraced(
      function*({ line, openReady, programs, runtime }) {
        const { handle } = yield* openReady(programs.recorder)
        const { mark: begin } = yield* runtime.capture(handle)
        yield* runtime.sendText(handle, "one", { profile: "plain-pane" })
        const first = yield* line(handle, "one", { after: begin })
        const { mark } = yield* runtime.capture(handle)
        yield* runtime.sendText(handle, "two", { profile: "plain-pane" })
        const second = yield* line(handle, "two", { after: mark })

        assert.deepStrictEqual([first.markLost, second.markLost], [false, false])
      }
    )
  )

  test(
    "marks",
    "a mark that crossed JSON, as between processes, marks the same place",
    Effect.fnUntraced(
      function*({ line, openShell, runtime }) {
        const { handle } = yield* openShell()
        yield* runtime.sendCommand(handle, "printf '%s\\n' o''ld")
        yield* line(handle, printed("old"))
        const json = Schema.toCodecJson(Mark)
        const { mark } = yield* runtime.capture(handle)
        const after = yield* Schema.decodeEffect(json)(yield* Schema.encodeEffect(json)(mark))
        const missed = yield* failureOf(runtime.waitOutput(handle, { pattern: "old", after, timeout: Duration.zero }))
        yield* runtime.sendCommand(handle, "printf '%s\\n' ne''w")
        yield* line(handle, printed("new"), { after })

        assert.strictEqual(missed._tag, "WaitTimeout")
      }
    )
  )

  test(
    "echo",
    "the line that the library typed never matches, its output does",
    Effect.fnUntraced(
      function*({ line, openShell, runtime }) {
        const { handle } = yield* openShell()
        const { mark } = yield* runtime.sendCommand(handle, "sleep 1.2; echo DONE")
        const early = yield* failureOf(
          runtime.waitOutput(handle, { pattern: "DONE", after: mark, timeout: Duration.zero })
        )
        const match = yield* line(handle, "DONE", { after: mark })

        assert.strictEqual(early._tag, "WaitTimeout")
        assert.match(match.line, printed("DONE"))
      }
    )
  )

  test(
    "echo",
    "it never matches where it wraps at the right edge either",
    Effect.fnUntraced(
      function*({ line, openShell, runtime }) {
        const { handle } = yield* openShell({ size: { columns: 20, rows: 12 } })
        const { mark } = yield* runtime.sendCommand(handle, "sleep 1.2; echo FIN with a long tail")
        const match = yield* line(handle, "FIN with a long tail", { after: mark })

        assert.match(match.line, printed("FIN with a long tail"))
      }
    ),
    { needs: ["resize"] }
  )

  test(
    "echo",
    "a program that prints the very words that were typed still matches",
    Effect.fnUntraced(
      function*({ line, openReady, programs, runtime }) {
        const { handle } = yield* openReady(programs.echo)
        const { mark } = yield* runtime.sendCommand(handle, "the same words", { profile: "plain-pane" })
        const match = yield* line(handle, "the same words", { after: mark })
        assert.strictEqual(match.line.trim(), "the same words")
      }
    )
  )

  test(
    "lost-marks",
    "a mark that was cleared away makes the wait look at the whole screen and say so",
    Effect.fnUntraced(
      function*({ line, openShell, runtime }) {
        const { handle } = yield* openShell()
        yield* runtime.sendCommand(handle, "printf '%s\\n' be''fore")
        yield* line(handle, printed("before"))
        const { mark } = yield* runtime.capture(handle)
        yield* runtime.sendCommand(handle, "printf '\\033[H\\033[2J\\033[3J'; printf '%s\\n' cle''ared")
        const match = yield* line(handle, printed("cleared"), { after: mark })

        assert.match(match.line, printed("cleared"))
        assert.isTrue(match.markLost)
      }
    )
  )

  test(
    "lost-marks",
    "what is printed after a mark was cleared away is seen, also when as many rows stand there again",
    Effect.fnUntraced(
      function*({ line, openShell, runtime }) {
        const { handle } = yield* openShell()
        yield* runtime.sendCommand(handle, numbered("before", 10))
        yield* line(handle, printed("before 9"))
        const { mark } = yield* runtime.capture(handle)
        yield* runtime.sendCommand(
          handle,
          `printf '\\033[H\\033[2J\\033[3J'; printf '%s\\n' cle''ared; ${numbered("again", 18)}`
        )
        yield* line(handle, printed("again 17"))
        const match = yield* line(handle, printed("cleared"), { after: mark })

        assert.match(match.line, printed("cleared"))
        assert.isTrue(match.markLost)
      }
    )
  )

  test(
    "marks",
    "a mark is found among lines that read the same, and what was there before it does not match",
    Effect.fnUntraced(
      function*({ line, openShell, runtime }) {
        const { handle } = yield* openShell()
        const still = runtime.waitStable(handle, { quiet: "300 millis", timeout: "30 seconds" })
        const same = `printf '%s\\n' ${"same ".repeat(10)}`
        yield* runtime.sendCommand(handle, `printf '%s\\n' o''ld; ${same}`)
        yield* line(handle, printed("same"))
        yield* still
        const { mark } = yield* runtime.capture(handle)
        yield* runtime.sendCommand(handle, `printf '%s\\n' o''ther; ${same}`)
        yield* line(handle, printed("other"))
        yield* still
        yield* line(handle, printed("other"), { after: mark })
        const missed = yield* failureOf(
          runtime.waitOutput(handle, { pattern: printed("old"), after: mark, timeout: Duration.zero })
        )
        assert.strictEqual(missed._tag, "WaitTimeout")
      }
    )
  )

  test(
    "logical-lines",
    "a pattern matches across the edge where the terminal wrapped it",
    Effect.fnUntraced(
      function*({ line, openShell, runtime }) {
        const { handle } = yield* openShell({ size: { columns: 20, rows: 12 } })
        yield* runtime.sendCommand(handle, "printf '%s\\n' 01234567890123456''789-abcdef")
        const match = yield* line(handle, "6789-abc")
        assert.include(match.line, "01234567890123456789-abcdef")
      }
    ),
    { needs: ["resize"] }
  )

  test(
    "logical-lines",
    "it matches across the edge where a wide character did not fit",
    Effect.fnUntraced(
      function*({ line, programs, runtime }) {
        const { handle } = yield* runtime.spawn({
          program: programs.printing(`${"a".repeat(19)}你b\r\n`),
          size: { columns: 20, rows: 12 }
        })
        assert.strictEqual((yield* line(handle, "a你b")).line, `${"a".repeat(19)}你b`)
      }
    ),
    { needs: ["resize"] }
  )

  test(
    "logical-lines",
    "a regular expression keeps no state between waits",
    Effect.fnUntraced(
      function*({ line, openReady, programs }) {
        const { handle } = yield* openReady(programs.printing("one two three\r\n"))
        const pattern = /(?<word>t\w+)/gy
        pattern.lastIndex = 3
        const sticky = yield* line(handle, pattern)
        const again = yield* line(handle, pattern)

        assert.deepStrictEqual([sticky.text, again.text], ["two", "two"])
        assert.deepStrictEqual(sticky.groups, ["two"])
        assert.strictEqual(pattern.lastIndex, 3)
      }
    )
  )

  test(
    "marks",
    "the alternate screen is looked at while it is shown",
    Effect.fnUntraced(
      function*({ line, openReady, programs, runtime }) {
        const { handle } = yield* openReady(programs.printing("below\r\n\u001b[?1049h\u001b[Habove\r\n"))
        const { alternate } = yield* runtime.capture(handle, { range: "visible" })
        yield* line(handle, "above")
        const missed = yield* failureOf(runtime.waitOutput(handle, { pattern: "below", timeout: Duration.zero }))

        if (alternate !== undefined) assert.isTrue(alternate)
        assert.strictEqual(missed._tag, "WaitTimeout")
      }
    )
  )

  test(
    "register-first",
    "what is printed between two looks, and scrolls away, is seen",
    Effect.fnUntraced(
      function*({ line, openShell, runtime }) {
        const { handle } = yield* openShell()
        const { mark } = yield* runtime.capture(handle)
        const waiting = yield* Effect.forkChild(line(handle, printed("needle-5"), { after: mark }), {
          startImmediately: true
        })
        yield* runtime.sendCommand(
          handle,
          `${numbered("filler", 40)}; printf '%s-5\\n' needle; ${numbered("filler", 60)}`
        )
        assert.strictEqual((yield* Fiber.join(waiting)).text.endsWith("needle-5"), true)
      }
    ),
    { needs: ["scrollback"] }
  )
}
