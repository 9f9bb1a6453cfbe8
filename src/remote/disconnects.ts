/**
 * Clients that go away are nothing unusual: what they leave is told as the end of their connection, and not as an error
 * of the server.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Socket from "effect/socket/Socket"
import * as SocketServer from "effect/socket/SocketServer"

const ended = () => new Socket.SocketError({ reason: new Socket.SocketCloseError({ code: 1000 }) })

const quiet = (socket: Socket.Socket): Socket.Socket =>
  Socket.make({
    reader: Effect.map(socket.reader, ({ pull, upgrade }) => ({ pull: Effect.mapError(pull, ended), upgrade })),
    // the reader tells that nobody is there any more
    writer: Effect.map(socket.writer, ({ write, writeAll }) => ({
      write: (chunk) => Effect.ignore(write(chunk)),
      writeAll: (chunks) => Effect.ignore(writeAll(chunks))
    }))
  })

/**
 * The same server, whose connections end without an error.
 *
 * @internal
 */
export const withoutErrors = (server: SocketServer.SocketServer["Service"]): SocketServer.SocketServer["Service"] =>
  SocketServer.SocketServer.of({
    address: server.address,
    run: (handler) => server.run((socket) => handler(quiet(socket)))
  })
