/**
 * The host, as the composition root gives it: the process that keeps panes after a command ends.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { HostStatus, Report, ReportError, Taken } from "../remote/HostRpcs.ts"
import { type NativeFailure, type OperationRefused, RuntimeUnavailable } from "../RuntimeError.ts"
import * as RuntimeRegistry from "../RuntimeRegistry.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Control {
  /** Starts it where it does not run. `ended`: processes that panes of an earlier host had left. */
  readonly ensure: Effect.Effect<
    { readonly pid: number; readonly started: boolean; readonly ended: number },
    RuntimeUnavailable
  >
  readonly status: Effect.Effect<HostStatus, RuntimeUnavailable | NativeFailure>
  /**
   * Tells the process that ended. Refused while a pane lives, unless it is forced: then also what a host left is ended that
   * is gone. `ended`: processes that its panes had left. `absent`: there was none.
   */
  readonly stop: (
    force: boolean
  ) => Effect.Effect<
    { readonly pid?: number; readonly ended: number; readonly absent?: true },
    RuntimeUnavailable | NativeFailure | OperationRefused
  >
  /** Hands over what a hook of an agent says, to the host of its pane. */
  readonly report: (report: Report) => Effect.Effect<Taken, ReportError>
  /** Runtimes whose panes are this process's own, in place of those of the host. */
  readonly inProcess: ReadonlyMap<string, RuntimeRegistry.Entry>
}

const none = Effect.fail(
  new RuntimeUnavailable({ runtime: "pty", reason: "unsupported-version", detail: "this program has no host" })
)

/**
 * Defaults to none.
 *
 * @category references
 * @since 0.1.0
 */
export const Host = Context.Reference<Control>("paneway/cli/Host", {
  defaultValue: () => ({ ensure: none, status: none, stop: () => none, report: () => none, inProcess: new Map() })
})

/**
 * The embedded pty is that of this process, whose panes end with it.
 *
 * @category running
 * @since 0.1.0
 */
export const inProcess = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function*() {
    const entries = yield* RuntimeRegistry.Entries
    const own = (yield* Host).inProcess
    return yield* Effect.provideService(effect, RuntimeRegistry.Entries, new Map([...entries, ...own]))
  })
