/**
 * What exists, asked once, waited for, or streamed. Failing to ask is never taken for "gone".
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Inventory, Primitives, Service } from "../Contract.ts"
import { LifecycleObservation, type LifecycleQuery, Probe, type RuntimeEvent } from "../Lifecycle.ts"
import { WaitTimeout } from "../RuntimeError.ts"
import type { Pane, PaneHandle } from "../Target.ts"
import * as Waiting from "../Waiting.ts"
import type { Operations } from "./operations.ts"
import type { Targets } from "./targets.ts"
import { ticks, type Watching } from "./watching.ts"

/**
 * The operations on what exists.
 *
 * @internal
 */
export type Lifecycle = Pick<Service, "probe" | "waitLifecycle" | "events">

const paneIn = ({ panes }: Inventory, { id, incarnation }: PaneHandle) =>
  panes.find(({ handle }) => handle.id === id && handle.incarnation === incarnation)

const observed = (
  query: LifecycleQuery,
  inventory: Inventory
): Option.Option<LifecycleObservation["observed"]> => {
  if (query.condition === "pane-exists" || query.condition === "pane-exited") {
    const pane = paneIn(inventory, query.target)
    if (query.condition === "pane-exists") return pane === undefined ? Option.none() : Option.some("present")
    if (pane === undefined) return Option.some("absent")
    return pane.exit === undefined ? Option.none() : Option.some("exited")
  }
  const { target } = query
  const window = inventory.windows.find(({ handle, name }) =>
    typeof target === "string" ? name === target : handle.id === target.id
  )
  if (window === undefined) return Option.none()
  if (query.condition === "window-exists") return Option.some("present")
  return window.active ? Option.some("active") : Option.none()
}

type Known = HashMap.HashMap<PaneHandle, Pane>

const changes = (before: Known, { panes }: Inventory): readonly [Known, ReadonlyArray<RuntimeEvent>] => {
  const now: Known = HashMap.fromIterable(panes.map((pane) => [pane.handle, pane] as const))
  const opened = panes
    .filter(({ handle }) => !HashMap.has(before, handle))
    .map((pane): RuntimeEvent => ({ _tag: "PaneOpened", pane }))
  const closed = [...HashMap.keys(before)]
    .filter((handle) => !HashMap.has(now, handle))
    .map((pane): RuntimeEvent => ({ _tag: "PaneClosed", pane }))
  return [now, [...opened, ...closed]]
}

/**
 * Every answer comes from the inventory.
 *
 * @internal
 */
export const makeLifecycle = ({ operations, primitives, targets, watching }: {
  readonly primitives: Primitives
  readonly operations: Operations
  readonly targets: Targets
  readonly watching: Watching
}): Lifecycle => {
  const probeIn = (inventory: Inventory, pane: PaneHandle): Probe =>
    targets.isOwn(pane)
      ? new Probe({ pane, liveness: paneIn(inventory, pane) === undefined ? "gone" : "live" })
      : new Probe({ pane, liveness: "unknown", reason: "foreign" })

  const probe: Lifecycle["probe"] = (panes) =>
    Effect.match(primitives.inventory, {
      onFailure: ({ message }) => panes.map((pane) => new Probe({ pane, liveness: "unknown", reason: message })),
      onSuccess: (inventory) => panes.map((pane) => probeIn(inventory, pane))
    })

  const waitLifecycle: Lifecycle["waitLifecycle"] = (query) =>
    Waiting.until({
      subscribe: watching.subscribeAll,
      look: Effect.option(primitives.inventory),
      match: (inventory) =>
        Option.map(
          Option.flatMap(inventory, (known) => observed(query, known)),
          (observed) => new LifecycleObservation({ condition: query.condition, target: query.target, observed })
        ),
      timeout: query.timeout,
      onTimeout: (_, timeout) =>
        new WaitTimeout({ target: query.target, waitedFor: query.condition, timeout, lastSeen: { _tag: "Nothing" } })
    })

  return {
    probe: operations.hot("probe", probe),
    waitLifecycle: operations.rare("waitLifecycle")(waitLifecycle),
    events: Stream.unwrap(Effect.map(watching.subscribeAll, ticks)).pipe(
      Stream.mapEffect(() => primitives.inventory),
      Stream.mapAccum((): Known => HashMap.empty(), changes)
    )
  }
}
