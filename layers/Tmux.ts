/**
 * Panes of a tmux server: the one that the caller is in, or another one of the user. One connection in control mode
 * serves everything; where there can be none, each call is a process of its own, and the health says so.
 *
 * Panes outlive the layer. No window of the user is resized, focused or renamed but by an operation that asks for it.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { hostname, userInfo } from "node:os"
import type { AskError, InSession, Primitives, Size } from "../src/Contract.ts"
import * as Roots from "../src/internal/roots.ts"
import { PaneLocks } from "../src/PaneLocks.ts"
import { PaneClient } from "../src/PaneView.ts"
import type { RuntimeUnavailable } from "../src/RuntimeError.ts"
import type { Examination } from "../src/RuntimeRegistry.ts"
import * as TerminalRuntime from "../src/TerminalRuntime.ts"
import { realPath } from "./internal/realPath.ts"
import * as Locks from "./locks/files.ts"
import { ask } from "./tmux/asking.ts"
import * as Attaching from "./tmux/attaching.ts"
import * as Capturing from "./tmux/capturing.ts"
import * as Changing from "./tmux/changing.ts"
import * as Clients from "./tmux/clients.ts"
import * as Counting from "./tmux/counting.ts"
import * as Delivering from "./tmux/delivering.ts"
import * as Examine from "./tmux/examine.ts"
import { isAbsence, isEmpty, runtime, unavailable } from "./tmux/failures.ts"
import * as Heard from "./tmux/heard.ts"
import * as Listing from "./tmux/listing.ts"
import * as Opening from "./tmux/opening.ts"
import * as OutputLog from "./tmux/outputLog.ts"
import * as Server from "./tmux/server.ts"
import type { Life } from "./tmux/transport.ts"
import * as Unique from "./tmux/unique.ts"
import * as Watching from "./tmux/watching.ts"

/**
 * Which server: that of the caller, else the user's default one; or one by its name or by the path of its socket.
 *
 * @category models
 * @since 0.1.0
 */
export type ServerChoice = Server.Choice

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** Defaults to `inherit`. It is started by the first pane that is opened on it, and by nothing else. */
  readonly server?: ServerChoice | undefined
  /** The program `tmux`. Defaults to the one on PATH. */
  readonly binary?: string | undefined
  /**
   * Session that an absent option means. Defaults to `PANEWAY_SESSION`, else `ACE_TMUX_SESSION`, else that of the
   * caller's pane, else `paneway`.
   */
  readonly session?: string | undefined
  /** Columns and rows of a session that is made. Defaults to 120x40. */
  readonly size?: Size | undefined
  /** Environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /**
   * Names of variables that panes do not get of the server's (`deny`) or get although they are denied (`allow`); `*`
   * stands for anything. A server that is started here does not get them either.
   */
  readonly inherit?: { readonly allow?: ReadonlyArray<string>; readonly deny?: ReadonlyArray<string> } | undefined
  /** Time for one call to the server. Defaults to 5 seconds. */
  readonly deadline?: Duration.Input | undefined
  /** Time to wait for another sender of the same pane. Defaults to 30 seconds. */
  readonly lock?: Duration.Input | undefined
  /** `forked`: a process for each call, and nothing is told by the server. Defaults to `control`. */
  readonly way?: "control" | "forked" | undefined
  /**
   * When a client is attached: with the first question, with the first pane that is opened, or with the first wait; until
   * then each call is a process of its own, which is enough for a process that asks little and ends soon. Defaults to
   * `question`.
   */
  readonly attach?: "question" | "pane" | "wait" | undefined
}

/**
 * The name of a workspace's private server, for `{ name }`: from the real path of its root, short, and the same every
 * time.
 *
 * @category constructors
 * @since 0.1.0
 */
export const privateServer: (root: string) => string = Server.privateName

const uid = () => process.geteuid?.() ?? userInfo().uid

const callsOf = (options: Options, server: Server.Server) => ({
  binary: options.binary ?? "tmux",
  server,
  env: Server.environment(options.env ?? process.env),
  deadline: Duration.fromInputUnsafe(options.deadline ?? Clients.defaultDeadline)
})

/**
 * Whether the server can be used, or could be started, and what its version lacks; starts none.
 *
 * @category examining
 * @since 0.1.0
 */
export const examine = (options: Options = {}): Effect.Effect<Examination> => {
  const server = Server.locate(options.server ?? "inherit", options.env ?? process.env, uid())
  return "path" in server
    ? Examine.examine(callsOf(options, server))
    : Effect.succeed(Examine.unusable(server))
}

const blank = (text: string | undefined) => text === undefined || text.trim() === "" ? undefined : text.trim()

const make = Effect.fnUntraced(function*(options: Options) {
  const env = options.env ?? process.env
  const server = Server.locate(options.server ?? "inherit", env, uid())
  if (!("path" in server)) return yield* unavailable(server)
  const way = options.way ?? "control"
  const chosen = blank(options.session) ?? blank(env.PANEWAY_SESSION) ?? blank(env.ACE_TMUX_SESSION)
  const { withLock } = yield* PaneLocks
  const clients = yield* Clients.make({
    ...callsOf(options, server),
    way,
    prefer: chosen ?? "paneway",
    attach: options.attach ?? "question",
    // where there can be no lock, there is no other process of ours that could have one
    apart: (effect) =>
      Effect.exit(effect).pipe(
        withLock(`${runtime}:${server.path}`),
        Effect.catch(() => Effect.exit(effect)),
        Effect.flatten
      )
  })
  const host = hostname()
  const identityOf = ({ incarnation, version }: Life): Listing.Identity => ({
    runtime,
    host,
    scope: server.path,
    incarnation,
    version
  })

  // a server that is too old or cannot be used is told at once; one that does not run may be started later
  const { outputs: [identified = ""] } = yield* Effect.catchTags(clients.run([Unique.question]), {
    NoAnswer: (error) =>
      error.reason === "not-running" ? Effect.succeed({ outputs: [] }) : Effect.fail(unavailable(error)),
    OtherServer: () => Effect.succeed({ outputs: [] })
  })
  const twice = Unique.twice(identified)
  if (twice !== undefined) return yield* unavailable(twice)

  const inventory = Listing.settled(Effect.gen(function*() {
    const query = Listing.query()
    const { life, outputs: [listed = ""] } = yield* ask(clients, "list", [Listing.everyPane(query)], isEmpty)
    return { life, rows: query.rows(listed) }
  })).pipe(Effect.map(({ life, rows }) => Listing.inventoryOf(identityOf(life), rows)))

  const find = Effect.fnUntraced(function*(id: string) {
    if (!/^%\d+$/.test(id)) return Option.none()
    const { life, rows } = yield* Listing.settled(Effect.gen(function*() {
      const query = Listing.query()
      const { life, outputs: [listed = ""] } = yield* ask(clients, "find", [Listing.panesBeside(query, id)], isAbsence)
      return { life, rows: query.rows(listed).filter((row) => row.number("pane_id") === id) }
    }))
    return Option.map(Option.fromUndefinedOr(rows[0]), (row) => Listing.paneOf(identityOf(life), row))
  })

  const caller = Server.caller(env)
  const own = caller !== undefined && caller.socket === server.path ? caller.pane : undefined
  const current = own === undefined
    ? Effect.succeedNone
    : Effect.map(find(own), (found) => Option.map(found, ({ handle }) => handle))

  const session: Effect.Effect<string, AskError> = chosen !== undefined || own === undefined
    ? Effect.succeed(chosen ?? "paneway")
    : find(own).pipe(Effect.map((found) => Option.getOrUndefined(found)?.session ?? "paneway"))

  const heard = Heard.make()
  const counting = Counting.make(clients, heard)
  const { capture } = Capturing.make(clients, counting)
  const { deliver, write } = Delivering.make(clients, heard, counting)
  const environment = Changing.makeEnvironment(clients)
  const watching = way === "control" ? yield* Watching.make(clients, heard) : undefined
  const printed = watching === undefined ? undefined : yield* OutputLog.make(clients, watching.watchAll)
  const { open } = Opening.make(clients, {
    awaited: environment.take,
    inherit: options.inherit,
    leads: heard.leads,
    size: options.size ?? { columns: 120, rows: 40 },
    session,
    identityOf,
    env
  })
  const attaching = Attaching.make(clients, { env, own })

  const sessionOf = (asked: InSession) => asked.session === undefined ? session : Effect.succeed(asked.session)

  const primitives: Primitives = {
    runtime,
    host,
    scope: server.path,
    sendProfile: "plain-pane",
    inventory,
    find,
    session,
    current,
    open,
    capture,
    deliver,
    write,
    ...watching,
    ...(printed === undefined ? {} : { output: printed.output }),
    close: Changing.close(clients),
    closeSession: Changing.closeSession(clients),
    focus: Changing.focus(clients),
    resize: Changing.resize(clients),
    remember: Changing.remember(clients),
    leaveMode: Changing.leaveMode(clients),
    setEnvironment: (asked) => Effect.flatMap(sessionOf(asked), (name) => environment.set(name, asked)),
    attach: (asked) => Effect.flatMap(sessionOf(asked), attaching.attachSession),
    health: clients.health,
    declared: {
      exitStatus: "native",
      // it has a beginning and no end: enough for commands in a shell, and no more
      rawOutput: "none",
      ansi: "native",
      // only what panes print tells who asked for it
      ...(way === "forked" ? { bracketedPaste: "none" } : {})
    }
  }
  const made = yield* Effect.provideService(TerminalRuntime.make(primitives), Roots.RealPath, realPath)
  return Context.make(TerminalRuntime.TerminalRuntime, made).pipe(
    Context.add(PaneClient, Option.some({ attach: attaching.attach }))
  )
})

/**
 * Provides `TerminalRuntime` over a tmux server. Fails with `RuntimeUnavailable` where `tmux` is missing, where the
 * server may not be used, and where it is older than 3.0. Panes are locked across the processes of this host. For
 * `paneway attach` it provides `PaneClient` besides.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  options: Options = {}
): Layer.Layer<TerminalRuntime.TerminalRuntime, RuntimeUnavailable> =>
  Layer.effectContext(make(options)).pipe(
    Layer.provide(Locks.layer({ wait: options.lock }))
  )
