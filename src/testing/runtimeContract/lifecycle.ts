/**
 * What exists: waited for, probed, streamed.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import type { RuntimeEvent } from "../../Lifecycle.ts"
import { PaneHandle, windowName } from "../../Target.ts"
import { failureOf, type Test } from "./world.ts"

/**
 * @internal
 */
export const lifecycle = (test: Test): void => {
  test(
    "lifecycle",
    "a window that is there is observed at once, one that comes is observed when it comes",
    Effect.fnUntraced(
      function*({ patience, root, runtime }) {
        const waiting = yield* Effect.forkChild(
          runtime.waitLifecycle({ condition: "window-exists", target: windowName("later"), timeout: patience }),
          { startImmediately: true }
        )
        const early = yield* failureOf(
          runtime.waitLifecycle({ condition: "window-exists", target: windowName("later"), timeout: Duration.zero })
        )
        const { handle } = yield* runtime.ensureWindow({ name: "later", root })
        const came = yield* Fiber.join(waiting)
        const there = yield* runtime.waitLifecycle({
          condition: "window-exists",
          target: handle,
          timeout: Duration.zero
        })

        assert.strictEqual(early._tag, "WaitTimeout")
        assert.deepStrictEqual([came.observed, there.observed], ["present", "present"])
      }
    )
  )

  test(
    "lifecycle",
    "a pane is there, and is gone after it was closed",
    Effect.fnUntraced(
      function*({ open, patience, programs, runtime }) {
        const { handle } = yield* open(programs.echo)
        const there = yield* runtime.waitLifecycle({ condition: "pane-exists", target: handle, timeout: Duration.zero })
        const waiting = yield* Effect.forkChild(
          runtime.waitLifecycle({ condition: "pane-exited", target: handle, timeout: patience }),
          { startImmediately: true }
        )
        yield* runtime.closePane(handle)
        const gone = yield* Fiber.join(waiting)
        const missed = yield* failureOf(
          runtime.waitLifecycle({ condition: "pane-exists", target: handle, timeout: Duration.zero })
        )

        assert.strictEqual(there.observed, "present")
        assert.include(["absent", "exited"], gone.observed)
        assert.strictEqual(missed._tag, "WaitTimeout")
      }
    )
  )

  test(
    "lifecycle",
    "a pane that is there has not exited",
    Effect.fnUntraced(function*({ open, programs, runtime }) {
      const { handle } = yield* open(programs.echo)
      const error = yield* failureOf(
        runtime.waitLifecycle({ condition: "pane-exited", target: handle, timeout: "3 seconds" })
      )
      assert(error._tag === "WaitTimeout")
      assert.strictEqual(error.lastSeen._tag, "Lifecycle")
    })
  )

  test(
    "lifecycle",
    "a held pane has exited, is live, and tells its exit",
    Effect.fnUntraced(
      function*({ patience, programs, runtime }) {
        const { handle } = yield* runtime.spawn({ program: programs.ending("over", 7), onExit: "hold" })
        const seen = yield* runtime.waitLifecycle({ condition: "pane-exited", target: handle, timeout: patience })
        const [probe] = yield* runtime.probe([handle])

        assert.deepInclude(seen, { observed: "exited", exit: { code: 7 } })
        assert.strictEqual(probe?.liveness, "live")
        assert.deepStrictEqual((yield* runtime.describe(handle)).exit, { code: 7 })
      }
    ),
    { needs: ["exitStatus"] }
  )

  test(
    "lifecycle",
    "a focused window is active",
    Effect.fnUntraced(function*({ patience, root, runtime }) {
      const one = yield* runtime.ensureWindow({ name: "one", root })
      const two = yield* runtime.ensureWindow({ name: "two", root })
      for (const [focused, other] of [[two, one], [one, two]] as const) {
        yield* runtime.focus(focused.handle)
        const asked = { condition: "window-active", target: focused.handle } as const
        const seen = yield* runtime.waitLifecycle({ ...asked, timeout: patience })
        const not = yield* failureOf(
          runtime.waitLifecycle({ ...asked, target: other.handle, timeout: Duration.zero })
        )
        assert.deepStrictEqual([seen.observed, not._tag], ["active", "WaitTimeout"])
      }
    }),
    { needs: ["focus"] }
  )

  test(
    "not-knowing",
    "probes answer in the order they were asked: live, gone, and nothing about strangers",
    Effect.fnUntraced(
      function*({ open, programs, runtime }) {
        const [one, two] = yield* Effect.all([open(programs.echo), open(programs.echo)])
        yield* runtime.closePane(one.handle)
        const stranger = new PaneHandle({ ...two.handle, scope: "another" })
        const asked = [two.handle, one.handle, stranger, two.handle]
        const probes = yield* runtime.probe(asked)
        assert.deepStrictEqual(probes.map(({ liveness }) => liveness), ["live", "gone", "unknown", "live"])
        assert.deepStrictEqual(probes.map(({ pane }) => `${pane}`), asked.map((pane) => `${pane}`))
      }
    )
  )

  test(
    "streams",
    "events begin with what exists and tell what is opened and closed, in order",
    Effect.fnUntraced(
      function*({ open, patience, programs, runtime }) {
        const first = yield* open(programs.echo)
        const told: Array<string> = []
        const begun = yield* Deferred.make<void>()
        const idOf = (event: RuntimeEvent) =>
          event._tag === "PaneOpened" ? event.pane.handle.id : event._tag === "PaneClosed" ? event.pane.id : ""
        const reader = yield* Effect.forkChild(
          Stream.runForEachWhile(
            runtime.events,
            Effect.fnUntraced(function*(event) {
              told.push(`${event._tag} ${idOf(event)}`)
              if (event._tag === "PaneOpened" && idOf(event) === first.handle.id) {
                yield* Deferred.succeed(begun, undefined)
              }
              return event._tag !== "PaneClosed"
            })
          ),
          { startImmediately: true }
        )
        // once it says what is there it will tell what changes
        yield* Effect.timeout(Deferred.await(begun), patience)
        const second = yield* open(programs.echo)
        yield* Effect.repeat(Effect.sync(() => told.includes(`PaneOpened ${second.handle.id}`)), {
          until: (opened) => opened,
          schedule: Schedule.spaced("10 millis")
        }).pipe(Effect.timeout(patience))
        yield* runtime.closePane(first.handle)
        yield* Effect.timeout(Fiber.join(reader), patience)

        assert.deepStrictEqual(told.filter((event) => event.startsWith("Pane")), [
          `PaneOpened ${first.handle.id}`,
          `PaneOpened ${second.handle.id}`,
          `PaneClosed ${first.handle.id}`
        ])
      }
    )
  )

  test(
    "streams",
    "the output of a pane is its bytes from the start, and ends after the last one",
    Effect.fnUntraced(
      function*({ patience, programs, runtime }) {
        const { handle } = yield* runtime.spawn({ program: programs.ending("first\nlast", 0), onExit: "hold" })
        const whole = Effect.map(
          Effect.timeout(Stream.runCollect(runtime.output(handle)), patience),
          (chunks) => chunks.map((chunk) => new TextDecoder().decode(chunk)).join("")
        )
        const text = yield* whole
        assert.match(text, /^first\r?\nlast$/)
        // later there is what the runtime still holds
        assert.isTrue(text.endsWith(yield* whole))
      }
    ),
    { needs: ["rawOutput"] }
  )
}
