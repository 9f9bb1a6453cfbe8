import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Contract from "../../src/Contract.ts"
import { call, world } from "../fixtures/commandLine.ts"

const handle = /^scripted:[wp]\d+~[0-9a-f]{10}@\S+\n$/

describe("paneway ensure and prepare", () => {
  it.effect("print the handle alone, for the same window each time", () =>
    Effect.gen(function*() {
      const { run } = yield* world({})
      const first = yield* run(["ensure", "my work!", "--root", "/tmp"])
      const again = yield* run(["ensure", "my-work"], { cwd: "/tmp" })
      assert.match(first.stdout, handle)
      assert.deepStrictEqual(again, first)
      const byName = yield* run(["prepare", "my work!"])
      const byHandle = yield* run(["prepare", first.stdout.trim()])
      assert.match(byName.stdout, handle)
      assert.deepStrictEqual(byHandle, byName)
    }))

  it.effect("resolve a relative root in the caller's directory, and refuse another one with 5", () =>
    Effect.gen(function*() {
      const { run } = yield* world({})
      const { stdout } = yield* run(["ensure", "build", "--root", "sub", "--json"], { cwd: "/srv" })
      assert.deepStrictEqual(Object.keys(JSON.parse(stdout)).toSorted(), [
        "active",
        "handle",
        "name",
        "root",
        "session"
      ])
      assert.strictEqual(JSON.parse(stdout).root, "/srv/sub")
      const conflict = yield* run(["ensure", "build", "--root", "/tmp", "--json"])
      assert.deepStrictEqual([conflict.code, conflict.stdout], [5, ""])
      assert.deepInclude(JSON.parse(conflict.stderr), { _tag: "WindowConflict", window: JSON.parse(stdout).handle })
    }))

  it.effect("refuse a preset that nobody knows with 6, and make nothing", () =>
    Effect.gen(function*() {
      const { run, runtime } = yield* world({})
      const { code, stderr } = yield* run(["ensure", "build", "--root", "/tmp", "--preset", "nope"])
      assert.strictEqual(code, 6)
      assert.strictEqual(
        stderr,
        "paneway: there is no preset nope: Paneway brings none yet (leave --preset out)\n"
      )
      assert.deepStrictEqual(yield* runtime.listWindows(), [])
    }))

  it.effect("fail with 4 for a window that is not there", () =>
    Effect.gen(function*() {
      const { run } = yield* world({})
      const { stdout } = yield* run(["ensure", "build", "--root", "/tmp"])
      assert.strictEqual((yield* run(["prepare", "nope"])).code, 4)
      yield* run(["close", "build"])
      assert.strictEqual((yield* run(["prepare", stdout.trim()])).code, 4)
    }))
})

/** A runtime that keeps what it is asked to open. */
const recording = Effect.fnUntraced(function*() {
  const { runtime } = yield* world({})
  const asked: Array<Contract.SpawnRequest> = []
  const spy: Contract.Service = {
    ...runtime,
    spawn: (request) => {
      asked.push(request)
      return runtime.spawn(request)
    }
  }
  const spawn = (words: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
    call(["spawn", ...words], { scripted: spy }, { cwd: "/srv", env: { PANEWAY_RUNTIME: "scripted", ...env } })
  return { asked, spawn, spy }
})

describe("paneway spawn", () => {
  it.effect("prints the handle alone, and hands the program over as it stands after --", () =>
    Effect.gen(function*() {
      const { asked, spawn } = yield* recording()
      const { code, stderr, stdout } = yield* spawn(["--", "sh", "-c", "echo \"$1\"", "--", "-x"])
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.match(stdout, handle)
      assert.deepInclude(asked[0], { program: { argv: ["sh", "-c", "echo \"$1\"", "--", "-x"] }, cwd: "/srv" })
      assert.strictEqual((yield* spawn(["ls", "-l"])).code, 2)
      assert.include((yield* spawn(["ls"])).stderr, "put the command after --, as in: paneway spawn -- ls -l")
    }))

  it.effect("reads every flag", () =>
    Effect.gen(function*() {
      const { asked, spawn } = yield* recording()
      const flags = [
        "--window",
        "w",
        "--session",
        "main",
        "--root",
        "a",
        "--title",
        "t",
        "--size",
        "90x20",
        "--on-exit",
        "close"
      ]
      assert.strictEqual((yield* spawn([...flags, "--shell", "make; make check"])).code, 0)
      assert.deepStrictEqual(asked[0], {
        program: { shell: "make; make check" },
        placement: { window: "w", session: "main" },
        cwd: "/srv/a",
        title: "t",
        env: {},
        unset: [],
        size: { columns: 90, rows: 20 },
        onExit: "close"
      })
    }))

  it.effect("opens a window that the runtime names in a session that was given", () =>
    Effect.gen(function*() {
      const { asked, spawn } = yield* recording()
      assert.strictEqual((yield* spawn(["--session", "main"])).code, 0)
      assert.deepInclude(asked[0], { session: "main", placement: undefined })
    }))

  it.effect("refuses what excludes each other and values of a wrong form, before anything is asked", () =>
    Effect.gen(function*() {
      const { asked, spawn } = yield* recording()
      for (
        const words of [
          ["--window", "w", "--split", "p1"],
          ["--session", "main", "--split", "p1"],
          ["--shell", "x", "--", "y"],
          ["--env", "novalue"],
          ["--unset", "A=B"],
          ["--size", "0x1"],
          ["--on-exit", "sleep"]
        ]
      ) {
        assert.strictEqual((yield* spawn(words)).code, 2, words.join(" "))
      }
      assert.deepStrictEqual(asked, [])
    }))

  it.effect("removes the variables of terminal programs around it, unless one is set anew", () =>
    Effect.gen(function*() {
      const { asked, spawn } = yield* recording()
      const around = {
        TMUX: "a",
        TMUX_PANE: "%1",
        HERDR_ENV: "1",
        STY: "b",
        KITTY_WINDOW_ID: "1",
        PANEWAY_PANE: "x",
        KEEP: "k"
      }
      yield* spawn(["--env", "STY=mine", "--env", "A=b=c", "--unset", "KEEP"], around)
      assert.deepStrictEqual(asked[0]?.env, { STY: "mine", A: "b=c" })
      assert.sameMembers([...asked[0]?.unset ?? []], [
        "TMUX",
        "TMUX_PANE",
        "HERDR_ENV",
        "KITTY_WINDOW_ID",
        "PANEWAY_PANE",
        "KEEP"
      ])
    }))

  it.effect("leaves those to a terminal program that it sets in its own panes, unless they are removed by name", () =>
    Effect.gen(function*() {
      const { asked, spy } = yield* recording()
      const env = { TMUX: "a", TMUX_PANE: "%1", STY: "b" }
      const spawn = (...words: ReadonlyArray<string>) =>
        call(["spawn", "--runtime", "tmux", ...words], { tmux: { ...spy, runtime: "tmux" } }, { env })
      for (const words of [[], ["--clean"], ["--unset", "TMUX"]]) assert.strictEqual((yield* spawn(...words)).code, 0)
      assert.deepStrictEqual(asked.map(({ unset }) => unset), [["STY"], ["STY"], ["STY", "TMUX"]])
    }))

  it.effect("keeps with --clean a few variables of its own and those that are set", () =>
    Effect.gen(function*() {
      const { asked, spawn } = yield* recording()
      yield* spawn(["--clean", "--env", "SECRET=s"], { PATH: "/bin", LC_ALL: "C", SECRET: "x", OTHER: "y" })
      assert.sameMembers([...asked[0]?.unset ?? []], ["PANEWAY_RUNTIME", "OTHER"])
      assert.deepStrictEqual(asked[0]?.env, { SECRET: "s" })
    }))

  it.effect("splits a pane by its handle, and a window by its name", () =>
    Effect.gen(function*() {
      const { asked, spawn } = yield* recording()
      const pane = (yield* spawn(["--window", "w"])).stdout.trim()
      assert.strictEqual((yield* spawn(["--split", pane])).code, 0)
      assert.strictEqual((yield* spawn(["--split", "w"])).code, 0)
      assert.strictEqual((yield* spawn(["--split", "nope"])).code, 4)
      assert.deepStrictEqual(
        asked.slice(1).map(({ placement }) => `${placement && "split" in placement && placement.split}`),
        [
          pane,
          "w",
          "nope"
        ]
      )
    }))
})
