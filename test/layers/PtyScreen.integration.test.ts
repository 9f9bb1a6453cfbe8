import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Pty from "../../layers/Pty.ts"
import type { PaneHandle } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"

const size = { columns: 40, rows: 12 }
const env = { PATH: process.env.PATH, HOME: "/dev/null/home", LANG: "C.UTF-8" }
const layer = Pty.layer({ size, scrollback: 200, env })

const python = "/usr/bin/python3"
const second = "/usr/lib/python3/dist-packages/pyte/__init__.py"

/** The cells of another emulator's screen: one list of strings a row, the second half of a wide character empty. */
const cells = (output: Uint8Array): ReadonlyArray<ReadonlyArray<string>> => {
  const script = [
    "import json, sys, pyte",
    `screen = pyte.Screen(${size.columns}, ${size.rows})`,
    "stream = pyte.ByteStream(screen)",
    "stream.feed(sys.stdin.buffer.read())",
    `print(json.dumps([[screen.buffer[y][x].data for x in range(${size.columns})] for y in range(${size.rows})]))`
  ].join("\n")
  const { status, stderr, stdout } = spawnSync(python, ["-c", script], { input: output, encoding: "utf8" })
  assert.strictEqual(status, 0, stderr)
  return JSON.parse(stdout)
}

/** It composes characters, which changes no column. */
const rowsOf = (grid: ReadonlyArray<ReadonlyArray<string>>) =>
  grid.map((row) => row.join("").trimEnd().normalize("NFC"))

const open = (script: string) =>
  TerminalRuntime.use((runtime) =>
    Effect.map(runtime.spawn({ program: { argv: ["sh", "-c", script] } }), ({ handle }) => handle)
  )
const output = (pane: PaneHandle) =>
  TerminalRuntime.use((runtime) => Effect.map(Stream.runCollect(runtime.output(pane)), (parts) => Buffer.concat(parts)))

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "paneway-screen-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

/** Each is printed at a column of its own, with a mark right after it that shows where the cursor went. */
const texts = [
  ["wide characters", "日本語|中文|한국어|ｗｉｄｅ|"],
  ["combining characters", "e\u0301|a\u0308o\u0302|n\u0303|"],
  ["emoji", "🙂|🐈🐕|🚀|"],
  ["a line that wraps", "abcdefghij".repeat(9) + "|"],
  ["cursor movement", "one\u001b[3;10Htwo\u001b[2Cthree\u001b[1Afour\u001b[5Dfive\u001b[Hsix"],
  ["erasing", "aaaaaaaa\u001b[4D\u001b[K\r\nbbbbbbbb\u001b[4D\u001b[1K\r\ncccc\u001b[2X"],
  ["inserting and deleting", "abcdef\u001b[4D\u001b[2@XY\u001b[3P\r\nl1\r\nl2\r\nl3\u001b[2A\u001b[L\u001b[1B\u001b[M"],
  [
    "a scrolling region",
    "\u001b[3;6r\u001b[3;1H" + Array.from({ length: 9 }, (_, n) => `row ${n}`).join("\r\n") + "\u001b[r"
  ],
  ["tabs", "a\tb\tc\r\n\t日\t|"],
  ["box drawing", "┌──┐\r\n│日│\r\n└──┘"]
] as const

/** What a program prints, and the rows that xterm shows. */
const exact = [
  ["x".repeat(39) + "日|" + "y".repeat(37) + "本|", "x".repeat(39), `日|${"y".repeat(37)}`, "本|"],
  ["abcdefgh\r日\u001b[5G本\r\u001b[2GZ", " Zcd本gh"],
  ["\u001b(0lqqk\u001b(B|lqk", "┌──┐|lqk"]
] as const

describe("the screen of an embedded pane", () => {
  for (const [name, text] of texts) {
    it.live.skipIf(!existsSync(second))(
      `shows ${name} cell by cell as another emulator does`,
      () =>
        Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          const folder = yield* temporary
          writeFileSync(join(folder, "text"), text)
          const pane = yield* open(`cat ${join(folder, "text")}`)
          const printed = yield* output(pane)
          const { rows } = yield* runtime.capture(pane, { range: "visible" })

          assert.deepStrictEqual(
            rowsOf(cells(printed)),
            Array.from({ length: size.rows }, (_, row) => (rows[row] ?? "").normalize("NFC"))
          )
        }).pipe(Effect.scoped, Effect.provide(layer))
    )
  }

  it.live("has what that emulator lacks: wide characters at the edge, half overwritten ones, line drawing", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const folder = yield* temporary
      for (const [text, ...expected] of exact) {
        writeFileSync(join(folder, "text"), text)
        const pane = yield* open(`cat ${join(folder, "text")}`)
        yield* output(pane)
        assert.deepStrictEqual((yield* runtime.capture(pane)).rows, expected)
      }
    }).pipe(Effect.scoped, Effect.provide(layer)))

  it.live("gives sequences of one character two columns", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      for (const text of ["👨‍👩‍👧‍👦", "❤️", "👍🏽", "🇩🇪"]) {
        const pane = yield* open(`printf '%s' '${text}'; sleep 60`)
        yield* runtime.waitOutput(pane, { pattern: text, timeout: "30 seconds" })
        assert.strictEqual((yield* runtime.capture(pane)).cursor?.column, 2, text)
      }
    }).pipe(Effect.provide(layer)))

  it.live("keeps so many rows above it as was asked for", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const pane = yield* open("seq 1 5000")
      yield* output(pane)
      const { rows, truncated } = yield* runtime.capture(pane, { range: "full" })

      assert.isTrue(truncated)
      assert.strictEqual(rows.length, 200 + size.rows - 1)
      assert.deepStrictEqual([rows[0], rows.at(-1)], ["4790", "5000"])
    }).pipe(Effect.provide(layer)))

  it.live("wraps lines anew when it gets another width, and they stay one line", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const text = "0123456789".repeat(7)
      const pane = yield* open(`printf '%s\\n' '${text}'; sleep 60`)
      yield* runtime.waitOutput(pane, { pattern: text, timeout: "30 seconds" })
      yield* runtime.resize(pane, { columns: 20, rows: 12 })
      const narrow = yield* runtime.capture(pane)
      const found = yield* runtime.waitOutput(pane, { pattern: text, timeout: "0 seconds" })
      yield* runtime.resize(pane, { columns: 100, rows: 12 })
      const wide = yield* runtime.capture(pane)

      assert.deepStrictEqual(narrow.rows, [text.slice(0, 20), text.slice(20, 40), text.slice(40, 60), text.slice(60)])
      assert.strictEqual(found.line, text)
      assert.deepStrictEqual(wide.rows, [text])
    }).pipe(Effect.provide(layer)))
})

describe("a capture with colours", () => {
  const sgr = "\u001b["
  const samples = [
    ["plain", "plain"],
    [`${sgr}31mred${sgr}0m rest`, `${sgr}0;31mred${sgr}0m rest`],
    [`${sgr}1;4;92;44mx${sgr}22;24;39;49my`, `${sgr}0;1;4;92;44mx${sgr}0my`],
    [`${sgr}38;5;208ma${sgr}48;2;1;2;3mb${sgr}m`, `${sgr}0;38;5;208ma${sgr}0;38;5;208;48;2;1;2;3mb${sgr}0m`],
    [`a  ${sgr}7mb${sgr}0m`, `a  ${sgr}0;7mb${sgr}0m`],
    [`${sgr}2;3;9;53m日本${sgr}0m|`, `${sgr}0;2;3;9;53m日本${sgr}0m|`],
    [`x${sgr}41m   ${sgr}0m`, `x${sgr}0;41m   ${sgr}0m`]
  ] as const

  it.live("shows each row with its own styles, and nothing where there are none", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const folder = yield* temporary
      writeFileSync(join(folder, "text"), samples.map(([text]) => `${text}\n`).join(""))
      const pane = yield* open(`cat ${join(folder, "text")}`)
      yield* output(pane)
      const { rows } = yield* runtime.capture(pane, { ansi: true })

      assert.deepStrictEqual(rows.slice(0, samples.length), samples.map(([, styled]) => styled))
      assert.strictEqual(runtime.capabilities.ansi, "native")
    }).pipe(Effect.scoped, Effect.provide(layer)))

  it.live("printed again gives the same screen with the same styles", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const folder = yield* temporary
      writeFileSync(join(folder, "first"), samples.map(([text]) => `${text}\n`).join(""))
      const first = yield* open(`cat ${join(folder, "first")}`)
      yield* output(first)
      const styled = yield* runtime.capture(first, { ansi: true })
      writeFileSync(join(folder, "again"), styled.rows.map((row) => `${row}\n`).join(""))
      const again = yield* open(`cat ${join(folder, "again")}`)
      yield* output(again)

      assert.deepStrictEqual((yield* runtime.capture(again, { ansi: true })).rows, styled.rows)
      assert.deepStrictEqual((yield* runtime.capture(again)).rows, (yield* runtime.capture(first)).rows)
    }).pipe(Effect.scoped, Effect.provide(layer)))
})

const has = (program: string) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0

describe("a program that takes the whole screen", () => {
  it.live.skipIf(!has("vim"))(
    "vim is driven by keys, shows its text on the alternate screen, and leaves the old one",
    () =>
      Effect.gen(function*() {
        const runtime = yield* TerminalRuntime
        const folder = yield* temporary
        const file = join(folder, "file")
        const pane = yield* open(`cd ${folder}; echo before; vim -u NONE -n file; echo after; sleep 60`)
        yield* runtime.waitOutput(pane, { pattern: /file" \[New/, timeout: "10 seconds" })
        assert.isTrue((yield* runtime.capture(pane)).alternate)
        yield* runtime.send(pane, { items: [{ key: "i" }, { message: "typed in vim 日本" }, { key: "Escape" }] })
        yield* runtime.waitOutput(pane, { pattern: "typed in vim 日本", timeout: "30 seconds" })
        yield* runtime.sendCommand(pane, ":wq")
        yield* runtime.waitOutput(pane, { pattern: /^after/, timeout: "30 seconds" })
        const screen = yield* runtime.capture(pane)

        assert.isFalse(screen.alternate)
        assert.deepStrictEqual(screen.rows, ["before", "after"])
        const written = yield* open(`cat ${file}`)
        assert.strictEqual((yield* output(written)).toString("utf8"), "typed in vim 日本\r\n")
      }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live.skipIf(!has("less"))("less is scrolled by keys, and gives the screen back", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const pane = yield* open("seq 1 500 | LESS= less; echo after; sleep 60")
      yield* runtime.waitOutput(pane, { pattern: /^:/, timeout: "10 seconds" })
      assert.deepStrictEqual((yield* runtime.capture(pane, { range: "visible" })).rows.slice(0, 2), ["1", "2"])
      yield* runtime.sendKeys(pane, ["G"])
      yield* runtime.waitOutput(pane, { pattern: /^500$/, timeout: "30 seconds" })
      yield* runtime.sendKeys(pane, ["q"])
      yield* runtime.waitOutput(pane, { pattern: /^after/, timeout: "30 seconds" })

      assert.deepStrictEqual((yield* runtime.capture(pane)).rows, ["after"])
    }).pipe(Effect.provide(layer)))
})
