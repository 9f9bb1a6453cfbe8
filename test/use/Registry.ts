/**
 * Several runtimes in one program: opened at first use, shared, closed when idle.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as LayerMap from "effect/LayerMap"
import * as RcMap from "effect/RcMap"
import type * as Scope from "effect/Scope"
import type { PaneLocks } from "../../src/PaneLocks.ts"
import { type RuntimeUnavailable, UnknownRuntime } from "../../src/RuntimeError.ts"
import type { PaneHandle } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import * as Memory from "../fixtures/Memory.ts"

/** What is registered: a layer, loaded when first asked for. */
export interface Entry {
  readonly load: Effect.Effect<Layer.Layer<TerminalRuntime, RuntimeUnavailable, PaneLocks>>
}

export const Entries = Context.Reference<ReadonlyMap<string, Entry>>("paneway/test/use/Registry/Entries", {
  defaultValue: () =>
    new Map([
      ["local", { load: Effect.succeed(Memory.layerWithoutLocks({ scope: "local" })) }],
      ["remote", { load: Effect.succeed(Memory.layerWithoutLocks({ scope: "remote" })) }]
    ])
})

const lookup = (name: string): Layer.Layer<TerminalRuntime, UnknownRuntime | RuntimeUnavailable, PaneLocks> =>
  Layer.unwrap(Effect.gen(function*() {
    const entries = yield* Entries
    const entry = entries.get(name)
    if (entry === undefined) {
      return yield* new UnknownRuntime({ runtime: name, available: [...entries.keys()].toSorted() })
    }
    return yield* entry.load
  }))

export class Runtimes extends LayerMap.Service<Runtimes>()("paneway/test/use/Registry/Runtimes", {
  lookup,
  idleTimeToLive: "1 minute"
}) {}

/** The runtime value itself, for programs that hold several at once. */
export const get = (
  name: string
): Effect.Effect<TerminalRuntime["Service"], UnknownRuntime | RuntimeUnavailable, Runtimes | Scope.Scope> =>
  Effect.flatMap(
    Runtimes,
    ({ rcMap }) => Effect.map(RcMap.get(rcMap, name), (context) => Context.get(context, TerminalRuntime))
  )

/** The runtime that owns a pane. */
export const of = (pane: PaneHandle) => get(pane.scope)
