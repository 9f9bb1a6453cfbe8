/** What a wait after a mark costs on a screen that is full and long. */
import * as Effect from "effect/Effect"
import * as Screen from "../../src/Screen.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import * as Memory from "./memory.ts"
import type { Row } from "./row.ts"
import { beyond } from "./sampling.ts"

const height = 1000
const row = 5
/** For each row of the screen 0.2 microseconds where rows are counted, 0.5 where lines are compared with the anchor. */
const most = { counted: 200, anchored: 500 } as const

const measured = Effect.fnUntraced(function*(kind: keyof typeof most) {
  const memory = Memory.make({ height, counted: kind === "counted" })
  const { handle, primitives, rows } = memory
  const after = new Screen.Mark({
    pane: handle,
    ...(kind === "counted"
      ? { at: { row, column: 0, epoch: "0" } }
      : { anchor: rows.slice(0, row).map(Screen.lineHash) })
  })

  return yield* Effect.gen(function*() {
    const rt = yield* TerminalRuntime
    const through = rt.waitOutput(handle, { pattern: `row ${height - 1}`, timeout: "1 second", after })
    const range = kind === "counted" ? { from: row } : "full"
    const direct = primitives.capture(handle, { range, ansi: false, join: true })
    const { markLost } = yield* through
    const { all, base } = yield* beyond(through, direct, { count: 30, warmUp: 500 })
    const value: Row = {
      name: `marks: wait for what came after a${
        kind === "counted" ? " counted" : "n anchored"
      } one, beyond the adapter`,
      value: markLost ? Number.NaN : all - base,
      unit: "us",
      target: { most: most[kind] },
      detail: `${height - row} of ${height} rows came after it, and the last one is waited for; a quiet round`
    }
    return value
  }).pipe(Effect.provide(memory.layer))
})

export const marks = Effect.forEach(["counted", "anchored"] as const, measured)
