/** Many waits for one pane. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import * as Memory from "./memory.ts"
import type { Row } from "./row.ts"
import { median } from "./sampling.ts"

const count = 500
const changes = 60
/** Longer than the pause that looks take while output streams. */
const apart = "60 millis"

export const waiters = Effect.gen(function*() {
  const memory = Memory.make()

  return yield* Effect.gen(function*() {
    const rt = yield* TerminalRuntime
    const waiting = yield* Effect.forEach(
      Array.from({ length: count }, (_, n) => `never ${n} never`),
      (pattern) =>
        Effect.forkChild(rt.waitOutput(memory.handle, { pattern, timeout: "5 minutes" }), { startImmediately: true })
    )
    yield* Effect.sleep(apart)
    const before = memory.counts.captures
    const spent: Array<number> = []
    for (let n = 0; n < changes; n++) {
      const begin = process.cpuUsage()
      memory.show(`change ${n}`)
      yield* Effect.sleep(apart)
      const { system, user } = process.cpuUsage(begin)
      spent.push((system + user) / 1000)
    }
    const looks = (memory.counts.captures - before) / changes
    const idle: Array<number> = []
    for (let n = 0; n < 20; n++) {
      const begin = process.cpuUsage()
      yield* Effect.sleep(apart)
      const { system, user } = process.cpuUsage(begin)
      idle.push((system + user) / 1000)
    }
    yield* Fiber.interruptAll(waiting)
    return [
      {
        name: `waits: looks for a change with ${count} waiters on the pane`,
        value: looks,
        unit: "looks",
        target: { most: 1 }
      },
      {
        name: `waits: processor time of a change with ${count} waiters`,
        value: median(spent) - median(idle),
        unit: "ms",
        target: { most: 0.5 },
        detail: `${median(spent).toFixed(2)} ms with the change, ${median(idle).toFixed(2)} ms without`
      }
    ] satisfies ReadonlyArray<Row>
  }).pipe(Effect.provide(memory.layer))
})
