import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { execFileSync, spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Service } from "../../src/Contract.ts"
import type { RuntimeError } from "../../src/RuntimeError.ts"
import { type PaneHandle, windowName } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { entry, hostsOf, killed, user } from "../fixtures/hostUser.ts"
import { isAlive, running, seconds, until } from "../fixtures/processes.ts"

const inPanes = <A, E>(
  { layer }: Pick<Effect.Success<ReturnType<typeof user>>, "layer">,
  use: (runtime: Service) => Effect.Effect<A, E>
) => Effect.provide(TerminalRuntime.use(use), layer)

/** A program that takes what is typed and shows nothing, ends by itself never, and is found by its number. */
const deaf = (runtime: Service, time: string) =>
  runtime.spawn({ program: { shell: `sleep ${time} & stty -echo -icanon; echo ready; wait` }, cwd: "/" }).pipe(
    Effect.tap(({ handle }) => runtime.waitOutput(handle, { pattern: "ready", timeout: "10 seconds" }))
  )

/** What each call that is under way tells when its host is killed. */
const commands: ReadonlyArray<
  readonly [string, (runtime: Service, pane: PaneHandle) => Effect.Effect<unknown, RuntimeError>, ReadonlyArray<string>]
> = [
  // larger than what the terminal takes, so that it is in the middle
  ["send", (rt, pane) => rt.sendText(pane, "x".repeat(1_000_000)), ["SendStalled"]],
  ["run", (rt, pane) => rt.run(pane, { command: "true", timeout: "1 minute" }), ["SendStalled", "SendRejected"]],
  ["waitOutput", (rt, pane) => rt.waitOutput(pane, { pattern: "never", timeout: "1 minute" }), ["RuntimeUnavailable"]],
  ["waitStable", (rt, pane) => rt.waitStable(pane, { quiet: "50 seconds", timeout: "1 minute" }), [
    "RuntimeUnavailable"
  ]],
  ["waitLifecycle", (rt, pane) => rt.waitLifecycle({ condition: "pane-exited", target: pane, timeout: "1 minute" }), [
    "RuntimeUnavailable"
  ]],
  ["output", (rt, pane) => Stream.runDrain(rt.output(pane)), ["RuntimeUnavailable"]],
  ["events", (rt) => Stream.runDrain(rt.events), ["RuntimeUnavailable"]]
]

/** Short calls that follow each other until one of them meets the end of the host. */
const repeated: typeof commands = [
  ["spawn", (rt) => rt.spawn({ program: { argv: ["cat"] }, cwd: "/" }), ["SpawnFailed"]],
  ["ensureWindow", (rt) => {
    let round = 0
    return Effect.suspend(() => rt.ensureWindow({ name: `w${round++}`, root: "/" }))
  }, ["SpawnFailed"]],
  ["preparePane", (rt, pane) => Effect.flatMap(rt.describe(pane), ({ window }) => rt.preparePane({ window })), [
    "SpawnFailed",
    "RuntimeUnavailable"
  ]],
  ["capture", (rt, pane) => rt.capture(pane), ["RuntimeUnavailable"]],
  ["listPanes", (rt) => rt.listPanes(), ["RuntimeUnavailable"]],
  ["describe", (rt, pane) => rt.describe(pane), ["RuntimeUnavailable"]],
  ["resize", (rt, pane) => rt.resize(pane, { columns: 90, rows: 30 }), ["RuntimeUnavailable"]],
  ["closeWindow", (rt) => rt.closeWindow(windowName("absent")), ["RuntimeUnavailable", "TargetNotFound"]]
]

describe.concurrent("a host that is killed", () => {
  it.live(
    "fails each call that is under way as what may have become of it, and leaves nothing after the next",
    () =>
      Effect.gen(function*() {
        for (const [name, ask, expected] of commands) {
          const own = yield* user()
          const { pid } = yield* own.ensure
          const time = seconds()
          const error = yield* inPanes(own, (runtime) =>
            Effect.gen(function*() {
              const { handle } = yield* deaf(runtime, time)
              const asked = yield* Effect.forkChild(Effect.flip(Effect.asVoid(ask(runtime, handle))), {
                startImmediately: true
              })
              // the host has read it when it answers what was asked later
              yield* runtime.probe([handle])
              yield* killed(pid)
              return yield* Effect.timeout(Fiber.join(asked), "10 seconds")
            }))
          assert.include(expected, error._tag, name)
          yield* Effect.ignore(own.stop(true))
          assert.deepStrictEqual(running(time), [], name)
          assert.deepStrictEqual(readdirSync(own.directory).filter((one) => one.startsWith("host.")), [], name)
        }
      }).pipe(Effect.scoped),
    120_000
  )

  it.live("fails what is asked again and again at that moment in the same way", () =>
    Effect.gen(function*() {
      for (const [name, ask, expected] of repeated) {
        const own = yield* user()
        const { pid } = yield* own.ensure
        const error = yield* inPanes(own, (runtime) =>
          Effect.gen(function*() {
            const { handle } = yield* deaf(runtime, seconds())
            let done = 0
            const again = yield* Effect.forkChild(
              Effect.flip(
                Effect.forever(Effect.tap(Effect.asVoid(ask(runtime, handle)), () =>
                  Effect.sync(() => {
                    done += 1
                  })))
              ),
              { startImmediately: true }
            )
            if (name !== "closeWindow") yield* until(() => done > 2)
            yield* killed(pid)
            return yield* Effect.timeout(Fiber.join(again), "10 seconds")
          }))
        assert.include(expected, error._tag, `${name}: ${error.message}`)
        yield* Effect.ignore(own.stop(true))
      }
    }).pipe(Effect.scoped), 240_000)
})

const handleAt = (panes: ReadonlyArray<{ readonly handle: PaneHandle }>, at: number): PaneHandle => {
  const pane = panes[at]
  if (pane === undefined) throw new Error(`no pane ${at}`)
  return pane.handle
}

/** A client as another process would be: it asks by itself and is destroyed. */
const client = (socket: string) => {
  const connection = connect(socket)
  connection.on("error", () => {})
  let id = 0
  return {
    ask: (tag: string, payload: unknown) => {
      id += 1
      connection.write(`${JSON.stringify({ _tag: "Request", id: `${id}`, tag, payload, headers: [] })}\n`)
    },
    die: () => connection.destroy(),
    connection
  }
}

describe.concurrent("a host of many", () => {
  it.live("answers a thousand calls at once, each with its own answer", () =>
    Effect.gen(function*() {
      const own = yield* user()
      yield* own.ensure
      yield* inPanes(own, (runtime) =>
        Effect.gen(function*() {
          const panes = yield* Effect.forEach(
            Array.from({ length: 4 }, (_, at) => at),
            (at) =>
              Effect.tap(
                runtime.spawn({ program: { shell: `echo "pane number $((${at} + 0))"; exec cat` }, cwd: "/" }),
                ({ handle }) => runtime.waitOutput(handle, { pattern: `number ${at}`, timeout: "10 seconds" })
              )
          )
          const screens = yield* Effect.forEach(
            Array.from({ length: 1000 }, (_, at) => at % 4),
            (at) =>
              Effect.map(runtime.capture(handleAt(panes, at)), ({ text }) =>
                [
                  at,
                  text
                ] as const),
            { concurrency: "unbounded" }
          )
          for (const [at, text] of screens) assert.include(text, `pane number ${at}`)
        }))
    }).pipe(Effect.scoped), 60_000)

  it.live("keeps two hundred panes, each with its own, and ends all of them", () =>
    Effect.gen(function*() {
      const own = yield* user()
      yield* own.ensure
      const time = seconds()
      yield* inPanes(own, (runtime) =>
        Effect.gen(function*() {
          const panes = yield* Effect.forEach(
            Array.from({ length: 200 }, (_, at) => at),
            (at) =>
              Effect.map(
                runtime.spawn({ program: { shell: `echo "it is $((${at} + 0))."; exec sleep ${time}` }, cwd: "/" }),
                ({ handle }) => handle
              ),
            { concurrency: 8 }
          )
          yield* Effect.forEach(
            panes,
            (pane, at) => runtime.waitOutput(pane, { pattern: `it is ${at}.`, timeout: "20 seconds" }),
            { concurrency: "unbounded" }
          )
          assert.strictEqual((yield* runtime.listPanes()).length, 200)
        }))
      assert.strictEqual(running(time).length, 200)
      yield* own.stop(true)
      assert.deepStrictEqual(running(time), [])
    }).pipe(Effect.scoped), 120_000)

  it.live("is not disturbed by clients that come and die, say anything, or ask and go", () =>
    Effect.gen(function*() {
      const own = yield* user()
      const { pid } = yield* own.ensure
      const time = seconds()
      const { handle } = yield* inPanes(own, (runtime) => deaf(runtime, time))
      const socket = join(own.directory, "host.sock")
      const descriptors = () =>
        readdirSync(`/proc/${pid}/fd`).filter((fd) => {
          try {
            return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith("socket:")
          } catch {
            return false // closed meanwhile
          }
        }).length
      const before = descriptors()
      const payload = { pane: { ...handle }, pattern: { source: "(x+)(y+)", flags: "" }, timeout: 600_000 }
      for (let round = 0; round < 300; round++) {
        const { ask, connection, die } = client(socket)
        yield* Effect.callback<void>((resume) => {
          connection.once("connect", () => resume(Effect.void))
        })
        if (round % 5 === 0) connection.write(Buffer.from([0, 255, 10, 13, 10, 123, 10]))
        else if (round % 5 === 1) connection.write("{\"_tag\":\"Request\",\"id\":{},\"tag\":5}\n[]\nnull\n42\n\"x\"\n")
        else if (round % 5 === 2) ask("waitOutput", payload)
        else if (round % 5 === 3) ask("nothing", { a: 1 })
        else connection.write(`{"_tag":"Request","id":"1","tag":"${"x".repeat(100_000)}`)
        die()
      }
      const told = yield* own.status
      assert.deepInclude(told, { pid, panes: 1, live: 1 })
      yield* until(() => descriptors() <= before)
      const last = yield* own.status
      assert.strictEqual(last.clients, 1)
    }).pipe(Effect.scoped), 60_000)

  it.live(
    "lets go of a pane whose sender died in the middle, which the next one can send to",
    () =>
      Effect.gen(function*() {
        const own = yield* user()
        yield* own.ensure
        const { handle } = yield* inPanes(own, (runtime) =>
          Effect.tap(
            runtime.spawn({ program: { shell: "stty -echo; echo ready; cat > /dev/null; echo over" }, cwd: "/" }),
            ({ handle }) => runtime.waitOutput(handle, { pattern: "ready", timeout: "10 seconds" })
          ))
        const { ask, connection, die } = client(join(own.directory, "host.sock"))
        yield* Effect.callback<void>((resume) => {
          connection.once("connect", () => resume(Effect.void))
        })
        const line = `${"y".repeat(100)}\n`
        ask("send", {
          pane: { ...handle },
          request: { items: [{ message: line.repeat(5000) }] },
          options: { allowNewlines: true }
        })
        yield* own.status
        die()
        yield* inPanes(own, (runtime) =>
          Effect.andThen(
            runtime.sendKeys(handle, ["Enter", "C-d"]),
            runtime.waitOutput(handle, { pattern: "over", timeout: "10 seconds" })
          ))
      }).pipe(Effect.scoped),
    60_000
  )
})

/** A host that is started beside others; says what it said first. */
const contender = (env: NodeJS.ProcessEnv) =>
  Effect.callback<{ readonly pid: number; readonly line: string }>((resume) => {
    const child = spawn(process.execPath, [entry], { env, stdio: ["ignore", "pipe", "ignore"], cwd: "/" })
    let text = ""
    const told = () => resume(Effect.succeed({ pid: child.pid ?? 0, line: text }))
    child.stdout.on("data", (part) => {
      text += String(part)
      if (text.includes("\n")) told()
    })
    child.on("close", told)
  })

/** Two start at once; the next two find what the one that won left when it was killed, or nothing. */
const race = Effect.fnUntraced(
  function*({ env, status, stop }: Effect.Success<ReturnType<typeof user>>, last: "killed" | "stopped") {
    const started = yield* Effect.all([contender(env), contender(env)], { concurrency: 2 })
    const serving = started.filter(({ line }) => line.includes("Serving"))
    assert.strictEqual(serving.length, 1, started.map(({ line }) => line).join(""))
    const [{ pid } = { pid: 0 }] = serving
    assert.strictEqual((yield* status).pid, pid)
    if (last === "killed") yield* killed(pid)
    else yield* stop(true)
    yield* until(() => started.every((one) => !isAlive(one.pid)))
  }
)

describe.concurrent("hosts that race", () => {
  it.live("for one place are one each time, in fifty rounds", () =>
    Effect.gen(function*() {
      const own = yield* user()
      // most of the time is that of Node, which reads and compiles the same again and again
      const contended = { ...own, env: { ...own.env, NODE_COMPILE_CACHE: join(own.home, "compiled") } }
      for (let round = 0; round < 50; round++) yield* race(contended, round % 2 === 0 ? "killed" : "stopped")
    }).pipe(Effect.scoped), 240_000)
})

/** Until there is no room any more. */
const fill = (path: string) => {
  try {
    for (;;) writeFileSync(path, Buffer.alloc(4096), { flag: "a" })
  } catch {
    // full
  }
}

const mount = (disk: string) =>
  execFileSync("/bin/mount", ["-t", "tmpfs", "-o", "size=16k,mode=0700", "tmpfs", disk], { stdio: "pipe" })
const unmount = (disk: string) => execFileSync("/bin/umount", ["-l", disk])

/** Why no small disk can be had here; nothing, where it can. */
const noDisk = (): string | undefined => {
  const disk = mkdtempSync(join(tmpdir(), "pw-"))
  try {
    mount(disk)
    unmount(disk)
    return undefined
  } catch (cause) {
    return String(cause).trim().split("\n").at(-1)
  } finally {
    rmSync(disk, { recursive: true, force: true })
  }
}

const missing = noDisk()

describe.concurrent(
  `a disk that is full${missing === undefined ? "" : ` (none can be mounted: ${missing})`}`,
  () => {
    it.live.skipIf(missing !== undefined)(
      "keeps a host from starting, and says so; nothing is left, and it starts when there is room",
      () =>
        Effect.gen(function*() {
          const own = yield* user("small")
          const disk = join(own.home, "small")
          yield* Effect.acquireRelease(Effect.sync(() => mount(disk)), () => Effect.sync(() => unmount(disk)))
          mkdirSync(own.directory, { mode: 0o700 })
          const ballast = join(disk, "ballast")
          fill(ballast)
          const failed = yield* Effect.flip(own.ensure)
          assert.deepInclude(failed, { _tag: "RuntimeUnavailable" })
          assert.include(failed.message, "no space is left")
          assert.isFalse(existsSync(join(own.directory, "host.lock")))
          assert.isFalse(existsSync(join(own.directory, "host.sock")))
          assert.deepStrictEqual(hostsOf(own.home), [])

          execFileSync("rm", [ballast])
          const { started } = yield* own.ensure
          assert.isTrue(started)
          // a host that runs needs no room
          fill(ballast)
          const time = seconds()
          const { handle } = yield* inPanes(own, (runtime) => deaf(runtime, time))
          yield* inPanes(own, (runtime) => runtime.sendText(handle, "text"))
          yield* own.stop(true)
          assert.deepStrictEqual(running(time), [])
        }).pipe(Effect.scoped),
      60_000
    )
  }
)
