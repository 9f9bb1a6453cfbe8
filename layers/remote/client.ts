/** The service of a remote runtime, operation by operation. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { AgentSense, isProvided } from "../../src/AgentState.ts"
import type { Capabilities } from "../../src/Capabilities.ts"
import type { InSession, RuntimeContext, Service, SpawnRequest } from "../../src/Contract.ts"
import { Handed } from "../../src/internal/handed.ts"
import { type LifecycleQuery, Probe } from "../../src/Lifecycle.ts"
import { hidden, hiddenAll } from "../../src/remote/TerminalRpcs.ts"
import { InvalidRequest, NativeFailure, type RuntimeUnavailable, SpawnFailed } from "../../src/RuntimeError.ts"
import type { SendProfile } from "../../src/Send.ts"
import type { PaneHandle } from "../../src/Target.ts"
import { makeOperations } from "../../src/terminalRuntime/operations.ts"
import { unanswered } from "../../src/terminalRuntime/reporting.ts"
import { duration, type Timeout } from "../../src/Waiting.ts"
import * as Calls from "./calls.ts"
import type { Connection, ConnectionLost } from "./connection.ts"
import * as Sending from "./sending.ts"
import * as Sensing from "./sensing.ts"

export interface Options {
  readonly runtime: string
  readonly sendProfile: SendProfile
  readonly capabilities: Capabilities
  readonly connection: Effect.Effect<Connection, RuntimeUnavailable>
  /** The same for operations that create something. */
  readonly creating: Effect.Effect<Connection, RuntimeUnavailable>
  /** Nobody but this user can read what is sent. */
  readonly isPrivate: boolean
  /** The session of names that come without one; absent, the server's. */
  readonly session: string | undefined
  /** The printed pane that this process runs in. */
  readonly current: string | undefined
}

/** Time for a spawn that nobody wants any more to say what it made. */
const grace = "10 seconds"

export const make = Effect.fnUntraced(function*(options: Options) {
  const { capabilities, connection, creating, current, isPrivate, runtime, sendProfile, session } = options
  const operations = makeOperations(runtime)
  const calls = Calls.make(runtime, connection)
  const scope = yield* Effect.scope

  const lostSpawn = (cause: ConnectionLost) =>
    new SpawnFailed({
      runtime,
      reason: "lost",
      detail: cause.unreadable === true
        ? "its server gave no answer that can be read"
        : "the connection to its server ended before it answered",
      created: "indeterminate",
      cause
    })

  /** With the duration that the caller gave, or its refusal. */
  const timed = <A, E>(
    operation: string,
    field: string,
    given: Timeout,
    use: (time: Duration.Duration) => Effect.Effect<A, E>
  ): Effect.Effect<A, E | InvalidRequest> => {
    const time = duration(operation, field, given)
    return Duration.isDuration(time) ? use(time) : Effect.fail(time)
  }

  /** A name is one of a session; a handle says more than that. */
  const within = (named: boolean, asked: InSession | undefined): InSession => {
    const own = asked?.session === undefined || asked.session === "" ? session : asked.session
    return named && own !== undefined
      ? { session: own }
      : asked?.session === undefined
      ? {}
      : { session: asked.session }
  }
  const isName = (target: unknown): boolean => typeof target === "string"

  const inOwn = (query: LifecycleQuery): LifecycleQuery =>
    query.condition === "window-exists" || query.condition === "window-active"
      ? { ...query, ...within(isName(query.target), query) }
      : query

  const unfitEnvironment = (operation: string, field: string) =>
    new InvalidRequest({ operation, field, reason: "crosses private connections only: set it where the runtime is" })

  /** Cannot be: there is nothing that could be wrong. */
  const withoutArguments = (operation: string, { message }: InvalidRequest) =>
    new NativeFailure({ runtime, operation, detail: message })

  const closePane: Service["closePane"] = operations.hot(
    "closePane",
    (pane: PaneHandle) => calls.change("closePane", (client) => client.closePane({ pane }))
  )

  const requestSpawn = ({ env, placement, ...request }: SpawnRequest) =>
    env !== undefined && !isPrivate
      ? Effect.fail(unfitEnvironment("spawn", "env"))
      : calls.once(
        "spawn",
        (client) =>
          client.spawn({
            ...request,
            ...within(true, request),
            ...(placement === undefined ? {} : {
              placement: "window" in placement ? { ...placement, ...within(true, placement) } : placement
            }),
            ...(env === undefined ? {} : { env: hiddenAll(env) })
          }),
        lostSpawn,
        creating
      )

  /** What the caller hands over to panes that the runtime opens by itself; nothing where others could read it. */
  const handed = Effect.map(Handed, ({ env, unset }) =>
    isPrivate
      ? {
        ...(env === undefined ? {} : { env: hiddenAll(env) }),
        ...(unset === undefined ? {} : { unset })
      }
      : {})

  /** A caller that is interrupted never learns of the pane, so it is closed. */
  const spawn = (request: SpawnRequest) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(
        Effect.forkIn(Effect.interruptible(requestSpawn(request)), scope, { startImmediately: true }),
        (asked) =>
          Effect.onInterrupt(restore(Fiber.join(asked)), () =>
            Fiber.await(asked).pipe(
              Effect.flatMap((exit) =>
                Exit.isSuccess(exit) ? Effect.ignore(closePane(exit.value.handle)) : Effect.void
              ),
              Effect.timeoutOption(grace)
            ))
      )
    )

  const resolve: Service["resolve"] = operations.hot(
    "resolve",
    (text: string) => calls.ask("resolve", (client) => client.resolve({ text }))
  )
  const describe: Service["describe"] = operations.hot(
    "describe",
    (pane: PaneHandle) => calls.ask("describe", (client) => client.describe({ pane }))
  )
  const listSessions = operations.value(
    "listSessions",
    Effect.catchTag(
      calls.ask("listSessions", (client) => client.listSessions()),
      "InvalidRequest",
      (error) => Effect.fail(withoutArguments("listSessions", error))
    )
  )
  const listWindows: Service["listWindows"] = operations.hot(
    "listWindows",
    (o) => calls.ask("listWindows", (client) => client.listWindows({ ...o }))
  )
  const listPanes: Service["listPanes"] = operations.hot(
    "listPanes",
    (o) => calls.ask("listPanes", (client) => client.listPanes({ ...o, ...within(isName(o?.window), o) }))
  )
  const capture: Service["capture"] = operations.hot(
    "capture",
    (pane, o) => calls.ask("capture", (client) => client.capture({ pane, ...o }))
  )
  const events = operations.streaming("events", () =>
    Stream.mapError(
      calls.stream("events", (client) => client.events()),
      (error) => error._tag === "InvalidRequest" ? withoutArguments("events", error) : error
    ))

  const sensing = yield* Sensing.make(
    { runtime, sendProfile, capabilities, listSessions, listWindows, listPanes, resolve, capture, events },
    calls
  )
  const madeWith = isProvided(yield* AgentSense)
  const isNative = capabilities.agentState === "native"
  /** The sense of the caller decides here; without one, the server's does there. */
  const senses: Effect.Effect<boolean> = isNative
    ? Effect.succeed(false)
    : Effect.map(AgentSense, (sense) => madeWith || isProvided(sense))
  /** Of a pane that the server knows. */
  const here = (pane: PaneHandle) => Effect.flatMap(describe(pane), () => sensing.of(pane))

  const service: Service = {
    runtime,
    sendProfile,
    capabilities: madeWith && capabilities.agentState === "none"
      ? { ...capabilities, agentState: "derived" }
      : capabilities,
    context: operations.value(
      "context",
      current === undefined
        ? Effect.succeed<RuntimeContext>({ inRuntime: false })
        : Effect.map(resolve(current), ({ handle, session, window }): RuntimeContext => ({
          inRuntime: true,
          pane: handle,
          window,
          ...(session === undefined ? {} : { session })
        })).pipe(
          // a variable that another pane left, or that somebody set
          Effect.catchTag(
            ["TargetNotFound", "InvalidRequest"],
            () => Effect.succeed<RuntimeContext>({ inRuntime: false })
          )
        )
    ),
    resolve,
    describe,
    ensureWindow: operations.hot(
      "ensureWindow",
      (o) =>
        Effect.flatMap(handed, (environment) =>
          calls.once(
            "ensureWindow",
            (client) => client.ensureWindow({ ...o, ...environment, ...within(true, o) }),
            lostSpawn,
            creating
          ))
    ),
    listSessions,
    closeSession: operations.hot(
      "closeSession",
      (name) => calls.change("closeSession", (client) => client.closeSession({ name }))
    ),
    listWindows,
    closeWindow: operations.hot(
      "closeWindow",
      (window, o) =>
        calls.change("closeWindow", (client) => client.closeWindow({ window, ...within(isName(window), o) }))
    ),
    preparePane: operations.hot(
      "preparePane",
      (o) =>
        Effect.flatMap(handed, (environment) =>
          calls.once(
            "preparePane",
            (client) => client.preparePane({ ...o, ...environment, ...within(isName(o.window), o) }),
            lostSpawn
          ))
    ),
    listPanes,
    closePane,
    resize: operations.hot("resize", (pane, size) => calls.change("resize", (client) => client.resize({ pane, size }))),
    focus: operations.hot("focus", (target) => calls.change("focus", (client) => client.focus({ target }))),
    spawn: operations.hot("spawn", spawn),
    ...Sending.make(calls, operations),
    run: operations.hot(
      "run",
      (pane, { timeout, ...o }) =>
        timed(
          "run",
          "timeout",
          timeout,
          (timeout) =>
            calls.once("run", (client) => client.run({ pane, timeout, ...o }), (cause) => unanswered(pane, cause))
        )
    ),
    capture: (pane, o) =>
      Effect.flatMap(
        senses,
        (own) => own ? Effect.flatMap(here(pane), (local) => local.capture(pane, o)) : capture(pane, o)
      ),
    output: operations.stream("output", (pane) => calls.stream("output", (client) => client.output({ pane }))),
    waitOutput: operations.hot(
      "waitOutput",
      (pane, { after, pattern, timeout }) =>
        timed(
          "waitOutput",
          "timeout",
          timeout,
          (time) =>
            calls.wait("waitOutput", time, { target: pane, waitedFor: `${pattern}` }, (client, timeout) =>
              client.waitOutput({
                pane,
                pattern: typeof pattern === "string" ? pattern : { source: pattern.source, flags: pattern.flags },
                timeout,
                after
              }))
        )
    ),
    waitStable: operations.hot(
      "waitStable",
      (pane, { after, quiet, timeout }) =>
        timed(
          "waitStable",
          "quiet",
          quiet,
          (quiet) =>
            timed("waitStable", "timeout", timeout, (time) =>
              calls.wait("waitStable", time, { target: pane, waitedFor: "a still screen" }, (client, timeout) =>
                client.waitStable({ pane, quiet, timeout, after })))
        )
    ),
    waitAgent: (pane, o) =>
      Effect.flatMap(senses, (own) =>
        own
          ? Effect.flatMap(here(pane), (local) => local.waitAgent(pane, o))
          : waitAgent(pane, o)),
    waitLifecycle: operations.hot(
      "waitLifecycle",
      ({ timeout, ...query }) =>
        timed(
          "waitLifecycle",
          "timeout",
          timeout,
          (time) =>
            calls.wait("waitLifecycle", time, {
              target: query.target,
              waitedFor: query.condition
            }, (client, timeout) => client.waitLifecycle({ query: inOwn(query), timeout }))
        )
    ),
    agents: (panes) => Stream.unwrap(Effect.map(senses, (own) => own ? localAgents(panes) : agents(panes))),
    events,
    probe: operations.hot(
      "probe",
      (panes) =>
        Effect.catchTag(
          calls.ask("probe", (client) => client.probe({ panes })),
          "RuntimeUnavailable",
          ({ message }) =>
            Effect.succeed(panes.map((pane) => new Probe({ pane, liveness: "unknown", reason: message })))
        )
    ),
    setEnvironment: operations.hot("setEnvironment", ({ value, ...o }) =>
      isPrivate
        ? calls.change("setEnvironment", (client) => client.setEnvironment({ ...o, value: hidden(value) }))
        : Effect.fail(unfitEnvironment("setEnvironment", "value"))),
    attach: operations.hot("attach", (o) => calls.change("attach", (client) => client.attach({ ...o })))
  }

  const waitAgent: Service["waitAgent"] = operations.hot(
    "waitAgent",
    (pane, { after, states, timeout }) =>
      timed(
        "waitAgent",
        "timeout",
        timeout,
        (time) =>
          calls.wait("waitAgent", time, { target: pane, waitedFor: states.join("|") }, (client, timeout) =>
            client.waitAgent({ pane, states, timeout, after }))
      )
  )
  const agents: Service["agents"] = operations.stream(
    "agents",
    (panes) => calls.stream("agents", (client) => client.agents({ panes }))
  )
  const localAgents: Service["agents"] = (panes) =>
    Stream.unwrap(Effect.gen(function*() {
      const probes = yield* service.probe(panes)
      const known = probes.find(({ liveness }) => liveness === "live")
      return known === undefined ? agents(panes) : (yield* sensing.of(known.pane)).agents(panes)
    }))

  return service
})
