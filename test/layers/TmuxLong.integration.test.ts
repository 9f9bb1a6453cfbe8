import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { createHash } from "node:crypto"
import { readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Tmux from "../../layers/Tmux.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { runningServer } from "../fixtures/tmuxServers.ts"

const files = () => readdirSync(tmpdir()).filter((name) => name.startsWith("paneway-send-"))

const rows = Array.from({ length: 5000 }, (_, at) => `row ${at}: "it's" $HOME #{pane_id} ü;`)
const text = rows.join("\n")
const digest = createHash("sha256").update(text).digest("hex")

for (const way of ["control", "forked"] as const) {
  describe(`a text of ${Buffer.byteLength(text)} bytes for tmux (${way})`, () => {
    it.live("arrives byte for byte, and leaves neither a buffer nor a file", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        const before = files()
        const got = yield* Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          const script = `stty raw -echo; echo ready; head -c ${Buffer.byteLength(text)} | sha256sum; exec sleep 1000`
          const { handle } = yield* runtime.spawn({ program: { argv: ["sh", "-c", script] } })
          yield* runtime.waitOutput(handle, { pattern: "ready", timeout: "30 seconds" })
          yield* runtime.send(handle, { items: [{ message: text }] }, { allowNewlines: true })
          return yield* runtime.waitOutput(handle, { pattern: /[0-9a-f]{64}/, timeout: "30 seconds" })
        }).pipe(Effect.provide(Tmux.layer({ server: { path: server.path }, env: server.env, way })))
        assert.strictEqual(got.text, digest)
        assert.strictEqual(server.tmux("list-buffers"), "")
        assert.deepStrictEqual(files(), before)
      }))

    it.live("is refused by a pane whose program ended, and leaves neither a buffer nor a file", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        const before = files()
        const exit = yield* Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          const { handle } = yield* runtime.spawn({ program: { argv: ["sh", "-c", "exit 0"] } })
          yield* runtime.waitLifecycle({ condition: "pane-exited", target: handle, timeout: "30 seconds" })
          return yield* Effect.exit(runtime.send(handle, { items: [{ message: text }] }, { allowNewlines: true }))
        }).pipe(Effect.provide(Tmux.layer({ server: { path: server.path }, env: server.env, way })))
        assert.isTrue(Exit.isFailure(exit))
        assert.strictEqual(server.tmux("list-buffers"), "")
        assert.deepStrictEqual(files(), before)
      }))
  })
}
