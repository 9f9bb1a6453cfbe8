import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { paneway } from "../fixtures/cli.ts"

/** The command line of a user with a runtime directory of their own, whose host ends with the scope. */
const user = Effect.gen(function*() {
  const directory = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "paneway-cli-"))),
    (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
  )
  const env = { XDG_RUNTIME_DIR: directory, XDG_CONFIG_HOME: directory, HOME: directory }
  const call = (...args: ReadonlyArray<string>) =>
    Effect.map(paneway(args, { env }), ({ code, stderr, stdout }) => ({ code, stderr, stdout: stdout.toString() }))
  yield* Effect.addFinalizer(() => call("host", "stop", "--force"))
  return call
})

describe("paneway host", () => {
  it.live("starts one host, tells of it, and stops it", () =>
    Effect.gen(function*() {
      const call = yield* user
      const before = yield* call("host", "status", "--json")
      const started = yield* call("host", "start", "--json")
      const again = yield* call("host", "start")
      const status = yield* call("host", "status", "--json")
      const stopped = yield* call("host", "stop")
      const after = yield* call("host", "status")
      const none = yield* call("host", "stop")
      const forced = yield* call("host", "stop", "--force", "--json")

      assert.strictEqual(before.code, 3)
      assert.deepInclude(JSON.parse(before.stderr), { _tag: "RuntimeUnavailable", exitCode: 3 })
      const { pid, ...rest } = JSON.parse(started.stdout)
      assert.deepStrictEqual(rest, { started: true, ended: 0 })
      assert.deepInclude(again, { code: 0, stdout: `${pid}\n`, stderr: "" })
      assert.deepInclude(JSON.parse(status.stdout), { pid, panes: 0, live: 0, clients: 1 })
      assert.deepInclude(stopped, { code: 0, stdout: "stopped\n" })
      assert.strictEqual(after.code, 3)
      assert.deepStrictEqual(none, { code: 0, stdout: "not-running\n", stderr: "" })
      assert.deepStrictEqual([forced.code, JSON.parse(forced.stdout)], [0, { result: "not-running", ended: 0 }])
    }).pipe(Effect.scoped))

  it.live("keeps a pane between commands, and is not stopped while it lives", () =>
    Effect.gen(function*() {
      const call = yield* user
      const none = yield* call("panes")
      const spawned = yield* call("spawn", "--", "cat")
      const handle = spawned.stdout.trim()
      const panes = yield* call("panes")
      const refused = yield* call("host", "stop", "--json")
      const forced = yield* call("host", "stop", "--force")
      const gone = yield* call("describe", handle)

      assert.strictEqual(none.code, 3)
      assert.deepInclude(spawned, { code: 0, stderr: "" })
      assert.match(handle, /^pty:p1~[0-9a-f]{10}$/)
      assert.include(panes.stdout, handle)
      assert.strictEqual(refused.code, 6)
      assert.deepInclude(JSON.parse(refused.stderr), { _tag: "OperationRefused", exitCode: 6 })
      assert.strictEqual(forced.code, 0)
      assert.strictEqual(gone.code, 3)
    }).pipe(Effect.scoped))

  it.live("is not needed for run, whose pane is its own", () =>
    Effect.gen(function*() {
      const call = yield* user
      const ran = yield* call("run", "--", "sh", "-c", "echo own; exit 3")
      const named = yield* call("run", "--runtime", "pty", "--", "true")
      const status = yield* call("host", "status")

      assert.deepInclude(ran, { code: 3, stdout: "own\n", stderr: "" })
      assert.deepInclude(named, { code: 0, stderr: "" })
      assert.strictEqual(status.code, 3)
    }).pipe(Effect.scoped))
})
