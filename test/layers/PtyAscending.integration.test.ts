import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Pty from "../../layers/Pty.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"

const { PATH = "" } = process.env
const env = { PATH, HOME: "/", LANG: "C.UTF-8", PS1: "$ ", SHELL: "/bin/sh", TERM: "xterm-256color" }
const layer = Pty.layer({ size: { columns: 80, rows: 24 }, env })

/** What waits after a mark find, one that is there before the program prints and one that comes after it. */
const found = Effect.fnUntraced(function*(before: string, script: string) {
  const rt = yield* TerminalRuntime
  const argv = ["sh", "-c", `stty -echo; ${before} printf 'ready> '; read -r go; ${script}; read -r x`] as const
  const { handle: pane } = yield* rt.spawn({ program: { argv } })
  yield* rt.waitOutput(pane, { pattern: "ready>", timeout: "10 seconds" })
  const { mark: after } = yield* rt.capture(pane)
  const wait = rt.waitOutput(pane, { pattern: /^ *KEY/, timeout: "10 seconds", after })
  const early = yield* Effect.forkChild(wait, { startImmediately: true })
  yield* rt.sendCommand(pane, "go")
  const first = yield* Fiber.join(early)
  yield* rt.waitOutput(pane, { pattern: "END", timeout: "10 seconds" })
  const late = yield* wait
  yield* rt.closePane(pane)
  return [first.markLost, late.markLost]
})

describe("output that a program prints above a mark", () => {
  for (
    const [what, script] of [
      ["home and erase below", "printf '\\033[H\\033[JKEY\\n'; seq 1 15; echo END"],
      ["an erased screen and home", "printf '\\033[2J\\033[1;1HKEY\\n'; seq 1 15; echo END"],
      ["a reset", "printf '\\033cKEY\\n'; seq 1 15; echo END"],
      ["a cursor that is saved and restored", "printf '\\0337\\033[1;1HKEY \\0338END'"],
      [
        "a saved cursor that was scrolled away",
        "printf '\\0337'; seq 1 20; printf '\\0338\\r\\033[KKEY\\n\\n\\n\\nEND'"
      ],
      ["a screen that is left without having been entered", "printf '\\033[?1049lKEY \\n\\n\\n\\n\\n\\n\\nEND'"],
      ["home and lines painted over", "printf '\\033[HKEY\\033[K\\n'; seq 1 10; echo END"],
      ["some lines up", "printf '\\033[3A\\rKEY\\033[K\\n\\n\\n\\nEND\\n'"],
      ["some lines up by their beginnings", "printf '\\033[2FKEY\\033[K\\n\\n\\n\\nEND\\n'"],
      ["a row that is named", "printf '\\033[2d\\rKEY\\033[K\\n\\n\\n\\n\\n\\nEND\\n'"],
      ["a reverse index", "printf '\\033M\\033M\\rKEY\\033[K\\n\\n\\n\\nEND\\n'"],
      ["the beginning of its line, over what stood there", "printf '\\rKEY\\033[K'; echo; echo END"],
      ["a screen that is scrolled up", "printf '\\nKEY\\033[3S'; echo; echo END"],
      ["a scrolling region", "printf '\\033[2;6r\\033[6;1HKEY\\n\\n\\033[r\\033[20;1HEND'"]
    ] as const
  ) {
    it.live(`is found after ${what}`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* found("seq 1 5;", script), [true, true])
      }).pipe(Effect.provide(layer)))
  }

  it.live("is found where the mark stood on the first row", () =>
    Effect.gen(function*() {
      const script = "echo; printf '\\033[H\\033[JKEY\\n'; seq 1 15; echo END"
      assert.deepStrictEqual(yield* found("", script), [true, true])
    }).pipe(Effect.provide(layer)))

  it.live("does not unsettle a mark further up", () =>
    Effect.gen(function*() {
      const script = "seq 1 5; printf '\\033[4AKEY\\033[K\\n\\n\\n\\n\\nEND\\n'"
      assert.deepStrictEqual(yield* found("seq 1 5;", script), [false, false])
    }).pipe(Effect.provide(layer)))
})

describe("a program that paints the alternate screen", () => {
  it.live("is seen whole after a mark that was taken on it, once it has painted again", () =>
    Effect.gen(function*() {
      const rt = yield* TerminalRuntime
      const page = (from: number) => `seq ${from} ${from + 23}; printf ':'`
      const script = `stty -echo; printf '\\033[?1049h\\033[H'; ${page(100)}; read -r go; ${page(200)}; read -r x`
      const { handle: pane } = yield* rt.spawn({ program: { argv: ["sh", "-c", script] } })
      yield* rt.waitOutput(pane, { pattern: /^:/, timeout: "10 seconds" })
      const { mark: after } = yield* rt.capture(pane)
      const old = yield* Effect.flip(rt.waitOutput(pane, { pattern: "110", timeout: "0 seconds", after }))
      yield* rt.sendCommand(pane, "go")
      const match = yield* rt.waitOutput(pane, { pattern: "210", timeout: "10 seconds", after })

      assert.strictEqual(old._tag, "WaitTimeout")
      assert.isTrue(match.markLost)
    }).pipe(Effect.provide(layer)))
})
