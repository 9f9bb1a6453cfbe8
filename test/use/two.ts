/**
 * A program that holds two runtimes at once.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PaneLocks from "../../src/PaneLocks.ts"
import * as TerminalPane from "../../src/TerminalPane.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import * as Registry from "./Registry.ts"

const spawnShell = Effect.gen(function*() {
  const runtime = yield* TerminalRuntime
  const { handle } = yield* runtime.spawn({ title: "sh" })
  return yield* TerminalPane.make(handle)
})

const program = Effect.scoped(Effect.gen(function*() {
  // both open at once, as values
  const here = yield* Registry.get("local")
  const there = yield* Registry.get("remote")
  const a = TerminalPane.fromRuntime(here, (yield* here.spawn({})).handle)
  // or from the context, one region at a time
  const b = yield* spawnShell.pipe(Effect.provide(Registry.Runtimes.get("remote")))

  yield* Effect.all([a.sendCommand("echo a"), b.sendCommand("echo b")], { concurrency: 2 })
  const crossed = yield* Effect.flip(here.sendCommand(b.handle, "rm -rf /"))
  const unknown = yield* Effect.flip(Effect.scoped(Registry.get("tmxu")))
  const owner = yield* Registry.of(a.handle)
  return { crossed, unknown, shared: b.runtime === there, owned: owner === here }
}))

export const main = program.pipe(
  Effect.provide(Registry.Runtimes.layer.pipe(Layer.provide(PaneLocks.layerMemory)))
)
