import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Pty from "../../layers/Pty.ts"
import type { PaneHandle } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"

const { PATH = "" } = process.env
const env = { PATH, HOME: "/", LANG: "C.UTF-8", PS1: "$ ", SHELL: "/bin/sh", TERM: "xterm-256color" }
const layerOf = (scrollback: number) => Pty.layer({ size: { columns: 80, rows: 24 }, scrollback, env })

const spawn = (argv: readonly [string, ...Array<string>]) =>
  TerminalRuntime.use((rt) => Effect.map(rt.spawn({ program: { argv } }), ({ handle }) => handle))

const start = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

/** What two waits find, one without a mark and one after it, while the script runs. */
const found = Effect.fnUntraced(function*(script: string, pattern: string | RegExp) {
  const rt = yield* TerminalRuntime
  const pane = yield* spawn(["sh", "-c", `stty -echo; echo ready; read -r go; ${script}`])
  yield* rt.waitOutput(pane, { pattern: "ready", timeout: "30 seconds" })
  const { mark } = yield* rt.capture(pane)
  const waits = yield* Effect.forEach(
    [undefined, mark],
    (after) => start(rt.waitOutput(pane, { pattern, timeout: "20 seconds", after }))
  )
  yield* rt.sendCommand(pane, "go")
  const matches = yield* Effect.forEach(waits, Fiber.join)
  yield* rt.closePane(pane)
  return matches.map(({ line, rowsLost }) => ({ line, rowsLost }))
})

const key = { line: "KEY", rowsLost: false }

describe.concurrent("output that scrolls out of what is kept between two looks", () => {
  for (
    const [what, script] of [
      ["before a burst", "echo KEY; seq 1 1500; read -r x"],
      ["in the middle of a flood", "seq 1 30000; echo KEY; seq 1 30000; read -r x"],
      ["in short lines", "yes | head -n 20000; echo KEY; yes | head -n 20000; read -r x"],
      ["in long lines", "yes $(seq 1 700) | head -n 100; echo KEY; yes $(seq 1 700) | head -n 100; read -r x"],
      [
        "in colours",
        "printf 'K\\033[31mE\\033[0mY\\n'; yes \"$(printf '\\033[31mred\\033[0m')\" | head -n 9000; read -r x"
      ],
      ["right before the end", "echo KEY; seq 1 4000; exit 3"]
    ] as const
  ) {
    it.live(`is found ${what}`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* found(script, /^KEY$/), [key, key])
        assert.deepStrictEqual(yield* found(script, "KEY"), [key, key])
      }).pipe(Effect.provide(layerOf(1000))))
  }

  it.live("is found where little is kept", () =>
    Effect.gen(function*() {
      const script = "echo KEY; seq 1 3000; read -r x"
      assert.deepStrictEqual(yield* found(script, /^KEY$/), [key, key])
    }).pipe(Effect.provide(layerOf(50))))

  it.live("is not found when nobody waited for it yet, and the wait says that rows were lost", () =>
    Effect.gen(function*() {
      const rt = yield* TerminalRuntime
      const pane = yield* spawn([
        "sh",
        "-c",
        "stty -echo; echo ready; read -r go; echo KEY; seq 1 9000; echo END; read -r x"
      ])
      yield* rt.waitOutput(pane, { pattern: "ready", timeout: "30 seconds" })
      const { mark } = yield* rt.capture(pane)
      yield* rt.sendCommand(pane, "go")
      yield* rt.waitOutput(pane, { pattern: "END", timeout: "30 seconds" })
      const error = yield* Effect.flip(rt.waitOutput(pane, { pattern: "KEY", timeout: "0 seconds", after: mark }))
      const late = yield* rt.waitOutput(pane, { pattern: "END", timeout: "0 seconds", after: mark })
      const plain = yield* rt.waitOutput(pane, { pattern: "END", timeout: "0 seconds" })

      assert.deepInclude(error, { _tag: "WaitTimeout", rowsLost: true })
      assert.include(error.message, "forgotten")
      assert.deepStrictEqual([late.rowsLost, plain.rowsLost], [true, false])
    }).pipe(Effect.provide(layerOf(1000))))
})

/** After this the cursor stands above the mark, or what stood there is gone. */
const moves = [
  ["the cursor goes home", "printf '\\033[H'"],
  ["the cursor goes up", "printf '\\033[20A'"],
  ["the terminal is reset", "printf '\\033c'"],
  ["the screen is cleared", "printf '\\033[H\\033[2J'"],
  ["the screen is cleared from the end", "printf '\\033[2J\\033[H'"],
  ["all that is kept is cleared", "printf '\\033[H\\033[2J\\033[3J'"],
  ["the rows above the screen are cleared", "printf '\\033[3J'"],
  ["clear runs", "clear"],
  ["reset runs", "reset"]
] as const

/** A shell that has printed more than its screen. */
const shell: Effect.Effect<PaneHandle, never, TerminalRuntime> = Effect.orDie(Effect.gen(function*() {
  const rt = yield* TerminalRuntime
  const pane = yield* spawn(["bash", "--norc", "--noprofile", "-i"])
  yield* rt.run(pane, { command: "seq 1 15", timeout: "10 seconds" })
  yield* rt.waitStable(pane, { quiet: "100 millis", timeout: "30 seconds" })
  return pane
}))

describe.concurrent("a wait after a mark", () => {
  for (const [what, move] of moves) {
    it.live(`sees what is printed when ${what}`, () =>
      Effect.gen(function*() {
        const rt = yield* TerminalRuntime
        const pane = yield* shell
        const { mark } = yield* rt.capture(pane)
        const waiting = yield* start(rt.waitOutput(pane, { pattern: "KEY", timeout: "10 seconds", after: mark }))
        yield* rt.sendCommand(pane, `${move}; echo K''EY`)

        assert.strictEqual((yield* Fiber.join(waiting)).text, "KEY")
      }).pipe(Effect.provide(layerOf(1000))))

    it.live(`begins only then, when ${what}`, () =>
      Effect.gen(function*() {
        const rt = yield* TerminalRuntime
        const pane = yield* shell
        const { mark } = yield* rt.sendCommand(pane, `${move}; echo K''EY; seq 1 3`)
        // reset itself pauses for a second
        yield* rt.waitStable(pane, { quiet: "2 seconds", timeout: "10 seconds" })
        const match = yield* rt.waitOutput(pane, { pattern: "KEY", timeout: "0 seconds", after: mark })

        assert.strictEqual(match.text, "KEY")
      }).pipe(Effect.provide(layerOf(1000))))
  }

  it.live("says that the mark is lost when the screen was cleared, wherever the cursor is by then", () =>
    Effect.gen(function*() {
      const rt = yield* TerminalRuntime
      for (const move of ["\\033[2J\\033[H", "\\033c"]) {
        const pane = yield* shell
        const { mark } = yield* rt.sendCommand(pane, `printf '${move}'; echo KEY; seq 1 18; read -r x`)
        yield* rt.waitOutput(pane, { pattern: /^18$/, timeout: "30 seconds" })
        yield* rt.waitStable(pane, { quiet: "100 millis", timeout: "30 seconds" })
        const match = yield* rt.waitOutput(pane, { pattern: /^KEY/, timeout: "0 seconds", after: mark })

        assert.isTrue(match.markLost)
      }
    }).pipe(Effect.provide(layerOf(1000))))

  it.live("without one goes on over a screen that is cleared", () =>
    Effect.gen(function*() {
      const rt = yield* TerminalRuntime
      const pane = yield* shell
      const waiting = yield* start(rt.waitOutput(pane, { pattern: /^KEY$/, timeout: "10 seconds" }))
      yield* rt.sendCommand(pane, "clear; echo KEY; seq 1 500")

      assert.strictEqual((yield* Fiber.join(waiting)).line, "KEY")
    }).pipe(Effect.provide(layerOf(1000))))
})
