/** The host from the outside: found, started, asked and stopped. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as PaneLocks from "../../src/PaneLocks.ts"
import * as ProcessIdentity from "../../src/ProcessIdentity.ts"
import type { HostStatus, Report, ReportError, Taken } from "../../src/remote/HostRpcs.ts"
import * as RuntimeConfig from "../../src/RuntimeConfig.ts"
import { type NativeFailure, OperationRefused, RuntimeUnavailable } from "../../src/RuntimeError.ts"
import type { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { reader } from "../internal/processIdentity.ts"
import * as RuntimeDirectory from "../internal/runtimeDirectory.ts"
import * as Files from "../locks/files.ts"
import * as Remote from "../Remote.ts"
import { identity } from "./identity.ts"
import * as Launching from "./launching.ts"
import * as Leftovers from "./leftovers.ts"
import * as Place from "./place.ts"
import * as Record from "./record.ts"

export type { Report }

export interface Options {
  /** Module that a process runs to be the host. */
  readonly entry: string
  /** Of Paneway. */
  readonly version: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The host that answers, and what had to be done for that. */
export interface Ensured {
  readonly pid: number
  readonly started: boolean
  /** Processes that panes of an earlier host left behind, and that were ended. */
  readonly ended: number
}

/** What became of a host that was told to end. */
export interface Stopped {
  /** Absent: it was gone already, and is not known any more. */
  readonly pid?: number
  /** Processes that its panes had left behind, and that were ended. */
  readonly ended: number
  /** There was none to stop, and nothing was left of one. */
  readonly absent?: true
}

/** Milliseconds for a host that has its place to serve, and between looks. */
const starting = { most: 5000, pause: 25 } as const

/** Milliseconds that a host has to close its panes and end; that one has which did not answer; and between looks. */
const ending = { most: 20_000, hanging: 5000, pause: 25 } as const

const notRunning = ({ reason }: RuntimeUnavailable): boolean => reason === "not-running"

/** Also one that ended while it was asked. */
const goesAway = (error: RuntimeUnavailable): boolean => notRunning(error) || error.reason === "lost"

export const make = ({ entry, env, version }: Options) => {
  const surroundings = { ...RuntimeDirectory.surroundings(), env }
  const place = Place.find(surroundings)
  const optionsOf = ({ socket }: Pick<Place.Place, "socket">) => ({
    path: socket,
    version,
    env,
    expect: identity,
    advice: "run paneway host start, or open a pane with paneway spawn or ensure"
  })
  const connectedAt = <A, E>(
    at: Effect.Effect<Pick<Place.Place, "socket">, RuntimeUnavailable>,
    use: (host: Remote.Host) => Effect.Effect<A, E>
  ) => Effect.scoped(Effect.flatMap(Effect.flatMap(at, (at) => Remote.connectHost(optionsOf(at))), use))
  const connected = <A, E>(use: (host: Remote.Host) => Effect.Effect<A, E>) => connectedAt(place, use)
  /** To the host that the pane is of, where the environment says it. */
  const report = (report: Report): Effect.Effect<Taken, ReportError> => {
    const socket = env["PANEWAY_SOCKET"]?.trim()
    return connectedAt(
      socket === undefined || socket === "" ? place : Effect.succeed({ socket }),
      (host) => host.report(report)
    )
  }
  const found = connected(({ pid }) => Effect.succeed<Ensured>({ pid, started: false, ended: 0 }))

  /** A host that was started has not the place where another one is just starting: that of a command that was killed. */
  const joined = Effect.fnUntraced(function*(failure: RuntimeUnavailable) {
    const here = yield* place
    for (let waited = 0; waited < starting.most; waited += starting.pause) {
      const other = yield* Effect.result(found)
      if (other._tag === "Success") return other.success
      if (!notRunning(other.failure)) return yield* other.failure
      if ((yield* Leftovers.filesAt(here)) !== undefined) break
      yield* Effect.sleep(starting.pause)
    }
    return yield* failure
  })
  const launched = Effect.catchIf(
    Effect.map(Launching.launch(entry, env), ({ ended, pid }): Ensured => ({ pid, started: true, ended })),
    ({ reason }) => reason === "refused",
    joined
  )
  /** One starts it, and who came at the same time finds it. */
  const ensure: Effect.Effect<Ensured, RuntimeUnavailable> = Effect.catchIf(
    found,
    goesAway,
    () =>
      Effect.flatMap(
        PaneLocks.PaneLocks,
        ({ withLock }) => withLock("pty:host")(Effect.catchIf(found, goesAway, () => launched))
      ).pipe(
        Effect.provide(Files.layer({ surroundings }))
      )
  )

  /** Nobody tells of the end of a process that is not ours. */
  const untilGone = Effect.fnUntraced(function*(process: ProcessIdentity.ProcessIdentity, most: number = ending.most) {
    for (let waited = 0; waited < most; waited += ending.pause) {
      if ((yield* ProcessIdentity.probe(process, reader)) === "gone") return
      yield* Effect.sleep(ending.pause)
    }
    return yield* new RuntimeUnavailable({
      runtime: "pty",
      reason: "timed-out",
      detail: `the host, process ${process.pid}, was told to end and lives on: end it yourself`
    })
  })

  /**
   * One that speaks otherwise, or hangs, can only be told by a signal, and not whether it has panes. One that does not
   * end then is killed.
   */
  const stopOther = Effect.fnUntraced(function*(
    force: boolean,
    failure: RuntimeUnavailable
  ): Effect.fn.Return<Stopped, RuntimeUnavailable | OperationRefused> {
    const record = yield* Effect.flatMap(place, Record.read)
    if (Option.isNone(record)) return yield* failure
    const process = Record.identityOf(record.value)
    if (!force && failure.reason === "timed-out") {
      const { detail } = failure
      return yield* new RuntimeUnavailable({
        runtime: "pty",
        reason: "timed-out",
        detail: `${detail}: paneway host stop --force ends it, process ${process.pid}, and its panes`
      })
    }
    if (!force) {
      return yield* new OperationRefused({
        runtime: "pty",
        operation: "host stop",
        reason: `${failure.detail}; or pass --force, which closes its panes`
      })
    }
    const signal = Effect.fnUntraced(function*(name: "SIGTERM" | "SIGKILL") {
      if ((yield* ProcessIdentity.probe(process, reader)) !== "live") return yield* failure
      yield* Effect.try({ try: () => globalThis.process.kill(process.pid, name), catch: () => failure })
      yield* untilGone(process, failure.reason === "timed-out" ? ending.hanging : ending.most)
    })
    yield* Effect.catchIf(
      signal("SIGTERM"),
      ({ reason }) => reason === "timed-out",
      () => signal("SIGKILL")
    )
    return { pid: process.pid, ended: yield* cleared }
  })

  const pty = Effect.promise(() => import("../Pty.ts"))
  const cleared = Effect.flatMap(
    Effect.all([place, pty]),
    ([place, { endLeftBehind }]) => Leftovers.clear(place, endLeftBehind)
  )

  /** What a host left that is gone, in words; nothing, where it left nothing. */
  const left = Effect.gen(function*() {
    const here = yield* place
    const files = yield* Leftovers.filesAt(here)
    if (files === undefined) return []
    const { countLeftBehind } = yield* pty
    const processes = yield* countLeftBehind(here.tag)
    return [
      ...(processes === 0 ? [] : [`${processes} ${processes === 1 ? "process" : "processes"} of its panes`]),
      ...files
    ]
  })

  /** Nothing answers: then a process that should is named, or what is left of one that was killed. */
  const whyNot = Effect.fnUntraced(function*(failure: RuntimeUnavailable) {
    const record = yield* Effect.flatMap(place, Record.read)
    const lives = Option.isSome(record) &&
      (yield* ProcessIdentity.probe(Record.identityOf(record.value), reader)) === "live"
    if (lives) {
      return new RuntimeUnavailable({
        runtime: "pty",
        reason: "timed-out",
        detail: `the host, process ${record.value.pid}, does not answer at its socket: ` +
          "paneway host stop --force ends it and its panes",
        cause: failure
      })
    }
    const rest = yield* left
    return rest.length === 0 ? failure : new RuntimeUnavailable({
      runtime: "pty",
      reason: "not-running",
      detail: `a host that was killed left ${rest.join(", ")}: paneway host start or host stop --force clears that`,
      cause: failure
    })
  })

  /** Nothing answers: what is left of a host is ended and removed, if that is forced. */
  const stopGone = Effect.fnUntraced(function*(
    force: boolean,
    failure: RuntimeUnavailable
  ): Effect.fn.Return<Stopped, RuntimeUnavailable | OperationRefused> {
    const told = yield* whyNot(failure)
    if (told.reason === "timed-out") return force ? yield* stopOther(true, told) : yield* told
    if (told === failure) return { ended: 0, absent: true }
    if (!force) return yield* told
    const record = yield* Effect.flatMap(place, Record.read)
    const ended = yield* cleared
    return Option.isSome(record) ? { pid: record.value.pid, ended } : { ended }
  })

  const stopOwn = (force: boolean) =>
    connected(Effect.fnUntraced(function*({ pid, stop }): Effect.fn.Return<
      Stopped,
      RuntimeUnavailable | OperationRefused | NativeFailure
    > {
      const process = yield* ProcessIdentity.read(pid, reader)
      yield* stop(force)
      if (Option.isSome(process)) yield* untilGone(process.value)
      return { pid, ended: 0 }
    }))

  const stop = (force: boolean): Effect.Effect<Stopped, RuntimeUnavailable | OperationRefused | NativeFailure> =>
    Effect.catchTag(stopOwn(force), "RuntimeUnavailable", (failure) => {
      if (failure.reason === "unsupported-version" || failure.reason === "timed-out") return stopOther(force, failure)
      if (!notRunning(failure)) return Effect.fail(failure)
      return stopGone(force, failure)
    })

  const status: Effect.Effect<HostStatus, RuntimeUnavailable | NativeFailure> = Effect.catchTag(
    connected(({ status }) => status),
    "RuntimeUnavailable",
    (failure) => Effect.flatMap(notRunning(failure) ? whyNot(failure) : Effect.succeed(failure), Effect.fail)
  )

  /** The panes of the host. What creates something starts it where it is not there. */
  const layer: Layer.Layer<TerminalRuntime, RuntimeUnavailable> = Layer.unwrap(
    Effect.gen(function*() {
      const { session } = yield* RuntimeConfig.Current
      const own = env["PANEWAY_SESSION"]?.trim()
      return Remote.layer({
        ...optionsOf(yield* place),
        start: ensure,
        session: own === undefined || own === "" ? session : own
      })
    })
  )

  return { ensure, status, stop, report, layer }
}
