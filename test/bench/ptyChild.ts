/** One figure of the embedded pty, as JSON on standard output: `latency PANES [FLOODS]`, `throughput`, `idle PANES`. */
import Headless from "@xterm/headless"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ReadStream } from "node:tty"
import * as Pty from "../../layers/Pty.ts"
import * as Native from "../../layers/pty/native.ts"
import type { RuntimeError } from "../../src/RuntimeError.ts"
import type { PaneHandle } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { quantile } from "./sampling.ts"

export interface Measured {
  readonly value: number
  readonly p95?: number
  readonly ours?: number
  readonly raw?: number
  readonly rss?: number
}

const quiet = ["sh", "-c", "stty -echo; printf ready; exec cat"] as const
const megabyte = 1024 * 1024

const open = (argv: readonly [string, ...Array<string>]) =>
  TerminalRuntime.use((runtime) => Effect.map(runtime.spawn({ program: { argv } }), ({ handle }) => handle))
const see = (pane: PaneHandle, pattern: string | RegExp) =>
  TerminalRuntime.use((runtime) => runtime.waitOutput(pane, { pattern, timeout: "60 seconds" }))
const many = (count: number, argv: readonly [string, ...Array<string>]) =>
  Effect.forEach(Array.from({ length: count }), () => Effect.tap(open(argv), (pane) => see(pane, "ready")))

/** What the loop does before it sleeps, so that a figure is not taken in the middle of something else. */
const settled = Effect.andThen(Effect.sync(() => globalThis.gc?.()), Effect.sleep("500 millis"))

const rss = () => process.memoryUsage.rss() / megabyte

/** Longer than the pause between two looks at one pane while output streams, which is no latency of a single send. */
const apart = "60 millis"

const latency = Effect.fnUntraced(function*(count: number, floods: number) {
  const runtime = yield* TerminalRuntime
  const panes = yield* many(count, quiet)
  for (let n = 0; n < floods; n++) yield* open(["sh", "-c", "while :; do seq 1 100000; done"])
  const taken: Array<number> = []
  const samples = 200
  for (let n = -50; n < samples; n++) {
    const pane = panes[(n + 50) % panes.length]
    if (pane === undefined) continue
    const begin = performance.now()
    yield* runtime.sendCommand(pane, `x${n}x`)
    yield* see(pane, `x${n}x`)
    if (n >= 0) taken.push(performance.now() - begin)
    if (count < 50) yield* Effect.sleep(apart)
  }
  return { value: quantile(taken, 0.5), p95: quantile(taken, 0.95) } satisfies Measured
})

const lines = 400_000
const text = Array.from({ length: 2000 }, (_, n) => `${n} the quick brown fox jumps over the lazy dog ${n * 7919}\n`)
  .join("")

/** Megabytes a second of this process's processor time: it parses in one thread, and the clock counts others' work too. */
const speed = (bytes: number, begin: NodeJS.CpuUsage): number => {
  const { system, user } = process.cpuUsage(begin)
  return bytes / megabyte / ((system + user) / 1e6)
}

const rawRun = (native: Native.Loaded, file: string): Promise<number> =>
  new Promise((resolve) => {
    const term = new Headless.Terminal({ cols: 120, rows: 40, scrollback: 1000, allowProposedApi: true })
    const { fd } = native.native.fork(
      "cat",
      [file],
      [`PATH=${process.env.PATH}`],
      "/",
      120,
      40,
      -1,
      -1,
      true,
      native.helperPath,
      () => {}
    )
    const socket = new ReadStream(fd)
    const begin = process.cpuUsage()
    let bytes = 0
    socket.on("data", (chunk: Uint8Array) => {
      bytes += chunk.length
      term.write(chunk)
    })
    socket.on("error", () => socket.destroy())
    socket.on("close", () => term.write("", () => resolve(speed(bytes, begin))))
  })

/** Until who watches has seen the end: what the end of a program costs is no throughput. */
const ourRun = Effect.fnUntraced(function*(file: string, bytes: number) {
  const runtime = yield* TerminalRuntime
  const pane = yield* open(["sh", "-c", "cat \"$1\"; printf 'all of it'; exec cat", "sh", file])
  const begin = process.cpuUsage()
  yield* see(pane, "all of it")
  const reached = speed(bytes, begin)
  yield* runtime.closePane(pane)
  return reached
})

const throughput = Effect.gen(function*() {
  const folder = mkdtempSync(join(tmpdir(), "paneway-bench-"))
  const file = join(folder, "text")
  const parts = lines / 2000
  const out = openSync(file, "w")
  for (let n = 0; n < parts; n++) writeSync(out, text)
  closeSync(out)
  const bytes = (text.length + 2000) * parts // each newline becomes two bytes
  const native = yield* Native.load
  const ours: Array<number> = []
  const raw: Array<number> = []
  for (let round = 0; round < 16; round++) {
    const one = yield* ourRun(file, bytes)
    const other = yield* Effect.promise(() => rawRun(native, file))
    if (round === 0) continue
    ours.push(one)
    raw.push(other)
  }
  rmSync(folder, { recursive: true })
  const shares = ours.map((mine, round) => (mine / (raw[round] ?? Number.NaN)) * 100)
  return { value: quantile(shares, 0.5), ours: quantile(ours, 0.5), raw: quantile(raw, 0.5) } satisfies Measured
})

const idle = Effect.fnUntraced(function*(count: number) {
  const panes = yield* many(count, quiet)
  const waits = yield* Effect.forEach(
    panes,
    (pane) => Effect.forkChild(Effect.ignore(see(pane, "never")), { startImmediately: true })
  )
  yield* settled
  const begin = process.cpuUsage()
  yield* Effect.sleep("5 seconds")
  const { system, user } = process.cpuUsage(begin)
  const measured: Measured = { value: (system + user) / 1000 / 50, rss: rss() }
  yield* Fiber.interruptAll(waits)
  return measured
})

const memory = Effect.fnUntraced(function*(count: number) {
  const runtime = yield* TerminalRuntime
  const script = "stty -echo; printf ready; read -r go; yes " + "w".repeat(119) +
    " | head -n 1100; printf filled; read -r go"
  const panes = yield* many(count, ["sh", "-c", script])
  yield* settled
  const before = rss()
  for (const pane of panes) {
    yield* runtime.sendCommand(pane, "go")
    yield* see(pane, "filled")
  }
  yield* settled
  return { value: (rss() - before) / count } satisfies Measured
})

const closing = Effect.fnUntraced(function*(count: number) {
  const runtime = yield* TerminalRuntime
  const panes = yield* many(count + 1, quiet)
  const [first, ...rest] = panes
  if (first === undefined) return { value: Number.NaN } satisfies Measured
  const timed = Effect.fnUntraced(function*(some: ReadonlyArray<PaneHandle>) {
    const begin = performance.now()
    yield* Effect.forEach(some, runtime.closePane, { concurrency: "unbounded", discard: true })
    return performance.now() - begin
  })
  const alone = yield* timed([first])
  let gap = 0
  let last = performance.now()
  const timer = setInterval(() => {
    gap = Math.max(gap, performance.now() - last)
    last = performance.now()
  }, 1)
  const together = yield* timed(rest)
  clearInterval(timer)
  return { value: together, ours: alone, p95: gap } satisfies Measured
})

const [what, first = "1", second = "0"] = process.argv.slice(2)
const measures: Readonly<Record<string, Effect.Effect<Measured, RuntimeError, TerminalRuntime>>> = {
  latency: latency(Number(first), Number(second)),
  throughput,
  idle: idle(Number(first)),
  memory: memory(Number(first)),
  closing: closing(Number(first))
}
const chosen = measures[what ?? ""] ?? throughput
const layer: Layer.Layer<TerminalRuntime> = Layer.orDie(Pty.layer({ scrollback: 1000 }))
const measured: Measured = await Effect.runPromise(Effect.orDie(chosen).pipe(Effect.provide(layer)))
writeFileSync(1, JSON.stringify(measured))
