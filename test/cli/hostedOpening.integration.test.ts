import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { paneway } from "../fixtures/cli.ts"
import { user } from "../fixtures/user.ts"

const printed = (said: { readonly stdout: Buffer }) => said.stdout.toString().trim()

describe("a window that the host opens", () => {
  it.live(
    "has the environment of who asked for it, and so has each pane that is prepared in it",
    () =>
      Effect.gen(function*() {
        const { env, home } = yield* user
        const run = (words: ReadonlyArray<string>, more: Readonly<Record<string, string>> = {}) =>
          paneway(words, { env: { ...env, ...more }, cwd: home })
        const shows = Effect.fnUntraced(function*(pane: string) {
          yield* run(["send", "--pane", pane, "--cmd", "echo \"<$MINE|$HOSTS|$WINDOW>\"", "--quiet"])
          return printed(yield* run(["wait", "output", pane, "--regex", "^<.*>", "--timeout", "10s"]))
        })
        assert.strictEqual((yield* run(["host", "start"], { HOSTS: "yes", MINE: "no", WINDOW: "1" })).code, 0)
        const window = printed(yield* run(["ensure", "work"], { MINE: "one", WINDOW: "1" }))
        const first = printed(yield* run(["prepare", window], { MINE: "two" }))
        assert.strictEqual(yield* shows(first), "<one||>")

        yield* run(["send", "--pane", first, "--cmd", "sh -c 'echo busy; exec cat'", "--quiet"])
        yield* run(["wait", "output", first, "--regex", "^busy"])
        const second = printed(yield* run(["prepare", "work"], { MINE: "two" }))
        assert.notStrictEqual(second, first)
        assert.strictEqual(yield* shows(second), "<two||>")
      }),
    60_000
  )

  it.live("has the shell of the config file, also where the caller's is another one", () =>
    Effect.gen(function*() {
      const { env, home } = yield* user
      const shell = join(home, "bin", "own-shell")
      writeFileSync(shell, "#!/bin/sh\necho own shell\nexec cat\n", { mode: 0o755 })
      mkdirSync(join(home, ".config", "paneway"), { recursive: true })
      writeFileSync(join(home, ".config", "paneway", "config.yml"), `pty:\n  shell: ${shell}\n`)
      const run = (words: ReadonlyArray<string>) => paneway(words, { env, cwd: home })
      for (const words of [["spawn"], ["spawn", "--clean"]]) {
        const pane = printed(yield* run(words))
        assert.strictEqual((yield* run(["wait", "output", pane, "--match", "own shell"])).code, 0, words.join(" "))
      }
      yield* run(["ensure", "work"])
      const panes: { readonly panes: ReadonlyArray<{ readonly handle: string; readonly window: string }> } = JSON.parse(
        printed(yield* run(["panes", "--json"]))
      )
      const last = panes.panes.at(-1)?.handle ?? ""
      assert.strictEqual((yield* run(["wait", "output", last, "--match", "own shell"])).code, 0)
    }), 60_000)

  it.live(
    "is not opened where the caller's directory was removed, nor anywhere else instead",
    () =>
      Effect.gen(function*() {
        const { home, run, script } = yield* user
        const gone = join(home, "gone")
        yield* run(["host", "start"])
        for (
          const command of ["spawn -- pwd", "ensure work", "spawn --root sub -- pwd", "run --keep --window x -- pwd"]
        ) {
          mkdirSync(gone)
          const said = yield* script(`cd gone && rmdir ../gone && paneway ${command}`)
          assert.strictEqual(said.at(-1), "9", `${command}: ${said.join("\n")}`)
          assert.include(said.join("\n"), "gone")
        }
        mkdirSync(gone)
        const unset = yield* script("cd gone && rmdir ../gone && env -u PWD paneway spawn -- pwd")
        assert.strictEqual(unset.at(-1), "9", unset.join("\n"))
        assert.isFalse(existsSync(gone))
        assert.deepStrictEqual(JSON.parse(printed(yield* run(["panes", "--json"]))), { panes: [] })
      }),
    60_000
  )

  it.live("is not opened in a directory that is missing", () =>
    Effect.gen(function*() {
      const { home, run } = yield* user
      yield* run(["host", "start"])
      const gone = join(home, "gone")
      mkdirSync(gone)
      rmdirSync(gone)
      for (const words of [["spawn", "--root", gone], ["ensure", "work", "--root", gone]]) {
        const said = yield* run(words)
        assert.deepStrictEqual([said.code, printed(said)], [9, ""], words.join(" "))
      }
      assert.deepStrictEqual(JSON.parse(printed(yield* run(["windows", "--json"]))), { windows: [] })
    }), 60_000)
})
