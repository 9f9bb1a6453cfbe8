import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { existsSync, linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { inject } from "vitest"
import * as Hosts from "../../layers/host/hosts.ts"
import * as Record from "../../layers/host/record.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { isAlive, seconds, until } from "../fixtures/processes.ts"

const entry = join(dirname(inject("bin")), "host.mjs")

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "paneway-host-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** A host in a runtime directory of its own, which ends with the scope. */
const user = Effect.fnUntraced(function*(variables: Readonly<Record<string, string>> = {}, config = "{}\n") {
  const home = yield* folder
  const env = {
    PATH: process.env["PATH"],
    SHELL: "/bin/sh",
    HOME: home,
    XDG_RUNTIME_DIR: home,
    XDG_CONFIG_HOME: join(home, "config"),
    ...variables
  }
  yield* Effect.promise(() => mkdir(join(home, "config", "paneway"), { recursive: true }))
  writeFileSync(join(home, "config", "paneway", "config.yml"), config)
  const hosts = Hosts.make({ entry, version: "test", env })
  yield* Effect.addFinalizer(() => Effect.ignore(hosts.stop(true)))
  const use = <A, E>(act: (runtime: TerminalRuntime["Service"]) => Effect.Effect<A, E>) =>
    Effect.provide(TerminalRuntime.use(act), hosts.layer)
  return { ...hosts, env, home, use, record: join(home, "paneway", "host.json") }
})

describe.concurrent("a host", () => {
  it.live("case 86: starts right after another one was stopped, twenty times", () =>
    Effect.gen(function*() {
      const { ensure, stop, use } = yield* user()
      const pids = new Set<number>()
      for (let round = 0; round < 20; round++) {
        const { pid, started } = yield* ensure
        pids.add(pid)
        assert.isTrue(started)
        if (round % 4 === 0) yield* use((runtime) => runtime.spawn({ program: { argv: ["cat"] }, cwd: "/" }))
        yield* stop(true)
      }

      assert.strictEqual(pids.size, 20)
    }).pipe(Effect.scoped), 60_000)

  it.live("case 86: starts while another one is stopping", () =>
    Effect.gen(function*() {
      const { ensure, stop, use } = yield* user()
      for (let round = 0; round < 5; round++) {
        const { pid } = yield* ensure
        yield* use((runtime) => runtime.spawn({ program: { shell: "trap '' TERM HUP; exec sleep 100" }, cwd: "/" }))
        const [, next] = yield* Effect.all([stop(true), Effect.delay(ensure, `${round * 20} millis`)], {
          concurrency: "unbounded"
        })
        // the old one, which did not stop yet, or a new one: never a failure
        if (next.pid === pid) yield* until(() => !isAlive(pid))
        const again = yield* ensure
        assert.notStrictEqual(again.pid, pid)
      }
    }).pipe(Effect.scoped), 60_000)

  it.live("case 158: lets its panes inherit what its config says, whoever started it", () =>
    Effect.gen(function*() {
      const { use } = yield* user(
        { API_TOKEN: "one", NPM_TOKEN: "two", PLAIN: "three" },
        "env:\n  deny: ['*_TOKEN', PLAIN]\n  allow: [NPM_TOKEN]\n"
      )
      const { groups } = yield* use((runtime) =>
        Effect.flatMap(
          runtime.spawn({ program: { shell: "echo \"<$API_TOKEN|$NPM_TOKEN|$PLAIN>\"; exec cat" }, cwd: "/" }),
          ({ handle }) => runtime.waitOutput(handle, { pattern: /<(.*)\|(.*)\|(.*)>/, timeout: "10 seconds" })
        )
      )

      assert.deepStrictEqual(groups, ["", "two", ""])
    }).pipe(Effect.scoped), 30_000)
})

describe.concurrent("a handle of a host that was killed", () => {
  it.live(
    "case 65, case 149: means nothing to the next one, which has a pane of the same id",
    () =>
      Effect.gen(function*() {
        const { ensure, use } = yield* user()
        const { pid } = yield* ensure
        const { handle } = yield* use((runtime) => runtime.spawn({ program: { argv: ["cat"] }, cwd: "/" }))
        process.kill(pid, "SIGKILL")
        yield* until(() => !isAlive(pid))
        const [before] = yield* use((runtime) => runtime.probe([handle]))
        yield* ensure
        const { handle: stranger } = yield* use((runtime) => runtime.spawn({ program: { argv: ["cat"] }, cwd: "/" }))
        const errors = yield* use((runtime) =>
          Effect.all([
            Effect.flip(runtime.sendCommand(handle, "stray")),
            Effect.flip(runtime.sendKeys(handle, ["C-c"])),
            Effect.flip(runtime.capture(handle)),
            Effect.flip(runtime.describe(handle)),
            Effect.flip(runtime.resize(handle, { columns: 80, rows: 24 })),
            Effect.flip(runtime.focus(handle)),
            Effect.flip(runtime.run(handle, { command: "true", timeout: "30 seconds" })),
            Effect.flip(runtime.waitOutput(handle, { pattern: "x", timeout: "30 seconds" }))
          ])
        )
        const closed = yield* use((runtime) => Effect.result(runtime.closePane(handle)))
        const [after] = yield* use((runtime) => runtime.probe([handle]))
        const screen = yield* use((runtime) => runtime.capture(stranger))

        assert.strictEqual(handle.id, stranger.id)
        assert.deepStrictEqual([...new Set(errors.map(({ _tag }) => _tag))], ["TargetNotFound"])
        assert.notDeepInclude(closed, { success: "closed" })
        assert.deepStrictEqual([before?.liveness, after?.liveness], ["unknown", "gone"])
        assert.deepStrictEqual([screen.text.trim(), (yield* use((runtime) => runtime.listPanes())).length], ["", 1])
      }).pipe(Effect.scoped),
    30_000
  )
})

describe.concurrent("the record of a host", () => {
  const damages = [
    ["is empty", ""],
    ["is cut", "{\"pid\":1,\"sta"],
    ["is of another shape", "{\"pid\":\"1\"}"],
    ["has NUL characters", "\0\0\0"]
  ] as const
  for (const [how, text] of damages) {
    it.live(
      `case 187, case 188: that ${how} hides no host, and ends no process that it may name`,
      () =>
        Effect.gen(function*() {
          const { ensure, record, status, stop } = yield* user()
          const { pid } = yield* ensure
          writeFileSync(record, text)

          assert.strictEqual((yield* status).pid, pid)
          assert.deepInclude(yield* ensure, { pid, started: false })
          assert.deepStrictEqual(yield* stop(false), { pid, ended: 0 })
          writeFileSync(record, text)
          const next = yield* ensure
          assert.isTrue(next.started)
          assert.deepInclude(JSON.parse(readFileSync(record, "utf8")), { pid: next.pid })
        }).pipe(Effect.scoped),
      30_000
    )
  }

  it.live("case 187: is written whole beside the old one, which whoever reads still has", () =>
    Effect.gen(function*() {
      const directory = yield* folder
      const place = { directory, socket: "", tag: "", record: join(directory, "host.json") }
      const content = (pid: number) => ({ pid, start: "1", boot: "b", protocol: 1, version: "1" })
      yield* Record.write(place, content(1))
      const old = join(directory, "old")
      linkSync(place.record, old)
      yield* Record.write(place, content(2))

      assert.deepInclude(JSON.parse(readFileSync(old, "utf8")), { pid: 1 })
      assert.deepInclude(Option.getOrThrow(yield* Record.read(place)), { pid: 2 })
      assert.deepStrictEqual(readdirSync(directory).toSorted(), ["host.json", "old"])
    }).pipe(Effect.scoped))
})

describe.concurrent("a runtime directory that is not there", () => {
  it.live("case 70: is named in the failure, and no other one is used instead", () =>
    Effect.gen(function*() {
      const missing = join(yield* folder, "missing")
      const { ensure, status, use } = yield* user({ XDG_RUNTIME_DIR: missing })
      const errors = [
        yield* Effect.flip(ensure),
        yield* Effect.flip(status),
        yield* Effect.flip(use((runtime) => runtime.spawn({ program: { argv: ["sleep", seconds()] }, cwd: "/" })))
      ]

      for (const error of errors) {
        assert.deepInclude(error, { _tag: "RuntimeUnavailable", reason: "refused" })
        assert.include(error.message, missing)
      }
      assert.isFalse(existsSync(missing))
    }).pipe(Effect.scoped))
})
