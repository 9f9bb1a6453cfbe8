import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { killed, user } from "../fixtures/hostUser.ts"
import { running, seconds, until } from "../fixtures/processes.ts"

/** Files of a host, and of who held its place. */
const files = (directory: string) => readdirSync(directory).filter((name) => name !== "locks" && name !== "run")

/** A temporary directory of this test alone, until the scope closes. */
const temporary = Effect.acquireRelease(
  Effect.sync(() => {
    const { TMPDIR } = process.env
    const own = mkdtempSync(join(tmpdir(), "pw-"))
    process.env["TMPDIR"] = own
    return { former: TMPDIR, own }
  }),
  ({ former, own }) =>
    Effect.sync(() => {
      if (former === undefined) delete process.env["TMPDIR"]
      else process.env["TMPDIR"] = former
      rmSync(own, { recursive: true, force: true })
    })
)

describe.concurrent("what a killed host leaves", () => {
  it.live("is told by status, and ended and removed by stop --force", () =>
    Effect.gen(function*() {
      const { directory, ensure, open, status, stop } = yield* user()
      const { pid } = yield* ensure
      const time = seconds()
      yield* open(time)
      yield* until(() => running(time).length === 1)
      yield* killed(pid)

      const told = yield* Effect.flip(status)
      const refused = yield* Effect.flip(stop(false))
      assert.deepInclude(told, { _tag: "RuntimeUnavailable", reason: "not-running" })
      for (const said of ["1 process of its panes", "host.sock", "host.lock", "host.json", "host stop --force"]) {
        assert.include(told.message, said)
        assert.include(refused.message, said)
      }
      assert.strictEqual(running(time).length, 1)

      assert.deepStrictEqual(yield* stop(true), { pid, ended: 1 })
      assert.deepStrictEqual(running(time), [])
      assert.deepStrictEqual(files(directory), [])
      assert.deepStrictEqual(yield* stop(true), { ended: 0, absent: true })
      assert.deepStrictEqual(yield* stop(false), { ended: 0, absent: true })
    }).pipe(Effect.scoped), 30_000)

  it.live("is gone after the next one started and ended, whatever it was", () =>
    Effect.gen(function*() {
      const { directory, ensure, stop } = yield* user()
      const { pid } = yield* ensure
      yield* killed(pid)
      const holder = files(directory).find((name) => name.endsWith(".holder")) ?? ""
      writeFileSync(join(directory, "0123456789abcdef.holder"), "no record")
      writeFileSync(join(directory, "host.json.4711"), "{}")
      yield* ensure
      assert.notInclude(files(directory), holder)
      assert.notInclude(files(directory), "host.json.4711")
      yield* stop(true)
      assert.deepStrictEqual(files(directory), ["0123456789abcdef.holder"])
    }).pipe(Effect.scoped), 30_000)

  it.live("of a host that hangs goes with it", () =>
    Effect.gen(function*() {
      const { directory, ensure, open, stop } = yield* user()
      const { pid } = yield* ensure
      const time = seconds()
      yield* open(time)
      yield* until(() => running(time).length === 1)
      process.kill(pid, "SIGSTOP")
      const stopped = yield* stop(true)
      assert.strictEqual(stopped.pid, pid)
      // the pane's own program may be ending still
      assert.isAtLeast(stopped.ended, 1)
      assert.deepStrictEqual(running(time), [])
      assert.deepStrictEqual(files(directory), [])
    }).pipe(Effect.scoped), 40_000)
})

// alone: it changes the environment of this process
describe("what a killed host leaves elsewhere", () => {
  it.live(
    "is a short socket that the next host anywhere removes, and no socket of one that lives",
    () =>
      Effect.gen(function*() {
        // their own, so that no other host on this machine sweeps it
        yield* temporary
        const { at, ensure, home, place } = yield* user("long".repeat(30))
        const { pid } = yield* ensure
        const { socket } = yield* place
        assert.match(socket, /\/paneway-\d+\/[0-9a-f]{16}$/)
        const of = () => join(dirname(socket), randomBytes(8).toString("hex"))
        const [lives, file] = [of(), of()]
        yield* Effect.acquireRelease(
          Effect.callback<Server>((resume) => {
            const server = createServer()
            server.listen(lives, () => resume(Effect.succeed(server)))
          }),
          (server) => Effect.sync(() => server.close())
        )
        writeFileSync(file, "")
        yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(file)))
        yield* killed(pid)
        rmSync(join(home, "long".repeat(30)), { recursive: true })

        const other = at("other")
        // just made: it may be that of a host which does not listen yet
        yield* other.ensure
        yield* other.stop(true)
        assert.isTrue(existsSync(socket))
        for (const one of [socket, lives, file]) utimesSync(one, 1, 1)
        yield* other.ensure
        yield* other.stop(true)
        assert.deepStrictEqual([socket, lives, file].map((one) => existsSync(one)), [false, true, true])
      }).pipe(Effect.scoped),
    60_000
  )
})
