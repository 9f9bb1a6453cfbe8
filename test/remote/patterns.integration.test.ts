import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Pty from "../../layers/Pty.ts"
import * as Remote from "../../layers/Remote.ts"
import * as Waiting from "../../src/Waiting.ts"
import { serve, socketPath } from "../fixtures/served.ts"

const shown = `printf '%s\\n' ${"a".repeat(60)}c; exec cat`

/** A server of one's own over the embedded pty, and the way to a client of it. */
const served = Effect.gen(function*() {
  const path = yield* socketPath
  yield* Layer.build(serve(path, Pty.layer()))
  return () => Remote.make({ path })
})

const opened = (runtime: Effect.Success<ReturnType<typeof Remote.make>>) =>
  Effect.gen(function*() {
    const { handle } = yield* runtime.spawn({ program: { shell: shown }, cwd: "/" })
    yield* runtime.waitOutput(handle, { pattern: "ac", timeout: "10 seconds" })
    return handle
  })

describe("a regular expression of a client", () => {
  it.live("delays no other client, however many different ones take for ever", () =>
    Effect.gen(function*() {
      const connect = yield* served
      const one = yield* connect()
      const other = yield* connect()
      const pane = yield* opened(one)
      const attacked = { over: 0 }
      const attack = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: 200 }, (_, at) => new RegExp(`(a|a)*b${at}`)),
          (pattern) =>
            Effect.tap(
              Effect.exit(one.waitOutput(pane, { pattern, timeout: "10 minutes" })),
              () => Effect.sync(() => void (attacked.over += 1))
            ),
          { concurrency: "unbounded" }
        ),
        { startImmediately: true }
      )
      for (let round = 0; round < 10; round++) {
        yield* other.probe([pane])
        const found = yield* other.waitOutput(pane, { pattern: /(a+)(c)/, timeout: "1 minute" })
        assert.strictEqual(found.groups[1], "c")
      }

      // one after the other they take minutes
      assert.isBelow(attacked.over, 100)
      yield* Fiber.interrupt(attack)
    }).pipe(Effect.scoped))

  it.live("that takes for ever is refused", () =>
    Effect.gen(function*() {
      const connect = yield* served
      const runtime = yield* connect()
      const pane = yield* opened(runtime)
      for (const timeout of ["10 seconds", "0 seconds"] as const) {
        const error = yield* Effect.flip(runtime.waitOutput(pane, { pattern: /(a|a)*b/, timeout }))
        assert.deepInclude(error, { _tag: "InvalidRequest", operation: "waitOutput", field: "pattern" })
      }
    }).pipe(Effect.scoped))

  it.live("finds what is there, what comes, and nothing else, as it does in the server's process", () =>
    Effect.gen(function*() {
      const connect = yield* served
      const runtime = yield* connect()
      const pane = yield* opened(runtime)
      const there = yield* runtime.waitOutput(pane, { pattern: /(a)+(c)/, timeout: "0 seconds" })
      assert.deepInclude(there, { groups: ["a", "c"] })
      const missing = yield* Effect.flip(runtime.waitOutput(pane, { pattern: /(x+)(y+)/, timeout: "0 seconds" }))
      assert.strictEqual(missing._tag, "WaitTimeout")
      const late = yield* Effect.flip(runtime.waitOutput(pane, { pattern: /(x+)(y+)/, timeout: "100 millis" }))
      assert.strictEqual(late._tag, "WaitTimeout")
      const empty = yield* Effect.flip(runtime.waitOutput(pane, { pattern: /(x*)(y*)/, timeout: "0 seconds" }))
      assert.strictEqual(empty._tag, "InvalidRequest")

      const coming = yield* Effect.forkChild(
        runtime.waitOutput(pane, { pattern: /(x+)(y+)/, timeout: "10 seconds" }),
        { startImmediately: true }
      )
      yield* runtime.sendText(pane, "a line of xxy")
      assert.deepInclude(yield* Fiber.join(coming), { text: "xxy", line: "a line of xxy" })
    }).pipe(Effect.scoped))

  it.live("sees the last line of a program that ends, and that it ended", () =>
    Effect.gen(function*() {
      const connect = yield* served
      const runtime = yield* connect()
      const ends = (round: number) =>
        runtime.spawn({ program: { shell: `printf 'last line %s\\n' ${round}` }, cwd: "/" })
      for (let round = 0; round < 10; round++) {
        const { handle } = yield* ends(round)
        const found = yield* runtime.waitOutput(handle, { pattern: /(last) (line) (\d)/, timeout: "10 seconds" })
        assert.strictEqual(found.groups[2], `${round}`)
      }
      const { handle } = yield* ends(1)
      const ended = yield* Effect.flip(
        runtime.waitOutput(handle, { pattern: /(first) (line) (\d)/, timeout: "10 seconds" })
      )
      assert.strictEqual(ended._tag, "PaneEnded")
    }).pipe(Effect.scoped))

  it.live("sees every line of a flood", () =>
    Effect.gen(function*() {
      const connect = yield* served
      const runtime = yield* connect()
      const { handle } = yield* runtime.spawn({
        program: { shell: "read go; seq 1 30000; echo over; exec cat" },
        cwd: "/"
      })
      const wanted = yield* Effect.forEach([3, 9999, 15_000, 29_990], (at) =>
        Effect.forkChild(
          runtime.waitOutput(handle, { pattern: new RegExp(`^(${at})(\\s*)$`), timeout: "20 seconds" }),
          { startImmediately: true }
        ))
      yield* runtime.typeInto(handle, "go\n")
      const found = yield* Effect.forEach(wanted, Fiber.join)
      assert.deepStrictEqual(found.map(({ groups: [at] }) => at), ["3", "9999", "15000", "29990"])
    }).pipe(Effect.scoped))

  it.live("is matched by the search that the server is given", () =>
    Effect.gen(function*() {
      const path = yield* socketPath
      const asked: Array<string> = []
      yield* Layer.build(serve(path, Pty.layer())).pipe(
        Effect.provideService(Waiting.LineSearch, (pattern, lines) => {
          asked.push(pattern.source)
          return Waiting.searchLines(pattern, lines)
        })
      )
      const runtime = yield* Remote.make({ path })
      const pane = yield* opened(runtime)
      yield* runtime.waitOutput(pane, { pattern: /(a)+(c)/, timeout: "10 seconds" })
      assert.include(asked, "(a)+(c)")
    }).pipe(Effect.scoped))
})
