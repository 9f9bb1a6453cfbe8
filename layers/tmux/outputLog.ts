/**
 * What a pane prints from now on, byte by byte, as a control client is told it: for commands that run in a shell.
 *
 * It is no record of a pane's whole output: when a pane's process ends, servers drop what the client was not told yet. So
 * the bytes of a pane that ends fail, and do not end; the screen has the rest.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AskError, TargetError } from "../../src/Contract.ts"
import { NativeFailure, RuntimeUnavailable } from "../../src/RuntimeError.ts"
import type { PaneHandle } from "../../src/Target.ts"
import type { Wakes } from "../../src/Waiting.ts"
import { change } from "./asking.ts"
import type { Clients } from "./clients.ts"
import type { Told } from "./control.ts"
import { absent, isAbsence, reissued, runtime, unavailable } from "./failures.ts"
import { unescaped } from "./protocol.ts"
import { print } from "./transport.ts"

/** Bytes that wait for one reader. */
const mostWaiting = 64 * 1024 * 1024

interface Reader {
  readonly pane: string
  readonly bytes: Queue.Queue<Uint8Array, TargetError | Cause.Done>
  session: string | undefined
  waiting: number
}

const failure = (detail: string) => new NativeFailure({ runtime, operation: "output", detail })

const lost = () =>
  new RuntimeUnavailable({ runtime, reason: "lost", detail: "the client that was told the output has gone" })

/** `watchAll` as the runtime has it. */
export const make = Effect.fnUntraced(function*(
  clients: Pick<Clients, "run" | "hear" | "hearing" | "listeners">,
  watchAll: (on: Wakes) => Effect.Effect<void, AskError, Scope.Scope>
) {
  const readers = new Set<Reader>()

  const fail = (reader: Reader, error: TargetError) => {
    readers.delete(reader)
    Queue.failCauseUnsafe(reader.bytes, Cause.fail(error))
  }

  const told = (_: string, event: Told) => {
    if (readers.size === 0 || (event._tag !== "Output" && event._tag !== "Paused")) return
    const reading = [...readers].filter(({ pane }) => pane === event.pane)
    if (reading.length === 0) return
    // escaped bytes are the parser's own
    const bytes = event._tag === "Output" ? Buffer.from(unescaped(event.data)) : undefined
    for (const reader of reading) {
      reader.waiting += bytes?.length ?? 0
      if (bytes === undefined) fail(reader, failure("the server left output of the pane out"))
      else if (reader.waiting > mostWaiting) fail(reader, failure(`more than ${mostWaiting} bytes wait to be read`))
      else Queue.offerUnsafe(reader.bytes, bytes)
    }
  }

  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const listener = {
        told,
        joined: () => {},
        lost: (session: string) => {
          for (const reader of [...readers].filter((one) => one.session === session)) fail(reader, lost())
        }
      }
      clients.listeners.add(listener)
      return listener
    }),
    (listener) => Effect.sync(() => clients.listeners.delete(listener))
  )

  const hasEnded = Effect.fnUntraced(function*(pane: PaneHandle, session: string) {
    const client = clients.hearing(session)
    if (client === undefined) return yield* lost()
    const { failure: said, outputs: [listed = ""] } = yield* Effect.catchTags(
      client.run([["list-panes", "-t", pane.id, "-F", "#{pane_id} #{pane_dead}"]], pane.incarnation),
      { NoAnswer: (error) => Effect.fail(unavailable(error)), OtherServer: () => Effect.fail(reissued(pane)) }
    )
    return said === undefined ? !listed.split("\n").includes(`${pane.id} 0`) : isAbsence(said)
  })

  /** What comes before the session is known is taken too, if somebody hears it. */
  const hear = Effect.fnUntraced(function*(pane: PaneHandle) {
    const [said = ""] = yield* change(clients, "output", pane, [print("#{pane_id} #{session_id}", pane.id)])
    const [id, session] = said.split(" ")
    if (id !== pane.id || session === undefined) return yield* absent(pane)
    yield* Effect.mapError(clients.hear(session), unavailable)
    return session
  })

  const joined = (pane: PaneHandle): Effect.Effect<Reader, never, Scope.Scope> =>
    Effect.acquireRelease(
      Effect.map(Queue.unbounded<Uint8Array, TargetError | Cause.Done>(), (bytes) => {
        const reader: Reader = { pane: pane.id, bytes, session: undefined, waiting: 0 }
        readers.add(reader)
        return reader
      }),
      (reader) => Effect.sync(() => readers.delete(reader))
    )

  const follow = Effect.fnUntraced(function*(pane: PaneHandle, reader: Reader) {
    const session = yield* hear(pane)
    reader.session = session
    const checks = yield* Queue.sliding<void>(1)
    const check = () => void Queue.offerUnsafe(checks, undefined)
    yield* watchAll({ wake: check, lost: check })
    while (!(yield* hasEnded(pane, session))) yield* Queue.take(checks)
    return yield* failure("its process ended, and the server tells no more of its output")
  })

  const output = (pane: PaneHandle): Stream.Stream<Uint8Array, TargetError> =>
    Stream.unwrap(Effect.gen(function*() {
      const reader = yield* joined(pane)
      yield* Effect.forkScoped(
        Effect.onExit(follow(pane, reader), (exit) =>
          Exit.isFailure(exit)
            ? Effect.sync(() => void Queue.failCauseUnsafe(reader.bytes, exit.cause))
            : Effect.void),
        { startImmediately: true }
      )
      return Stream.map(Stream.fromQueue(reader.bytes), (bytes) => {
        reader.waiting -= bytes.length
        return bytes
      })
    }))

  return { output }
})
