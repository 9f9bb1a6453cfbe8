/**
 * What a runtime can do, and how it refuses what it cannot.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Capabilities from "../../Capabilities.ts"
import type { Service } from "../../Contract.ts"
import type { RuntimeError } from "../../RuntimeError.ts"
import type { PaneHandle } from "../../Target.ts"
import { failureOf, printed, type Test } from "./world.ts"

/** An operation that needs the capability, where there is one that is refused without it. */
const operations: Partial<
  Record<Capabilities.Capability, (runtime: Service, pane: PaneHandle) => Effect.Effect<unknown, RuntimeError>>
> = {
  focus: (runtime, pane) => runtime.focus(pane),
  splitPane: (runtime, pane) => runtime.spawn({ placement: { split: pane } }),
  rawOutput: (runtime, pane) => Stream.runDrain(runtime.output(pane)),
  sessions: (runtime) => runtime.listSessions,
  resize: (runtime, pane) => runtime.resize(pane, { columns: 50, rows: 10 }),
  ansi: (runtime, pane) => runtime.capture(pane, { ansi: true })
}

/**
 * @internal
 */
export const capabilities = (test: Test, lacks: ReadonlyArray<Capabilities.Capability>): void => {
  test(
    "capabilities",
    "what is said to be lacking is lacking, and nothing else is",
    Effect.fnUntraced(
      function*({ runtime }) {
        const told = Capabilities.Capability.literals.filter((one) => runtime.capabilities[one] === "none")
        assert.sameMembers(told, [...lacks])
        assert.sameMembers(Object.keys(runtime.capabilities), [...Capabilities.Capability.literals])
        for (const capability of lacks) {
          const error = yield* failureOf(Capabilities.require(runtime, [capability]))
          assert.deepInclude(error, { _tag: "Unsupported", capability })
        }
      }
    )
  )

  for (const capability of lacks) {
    const operation = operations[capability]
    if (operation === undefined) continue
    test(
      "capabilities",
      `without ${capability} its operation is refused typed and changes nothing`,
      Effect.fnUntraced(
        function*({ open, programs, recorder, runtime }) {
          const { handle } = yield* open(programs.echo)
          recorder.clear()
          const error = yield* failureOf(operation(runtime, handle))
          assert.deepInclude(error, { _tag: "Unsupported", capability })
          assert.deepStrictEqual(recorder.mutations(), [])
        }
      )
    )
  }

  test(
    "capabilities",
    "setting the environment and attaching say what they did, or that they cannot",
    Effect.fnUntraced(
      function*({ line, openShell, recorder, runtime }) {
        recorder.clear()
        const set = yield* runtime.setEnvironment({ name: "PANEWAY_SUITE_SET", value: "told" })
        if (lacks.includes("setEnvironment")) {
          assert.include(["Unsupported", "InternalizedAtSpawn"], set._tag)
          assert.deepStrictEqual(recorder.mutations(), [])
        } else assert.include(["Applied", "InternalizedAtSpawn"], set._tag)
        if (set._tag === "Applied") {
          const { handle } = yield* openShell()
          yield* runtime.sendCommand(handle, `printf '<%s>\\n' "$PANEWAY_SUITE_SET"`, { profile: "plain-pane" })
          yield* line(handle, "<told>")
        }
        if (!lacks.includes("attach")) return
        const attached = yield* runtime.attach()
        assert.include(["Unsupported", "Implicit"], attached._tag)
      }
    )
  )

  test(
    "capabilities",
    "colours are kept only where they are asked for",
    Effect.fnUntraced(
      function*({ line, openReady, programs, runtime }) {
        const { handle } = yield* openReady(programs.printing("\u001b[31mred\u001b[0m plain\r\n"))
        yield* line(handle, "red plain")
        const plain = yield* runtime.capture(handle)
        const coloured = yield* runtime.capture(handle, { ansi: true })
        assert.notInclude(plain.text, "\u001b")
        assert.match(coloured.text, /\u001b\[(?:[0-9;]*;)?31m.*red/)
      }
    ),
    { needs: ["ansi"] }
  )

  test(
    "capabilities",
    "a capture has the rows that were asked for",
    Effect.fnUntraced(
      function*({ line, openShell, runtime }) {
        const { handle } = yield* openShell()
        yield* runtime.sendCommand(
          handle,
          `printf 'row %s\\n' ${Array.from({ length: 60 }, (_, index) => index).join(" ")}`
        )
        yield* line(handle, printed("row 59"))
        const tail = yield* runtime.capture(handle, { range: { tail: 5 } })
        const usual = yield* runtime.capture(handle)
        const full = yield* runtime.capture(handle, { range: "full" })

        // the prompt may not be there yet
        assert.lengthOf(tail.rows, 5)
        assert.include(tail.rows, "row 59")
        assert.lengthOf(usual.rows, 40)
        assert.includeMembers([...full.rows], Array.from({ length: 59 }, (_, index) => `row ${index + 1}`))
      }
    ),
    { needs: ["scrollback"] }
  )
}
