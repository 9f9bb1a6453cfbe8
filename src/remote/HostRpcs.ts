/**
 * What is asked of a host: a process that keeps panes for others.
 *
 * @since 0.1.0
 */
// @effect-diagnostics schemaNumber:off
import * as Rpc from "effect/rpc/Rpc"
import * as RpcGroup from "effect/rpc/RpcGroup"
import * as Schema from "effect/Schema"
import { NativeFailure, OperationRefused, RuntimeUnavailable } from "../RuntimeError.ts"

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
 * @category procedures
 * @since 0.1.0
 */
export class HostRpcs extends RpcGroup.make(
  Rpc.make("hostStatus", { success: HostStatus, error: Schema.Union([RuntimeUnavailable, NativeFailure]) }),
  /** Refused while a pane lives, unless `force` is true. Succeeds when the host begins to end. */
  Rpc.make("hostStop", {
    payload: { force: Schema.Boolean },
    error: Schema.Union([OperationRefused, RuntimeUnavailable, NativeFailure])
  })
) {}
