/** What the contract adds to an adapter's primitives. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Delivery } from "../../src/Contract.ts"
import type { RuntimeError } from "../../src/RuntimeError.ts"
import type { WriteFailed } from "../../src/TerminalRuntime.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import * as Memory from "./memory.ts"
import type { Row } from "./row.ts"
import { beyond } from "./sampling.ts"

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
    const pairs: ReadonlyArray<
      readonly [
        name: string,
        through: Effect.Effect<unknown, RuntimeError>,
        direct: Effect.Effect<unknown, RuntimeError | WriteFailed>
      ]
    > = [
      ["send a command", rt.sendCommand(handle, "make test"), raw.send],
      ["capture", rt.capture(handle, { range: "visible" }), raw.capture],
      ["describe", rt.describe(handle), raw.describe],
      ["wait for what is there", rt.waitOutput(handle, { pattern: "row 7", timeout: "1 second" }), raw.capture]
    ]
    const rows: Array<Row> = []
    for (const [name, through, direct] of pairs) {
      const { all, base } = yield* beyond(through, direct, { count: 500, warmUp: 3000 })
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
