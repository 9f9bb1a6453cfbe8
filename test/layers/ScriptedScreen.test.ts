import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Scripted from "../../layers/Scripted.ts"
import * as PaneLocks from "../../src/PaneLocks.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"

const open = Effect.gen(function*() {
  const runtime = yield* TerminalRuntime
  const script = yield* Scripted.Script
  const { handle: pane } = yield* runtime.spawn({})
  return { runtime, script, pane }
})

const small = { size: { columns: 20, rows: 4 }, scrollback: 5 }
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `row ${at}\n`).join("")

for (const options of [{ wraps: "flagged" }, { wraps: "joined" }, { marks: "anchored" }] as const) {
  it.effect(`a text that wraps is matched as one line, also as an echo, with ${JSON.stringify(options)}`, () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      yield* script.respond((line) => line.startsWith("long") ? `the answer is ${"x".repeat(30)} done` : undefined)

      const sent = yield* runtime.sendCommand(pane, `long ${"a".repeat(25)} done`)
      const match = yield* runtime.waitOutput(pane, { pattern: /x+ done$/, after: sent.mark, timeout: "0 seconds" })

      assert.strictEqual(match.line, `the answer is ${"x".repeat(30)} done`)
      assert.isFalse(match.markLost)
    }).pipe(Effect.provide(Scripted.layer({ ...small, ...options }))))
}

describe("Scripted", () => {
  it.effect("keeps rows above the screen, and says when some are lost", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      yield* script.print(pane, `\n${numbered(6)}`)
      const whole = yield* runtime.capture(pane, { range: "full" })
      yield* script.print(pane, numbered(6))
      const cut = yield* runtime.capture(pane, { range: "full" })
      const visible = yield* runtime.capture(pane, { range: "visible" })

      assert.deepStrictEqual(whole.rows, ["$", ...Array.from({ length: 6 }, (_, at) => `row ${at}`)])
      assert.isFalse(whole.truncated)
      assert.lengthOf(cut.rows, 8)
      assert.isTrue(cut.truncated)
      assert.deepStrictEqual(visible.rows, ["row 3", "row 4", "row 5", ""])
    }).pipe(Effect.provide(Scripted.layer(small))))

  it.effect("shows the alternate screen and then what was there before", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      yield* script.feed(pane, "\u001b[?1049h\u001b[Hmenu")
      const inside = yield* runtime.capture(pane, { range: "visible" })
      yield* script.feed(pane, "\u001b[?1049l")
      const outside = yield* runtime.capture(pane, { range: "visible" })

      assert.strictEqual(inside.alternate, true)
      assert.deepStrictEqual(inside.rows, ["menu", "", "", ""])
      assert.strictEqual(outside.alternate, false)
      assert.deepStrictEqual(outside.rows, ["$", "", "", ""])
    }).pipe(Effect.provide(Scripted.layer(small))))

  for (const delivery of ["guarded", "stepwise"] as const) {
    it.effect(`marks are counted or anchored as was asked, ${delivery}`, () =>
      Effect.gen(function*() {
        for (const marks of ["exact", "anchored"] as const) {
          const { runtime } = yield* Scripted.make({ delivery, marks })
          const { handle } = yield* runtime.spawn({})
          const sent = yield* runtime.sendCommand(handle, "echo x")
          const seen = yield* runtime.capture(handle)

          assert.deepStrictEqual(
            [sent.mark.at === undefined, seen.mark.at === undefined],
            Array.from({ length: 2 }, () => marks === "anchored")
          )
          const match = yield* runtime.waitOutput(handle, { pattern: /^x$/, after: sent.mark, timeout: "0 seconds" })
          assert.isFalse(match.markLost)
        }
      }).pipe(Effect.scoped, Effect.provide(PaneLocks.layerMemory)))
  }

  it.effect("a mark that was cleared away is said to be lost", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      const sent = yield* runtime.sendCommand(pane, "echo before")
      yield* script.feed(pane, "\u001b[H\u001b[2J\u001b[3Jafter")
      const match = yield* runtime.waitOutput(pane, { pattern: "after", after: sent.mark, timeout: "1 second" })

      assert.isTrue(match.markLost)
    }).pipe(Effect.provide(Scripted.layer(small))))

  it.effect("pastes several lines at once where the program asked for it, and refuses them where it has not", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      yield* script.clearLog
      yield* script.feed(pane, "\u001b[?2004l")
      const refused = yield* Effect.flip(runtime.sendText(pane, "echo a\necho b"))
      assert.deepInclude(refused, { _tag: "SendRejected", code: "newline-would-submit" })
      assert.deepStrictEqual(yield* script.log, [])

      yield* script.feed(pane, "\u001b[?2004h")
      yield* runtime.sendText(pane, "echo a\necho b")
      assert.deepStrictEqual(yield* script.log, [
        new Scripted.Typed({ target: pane, text: "echo a\necho b", paste: true })
      ])
      assert.strictEqual(yield* script.typing(pane), "echo a\necho b")

      yield* runtime.sendKeys(pane, ["Enter"])
      assert.deepStrictEqual((yield* runtime.capture(pane, { range: "visible" })).rows, ["echo b", "a", "b", "$"])
    }).pipe(Effect.provide(Scripted.layer(small))))

  it.effect("an adapter that cannot mark a paste refuses several lines", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      yield* script.clearLog
      const refused = yield* Effect.flip(runtime.sendText(pane, "a\nb"))
      assert.deepInclude(refused, { _tag: "SendRejected", code: "newline-would-submit" })
      yield* runtime.sendText(pane, "true\ntrue", { allowNewlines: true })

      assert.strictEqual(runtime.capabilities.bracketedPaste, "none")
      assert.strictEqual(yield* script.typing(pane), "true")
    }).pipe(Effect.provide(Scripted.layer({ pastes: false }))))

  it.effect("edits the typed line as a terminal does", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      yield* runtime.sendText(pane, "echo 漢字x")
      yield* runtime.sendKeys(pane, ["Backspace", "Backspace", "Up", "Left"])
      assert.strictEqual(yield* script.typing(pane), "echo 漢")
      assert.deepStrictEqual((yield* runtime.capture(pane)).rows, ["$ echo 漢"])

      yield* runtime.sendKeys(pane, ["C-u", "C-c"])
      yield* runtime.sendText(pane, "true")
      assert.deepStrictEqual((yield* runtime.capture(pane)).rows, ["$ ^C", "$ true"])
      yield* runtime.sendKeys(pane, ["Enter", "C-d"])
      assert.deepStrictEqual((yield* runtime.describe(pane)).exit, { code: 0 })
    }).pipe(Effect.provide(Scripted.layer({ size: { columns: 40, rows: 10 } }))))

  it.effect("a program in raw mode gets keys as they are, and nothing is shown of them", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { handle } = yield* runtime.spawn({ program: { argv: ["keys"] } })
      yield* runtime.sendKeys(handle, ["Up", "C-c", "x"])

      assert.deepStrictEqual((yield* runtime.capture(handle)).rows, ["\"\\u001bOA\"", "\"\\u0003\"", "\"x\""])
    }).pipe(Effect.provide(Scripted.layer({
      programs: {
        keys: {
          name: "keys",
          run: Effect.fnUntraced(function*(terminal) {
            yield* terminal.raw(true)
            yield* terminal.feed("\u001b[?1h")
            for (;;) yield* terminal.print(`${JSON.stringify(yield* terminal.input)}\n`)
          })
        }
      }
    }))))
})
