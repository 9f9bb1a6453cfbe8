import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Locks from "../../layers/Locks.ts"
import { PaneLocks } from "../../src/PaneLocks.ts"

const runtimeDirectory = Effect.acquireRelease(
  Effect.sync(() => {
    const before = process.env["XDG_RUNTIME_DIR"]
    const folder = mkdtempSync(join(tmpdir(), "paneway-locks-"))
    process.env["XDG_RUNTIME_DIR"] = folder
    return { before, folder }
  }),
  ({ before, folder }) =>
    Effect.sync(() => {
      if (before === undefined) delete process.env["XDG_RUNTIME_DIR"]
      else process.env["XDG_RUNTIME_DIR"] = before
      rmSync(folder, { recursive: true, force: true })
    })
)

const build = (options?: Locks.Options) =>
  Effect.map(Layer.build(Layer.fresh(Locks.layer(options))), (context) => Context.get(context, PaneLocks))

describe("Locks.layer", () => {
  it.live("keeps out whoever locks by a layer of their own, for as long as was said, in the runtime directory", () =>
    Effect.gen(function*() {
      const { folder } = yield* runtimeDirectory
      const one = yield* build()
      const other = yield* build({ wait: "50 millis" })

      const refused = yield* one.withLock("mine:1")(Effect.flip(other.withLock("mine:1")(Effect.void)))
      const free = yield* other.withLock("mine:1")(Effect.succeed("free"))

      assert.deepInclude(refused, { _tag: "RuntimeUnavailable", runtime: "mine", reason: "timed-out" })
      assert.strictEqual(free, "free")
      assert.include(readdirSync(folder), "paneway")
    }).pipe(Effect.scoped))
})
