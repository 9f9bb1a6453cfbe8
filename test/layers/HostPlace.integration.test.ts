import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, unlinkSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:net"
import { join } from "node:path"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { killed, user } from "../fixtures/hostUser.ts"
import { isAlive, running, seconds, until } from "../fixtures/processes.ts"

/** A host with a pane, and what becomes of both. */
const withPane = Effect.gen(function*() {
  const own = yield* user()
  const { pid } = yield* own.ensure
  const time = seconds()
  const { handle } = yield* own.open(time)
  yield* until(() => running(time).length === 1)
  const found = Effect.provide(TerminalRuntime.use((runtime) => runtime.describe(handle)), own.layer)
  /** The same host answers again, and knows its pane. */
  const recovered = Effect.gen(function*() {
    const status = yield* Effect.retry(own.status, { schedule: Schedule.spaced("20 millis"), times: 250 })
    assert.deepInclude(status, { pid, panes: 1 })
    assert.strictEqual((yield* found).handle.id, handle.id)
    assert.strictEqual(statSync(join(own.directory, "host.sock")).mode & 0o777, 0o600)
    assert.isTrue(existsSync(join(own.directory, "host.lock")))
    assert.isTrue(existsSync(join(own.directory, "host.json")))
    assert.deepInclude(yield* own.ensure, { pid, started: false })
  })
  return { ...own, pid, time, recovered, socket: join(own.directory, "host.sock") }
})

/** A signal takes effect a moment after it was sent. */
const stopped = (pid: number) =>
  Effect.suspend(() => {
    process.kill(pid, "SIGSTOP")
    return until(() => readFileSync(`/proc/${pid}/stat`, "utf8").includes(") T "))
  })

describe.concurrent("a host whose place is disturbed", () => {
  it.live("makes its socket again, each time that it is removed", () =>
    Effect.gen(function*() {
      const { recovered, socket } = yield* withPane
      for (let round = 0; round < 3; round++) {
        unlinkSync(socket)
        yield* until(() => existsSync(socket))
        yield* recovered
      }
    }).pipe(Effect.scoped), 30_000)

  it.live("takes the place of what stands in its socket's name", () =>
    Effect.gen(function*() {
      const { recovered, socket } = yield* withPane
      unlinkSync(socket)
      writeFileSync(`${socket}.other`, "")
      renameSync(`${socket}.other`, socket)
      yield* until(() => statSync(socket, { throwIfNoEntry: false })?.isSocket() === true)
      yield* recovered

      const other = yield* Effect.acquireRelease(
        Effect.callback<Server>((resume) => {
          const server = createServer((connection) => connection.destroy())
          server.listen(`${socket}.other`, () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.sync(() => server.close())
      )
      assert.isTrue(other.listening)
      const { ino } = statSync(`${socket}.other`)
      renameSync(`${socket}.other`, socket)
      yield* until(() => (statSync(socket, { throwIfNoEntry: false })?.ino ?? ino) !== ino)
      yield* recovered
    }).pipe(Effect.scoped), 30_000)

  it.live("makes its directory, its lock and its record again", () =>
    Effect.gen(function*() {
      const { directory, recovered, socket } = yield* withPane
      renameSync(directory, `${directory}.away`)
      yield* until(() => existsSync(socket))
      yield* recovered
      unlinkSync(join(directory, "host.lock"))
      yield* until(() => existsSync(join(directory, "host.lock")))
      yield* recovered
      // and goes on watching it
      unlinkSync(socket)
      yield* until(() => existsSync(socket))
      yield* recovered
    }).pipe(Effect.scoped), 30_000)

  it.live("ends with its panes when another host has its place", () =>
    Effect.gen(function*() {
      const { directory, ensure, pid, time } = yield* withPane
      yield* stopped(pid)
      rmSync(directory, { recursive: true })
      mkdirSync(directory, { mode: 0o700 })
      const next = yield* ensure
      assert.notStrictEqual(next.pid, pid)
      process.kill(pid, "SIGCONT")
      yield* until(() => !isAlive(pid))
      assert.deepStrictEqual(running(time), [])
      assert.deepInclude(yield* ensure, { pid: next.pid, started: false })
      yield* killed(next.pid)
    }).pipe(Effect.scoped), 30_000)

  it.live("is named, where it does not answer and its socket is gone", () =>
    Effect.gen(function*() {
      const { pid, socket, status, stop } = yield* withPane
      yield* stopped(pid)
      unlinkSync(socket)
      const told = yield* Effect.flip(status)
      assert.deepInclude(told, { _tag: "RuntimeUnavailable", reason: "timed-out" })
      assert.include(told.message, `process ${pid}`)
      assert.include(told.message, "host stop --force")
      yield* stop(true)
      yield* until(() => !isAlive(pid))
    }).pipe(Effect.scoped), 40_000)
})
