/**
 * What a send types, on panes of either profile.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { SendRequest } from "../../Send.ts"
import { cksum } from "./cksum.ts"
import { slowly } from "./faults.ts"
import { failureOf, type Test } from "./world.ts"

const both = ["plain-pane", "agent-aware"] as const

/** Requests that no profile accepts. */
const malformed: ReadonlyArray<readonly [string, SendRequest]> = [
  ["nothing at all", {}],
  ["a blank command", { command: " \n " }],
  ["an empty message", { items: [{ message: "" }] }],
  ["an empty key", { items: [{ key: " " }] }],
  ["a command with a message", { command: "ls", items: [{ message: "x" }] }],
  ["an unknown key", { items: [{ key: "Hyper-Q" }] }],
  ["an escape in a message", { items: [{ message: "a\u001b[201~b" }] }],
  ["a one-byte control character", { items: [{ message: "a\u009bb" }] }],
  ["a NUL in a command", { command: "a\0b" }]
]

/** What only an agent refuses. */
const notForAgents: ReadonlyArray<readonly [string, SendRequest]> = [
  ["a second Enter", { items: [{ message: "x" }, { key: "Enter" }, { key: "enter" }] }],
  ["an Enter before the text", { items: [{ key: "Enter" }, { message: "x" }] }],
  ["a key between messages", { items: [{ message: "x" }, { key: "Tab" }, { message: "y" }] }],
  ["another key behind a command", { command: "x", items: [{ key: "Tab" }] }]
]

/**
 * @internal
 */
export const sending = (test: Test): void => {
  for (const profile of both) {
    test(
      "request-shape",
      `a request that makes no sense is refused before anything is asked (${profile})`,
      Effect.fnUntraced(
        function*({ openReady, programs, recorder, runtime }) {
          const { handle } = yield* openReady(programs.recorder)
          recorder.clear()
          for (const [what, request] of malformed) {
            const error = yield* failureOf(runtime.send(handle, request, { profile }))
            assert.deepInclude(error, { _tag: "SendRejected" }, what)
          }
          assert.deepStrictEqual(recorder.calls, [])
        }
      )
    )
  }

  test(
    "send-profiles",
    "an agent pane refuses keys that are not one Enter at the end, and types nothing",
    Effect.fnUntraced(
      function*({ openReady, programs, recorder, runtime }) {
        const { handle } = yield* openReady(programs.recorder)
        recorder.clear()
        for (const [what, request] of notForAgents) {
          const error = yield* failureOf(runtime.send(handle, request, { profile: "agent-aware" }))
          assert.deepInclude(error, { _tag: "SendRejected", code: "shape" }, what)
        }
        assert.deepStrictEqual(recorder.mutations(), [])
      }
    )
  )

  test(
    "send-profiles",
    "on an agent pane a prompt submits itself once, and an Enter behind it is left out and told",
    Effect.fnUntraced(
      function*({ line, openReady, programs, runtime }) {
        const { handle } = yield* openReady(programs.recorder)
        const report = yield* runtime.send(handle, { items: [{ message: "do it" }, { key: "Enter" }] }, {
          profile: "agent-aware"
        })
        yield* runtime.send(handle, { items: [{ key: "z" }] }, { profile: "agent-aware" })
        const seen = yield* line(handle, /z$/)

        assert.strictEqual(seen.line, "do it^Mz")
        assert.isTrue(report.droppedTrailingEnter)
        assert.strictEqual(report.attempts, 1)
      }
    )
  )

  test(
    "send-profiles",
    "keys alone go to an agent pane as keys, a lone Enter too",
    Effect.fnUntraced(
      function*({ line, openReady, programs, runtime }) {
        const { handle } = yield* openReady(programs.recorder)
        const report = yield* runtime.sendKeys(handle, ["Enter"], { profile: "agent-aware" })
        yield* runtime.sendKeys(handle, ["z"], { profile: "agent-aware" })

        assert.strictEqual((yield* line(handle, /z$/)).line, "^Mz")
        assert.isFalse(report.droppedTrailingEnter)
      }
    )
  )

  test(
    "send-profiles",
    "on a plain pane items arrive in their order and every Enter submits",
    Effect.fnUntraced(
      function*({ line, openReady, programs, runtime }) {
        const { handle } = yield* openReady(programs.recorder)
        const items = [{ message: "a b" }, { key: "Enter" }, { message: " Enter" }, { key: "Tab" }, { key: "ctrl+a" }, {
          key: "Enter"
        }, { key: "z" }]
        yield* runtime.send(handle, { items }, { profile: "plain-pane" })

        assert.strictEqual((yield* line(handle, /z$/)).line, "a b^M Enter^I^A^Mz")
      }
    )
  )

  test(
    "send-shapes",
    "a text is typed and not submitted, a command is submitted once",
    Effect.fnUntraced(
      function*({ line, openReady, programs, runtime }) {
        const { handle } = yield* openReady(programs.recorder)
        const text = yield* runtime.sendText(handle, "only text;", { profile: "plain-pane" })
        const command = yield* runtime.sendCommand(handle, " run  it ", { profile: "plain-pane" })
        yield* runtime.sendKeys(handle, ["z"])

        assert.strictEqual((yield* line(handle, /z$/)).line, "only text; run  it ^Mz")
        assert.deepStrictEqual([text.attempts, command.attempts], [0, 1])
      }
    )
  )

  test(
    "send-shapes",
    "typed text submits once when it ends in a newline, and stays otherwise",
    Effect.fnUntraced(
      function*({ line, openReady, programs, runtime }) {
        const { handle } = yield* openReady(programs.recorder)
        yield* runtime.typeInto(handle, "stays")
        yield* runtime.typeInto(handle, "goes\n", { profile: "plain-pane" })
        yield* runtime.typeInto(handle, "\r\n", { profile: "plain-pane" })
        yield* runtime.sendKeys(handle, ["z"])

        assert.strictEqual((yield* line(handle, /z$/)).line, "staysgoes^M^Mz")
      }
    )
  )

  test(
    "send-shapes",
    "keys have the bytes of their kind, whatever their spelling",
    Effect.fnUntraced(
      function*({ line, openReady, programs, runtime }) {
        const { handle } = yield* openReady(programs.recorder)
        yield* runtime.sendKeys(handle, ["Up", "C-c", "ctrl+d", "BTab", "M-x", "Escape"])
        yield* runtime.sendKeys(handle, ["BSpace", "Space", "F1", "z"])

        assert.strictEqual((yield* line(handle, /z$/)).line, "^[[A^C^D^[[Z^[x^[^? ^[OPz")
      }
    )
  )

  test(
    "text-filter",
    "what could break out of a text is refused with its place, or taken out",
    Effect.fnUntraced(
      function*({ line, openReady, programs, runtime }) {
        const { handle } = yield* openReady(programs.recorder)
        const error = yield* failureOf(runtime.sendText(handle, "ab\u001b[201~cd"))
        assert.deepInclude(error, { _tag: "SendRejected", code: "control-character", offset: 2 })

        yield* runtime.sendText(handle, "ab\u001b[201~cd\u0007", { sanitize: true, profile: "plain-pane" })
        yield* runtime.sendKeys(handle, ["z"])
        const seen = (yield* line(handle, /z$/)).line
        assert.notInclude(seen, "^[")
        assert.notInclude(seen, "^G")
        assert.match(seen, /^ab.*cdz$/)
      }
    )
  )

  test(
    "text-filter",
    "blanks, tabs, semicolons, quotes, percent signs, letters of any script and names of keys arrive as they are",
    Effect.fnUntraced(
      function*({ openReady, line, programs, runtime }) {
        const text = "  a;  \t'b' \"c\" $d `e` #{f} %g \\n C-c Enter -l ; é 你 🚀;"
        const { handle } = yield* openReady(programs.counter(new TextEncoder().encode(text).length))
        yield* runtime.sendText(handle, text, { profile: "plain-pane" })

        yield* line(handle, cksum(new TextEncoder().encode(text)))
      }
    )
  )

  test(
    "newlines",
    "several lines are refused where each would be submitted, and nothing is typed",
    Effect.fnUntraced(
      function*({ openReady, line, programs, runtime }) {
        const { handle } = yield* openReady(programs.recorder)
        const answer = yield* Effect.result(runtime.sendText(handle, "one\ntwo", { profile: "plain-pane" }))
        // a runtime that cannot know what the program asked for says so
        if (Result.isSuccess(answer)) return assert.include([...(answer.success.warnings ?? [])], "paste-mode-unknown")
        yield* runtime.sendKeys(handle, ["z"])

        assert.deepInclude(answer.failure, { _tag: "SendRejected", code: "newline-would-submit" })
        assert.strictEqual((yield* line(handle, /z$/)).line, "z")
      }
    ),
    { needs: ["bracketedPaste"] }
  )

  test(
    "newlines",
    "several lines are one paste where the program asked for it, whatever their ends",
    Effect.fnUntraced(
      function*({ openReady, line, programs, runtime }) {
        const { handle } = yield* openReady(programs.pasteRecorder)
        yield* runtime.sendText(handle, "one\r\ntwo\rthree", { profile: "plain-pane" })
        yield* runtime.sendKeys(handle, ["z"])
        yield* line(handle, /z$/)
        const text = (yield* runtime.capture(handle, { range: "full" })).rows.join(" ").replaceAll("^J", " ")
          .replaceAll("^M", " ")

        assert.match(text, /\^\[\[200~one two three\^\[\[201~z/)
      }
    ),
    { needs: ["bracketedPaste"] }
  )

  test(
    "newlines",
    "they are typed line by line where the caller allows it",
    Effect.fnUntraced(
      function*({ openReady, line, programs, runtime }) {
        const { handle } = yield* openReady(programs.echo)
        yield* runtime.sendText(handle, "one\ntwo\nthree\n", { profile: "plain-pane", allowNewlines: true })
        yield* line(handle, /^three$/)
      }
    )
  )

  test(
    "any-size",
    "a large text arrives byte for byte",
    Effect.fnUntraced(
      function*({ openReady, line, programs, runtime }) {
        const text = Array.from({ length: 6000 }, (_, index) => `${index} abc é;`).join(" ")
        const bytes = new TextEncoder().encode(text)
        const { handle } = yield* openReady(programs.counter(bytes.length))
        const report = yield* runtime.sendText(handle, text, { profile: "plain-pane" })

        yield* line(handle, cksum(bytes))
        if (report.bytes !== undefined) assert.isAtLeast(report.bytes.accepted, bytes.length)
      }
    )
  )

  test(
    "held-panes",
    "a pane whose program ended takes no text; one that is gone is not found",
    Effect.fnUntraced(
      function*({ patience, programs, recorder, runtime }) {
        const { handle } = yield* runtime.spawn({ program: programs.ending("over", 0), onExit: "hold" })
        yield* runtime.waitLifecycle({ condition: "pane-exited", target: handle, timeout: patience })
        for (const profile of both) {
          const error = yield* failureOf(runtime.sendText(handle, "hello", { profile }))
          assert.deepInclude(error, { _tag: "SendRejected", code: "pane-dead" })
        }
        assert.deepStrictEqual(recorder.written(handle), [])
        yield* runtime.closePane(handle)
        assert.deepInclude(yield* failureOf(runtime.sendText(handle, "hello")), { _tag: "TargetNotFound" })
      }
    ),
    { needs: ["exitStatus"] }
  )

  test(
    "one-writer",
    "the texts and keys of many senders stay together",
    Effect.fnUntraced(
      function*({ openReady, line, programs, recorder, runtime }) {
        const { handle } = yield* openReady(programs.recorder)
        const letters = ["a", "b", "c", "d", "e", "f"]
        yield* Effect.forEach(
          letters,
          (letter) =>
            runtime.send(handle, {
              items: [{ message: letter.repeat(20) }, { key: "Tab" }, { message: letter }, { key: "Tab" }]
            }, {
              profile: "plain-pane"
            }),
          { concurrency: "unbounded" }
        ).pipe(recorder.during(slowly()))
        yield* runtime.sendKeys(handle, ["z"])
        const { line: seen } = yield* line(handle, /z$/)
        for (const letter of letters) assert.include(seen, `${letter.repeat(20)}^I${letter}^I`)
        assert.strictEqual(seen.length, letters.length * 25 + 1)
      }
    )
  )

  test(
    "delivery-report",
    "a plain delivery says that the bytes were taken, not more",
    Effect.fnUntraced(
      function*({ openReady, programs, runtime }) {
        const { handle } = yield* openReady(programs.recorder)
        const report = yield* runtime.sendText(handle, "hello", { profile: "plain-pane" })

        assert.include(["admitted", "accepted"], report.outcome)
        if (report.outcome === "admitted") assert.include(["bytes", "none"], report.evidence)
        assert.strictEqual(report.mark.pane.toString(), handle.toString())
        if (report.bytes !== undefined) assert.deepStrictEqual(report.bytes, { accepted: 5, total: 5 })
      }
    )
  )

  test(
    "delivery-report",
    "evidence that is weaker than the caller asks for is in doubt, and nothing is sent again",
    Effect.fnUntraced(
      function*({ openReady, line, programs, runtime }) {
        const { handle } = yield* openReady(programs.recorder)
        const error = yield* failureOf(
          runtime.sendText(handle, "hello", { profile: "plain-pane", require: "transcript", within: "200 millis" })
        )
        yield* runtime.sendKeys(handle, ["z"])

        assert(error._tag === "SendStalled")
        assert.deepStrictEqual([error.report.outcome, error.retryable], ["in-doubt", false])
        assert.strictEqual((yield* line(handle, /z$/)).line, "helloz")
      }
    )
  )
}
