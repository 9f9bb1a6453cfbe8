import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import { connect } from "node:net"
import * as Scripted from "../../layers/Scripted.ts"
import { most } from "../../src/remote/limits.ts"
import { layerSerialization } from "../../src/remote/TerminalRpcs.ts"
import { until } from "../fixtures/processes.ts"
import { serve, socketPath } from "../fixtures/served.ts"

const line = (message: unknown) => `${JSON.stringify(message)}\n`

/** A wait that does not end by itself. */
const wait = (id: number) =>
  line({
    _tag: "Request",
    id: `${id}`,
    tag: "waitLifecycle",
    payload: { query: { condition: "window-exists", target: "nowhere" }, timeout: 600_000 },
    headers: []
  })

const list = (id: number) => line({ _tag: "Request", id: `${id}`, tag: "listPanes", payload: {}, headers: [] })

const client = Effect.fnUntraced(function*(path: string) {
  const socket = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof connect>>((resume) => {
      const socket = connect(path, () => resume(Effect.succeed(socket)))
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )
  let text = ""
  socket.on("data", (data) => {
    text += data.toString()
  })
  const answers = () => text.split("\n").slice(0, -1).map((one) => JSON.parse(one))
  return {
    write: (lines: string) => socket.write(lines),
    /** The end of the call. */
    ended: (id: number) =>
      Effect.as(
        until(() => answers().some(({ requestId }) => requestId === `${id}`)),
        undefined
      ).pipe(Effect.map(() => answers().find(({ requestId }) => requestId === `${id}`).exit))
  }
})

describe("a client with too many calls under way", () => {
  it.live("is refused one more, others are not, and it goes on when some have ended", () =>
    Effect.gen(function*() {
      const path = yield* socketPath
      yield* Layer.build(serve(path, Scripted.layer()))
      const greedy = yield* client(path)
      const other = yield* client(path)
      greedy.write(Array.from({ length: most }, (_, at) => wait(at)).join(""))
      greedy.write(list(most))
      const refused = yield* greedy.ended(most)
      other.write(list(1))
      const others = yield* other.ended(1)
      greedy.write(line({ _tag: "Interrupt", requestId: "0" }))
      yield* greedy.ended(0)
      greedy.write(list(most + 1))
      const again = yield* greedy.ended(most + 1)

      assert.deepInclude(refused.cause[0].error, { _tag: "RuntimeUnavailable", reason: "timed-out" })
      assert.strictEqual(others._tag, "Success")
      assert.strictEqual(again._tag, "Success")
    }).pipe(Effect.scoped))
})

describe("a message in pieces", () => {
  const parser = Effect.map(
    RpcSerialization.RpcSerialization,
    (serialization) => serialization.makeUnsafe()
  ).pipe(Effect.provide(layerSerialization))

  it.effect("is read whole, wherever it was cut", () =>
    Effect.gen(function*() {
      const { decode } = yield* parser
      const bytes = new TextEncoder().encode("{\"a\":\"äöü€\"}\n[1]\n{\"b\":\n2}".replace("\n2", "2"))
      const read = Array.from(bytes, (byte) => decode(Uint8Array.of(byte))).flat()
      assert.deepStrictEqual(read, [{ a: "äöü€" }, [1]])
      assert.deepStrictEqual(decode("\n"), [{ b: 2 }])
    }))

  it.effect("takes time in proportion to its length, and fails above what a message may be", () =>
    Effect.gen(function*() {
      const { decode } = yield* parser
      const piece = "a".repeat(16 * 1024)
      decode("\"")
      for (let at = 0; at < 2048; at++) assert.deepStrictEqual(decode(piece), [])
      assert.strictEqual(decode("\"\n")[0], piece.repeat(2048))
      assert.throws(() => {
        for (let at = 0; at < 4097; at++) decode(piece)
      })
    }))
})
