/** The host as a process of its own: what a call costs, how soon what was sent is seen, and what 200 panes take. */
import * as Effect from "effect/Effect"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Hosts from "../../layers/host/hosts.ts"
import type { Service } from "../../src/Contract.ts"
import { NativeFailure, type RuntimeError } from "../../src/RuntimeError.ts"
import type { PaneHandle } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import type { Row } from "./row.ts"
import { interleaved, quantile, repeated } from "./sampling.ts"

/** Bundled by `scripts/bench.mjs` as for users. */
const entry = fileURLToPath(new URL("./bin/host.mjs", import.meta.url))

const panes = 200

/** Milliseconds for which the host does nothing but keep panes that are waited on. */
const quiet = 5000

/** What the system says of the process: its memory in MB, and milliseconds of a processor so far. */
const usageOf = (pid: number) => {
  const memory = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return { megabytes: Number(memory) / 1024, millis: (Number(fields[11]) + Number(fields[12])) * 10 }
}

const answering = { shell: "stty -echo; echo ready; while read -r word round; do echo \"got $round\"; done" } as const

const opened = (runtime: Service) =>
  Effect.gen(function*() {
    const { handle } = yield* runtime.spawn({ program: answering, cwd: "/" })
    yield* runtime.waitOutput(handle, { pattern: "ready", timeout: "20 seconds" })
    return handle
  })

/** Milliseconds until the pane shows a line, from before it is sent. */
const seen = Effect.fnUntraced(
  function*(runtime: Service, pane: PaneHandle, pattern: (text: string) => string | RegExp) {
    const times: Array<number> = []
    for (let round = 0; round < 60; round++) {
      // a pane that keeps changing is looked at every 50 ms
      yield* Effect.sleep("60 millis")
      const begin = performance.now()
      const { mark } = yield* runtime.sendCommand(pane, `round ${round}.`)
      yield* runtime.waitOutput(pane, { pattern: pattern(`got ${round}.`), timeout: "20 seconds", after: mark })
      times.push(performance.now() - begin)
    }
    return times
  }
)

const shown = (name: string, times: ReadonlyArray<number>, most: number): Row => ({
  name,
  value: quantile(times, 0.5),
  unit: "ms",
  target: { most },
  detail: `p95 ${quantile(times, 0.95).toFixed(1)} ms`
})

const measure = Effect.fnUntraced(function*(runtime: Service, pid: number) {
  const base = usageOf(pid)
  const pane = yield* opened(runtime)
  const calls: Readonly<Record<string, Effect.Effect<unknown, RuntimeError>>> = {
    probe: runtime.probe([pane]),
    describe: runtime.describe(pane),
    capture: runtime.capture(pane),
    "send of a key": runtime.sendKeys(pane, ["a"])
  }
  const taken = yield* Effect.promise(() =>
    interleaved(
      Object.entries(calls).map(([name, call]) => repeated(name, call)),
      { count: 20, rounds: 30, warmUp: 200 }
    )
  )
  const other = yield* opened(runtime)
  const text = yield* seen(runtime, other, (text) => text)
  const expression = yield* seen(runtime, other, (text) => new RegExp(`^(g+)(o*)t ${text.slice(4)}(\\s*)$`))

  yield* Effect.forEach(Array.from({ length: panes - 2 }), () => opened(runtime), { concurrency: 8, discard: true })
  const full = usageOf(pid)
  const handles = (yield* runtime.listPanes()).map(({ handle }) => handle)
  const waits = yield* Effect.forEach(handles, (handle) =>
    Effect.forkScoped(
      Effect.exit(runtime.waitOutput(handle, { pattern: "never", timeout: "10 minutes" })),
      { startImmediately: true }
    ))
  yield* Effect.sleep("1 second")
  const before = usageOf(pid)
  yield* Effect.sleep(quiet)
  const idle = usageOf(pid)
  const many = yield* seen(runtime, other, (text) => text)

  return [
    ...Object.keys(calls).map((name): Row => ({
      name: `host: ${name} over the unix socket`,
      value: taken.get(name) ?? Number.NaN,
      unit: "us",
      target: { most: 600 }
    })),
    shown("host: send -> seen, 1 pane", text, 3),
    shown("host: send -> seen by a regular expression, 1 pane", expression, 4),
    shown(`host: send -> seen, ${panes} panes waited on`, many, 3),
    {
      name: `host: memory with ${panes} panes`,
      value: full.megabytes,
      unit: "MB",
      target: { most: 150 },
      detail: `${base.megabytes.toFixed(0)} MB without one`
    },
    {
      name: `host: ${panes} panes waited on and quiet`,
      value: ((idle.millis - before.millis) / quiet) * 100,
      unit: "%",
      target: { most: 0.3 },
      detail: `of a core, ${waits.length} waits`
    }
  ] satisfies ReadonlyArray<Row>
})

export const host = Effect.gen(function*() {
  const home = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "paneway-bench-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true, maxRetries: 3 }))
  )
  const env = { PATH: process.env["PATH"], SHELL: "/bin/sh", HOME: home, XDG_RUNTIME_DIR: home }
  const hosts = Hosts.make({ entry, version: "bench", env })
  yield* Effect.addFinalizer(() => Effect.ignore(hosts.stop(true)))
  const { pid } = yield* hosts.ensure
  return yield* Effect.provide(
    TerminalRuntime.use((runtime) => Effect.scoped(measure(runtime, pid))),
    hosts.layer
  ).pipe(
    Effect.catchTag(
      "Unsupported",
      ({ message }) => Effect.fail(new NativeFailure({ runtime: "pty", operation: "bench", detail: message }))
    )
  )
})
