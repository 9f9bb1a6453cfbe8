/** What it costs that a runtime is in another process: a call over the unix socket, both ends in this one. */
import * as NodeSocketServer from "@effect/platform-node/NodeSocketServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Remote from "../../layers/Remote.ts"
import * as Scripted from "../../layers/Scripted.ts"
import { Server } from "../../src/remote/index.ts"
import { type RuntimeError, RuntimeUnavailable } from "../../src/RuntimeError.ts"
import type { Row } from "./row.ts"
import { interleaved, repeated } from "./sampling.ts"

const most = 600

export const remote = Effect.gen(function*() {
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "paneway-bench-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true }))
  )
  const path = join(directory, "host.sock")
  yield* Layer.build(
    Server.layer().pipe(Layer.provide(NodeSocketServer.layer({ path })), Layer.provide(Scripted.layer()))
  ).pipe(
    Effect.mapError(({ message }) => new RuntimeUnavailable({ runtime: "bench", reason: "refused", detail: message }))
  )
  const runtime = yield* Remote.make({ path })
  const { handle } = yield* runtime.spawn({ program: { argv: ["sh"] } })
  const calls: Readonly<Record<string, Effect.Effect<unknown, RuntimeError>>> = {
    describe: runtime.describe(handle),
    capture: runtime.capture(handle),
    send: runtime.sendKeys(handle, ["a"])
  }
  const taken = yield* Effect.promise(() =>
    interleaved(
      Object.entries(calls).map(([name, call]) => repeated(name, call)),
      { count: 50, rounds: 40, warmUp: 500 }
    )
  )
  return Object.keys(calls).map((name): Row => ({
    name: `remote: ${name} over the unix socket`,
    value: taken.get(name) ?? Number.NaN,
    unit: "us",
    target: { most }
  }))
})
