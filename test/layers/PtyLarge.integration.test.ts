import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import { createHash } from "node:crypto"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Pty from "../../layers/Pty.ts"
import type { PaneHandle } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { watching } from "../fixtures/loop.ts"

const env = { PATH: process.env.PATH, HOME: "/dev/null/home", LANG: "C.UTF-8", PS1: "$ " }
const layer = Pty.layer({ env })

const spawn = (argv: readonly [string, ...Array<string>]) =>
  TerminalRuntime.use((runtime) => Effect.map(runtime.spawn({ program: { argv } }), ({ handle }) => handle))
const see = (pane: PaneHandle, pattern: string | RegExp) =>
  TerminalRuntime.use((runtime) => runtime.waitOutput(pane, { pattern, timeout: "15 seconds" }))

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "paneway-large-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)
const sum = (text: string) => createHash("sha256").update(text).digest("hex")
const raw = "stty raw -echo"

describe("a text of any size", () => {
  it.live("reaches a program that reads key by key byte for byte: 300 KB and 10 MB", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      for (const size of [300_000, 10_000_000]) {
        const line = "0123456789 abcdefghijklmnopqrstuvwxyz ÄÖÜ 日本 🙂 | "
        const text = line.repeat(Math.ceil(size / Buffer.byteLength(line)))
        const bytes = Buffer.byteLength(text)
        const pane = yield* spawn(["sh", "-c", `${raw}; printf ready; head -c ${bytes} | sha256sum`])
        yield* see(pane, "ready")
        const { bytes: written } = yield* runtime.sendText(pane, text)
        const { text: seen } = yield* see(pane, /[0-9a-f]{64}/)

        assert.strictEqual(seen, sum(text))
        assert.deepStrictEqual(written, { accepted: bytes, total: bytes })
        yield* runtime.closePane(pane)
      }
    }).pipe(Effect.provide(layer)), 30_000)

  it.live("is not lost when it is sent right after the shell was started", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      for (const argv of [["bash", "--norc", "--noprofile"], ["bash", "--norc", "-i"]] as const) {
        const pane = yield* spawn(argv)
        const word = "w".repeat(5000)
        yield* runtime.sendCommand(pane, `printf %s ${word} | wc -c; echo do'ne'`)
        yield* see(pane, "done")

        assert.include((yield* runtime.capture(pane, { range: "full" })).text, "5000")
      }
    }).pipe(Effect.provide(layer)))

  it.live("is told that it may be cut where the terminal edits the line, and is cut there", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const pane = yield* spawn(["sh", "-c", "stty -echo; printf ready; read -r line; echo \"got ${#line}\""])
      yield* see(pane, "ready")
      const long = yield* runtime.sendCommand(pane, "x".repeat(5000))
      const got = yield* see(pane, /got \d+/)
      const next = yield* spawn(["sh", "-c", "stty -echo; printf ready; read -r line; echo \"got ${#line}\""])
      yield* see(next, "ready")
      const short = yield* runtime.sendCommand(next, "x".repeat(4000))

      assert.deepStrictEqual(long.warnings, ["line-may-be-truncated"])
      assert.strictEqual(got.text, "got 4095")
      assert.deepStrictEqual(short.warnings ?? [], [])
      yield* see(next, "got 4000")
    }).pipe(Effect.provide(layer)))
})

describe("a program that does not read", () => {
  it.live("costs no processor time and never holds up the loop; what it took is told, and it gets more once it reads", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const folder = yield* temporary
      const go = join(folder, "go")
      const pane = yield* spawn([
        "sh",
        "-c",
        `${raw}; printf ready; until test -e ${go}; do sleep 0.02; done; printf reading; head -c 1000000 >${folder}/got`
      ])
      yield* see(pane, "ready")
      const [error, loop] = yield* watching(Effect.flip(runtime.sendText(pane, "x".repeat(300_000))))

      assert(error._tag === "SendStalled")
      const { accepted = 0, total } = error.report.bytes ?? {}
      assert.strictEqual(total, 300_000)
      assert.isTrue(accepted > 0 && accepted < 300_000, `${accepted}`)
      assert.isBelow(loop.cpu, 0.1)
      assert.isBelow(loop.gap, 50)
      assert.deepInclude(yield* Effect.flip(runtime.sendText(pane, "y")), { _tag: "SendRejected", code: "draining" })
      writeFileSync(go, "")
      yield* see(pane, "reading")
      const sent = yield* Effect.retry(
        runtime.sendText(pane, "y"),
        Schedule.spaced("10 millis").pipe(Schedule.upTo({ times: 300 }))
      )

      assert.strictEqual(sent.outcome, "admitted")
      assert.deepStrictEqual(sent.bytes, { accepted: 1, total: 1 })
    }).pipe(Effect.scoped, Effect.provide(Pty.layer({ env, stall: "1 second" }))))

  it.live("that wakes in time gets all of it", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const folder = yield* temporary
      const go = join(folder, "go")
      const text = "0123456789".repeat(30_000)
      const pane = yield* spawn([
        "sh",
        "-c",
        `${raw}; printf ready; until test -e ${go}; do sleep 0.02; done; head -c 300000 | sha256sum`
      ])
      yield* see(pane, "ready")
      const sending = yield* Effect.forkChild(runtime.sendText(pane, text), { startImmediately: true })
      yield* Effect.sleep("300 millis")
      writeFileSync(go, "")

      assert.strictEqual((yield* Fiber.join(sending)).outcome, "admitted")
      assert.strictEqual((yield* see(pane, /[0-9a-f]{64}/)).text, sum(text))
    }).pipe(Effect.scoped, Effect.provide(layer)))

  it.live("and ends meanwhile ends the send, with the bytes that it took", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const pane = yield* spawn(["sh", "-c", `${raw}; printf ready; exec sleep 0.5`])
      yield* see(pane, "ready")
      const error = yield* Effect.flip(runtime.sendText(pane, "x".repeat(300_000)))

      assert(error._tag === "SendStalled")
      assert.isBelow(error.report.bytes?.accepted ?? 300_000, 300_000)
    }).pipe(Effect.provide(layer)))
})

describe("a pane whose program has ended", () => {
  it.live("refuses text, keys and a size, each by its type", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const pane = yield* spawn(["true"])
      yield* runtime.waitLifecycle({ condition: "pane-exited", target: pane, timeout: "30 seconds" })
      const refused = { _tag: "SendRejected", code: "pane-dead" } as const

      assert.deepInclude(yield* Effect.flip(runtime.sendText(pane, "x")), refused)
      assert.deepInclude(yield* Effect.flip(runtime.sendKeys(pane, ["C-c"])), refused)
      assert.deepInclude(yield* Effect.flip(runtime.resize(pane, { columns: 10, rows: 10 })), {
        _tag: "TargetNotFound"
      })
      yield* runtime.closePane(pane)
      assert.deepInclude(yield* Effect.flip(runtime.sendText(pane, "x")), { _tag: "TargetNotFound" })
      assert.deepInclude(yield* Effect.flip(runtime.resize(pane, { columns: 10, rows: 10 })), {
        _tag: "TargetNotFound"
      })
    }).pipe(Effect.provide(layer)))

  it.live("never takes text in silence, whenever it ends", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      for (let n = 0; n < 20; n++) {
        const pane = yield* spawn(["sh", "-c", "stty -echo; printf ready; read -r line; exit 3"])
        yield* see(pane, "ready")
        yield* runtime.sendCommand(pane, "end")
        const last = yield* Effect.flip(
          Effect.repeat(Effect.andThen(runtime.sendText(pane, "x"), runtime.resize(pane, { columns: 90, rows: 20 })), {
            schedule: Schedule.spaced("1 millis")
          })
        )

        assert.include(["SendRejected", "SendStalled", "SendFailed", "TargetNotFound"], last._tag)
      }
    }).pipe(Effect.provide(layer)))
})

describe("a paste that holds the end of a paste", () => {
  it.live("is refused, and with sanitize its tail stays text: bash never runs it", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const folder = yield* temporary
      const pane = yield* spawn(["bash", "--norc", "--noprofile"])
      const evil = `: one\n\u001b[201~touch ${folder}/hit\ntouch ${folder}/hit2\n`
      const refused = yield* Effect.flip(runtime.sendText(pane, evil))
      const report = yield* runtime.sendText(pane, evil, { sanitize: true })
      yield* see(pane, "hit2")
      yield* runtime.sendKeys(pane, ["C-c"])
      const { mark } = yield* runtime.sendCommand(pane, "echo aft'er'")
      yield* runtime.waitOutput(pane, { pattern: /^after/, timeout: "30 seconds", after: mark })

      assert.deepInclude(refused, { _tag: "SendRejected" })
      assert.strictEqual(report.outcome, "admitted")
      assert.isFalse(existsSync(`${folder}/hit`))
      assert.isFalse(existsSync(`${folder}/hit2`))
    }).pipe(Effect.scoped, Effect.provide(layer)))
})
