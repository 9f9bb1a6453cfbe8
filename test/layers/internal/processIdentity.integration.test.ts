import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fromProc, fromPs, reader } from "../../../layers/internal/processIdentity.ts"
import * as Identity from "../../../src/ProcessIdentity.ts"

const sleeping = Effect.acquireRelease(
  Effect.sync(() => spawn("sleep", ["60"], { stdio: "ignore" })),
  (child) => Effect.sync(() => child.kill("SIGKILL"))
)
const exited = (child: ReturnType<typeof spawn>) =>
  Effect.callback<void>((resume) => {
    child.once("exit", () => resume(Effect.void))
    child.kill("SIGKILL")
  })

/** A /proc of our own, with one process in it. */
const folder = Effect.acquireRelease(
  Effect.sync(() => {
    const path = mkdtempSync(join(tmpdir(), "paneway-proc-"))
    mkdirSync(join(path, "sys/kernel/random"), { recursive: true })
    mkdirSync(join(path, "7"))
    return path
  }),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)
const stat = (name: string, state: string, start: string) =>
  `7 (${name}) ${state} 1 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 ${start} 1 1 1\n`

const withoutProc = process.platform === "linux" ? "" : ": skipped, this is not Linux"
const withoutPs = spawnSync("ps", ["-p", "1"]).error === undefined ? "" : ": skipped, ps is not installed"

describe.skipIf(withoutProc !== "")(`processes in /proc${withoutProc}`, () => {
  it.live("are live until they end", () =>
    Effect.gen(function*() {
      const child = yield* sleeping
      const identity = Option.getOrThrow(yield* Identity.read(child.pid ?? 0, reader))

      assert.strictEqual(identity.boot, readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim())
      assert.strictEqual(yield* Identity.probe(identity, reader), "live")
      assert.isTrue(Option.contains(yield* Identity.read(child.pid ?? 0, reader), identity))

      yield* exited(child)
      assert.strictEqual(yield* Identity.probe(identity, reader), "gone")
      assert.isTrue(Option.isNone(yield* Identity.read(child.pid ?? 0, reader)))
    }))

  it.live("that have the number of an earlier one, or were there before a reboot, are other ones", () =>
    Effect.gen(function*() {
      const own = Option.getOrThrow(yield* Identity.read(process.pid, reader))
      const recorded = (fields: { readonly start?: string; readonly boot?: string; readonly host?: string }) =>
        Identity.probe(new Identity.ProcessIdentity({ ...own, ...fields }), reader)

      assert.strictEqual(yield* recorded({}), "live")
      assert.strictEqual(yield* recorded({ start: `${Number(own.start) - 1}` }), "gone")
      assert.strictEqual(yield* recorded({ boot: "00000000-0000-0000-0000-000000000000" }), "gone")
      assert.strictEqual(yield* recorded({ host: "elsewhere" }), "unknown")
    }))

  it.live("are read whatever their name, and a number reused meanwhile reads as gone", () =>
    Effect.gen(function*() {
      const path = yield* folder
      const own = fromProc(path, "here")
      const write = (text: string) => Effect.sync(() => writeFileSync(join(path, "7/stat"), text))
      yield* write(stat("a) R 1 (b", "S", "500"))
      yield* Effect.sync(() => writeFileSync(join(path, "sys/kernel/random/boot_id"), "boot-1\n"))
      const identity = Option.getOrThrow(yield* Identity.read(7, own))

      assert.deepInclude(identity, { host: "here", pid: 7, start: "500", boot: "boot-1" })
      yield* write(stat("other", "S", "501"))
      assert.strictEqual(yield* Identity.probe(identity, own), "gone")
      yield* write(stat("a", "Z", "500"))
      assert.strictEqual(yield* Identity.probe(identity, own), "gone")
      yield* write("garbage")
      assert.strictEqual(yield* Identity.probe(identity, own), "unknown")
      yield* write(stat("a", "S", "500"))
      yield* Effect.sync(() => rmSync(join(path, "sys"), { recursive: true }))
      assert.strictEqual(yield* Identity.probe(identity, own), "unknown")
      for (const pid of [8, 0, -1, 1.5, Number.NaN]) assert.strictEqual((yield* own.sight(pid))._tag, "Absent")
    }))
})

describe.skipIf(withoutPs !== "")(`processes by ps${withoutPs}`, () => {
  it.live("have a start while they live, and are absent then", () =>
    Effect.gen(function*() {
      const child = yield* sleeping
      const { sight } = fromPs()
      const first = yield* sight(child.pid ?? 0)

      assert.strictEqual(first._tag, "Started")
      assert.deepStrictEqual(yield* sight(child.pid ?? 0), first)
      yield* exited(child)
      assert.strictEqual((yield* sight(child.pid ?? 0))._tag, "Absent")
    }))
})
