/** The embedded pty: latency, throughput, and what many panes cost. Each figure is taken in a process of its own. */
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Measured } from "./ptyChild.ts"
import type { Row } from "./row.ts"

/** Compiled beside this one by `scripts/bench.mjs`. */
const program = fileURLToPath(new URL("./ptyChild.mjs", import.meta.url))

/** What a process that owns many panes should be started with: V8 keeps three times this of what was garbage. */
const young = "--max-semi-space-size=4"

const child = (...args: ReadonlyArray<string>): Effect.Effect<Measured> =>
  Effect.callback((resume) => {
    execFile(
      process.execPath,
      ["--expose-gc", young, program, ...args],
      { timeout: 120_000 },
      (cause, stdout, stderr) => {
        resume(
          cause === null
            ? Effect.sync((): Measured => JSON.parse(stdout))
            : Effect.die(new Error(stderr, { cause }))
        )
      }
    )
  })

const latency = Effect.fnUntraced(function*(panes: number) {
  const { p95 = Number.NaN, value } = yield* child("latency", `${panes}`)
  const row: Row = {
    name: `pty: send -> parsed screen, ${panes} ${panes === 1 ? "pane" : "panes"}`,
    value,
    unit: "ms",
    target: { most: 3 },
    detail: `median; p95 ${p95.toFixed(1)} ms`
  }
  return row
})

export const pty = Effect.gen(function*() {
  const rows: Array<Row> = []
  for (const panes of [1, 50, 200]) rows.push(yield* latency(panes))
  for (const floods of [1, 8]) {
    const { p95 = Number.NaN, value } = yield* child("latency", "1", `${floods}`)
    rows.push({
      name: `pty: the same, beside ${floods} that ${floods === 1 ? "floods" : "flood"}`,
      value,
      unit: "ms",
      target: { most: Infinity },
      detail: `median; p95 ${p95.toFixed(1)} ms; for information`
    })
  }
  const { ours = Number.NaN, raw = Number.NaN, value } = yield* child("throughput")
  rows.push({
    name: "pty: throughput with a watcher, of raw @xterm/headless on the same pty",
    value,
    unit: "%",
    target: { least: 90 },
    detail: `${ours.toFixed(1)} MB a second of processor time, raw ${raw.toFixed(1)} MB`
  })
  const idle = yield* child("idle", "200")
  rows.push({
    name: "pty: processor of 200 panes that are waited for, idle",
    value: idle.value,
    unit: "%",
    target: { most: 0.3 },
    detail: "of one core"
  }, {
    name: "pty: memory of 200 panes that are waited for, empty",
    value: idle.rss ?? Number.NaN,
    unit: "MB",
    target: { most: 150 },
    detail: `with ${young}`
  })
  const filled = yield* child("memory", "60")
  rows.push({
    name: "pty: memory of a pane with 1000 rows of 120 columns, beyond an empty one",
    value: filled.value,
    unit: "MB",
    target: { most: 3 }
  })
  const closing = yield* child("closing", "200")
  rows.push({
    name: "pty: 200 panes closed together",
    value: closing.value,
    unit: "ms",
    target: { most: 1000 },
    detail: `one alone ${(closing.ours ?? Number.NaN).toFixed(0)} ms; the loop's longest gap ${
      (closing.p95 ?? Number.NaN).toFixed(0)
    } ms`
  })
  return rows
})
