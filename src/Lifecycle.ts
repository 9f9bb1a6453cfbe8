/**
 * Whether windows and panes are there: probes, conditions to wait for, and the stream of changes.
 *
 * Not knowing is a value. A runtime that cannot be asked makes a pane `unknown`, never `gone`.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Exit, Pane, PaneHandle, Window, WindowHandle, WindowName, type WindowRef } from "./Target.ts"

/**
 * A pane that was kept after its process ended is `live`, and its record says `exit`.
 *
 * @category models
 * @since 0.1.0
 */
export const Liveness = Schema.Literals(["live", "gone", "unknown"])

/**
 * @category models
 * @since 0.1.0
 */
export type Liveness = typeof Liveness.Type

/**
 * What is known of one pane; `reason` says why nothing is known.
 *
 * @category models
 * @since 0.1.0
 */
export class Probe extends Schema.TaggedClass<Probe>("paneway/Probe")("Probe", {
  pane: PaneHandle,
  liveness: Liveness,
  reason: Schema.optionalKey(Schema.String)
}) {}

/**
 * A condition to wait for. It decides what kind of target makes sense. A window is named within its session, absent the
 * one that the runtime resolves, or meant by its handle.
 *
 * @category models
 * @since 0.1.0
 */
export type LifecycleQuery =
  | {
    readonly condition: "window-exists" | "window-active"
    readonly target: WindowRef
    readonly session?: string | undefined
  }
  | { readonly condition: "pane-exists" | "pane-exited"; readonly target: PaneHandle }

/**
 * What was observed, without a verdict. Of `pane-exited`, `exited` is the proof that the process ended in a kept pane,
 * and `absent` that the pane is gone.
 *
 * @category models
 * @since 0.1.0
 */
export class LifecycleObservation
  extends Schema.TaggedClass<LifecycleObservation>("paneway/LifecycleObservation")("LifecycleObservation", {
    condition: Schema.Literals(["window-exists", "window-active", "pane-exists", "pane-exited"]),
    target: Schema.Union([PaneHandle, WindowHandle, WindowName]),
    observed: Schema.Literals(["present", "active", "absent", "exited"]),
    exit: Schema.optionalKey(Exit)
  })
{}

/**
 * A change of what exists. `PaneExited` is the end of the process in a pane that stays, and follows `PaneOpened` also
 * where both are found together; windows come before their panes and go after them. `Health` is about the way to the backend: `degraded` works by a slower way, `lost` cannot be
 * asked, which makes every pane unknown.
 *
 * @category models
 * @since 0.1.0
 */
export const RuntimeEvent = Schema.TaggedUnion({
  WindowOpened: { window: Window },
  WindowClosed: { window: WindowHandle },
  Health: { state: Schema.Literals(["ok", "degraded", "lost"]), detail: Schema.String },
  PaneOpened: { pane: Pane },
  PaneExited: { pane: Pane },
  PaneClosed: { pane: PaneHandle }
})

/**
 * @category models
 * @since 0.1.0
 */
export type RuntimeEvent = typeof RuntimeEvent.Type
