import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { guard } from "../../layers/host/watching.ts"

const placed = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "pw-"))),
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true }))
  ),
  (directory) => {
    const place = { directory, socket: join(directory, "host.sock"), record: join(directory, "host.json"), tag: "t" }
    writeFileSync(place.record, "{}")
    return place
  }
)

describe("the guard of a host's place", () => {
  it.effect("makes the socket that was removed before it began to look", () =>
    Effect.gen(function*() {
      const place = yield* placed
      const made = yield* Deferred.make<void>()
      const listen = Effect.andThen(
        Effect.sync(() => writeFileSync(place.socket, "")),
        Deferred.succeed(made, undefined)
      )
      yield* Effect.forkChild(guard(place, { keep: Effect.succeed(true), listen: Effect.asVoid(listen) }))
      yield* Deferred.await(made)

      assert.isTrue(existsSync(place.socket))
    }))

  it.effect("tries again each second where it could not be made", () =>
    Effect.gen(function*() {
      const place = yield* placed
      const first = yield* Deferred.make<void>()
      let tries = 0
      const listen = Effect.suspend(() => {
        tries++
        return Effect.andThen(Deferred.succeed(first, undefined), Effect.fail("no room"))
      })
      yield* Effect.forkChild(guard(place, { keep: Effect.succeed(true), listen }))
      yield* Deferred.await(first)
      yield* Effect.repeat(TestClock.adjust("1 second"), { until: () => tries > 2, times: 20 })

      assert.isAbove(tries, 2)
    }))

  it.effect("ends where another one holds the place, and makes nothing there", () =>
    Effect.gen(function*() {
      const place = yield* placed
      const listen = Effect.sync(() => writeFileSync(place.socket, ""))
      const guarding = yield* Effect.forkChild(guard(place, { keep: Effect.succeed(false), listen }))
      yield* Fiber.join(guarding)

      assert.isFalse(existsSync(place.socket))
    }))
})
