/**
 * Live panes in terminals of other processes. What is typed there reaches a pane unread, so that a server has these for
 * connections that nobody but its user can make: a host does, any other where it is told to.
 *
 * @since 0.1.0
 */
// @effect-diagnostics schemaNumber:off
import * as Rpc from "effect/rpc/Rpc"
import * as RpcGroup from "effect/rpc/RpcGroup"
import * as Schema from "effect/Schema"
import * as Failures from "../RuntimeError.ts"
import { Exit, PaneHandle } from "../Target.ts"

/** What makes sense is judged where the runtime is. */
const Size = Schema.Struct({ columns: Schema.Number, rows: Schema.Number })
const view = Schema.String

/**
 * As `PaneView` has it.
 *
 * @category models
 * @since 0.1.0
 */
export const Update = Schema.Union([
  Schema.Struct({ _tag: Schema.tag("Opened"), view }),
  Schema.Struct({ _tag: Schema.Literals(["Screen", "Output"]), bytes: Schema.Uint8Array, offset: Schema.Number }),
  Schema.Struct({ _tag: Schema.tag("Ended"), exit: Schema.optional(Exit) })
])

const failures = [
  Failures.Unsupported,
  Failures.InvalidRequest,
  Failures.TargetNotFound,
  Failures.RuntimeUnavailable,
  Failures.NativeFailure
] as const

/**
 * @category procedures
 * @since 0.1.0
 */
export class ViewRpcs extends RpcGroup.make(
  Rpc.make("viewPane", {
    payload: { pane: PaneHandle, size: Size, readOnly: Schema.Boolean, from: Schema.optional(Schema.String) },
    success: Update,
    error: Schema.Union([Failures.OperationRefused, ...failures]),
    stream: true
  }),
  /** How many of the bytes the pane's terminal took. */
  Rpc.make("viewWrite", {
    payload: { view, bytes: Schema.Uint8Array },
    success: Schema.Number,
    error: Schema.Union(failures)
  }),
  Rpc.make("viewResize", { payload: { view, size: Size }, error: Schema.Union(failures) })
) {}
