/** What a lock costs that nobody else wants. */
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Files from "../../layers/locks/files.ts"
import * as PaneLocks from "../../src/PaneLocks.ts"
import type { Row } from "./row.ts"
import { interleaved, repeated } from "./sampling.ts"

const most = { memory: 5, file: 100 } as const

export const locks = Effect.gen(function*() {
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "paneway-bench-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true }))
  )
  const surroundings = { env: { XDG_RUNTIME_DIR: directory }, uid: process.geteuid?.() ?? 0, temporary: directory }
  const empty = PaneLocks.PaneLocks.use(({ withLock }) => Effect.succeed(withLock("bench:p1")(Effect.void)))

  const memory = yield* Effect.provide(empty, PaneLocks.layerMemory)
  return yield* Effect.gen(function*() {
    const file = yield* empty
    const taken = yield* Effect.promise(() =>
      interleaved([repeated("memory", memory), repeated("file", file)], { count: 200, rounds: 60, warmUp: 1000 })
    )
    return (["memory", "file"] as const).map((kind): Row => ({
      name: `locks: acquire and release, uncontended, ${kind}`,
      value: taken.get(kind) ?? Number.NaN,
      unit: "us",
      target: { most: most[kind] }
    }))
  }).pipe(Effect.provide(Files.layer({ surroundings })))
})
