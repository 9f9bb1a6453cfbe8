import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { MaxOpsBeforeYield } from "effect/Scheduler"
import { TestClock } from "effect/testing"
import * as PaneLocks from "../src/PaneLocks.ts"

const key = "tmux:%1~0123456789"

/** Holds the lock until the returned effect is run. */
const held = Effect.gen(function*() {
  const { withLock } = yield* PaneLocks.PaneLocks
  const end = yield* Deferred.make<void>()
  const fiber = yield* Effect.forkChild(withLock(key)(Deferred.await(end)), { startImmediately: true })
  return { withLock, fiber, end: Effect.andThen(Deferred.succeed(end, undefined), Fiber.join(fiber)) }
})

const isFree = Effect.gen(function*() {
  const { withLock } = yield* PaneLocks.PaneLocks
  const fiber = yield* Effect.forkChild(withLock(key)(Effect.void), { startImmediately: true })
  return fiber.pollUnsafe() !== undefined
})

describe("a lock in memory", () => {
  it.effect("lets 100 senders in one by one, in the order in which they came", () =>
    Effect.gen(function*() {
      const { withLock } = yield* PaneLocks.PaneLocks
      const log: Array<string> = []
      const sender = (n: number) =>
        withLock(key)(Effect.gen(function*() {
          log.push(`begin ${n}`)
          yield* Effect.sleep("1 millis")
          log.push(`end ${n}`)
        }))

      const senders = yield* Effect.forkChild(
        Effect.all(Array.from({ length: 100 }, (_, n) => sender(n)), { concurrency: "unbounded" })
      )
      yield* TestClock.adjust("100 millis")
      yield* Fiber.join(senders)

      assert.deepStrictEqual(log, Array.from({ length: 100 }, (_, n) => [`begin ${n}`, `end ${n}`]).flat())
    }).pipe(Effect.provide(PaneLocks.layerMemory)))

  it.effect("fails those who waited 30 seconds, and nobody before", () =>
    Effect.gen(function*() {
      const { end, withLock } = yield* held
      const waiting = yield* Effect.forkChild(Effect.flip(withLock(key)(Effect.succeed("in"))))

      yield* TestClock.adjust("29 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 second")
      const error = yield* Fiber.join(waiting)

      assert.deepInclude(error, { _tag: "RuntimeUnavailable", runtime: "tmux", reason: "timed-out" })
      yield* end
      assert.isTrue(yield* isFree)
    }).pipe(Effect.provide(PaneLocks.layerMemory)))

  it.effect("does not count the time of the holder against the holder", () =>
    Effect.gen(function*() {
      const { withLock } = yield* PaneLocks.PaneLocks
      const holder = yield* Effect.forkChild(withLock(key)(Effect.as(Effect.sleep("5 minutes"), "done")))

      yield* TestClock.adjust("5 minutes")

      assert.strictEqual(yield* Fiber.join(holder), "done")
    }).pipe(Effect.provide(PaneLocks.layerMemory)))

  it.effect("is not waited for after an interruption, and the next in line gets it", () =>
    Effect.gen(function*() {
      const { end, withLock } = yield* held
      const log: Array<string> = []
      const quits = yield* Effect.forkChild(withLock(key)(Effect.sync(() => log.push("quits"))))
      const stays = yield* Effect.forkChild(withLock(key)(Effect.sync(() => log.push("stays"))))
      yield* Effect.yieldNow

      yield* Fiber.interrupt(quits)
      yield* end
      yield* Fiber.join(stays)

      assert.deepStrictEqual(log, ["stays"])
      assert.isTrue(yield* isFree)
    }).pipe(Effect.provide(PaneLocks.layerMemory)))

  it.effect("is released when its holder is interrupted, fails or dies", () =>
    Effect.gen(function*() {
      const { fiber, withLock } = yield* held
      assert.isFalse(yield* isFree)

      yield* Fiber.interrupt(fiber)
      assert.isTrue(yield* isFree)
      yield* Effect.exit(withLock(key)(Effect.fail("failed")))
      assert.isTrue(yield* isFree)
      const died = yield* Effect.exit(withLock(key)(Effect.die("died")))
      assert.isTrue(Exit.isFailure(died) && Cause.hasDies(died.cause))
      assert.isTrue(yield* isFree)
    }).pipe(Effect.provide(PaneLocks.layerMemory)))

  it.effect("that is handed over to a waiter who is interrupted at that moment is not lost", () =>
    Effect.gen(function*() {
      // the waiter pauses after every few steps, and so also between the hand-over and what it locks for
      for (let steps = 3; steps < 40; steps++) {
        const { fiber, withLock } = yield* held
        const waiting = yield* Effect.forkChild(
          withLock(key)(Effect.void).pipe(Effect.provideService(MaxOpsBeforeYield, steps)),
          { startImmediately: true }
        )
        for (let n = 0; n < 40; n++) yield* Effect.yieldNow
        fiber.interruptUnsafe()
        waiting.interruptUnsafe()
        yield* Fiber.await(waiting)
        yield* Fiber.await(fiber)

        assert.isTrue(yield* isFree, `${steps} steps`)
      }
    }).pipe(Effect.provide(PaneLocks.layerMemory)))

  it.effect("of one pane does not hold up another", () =>
    Effect.gen(function*() {
      const { withLock } = yield* held

      assert.strictEqual(yield* withLock("tmux:%2~0123456789")(Effect.succeed("in")), "in")
    }).pipe(Effect.provide(PaneLocks.layerMemory)))
})
