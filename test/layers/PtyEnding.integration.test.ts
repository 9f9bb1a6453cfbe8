import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { statFields } from "../../layers/internal/processTable.ts"
import * as Pty from "../../layers/Pty.ts"
import type { RuntimeError } from "../../src/RuntimeError.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { counter } from "../fixtures/fibers.ts"
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

/** How many processes this one has started that still run, or that it has not looked after. */
const children = () =>
  readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && statFields(readFileSync(`/proc/${pid}/stat`, "latin1"))[1] === `${process.pid}`
    } catch {
      return false
    }
  }).length

const linux = process.platform === "linux"

describe.runIf(linux).concurrent("the end of the process that owns a pane", () => {
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
      ["SIGINT", "wait", "SIGINT", [null, "SIGINT"]],
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
      const panes = yield* Effect.forEach(
        Array.from({ length: 60 }),
        () => open(`echo started; trap '' HUP; exec sleep ${n}`)
      )
      yield* until(() => running(n).length === 60)
      const [, loop] = yield* watching(Effect.forEach(panes, runtime.closePane, { concurrency: "unbounded" }))

      assert.deepStrictEqual(running(n), [])
      // each has half a second to end on its own
      assert.isBelow(loop.took, 15_000)
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
        yield* runtime.waitOutput(victim, { pattern: "still here", timeout: "30 seconds" })
      }

      assert.notInclude(text, "sees")
      assert.isFalse(existsSync(hit))
    }).pipe(Effect.scoped, Effect.provide(layer)))

  it.live(
    "that was cut at any moment of any operation leaves no process, fiber or descriptor",
    () =>
      Effect.gen(function*() {
        const seed = Number(process.env.SEED ?? randomBytes(4).readUInt32BE())
        const random = generator(seed)
        const before = [terminals(), children()] as const
        const folder = mkdtempSync(join(tmpdir(), "paneway-cut-"))
        yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
        const plans = Array.from({ length: 3 * operations.length }, (_, round) => {
          const operation = operations[round % operations.length] ?? "open"
          return { operation, moment: random() * (operation === "gate" ? 500 : 60), round, n: seconds() }
        })
        yield* Effect.forEach(
          plans,
          Effect.fnUntraced(function*({ moment, n, operation, round }) {
            const fibers = counter()
            const fiber = yield* fibers.fork(Effect.provide(oneOf(operation, n, folder), layer))
            yield* Effect.sleep(moment)
            yield* Fiber.interrupt(fiber)
            const where = `SEED=${seed}: ${operation} cut in round ${round}`
            assert.deepStrictEqual(running(n), [], where)
            assert.isAbove(fibers.started(), 0, where)
            yield* Effect.mapError(
              until(() => fibers.alive() === 0),
              () => `${where}: ${fibers.alive()} fibers are left`
            )
          }),
          { concurrency: 8 }
        )

        yield* until(() => terminals() <= before[0] && children() <= before[1])
      }).pipe(Effect.scoped),
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
      yield* runtime.waitOutput(pane, { pattern: `got seed ${seed}`, timeout: "30 seconds", after: mark })
      yield* runtime.closePane(pane)

      assert.deepStrictEqual(yield* runtime.listPanes(), [])
      assert.deepStrictEqual(running(n), [])
    }).pipe(Effect.provide(layer)))
})

const operations = [
  "open",
  "send",
  "gate",
  "stall",
  "escape",
  "wait",
  "still",
  "run",
  "output",
  "events",
  "resize",
  "capture",
  "close",
  "many"
] as const

/** Each opens a pane that would run for long, then does something in it. */
const oneOf = Effect.fnUntraced(function*(operation: typeof operations[number], n: string, folder: string) {
  const runtime = yield* TerminalRuntime
  if (operation === "many") {
    return yield* Effect.forEach([1, 2, 3], () => open(stubborn(n)), { concurrency: "unbounded", discard: true })
  }
  if (operation === "gate") {
    writeFileSync(join(folder, n), `echo loading; sleep ${n}`)
    const { handle } = yield* runtime.spawn({ program: { argv: ["bash", "--rcfile", join(folder, n), "-i"] } })
    return yield* Effect.asVoid(runtime.sendCommand(handle, "x"))
  }
  if (operation === "run") {
    const { handle } = yield* runtime.spawn({ program: { argv: ["/bin/sh", "-i"] } })
    return yield* Effect.asVoid(runtime.run(handle, { command: `sleep ${n}`, timeout: "1 minute" }))
  }
  const pane = yield* open(operation === "close" ? stubborn(n) : `echo started; sleep ${n}`)
  const keys = ["Escape", "Escape", "Escape", "a"]
  const acts: Record<Exclude<typeof operation, "many" | "gate" | "run">, Effect.Effect<unknown, RuntimeError>> = {
    open: Effect.void,
    send: runtime.sendCommand(pane, "x"),
    stall: runtime.sendText(pane, "x\n".repeat(100_000), { allowNewlines: true }),
    escape: runtime.sendKeys(pane, keys),
    wait: runtime.waitOutput(pane, { pattern: "never", timeout: "1 minute" }),
    still: runtime.waitStable(pane, { quiet: "30 seconds", timeout: "1 minute" }),
    output: Stream.runDrain(runtime.output(pane)),
    events: Stream.runDrain(runtime.events),
    resize: Effect.forEach(
      Array.from({ length: 100 }, (_, k) => 20 + k),
      (columns) => runtime.resize(pane, { columns, rows: 20 })
    ),
    capture: Effect.replicateEffect(runtime.capture(pane, { range: "full" }), 1000, { discard: true }),
    close: runtime.closePane(pane)
  }
  yield* Effect.ignore(acts[operation])
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
