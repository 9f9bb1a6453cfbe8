import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Tmux from "../../layers/Tmux.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { runningServer, type TestServer } from "../fixtures/tmuxServers.ts"

const patience = "30 seconds"

const runtimeOn = Effect.fnUntraced(function*({ env, path }: TestServer, more: Tmux.Options = {}) {
  const built = yield* Layer.build(Layer.fresh(Tmux.layer({ server: { path }, env, session: "work", ...more })))
  return Context.get(built, TerminalRuntime)
})

const shellOf = Effect.fnUntraced(function*(runtime: TerminalRuntime["Service"]) {
  const { handle } = yield* runtime.spawn({ program: { argv: ["/bin/sh", "-i"] }, env: { PS1: "$ ", ENV: "" } })
  yield* runtime.waitOutput(handle, { pattern: /^\$/, timeout: patience })
  return handle
})

describe("a command in a shell of tmux", () => {
  it.live("gives its output byte for byte, and more of it than the server keeps rows", () =>
    Effect.gen(function*() {
      const runtime = yield* runtimeOn(yield* runningServer)
      const handle = yield* shellOf(runtime)
      const blanks = yield* runtime.run(handle, { command: "printf 'a  \\tb  \\n\\nc'; (exit 3)", timeout: patience })
      assert.deepInclude(blanks, { exitCode: 3, output: "a  \tb  \n\nc", truncated: false })
      const long = yield* runtime.run(handle, { command: "seq 1 20000", timeout: patience })
      const wanted = Array.from({ length: 20_000 }, (_, n) => `${n + 1}\n`).join("")
      assert.isTrue(long.output === wanted, `${long.output.length} of ${wanted.length}`)
      assert.isFalse(long.truncated)
    }).pipe(Effect.scoped))

  it.live("is seen to end although nobody heard its session when it began", () =>
    Effect.gen(function*() {
      const server = yield* runningServer
      const handle = yield* Effect.flatMap(runtimeOn(server), shellOf)
      for (let round = 0; round < 4; round++) {
        yield* Effect.scoped(Effect.gen(function*() {
          const other = yield* runtimeOn(server, { session: "keeper" })
          yield* other.listSessions
          const { exitCode, output } = yield* Effect.timeout(
            other.run(handle, { command: "printf 'a b\\n'; (exit 3)", timeout: "5 minutes" }),
            patience
          )
          assert.deepStrictEqual([exitCode, output], [3, "a b\n"])
        }))
      }
    }).pipe(Effect.scoped))

  it.live("that ends its shell has its last row and its code", () =>
    Effect.gen(function*() {
      const runtime = yield* runtimeOn(yield* runningServer)
      const handle = yield* shellOf(runtime)
      const running = yield* Effect.forkScoped(
        runtime.run(handle, { command: "echo last; read -r go; exit 7", timeout: "5 minutes" })
      )
      // its bytes are read by then
      yield* runtime.waitOutput(handle, { pattern: /^last$/, timeout: patience })
      yield* runtime.sendCommand(handle, "go")
      const { exitCode, output } = yield* Effect.timeout(Fiber.join(running), patience)
      assert.strictEqual(exitCode, 7)
      assert.match(output, /^last\ngo\n?$/)
    }).pipe(Effect.scoped))
})

describe("the whole output of a pane of tmux", () => {
  for (const way of ["control", "forked"] as const) {
    it.live(`is refused, since the server drops the last of it (${way})`, () =>
      Effect.gen(function*() {
        const runtime = yield* runtimeOn(yield* runningServer, { way })
        const { handle } = yield* runtime.spawn({ program: { argv: ["cat"] } })
        assert.strictEqual(runtime.capabilities.rawOutput, "none")
        const error = yield* Effect.flip(Stream.runDrain(runtime.output(handle)))
        assert.deepInclude(error, { _tag: "Unsupported", capability: "rawOutput" })
      }).pipe(Effect.scoped))
  }
})
