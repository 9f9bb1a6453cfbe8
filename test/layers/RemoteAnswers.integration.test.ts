import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { connect, createServer, type Socket } from "node:net"
import * as Remote from "../../layers/Remote.ts"
import * as Scripted from "../../layers/Scripted.ts"
import { serve, socketPath } from "../fixtures/served.ts"

/** Calls `use` with each whole line that comes. */
const eachLine = (socket: Socket, use: (line: string) => void) => {
  let rest = ""
  socket.on("data", (data) => {
    const lines = `${rest}${data.toString()}`.split("\n")
    rest = lines.pop() ?? ""
    lines.forEach(use)
  })
}

/** A server that answers one procedure in that way, and the others as it should; its client, and what that asked. */
const answering = Effect.fnUntraced(function*(procedure: string, exit: unknown) {
  const path = yield* socketPath
  yield* Layer.build(serve(path, Scripted.layer()))
  const asked: Array<string> = []
  const server = createServer((client) => {
    const behind = connect(path)
    const procedures = new Map<string, string>()
    for (const one of [client, behind]) {
      one.on("error", () => {})
      one.on("close", () => {
        client.destroy()
        behind.destroy()
      })
    }
    eachLine(client, (line) => {
      const { id, tag } = JSON.parse(line)
      procedures.set(`${id}`, tag)
      if (tag !== undefined) asked.push(tag)
      behind.write(`${line}\n`)
    })
    eachLine(behind, (line) => {
      const message = JSON.parse(line)
      const isMeant = message._tag === "Exit" && procedures.get(`${message.requestId}`) === procedure
      client.write(`${JSON.stringify(isMeant ? { ...message, exit } : message)}\n`)
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(`${path}.other`, () => resume(Effect.void))),
    () => Effect.sync(() => server.close())
  )
  return { asked, runtime: yield* Remote.make({ path: `${path}.other` }) }
})

const unreadable = [
  { what: "a value of another shape", exit: { _tag: "Success", value: { nope: 1 } } },
  {
    what: "a failure that nobody knows",
    exit: { _tag: "Failure", cause: [{ _tag: "Fail", error: { _tag: "Unheard" } }] }
  },
  { what: "that the server broke", exit: { _tag: "Failure", cause: [{ _tag: "Die", defect: "broken" }] } }
]

describe("a server that answers", () => {
  it.live.each(unreadable)(
    "a send with $what leaves it in doubt, and is not asked again",
    ({ exit }) =>
      Effect.gen(function*() {
        const { asked, runtime } = yield* answering("send", exit)
        const { handle } = yield* runtime.spawn({})
        const error = yield* Effect.flip(runtime.sendText(handle, "once"))

        assert.deepInclude(error, { _tag: "SendStalled", retryable: false })
        assert.deepStrictEqual(asked.filter((procedure) => procedure === "send"), ["send"])
      }).pipe(Effect.scoped)
  )

  it.live.each(unreadable)(
    "a spawn with $what leaves open whether there is a pane",
    ({ exit }) =>
      Effect.gen(function*() {
        const { runtime } = yield* answering("spawn", exit)
        const error = yield* Effect.flip(runtime.spawn({}))

        assert.deepInclude(error, { _tag: "SpawnFailed", created: "indeterminate" })
      }).pipe(Effect.scoped)
  )

  it.live.each(unreadable)(
    "a question with $what is unavailable, and asked once",
    ({ exit }) =>
      Effect.gen(function*() {
        const { asked, runtime } = yield* answering("capture", exit)
        const { handle } = yield* runtime.spawn({})
        const error = yield* Effect.flip(runtime.capture(handle))

        assert.deepInclude(error, { _tag: "RuntimeUnavailable", reason: "lost" })
        assert.include(error.message, "no answer that can be read")
        assert.deepStrictEqual(asked.filter((procedure) => procedure === "capture"), ["capture"])
      }).pipe(Effect.scoped)
  )
})
