/**
 * A runtime of another process, over its unix socket. Everything works as on the runtime itself, which does the work;
 * what this process adds is what becomes of a call whose connection is lost: questions are asked again, and a change that
 * may have been made is told as that.
 *
 * The server's schedules of waits and its policy of submitting count, not those of the caller. A sense of agents that the
 * caller provides is asked here, over captures of the remote pane.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { Capabilities } from "../src/Capabilities.ts"
import { PaneView } from "../src/PaneView.ts"
import type { HostStatus, Report, ReportError, Taken } from "../src/remote/HostRpcs.ts"
import { InvalidRequest, NativeFailure, type OperationRefused, RuntimeUnavailable } from "../src/RuntimeError.ts"
import { SendProfile } from "../src/Send.ts"
import { TerminalRuntime } from "../src/TerminalRuntime.ts"
import * as Calls from "./remote/calls.ts"
import * as Client from "./remote/client.ts"
import * as Connection from "./remote/connection.ts"
import * as Viewing from "./remote/viewing.ts"

/**
 * What a server is expected to be.
 *
 * @category models
 * @since 0.1.0
 */
export interface Identity {
  readonly runtime: string
  readonly sendProfile: SendProfile
  readonly capabilities: Capabilities
}

/**
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /** Of the server's unix socket. */
  readonly path: string
  /** What the server has to be; then it is connected to when it is first needed. Absent: what it says, at once. */
  readonly expect?: Identity | undefined
  /** Starts the server; run by `spawn` and `ensureWindow` where nothing answers. */
  readonly start?: Effect.Effect<void, RuntimeUnavailable> | undefined
  /** Name of the runtime where nothing answers that could say it. Defaults to the expected one, else `remote`. */
  readonly name?: string | undefined
  /** The session of a window's name that comes without one. Defaults to the server's. */
  readonly session?: string | undefined
  /** What a failure advises where nothing answers. Defaults to starting it. */
  readonly advice?: string | undefined
  /** Of Paneway, as the server is told. Defaults to `unknown`. */
  readonly version?: string | undefined
  /** Environment of this process, which tells the pane that it runs in. Defaults to none. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
}

const identityOf = Schema.decodeUnknownOption(
  Schema.Struct({ runtime: Schema.NonEmptyString, sendProfile: SendProfile, capabilities: Capabilities })
)

/** The pane whose variables say that it belongs to this server. */
const currentOf = ({ env = {}, path }: Options): string | undefined => {
  const { PANEWAY_PANE, PANEWAY_SOCKET } = env
  return PANEWAY_SOCKET === path && PANEWAY_PANE !== undefined && PANEWAY_PANE !== "" ? PANEWAY_PANE : undefined
}

const nameOf = ({ expect, name }: Options): string => expect?.runtime ?? name ?? "remote"

const connectionsOf = (options: Options) => {
  const { advice = "start its server", expect, path, version = "unknown" } = options
  const runtime = nameOf(options)
  return Connection.make({
    runtime,
    path,
    version,
    advice,
    accept: ({ runtime: served }) =>
      expect !== undefined && served !== expect.runtime
        ? Effect.fail(other(runtime, path, `serves ${served}, not ${expect.runtime}`))
        : Effect.void
  })
}

const other = (runtime: string, path: string, detail: string) =>
  new RuntimeUnavailable({ runtime, reason: "unsupported-version", detail: `the server at ${path} ${detail}` })

/**
 * Builds the service as a value; the connection closes with the scope, which interrupts what was asked for.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: Options) => Effect.map(build(options), ({ service }) => service)

const build = Effect.fnUntraced(function*(options: Options) {
  const { expect, path, start } = options
  const connections = yield* connectionsOf(options)
  const creating = start === undefined ? connections.get : Effect.catchIf(
    connections.get,
    ({ reason }) => reason === "not-running",
    () => Effect.andThen(start, connections.get)
  )
  const identity = expect ??
    (yield* Effect.flatMap(
      connections.get,
      ({ hello }) =>
        Effect.mapError(
          Effect.fromOption(identityOf(hello)),
          () => other(nameOf(options), path, "does not say what it is")
        )
    ))
  const isPrivate = true
  const service = yield* Client.make({
    ...identity,
    connection: connections.get,
    creating,
    isPrivate,
    session: options.session,
    current: currentOf(options)
  })
  const { runtime } = identity
  return { service, view: Viewing.make(runtime, isPrivate, Calls.make(runtime, connections.get)) }
})

/**
 * Provides `TerminalRuntime` of the server at that path. Fails with `RuntimeUnavailable` where nothing answers, or what
 * answers speaks another version; with `expect` the operations do.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options): Layer.Layer<TerminalRuntime, RuntimeUnavailable> =>
  Layer.effectContext(
    Effect.map(build(options), ({ service, view }) =>
      Context.add(Context.make(TerminalRuntime, service), PaneView, Option.some(view)))
  )

/**
 * A server that is a host.
 *
 * @category models
 * @since 0.1.0
 */
export interface Host {
  readonly pid: number
  readonly status: Effect.Effect<HostStatus, RuntimeUnavailable | NativeFailure>
  /** Refused while a pane lives, unless it is forced. Succeeds when the host begins to end. */
  readonly stop: (force: boolean) => Effect.Effect<void, RuntimeUnavailable | NativeFailure | OperationRefused>
  /** Hands over what a hook of an agent says. */
  readonly report: (report: Report) => Effect.Effect<Taken, ReportError>
}

/**
 * Connects to a host, for what concerns it as a process.
 *
 * @category constructors
 * @since 0.1.0
 */
export const connectHost: (options: Options) => Effect.Effect<Host, RuntimeUnavailable, Scope.Scope> = Effect
  .fnUntraced(
    function*(options: Options) {
      const connections = yield* connectionsOf(options)
      const { hello: { pid } } = yield* connections.get
      const runtime = nameOf(options)
      const calls = Calls.make(runtime, connections.get)
      /** Cannot be: these have no arguments that could be wrong. */
      const told = <E extends { readonly _tag: string }>(error: E | InvalidRequest) =>
        error instanceof InvalidRequest
          ? new NativeFailure({ runtime, operation: "host", detail: error.message })
          : error
      return {
        pid,
        status: Effect.mapError(calls.ask("hostStatus", (client) => client.hostStatus()), told),
        stop: (force) => Effect.mapError(calls.change("hostStop", (client) => client.hostStop({ force })), told),
        report: (report) => calls.change("agentReport", (client) => client.agentReport(report))
      }
    }
  )
