import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { paneway } from "../fixtures/cli.ts"

/** A home, and a directory with all programs that are on PATH but that one. */
const without = (name: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const home = mkdtempSync(join(tmpdir(), "paneway-test-"))
      const bin = join(home, "bin")
      mkdirSync(bin)
      for (const folder of (process.env["PATH"] ?? "").split(":").filter((path) => existsSync(path))) {
        for (const program of readdirSync(folder)) {
          if (program === name || existsSync(join(bin, program))) continue
          if (existsSync(join(folder, program))) symlinkSync(join(folder, program), join(bin, program))
        }
      }
      return [home, bin] as const
    }),
    ([home]) => Effect.sync(() => rmSync(home, { recursive: true, force: true }))
  )

describe("paneway doctor", () => {
  it.live("tells of each runtime whether it can be used, and by what facts", () =>
    Effect.gen(function*() {
      const told = yield* paneway(["doctor"])
      const json = yield* paneway(["doctor", "--json"])

      assert.match(
        told.stdout.toString(),
        /^pty: can be used\n {2}the native module for \S+ is loaded\n {2}\/dev\/ptmx/
      )
      assert.deepInclude(JSON.parse(json.stdout.toString()).runtimes[0], { runtime: "pty", usable: true, advice: [] })
      assert.deepStrictEqual([told.code, json.code, told.stderr, json.stderr], [0, 0, "", ""])
    }))

  it.live("says what is missing and how to get it, and exits with 3", () =>
    Effect.gen(function*() {
      const told = yield* paneway(["doctor", "--runtime", "pty"], { env: { PATH: "/nonexistent" } })

      assert.strictEqual(told.code, 3)
      assert.match(told.stdout.toString(), /^pty: cannot be used\n[^]* {2}to do: install coreutils\n$/)
    }))

  it.live("exits with 0 where a runtime is missing that nobody uses, and with 3 where it is the one that is used", () =>
    Effect.gen(function*() {
      const [home, bin] = yield* without("tmux")
      const env = { HOME: home, PATH: bin }
      const told = yield* paneway(["doctor"], { env })
      const chosen = yield* paneway(["doctor"], { env: { ...env, PANEWAY_RUNTIME: "tmux" } })
      const named = yield* paneway(["doctor", "--runtime", "tmux"], { env })

      assert.match(told.stdout.toString(), /^tmux: cannot be used\n/m)
      assert.deepStrictEqual([told.code, chosen.code, named.code], [0, 3, 3])
    }).pipe(Effect.scoped))

  it.live("fails closed for a runtime that is unknown", () =>
    Effect.gen(function*() {
      const { code, stderr, stdout } = yield* paneway(["doctor", "--runtime", "nope"])

      assert.deepStrictEqual([code, stdout.toString()], [3, ""])
      assert.match(stderr, /^paneway: unknown runtime nope/)
    }))
})
