/**
 * Calls of remote procedures, by what may have become of one whose connection was lost. Questions are asked again; a
 * change that may have been made is never asked for a second time.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { RpcClientError } from "effect/rpc/RpcClientError"
import * as SchemaIssue from "effect/SchemaIssue"
import * as Stream from "effect/Stream"
import { InvalidRequest, RuntimeUnavailable, WaitTimeout } from "../../src/RuntimeError.ts"
import { type Client, type Connection, ConnectionLost, settled } from "./connection.ts"

type Call<A, E> = (client: Client) => Effect.Effect<A, E | RpcClientError>
type Told<E> = E | InvalidRequest | RuntimeUnavailable

/** How often a question is asked where the connection is lost each time. */
const asking = 3

/** Arguments that no procedure has; the first that is wrong is named. Any other defect is the server's. */
const unfit = (operation: string) => (defect: unknown): Effect.Effect<never, InvalidRequest | ConnectionLost> => {
  const issue = defect instanceof Error ? defect.cause : undefined
  if (!SchemaIssue.isIssue(issue)) return Effect.fail(new ConnectionLost({ cause: defect, unreadable: true }))
  const [first] = SchemaIssue.makeFormatterStandardSchemaV1()(issue).issues
  const field = first?.path?.map((part) => String(typeof part === "object" ? part.key : part)).at(-1)
  return Effect.fail(
    new InvalidRequest({ operation, field: field ?? "arguments", reason: `cannot be sent: ${first?.message ?? "?"}` })
  )
}

export interface Calls {
  /** Asked again on a new connection. */
  readonly ask: <A, E>(operation: string, call: Call<A, E>) => Effect.Effect<A, Told<E>>
  /** The same for a question that takes time: what is left of it is passed. Ends by itself where the server does not. */
  readonly wait: <A, E>(
    operation: string,
    time: Duration.Duration,
    of: Pick<WaitTimeout, "target" | "waitedFor">,
    call: (client: Client, left: Duration.Duration) => Effect.Effect<A, E | RpcClientError>
  ) => Effect.Effect<A, Told<E> | WaitTimeout>
  /** Made once; a repetition by the caller does no harm. */
  readonly change: <A, E>(operation: string, call: Call<A, E>) => Effect.Effect<A, Told<E>>
  /** Made once; `lost` is what is told where it may have happened. */
  readonly once: <A, E, X>(
    operation: string,
    call: Call<A, E>,
    lost: (cause: ConnectionLost) => X,
    connection?: Effect.Effect<Connection, RuntimeUnavailable>
  ) => Effect.Effect<A, Told<E> | X>
  /** Ends with the connection. */
  readonly stream: <A, E>(
    operation: string,
    call: (client: Client) => Stream.Stream<A, E | RpcClientError>
  ) => Stream.Stream<A, Told<E>>
}

/** Milliseconds that a server has to tell that the time is over, and that it has for any answer. */
const slack = { late: 250, least: 2000 } as const

/** When a wait is over that the server does not end: it hangs. */
const cutAfter = (time: Duration.Duration): Duration.Duration =>
  Duration.max(Duration.sum(time, Duration.millis(slack.late)), Duration.millis(slack.least))

const leftOf = (time: Duration.Duration, passed: number): Duration.Duration =>
  Duration.isFinite(time) ? Duration.max(Duration.zero, Duration.subtract(time, Duration.millis(passed))) : time

const fieldsOf = ({ lastSeen, rowsLost, target, waitedFor }: WaitTimeout) => ({
  target,
  waitedFor,
  lastSeen,
  ...(rowsLost === undefined ? {} : { rowsLost })
})

export const make = (runtime: string, connection: Effect.Effect<Connection, RuntimeUnavailable>): Calls => {
  const gone = (cause: ConnectionLost) =>
    new RuntimeUnavailable({
      runtime,
      reason: "lost",
      detail: cause.unreadable === true
        ? "its server gave no answer that can be read: see that both are the same version of Paneway"
        : "the connection to its server ended",
      cause
    })

  const attempt = <A, E>(
    operation: string,
    call: Call<A, E>,
    on = connection
  ): Effect.Effect<A, Told<E> | ConnectionLost> =>
    Effect.flatMap(
      on,
      ({ client }) => Effect.catchDefect(settled<A, E>(Effect.suspend(() => call(client))), unfit(operation))
    )

  const once: Calls["once"] = <A, E, X>(
    operation: string,
    call: Call<A, E>,
    lost: (cause: ConnectionLost) => X,
    on = connection
  ) =>
    Effect.mapError(
      attempt(operation, call, on),
      (error): Told<E> | X => error instanceof ConnectionLost ? lost(error) : error
    )

  const ask: Calls["ask"] = <A, E>(operation: string, call: Call<A, E>) =>
    Effect.retry(attempt(operation, call), {
      times: asking - 1,
      while: (error) => error instanceof ConnectionLost && error.unreadable !== true
    }).pipe(Effect.mapError((error): Told<E> => error instanceof ConnectionLost ? gone(error) : error))

  return {
    ask,
    once,
    change: (operation, call) => once(operation, call, gone),
    wait: <A, E>(
      operation: string,
      time: Duration.Duration,
      of: Pick<WaitTimeout, "target" | "waitedFor">,
      call: (client: Client, left: Duration.Duration) => Effect.Effect<A, E | RpcClientError>
    ) =>
      Effect.suspend(() => {
        let started: number | undefined
        const asked = ask<A, E>(operation, (client) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            const left = started === undefined ? time : leftOf(time, now - started)
            started ??= now
            return call(client, left)
          }))
        const told = Effect.mapError(asked, (error) =>
          error instanceof WaitTimeout ? new WaitTimeout({ ...fieldsOf(error), timeout: time }) : error)
        return Duration.isFinite(time)
          ? Effect.timeoutOrElse(told, {
            duration: cutAfter(time),
            orElse: () =>
              Effect.fail(new WaitTimeout({ ...of, timeout: time, lastSeen: { _tag: "Nothing" } }))
          })
          : told
      }),
    stream: <A, E>(operation: string, call: (client: Client) => Stream.Stream<A, E | RpcClientError>) =>
      Stream.unwrap(Effect.map(connection, ({ client }) => Stream.suspend(() => call(client)))).pipe(
        Stream.catchCause((cause): Stream.Stream<never, Told<E>> =>
          Stream.fromEffect(
            Effect.mapError(
              Effect.catchDefect(settled<never, E | RuntimeUnavailable>(Effect.failCause(cause)), unfit(operation)),
              (error): Told<E> => error instanceof ConnectionLost ? gone(error) : error
            )
          )
        )
      )
  }
}
