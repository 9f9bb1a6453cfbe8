import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Pty from "../../layers/Pty.ts"
import type { SpawnRequest } from "../../src/Contract.ts"
import type { PaneHandle } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { processorOf } from "../fixtures/processor.ts"

const layer = Pty.layer({
  size: { columns: 80, rows: 24 },
  scrollback: 100,
  env: { ...process.env, SHELL: "/bin/sh", ENV: "", PS1: "$ " }
})

const spawn = (argv: readonly [string, ...Array<string>], more: Omit<SpawnRequest, "program"> = {}) =>
  TerminalRuntime.use((runtime) => runtime.spawn({ program: { argv }, ...more }))
const sh = (script: string, more?: Omit<SpawnRequest, "program">) => spawn(["sh", "-c", script], more)
const seen = (pane: PaneHandle, pattern: string | RegExp) =>
  TerminalRuntime.use((runtime) => runtime.waitOutput(pane, { pattern, timeout: "15 seconds" }))
const shell = Effect.gen(function*() {
  const { handle } = yield* spawn(["/bin/sh", "-i"])
  yield* seen(handle, /^\$/)
  return handle
})

describe("a command in a shell", () => {
  it.live("case 100: that has ended before the wait begins is seen by what it printed after the mark", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const pane = yield* shell
      for (let n = 0; n < 20; n++) {
        // a line that is typed before the prompt is there has its output behind that
        const { mark } = yield* runtime.sendCommand(pane, `echo do'ne' ${n}`)
        yield* seen(pane, new RegExp(`done ${n}$`))
        const match = yield* runtime.waitOutput(pane, { pattern: /done (\d+)$/, after: mark, timeout: "0 seconds" })

        assert.deepStrictEqual(match.groups, [`${n}`])
      }
    }).pipe(Effect.provide(layer)))

  it.live("case 101: matches above everything that follows, 50 lines and a prompt", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const pane = yield* shell
      for (const more of [0, 1, 2, 10, 23, 24, 25, 50]) {
        const command = `echo tar'get' ${more}; seq ${more}`
        const { mark } = yield* runtime.sendCommand(pane, command)
        const match = yield* runtime.waitOutput(pane, { pattern: /target (\d+)$/, after: mark, timeout: "10 seconds" })
        yield* runtime.waitOutput(pane, { pattern: /^\$$/, after: mark, timeout: "10 seconds" })
        const late = yield* runtime.waitOutput(pane, { pattern: /target (\d+)$/, after: mark, timeout: "0 seconds" })

        assert.deepStrictEqual([match.groups, late.groups], [[`${more}`], [`${more}`]])
      }
    }).pipe(Effect.provide(layer)))

  it.live("case 106: is refused by a pane that is no shell, and nothing is typed there", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const others = [
        yield* spawn(["python3", "-q", "-i"], { env: { PYTHON_BASIC_REPL: "1" } }),
        yield* spawn([process.execPath, "-i"], { env: { NO_COLOR: "1" } })
      ]
      for (const { handle } of others) {
        yield* seen(handle, /^>/)
        const error = yield* Effect.flip(runtime.run(handle, { command: "echo hi", timeout: "30 seconds" }))
        yield* runtime.sendCommand(handle, "6 * 7")
        const { screen } = yield* seen(handle, /^42$/)

        assert.deepInclude(error, { _tag: "SendRejected", code: "not-a-shell" })
        assert.notMatch(screen.text, /hi|printf|eval/)
      }
    }).pipe(Effect.provide(layer)))

  it.live("case 106: is refused by a shell that runs something", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const pane = yield* shell
      yield* runtime.sendCommand(pane, "sh -c 'echo running; exec cat'")
      yield* seen(pane, /^running$/)
      const error = yield* Effect.flip(runtime.run(pane, { command: "echo hi", timeout: "30 seconds" }))

      assert.deepInclude(error, { _tag: "SendRejected", code: "busy" })
      assert.notInclude((yield* runtime.capture(pane)).text, "hi")
    }).pipe(Effect.provide(layer)))
})

describe("a capture", () => {
  it.live("case 109: of the alternate screen says that it is one, and holds what that shows", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { handle } = yield* sh("echo before; seq 500 | less; echo after; read -r line", { env: { LESS: "" } })
      yield* seen(handle, /^:$/)
      const inside = yield* runtime.capture(handle, { range: { tail: 1000 } })
      yield* runtime.sendKeys(handle, ["q"])
      yield* seen(handle, "after")
      const outside = yield* runtime.capture(handle, { range: { tail: 1000 } })

      assert.deepStrictEqual([inside.alternate, outside.alternate], [true, false])
      assert.deepStrictEqual(inside.rows, [...Array.from({ length: 23 }, (_, n) => `${n + 1}`), ":"])
      assert.deepStrictEqual(outside.rows, ["before", "after"])
    }).pipe(Effect.provide(layer)))

  it.live("case 110: says when older rows are not in it", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { handle } = yield* sh("seq 500; read -r line")
      const few = yield* sh("seq 20; read -r line")
      yield* seen(handle, /^500$/)
      yield* seen(few.handle, /^20$/)
      const all = yield* runtime.capture(handle, { range: "full" })
      const most = yield* runtime.capture(handle, { range: { tail: 5000 } })
      const visible = yield* runtime.capture(handle, { range: "visible" })
      const tail = yield* runtime.capture(few.handle, { range: { tail: 3 } })
      const whole = yield* runtime.capture(few.handle, { range: { tail: 5000 } })

      assert.deepStrictEqual([all.rows[0], all.rows.length, all.rows.at(-1)], ["378", 123, "500"])
      assert.deepStrictEqual(most.rows, all.rows)
      assert.deepStrictEqual(tail.rows, ["18", "19", "20"])
      assert.strictEqual(whole.rows.length, 20)
      assert.deepStrictEqual(
        [all, most, visible, tail, whole].map(({ truncated }) => truncated),
        [true, true, true, true, false]
      )
    }).pipe(Effect.provide(layer)))

  it.live("case 115: is the same in every locale of the program, and so is what it is sent", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const text = "é字🐈–ﬁ"
      for (const env of [{ LC_ALL: "C" }, { LC_ALL: "POSIX" }, { LANG: "C.UTF-8" }, {}]) {
        const { handle } = yield* sh("stty -echo; echo ready; while read -r line; do echo \"got $line\"; done", {
          env,
          unset: ["LANG", "LC_ALL", "LC_CTYPE"].filter((name) => !(name in env))
        })
        yield* seen(handle, "ready")
        yield* runtime.sendCommand(handle, text)
        const { line } = yield* seen(handle, /^got /)

        assert.strictEqual(line, `got ${text}`)
      }
    }).pipe(Effect.provide(layer)))

  const painter = (before: string, after: string) => `
    let frame = 0
    const paint = () => {
      process.stdout.write("${before}\\x1b[2J\\x1b[H")
      setTimeout(() => {
        process.stdout.write("head " + frame + "\\r\\n" + "body\\r\\n".repeat(10) + "foot " + frame + "${after}")
        frame += 1
        if (frame <= 10) setTimeout(paint, 70)
      }, 30)
    }
    paint()
    process.stdin.resume()`

  describe.concurrent("of a program that paints", () => {
    for (
      const [kind, program] of [
        ["bare", painter("", "")],
        ["marked as synchronized", painter("\\x1b[?2026h", "\\x1b[?2026l")]
      ] as const
    ) {
      it.live(`case 116: is of a whole frame once the screen is still (${kind})`, () =>
        Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          const { handle } = yield* spawn([process.execPath, "-e", program])
          yield* seen(handle, /^head/)
          const { rows } = yield* runtime.waitStable(handle, { quiet: "400 millis", timeout: "15 seconds" })

          assert.deepStrictEqual(rows.filter((row) => row !== ""), [
            "head 10",
            ...Array.from({ length: 10 }, () => "body"),
            "foot 10"
          ])
        }).pipe(Effect.provide(layer)))
    }
  })
})

describe("a send", () => {
  it.live("case 122: is not held up by a flood in five other panes", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { handle } = yield* sh("while read -r line; do echo \"got $line\"; done")
      for (let n = 0; n < 5; n++) yield* seen((yield* spawn(["yes"])).handle, /^y$/)
      const times: Array<number> = []
      for (let n = 0; n < 40; n++) {
        const sent = Effect.gen(function*() {
          const { mark } = yield* runtime.sendCommand(handle, `${n}`)
          yield* runtime.waitOutput(handle, { pattern: `got ${n}`, after: mark, timeout: "30 seconds" })
        })
        times.push(yield* processorOf(sent))
      }
      const [slow = Infinity] = times.toSorted((a, b) => b - a).slice(2)

      assert.isBelow(slow, 500, "milliseconds of the processor")
    }).pipe(Effect.provide(layer)), 60_000)
})
