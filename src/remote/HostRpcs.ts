/**
 * What is asked of a host: a process that keeps panes for others.
 *
 * @since 0.1.0
 */
// @effect-diagnostics schemaNumber:off
import * as Rpc from "effect/rpc/Rpc"
import * as RpcGroup from "effect/rpc/RpcGroup"
import * as Schema from "effect/Schema"
import { AgentObservation } from "../AgentState.ts"
import {
  InvalidRequest,
  NativeFailure,
  OperationRefused,
  RuntimeUnavailable,
  TargetNotFound,
  Unsupported
} from "../RuntimeError.ts"
import { PaneHandle } from "../Target.ts"

/**
 * A host at one moment.
 *
 * @category models
 * @since 0.1.0
 */
export const HostStatus = Schema.Struct({
  pid: Schema.Number,
  /** Of Paneway. */
  version: Schema.String,
  startedAtMillis: Schema.Number,
  /** Panes that it keeps. */
  panes: Schema.Number,
  /** Those whose program has not ended. */
  live: Schema.Number,
  /** Connections, the one that asks among them. */
  clients: Schema.Number
})

/**
 * @category models
 * @since 0.1.0
 */
export type HostStatus = typeof HostStatus.Type

/**
 * What a hook of an agent says from within a pane.
 *
 * @category models
 * @since 0.1.0
 */
export const Report = Schema.Struct({
  /** Printed, or native. */
  pane: Schema.String,
  state: Schema.Literals(["working", "idle", "blocked", "exited"]),
  kind: AgentObservation.fields.kind,
  agent: Schema.optionalKey(Schema.String),
  session: Schema.optionalKey(Schema.String),
  detail: Schema.optionalKey(Schema.String),
  sequence: Schema.optionalKey(Schema.Int),
  atMillis: Schema.optionalKey(Schema.Int)
})

/**
 * @category models
 * @since 0.1.0
 */
export type Report = typeof Report.Type

/**
 * @category models
 * @since 0.1.0
 */
export const Taken = Schema.Struct({ pane: PaneHandle, result: Schema.Literals(["taken", "late", "other"]) })

/**
 * @category models
 * @since 0.1.0
 */
export type Taken = typeof Taken.Type

/**
 * Why a report was not taken.
 *
 * @category errors
 * @since 0.1.0
 */
export const ReportError = Schema.Union([
  Unsupported,
  InvalidRequest,
  TargetNotFound,
  RuntimeUnavailable,
  NativeFailure
])

/**
 * @category errors
 * @since 0.1.0
 */
export type ReportError = typeof ReportError.Type

/**
 * @category procedures
 * @since 0.1.0
 */
export class HostRpcs extends RpcGroup.make(
  Rpc.make("hostStatus", { success: HostStatus, error: Schema.Union([RuntimeUnavailable, NativeFailure]) }),
  /** Refused while a pane lives, unless `force` is true. Succeeds when the host begins to end. */
  Rpc.make("hostStop", {
    payload: { force: Schema.Boolean },
    error: Schema.Union([OperationRefused, RuntimeUnavailable, NativeFailure])
  }),
  Rpc.make("agentReport", {
    payload: Report,
    success: Taken,
    error: ReportError
  })
) {}
