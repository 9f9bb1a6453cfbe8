/**
 * Serves a runtime to other processes: the remote procedures of the contract over any server of sockets.
 *
 * Each client's calls are interrupted when its connection ends, as if it had interrupted them itself. A client that does
 * not read keeps only its own answers waiting: a stream sends its next part when the last one was taken. A client has 4096
 * calls under way at most; what it asks for beyond that is refused as `RuntimeUnavailable`, and nothing was done. Regular
 * expressions of clients are matched by a `Waiting.LineSearch` that is provided to the server, else by one that gives up
 * after a second and holds up nobody.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Rpc from "effect/rpc/Rpc"
import type * as RpcGroup from "effect/rpc/RpcGroup"
import * as RpcServer from "effect/rpc/RpcServer"
import * as Scope from "effect/Scope"
import * as SocketServer from "effect/socket/SocketServer"
import * as Stream from "effect/Stream"
import { Handed } from "../internal/handed.ts"
import { InvalidRequest } from "../RuntimeError.ts"
import { TerminalRuntime } from "../TerminalRuntime.ts"
import { LineSearch } from "../Waiting.ts"
import { provided } from "../waiting/searching.ts"
import { hurriedScope, withoutErrors } from "./disconnects.ts"
import { HostRpcs } from "./HostRpcs.ts"
import { limited } from "./limits.ts"
import * as Searching from "./searching.ts"
import { layerSerialization, protocolVersion, revealed, TerminalRpcs, type Value } from "./TerminalRpcs.ts"
import { ViewRpcs } from "./ViewRpcs.ts"
import * as Views from "./views.ts"

/**
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /** Of Paneway, as clients are told. Defaults to `unknown`. */
  readonly version?: string | undefined
  /** Of the process, as clients are told. Defaults to 0. */
  readonly pid?: number | undefined
  /**
   * Shows panes in terminals of clients, and writes to them what is typed there as it is. For sockets that nobody but this
   * user can connect to. Defaults to false.
   */
  readonly views?: boolean | undefined
}

/** Bytes of a pane's output in one message. */
const largestChunk = 64 * 1024

const parts = (bytes: Uint8Array): ReadonlyArray<Uint8Array> =>
  bytes.length <= largestChunk
    ? [bytes]
    : Array.from(
      { length: Math.ceil(bytes.length / largestChunk) },
      (_, index) => bytes.subarray(index * largestChunk, (index + 1) * largestChunk)
    )

/** Another engine may know other flags. */
const patternOf = (
  { flags, source }: { readonly source: string; readonly flags: string }
): Effect.Effect<RegExp, InvalidRequest> =>
  Effect.try({
    try: () => new RegExp(source, flags),
    catch: () =>
      new InvalidRequest({ operation: "waitOutput", field: "pattern", reason: "is no regular expression there" })
  })

/** A stream sends what is ready in one message, and the next one when the client took it. */
const oneByOne = <A, E>(stream: Stream.Stream<A, E>): Stream.Stream<A, E> => Stream.rechunk(stream, 1)

const revealedIn = (env: Readonly<Record<string, Value>> | undefined) =>
  env === undefined
    ? {}
    : { env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, revealed(value)])) }

/** Panes that the runtime opens by itself for a client have the environment that the client hands over. */
const handed = ({ env, unset }: {
  readonly env?: Readonly<Record<string, Value>> | undefined
  readonly unset?: ReadonlyArray<string> | undefined
}) => Effect.provideService(Handed, { ...revealedIn(env), ...(unset === undefined ? {} : { unset }) })

const handlers = ({ pid = 0, version = "unknown" }: Options) =>
  TerminalRpcs.toLayer(Effect.gen(function*() {
    const runtime = yield* TerminalRuntime
    const search = provided(yield* LineSearch)
    const searchOf = search === undefined ? yield* Searching.make() : () => search
    return TerminalRpcs.of({
      hello: () =>
        Effect.succeed({
          protocol: protocolVersion,
          version,
          pid,
          runtime: runtime.runtime,
          sendProfile: runtime.sendProfile,
          // the terminal of this process is none of its clients'
          capabilities: { ...runtime.capabilities, attach: "none" }
        }),
      resolve: ({ text }) => runtime.resolve(text),
      describe: ({ pane }) => runtime.describe(pane),
      ensureWindow: ({ env, unset, ...options }) => handed({ env, unset })(runtime.ensureWindow(options)),
      listSessions: () => runtime.listSessions,
      closeSession: ({ name }) => runtime.closeSession(name),
      listWindows: (options) => runtime.listWindows(options),
      closeWindow: ({ session, window }) => runtime.closeWindow(window, { session }),
      preparePane: ({ env, unset, ...options }) => handed({ env, unset })(runtime.preparePane(options)),
      listPanes: (options) => runtime.listPanes(options),
      closePane: ({ pane }) => runtime.closePane(pane),
      resize: ({ pane, size }) => runtime.resize(pane, size),
      focus: ({ target }) => runtime.focus(target),
      spawn: ({ env, ...request }) => runtime.spawn({ ...request, ...revealedIn(env) }),
      send: ({ options, pane, request }) => runtime.send(pane, request, options),
      run: ({ pane, ...options }) => runtime.run(pane, options),
      capture: ({ pane, ...options }) => runtime.capture(pane, options),
      output: ({ pane }) => oneByOne(Stream.flattenIterable(Stream.map(runtime.output(pane), parts))),
      changes: ({ pane }) =>
        oneByOne(
          Stream.buffer(Stream.map(runtime.output(pane), () => undefined), { capacity: 1, strategy: "sliding" })
        ),
      waitOutput: ({ pane, pattern, ...options }, { client }) =>
        typeof pattern === "string"
          ? runtime.waitOutput(pane, { ...options, pattern })
          : Effect.flatMap(patternOf(pattern), (pattern) =>
            Effect.provideService(
              runtime.waitOutput(pane, { ...options, pattern }),
              LineSearch,
              searchOf(client.id)
            )),
      waitStable: ({ pane, ...options }) => runtime.waitStable(pane, options),
      waitAgent: ({ pane, states: [first, ...rest], ...options }) =>
        first === undefined
          ? Effect.fail(
            new InvalidRequest({ operation: "waitAgent", field: "states", reason: "must not be empty" })
          )
          : runtime.waitAgent(pane, { ...options, states: [first, ...rest] }),
      waitLifecycle: ({ query, timeout }) => runtime.waitLifecycle({ ...query, timeout }),
      agents: ({ panes }) => oneByOne(runtime.agents(panes)),
      events: () => oneByOne(runtime.events),
      probe: ({ panes }) => runtime.probe(panes),
      setEnvironment: ({ value, ...options }) => runtime.setEnvironment({ ...options, value: revealed(value) }),
      attach: () =>
        Effect.succeed({
          _tag: "Unsupported",
          reason: `${runtime.runtime} is asked by way of a server, which has no terminal of its clients`
        })
    })
  }))

const serving = { disableTracing: true, disableFatalDefects: true } as const

/** Over sockets whose clients may go away, or not read, at any time. */
const overSockets = <R>(served: Layer.Layer<never, never, RpcServer.Protocol | R>) => {
  const layer = served.pipe(
    Layer.provide(Layer.effect(
      RpcServer.Protocol,
      Effect.gen(function*() {
        return limited((yield* TerminalRuntime).runtime, yield* RpcServer.Protocol)
      })
    )),
    Layer.provide(RpcServer.layerProtocolSocketServer),
    Layer.provide(Layer.effect(SocketServer.SocketServer, Effect.map(SocketServer.SocketServer, withoutErrors))),
    Layer.provide(layerSerialization)
  )
  return Layer.effectDiscard(Effect.flatMap(hurriedScope, (scope) => Scope.provide(Layer.build(layer), scope)))
}

/**
 * Serves the runtime until the scope closes; then calls that are under way are interrupted.
 *
 * Who may connect is the business of the server of sockets: a unix socket lies in a directory of its user alone.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  options: Options = {}
): Layer.Layer<never, never, TerminalRuntime | SocketServer.SocketServer> =>
  overSockets(
    Layer.provide(RpcServer.layer(TerminalRpcs.merge(ViewRpcs), serving), [
      handlers(options),
      Views.handlers(options.views === true)
    ])
  )

/**
 * The same, with the procedures of a host beside those of the runtime.
 *
 * @internal
 */
export const layerHost = (
  own: Layer.Layer<Rpc.ToHandler<RpcGroup.Rpcs<typeof HostRpcs>>>,
  options: Options
): Layer.Layer<never, never, TerminalRuntime | SocketServer.SocketServer> =>
  overSockets(
    Layer.provide(RpcServer.layer(TerminalRpcs.merge(HostRpcs, ViewRpcs), serving), [
      handlers(options),
      Views.handlers(true),
      own
    ])
  )
