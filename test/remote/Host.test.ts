import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as NetAddress from "effect/net/NetAddress"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Socket from "effect/socket/Socket"
import * as SocketServer from "effect/socket/SocketServer"
import { TestClock } from "effect/testing"
import * as Scripted from "../../layers/Scripted.ts"
import { Host } from "../../src/remote/index.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"

/** A client that says nothing; it goes when its scope closes. */
const silent = Effect.gen(function*() {
  const gone = yield* Queue.make<never, Socket.SocketError>()
  yield* Effect.addFinalizer(() =>
    Queue.fail(gone, new Socket.SocketError({ reason: new Socket.SocketCloseError({ code: 1000 }) }))
  )
  return Socket.make({
    reader: Effect.succeed({ pull: Effect.map(Queue.take(gone), (one) => [one] as const), upgrade: () => Effect.void }),
    writer: Effect.succeed({ write: () => Effect.void, writeAll: () => Effect.void })
  })
})

/** A host of an hour's patience, and a way to connect to it. */
const hosted = Effect.gen(function*() {
  const clients = yield* Queue.make<Socket.Socket>()
  const server = SocketServer.SocketServer.of({
    address: NetAddress.unixPathAddress("/host.sock"),
    run: (handler) =>
      Effect.forever(Effect.flatMap(Queue.take(clients), (one) => Effect.forkScoped(handler(one))))
        .pipe(Effect.scoped)
  })
  const host = yield* Effect.forkScoped(
    Host.run({ version: "test", pid: 1, idle: Duration.hours(1) }).pipe(
      Effect.provideService(SocketServer.SocketServer, server)
    ),
    { startImmediately: true }
  )
  const connect = Effect.gen(function*() {
    const scope = yield* Scope.make()
    yield* Queue.offer(clients, yield* Scope.provide(silent, scope))
    yield* TestClock.adjust(0)
    return { leave: Effect.andThen(Scope.close(scope, Exit.void), TestClock.adjust(0)) }
  })
  return { connect, isOver: () => host.pollUnsafe() !== undefined, host }
})

const hour = TestClock.adjust("1 hour")

describe("a host", () => {
  it.effect("that nobody uses ends after its time, and not before", () =>
    Effect.gen(function*() {
      const { host, isOver } = yield* hosted
      yield* TestClock.adjust("59 minutes")
      assert.isFalse(isOver())
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(host)
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("that has a pane stays, also when its program ended; its time begins when the pane goes", () =>
    Effect.gen(function*() {
      const { host, isOver } = yield* hosted
      const runtime = yield* TerminalRuntime
      const script = yield* Scripted.Script
      const { handle } = yield* runtime.spawn({})
      yield* hour
      yield* script.end(handle)
      yield* hour
      assert.isFalse(isOver())
      yield* runtime.closePane(handle)
      yield* TestClock.adjust("59 minutes")
      assert.isFalse(isOver())
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(host)
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("that has a client stays; its time begins when the last one goes", () =>
    Effect.gen(function*() {
      const { connect, host, isOver } = yield* hosted
      const one = yield* connect
      const other = yield* connect
      yield* hour
      yield* one.leave
      yield* hour
      assert.isFalse(isOver())
      yield* other.leave
      yield* TestClock.adjust("59 minutes")
      assert.isFalse(isOver())
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(host)
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("that cannot ask for its panes does not take them for none", () =>
    Effect.gen(function*() {
      const { isOver } = yield* hosted
      const script = yield* Scripted.Script
      yield* script.fault({ _tag: "Down" })
      yield* hour
      yield* hour
      assert.isFalse(isOver())
    }).pipe(Effect.provide(Scripted.layer())))
})
