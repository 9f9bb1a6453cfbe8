/** The connection to a server of the contract: opened when it is needed, checked, and opened anew after it was lost. */
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as RpcClient from "effect/rpc/RpcClient"
import { RpcClientError } from "effect/rpc/RpcClientError"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Socket from "effect/socket/Socket"
import { HostRpcs } from "../../src/remote/HostRpcs.ts"
import { type Hello, layerSerialization, protocolVersion, TerminalRpcs } from "../../src/remote/TerminalRpcs.ts"
import { ViewRpcs } from "../../src/remote/ViewRpcs.ts"
import { RuntimeUnavailable } from "../../src/RuntimeError.ts"
import * as SystemError from "../internal/systemError.ts"
import * as UnixSocket from "./socket.ts"

/** A server that is no host does not know those of a host. */
const group = TerminalRpcs.merge(HostRpcs, ViewRpcs)

/** The procedures as a client calls them. */
export type Client = RpcClient.FromGroup<typeof group, RpcClientError>

export interface Connection {
  readonly client: Client
  readonly hello: Hello
}

/**
 * The connection ended before the answer came, or the answer is none: the call may have been executed. `unreadable`: the
 * connection is there, and asking again would bring the same.
 */
export class ConnectionLost
  extends Data.TaggedError("ConnectionLost")<{ readonly cause?: unknown; readonly unreadable?: boolean }>
{}

interface Connections {
  /** The open one, else another one. Nothing of the caller's was asked yet when it fails. */
  readonly get: Effect.Effect<Connection, RuntimeUnavailable>
}

export interface Options {
  /** Name of the runtime in failures. */
  readonly runtime: string
  /** Of the unix socket. */
  readonly path: string
  /** Of Paneway. */
  readonly version: string
  /** What to do where nobody answers. */
  readonly advice: string
  /** What else has to be true of a server. */
  readonly accept: (hello: Hello) => Effect.Effect<void, RuntimeUnavailable>
}

/** For a connection, and for the first answer. */
const deadline = "5 seconds"

/**
 * A part of a stream that nobody takes waits by itself, not in the way of every other answer; the server sends one part
 * of each stream at a time.
 */
const withoutWaiting = (protocol: RpcClient.Protocol["Service"]) =>
  Effect.map(Effect.scope, (scope): RpcClient.Protocol["Service"] => ({
    ...protocol,
    run: (clientId, receive) =>
      protocol.run(clientId, (message) =>
        message._tag === "Chunk"
          ? Effect.asVoid(Effect.forkIn(receive(message), scope, { startImmediately: true }))
          : receive(message))
  }))

/** A connection that was lost is told from failures of the operation. */
export const settled = <A, E>(call: Effect.Effect<A, E | RpcClientError>): Effect.Effect<A, E | ConnectionLost> =>
  Effect.mapError(
    call,
    (error): E | ConnectionLost => error instanceof RpcClientError ? new ConnectionLost({ cause: error }) : error
  ).pipe(
    // the server interrupted it, and not the caller: it is going away
    Effect.catchCauseIf(Cause.hasInterruptsOnly, () => Effect.fail(new ConnectionLost({})))
  )

export const make = Effect.fnUntraced(function*({ accept, advice, path, runtime, version }: Options) {
  const scope = yield* Effect.scope
  const one = Semaphore.makeUnsafe(1)
  const state: {
    current:
      | { readonly connection: Connection; readonly isOver: () => boolean; readonly scope: Scope.Closeable }
      | undefined
  } = { current: undefined }
  const unavailable = (reason: RuntimeUnavailable["reason"], detail: string, cause?: unknown) =>
    new RuntimeUnavailable({ runtime, reason, detail, ...(cause === undefined ? {} : { cause }) })

  const refused = (cause: NodeJS.ErrnoException): RuntimeUnavailable => {
    const code = SystemError.code(cause)
    if (code === "ENOENT" || code === "ECONNREFUSED" || code === "ENOTDIR") {
      return unavailable("not-running", `nothing answers at ${path}: ${advice}`, cause)
    }
    return code === "EAGAIN" || code === "EMFILE" || code === "ENFILE" || code === "ECONNRESET" || code === "EPIPE"
      ? unavailable("lost", `${path} could not be reached (${code})`, cause)
      : unavailable("refused", `${path} cannot be used (${code}): check its owner and permissions`, cause)
  }

  const stranger = (cause: unknown) =>
    unavailable("unsupported-version", `what answers at ${path} is no server of Paneway`, cause)

  const greeted = Effect.fnUntraced(function*(client: Client) {
    const hello = yield* settled<Hello, never>(client.hello({ protocol: protocolVersion, version })).pipe(
      Effect.mapError((lost) =>
        lost.cause instanceof RpcClientError && lost.cause.reason._tag === "RpcClientDefect"
          ? stranger(lost)
          : unavailable("lost", `the server at ${path} went away`, lost)
      ),
      Effect.catchDefect((cause) => Effect.fail(stranger(cause)))
    )
    if (hello.protocol !== protocolVersion) {
      return yield* unavailable(
        "unsupported-version",
        `the server at ${path} is Paneway ${hello.version} (process ${hello.pid}) and speaks version ` +
          `${hello.protocol} of the protocol, this one speaks version ${protocolVersion}: use that Paneway while its panes ` +
          "live, then stop it"
      )
    }
    yield* accept(hello)
    return hello
  })

  const open = Effect.gen(function*() {
    const { closed, isOver, socket } = yield* Effect.mapError(UnixSocket.open(path), refused)
    const protocol = yield* RpcClient.makeProtocolSocket({
      pingInterval: "10 seconds",
      retryPolicy: Schedule.recurs(0)
    }).pipe(
      Effect.provideService(Socket.Socket, socket),
      Effect.provide(layerSerialization),
      Effect.flatMap(withoutWaiting)
    )
    const client = yield* Effect.provideService(
      RpcClient.make(group, { disableTracing: true }),
      RpcClient.Protocol,
      protocol
    )
    // an end that comes before the client listens (effect 4.1) is told to no call; later calls learn it from the protocol
    const away = Effect.flatMap(closed, () => Effect.fail(unavailable("lost", `the server at ${path} went away`)))
    return { connection: { client, hello: yield* Effect.raceFirst(greeted(client), away) }, isOver }
  }).pipe(
    Effect.timeoutOrElse({
      duration: deadline,
      orElse: () => Effect.fail(unavailable("timed-out", `the server at ${path} does not answer within 5 s`))
    })
  )

  const known = (): Connection | undefined => {
    const { current } = state
    return current === undefined || current.isOver() ? undefined : current.connection
  }

  const renewed = Effect.gen(function*() {
    const again = known()
    if (again !== undefined) return again
    const former = state.current
    state.current = undefined
    if (former !== undefined) yield* Scope.close(former.scope, Exit.void)
    const own = yield* Scope.fork(scope)
    const opened = yield* Effect.onError(Scope.provide(open, own), () => Scope.close(own, Exit.void))
    state.current = { ...opened, scope: own }
    return opened.connection
  })

  return {
    get: Effect.suspend(() => {
      const connection = known()
      return connection === undefined ? one.withPermit(renewed) : Effect.succeed(connection)
    })
  } satisfies Connections
})
