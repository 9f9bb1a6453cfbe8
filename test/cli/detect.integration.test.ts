import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Options, paneway } from "../fixtures/cli.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "paneway-test-")))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)
const elsewhere = Effect.map(folder, (cwd): Options => ({ cwd, env: { HOME: cwd, XDG_CONFIG_HOME: undefined } }))

describe("paneway detect", () => {
  it.live("exits 0 when none is detected, and names the default as one", () =>
    Effect.gen(function*() {
      const here = yield* elsewhere
      const told = yield* paneway(["detect"], here)
      const json = yield* paneway(["detect", "--json"], here)

      assert.deepStrictEqual([told.code, told.stderr], [0, ""])
      assert.match(told.stdout.toString(), /^pty: the default[^\n]*\n$/)
      assert.deepStrictEqual(JSON.parse(json.stdout.toString()), {
        runtime: "pty",
        reason: "default",
        evidence: [],
        detected: null,
        lost: [],
        thirdParty: {},
        configFiles: []
      })
    }))

  it.live("tells what decided, what was overruled and what lost", () =>
    Effect.gen(function*() {
      const here = yield* elsewhere
      const env = { ...here.env, TMUX: "/tmp/server,1,0", STY: "7.here", KITTY_WINDOW_ID: "1" }
      const told = yield* paneway(["detect"], { ...here, env })
      const named = yield* paneway(["detect", "--runtime", "pty"], { ...here, env })

      assert.deepStrictEqual(told.stdout.toString().split("\n"), [
        "tmux: detected in the environment",
        "  TMUX=/tmp/server,1,0",
        "screen: seen, but tmux wins",
        "  STY=7.here",
        "kitty: seen, but incomplete, it lacks KITTY_LISTEN_ON",
        "  KITTY_WINDOW_ID=1",
        ""
      ])
      assert.match(named.stdout.toString(), /^pty: named by --runtime\ntmux: detected, and overruled\n/)
    }))

  it.live("tells a command what its runtime was detected by, where there is none of that name", () =>
    Effect.gen(function*() {
      const here = yield* elsewhere
      const env = { ...here.env, STY: "7.here" }
      const detected = yield* paneway(["panes"], { ...here, env })
      const object = yield* paneway(["panes", "--json"], { ...here, env })
      const named = yield* paneway(["panes", "--runtime", "screen"], { ...here, env })

      assert.match(detected.stderr, /^paneway: unknown runtime screen, detected by STY=7\.here \(choose one/)
      assert.deepInclude(JSON.parse(object.stderr), { detectedBy: ["STY=7.here"], exitCode: 3 })
      assert.match(named.stderr, /^paneway: unknown runtime screen \(choose one/)
      assert.deepStrictEqual([detected.code, object.code, named.code], [3, 3, 3])
    }))

  it.live("names the config file that decided, and refuses one that makes no sense", () =>
    Effect.gen(function*() {
      const here = yield* elsewhere
      const file = join(here.cwd ?? "", ".paneway", "config.yml")
      mkdirSync(join(here.cwd ?? "", ".paneway"))
      writeFileSync(file, "runtime: elsewhere\n")
      const good = yield* paneway(["detect", "--json"], here)
      writeFileSync(file, "runtime: elsewhere\nscrolback: 10\n")
      const bad = yield* paneway(["detect", "--json"], here)

      assert.deepInclude(JSON.parse(good.stdout.toString()), {
        runtime: "elsewhere",
        reason: "config",
        evidence: [`${file}: runtime`],
        configFiles: [file]
      })
      assert.deepInclude(JSON.parse(bad.stderr), { _tag: "InvalidRequest", field: "scrolback", exitCode: 2 })
      assert.include(bad.stderr, file)
      assert.deepStrictEqual([bad.code, bad.stdout.toString()], [2, ""])
    }))
})

describe("paneway context", () => {
  it.live("is no error outside of any pane", () =>
    Effect.gen(function*() {
      const here = yield* elsewhere
      const told = yield* paneway(["context"], here)
      const json = yield* paneway(["context", "--json"], here)

      assert.deepStrictEqual([told.stdout.toString(), told.code], ["not in a pane of pty\n", 0])
      assert.deepStrictEqual(JSON.parse(json.stdout.toString()), { inRuntime: false, runtime: "pty" })
    }))

  it.live("fails closed for a runtime that is named and unknown", () =>
    Effect.gen(function*() {
      const here = yield* elsewhere
      const { code, stderr, stdout } = yield* paneway(["context", "--runtime", "nope"], here)

      assert.deepStrictEqual([code, stdout.toString()], [3, ""])
      assert.match(stderr, /^paneway: unknown runtime nope[^\n]*\n$/)
    }))
})

describe("settings of a config file", () => {
  it.live("reach the runtime", () =>
    Effect.gen(function*() {
      const here = yield* elsewhere
      mkdirSync(join(here.cwd ?? "", ".paneway"))
      writeFileSync(join(here.cwd ?? "", ".paneway", "config.yml"), "size: { columns: 91, rows: 17 }\n")
      const { stdout } = yield* paneway(["run", "--", "stty", "size"], here)

      assert.strictEqual(stdout.toString(), "17 91\n")
    }))
})
