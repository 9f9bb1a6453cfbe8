import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { spawn } from "node:child_process"
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { inject } from "vitest"
import * as Hosts from "../../layers/host/hosts.ts"
import { identity } from "../../layers/host/identity.ts"
import * as Pty from "../../layers/Pty.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { isAlive, running, seconds, until } from "../fixtures/processes.ts"

const entry = join(dirname(inject("bin")), "host.mjs")

const kill = (pid: number) => Effect.sync(() => isAlive(pid) && process.kill(pid, "SIGKILL"))

/** A user with a runtime directory of their own; whatever host they start is killed with the scope. */
const user = Effect.fnUntraced(function*(o: { readonly config?: string; readonly directory?: string } = {}) {
  const home = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "paneway-host-"))),
    (home) => Effect.promise(() => rm(home, { recursive: true, force: true }))
  )
  const directory = join(home, o.directory ?? "run")
  yield* Effect.promise(async () => {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await chmod(directory, 0o700)
    await mkdir(join(home, "config", "paneway"), { recursive: true })
    await writeFile(join(home, "config", "paneway", "config.yml"), o.config ?? "session: paneway\n")
  })
  const env = {
    PATH: process.env["PATH"],
    SHELL: "/bin/sh",
    NODE_OPTIONS: "--no-warnings",
    HOME: home,
    XDG_RUNTIME_DIR: directory,
    XDG_CONFIG_HOME: join(home, "config")
  }
  const pids = new Set<number>()
  const hosts = Hosts.make({ entry, version: "test", env })
  yield* Effect.addFinalizer(() =>
    // also one that a test started without telling
    Effect.andThen(Effect.ignore(hosts.stop(true)), Effect.forEach(pids, kill))
  )
  const ensure = Effect.tap(hosts.ensure, ({ pid }) => Effect.sync(() => pids.add(pid)))
  return { ...hosts, ensure, env, directory: join(directory, "paneway") }
})

/** In the panes of the user's host. */
const inPanes = <A, E, E2>(
  layer: Layer.Layer<TerminalRuntime, E>,
  use: (runtime: TerminalRuntime["Service"]) => Effect.Effect<A, E2>
) => Effect.provide(TerminalRuntime.use(use), layer)

const socketIn = (directory: string) => join(directory, "host.sock")

describe.concurrent("a host", () => {
  it.live("is started once, found by the next, and private to its user", () =>
    Effect.gen(function*() {
      const { directory, ensure, status, stop } = yield* user()
      const first = yield* ensure
      const second = yield* ensure
      const told = yield* status
      const [socket, folder, record] = yield* Effect.promise(() =>
        Promise.all([
          stat(socketIn(directory)),
          stat(directory),
          readFile(join(directory, "host.json"), "utf8")
        ])
      )

      assert.deepInclude(first, { started: true, ended: 0 })
      assert.deepStrictEqual(second, { pid: first.pid, started: false, ended: 0 })
      assert.deepInclude(told, { pid: first.pid, panes: 0, live: 0, clients: 1 })
      assert.strictEqual(socket.mode & 0o777, 0o600)
      assert.strictEqual(folder.mode & 0o777, 0o700)
      assert.deepInclude(JSON.parse(record), { pid: first.pid, protocol: 1 })

      assert.deepStrictEqual(yield* stop(false), { pid: first.pid, ended: 0 })
      yield* until(() => !isAlive(first.pid))
      const gone = yield* Effect.flip(status)
      assert.deepInclude(gone, { _tag: "RuntimeUnavailable", reason: "not-running" })
    }).pipe(Effect.scoped))

  it.live("keeps panes for the next command, under the same handles", () =>
    Effect.gen(function*() {
      const { ensure, layer } = yield* user()
      yield* ensure
      const { handle } = yield* inPanes(layer, (runtime) =>
        Effect.tap(
          runtime.spawn({ program: { shell: "printf 'here %s\\n' 1; exec cat" }, cwd: "/" }),
          ({ handle }) => runtime.waitOutput(handle, { pattern: "here 1", timeout: "10 seconds" })
        ))
      const found = yield* inPanes(layer, (runtime) => runtime.resolve(`${handle}`))
      const screen = yield* inPanes(layer, (runtime) => runtime.capture(handle))

      assert.match(`${handle}`, /^pty:p1~[0-9a-f]{10}$/)
      assert.strictEqual(`${found.handle}`, `${handle}`)
      assert.include(screen.text, "here 1")
    }).pipe(Effect.scoped))

  it.live("gives its panes the environment and the file mode of whoever started it", () =>
    Effect.gen(function*() {
      const { ensure, layer } = yield* user()
      yield* ensure
      const { groups } = yield* inPanes(layer, (runtime) =>
        Effect.flatMap(
          runtime.spawn({
            program: { shell: "echo \"<$(umask)|$NODE_OPTIONS|$(env | grep -c PANEWAY_HOST)>\"; exec cat" },
            cwd: "/"
          }),
          ({ handle }) => runtime.waitOutput(handle, { pattern: /<(\d+)\|(.*)\|(.*)>/, timeout: "10 seconds" })
        ))

      assert.deepStrictEqual(
        [Number.parseInt(groups[0] ?? "", 8), ...groups.slice(1)],
        [process.umask(), "--no-warnings", "0"]
      )
    }).pipe(Effect.scoped))

  it.live("is started by what creates something, and by nothing else", () =>
    Effect.gen(function*() {
      const { layer, status } = yield* user()
      const error = yield* Effect.flip(inPanes(layer, (runtime) => runtime.listPanes()))
      const still = yield* Effect.flip(status)
      const window = yield* inPanes(layer, (runtime) => runtime.ensureWindow({ name: "work", root: "/" }))
      const panes = yield* inPanes(layer, (runtime) => runtime.listPanes())

      assert.deepInclude(error, { _tag: "RuntimeUnavailable", reason: "not-running" })
      assert.deepInclude(still, { _tag: "RuntimeUnavailable", reason: "not-running" })
      assert.strictEqual(window.name, "work")
      assert.strictEqual(panes.length, 1)
    }).pipe(Effect.scoped))

  it.live("is not stopped while a pane lives, unless it is forced: then everything in its panes ends", () =>
    Effect.gen(function*() {
      const { ensure, layer, stop } = yield* user()
      const { pid } = yield* ensure
      const time = seconds()
      yield* inPanes(layer, (runtime) => runtime.spawn({ program: { argv: ["sleep", time] }, cwd: "/" }))
      yield* until(() => running(time).length === 1)
      const refused = yield* Effect.flip(stop(false))

      assert.deepInclude(refused, { _tag: "OperationRefused" })
      assert.isTrue(isAlive(pid))
      yield* stop(true)
      yield* until(() => !isAlive(pid))
      assert.deepStrictEqual(running(time), [])
    }).pipe(Effect.scoped))

  it.live("closes its panes when it is told to end by a signal", () =>
    Effect.gen(function*() {
      const { directory, ensure, layer } = yield* user()
      const { pid } = yield* ensure
      const time = seconds()
      yield* inPanes(layer, (runtime) =>
        runtime.spawn({ program: { shell: `setsid sleep ${time} & exec sleep ${time}` }, cwd: "/" }))
      yield* until(() =>
        running(time).length === 2
      )
      process.kill(pid, "SIGTERM")
      yield* until(() => !isAlive(pid))

      assert.deepStrictEqual(running(time), [])
      const left = yield* Effect.promise(() => readFile(join(directory, "host.json")).then(() => true, () => false))
      assert.isFalse(left)
    }).pipe(Effect.scoped))

  it.live("ends although a client does not read what it asked for", () =>
    Effect.gen(function*() {
      const { directory, ensure, stop } = yield* user()
      const { pid } = yield* ensure
      const client = yield* Effect.acquireRelease(
        Effect.sync(() => connect(socketIn(directory))),
        (client) => Effect.sync(() => client.destroy())
      )
      client.on("error", () => {})
      client.pause()
      const hello = (at: number) =>
        `${
          JSON.stringify({
            _tag: "Request",
            id: `${at}`,
            tag: "hello",
            payload: { protocol: 1, version: "" },
            headers: []
          })
        }\n`
      client.write(Array.from({ length: 50_000 }, (_, at) => hello(at)).join(""))
      yield* until(() => client.writableLength > 0)

      assert.deepStrictEqual(yield* stop(false), { pid, ended: 0 })
      yield* until(() => !isAlive(pid))
    }).pipe(Effect.scoped))

  it.live("gives up a regular expression that takes for ever, and answers everybody else", () =>
    Effect.gen(function*() {
      const { ensure, layer, status } = yield* user()
      yield* ensure
      const endless = yield* inPanes(layer, (runtime) =>
        Effect.gen(function*() {
          const { handle } = yield* runtime.spawn({
            program: { shell: `printf '%s\\n' ${"a".repeat(60)}c; exec cat` },
            cwd: "/"
          })
          yield* runtime.waitOutput(handle, { pattern: "ac", timeout: "10 seconds" })
          return yield* Effect.flip(runtime.waitOutput(handle, { pattern: /(a|a)*b/, timeout: "10 seconds" }))
        }))
      const told = yield* status

      assert.deepInclude(endless, { _tag: "InvalidRequest", operation: "waitOutput", field: "pattern" })
      assert.strictEqual(told.live, 1)
    }).pipe(Effect.scoped))

  it.live("that hangs says how it is ended, and is ended by force", () =>
    Effect.gen(function*() {
      const { ensure, stop } = yield* user()
      const { pid } = yield* ensure
      process.kill(pid, "SIGSTOP")
      const refused = yield* Effect.flip(stop(false))

      assert.deepInclude(refused, { _tag: "RuntimeUnavailable", reason: "timed-out" })
      assert.include(refused.message, "paneway host stop --force")
      assert.isTrue(isAlive(pid))
      assert.deepStrictEqual(yield* stop(true), { pid, ended: 0 })
      yield* until(() => !isAlive(pid))
    }).pipe(Effect.scoped), 40_000)

  it.live("that was killed is unavailable, and the next one ends what it left and says so", () =>
    Effect.gen(function*() {
      const { ensure, layer } = yield* user()
      const { pid } = yield* ensure
      const time = seconds()
      const { handle } = yield* inPanes(
        layer,
        (runtime) => runtime.spawn({ program: { shell: `setsid sleep ${time} & exec cat` }, cwd: "/" })
      )
      yield* until(() => running(time).length === 1)
      process.kill(pid, "SIGKILL")
      yield* until(() => !isAlive(pid))

      const error = yield* Effect.flip(inPanes(layer, (runtime) => runtime.listPanes()))
      const [probe] = yield* inPanes(layer, (runtime) => runtime.probe([handle]))
      assert.deepInclude(error, { _tag: "RuntimeUnavailable", reason: "not-running" })
      assert.strictEqual(probe?.liveness, "unknown")
      assert.strictEqual(running(time).length, 1)

      const next = yield* ensure
      assert.deepInclude(next, { started: true, ended: 1 })
      assert.notStrictEqual(next.pid, pid)
      assert.deepStrictEqual(running(time), [])
      const gone = yield* Effect.flip(inPanes(layer, (runtime) => runtime.describe(handle)))
      yield* inPanes(layer, (runtime) => runtime.spawn({ program: { argv: ["cat"] }, cwd: "/" }))
      const reissued = yield* Effect.flip(inPanes(layer, (runtime) => runtime.describe(handle)))
      const [proof] = yield* inPanes(layer, (runtime) => runtime.probe([handle]))
      assert.deepInclude(gone, { _tag: "TargetNotFound", reason: "absent" })
      assert.deepInclude(reissued, { _tag: "TargetNotFound", reason: "reissued" })
      assert.strictEqual(proof?.liveness, "gone")
    }).pipe(Effect.scoped))

  it.live("is one, however many start it at once", () =>
    Effect.gen(function*() {
      const { directory, ensure, env } = yield* user()
      const found = yield* Effect.all(Array.from({ length: 4 }, () => ensure), { concurrency: "unbounded" })
      const [first] = found
      assert.strictEqual(new Set(found.map(({ pid }) => pid)).size, 1)
      assert.strictEqual(found.filter(({ started }) => started).length, 1)

      // one that nobody asked a lock for ends at once, and takes nothing from the first
      const other = yield* Effect.callback<{ readonly code: number | null; readonly text: string }>((resume) => {
        const child = spawn(process.execPath, [entry], { env, stdio: ["ignore", "pipe", "ignore"] })
        let text = ""
        child.stdout.on("data", (data) => {
          text += String(data)
        })
        child.on("close", (code) => resume(Effect.succeed({ code, text })))
        return Effect.sync(() => child.kill("SIGKILL"))
      })
      assert.strictEqual(other.code, 1)
      assert.include(other.text, `process ${first?.pid} is the host already`)
      assert.strictEqual((yield* ensure).pid, first?.pid)
      assert.strictEqual((yield* Effect.promise(() => stat(socketIn(directory)))).mode & 0o777, 0o600)
    }).pipe(Effect.scoped))

  it.live("takes the place of a socket and a lock that a killed one left", () =>
    Effect.gen(function*() {
      const { directory, ensure } = yield* user()
      const { pid } = yield* ensure
      process.kill(pid, "SIGKILL")
      yield* until(() => !isAlive(pid))
      yield* Effect.promise(() => Promise.all([stat(socketIn(directory)), stat(join(directory, "host.lock"))]))
      const next = yield* ensure

      assert.isTrue(next.started)
      assert.isTrue(isAlive(next.pid))
    }).pipe(Effect.scoped))

  it.live("ends by itself when it had no pane and no client for its time", () =>
    Effect.gen(function*() {
      const { ensure, layer } = yield* user({ config: "host:\n  idle: 400 millis\n" })
      const { pid } = yield* ensure
      yield* inPanes(layer, (runtime) =>
        Effect.flatMap(
          runtime.spawn({ program: { argv: ["cat"] }, cwd: "/" }),
          ({ handle }) => runtime.closePane(handle)
        ))
      yield* until(() => !isAlive(pid))
    }).pipe(Effect.scoped))

  it.live("does not start with a config file that is wrong, and says where", () =>
    Effect.gen(function*() {
      const { ensure } = yield* user({ config: "hots: 1\n" })
      const error = yield* Effect.flip(ensure)

      assert.deepInclude(error, { _tag: "RuntimeUnavailable" })
      assert.include(error.message, "hots")
    }).pipe(Effect.scoped))

  it.live("has a short socket however long its directory is", () =>
    Effect.gen(function*() {
      const { ensure, layer } = yield* user({ directory: "long".repeat(30) })
      const { pid } = yield* ensure
      const { handle } = yield* inPanes(layer, (runtime) => runtime.spawn({ program: { argv: ["cat"] }, cwd: "/" }))

      assert.isTrue(isAlive(pid))
      assert.isBelow(Buffer.byteLength(handle.scope), 101)
      assert.match(handle.scope, /paneway-\d+\/[0-9a-f]{16}$/)
    }).pipe(Effect.scoped))

  it.live("says of itself what the embedded pty says, and that it tells agents by their screens", () =>
    Effect.gen(function*() {
      const { capabilities, runtime, sendProfile } = yield* TerminalRuntime
      assert.deepStrictEqual(identity, {
        runtime,
        sendProfile,
        capabilities: { ...capabilities, agentState: "derived" }
      })
    }).pipe(Effect.provide(Pty.layer())))
})

/** A host of another version: it answers every greeting, and its record names a process that is not it. */
const ofAnotherVersion = Effect.fnUntraced(function*(directory: string, protocol: number) {
  yield* Effect.promise(() => mkdir(directory, { mode: 0o700, recursive: true }))
  const time = seconds()
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn("sleep", [time], { stdio: "ignore" })),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const hello = { protocol, version: "9.8.7", pid: child.pid, runtime: "pty", sendProfile: "x", capabilities: {} }
  yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer((socket) => {
        socket.on("error", () => {})
        socket.on("data", (data) => {
          const { id } = JSON.parse(data.toString().split("\n")[0] ?? "{}")
          socket.write(
            `${JSON.stringify({ _tag: "Exit", requestId: id, exit: { _tag: "Success", value: hello } })}\n`
          )
        })
      })
      server.listen(socketIn(directory), () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => server.close())
  )
  yield* Effect.promise(async () => {
    const stats = await readFile(`/proc/${child.pid}/stat`, "utf8")
    const boot = (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim()
    const start = stats.slice(stats.lastIndexOf(")") + 2).split(" ")[19]
    await writeFile(
      join(directory, "host.json"),
      JSON.stringify({ pid: child.pid, start, boot, protocol, version: "9.8.7" })
    )
  })
  return time
})

describe.concurrent("a host of another version", () => {
  it.live.each([{ which: "an older", protocol: 0 }, { which: "a later", protocol: 99 }])(
    "is refused with advice, never replaced, and stopped only by force: $which one",
    ({ protocol }) =>
      Effect.gen(function*() {
        const { directory, ensure, layer, stop } = yield* user()
        const time = yield* ofAnotherVersion(directory, protocol)
        const started = yield* Effect.flip(ensure)
        const asked = yield* Effect.flip(inPanes(layer, (runtime) => runtime.spawn({})))
        const stopped = yield* Effect.flip(stop(false))

        assert.deepInclude(started, { _tag: "RuntimeUnavailable", reason: "unsupported-version" })
        assert.include(started.message, "9.8.7")
        assert.deepInclude(asked, { _tag: "RuntimeUnavailable", reason: "unsupported-version" })
        assert.deepInclude(stopped, { _tag: "OperationRefused" })
        assert.strictEqual(running(time).length, 1)

        yield* stop(true)
        assert.deepStrictEqual(running(time), [])
      }).pipe(Effect.scoped)
  )
})
