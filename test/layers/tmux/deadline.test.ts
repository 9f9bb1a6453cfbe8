import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Deadline from "../../../layers/tmux/deadline.ts"

const queue = Effect.fnUntraced(function*() {
  const clock = yield* Clock.Clock
  const waiting: Array<Deadline.Waiting> = []
  const passed: Array<number> = []
  const now = () => clock.currentTimeMillisUnsafe()
  const deadline = yield* Deadline.make({
    every: 100,
    now,
    waiting: () => waiting,
    passed: (one) => {
      waiting.splice(waiting.indexOf(one), 1)
      passed.push(one.most)
    }
  })
  const put = (most: number) => {
    waiting.push({ since: now(), most })
    deadline.watch()
  }
  return { deadline, passed, put, waiting }
})

describe("a deadline", () => {
  it.effect("passes for who waited too long, and not for others, wherever they stand", () =>
    Effect.gen(function*() {
      const { passed, put, waiting } = yield* queue()
      put(1000)
      yield* TestClock.adjust("50 millis")
      put(500)
      yield* TestClock.adjust("549 millis")
      assert.deepStrictEqual([passed, waiting.length], [[], 2])
      yield* TestClock.adjust("150 millis")
      assert.deepStrictEqual([passed, waiting.length], [[500], 1])
      yield* TestClock.adjust("200 millis")
      assert.deepStrictEqual(passed, [500])
      yield* TestClock.adjust("200 millis")
      assert.deepStrictEqual([passed, waiting.length], [[500, 1000], 0])
    }))

  it.effect("does not pass for who is answered while the process is busy", () =>
    Effect.gen(function*() {
      const { passed, put, waiting } = yield* queue()
      put(1000)
      yield* TestClock.adjust("1050 millis")
      waiting.shift()
      yield* TestClock.adjust("10 seconds")
      put(1000)
      yield* TestClock.adjust("900 millis")
      assert.deepStrictEqual(passed, [])
      yield* TestClock.adjust("300 millis")
      assert.lengthOf(passed, 1)
    }))

  it.effect("does not pass any more once it is stopped", () =>
    Effect.gen(function*() {
      const { deadline, passed, put } = yield* queue()
      put(1000)
      deadline.stop()
      yield* TestClock.adjust("10 seconds")
      put(1000)
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(passed, [])
    }))
})
