/**
 * Sessions and windows.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { RuntimeError } from "../../RuntimeError.ts"
import { WindowName } from "../../Target.ts"
import { failureOf, type Test } from "./world.ts"

/**
 * @internal
 */
export const windows = (test: Test): void => {
  test(
    "windows",
    "ensuring a window twice makes it once",
    Effect.fnUntraced(function*({ recorder, root, runtime }) {
      const first = yield* runtime.ensureWindow({ name: "build", root })
      const again = yield* runtime.ensureWindow({ name: "build", root })

      assert.strictEqual(again.handle.toString(), first.handle.toString())
      assert.strictEqual(first.root, root)
      assert.lengthOf(recorder.mutations().filter(({ primitive }) => primitive === "open"), 1)
      assert.lengthOf((yield* runtime.listWindows()).filter(({ name }) => name === "build"), 1)
    })
  )

  test(
    "windows",
    "many who ensure one window at the same time get one window",
    Effect.fnUntraced(
      function*({ recorder, root, runtime }) {
        const made = yield* Effect.all(Array.from({ length: 8 }, () => runtime.ensureWindow({ name: "one", root })), {
          concurrency: "unbounded"
        }).pipe(
          // all of them ask before one of them makes it
          recorder.during(({ inventory }) => ({ inventory: Effect.tap(inventory, () => Effect.sleep("10 millis")) }))
        )
        assert.strictEqual(new Set(made.map(({ handle }) => handle.toString())).size, 1)
        assert.lengthOf(recorder.mutations().filter(({ primitive }) => primitive === "open"), 1)
      }
    )
  )

  test(
    "windows",
    "names that are equal once they are window names are one window, others are not",
    Effect.fnUntraced(
      function*({ root, runtime }) {
        const one = yield* runtime.ensureWindow({ name: "my task: 1", root })
        const same = yield* runtime.ensureWindow({ name: "my-task-1", root })
        const longer = yield* runtime.ensureWindow({ name: "my-task-10", root })

        assert.strictEqual(one.name, "my-task-1")
        assert.strictEqual(same.handle.toString(), one.handle.toString())
        assert.notStrictEqual(longer.handle.toString(), one.handle.toString())
      }
    )
  )

  test(
    "windows",
    "another root is a conflict that names both and changes nothing",
    Effect.fnUntraced(
      function*({ recorder, root, runtime }) {
        yield* runtime.ensureWindow({ name: "rooted", root })
        recorder.clear()
        const elsewhere = `${root === "/" ? "" : root}/elsewhere`
        const error = yield* failureOf(runtime.ensureWindow({ name: "rooted", root: elsewhere }))

        assert.deepInclude(error, { _tag: "WindowConflict", field: "root", requested: elsewhere, existing: root })
        assert.deepStrictEqual(recorder.mutations(), [])
      }
    )
  )

  test(
    "windows",
    "a preset that the window was not made with is a conflict and changes nothing",
    Effect.fnUntraced(
      function*({ recorder, root, runtime }) {
        yield* runtime.ensureWindow({ name: "plain", root })
        recorder.clear()
        const error = yield* failureOf(runtime.ensureWindow({ name: "plain", root, preset: "review" }))

        assert.deepInclude(error, { _tag: "WindowConflict", field: "preset", requested: "review", existing: "" })
        assert.deepStrictEqual(recorder.mutations(), [])
      }
    )
  )

  test(
    "windows",
    "a preset that nobody knows is refused before a window is made",
    Effect.fnUntraced(
      function*({ recorder, root, runtime }) {
        recorder.clear()
        const error = yield* failureOf(runtime.ensureWindow({ name: "preset", root, preset: "paneway-no-such-preset" }))

        assert.include(["Unsupported", "InvalidRequest", "TargetNotFound"], error._tag)
        assert.deepStrictEqual(recorder.mutations(), [])
        assert.isFalse((yield* runtime.listWindows()).some(({ name }) => name === "preset"))
      }
    )
  )

  test(
    "windows",
    "closing tells a handle that is gone from a name that is unknown",
    Effect.fnUntraced(
      function*({ root, runtime }) {
        const { handle, name } = yield* runtime.ensureWindow({ name: "short", root })

        assert.strictEqual(yield* runtime.closeWindow(name), "closed")
        assert.strictEqual(yield* runtime.closeWindow(handle), "already-closed")
        assert.deepInclude(yield* failureOf(runtime.closeWindow(name)), { _tag: "TargetNotFound", reason: "absent" })
        assert.lengthOf((yield* runtime.listWindows()).filter((window) => window.name === name), 0)
        assert.lengthOf((yield* runtime.listPanes()).filter(({ window }) => window.id === handle.id), 0)
      }
    )
  )

  test(
    "windows",
    "a name that does not exist is not found",
    Effect.fnUntraced(function*({ recorder, runtime }) {
      const none = WindowName.make("none")
      const operations: ReadonlyArray<Effect.Effect<unknown, RuntimeError>> = [
        runtime.listPanes({ window: none }),
        runtime.preparePane({ window: none }),
        runtime.spawn({ placement: { split: none } }),
        runtime.closeWindow(none)
      ]
      for (const operation of operations) {
        assert.deepInclude(yield* failureOf(operation), { _tag: "TargetNotFound", reason: "absent" })
      }
      assert.deepStrictEqual(recorder.mutations(), [])
    })
  )

  test(
    "windows",
    "a root that is no absolute path is refused",
    Effect.fnUntraced(function*({ recorder, runtime }) {
      const error = yield* failureOf(runtime.ensureWindow({ name: "bad", root: "here" }))
      assert.deepInclude(error, { _tag: "InvalidRequest", field: "root" })
      assert.deepStrictEqual(recorder.mutations(), [])
    })
  )

  test(
    "sessions",
    "one name in two sessions is two windows",
    Effect.fnUntraced(
      function*({ root, runtime }) {
        const one = yield* runtime.ensureWindow({ name: "w", root, session: "alpha" })
        const two = yield* runtime.ensureWindow({ name: "w", root, session: "alpha2" })

        assert.notStrictEqual(one.handle.toString(), two.handle.toString())
        assert.deepStrictEqual([one.session, two.session], ["alpha", "alpha2"])
        assert.includeMembers([...(yield* runtime.listSessions)], ["alpha", "alpha2"])
        assert.deepStrictEqual(
          (yield* runtime.listWindows({ session: "alpha" })).map(({ handle }) => handle.toString()),
          [one.handle.toString()]
        )
      }
    ),
    { needs: ["sessions"] }
  )

  test(
    "sessions",
    "closing a session takes its windows and no other's, and needs its exact name",
    Effect.fnUntraced(
      function*({ root, runtime }) {
        yield* runtime.ensureWindow({ name: "w", root, session: "alpha" })
        const kept = yield* runtime.ensureWindow({ name: "w", root, session: "alphabet" })

        assert.deepInclude(yield* failureOf(runtime.closeSession("alph")), { _tag: "TargetNotFound" })
        assert.strictEqual(yield* runtime.closeSession("alpha"), "closed")
        assert.deepInclude(yield* failureOf(runtime.closeSession("alpha")), { _tag: "TargetNotFound" })
        const left = yield* runtime.listWindows()
        assert.isTrue(left.some(({ handle }) => handle.toString() === kept.handle.toString()))
        assert.isFalse(left.some(({ session }) => session === "alpha"))
      }
    ),
    { needs: ["sessions"] }
  )

  test(
    "prepared-panes",
    "the first pane of an ensured window is prepared, and a second one is split off only when it is busy",
    Effect.fnUntraced(
      function*({ line, root, runtime }) {
        const window = yield* runtime.ensureWindow({ name: "work", root })
        const first = yield* runtime.preparePane({ window: window.handle })
        const again = yield* runtime.preparePane({ window: window.name })
        yield* runtime.sendCommand(again.handle, "printf '%s\\n' be''gun")
        yield* line(again.handle, "begun")
        // given out at once, although its shell may not have started the program yet
        yield* runtime.sendCommand(again.handle, "cat")
        const other = yield* runtime.preparePane({ window: window.handle })

        assert.strictEqual(again.handle.toString(), first.handle.toString())
        assert.notStrictEqual(other.handle.toString(), first.handle.toString())
        assert.strictEqual(other.window.toString(), window.handle.toString())
        assert.lengthOf(yield* runtime.listPanes({ window: window.handle }), 2)
      }
    ),
    { needs: ["splitPane"] }
  )

  test(
    "prepared-panes",
    "a prepared pane outlives its commands",
    Effect.fnUntraced(
      function*({ line, root, runtime }) {
        const { handle: window } = yield* runtime.ensureWindow({ name: "lasting", root })
        const { handle } = yield* runtime.preparePane({ window })
        yield* runtime.sendCommand(handle, "printf '%s\\n' fir''st")
        yield* line(handle, "first")
        yield* runtime.sendCommand(handle, "printf '%s\\n' sec''ond")
        yield* line(handle, "second")

        assert.strictEqual((yield* runtime.probe([handle]))[0]?.liveness, "live")
      }
    )
  )
}
