/**
 * Handles: which pane they name, how they print, and which ones reach nothing.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Service } from "../../Contract.ts"
import type { RuntimeError } from "../../RuntimeError.ts"
import { PaneHandle, WindowHandle } from "../../Target.ts"
import { failureOf, type Test } from "./world.ts"

/** Every operation that is given a pane. */
const onPane = (
  runtime: Service,
  pane: PaneHandle
): Readonly<Record<string, Effect.Effect<unknown, RuntimeError>>> => ({
  capture: runtime.capture(pane),
  closePane: runtime.closePane(pane),
  describe: runtime.describe(pane),
  run: runtime.run(pane, { command: "echo no", timeout: "1 second" }),
  sendCommand: runtime.sendCommand(pane, "echo no"),
  sendKeys: runtime.sendKeys(pane, ["Enter"]),
  sendText: runtime.sendText(pane, "no"),
  spawn: runtime.spawn({ placement: { split: pane } }),
  typeInto: runtime.typeInto(pane, "no\n"),
  waitOutput: runtime.waitOutput(pane, { pattern: "no", timeout: "1 second" }),
  waitStable: runtime.waitStable(pane, { quiet: "1 second", timeout: "1 second" })
})

/** Operations of capabilities that a runtime may lack, and such as wait for what exists. */
const alsoOnPane = (
  runtime: Service,
  pane: PaneHandle
): Readonly<Record<string, Effect.Effect<unknown, RuntimeError>>> => ({
  focus: runtime.focus(pane),
  resize: runtime.resize(pane, { columns: 50, rows: 10 }),
  waitAgent: runtime.waitAgent(pane, { states: ["idle"], timeout: "1 second" }),
  waitLifecycle: runtime.waitLifecycle({ condition: "pane-exited", target: pane, timeout: "1 second" })
})

const strangers = {
  runtime: { runtime: "another" },
  host: { host: "another" },
  server: { scope: "another" }
} as const

/**
 * @internal
 */
export const handles = (test: Test): void => {
  for (const [what, change] of Object.entries(strangers)) {
    test(
      "exact-handles",
      `a handle of another ${what} is foreign to every operation and asks nothing`,
      Effect.fnUntraced(
        function*({ has, open, programs, recorder, runtime }) {
          const { handle } = yield* open(programs.echo)
          const foreign = new PaneHandle({ ...handle, ...change })
          recorder.clear()
          const operations = {
            ...onPane(runtime, foreign),
            ...alsoOnPane(runtime, foreign),
            ...(has("rawOutput") ? { output: Stream.runDrain(runtime.output(foreign)) } : {})
          }
          for (const [name, operation] of Object.entries(operations)) {
            const error = yield* failureOf(operation)
            assert.deepInclude(error, { _tag: "TargetNotFound", reason: "foreign" }, name)
          }
          assert.deepStrictEqual(recorder.calls, [])
        }
      )
    )
  }

  test(
    "exact-handles",
    "a handle of a former incarnation reaches no pane",
    Effect.fnUntraced(
      function*({ exists, open, programs, recorder, runtime }) {
        const { handle } = yield* open(programs.echo)
        const former = new PaneHandle({ ...handle, incarnation: `${handle.incarnation}0` })
        recorder.clear()
        for (const [name, operation] of Object.entries(onPane(runtime, former))) {
          const answer = yield* Effect.result(operation)
          // closing what is not there is no failure
          if (name === "closePane" && answer._tag === "Success") assert.strictEqual(answer.success, "already-closed")
          else {
            assert(answer._tag === "Failure", `${name} succeeded`)
            assert.deepInclude(answer.failure, { _tag: "TargetNotFound" }, name)
          }
        }
        assert.deepStrictEqual(recorder.written(handle), [])
        assert.isTrue(yield* exists(handle))
      }
    )
  )

  test(
    "exact-handles",
    "a pane that is gone stays gone for its handle, also when another one is opened",
    Effect.fnUntraced(
      function*({ open, programs, runtime }) {
        const { handle } = yield* open(programs.echo)
        yield* runtime.closePane(handle)
        yield* open(programs.echo)
        const operations: ReadonlyArray<Effect.Effect<unknown, RuntimeError>> = [
          runtime.describe(handle),
          runtime.capture(handle),
          runtime.sendText(handle, "x")
        ]
        for (const operation of operations) {
          const error = yield* failureOf(operation)
          assert.strictEqual(error._tag, "TargetNotFound")
        }
      }
    )
  )

  test(
    "exact-handles",
    "a window of another server or a former incarnation is not closed",
    Effect.fnUntraced(
      function*({ exists, open, programs, runtime }) {
        const { handle, window } = yield* open(programs.echo)
        const foreign = yield* failureOf(runtime.closeWindow(new WindowHandle({ ...window, scope: "another" })))
        const former = yield* Effect.result(
          runtime.closeWindow(new WindowHandle({ ...window, incarnation: `${window.incarnation}0` }))
        )
        assert.deepInclude(foreign, { _tag: "TargetNotFound", reason: "foreign" })
        if (former._tag === "Success") assert.strictEqual(former.success, "already-closed")
        else assert.deepInclude(former.failure, { _tag: "TargetNotFound" })
        assert.isTrue(yield* exists(handle))
      }
    )
  )

  test(
    "exact-handles",
    "an id is never matched by a part of it",
    Effect.fnUntraced(
      function*({ open, programs, runtime }) {
        const { handle } = yield* open(programs.echo)
        for (const id of [`${handle.id}0`, `${handle.id}:0`, handle.id.slice(0, -1), `=${handle.id}`]) {
          if (id === "") continue
          const error = yield* failureOf(runtime.resolve(id))
          assert.strictEqual(error._tag, "TargetNotFound", id)
        }
      }
    )
  )

  test(
    "printed-handles",
    "a printed handle and a native id lead back to the pane, and so does the encoded handle",
    Effect.fnUntraced(
      function*({ open, programs, runtime }) {
        const { handle } = yield* open(programs.echo)
        yield* open(programs.echo)
        const printed = handle.toString()
        const json = Schema.toCodecJson(PaneHandle)
        const decoded = yield* Schema.decodeEffect(json)(yield* Schema.encodeEffect(json)(handle))

        assert.match(printed, /^[\w@%+=:,./~-]+$/)
        for (
          const found of [
            yield* runtime.resolve(printed),
            yield* runtime.resolve(handle.id),
            yield* runtime.describe(decoded)
          ]
        ) assert.strictEqual(found.handle.toString(), printed)
      }
    )
  )

  test(
    "printed-handles",
    "text that was changed, or is no handle, names nothing",
    Effect.fnUntraced(
      function*({ open, programs, runtime }) {
        const { handle } = yield* open(programs.echo)
        const printed = handle.toString()
        const tampered = printed.replace(/~([0-9a-f])/, (_, digit: string) => `~${digit === "0" ? "1" : "0"}`)
        const refused = [tampered, printed.replace(/^[^:]+/, "another"), "", " ", "no such pane", "a;b", `${printed} `]
        for (const text of refused) {
          const error = yield* failureOf(runtime.resolve(text))
          assert.strictEqual(error._tag, "TargetNotFound", text)
        }
      }
    )
  )
}
