/**
 * This adapter beside other ways to drive tmux, on one server in one run: a process for each call as programs write it by
 * hand, libtmux of Python, and two packages of npm. Those are measured where `.cache/compare` or the machine has them.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { execFile, type ExecFileException, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { createInterface } from "node:readline"
import { pathToFileURL } from "node:url"
import * as Tmux from "../../layers/Tmux.ts"
import * as Listing from "../../layers/tmux/listing.ts"
import { type RuntimeError, RuntimeUnavailable } from "../../src/RuntimeError.ts"
import type { PaneHandle } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import type { Row } from "./row.ts"
import { interleaved, quantile, repeated, type Variant } from "./sampling.ts"

type Runtime = TerminalRuntime["Service"]

const compare = resolve(".cache/compare")

interface Place {
  readonly folder: string
  readonly socket: string
  readonly env: Record<string, string>
}

/** A server by its name in a folder of its own, so that others, who know no sockets, can be shown to it. */
const place = Effect.acquireRelease(
  Effect.sync((): Place => {
    const folder = mkdtempSync(join(tmpdir(), "paneway-bench-"))
    const socket = join(folder, `tmux-${process.geteuid?.() ?? 0}`, "default")
    const outside = /^(?:TMUX|PANEWAY_|ACE_)/
    const set = Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || outside.test(name) ? [] : [[name, value] as const]
    )
    return {
      folder,
      socket,
      env: { ...Object.fromEntries(set), TMUX_TMPDIR: folder, SHELL: "/bin/sh", LC_ALL: "C.UTF-8" }
    }
  }),
  (place) =>
    Effect.andThen(
      Effect.promise(() => forked(place, "kill-server").catch(() => "")),
      Effect.sync(() => rmSync(place.folder, { recursive: true, force: true }))
    )
)

const forked = ({ env }: Place, ...args: ReadonlyArray<string>): Promise<string> =>
  new Promise((done, fail) =>
    execFile(
      "tmux",
      ["-u", ...args],
      { env, maxBuffer: 64 * 1024 * 1024 },
      (cause: ExecFileException | null, stdout) => cause === null ? done(stdout) : fail(cause)
    )
  )

const unavailable = (detail: string) => new RuntimeUnavailable({ runtime: "bench", reason: "refused", detail })

const variant = (name: string, operation: () => Promise<unknown>): Variant => ({
  name,
  times: async (count) => {
    for (let n = 0; n < count; n++) await operation()
  }
})

const ours = <E>(operation: Effect.Effect<unknown, E>): Variant => repeated("ours", operation)

const us = (taken: ReadonlyMap<string, number>, name: string) => taken.get(name) ?? Number.NaN

const shown = (value: number) => value >= 1000 ? `${(value / 1000).toFixed(2)} ms` : `${value.toFixed(0)} us`

/** How many times faster than a fork of tmux; what the others took beside it. */
const against = (what: string, taken: ReadonlyMap<string, number>, target: Row["target"], base = "fork"): Row => ({
  name: `tmux: ${what}, against ${base === "fork" ? "one forked tmux" : base}`,
  value: us(taken, base) / us(taken, "ours"),
  unit: "x",
  target,
  detail: [...taken].map(([name, value]) => `${name} ${shown(value)}`).join(", ")
})

const information = { least: 0 } as const

/** A process that repeats what Python's library does, as often as it is told, and says how long it took. */
const python = Effect.fnUntraced(function*({ env, folder }: Place) {
  const path = [join(compare, "python/usr/lib/python3/dist-packages"), process.env.PYTHONPATH ?? ""].join(":")
  const script = `
import sys, time, libtmux
server = libtmux.Server(socket_path=${JSON.stringify(join(folder, `tmux-${process.geteuid?.() ?? 0}`, "default"))})
pane = [p for p in server.panes if p.session_name == "plain"][0]
calls = {
  "query": lambda: server.panes.get(pane_id=pane.pane_id) and pane.cmd("display-message", "-p", "#{pane_id}"),
  "send": lambda: pane.send_keys("x", enter=False),
  "capture": lambda: pane.capture_pane(),
  "list": lambda: server.panes,
  "query1": lambda: pane.cmd("display-message", "-p", "#{pane_id}"),
}
print("ready", flush=True)
for line in sys.stdin:
  name, count = line.split()
  begin = time.perf_counter()
  for _ in range(int(count)): calls[name]()
  print(time.perf_counter() - begin, flush=True)
`
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn("python3", ["-c", script], { env: { ...env, PYTHONPATH: path } })),
    (child) => Effect.sync(() => child.kill())
  )
  child.stderr.resume()
  child.on("error", () => {})
  child.stdin.on("error", () => {})
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const first = yield* Effect.promise(() => lines.next())
  if (first.done === true) return () => new Array<Variant>()
  return (name: string): ReadonlyArray<Variant> => [{
    name: "libtmux",
    times: async (count) => {
      child.stdin.write(`${name} ${count}\n`)
      await lines.next()
    }
  }]
})

/** What the two packages have of the call: sending, and a capture. */
const packages = async ({ env }: Place): Promise<(name: string) => ReadonlyArray<Variant>> => {
  // they know no server but that of the environment
  process.env.TMUX_TMPDIR = env.TMUX_TMPDIR
  delete process.env.TMUX
  const node = join(compare, "node_modules/node-tmux/lib/tmux.js")
  const ao = join(compare, "node_modules/@composio/ao-plugin-runtime-tmux/dist/index.js")
  const found: Record<string, Array<Variant>> = {}
  const has = (path: string) => existsSync(path)
  if (has(node)) {
    const { tmux } = await import(pathToFileURL(node).href)
    const tm = await tmux()
    found.send = [variant("node-tmux", () => tm.writeInput("plain", "x"))]
    found.query = [variant("node-tmux", () => tm.hasSession("plain"))]
  }
  if (has(ao)) {
    const plugin = (await import(pathToFileURL(ao).href)).create()
    const handle = { id: "plain", data: {} }
    found.query = [...found.query ?? [], variant("ao-plugin", () => plugin.isAlive(handle))]
    found.capture = [variant("ao-plugin", () => plugin.getOutput(handle, 40))]
    found.command = [variant("ao-plugin", () => plugin.sendMessage(handle, "x"))]
  }
  return (name) => found[name] ?? []
}

const cat = { program: { argv: ["sh", "-c", "stty -echo; exec cat"] } } as const

/** Milliseconds from the output of a pane until its waiter has it, and what the server and this process used meanwhile. */
const waking = Effect.fnUntraced(function*(
  runtime: Runtime,
  panes: ReadonlyArray<PaneHandle>,
  server: number
) {
  const waiters = yield* Effect.forEach(panes, (pane) =>
    Effect.forkChild(
      Effect.ignore(runtime.waitOutput(pane, { pattern: "never", timeout: "10 minutes" })),
      { startImmediately: true }
    ))
  const [pane] = panes
  if (pane === undefined) return yield* unavailable("there are no panes")
  const samples: Array<number> = []
  for (let n = 0; n < 60; n++) {
    const word = `woken-${panes.length}-${n}.`
    const fiber = yield* Effect.forkChild(
      Effect.map(runtime.waitOutput(pane, { pattern: word, timeout: "20 seconds" }), () => performance.now()),
      { startImmediately: true }
    )
    // it is registered when it has looked once
    yield* Effect.sleep("20 millis")
    const begin = performance.now()
    yield* runtime.sendCommand(pane, word)
    samples.push((yield* Fiber.join(fiber)) - begin)
  }
  const before = [process.cpuUsage(), ticks(server), performance.now()] as const
  yield* Effect.sleep("3 seconds")
  const spent = process.cpuUsage(before[0])
  const wall = performance.now() - before[2]
  const own = (spent.user + spent.system) / 1000
  const theirs = (ticks(server) - before[1]) * 10
  yield* Fiber.interruptAll(waiters)
  return {
    p50: quantile(samples, 0.5),
    p95: quantile(samples, 0.95),
    own: own / wall * 100,
    theirs: theirs / wall * 100
  }
})

/** Hundredths of a second that a process has used. */
const ticks = (pid: number): number => {
  const [, rest = ""] = /\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? []
  const fields = rest.split(" ")
  return Number(fields[11]) + Number(fields[12])
}

export const tmux: Effect.Effect<ReadonlyArray<Row>, RuntimeError, Scope.Scope> = Effect.gen(function*() {
  const where = yield* place
  const { env, folder } = where
  const built = yield* Layer.build(Layer.fresh(Tmux.layer({
    server: { name: "default" },
    env: { ...env, XDG_RUNTIME_DIR: folder },
    session: "bench",
    size: { columns: 120, rows: 40 },
    deadline: Duration.seconds(30)
  })))
  const runtime = Context.get(built, TerminalRuntime)
  const { handle } = yield* runtime.spawn(cat)
  const shell = yield* runtime.spawn({ program: { argv: ["sh", "-c", "exec cat"] } })
  yield* Effect.promise(() => forked(where, "new-session", "-d", "-s", "plain", "-x", "120", "-y", "40", "exec cat"))
  const py = yield* python(where)
  const npm = yield* Effect.promise(() => packages(where))
  const { id } = handle
  const fork = (...args: ReadonlyArray<string>) => variant("fork", () => forked(where, ...args))
  /** A process that starts is as fast the first time; what runs in this one has to be warm. */
  const take = (variants: ReadonlyArray<Variant>, count: number, warmUp = 1000) =>
    Effect.promise(async () => {
      await variants.find(({ name }) => name === "ours")?.times(warmUp)
      return interleaved(variants, { count, rounds: 20, warmUp: 5 })
    })
  const rows: Array<Row> = []
  const all = Listing.query().format
  const same = (...args: ReadonlyArray<string>) =>
    variant("a fork that prints as much", () => forked(where, ...args, "-F", all))

  const queries = yield* take([
    ours(runtime.describe(handle)),
    fork("display-message", "-p", "-t", id, "#{pane_id} #{pane_dead}"),
    same("list-panes", "-t", id),
    ...py("query1"),
    ...npm("query")
  ], 10)
  rows.push(against("query of a pane", queries, { least: 30 }))
  rows.push(against("query of a pane", queries, information, "a fork that prints as much"))
  rows.push(against(
    "capture of 40 lines",
    yield* take([
      ours(runtime.capture(handle)),
      fork("capture-pane", "-p", "-t", id),
      ...py("capture"),
      ...npm("capture")
    ], 10),
    { least: 30 }
  ))

  const sends = yield* take([
    ours(runtime.send(shell.handle, { items: [{ message: "x" }, { key: "Enter" }] })),
    fork("send-keys", "-t", shell.handle.id, "-l", "--", "x"),
    variant("forks of the same work", async () => {
      const pane = shell.handle.id
      await forked(where, "list-panes", "-t", pane, "-F", "#{pane_dead} #{pane_in_mode} #{pane_input_off}")
      await forked(where, "display-message", "-p", "-t", pane, "#{history_size} #{cursor_y}")
      await forked(where, "send-keys", "-t", pane, "-l", "--", "x")
      await forked(where, "send-keys", "-t", pane, "Enter")
    }),
    ...py("send"),
    ...npm("send")
  ], 10)
  rows.push(against("guarded send", sends, { least: 25 }, "forks of the same work"))
  rows.push(against("guarded send", sends, { least: 15 }))

  const see = { n: 0 }
  const seen = yield* take(
    [
      ours(Effect.suspend(() => {
        const word = `seen-${see.n++}.`
        return Effect.andThen(
          runtime.sendCommand(handle, word),
          runtime.waitOutput(handle, { pattern: word, timeout: "10 seconds" })
        )
      })),
      variant("fork", async () => {
        const word = `seen-${see.n++}.`
        await forked(where, "send-keys", "-t", id, "-l", "--", word, ";", "send-keys", "-t", id, "Enter")
        while (!(await forked(where, "capture-pane", "-p", "-t", id)).includes(word));
      })
    ],
    8,
    300
  )
  rows.push(against("send and see it on the screen", seen, { least: 20 }, "fork"))
  for (const other of npm("command")) {
    const taken = yield* Effect.promise(() => interleaved([other], { count: 1, rounds: 5, warmUp: 1 }))
    rows.push({
      name: `tmux: a submitted message, ${other.name} against this adapter's`,
      value: us(taken, other.name) / us(sends, "ours"),
      unit: "x",
      target: information,
      detail: `${other.name} ${shown(us(taken, other.name))}; it sleeps 300 ms in each; for information`
    })
  }

  const filled = yield* runtime.spawn({ program: { argv: ["sh", "-c", "seq 1 2500; exec sleep 9999"] } })
  yield* Effect.promise(() => forked(where, "set-option", "-g", "history-limit", "12000"))
  const long = yield* runtime.spawn({ program: { argv: ["sh", "-c", "seq 1 10000; exec sleep 9999"] } })
  yield* runtime.waitOutput(long.handle, { pattern: /^10000$/, timeout: "20 seconds" })
  yield* runtime.closePane(filled.handle)
  rows.push(against(
    "capture of 10 000 lines",
    yield* take(
      [
        ours(runtime.capture(long.handle, { range: "full" })),
        fork("capture-pane", "-p", "-S", "-", "-t", long.handle.id)
      ],
      1,
      20
    ),
    information
  ))

  const server = Number(yield* Effect.promise(() => forked(where, "display-message", "-p", "#{pid}")))
  const panes: Array<PaneHandle> = [handle]
  for (const count of [1, 50, 200]) {
    while (panes.length < count) panes.push((yield* runtime.spawn(cat)).handle)
    const { own, p50, p95, theirs } = yield* waking(runtime, panes, server)
    const name = `tmux: send, output, woken, ${count} ${count === 1 ? "pane" : "panes"} watched`
    const detail = `idle processor: ${own.toFixed(2)} % here, ${theirs.toFixed(2)} % the server`
    rows.push(
      { name: `${name}, median`, value: p50, unit: "ms", target: { most: 3 }, detail },
      { name: `${name}, p95`, value: p95, unit: "ms", target: { most: 10 } }
    )
  }
  const lists = yield* take(
    [
      ours(runtime.listPanes()),
      fork("list-panes", "-a", "-F", "#{pane_id} #{session_name} #{window_name} #{pane_pid} #{pane_current_path}"),
      same("list-panes", "-a"),
      ...py("list")
    ],
    2,
    20
  )
  rows.push(against("list of 200 panes", lists, { least: 1 }))
  rows.push(against("list of 200 panes", lists, information, "a fork that prints as much"))
  return rows
})
