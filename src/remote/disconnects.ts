/**
 * Clients that go away or do not read are nothing unusual. What the former leave is told as the end of their connection,
 * and not as an error of the server; what the latter asked for waits, and what they ask then is not read.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Scope from "effect/Scope"
import * as Socket from "effect/socket/Socket"
import * as SocketServer from "effect/socket/SocketServer"

const ended = () => new Socket.SocketError({ reason: new Socket.SocketCloseError({ code: 1000 }) })

/** Answers go out one after the other; while one waits until it is taken, nothing more is read. */
const paced = () => {
  const state = { busy: false, over: false }
  const free = Latch.makeUnsafe(true)
  /** Those who wait: for their turn, or for the end of their write. */
  const waiting = new Set<() => void>()
  const wait = Effect.callback<void>((resume) => {
    const proceed = () => {
      waiting.delete(proceed)
      resume(Effect.void)
    }
    waiting.add(proceed)
    return Effect.sync(() => {
      waiting.delete(proceed)
    })
  })
  const release = Effect.sync(() => {
    state.busy = false
    const [next] = waiting
    if (next === undefined) free.openUnsafe()
    else next()
  })

  const leaving = new Set<() => void>()
  const over = Effect.sync(() => {
    state.over = true
    free.openUnsafe()
    for (const one of [...leaving, ...waiting]) one()
  })

  /** One that fails tells of the end before the reader does. A write after that may never end itself. */
  const bounded = <E>(write: Effect.Effect<void, E>): Effect.Effect<void> =>
    Effect.flatMap(
      Effect.forkDetach(Effect.interruptible(Effect.catch(write, () => over)), { startImmediately: true }),
      (fiber) =>
        fiber.pollUnsafe() !== undefined ? Effect.void : Effect.callback((resume) => {
          free.closeUnsafe()
          const leave = () => {
            fiber.interruptUnsafe()
            resume(Effect.void)
          }
          leaving.add(leave)
          fiber.addObserver(() => {
            leaving.delete(leave)
            resume(Effect.void)
          })
        })
    )

  const writing = <E>(write: Effect.Effect<void, E>): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (state.over) return Effect.void
      if (state.busy) return Effect.flatMap(wait, () => writing(write))
      state.busy = true
      return Effect.ensuring(bounded(write), release)
    })

  return {
    writing,
    reading: <A, E>(read: Effect.Effect<A, E>) => Effect.andThen(free.await, read),
    over
  }
}

const quiet = (socket: Socket.Socket): Socket.Socket => {
  const { over, reading, writing } = paced()
  return Socket.make({
    reader: Effect.map(socket.reader, ({ pull, upgrade }) => ({
      pull: reading(Effect.mapError(pull, ended)),
      upgrade
    })),
    writer: Effect.map(
      Effect.tap(socket.writer, () => Effect.addFinalizer(() => over)),
      ({ write, writeAll }) => ({
        write: (chunk) => writing(write(chunk)),
        writeAll: (chunks) => writing(writeAll(chunks))
      })
    )
  })
}

/**
 * The same server, whose connections end without an error and hold no more answers than they were asked for.
 *
 * @internal
 */
export const withoutErrors = (server: SocketServer.SocketServer["Service"]): SocketServer.SocketServer["Service"] =>
  SocketServer.SocketServer.of({
    address: server.address,
    run: (handler) => server.run((socket) => handler(quiet(socket)))
  })

/** Time for connections to end: a client that does not read holds up nothing. */
const patience = "1 second"

/**
 * A scope that closes with the surrounding one, which does not wait for it longer than a second.
 *
 * @internal
 */
export const hurriedScope = Effect.acquireRelease(Scope.make(), (scope) =>
  Effect.flatMap(
    Effect.forkDetach(Scope.close(scope, Exit.void), { startImmediately: true }),
    (closing) => Effect.interruptible(Effect.timeoutOption(Fiber.await(closing), patience))
  ))
