/** A runtime in memory that does next to nothing, so that what the contract adds can be seen. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Primitives, RawScreen } from "../../src/Contract.ts"
import * as PaneLocks from "../../src/PaneLocks.ts"
import * as Target from "../../src/Target.ts"
import * as TerminalRuntime from "../../src/TerminalRuntime.ts"
import type { Wakes } from "../../src/Waiting.ts"

const identity = { runtime: "bench", host: "here", scope: "memory", incarnation: "1" }
const handle = new Target.PaneHandle({ ...identity, id: "p1" })
const pane = new Target.Pane({ handle, window: new Target.WindowHandle({ ...identity, id: "w1" }), active: true })

/** With so many rows, which it counts or does not. */
export const make = (
  { counted = true, height = 40 }: { readonly height?: number; readonly counted?: boolean } = {}
) => {
  const rows = Array.from({ length: height }, (_, row) => `row ${row} `.padEnd(110, "abcdefghij"))
  const watchers = new Set<Wakes>()
  const counts = { captures: 0 }
  const screen = (first: number): RawScreen => ({
    rows: first === 0 ? rows : rows.slice(first),
    joined: true,
    truncated: false,
    ...(counted ? { origin: first, cursor: { row: rows.length - 1, column: 2, epoch: "0" } } : {})
  })
  const primitives: Primitives = {
    ...identity,
    sendProfile: "plain-pane",
    inventory: Effect.succeed({ sessions: ["bench"], windows: [], panes: [pane] }),
    find: () => Effect.succeedSome(pane),
    open: () => Effect.succeed(pane),
    close: () => Effect.void,
    write: () => Effect.void,
    deliver: () => Effect.succeed({ _tag: "Written", before: { at: { row: 39, column: 2, epoch: "0" } } }),
    capture: (_, { range }) =>
      Effect.sync(() => {
        counts.captures += 1
        return screen(typeof range === "object" && "from" in range ? range.from : 0)
      }),
    watch: (_, on) =>
      Effect.asVoid(
        Effect.acquireRelease(Effect.sync(() => watchers.add(on)), () => Effect.sync(() => watchers.delete(on)))
      )
  }
  /** Something changed: the last row now shows the text. */
  const show = (text: string) => {
    rows[rows.length - 1] = text
    for (const { wake } of watchers) wake()
  }
  const layer = Layer.effect(TerminalRuntime.TerminalRuntime, TerminalRuntime.make(primitives)).pipe(
    Layer.provide(PaneLocks.layerMemory)
  )
  return { counts, handle, layer, primitives, rows, show }
}
