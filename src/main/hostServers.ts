/** One server of sockets that listens again where its name was taken away. */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as SocketServer from "effect/socket/SocketServer"

type Server = SocketServer.SocketServer["Service"]

/** Connections of earlier servers stay. */
export const severalServers = (first: Server) => {
  const servers = Effect.runSync(Queue.unbounded<Server>())
  const add = (server: Server) => Effect.asVoid(Queue.offer(servers, server))
  const server: Server = SocketServer.SocketServer.of({
    address: first.address,
    run: (handler) =>
      Effect.scoped(Effect.gen(function*() {
        yield* Effect.forkScoped(Effect.forever(Effect.flatMap(
          Queue.take(servers),
          (next) => Effect.forkScoped(next.run(handler), { startImmediately: true })
        )))
        return yield* first.run(handler)
      }))
  })
  return { add, server }
}
