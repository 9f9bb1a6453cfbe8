import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Pty from "../../layers/Pty.ts"
import type { SendRequest } from "../../src/Send.ts"
import type { PaneHandle } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { table } from "../fixtures/keyBytes.ts"
import { received, sink, text } from "../fixtures/sink.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "paneway-test-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)
const layer = Pty.layer({ size: { columns: 100, rows: 30 }, scrollback: 5000 })

/** The same ones in every run. */
const randomTexts = (count: number): ReadonlyArray<string> => {
  const alphabet = [";", "\\;", ";;", "\\", "-", " ", "'", "\"", "#{", "$", "%", "a", "Z", "é", "字", "🐈"]
  let state = 1
  const next = (below: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
  return Array.from(
    { length: count },
    () => Array.from({ length: 1 + next(12) }, () => alphabet[next(alphabet.length)] ?? "").join("")
  )
}

describe("a program in the embedded pty gets what it is sent", () => {
  it.live("case 1: a text that ends in a semicolon", () =>
    Effect.gen(function*() {
      for (const message of ["run tests;", "a\\;", "a;;"]) assert.strictEqual(yield* text(message), message)
    }).pipe(Effect.provide(layer)))

  it.live("case 1: any text that can be printed, semicolons and backslashes most of all", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const texts = randomTexts(200)
      const whole = `${texts.join("\r")}\r`
      const { handle, read } = yield* sink(Buffer.byteLength(whole))
      for (const message of texts) yield* runtime.send(handle, { items: [{ message }, { key: "Enter" }] })

      assert.deepStrictEqual((yield* read).split("\r"), [...texts, ""])
    }).pipe(Effect.provide(layer)))

  it.live("case 2: a semicolon alone, and one before a key", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* text(";"), ";")
      assert.strictEqual(yield* received({ items: [{ message: "go;" }, { key: "C-m" }] }, "go;\r"), "go;\r")
      assert.strictEqual(yield* received({ command: "go;" }, "go;\r"), "go;\r")
    }).pipe(Effect.provide(layer)))

  it.live("case 4: texts with a dash wherever a write may be cut", () =>
    Effect.gen(function*() {
      for (const message of ["-ready", "--", `${"x".repeat(400)}-ready`, "- -- ".repeat(4000)]) {
        assert.isTrue((yield* text(message)) === message, message.slice(-20))
      }
      for (const filler of [4090, 4091, 4092, 4093, 4094, 4095, 4096]) {
        const message = `${"x".repeat(filler)}-ready`
        assert.isTrue((yield* text(message)) === message, `${filler}`)
      }
    }).pipe(Effect.provide(layer)))

  it.live("case 7: runs of blanks and tabs, also at the ends", () =>
    Effect.gen(function*() {
      for (const message of ["ls  -l", "\tls\t\t-l\t ", "  ", " #{x} $(id) `id` %% ~ ! 'q' \"q\"  "]) {
        assert.strictEqual(yield* text(message), message)
      }
    }).pipe(Effect.provide(layer)))

  it.live("case 5: the words of keys as words, and keys as keys", () =>
    Effect.gen(function*() {
      const names = [...new Set(table.map(({ key }) => key.base)), "Space", "Enter", "C-c", "M-x"]
      const items = names.flatMap((message) => [{ message }, { message: "|" }])
      const words = names.map((name) => `${name}|`).join("")
      assert.strictEqual(yield* received({ items }, words), words)

      const keys: SendRequest = { items: ["Up", "Enter", "C-c", "M-x", "Tab"].map((key) => ({ key })) }
      assert.strictEqual(yield* received(keys, "\u001b[A\r\u0003\u001bx\t"), "\u001b[A\r\u0003\u001bx\t")
    }).pipe(Effect.provide(layer)))

  it.live("case 10: whole, however many bytes its letters take", () =>
    Effect.gen(function*() {
      for (
        const message of ["я".repeat(6000), "🐈".repeat(3000), "a".repeat(4095), "ab".repeat(2048), "x".repeat(16_385)]
      ) {
        const got = yield* text(message)
        assert.isTrue(got === message, `${got.length} of ${message.length}`)
      }
    }).pipe(Effect.provide(layer)))

  it.live("case 14: lines as one paste where it asked for that, and refused where it did not", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const lines = "l1\nl2\nl3"
      const pasted = `\u001b[200~${lines}\u001b[201~`
      assert.strictEqual(yield* received({ items: [{ message: lines }] }, pasted, "printf '\\033[?2004h';"), pasted)

      const { handle } = yield* sink(1)
      const error = yield* Effect.flip(runtime.sendText(handle, lines))
      assert.deepInclude(error, { _tag: "SendRejected", code: "newline-would-submit" })
    }).pipe(Effect.provide(layer)))

  it.live("case 31: whole prompts of two senders, one after the other", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const rounds = 50
      const prompt = (who: string, n: number) => [`${who}${n}(`, "-".repeat(20), ")"]
      const size = ["a", "b"].flatMap((who) =>
        Array.from({ length: rounds }, (_, n) => prompt(who, n).join("").length + 1)
      ).reduce((sum, length) => sum + length, 0)
      const { handle, read } = yield* sink(size)
      const sender = (who: string) =>
        Effect.forEach(
          Array.from({ length: rounds }, (_, n) => n),
          (n) => runtime.send(handle, { items: [...prompt(who, n).map((message) => ({ message })), { key: "Enter" }] }),
          { discard: true }
        )
      yield* Effect.all([sender("a"), sender("b")], { concurrency: 2 })
      const got = (yield* read).split("\r").filter((line) => line !== "")

      assert.strictEqual(got.length, 2 * rounds)
      for (const line of got) assert.match(line, /^[ab]\d+\(-{20}\)$/)
      for (const who of ["a", "b"]) {
        assert.deepStrictEqual(
          got.filter((line) => line.startsWith(who)),
          Array.from({ length: rounds }, (_, n) => prompt(who, n).join(""))
        )
      }
    }).pipe(Effect.provide(layer)))
})

describe("the embedded pty", () => {
  const stuck = (pane: PaneHandle) =>
    TerminalRuntime.use((runtime) => Effect.flip(runtime.sendText(pane, "x".repeat(300_000))))

  it.live("reports how many bytes a program that does not read took, and refuses more until it reads", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const path = yield* folder
      const script = `stty raw -echo; printf ready; until test -e ${path}/go; do sleep 0.02; done; cat >/dev/null`
      const { handle } = yield* runtime.spawn({ program: { argv: ["sh", "-c", script] } })
      yield* runtime.waitOutput(handle, { pattern: "ready", timeout: "30 seconds" })
      const error = yield* stuck(handle)
      const refused = yield* Effect.flip(runtime.sendText(handle, "y"))

      assert(error._tag === "SendStalled")
      assert.strictEqual(error.report.bytes?.total, 300_000)
      assert.isAbove(error.report.bytes?.accepted ?? 0, 0)
      assert.isBelow(error.report.bytes?.accepted ?? 300_000, 300_000)
      assert.isDefined(error.report.mark.at)
      assert.deepInclude(refused, { _tag: "SendRejected", code: "draining" })

      writeFileSync(join(path, "go"), "")
      const sent = yield* Effect.retry(runtime.sendText(handle, "y"), Schedule.spaced("10 millis"))
      assert.strictEqual(sent.outcome, "admitted")
    }).pipe(Effect.timeout("15 seconds"), Effect.provide(Pty.layer({ stall: "300 millis" }))))
})
