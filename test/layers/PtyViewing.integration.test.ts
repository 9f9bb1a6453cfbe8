import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Pty from "../../layers/Pty.ts"
import * as ScreenModel from "../../layers/pty/screenModel.ts"
import { type Options, PaneView, type Update } from "../../src/PaneView.ts"
import type { PaneHandle } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { until } from "../fixtures/processes.ts"

const size = { columns: 80, rows: 24 }

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "paneway-view-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const desk = Effect.gen(function*() {
  const runtime = yield* TerminalRuntime
  const views = Option.getOrThrow(yield* PaneView)
  const spawn = (script: string) =>
    Effect.map(runtime.spawn({ program: { argv: ["sh", "-c", script] }, size, cwd: "/" }), ({ handle }) => handle)
  /** What the view was told so far, and its name once it is open. */
  const show = Effect.fnUntraced(function*(pane: PaneHandle, options: Partial<Options> = {}) {
    const told: Array<Update> = []
    const fiber = yield* Effect.forkScoped(
      Stream.runForEach(
        views.show(pane, { size, readOnly: false, ...options }),
        (update) => Effect.sync(() => void told.push(update))
      )
    )
    yield* until(() => told.some(({ _tag }) => _tag === "Screen"))
    const [opened] = told
    return { told, fiber, view: opened?._tag === "Opened" ? opened.view : "" }
  })
  const sizeOf = (pane: PaneHandle) => Effect.map(runtime.describe(pane), ({ columns, rows }) => ({ columns, rows }))
  return { runtime, show, sizeOf, spawn, views }
})

/** The rows of a terminal that was told all this. */
const drawn = Effect.fnUntraced(function*(told: ReadonlyArray<Update>, at = size) {
  let screen = ScreenModel.make({ ...at, scrollback: 10, reply: undefined })
  for (const update of told) {
    if (update._tag === "Screen") {
      screen.dispose()
      screen = ScreenModel.make({ ...at, scrollback: 10, reply: undefined })
    }
    if (update._tag === "Screen" || update._tag === "Output") screen.feed(update.bytes)
  }
  yield* screen.flush
  const { rows } = screen.read("visible", true)
  screen.dispose()
  return rows
})

const visible = (runtime: TerminalRuntime["Service"], pane: PaneHandle) =>
  Effect.map(runtime.capture(pane, { range: "visible", ansi: true }), ({ rows }) => rows)

const live = <E>(
  name: string,
  body: Effect.Effect<void, E, TerminalRuntime | Scope.Scope>,
  options: Pty.Options = {}
) => it.live(name, () => Effect.scoped(Effect.provide(body, Pty.layer({ shell: "/bin/sh", ...options }))), 60_000)

describe("a view of a pane", () => {
  live(
    "is told the screen, then each byte once, then the end",
    Effect.gen(function*() {
      const { runtime, show, spawn } = yield* desk
      const pane = yield* spawn("echo before; read -r go; seq 1 3000; printf '\\033[31mred'; exit 3")
      yield* runtime.waitOutput(pane, { pattern: "before", timeout: "30 seconds" })
      const { fiber, told } = yield* show(pane)
      yield* runtime.sendText(pane, "go")
      yield* runtime.sendKeys(pane, ["Enter"])
      yield* Fiber.join(fiber)
      const parts = told.flatMap((update) => update._tag === "Output" ? [update] : [])
      const [, screen] = told
      const begin = screen?._tag === "Screen" ? screen.offset : -1
      const text = Buffer.concat(parts.map(({ bytes }) => bytes)).toString()

      assert.deepStrictEqual(told.map(({ _tag }) => _tag).filter((tag) => tag !== "Output"), [
        "Opened",
        "Screen",
        "Ended"
      ])
      assert.strictEqual(begin, "before\r\n".length)
      assert.strictEqual(text, `go\r\n${Array.from({ length: 3000 }, (_, n) => `${n + 1}\r\n`).join("")}\u001b[31mred`)
      parts.reduce((at, { bytes, offset }) => {
        assert.strictEqual(offset, at + bytes.length)
        return offset
      }, begin)
      assert.deepStrictEqual(told.at(-1), { _tag: "Ended", exit: { code: 3 } })
      assert.deepStrictEqual(yield* drawn(told), yield* visible(runtime, pane))
    })
  )

  live(
    "is told the last that a program prints which ends at once",
    Effect.gen(function*() {
      const { runtime, show, spawn } = yield* desk
      for (let round = 0; round < 5; round++) {
        const pane = yield* spawn("read -r go; seq 1 30000; printf last")
        const { fiber, told } = yield* show(pane)
        yield* runtime.sendText(pane, "go")
        yield* runtime.sendKeys(pane, ["Enter"])
        yield* Fiber.join(fiber)
        const rows = yield* drawn(told)

        assert.strictEqual(rows.at(-1), "last")
        assert.deepStrictEqual(rows, yield* visible(runtime, pane))
      }
    })
  )

  live(
    "that is not read holds up nobody, keeps little, and shows the screen as it is then",
    Effect.gen(function*() {
      const { runtime, spawn, views } = yield* desk
      const pane = yield* spawn("read -r go; seq 1 400000; echo end; exec cat")
      const pull = yield* Stream.toPull(views.show(pane, { size, readOnly: false }))
      const told: Array<Update> = [...(yield* pull), ...(yield* pull)]
      yield* runtime.sendText(pane, "go")
      yield* runtime.sendKeys(pane, ["Enter"])
      yield* runtime.waitOutput(pane, { pattern: /^end$/, timeout: "30 seconds" })
      const before = told.length
      while (told.slice(before).every((update) => update._tag !== "Screen")) told.push(...yield* pull)
      const kept = told.slice(before).flatMap((update) => update._tag === "Output" ? [update.bytes.length] : [])

      assert.isAtMost(kept.reduce((sum, length) => sum + length, 0), 600_000)
      assert.deepStrictEqual(yield* drawn(told), yield* visible(runtime, pane))
    })
  )

  live(
    "brings bytes as they are, any of them, in any parts",
    Effect.gen(function*() {
      const { runtime, show, spawn, views } = yield* desk
      const path = join(yield* folder, "typed")
      const bytes = Buffer.concat([
        Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
        Buffer.from("é漢\u001b[200~paste\u001b[201~\u001b[A")
      ])
      const pane = yield* spawn(`stty raw -echo; echo ready; head -c ${bytes.length} >'${path}'; echo done; exec cat`)
      yield* runtime.waitOutput(pane, { pattern: "ready", timeout: "30 seconds" })
      const { view } = yield* show(pane)
      for (let at = 0; at < bytes.length; at += 3) {
        assert.strictEqual(
          yield* views.write(view, bytes.subarray(at, at + 3)),
          Math.min(3, bytes.length - at)
        )
      }
      yield* runtime.waitOutput(pane, { pattern: "done", timeout: "30 seconds" })

      assert.strictEqual(readFileSync(path).toString("hex"), bytes.toString("hex"))
    })
  )

  live(
    "types after a delivery that has begun, and not between its text and its Enter",
    Effect.gen(function*() {
      const { runtime, show, spawn, views } = yield* desk
      const path = join(yield* folder, "typed")
      const text = "x".repeat(100_000)
      const pane = yield* spawn(
        `stty raw -echo; echo ready; dd bs=1 count=1 of='${path}.first' 2>'${path}.log'; echo begun; sleep 1; ` +
          `head -c ${text.length + 10} >'${path}'; echo done; exec cat`
      )
      yield* runtime.waitOutput(pane, { pattern: "ready", timeout: "30 seconds" })
      const { view } = yield* show(pane)
      const sending = yield* Effect.forkChild(runtime.sendCommand(pane, text), { startImmediately: true })
      yield* runtime.waitOutput(pane, { pattern: "begun", timeout: "30 seconds" })
      yield* Effect.forEach(["AB", "CDE", "FGHIJ"], (part) => views.write(view, Buffer.from(part)))
      yield* Fiber.join(sending)
      yield* runtime.waitOutput(pane, { pattern: "done", timeout: "10 seconds" })

      assert.strictEqual(readFileSync(path, "latin1"), `${text.slice(1)}\rABCDEFGHIJ`)
    })
  )

  live(
    "tells how much of what was typed a program took that reads nothing",
    Effect.gen(function*() {
      const { runtime, show, spawn, views } = yield* desk
      const pane = yield* spawn("stty raw -echo; echo ready; exec sleep 1000")
      yield* runtime.waitOutput(pane, { pattern: "ready", timeout: "30 seconds" })
      const { view } = yield* show(pane)
      const taken = yield* views.write(view, Buffer.alloc(1_000_000, "x"))

      assert.isAbove(taken, 0)
      assert.isBelow(taken, 1_000_000)
      assert.strictEqual(yield* views.write(view, Buffer.from("y")), 0)
    }),
    { stall: "300 millis" }
  )

  live(
    "ends when its pane is closed, and is told so; one of a pane that has ended shows it and ends",
    Effect.gen(function*() {
      const { runtime, show, spawn, views } = yield* desk
      const pane = yield* spawn("echo here; exec cat")
      const { fiber, told } = yield* show(pane)
      yield* runtime.closePane(pane)
      yield* Fiber.join(fiber)
      const held = yield* spawn("echo last words; exit 7")
      yield* runtime.waitLifecycle({ condition: "pane-exited", target: held, timeout: "30 seconds" })
      const all = yield* Stream.runCollect(views.show(held, { size, readOnly: false }))

      assert.deepStrictEqual(told.at(-1), { _tag: "Ended", exit: undefined })
      assert.deepStrictEqual(all.map(({ _tag }) => _tag), ["Opened", "Screen", "Ended"])
      assert.include((yield* drawn(all))[0], "last words")
      assert.deepStrictEqual(all[2], { _tag: "Ended", exit: { code: 7 } })
      const gone = yield* Effect.flip(Stream.runDrain(views.show(pane, { size, readOnly: false })))
      assert.deepInclude(gone, { _tag: "TargetNotFound" })
    })
  )
})

describe("the size of a pane", () => {
  live(
    "is that of the terminal which attached, typed or changed last, and stays when all have left",
    Effect.gen(function*() {
      const { runtime, show, sizeOf, spawn, views } = yield* desk
      const pane = yield* spawn("exec cat")
      const [small, large] = [{ columns: 60, rows: 20 }, { columns: 100, rows: 30 }]
      const one = yield* show(pane, { size: small })
      assert.deepStrictEqual(yield* sizeOf(pane), small)
      const two = yield* show(pane, { size: large })
      assert.deepStrictEqual(yield* sizeOf(pane), large)
      yield* views.write(one.view, Buffer.from("a"))
      assert.deepStrictEqual(yield* sizeOf(pane), small)
      yield* views.write(two.view, Buffer.from("\u001b[O")) // it lost the focus, which nobody typed
      assert.deepStrictEqual(yield* sizeOf(pane), small)
      yield* views.resize(two.view, { columns: 90, rows: 25 })
      assert.deepStrictEqual(yield* sizeOf(pane), { columns: 90, rows: 25 })
      const watcher = yield* show(pane, { size: { columns: 10, rows: 10 }, readOnly: true })
      yield* views.resize(watcher.view, { columns: 11, rows: 11 })
      assert.deepStrictEqual(yield* sizeOf(pane), { columns: 90, rows: 25 })
      assert.deepInclude(yield* Effect.flip(views.write(watcher.view, Buffer.from("x"))), { _tag: "InvalidRequest" })
      yield* Fiber.interrupt(two.fiber)
      assert.deepStrictEqual(yield* sizeOf(pane), small)
      yield* runtime.resize(pane, size)
      yield* Fiber.interrupt(watcher.fiber)
      assert.deepStrictEqual(yield* sizeOf(pane), size)
      yield* Fiber.interrupt(one.fiber)
      assert.deepStrictEqual(yield* sizeOf(pane), size)
      assert.deepInclude(yield* Effect.flip(views.write(one.view, Buffer.from("x"))), { _tag: "InvalidRequest" })
    })
  )

  live(
    "is told anew where somebody else changes it and nothing is printed",
    Effect.gen(function*() {
      const { runtime, show, spawn } = yield* desk
      const pane = yield* spawn("echo here; exec cat")
      yield* runtime.waitOutput(pane, { pattern: "here", timeout: "30 seconds" })
      const { told } = yield* show(pane)
      for (const [count, columns] of [[3, 40], [4, 80]] as const) {
        yield* runtime.resize(pane, { ...size, columns })
        yield* until(() => told.length === count)
      }

      assert.deepStrictEqual(told.map(({ _tag }) => _tag), ["Opened", "Screen", "Screen", "Screen"])
    })
  )

  live(
    "that is another one than a terminal's makes the pane a picture there",
    Effect.gen(function*() {
      const { runtime, show, spawn, views } = yield* desk
      const pane = yield* spawn("seq 1 40; read -r go; printf '\\033[H\\033[2Jnew\\r\\n'; seq 1 100; exec cat")
      yield* runtime.waitOutput(pane, { pattern: /^40$/, timeout: "30 seconds" })
      const small = { columns: 10, rows: 5 }
      const owner = yield* show(pane)
      const watcher = yield* show(pane, { size: small, readOnly: true })
      assert.deepStrictEqual(yield* drawn(watcher.told, small), ["37", "38", "39", "40", ""])
      yield* views.write(owner.view, Buffer.from("go\r"))
      yield* runtime.waitOutput(pane, { pattern: /^100$/, timeout: "30 seconds" })
      const last = () => watcher.told.at(-1)
      yield* until(() => {
        const update = last()
        return update?._tag === "Screen" && Buffer.from(update.bytes).toString().includes("100")
      })

      assert.deepStrictEqual(yield* drawn(watcher.told, small), ["97", "98", "99", "100", ""])
      assert.isFalse(watcher.told.some(({ _tag }) => _tag === "Output"))
      assert.deepStrictEqual(yield* drawn(owner.told), yield* visible(runtime, pane))
      yield* views.resize(watcher.view, size)
      yield* until(() => watcher.told.at(-1) !== last() || watcher.told.length > 0)
      yield* until(() => {
        const update = last()
        return update?._tag === "Screen" && Buffer.from(update.bytes).toString().includes("\u001b[1;1H78")
      })
      assert.deepStrictEqual(yield* drawn(watcher.told), yield* visible(runtime, pane))
    })
  )

  live(
    "has to be one that a terminal can have",
    Effect.gen(function*() {
      const { show, spawn, views } = yield* desk
      const pane = yield* spawn("exec cat")
      for (const wrong of [{ columns: 0, rows: 1 }, { columns: 1.5, rows: 1 }, { columns: 1, rows: 10_000 }]) {
        const error = yield* Effect.flip(Stream.runDrain(views.show(pane, { size: wrong, readOnly: false })))
        assert.deepInclude(error, { _tag: "InvalidRequest", field: "size" })
      }
      const { view } = yield* show(pane)
      assert.deepInclude(yield* Effect.flip(views.resize(view, { columns: 1, rows: NaN })), { field: "size" })
    })
  )
})

describe("a view that would show itself", () => {
  live(
    "is refused, also over other panes; one beside it is not",
    Effect.gen(function*() {
      const { show, sizeOf, spawn, views } = yield* desk
      const [a, b, c] = [yield* spawn("exec cat"), yield* spawn("exec cat"), yield* spawn("exec cat")]
      const attach = (pane: PaneHandle, from: PaneHandle) =>
        Effect.flip(
          Stream.runDrain(views.show(pane, { size: { columns: 9, rows: 9 }, readOnly: true, from: `${from}` }))
        )
      assert.deepInclude(yield* attach(a, a), { _tag: "OperationRefused", operation: "attach" })
      const first = yield* show(b, { from: `${a}` })
      yield* show(c, { from: `${b}` })
      assert.deepInclude(yield* attach(a, c), { _tag: "OperationRefused" })
      assert.deepInclude(yield* attach(a, b), { _tag: "OperationRefused" })
      yield* show(c, { from: `${a}` })
      yield* Fiber.interrupt(first.fiber)
      yield* show(a, { from: `${b}` })
      assert.deepStrictEqual(yield* sizeOf(a), size)
    })
  )
})
