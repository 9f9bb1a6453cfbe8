/** A unix socket as a connection of remote procedures, by `node:net` alone: one that ended stays ended. */
import type * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Socket from "effect/socket/Socket"
import { connect, type Socket as NetSocket } from "node:net"

export interface Connected {
  readonly socket: Socket.Socket
  /** The other end is not there any more. What was written last may have arrived. */
  readonly isOver: () => boolean
  /** Succeeds once the connection is closed. */
  readonly closed: Effect.Effect<void>
}

type Frames = Array.NonEmptyReadonlyArray<Uint8Array | string>

const over = () => new Socket.SocketError({ reason: new Socket.SocketCloseError({ code: 1006 }) })

const dial = (path: string): Effect.Effect<NetSocket, NodeJS.ErrnoException, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<NetSocket, NodeJS.ErrnoException>((resume) => {
      const socket = connect(path)
      // each call that waits until it may write listens too
      socket.setMaxListeners(0)
      const onError = (cause: NodeJS.ErrnoException) => {
        socket.destroy()
        resume(Effect.fail(cause))
      }
      socket.once("error", onError)
      socket.once("connect", () => {
        socket.off("error", onError)
        socket.on("error", () => {}) // the end that follows tells it
        resume(Effect.succeed(socket))
      })
      return Effect.sync(() => {
        socket.destroy()
      })
    }),
    (socket) =>
      Effect.sync(() => {
        socket.destroy()
      })
  )

const makeReader = (socket: NetSocket): Socket.Socket["reader"] =>
  Effect.gen(function*() {
    const state: { waiting: ((next: Effect.Effect<Frames, Socket.SocketError>) => void) | undefined; over: boolean } = {
      waiting: undefined,
      over: false
    }
    const serve = () => {
      const { waiting } = state
      if (waiting === undefined) return
      const chunk: unknown = socket.read()
      if (!(chunk instanceof Uint8Array) && !state.over) return
      state.waiting = undefined
      waiting(chunk instanceof Uint8Array ? Effect.succeed([chunk]) : Effect.fail(over()))
    }
    const end = () => {
      state.over = true
      serve()
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        socket.on("readable", serve)
        socket.on("end", end)
        socket.on("close", end)
        if (socket.destroyed || socket.readableEnded) end()
      }),
      () =>
        Effect.sync(() => {
          end()
          socket.off("readable", serve)
          socket.off("end", end)
          socket.off("close", end)
        })
    )
    return {
      pull: Effect.callback((resume) => {
        state.waiting = resume
        serve()
        return Effect.sync(() => {
          state.waiting = undefined
        })
      }),
      upgrade: () =>
        Effect.fail(
          new Socket.SocketError({ reason: new Socket.SocketUpgradeError({ cause: "a unix socket has no TLS" }) })
        )
    }
  })

/** Whoever writes to an end that is gone learns it from the reader. */
const makeWriter = (socket: NetSocket): Socket.Writer => {
  const drained = Effect.callback<void>((resume) => {
    const done = () => {
      socket.off("drain", done)
      socket.off("close", done)
      resume(Effect.void)
    }
    socket.on("drain", done)
    socket.on("close", done)
    if (socket.destroyed) done()
    return Effect.sync(() => {
      socket.off("drain", done)
      socket.off("close", done)
    })
  })
  const write: Socket.Writer["write"] = (chunk) =>
    Effect.suspend(() => {
      if (socket.destroyed || !socket.writable) return Effect.void
      if (Socket.isCloseEvent(chunk)) {
        socket.destroy()
        return Effect.void
      }
      return socket.write(chunk) ? Effect.void : drained
    })
  return { write, writeAll: (chunks) => Effect.forEach(chunks, write, { discard: true }) }
}

const closing = (socket: NetSocket): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const done = () => resume(Effect.void)
    if (socket.destroyed) return done()
    socket.once("close", done)
    return Effect.sync(() => {
      socket.off("close", done)
    })
  })

/** Fails with what the system says. The connection closes with the scope. */
export const open = (path: string): Effect.Effect<Connected, NodeJS.ErrnoException, Scope.Scope> =>
  Effect.map(dial(path), (socket) => ({
    socket: Socket.make({ reader: makeReader(socket), writer: Effect.succeed(makeWriter(socket)) }),
    isOver: () => socket.destroyed || socket.readableEnded || !socket.writable,
    closed: closing(socket)
  }))
