/**
 * The host: a process that owns terminals and their screens for the command line, and does nothing else. It says once, on
 * standard output, that it serves, or why it does not.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeSocketServer from "@effect/platform-node/NodeSocketServer"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as SocketServer from "effect/socket/SocketServer"
import { chmodSync, writeSync } from "node:fs"
import * as Registry from "../../layers/Registry.ts"
import { hurriedScope } from "../remote/disconnects.ts"
import * as Host from "../remote/Host.ts"
import * as RuntimeConfig from "../RuntimeConfig.ts"
import { RuntimeUnavailable } from "../RuntimeError.ts"
import { sensing } from "./agents.ts"
import { severalServers } from "./hostServers.ts"
import { version } from "./version.ts"

/** Time without a pane and a client after which it ends. */
const idle = Duration.minutes(10)

const unavailable = (detail: string) => new RuntimeUnavailable({ runtime: "pty", reason: "refused", detail })

/** Panes have that of whoever started the host. */
const withUmask = (mask: number) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => process.umask(mask)),
    () => effect,
    (former) => Effect.sync(() => process.umask(former))
  )

/** Whoever started it may be gone. */
const tell = (line: string) => Effect.ignore(Effect.try(() => writeSync(1, `${line}\n`)))

const program = Effect.gen(function*() {
  const { print, take } = yield* Registry.serving
  return yield* Effect.gen(function*() {
    const { config } = yield* RuntimeConfig.load({ cwd: "/", env: process.env }).pipe(
      Effect.mapError(({ message }) => unavailable(message)),
      Effect.provide(Layer.merge(NodeFileSystem.layer, NodePath.layer))
    )
    const { ended, guard, panes, publish, socket } = yield* take
    const context = yield* Effect.provideService(
      Layer.build(Layer.provideMerge(panes, sensing)),
      RuntimeConfig.Current,
      config
    )
    const scope = yield* hurriedScope
    const listen = withUmask(0o077)(Layer.build(NodeSocketServer.layer({ path: socket }))).pipe(
      Scope.provide(scope),
      Effect.mapError(({ message }) => unavailable(`${socket} cannot be listened on: ${message}`)),
      Effect.tap(() => Effect.sync(() => chmodSync(socket, 0o600))),
      Effect.map((context) => Context.get(context, SocketServer.SocketServer))
    )
    const { add, server } = severalServers(yield* listen)
    yield* publish(version())
    yield* Effect.orDie(print({ _tag: "Serving", pid: process.pid, ended })).pipe(Effect.flatMap(tell))
    const serving = Host.run({ version: version(), pid: process.pid, idle: config.host.idle ?? idle }).pipe(
      Effect.provide(Context.add(context, SocketServer.SocketServer, server))
    )
    yield* Effect.raceFirst(serving, guard(version(), Effect.flatMap(listen, add)))
  }).pipe(
    Effect.scoped,
    Effect.catchCause((cause) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.void
      const error = Cause.squash(cause)
      const failure = error instanceof RuntimeUnavailable ? error : unavailable(String(error))
      return Effect.andThen(
        Effect.flatMap(Effect.orDie(print({ _tag: "Failed", failure })), tell),
        Effect.failCause(cause)
      )
    })
  )
}).pipe(Effect.provide(Logger.layer([])))

// nobody reads what it might print
process.stdout.on("error", () => {})
process.stderr.on("error", () => {})

const fiber = Effect.runFork(program)
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  process.on(signal, () => Effect.runFork(Fiber.interrupt(fiber)))
}
fiber.addObserver((exit) => process.exit(exit._tag === "Failure" ? 1 : 0))
