import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { paneway } from "../fixtures/cli.ts"
import { without } from "../fixtures/programs.ts"

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
      const told = yield* paneway(["doctor", "--runtime", "tmux"], { env: { PATH: "/nonexistent" } })

      assert.strictEqual(told.code, 3)
      assert.match(told.stdout.toString(), /^tmux: cannot be used\n[^]* {2}to do: install tmux/)
    }))

  it.live("looks for stty where panes find it: PATH is nothing to them", () =>
    Effect.gen(function*() {
      const env = { PATH: "/nonexistent" }
      const told = yield* paneway(["doctor", "--runtime", "pty"], { env })
      const piped = yield* paneway(["run", "--", "/bin/sh", "-c", "read -r a; echo \"<$a>\""], { env, input: "a\n" })

      assert.match(told.stdout.toString(), /^pty: can be used\n[^]* {2}stty is there/)
      assert.deepStrictEqual([told.code, piped.code, piped.stdout.toString()], [0, 0, "<a>\n"])
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

  it.live("says what tmux does without perl, and that it can be used all the same", () =>
    Effect.gen(function*() {
      const [home, bin] = yield* without("perl")
      const env = { HOME: home, TMUX_TMPDIR: home }
      const told = yield* paneway(["doctor", "--runtime", "tmux"], { env: { ...env, PATH: bin } })
      const usual = yield* paneway(["doctor", "--runtime", "tmux"], { env })

      assert.strictEqual(told.code, 0)
      assert.match(told.stdout.toString(), /^tmux: can be used\n[^]* {2}perl is missing[^]* {2}to do: install perl\n/)
      assert.notInclude(usual.stdout.toString(), "perl")
    }).pipe(Effect.scoped))

  it.live("fails closed for a runtime that is unknown", () =>
    Effect.gen(function*() {
      const { code, stderr, stdout } = yield* paneway(["doctor", "--runtime", "nope"])

      assert.deepStrictEqual([code, stdout.toString()], [3, ""])
      assert.match(stderr, /^paneway: unknown runtime nope/)
    }))
})
