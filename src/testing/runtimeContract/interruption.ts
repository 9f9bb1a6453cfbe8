/**
 * Operations that are interrupted.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { slowly } from "./faults.ts"
import type { Test } from "./world.ts"

/**
 * @internal
 */
export const interruption = (test: Test): void => {
  test(
    "interruption",
    "a wait that is interrupted leaves nothing that watches, and others go on",
    Effect.fnUntraced(
      function*({ line, openReady, programs, recorder, runtime }) {
        const { handle } = yield* openReady(programs.echo)
        const [one, two] = yield* Effect.all([
          Effect.forkChild(runtime.waitOutput(handle, { pattern: "absent", timeout: Duration.infinity }), {
            startImmediately: true
          }),
          Effect.forkChild(line(handle, "go on"), { startImmediately: true })
        ])
        yield* Fiber.interrupt(one)
        yield* runtime.sendCommand(handle, "go on", { profile: "plain-pane" })
        yield* Fiber.join(two)
        assert.isAtMost(recorder.watching(), 1)
      }
    )
  )

  test(
    "interruption",
    "a delivery that has begun runs to its end, and the next sender comes after it",
    Effect.fnUntraced(
      function*({ line, openReady, programs, recorder, runtime }) {
        const { handle } = yield* openReady(programs.recorder)
        const text = "complete".repeat(10)
        const begun = yield* Deferred.make<void>()
        const sent = yield* Effect.forkChild(
          runtime.send(handle, { items: [{ message: text }, { key: "Tab" }, { message: "end" }] }, {
            profile: "plain-pane"
          }).pipe(recorder.during(slowly(Deferred.succeed(begun, undefined)))),
          { startImmediately: true }
        )
        yield* Deferred.await(begun)
        const next = yield* Effect.forkChild(runtime.sendKeys(handle, ["z"]), { startImmediately: true })
        yield* Fiber.interrupt(sent)
        yield* Fiber.join(next)
        assert.strictEqual((yield* line(handle, /z$/)).line, `${text}^Iendz`)
      }
    )
  )

  test(
    "interruption",
    "a sender that is interrupted while it waits for its turn types nothing and blocks nobody",
    Effect.fnUntraced(
      function*({ line, openReady, programs, recorder, runtime }) {
        const { handle } = yield* openReady(programs.recorder)
        const begun = yield* Deferred.make<void>()
        const slow = yield* Effect.forkChild(
          runtime.sendText(handle, "first", { profile: "plain-pane" }).pipe(
            recorder.during(slowly(Deferred.succeed(begun, undefined)))
          ),
          { startImmediately: true }
        )
        yield* Deferred.await(begun)
        const waiting = yield* Effect.forkChild(runtime.sendText(handle, "never", { profile: "plain-pane" }), {
          startImmediately: true
        })
        yield* Fiber.interrupt(waiting)
        yield* Fiber.join(slow)
        yield* runtime.sendKeys(handle, ["z"])
        assert.strictEqual((yield* line(handle, /z$/)).line, "firstz")
      }
    )
  )

  test(
    "interruption",
    "a spawn that is interrupted leaves no pane, whenever that was",
    Effect.fnUntraced(
      function*({ programs, recorder, runtime }) {
        const before = (yield* runtime.listPanes()).length
        for (const yields of [0, 1, 2, 5, 10, 50]) {
          const spawning = yield* Effect.forkChild(runtime.spawn({ program: programs.echo }), {
            startImmediately: true
          })
          for (let turn = 0; turn < yields; turn++) yield* Effect.yieldNow
          yield* Fiber.interrupt(spawning)
          const exit = spawning.pollUnsafe()
          if (exit?._tag === "Success") yield* runtime.closePane(exit.value.handle)
        }
        const opened = yield* Deferred.make<void>()
        const late = yield* Effect.forkChild(
          runtime.spawn({ program: programs.echo }).pipe(
            recorder.during(({ open }) => ({
              open: (request) =>
                Effect.tap(open(request), () => Effect.andThen(Deferred.succeed(opened, undefined), Effect.yieldNow))
            }))
          ),
          { startImmediately: true }
        )
        yield* Deferred.await(opened)
        yield* Fiber.interrupt(late)

        assert.strictEqual((yield* runtime.listPanes()).length, before)
        assert.isFalse(recorder.calls.some(({ state }) => state === "running"))
      }
    )
  )
}
