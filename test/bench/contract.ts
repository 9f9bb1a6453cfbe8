/** What the contract adds to an adapter's primitives. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Delivery } from "../../src/Contract.ts"
import type { RuntimeError } from "../../src/RuntimeError.ts"
import type { WriteFailed } from "../../src/TerminalRuntime.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import * as Memory from "./memory.ts"
import type { Row } from "./row.ts"
import { interleaved, type Variant } from "./sampling.ts"

const repeated = (name: string, operation: Effect.Effect<unknown, RuntimeError | WriteFailed>): Variant => ({
  name,
  times: (count) =>
    Effect.runPromise(Effect.gen(function*() {
      for (let n = 0; n < count; n++) yield* operation
    }))
})

const most = 20

export const contract = Effect.gen(function*() {
  const memory = Memory.make()
  const { handle, primitives } = memory

  return yield* Effect.gen(function*() {
    const rt = yield* TerminalRuntime
    const delivery: Delivery = {
      steps: [{ _tag: "Type", text: "make", paste: false }],
      profile: "plain-pane",
      unless: [],
      rows: false,
      stall: Duration.seconds(5)
    }
    const raw = {
      send: primitives.deliver?.(handle, delivery) ?? Effect.void,
      capture: primitives.capture(handle, { range: "visible", ansi: false, join: false }),
      describe: primitives.find?.("p1") ?? Effect.void
    }
    const pairs = [
      ["send a command", rt.sendCommand(handle, "make test"), raw.send],
      ["capture", rt.capture(handle, { range: "visible" }), raw.capture],
      ["describe", rt.describe(handle), raw.describe],
      ["wait for what is there", rt.waitOutput(handle, { pattern: "row 7", timeout: "1 second" }), raw.capture]
    ] as const
    const rows: Array<Row> = []
    for (const [name, through, direct] of pairs) {
      const taken = yield* Effect.promise(() =>
        interleaved([repeated("contract", through), repeated("raw", direct)], {
          count: 500,
          rounds: 100,
          warmUp: 3000,
          at: 0.1
        })
      )
      const [all = Number.NaN, base = Number.NaN] = [taken.get("contract"), taken.get("raw")]
      rows.push({
        name: `contract: ${name}, beyond the adapter`,
        value: all - base,
        unit: "us",
        target: { most },
        detail: `${all.toFixed(1)} us in all, ${base.toFixed(1)} us the adapter; a quiet round`
      })
    }
    return rows
  }).pipe(Effect.provide(memory.layer))
})
