/** 200 agents that rest and are watched, in a host as a process of its own; and what one look at a screen costs. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Hosts from "../../layers/host/hosts.ts"
import * as AgentProfile from "../../src/agent/AgentProfile.ts"
import type { Service } from "../../src/Contract.ts"
import { NativeFailure } from "../../src/RuntimeError.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import type { Row } from "./row.ts"

/** Bundled by `scripts/bench.mjs` as for users. */
const entry = fileURLToPath(new URL("./bin/host.mjs", import.meta.url))

const panes = 200

/** Milliseconds for which nothing happens. */
const quiet = 5000

const line = "─".repeat(80)
const screen = ["❯ Rename the field", "", "● It is renamed in three files.", "", line, "❯", line, "  ? for shortcuts"]

/** Milliseconds of a processor that the process took so far. */
const spent = (pid: number) => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const measure = Effect.fnUntraced(function*(runtime: Service, pid: number, program: string) {
  const opened = yield* Effect.forEach(
    Array.from({ length: panes }),
    () => runtime.spawn({ program: { argv: [program] }, cwd: "/" }),
    { concurrency: 8 }
  )
  const handles = opened.map(({ handle }) => handle)
  const resting = new Set<string>()
  const allRest = yield* Deferred.make<void>()
  let changes = 0
  yield* Effect.forkScoped(
    Stream.runForEach(runtime.agents(handles), ({ pane, state }) => {
      changes++
      if (state === "idle") resting.add(pane.id)
      return resting.size === panes ? Deferred.succeed(allRest, undefined) : Effect.void
    }),
    { startImmediately: true }
  )
  yield* Deferred.await(allRest)
  yield* Effect.sleep("2 seconds")
  const told = changes
  const before = spent(pid)
  yield* Effect.sleep(quiet)
  const after = spent(pid)
  return {
    name: `agents: ${panes} that rest and are watched`,
    value: ((after - before) / quiet) * 100,
    unit: "%",
    target: { most: 1 },
    detail: `of a core; ${changes - told} changes told meanwhile`
  } satisfies Row
})

/** Microseconds of one verdict, on average. */
const verdict = Effect.sync((): Row => {
  const claude = AgentProfile.builtIn.find(({ name }) => name === "claude") ?? AgentProfile.builtIn[0]
  const rows = [...Array.from({ length: 42 }, (_, at) => `  ${at} total: number in src/orders.ts`), ...screen]
  const count = 2000
  const judge = () => claude === undefined ? undefined : AgentProfile.judge(claude, { rows })
  for (let at = 0; at < count; at++) judge()
  const begin = performance.now()
  for (let at = 0; at < count; at++) judge()
  return {
    name: "agents: verdict on a screen of 50 rows",
    value: ((performance.now() - begin) / count) * 1000,
    unit: "us",
    target: { most: 1000 }
  }
})

export const agents = Effect.gen(function*() {
  const home = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "paneway-bench-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true, maxRetries: 3 }))
  )
  const program = join(home, "claude")
  const text = screen.map((row) => `${row}\n`).join("")
  writeFileSync(program, `#!/bin/sh\nstty -echo\ncat <<'END'\n${text}END\nread -r line\n`, { mode: 0o755 })
  const env = { PATH: process.env["PATH"], SHELL: "/bin/sh", HOME: home, XDG_RUNTIME_DIR: home }
  const hosts = Hosts.make({ entry, version: "bench", env })
  yield* Effect.addFinalizer(() => Effect.ignore(hosts.stop(true)))
  const { pid } = yield* hosts.ensure
  const unseen = new NativeFailure({ runtime: "pty", operation: "bench", detail: "not all agents came to rest" })
  const rest = yield* Effect.provide(
    TerminalRuntime.use((runtime) => Effect.scoped(measure(runtime, pid, program))),
    hosts.layer
  ).pipe(
    Effect.timeoutOrElse({ duration: "2 minutes", orElse: () => Effect.fail(unseen) }),
    Effect.catchTag(
      "Unsupported",
      ({ message }) => Effect.fail(new NativeFailure({ runtime: "pty", operation: "bench", detail: message }))
    )
  )
  return [rest, yield* verdict]
})
