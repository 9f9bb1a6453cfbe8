import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Pty from "../../layers/Pty.ts"
import type { PaneHandle } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import * as Recorder from "../../src/testing/Recorder.ts"
import { running, seconds, until } from "../fixtures/processes.ts"
import { processorOf } from "../fixtures/processor.ts"
import { endsStubborn } from "../fixtures/stubborn.ts"

const layer = Pty.layer({ size: { columns: 80, rows: 24 } })
const sh = (script: string) =>
  TerminalRuntime.use((runtime) => runtime.spawn({ program: { argv: ["sh", "-c", script] } }))
const bytes = (pane: PaneHandle) =>
  TerminalRuntime.use((runtime) =>
    Effect.map(Stream.runCollect(runtime.output(pane)), (chunks) => Buffer.concat(chunks))
  )

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "paneway-test-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

describe("closing", () => {
  it.live("case 154: ends a program that ignores every signal to end", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { isGone } = yield* endsStubborn

      assert.isTrue(isGone())
      assert.deepStrictEqual(yield* runtime.listPanes(), [])
    }).pipe(Effect.provide(layer)))
})

describe("the output of a program that ends", () => {
  const load = Effect.gen(function*() {
    for (let n = 0; n < 2; n++) yield* sh("while :; do :; done")
  })

  it.live("case 155: is whole before the end is told, 100 times 20 KB", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      yield* load
      const one = Effect.gen(function*() {
        const { handle } = yield* sh("exec head -c 20480 /dev/zero")
        const got = yield* bytes(handle)

        assert.strictEqual(got.length, 20_480)
        assert.deepStrictEqual((yield* runtime.describe(handle)).exit, { code: 0 })
        yield* runtime.closePane(handle)
      })
      yield* Effect.replicateEffect(one, 100, { concurrency: 5, discard: true })
    }).pipe(Effect.provide(layer)), 60_000)

  it.live("case 155: is whole before the end is told, 1 MB", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      yield* load
      const whole = Buffer.from(
        `ready${Array.from({ length: 131_072 }, (_, n) => `${n}`.padStart(7, "0")).join("\r\n")}\r\n`
      )
      const one = Effect.gen(function*() {
        const { handle } = yield* sh("stty -echo; printf ready; read -r line; seq -f %07.0f 0 131071")
        yield* runtime.waitOutput(handle, { pattern: "ready", timeout: "10 seconds" })
        const reader = yield* Effect.forkChild(bytes(handle), { startImmediately: true })
        yield* runtime.sendKeys(handle, ["Enter"])
        const got = yield* Fiber.join(reader)
        const sum = (data: Uint8Array) => createHash("sha256").update(data).digest("hex")

        assert.strictEqual(got.length, whole.length)
        assert.strictEqual(sum(got), sum(whole))
        yield* runtime.closePane(handle)
      })
      yield* Effect.replicateEffect(one, 5, { concurrency: 5, discard: true })
    }).pipe(Effect.provide(layer)), 60_000)
})

describe("a hundred panes that came and went", () => {
  it.live("case 157: leave no file, descriptor or process behind", () =>
    Effect.gen(function*() {
      const path = yield* folder
      const before = process.env["TMPDIR"]
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          process.env["TMPDIR"] = path
        }),
        () =>
          Effect.sync(() => {
            if (before === undefined) delete process.env["TMPDIR"]
            else process.env["TMPDIR"] = before
          })
      )
      const n = seconds()
      const one = Effect.gen(function*() {
        const runtime = yield* TerminalRuntime
        const { handle } = yield* runtime.spawn({ program: { argv: ["sleep", n] } })
        yield* runtime.capture(handle)
        yield* runtime.closePane(handle)
      })
      const descriptors = () => readdirSync("/proc/self/fd").length
      yield* Effect.gen(function*() {
        yield* Effect.replicateEffect(one, 10, { concurrency: 10, discard: true })
        const first = descriptors()
        yield* Effect.replicateEffect(one, 100, { concurrency: 10, discard: true })
        // the test runner has some of its own for a moment
        yield* until(() => descriptors() <= first)
      }).pipe(Effect.provide(layer))

      assert.deepStrictEqual(readdirSync(path), [])
      assert.deepStrictEqual(running(n), [])
    }), 60_000)
})

describe("a long history", () => {
  it.live("case 196: slows no look down, and a new size no more than its length says", () =>
    Effect.gen(function*() {
      const times = Effect.fnUntraced(function*(rows: number) {
        const runtime = yield* TerminalRuntime
        const { handle } = yield* sh(`seq ${rows}; read -r line`)
        yield* runtime.waitOutput(handle, { pattern: new RegExp(`^${rows}$`), timeout: "30 seconds" })
        const all: { look: Array<number>; resize: Array<number> } = { look: [], resize: [] }
        for (let n = 0; n < 30; n++) all.look.push(yield* processorOf(runtime.capture(handle)))
        for (let n = 0; n < 6; n++) {
          const size = { columns: n % 2 === 0 ? 30 : 20, rows: 24 }
          all.resize.push(
            yield* processorOf(Effect.andThen(runtime.resize(handle, size), runtime.capture(handle)))
          )
        }
        yield* runtime.closePane(handle)
        return { look: Math.min(...all.look), resize: Math.min(...all.resize) }
      }, Effect.provide(Pty.layer({ size: { columns: 20, rows: 24 }, scrollback: 100_000 })))
      const short = yield* times(3_000)
      const long = yield* times(30_000)

      assert.isBelow(long.look, 3 * short.look + 1)
      assert.isBelow(long.resize, 40 * short.resize + 5)
    }), 60_000)
})

describe("fifty quiet panes", () => {
  const recorder = Recorder.make({})
  it.live("case 194: cost next to nothing while ten wait", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const panes = yield* Effect.replicateEffect(sh("echo ready; read -r line"), 50, { concurrency: 5 })
      for (const { handle } of panes) yield* runtime.waitOutput(handle, { pattern: "ready", timeout: "20 seconds" })
      const quiet = Effect.forEach(
        panes.slice(0, 10),
        ({ handle }) => Effect.flip(runtime.waitOutput(handle, { pattern: "never", timeout: "3 seconds" })),
        { concurrency: "unbounded" }
      )
      recorder.clear()
      const errors = yield* quiet

      assert.deepStrictEqual([...new Set(errors.map(({ _tag }) => _tag))], ["WaitTimeout"])
      // one when a wait begins, and one for what it saw last
      assert.isAtMost(recorder.calls.filter(({ primitive }) => primitive !== "watch").length, 20)
    }).pipe(Effect.provide(layer.pipe(Layer.provide(Recorder.layer(recorder))))), 60_000)
})
