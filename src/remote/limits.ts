/**
 * A client has so many calls under way at most, so that none takes the room and the time of the others. What it asks for
 * beyond that is refused, and nothing was done.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { ResponseExitEncoded } from "effect/rpc/RpcMessage"
import * as RpcServer from "effect/rpc/RpcServer"

/**
 * Calls of one client.
 *
 * @internal
 */
export const most = 4096

/** Their failures hold no refusal, and they end at once. */
const brief: ReadonlySet<string> = new Set(["hello", "probe"])

const refusal = (runtime: string, requestId: string | number): ResponseExitEncoded => ({
  _tag: "Exit",
  requestId,
  exit: {
    _tag: "Failure",
    cause: [{
      _tag: "Fail",
      error: {
        _tag: "RuntimeUnavailable",
        runtime,
        reason: "timed-out",
        detail: `one client has ${most} calls under way there, and no more are taken: wait until some have ended`
      }
    }]
  }
})

/**
 * The same protocol, of clients that do not ask for everything at once.
 *
 * @internal
 */
export const limited = (runtime: string, protocol: RpcServer.Protocol["Service"]): RpcServer.Protocol["Service"] => {
  /** Calls under way, by client. */
  const clients = new Map<number, Set<string | number>>()
  /** Those that went are forgotten when another one comes. */
  const added = Effect.fnUntraced(function*(client: number) {
    const present = yield* protocol.clientIds
    for (const known of clients.keys()) if (!present.has(known)) clients.delete(known)
    const calls = new Set<string | number>()
    clients.set(client, calls)
    return calls
  })
  return RpcServer.Protocol.of({
    ...protocol,
    run: (receive) =>
      protocol.run((client, message) => {
        if (message._tag !== "Request" || brief.has(message.tag)) return receive(client, message)
        const take = (calls: Set<string | number>) => {
          if (calls.size >= most) return protocol.send(client, refusal(runtime, message.id))
          calls.add(message.id)
          return receive(client, message)
        }
        const known = clients.get(client)
        return known === undefined ? Effect.flatMap(added(client), take) : take(known)
      }),
    send: (client, response, transferables) =>
      Effect.suspend(() => {
        if (response._tag === "Exit") clients.get(client)?.delete(response.requestId)
        return protocol.send(client, response, transferables)
      })
  })
}
