import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Pty from "../../layers/Pty.ts"
import * as AgentDetector from "../../src/agent/AgentDetector.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"

const platform = Layer.merge(NodeFileSystem.layer, NodePath.layer)
const detecting = AgentDetector.layerHost({}).pipe(Layer.provide(platform))
const runtime = Layer.provideMerge(Pty.layer(), detecting)

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "paneway-test-programs-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const waits = "process.stdout.write('ready\\n'); process.stdin.resume()"

describe("programs of panes", () => {
  it.live.skipIf(process.platform !== "linux")(
    "case 137: an agent that node runs is known by the script",
    () =>
      Effect.gen(function*() {
        const { spawn, waitAgent, waitOutput } = yield* TerminalRuntime
        const script = join(yield* directory, "codex.js")
        writeFileSync(script, waits)
        const { handle } = yield* spawn({ program: { argv: [process.execPath, script] } })
        yield* waitOutput(handle, { pattern: "ready", timeout: "10 seconds" })
        const seen = yield* waitAgent(handle, { states: ["starting"], timeout: "10 seconds" })
        const other = yield* spawn({ program: { argv: [process.execPath, "-e", waits, script] } })
        yield* waitOutput(other.handle, { pattern: "ready", timeout: "10 seconds" })
        const none = yield* waitAgent(other.handle, { states: ["unknown", "starting", "idle"], timeout: "10 seconds" })

        assert.deepInclude(seen, { state: "starting", agent: "codex", source: "process" })
        assert.deepInclude(none, { state: "unknown", source: "none" })
      }).pipe(Effect.provide(runtime), Effect.scoped)
  )

  it.live.skipIf(process.platform !== "linux")(
    "case 136: an agent that was killed in a shell that lives has exited",
    () =>
      Effect.gen(function*() {
        const { send, sendCommand, spawn, waitAgent, waitOutput } = yield* TerminalRuntime
        const script = join(yield* directory, "codex.js")
        writeFileSync(script, waits)
        const { handle } = yield* spawn({ program: { argv: ["bash", "--norc", "-i"] } })
        const { mark } = yield* sendCommand(handle, `'${process.execPath}' '${script}'`)
        yield* waitOutput(handle, { pattern: "ready", timeout: "25 seconds", after: mark })
        yield* waitAgent(handle, { states: ["starting"], timeout: "25 seconds" })
        const gone = yield* Effect.forkChild(waitAgent(handle, { states: ["exited"], timeout: "25 seconds" }), {
          startImmediately: true
        })
        yield* send(handle, { items: [{ key: "C-c" }] })

        assert.deepInclude(yield* Fiber.join(gone), { state: "exited", agent: "codex", source: "process" })
      }).pipe(Effect.provide(runtime), Effect.scoped)
  )
})
