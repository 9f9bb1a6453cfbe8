/** What can be done to windows, panes and sessions that exist: always by their ids, in one life of the server. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { AskError, CloseError, Facts, SetEnv, SetEnvOutcome, Size, TargetError } from "../../src/Contract.ts"
import { NativeFailure, TargetNotFound } from "../../src/RuntimeError.ts"
import type { Handle, PaneHandle, WindowHandle } from "../../src/Target.ts"
import { ask, change, isNative, onTarget } from "./asking.ts"
import { failureOf, isAbsence, isEmpty, runtime, unavailable } from "./failures.ts"
import type { Command } from "./quoting.ts"
import * as Reaping from "./reaping.ts"
import { print, type Transport } from "./transport.ts"

/** The session may have ended with it, and taken the answer along. */
const isGone = (transport: Transport, target: Handle) => {
  const question: Command = ["list-panes", "-t", target.id, "-F", "#{pane_id}"]
  return Effect.match(transport.run([question], target.incarnation), {
    onFailure: (error) => error._tag === "OtherServer" || error.reason === "not-running",
    onSuccess: ({ failure }) => failure !== undefined && (isAbsence(failure) || isEmpty(failure))
  })
}

const ending = Effect.fnUntraced(
  function*(transport: Transport, target: Handle, command: Command): Effect.fn.Return<void, CloseError> {
    const { failure } = yield* Effect.catchTag(
      onTarget(transport, target, [command]),
      "NoAnswer",
      (error) =>
        Effect.flatMap(
          error.sent && error.reason === "lost" ? isGone(transport, target) : Effect.succeed(false),
          (gone) => gone ? Effect.succeed({ failure: undefined }) : Effect.fail(unavailable(error))
        )
    )
    if (failure !== undefined) return yield* failureOf("close", target, failure)
    // a client whose session ended with it is known to be gone after this, and gets no more commands
    yield* Effect.ignore(transport.run([print("")]))
  }
)

export const close = (transport: Transport) =>
  Effect.fnUntraced(function*(target: Handle): Effect.fn.Return<void, CloseError> {
    const isPane = target._tag === "PaneHandle"
    const list: Command = ["list-panes", "-t", target.id]
    const started = isNative(target)
      ? yield* Reaping.started(transport, list, target.incarnation, isPane ? target.id : undefined)
      : Reaping.nothing
    yield* ending(transport, target, [isPane ? "kill-pane" : "kill-window", "-t", target.id])
    yield* Effect.uninterruptible(Reaping.end(started))
  })

/** The id of a session, found by its whole name. */
export const sessionNamed = Effect.fnUntraced(function*(transport: Transport, name: string) {
  const { life, outputs: [listed = ""] } = yield* ask(transport, "listSessions", [
    ["list-sessions", "-F", "#{session_id} #{session_name}"]
  ], isEmpty)
  const line = listed.split("\n").find((line) => line.slice(line.indexOf(" ") + 1) === name)
  return { life, id: line === undefined ? undefined : line.slice(0, line.indexOf(" ")) }
})

const isSessionGone = (transport: Transport, name: string) =>
  Effect.match(sessionNamed(transport, name), {
    onFailure: (error) => error._tag === "RuntimeUnavailable" && error.reason === "not-running",
    onSuccess: ({ id }) => id === undefined
  })

export const closeSession = (transport: Transport) =>
  Effect.fnUntraced(function*(name: string): Effect.fn.Return<void, CloseError> {
    const { id, life } = yield* sessionNamed(transport, name)
    if (id === undefined) return yield* new TargetNotFound({ target: name, reason: "absent" })
    const started = yield* Reaping.started(transport, ["list-panes", "-s", "-t", id], life.incarnation, undefined)
    const killed = Effect.tap(
      transport.run([["kill-session", "-t", id]], life.incarnation),
      () => Effect.ignore(transport.run([print("")]))
    )
    yield* Effect.catchTags(killed, {
      OtherServer: () => Effect.fail(new TargetNotFound({ target: name, reason: "absent" })),
      NoAnswer: (error) =>
        Effect.flatMap(
          error.sent && error.reason === "lost" ? isSessionGone(transport, name) : Effect.succeed(false),
          (gone) => gone ? Effect.void : Effect.fail(unavailable(error))
        )
    })
    yield* Effect.uninterruptible(Reaping.end(started))
  })

export const focus = (transport: Transport) => (target: PaneHandle | WindowHandle): Effect.Effect<void, TargetError> =>
  Effect.asVoid(change(
    transport,
    "focus",
    target,
    target._tag === "PaneHandle"
      ? [["select-window", "-t", target.id], ["select-pane", "-t", target.id]]
      : [["select-window", "-t", target.id]]
  ))

/**
 * A pane that is alone takes its window's size, without the row that a border with a title has; of several, each has the
 * room that the others leave: one that cannot have what was asked for keeps what it had.
 */
export const resize = (transport: Transport) =>
  Effect.fnUntraced(function*(pane: PaneHandle, wanted: Size): Effect.fn.Return<void, TargetError> {
    const sizeNow = Effect.map(
      change(transport, "resize", pane, [print("#{pane_width} #{pane_height}", pane.id)]),
      ([text = ""]): Size => {
        const [columns = 0, rows = 0] = text.split(" ").map(Number)
        return { columns, rows }
      }
    )
    const set = Effect.fnUntraced(function*({ columns, rows }: Size) {
      const size = ["-t", pane.id, "-x", `${columns}`, "-y", `${rows}`]
      yield* change(transport, "resize", pane, [
        ["if-shell", "-F", "-t", pane.id, "#{==:#{window_panes},1}", { run: [["resize-window", ...size]] }, {
          run: [["resize-pane", ...size]]
        }]
      ])
      return yield* sizeNow
    })
    const fit = Effect.fnUntraced(function*(size: Size) {
      const now = yield* set(size)
      // a border takes a row of the window
      return isSame(now, size)
        ? now
        : yield* set({ columns: 2 * size.columns - now.columns, rows: 2 * size.rows - now.rows })
    })
    const before = yield* sizeNow
    const now = yield* fit(wanted)
    if (isSame(now, wanted)) return
    if (before.columns > 0) yield* fit(before)
    return yield* new NativeFailure({
      runtime,
      operation: "resize",
      detail: `it can have ${now.columns}x${now.rows}, since the panes beside it have the rest`
    })
  })

const isSame = (one: Size, other: Size): boolean => one.columns === other.columns && one.rows === other.rows

export const remember = (transport: Transport) => (target: Handle, facts: Facts): Effect.Effect<void, TargetError> => {
  const where = target._tag === "PaneHandle" ? "-p" : "-w"
  const set = (name: string, value: string): Command => ["set-option", where, "-t", target.id, name, value]
  const commands: ReadonlyArray<Command> = [
    ...(facts.root === undefined ? [] : [set("@paneway_root", facts.root)]),
    ...(facts.preset === undefined ? [] : [set("@paneway_preset", facts.preset)]),
    ...(facts.prepared === undefined ? [] : [set("@paneway_prepared", facts.prepared ? "1" : "0")])
  ]
  return commands.length === 0 ? Effect.void : Effect.asVoid(change(transport, "remember", target, commands))
}

/** Variables of sessions, for panes that are opened in them from now on. */
export interface Environment {
  readonly set: (session: string, asked: SetEnv) => Effect.Effect<SetEnvOutcome, AskError>
  /** What was set for a session that was not there yet; it is given to whoever makes the session, once. */
  readonly take: (session: string) => ReadonlyArray<readonly [name: string, value: string]>
}

/** Sessions that are not there, of which variables are kept. */
const mostAwaited = 64

export const makeEnvironment = (transport: Transport): Environment => {
  const awaited = new Map<string, Map<string, string>>()
  return {
    set: Effect.fnUntraced(function*(session: string, { name, value }: SetEnv) {
      const text = Redacted.isRedacted(value) ? Redacted.value(value) : value
      const found = yield* Effect.catchIf(
        sessionNamed(transport, session),
        (error) => error._tag === "RuntimeUnavailable" && error.reason === "not-running",
        () => Effect.succeed({ id: undefined })
      )
      if (found.id !== undefined) {
        yield* ask(transport, "setEnvironment", [["set-environment", "-t", found.id, "--", name, text]])
        return { _tag: "Applied" } satisfies SetEnvOutcome
      }
      if (awaited.size >= mostAwaited && !awaited.has(session)) {
        return {
          _tag: "Unsupported",
          reason: `there is no session ${session}: open a pane in it first`
        } satisfies SetEnvOutcome
      }
      awaited.set(session, (awaited.get(session) ?? new Map<string, string>()).set(name, text))
      return { _tag: "InternalizedAtSpawn" } satisfies SetEnvOutcome
    }),
    take: (session) => {
      const variables = [...awaited.get(session) ?? []]
      awaited.delete(session)
      return variables
    }
  }
}

export const leaveMode = (transport: Transport) => (pane: PaneHandle): Effect.Effect<void, TargetError> =>
  Effect.asVoid(change(transport, "leaveMode", pane, [["copy-mode", "-q", "-t", pane.id]]))
