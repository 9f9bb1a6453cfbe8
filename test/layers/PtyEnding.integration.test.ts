import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Pty from "../../layers/Pty.ts"
import type { PaneHandle } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { watching } from "../fixtures/loop.ts"
import { running, seconds, until } from "../fixtures/processes.ts"

const layer = Pty.layer({ size: { columns: 80, rows: 24 }, stall: "300 millis" })
const open = (script: string) =>
  TerminalRuntime.use((runtime) =>
    Effect.map(runtime.spawn({ program: { argv: ["sh", "-c", script] } }), ({ handle }) => handle)
  )

/** Four processes that a signal to the shell alone would leave behind, each in its own way. */
const stubborn = (n: string) =>
  `nohup sleep ${n} >/dev/null 2>&1 & (setsid sleep ${n} <&- >&- 2>&- &); (trap '' HUP TERM; sleep ${n}) & echo started; sleep ${n}`

const terminals = () =>
  readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).includes("ptmx")
    } catch {
      return false
    }
  }).length

const linux = process.platform === "linux"

describe.runIf(linux)("the end of the process that owns a pane", () => {
  const owner = Effect.fnUntraced(function*(how: string, n: string, signal?: NodeJS.Signals) {
    const child = spawn(process.execPath, ["test/fixtures/ptyOwner.ts", how, stubborn(n)], {
      stdio: ["ignore", "pipe", "ignore"]
    })
    yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
    const ended = once(child, "exit")
    yield* Effect.promise(() => once(child.stdout, "data"))
    if (signal !== undefined) child.kill(signal)
    return yield* Effect.promise(() => ended)
  })

  for (
    const [name, how, signal, expected] of [
      ["process.exit", "exit", undefined, [7, null]],
      ["an exception that nobody catches", "throw", undefined, [1, null]],
      ["SIGTERM", "wait", "SIGTERM", [null, "SIGTERM"]],
      ["SIGHUP", "wait", "SIGHUP", [null, "SIGHUP"]]
    ] as const
  ) {
    it.live(`by ${name} ends all that the pane started, and is as it would be without a pane`, () =>
      Effect.gen(function*() {
        const n = seconds()
        const end = yield* owner(how, n, signal)

        assert.deepStrictEqual(end, [...expected])
        yield* until(() => running(n).length === 0)
      }))
  }
})

describe("panes that are closed together", () => {
  it.live("end in about the time of one, and the loop goes on meanwhile", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const n = seconds()
      const panes = yield* Effect.forEach(Array.from({ length: 60 }), () => open(`echo started; exec sleep ${n}`))
      yield* until(() => running(n).length === 60)
      const [, loop] = yield* watching(Effect.forEach(panes, runtime.closePane, { concurrency: "unbounded" }))

      assert.deepStrictEqual(running(n), [])
      assert.isBelow(loop.took, 2000)
      assert.isBelow(loop.gap, 150)
    }).pipe(Effect.provide(layer)))
})

describe.runIf(linux)("a pane", () => {
  it.live("has no descriptor by which it could type into another pane or read it", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const folder = mkdtempSync(join(tmpdir(), "paneway-isolation-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
      const hit = join(folder, "hit")
      const victims = yield* Effect.forEach([1, 2, 3], () =>
        open("echo started; while read -r line; do eval \"$line\"; done"))
      const attack = [
        "trap '' PIPE", // a descriptor of the test's own process may be a pipe that nobody reads
        "for file in /proc/$$/fd/*; do fd=${file##*/}",
        "case $(readlink $file) in *ptmx*) echo sees $fd;; esac",
        `[ $fd -le 2 ] || [ $fd = 255 ] || eval "printf 'touch ${hit}\\r\\n' >&$fd" 2>/dev/null`,
        "done; echo tri'ed'; read -r line"
      ].join("\n")
      const attacker = (yield* runtime.spawn({ program: { argv: ["bash", "-c", attack] } })).handle
      yield* runtime.waitOutput(attacker, { pattern: "tried", timeout: "10 seconds" })
      const { text } = yield* runtime.capture(attacker)
      for (const victim of victims) {
        yield* runtime.sendCommand(victim, "echo sti'll her'e")
        yield* runtime.waitOutput(victim, { pattern: "still here", timeout: "5 seconds" })
      }

      assert.notInclude(text, "sees")
      assert.isFalse(existsSync(hit))
    }).pipe(Effect.scoped, Effect.provide(layer)))

  it.live(
    "that was cut at any moment of any operation leaves no process and no descriptor",
    () =>
      Effect.gen(function*() {
        const seed = Number(process.env.SEED ?? randomBytes(4).readUInt32BE())
        const random = generator(seed)
        const before = terminals()
        const plans = Array.from({ length: 24 }, (_, round) => ({
          operation: operations[Math.floor(random() * operations.length)] ?? "open",
          moment: random() * 40,
          round,
          n: seconds()
        }))
        yield* Effect.forEach(
          plans,
          Effect.fnUntraced(function*({ moment, n, operation, round }) {
            const fiber = yield* Effect.forkChild(Effect.provide(oneOf(operation, n), layer), {
              startImmediately: true
            })
            yield* Effect.sleep(moment)
            yield* Fiber.interrupt(fiber)
            assert.deepStrictEqual(running(n), [], `SEED=${seed}: ${operation} cut in round ${round}`)
          }),
          { concurrency: 4 }
        )

        yield* until(() => terminals() <= before)
      }),
    30_000
  )

  it.live("whose spawn, send, wait or close is cut can still be driven and closed", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const seed = Number(process.env.SEED ?? randomBytes(4).readUInt32BE())
      const random = generator(seed)
      const n = seconds()
      const pane = yield* open(`while read -r line; do echo "got $line"; done; sleep ${n}`)
      for (let round = 0; round < 60; round++) {
        const cut = [
          runtime.sendCommand(pane, `round ${round}`),
          runtime.waitOutput(pane, { pattern: "never", timeout: "1 minute" }),
          runtime.capture(pane, { range: "full", ansi: true }),
          runtime.resize(pane, { columns: 60 + round, rows: 20 }),
          runtime.waitLifecycle({ condition: "pane-exited", target: pane, timeout: "1 minute" })
        ][Math.floor(random() * 5)] ?? Effect.void
        const fiber = yield* Effect.forkChild(cut, { startImmediately: true })
        yield* Effect.sleep(random() * 5)
        yield* Fiber.interrupt(fiber)
      }
      const { mark } = yield* runtime.sendCommand(pane, `seed ${seed}`)
      yield* runtime.waitOutput(pane, { pattern: `got seed ${seed}`, timeout: "5 seconds", after: mark })
      yield* runtime.closePane(pane)

      assert.deepStrictEqual(yield* runtime.listPanes(), [])
      assert.deepStrictEqual(running(n), [])
    }).pipe(Effect.provide(layer)))
})

const operations = ["open", "send", "stall", "wait", "close", "many"] as const

/** Each opens a pane that would run for long, then does something in it. */
const oneOf = Effect.fnUntraced(function*(operation: typeof operations[number], n: string) {
  const runtime = yield* TerminalRuntime
  const close = (pane: PaneHandle) => runtime.closePane(pane)
  if (operation === "many") {
    return yield* Effect.forEach([1, 2, 3], () => open(stubborn(n)), { concurrency: "unbounded", discard: true })
  }
  const pane = yield* open(operation === "close" ? stubborn(n) : `echo started; sleep ${n}`)
  if (operation === "send") yield* runtime.sendCommand(pane, "x")
  if (operation === "stall") yield* runtime.sendText(pane, "x\n".repeat(100_000), { allowNewlines: true })
  if (operation === "wait") yield* runtime.waitOutput(pane, { pattern: "never", timeout: "1 minute" })
  if (operation === "close") yield* close(pane)
})

/** mulberry32 */
const generator = (seed: number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
