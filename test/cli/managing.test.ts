import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Scripted from "../../layers/Scripted.ts"
import * as PaneLocks from "../../src/PaneLocks.ts"
import { call, world } from "../fixtures/commandLine.ts"

const open = Effect.fnUntraced(function*(options: Scripted.Options) {
  const all = yield* world(options)
  const pane = yield* all.runtime.spawn({ placement: { window: "build" } })
  return { ...all, handle: pane.handle, pane: `${pane.handle}`, window: `${pane.window}` }
})

describe("paneway close", () => {
  it.effect("closes panes and windows, and a handle whose target is gone is closed already", () =>
    Effect.gen(function*() {
      const { pane, run, window } = yield* open({})
      assert.deepStrictEqual(yield* run(["close", pane]), { code: 0, stdout: "closed\n", stderr: "" })
      assert.deepStrictEqual(yield* run(["close", pane]), { code: 0, stdout: "already-closed\n", stderr: "" })
      assert.strictEqual((yield* run(["close", window, "--json"])).stdout, "{\"result\":\"already-closed\"}\n")
      const { stdout } = yield* run(["ensure", "next", "--root", "/tmp"])
      assert.strictEqual((yield* run(["close", "next", "--json"])).stdout, "{\"result\":\"closed\"}\n")
      assert.strictEqual((yield* run(["close", stdout.trim()])).stdout, "already-closed\n")
    }))

  it.effect("fails with 4 for a name and for a native id that are not there", () =>
    Effect.gen(function*() {
      const { run } = yield* open({})
      for (
        const words of [["nope"], ["%77"], ["--pane", "p77"], ["--pane", "no id"], ["build", "--session", "other"]]
      ) {
        const { code, stdout } = yield* run(["close", ...words])
        assert.deepStrictEqual([code, stdout], [4, ""], words.join(" "))
      }
    }))

  it.effect("never takes a native id of a pane for the name of a window", () =>
    Effect.gen(function*() {
      const { run } = yield* open({})
      yield* run(["ensure", "1", "--root", "/tmp"])
      assert.strictEqual((yield* run(["close", "%1"])).code, 4)
      assert.strictEqual((yield* run(["close", "1"])).stdout, "closed\n")
    }))

  it.effect("case 56: finds a window by each text that it was made with", () =>
    Effect.gen(function*() {
      const { run } = yield* open({})
      for (const name of ["my.repo", "a:b", "w1:p9", "a b", "=x", "x".repeat(300)]) {
        yield* run(["ensure", name, "--root", "/tmp"])
        assert.strictEqual((yield* run(["focus", name])).code, 0, name)
        assert.strictEqual((yield* run(["close", name])).stdout, "closed\n", name)
        assert.strictEqual((yield* run(["close", name])).code, 4, name)
      }
    }))

  it.effect("takes a native id with --pane, and exactly one target", () =>
    Effect.gen(function*() {
      const { handle, run } = yield* open({})
      assert.strictEqual((yield* run(["close"])).code, 2)
      assert.deepStrictEqual(yield* run(["ensure"]), {
        code: 2,
        stdout: "",
        stderr: "paneway: the name is missing (see paneway ensure --help)\n"
      })
      assert.strictEqual((yield* run(["close", "build", "--pane", handle.id])).code, 2)
      assert.strictEqual((yield* run(["close", "--pane", handle.id])).stdout, "closed\n")
    }))

  it.effect("proves nothing where the runtime cannot be asked", () =>
    Effect.gen(function*() {
      const { pane, run, script } = yield* open({})
      yield* script.fault({ _tag: "Down", reason: "not-running" })
      const { code, stderr, stdout } = yield* run(["close", pane, "--json"])
      assert.deepStrictEqual([code, stdout], [3, ""])
      assert.deepInclude(JSON.parse(stderr), { _tag: "RuntimeUnavailable", retryable: true, exitCode: 3 })
    }))
})

describe("paneway probe", () => {
  it.effect("tells live, gone and unknown, one line each, in their order", () =>
    Effect.gen(function*() {
      const { handle, pane, run, runtime, script } = yield* open({})
      const { handle: other } = yield* runtime.spawn({})
      yield* script.vanish(other)
      const { code, stdout } = yield* run(["probe", `${other}`, pane, "p77"])
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(stdout.trim().split("\n").map((line) => line.split(/ +/)), [
        [`${other}`, "gone"],
        [pane, "live"],
        ["p77", "gone"]
      ])
      yield* script.fault({ _tag: "Down" }, handle)
      yield* script.fault({ _tag: "Down" })
      const { probes } = JSON.parse((yield* run(["probe", pane, "--json"])).stdout)
      assert.deepInclude(probes[0], { pane, liveness: "unknown" })
      assert.isString(probes[0].reason)
    }))

  it.effect("fails with 4, not 2, for text that is no handle and no id, and with 2 for none at all", () =>
    Effect.gen(function*() {
      const { run } = yield* open({})
      assert.strictEqual((yield* run(["probe", "what is this"])).code, 4)
      assert.strictEqual((yield* run(["describe", "what is this"])).code, 4)
      assert.strictEqual((yield* run(["capture", "what is this"])).code, 4)
      assert.strictEqual((yield* run(["probe"])).code, 2)
      assert.strictEqual((yield* run(["capture"])).code, 2)
    }))
})

describe("paneway describe, resize and focus", () => {
  it.effect("tell, size and show a pane", () =>
    Effect.gen(function*() {
      const { handle, pane, run, script, window } = yield* open({})
      assert.strictEqual((yield* run(["resize", handle.id, "91x17"])).code, 0)
      const json = JSON.parse((yield* run(["describe", "--pane", pane, "--json"])).stdout)
      assert.deepInclude(json, { handle: pane, window, columns: 91, rows: 17 })
      assert.notProperty(json, "_tag")
      yield* script.end(handle, { code: 3 })
      assert.match((yield* run(["describe", pane])).stdout, /^handle +scripted:p1\S+\n[^]*\nexit +exited 3\n$/)
      assert.strictEqual((yield* run(["resize", pane, "big"])).code, 2)
      for (const target of [pane, window, "build"]) {
        assert.strictEqual((yield* run(["focus", target])).stderr, "", target)
      }
      assert.strictEqual((yield* run(["focus", "build", "--session", "other"])).code, 4)
    }))
})

describe("paneway sessions, windows and panes", () => {
  it.effect("list what there is, the handle first", () =>
    Effect.gen(function*() {
      const { pane, run, runtime, window } = yield* open({})
      yield* runtime.spawn({ placement: { window: "other" }, title: "a\x1b[31m b\n" })
      const panes = (yield* run(["panes"])).stdout.split("\n")
      assert.strictEqual(panes.length, 3)
      assert.strictEqual(panes[0]?.split(" ")[0], pane)
      assert.notInclude(panes.join(""), "\x1b")
      assert.strictEqual((yield* run(["panes", "--window", "build"])).stdout.split("\n").length, 2)
      assert.strictEqual((yield* run(["panes", "--window", window])).stdout.split("\n").length, 2)
      assert.strictEqual((yield* run(["panes", "--window", "nope"])).code, 4)
      assert.include((yield* run(["windows"])).stdout, `${window}  build`)
      assert.deepStrictEqual(JSON.parse((yield* run(["sessions", "--json"])).stdout), { sessions: ["main"] })
      assert.deepStrictEqual(JSON.parse((yield* run(["windows", "--session", "none", "--json"])).stdout), {
        windows: []
      })
      assert.deepStrictEqual(yield* run(["windows", "--session", "none"]), { code: 0, stdout: "", stderr: "" })
    }))

  it.effect("never are empty where the runtime cannot be asked", () =>
    Effect.gen(function*() {
      const { run, script } = yield* open({})
      yield* script.fault({ _tag: "Down" })
      for (const verb of ["sessions", "windows", "panes"]) {
        const { code, stderr, stdout } = yield* run([verb])
        assert.deepStrictEqual([code, stdout], [3, ""], verb)
        assert.match(stderr, /^paneway: scripted is unavailable[^\n]*\n$/)
      }
    }))
})

describe("paneway capture", () => {
  it.effect("prints the last rows, without what a terminal obeys", () =>
    Effect.gen(function*() {
      const { handle, pane, run, script } = yield* open({})
      yield* script.print(
        handle,
        `\n${Array.from({ length: 60 }, (_, at) => `row ${at}`).join("\n")}\n\x1b[31mred\x1b[0m\n`
      )
      const rows = (...words: ReadonlyArray<string>) =>
        Effect.map(run(["capture", pane, ...words]), ({ stdout }) => stdout.trimEnd().split("\n"))
      assert.strictEqual((yield* rows())[0], "row 21")
      assert.deepStrictEqual(yield* rows("--lines", "2"), ["row 59", "red"])
      assert.strictEqual((yield* rows("--full"))[1], "row 0")
      assert.strictEqual((yield* rows("--visible"))[0], "row 38")
      assert.strictEqual((yield* run(["capture", pane, "--ansi"])).code, 6)
      for (const words of [["--lines", "0"], ["--lines", "x"], ["--lines", "2", "--full"], ["--visible", "--full"]]) {
        assert.strictEqual((yield* run(["capture", pane, ...words])).code, 2, words.join(" "))
      }
    }))

  it.effect("writes JSON that no terminal obeys either", () =>
    Effect.gen(function*() {
      const { handle, pane, run, script } = yield* open({})
      yield* script.feed(handle, "\x1b]0;a\x9bb\x07x")
      const { stdout } = yield* run(["capture", pane, "--json"])
      assert.notMatch(stdout, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
      assert.match(JSON.parse(stdout).mark, /^m1\./)
    }))
})

describe("a printed handle", () => {
  it.effect("selects its runtime, over variables and against another flag", () =>
    Effect.gen(function*() {
      const one = yield* Scripted.make({ name: "one" })
      const two = yield* Scripted.make({ name: "two" })
      const { handle } = yield* one.runtime.spawn({})
      const run = (words: ReadonlyArray<string>, env = {}) =>
        call(words, { one: one.runtime, two: two.runtime }, { env })

      assert.strictEqual((yield* run(["describe", `${handle}`], { PANEWAY_RUNTIME: "two", TMUX: "x" })).code, 0)
      assert.strictEqual((yield* run(["describe", `${handle}`, "--runtime", "one"])).code, 0)
      const other = yield* run(["describe", `${handle}`, "--runtime", "two"])
      assert.strictEqual(other.code, 2)
      assert.match(other.stderr, /^paneway: --runtime two contradicts one:p1~\S+, which is of one[^\n]*\n$/)
      const mixed = yield* two.runtime.spawn({})
      const probes = yield* run(["probe", `${mixed.handle}`, `${handle}`, "--json"])
      assert.deepStrictEqual(JSON.parse(probes.stdout).probes.map((p: { pane: string }) => p.pane), [
        `${mixed.handle}`,
        `${handle}`
      ])
      assert.strictEqual((yield* run(["describe", "p1"], { PANEWAY_RUNTIME: "two" })).code, 0)
      assert.strictEqual((yield* run(["describe", `${handle}`.replace("one:", "three:")])).code, 3)
    }).pipe(Effect.provide(PaneLocks.layerMemory)))

  it.effect("of another server of the runtime is foreign, which is no proof that it is gone", () =>
    Effect.gen(function*() {
      const { pane, run } = yield* open({ scope: "here" })
      const foreign = pane.replace("@here", "@there")
      for (const words of [["close", foreign], ["probe", foreign], ["send", "--pane", foreign, "--cmd", "x"]]) {
        const { code, stderr, stdout } = yield* run(words)
        assert.deepStrictEqual([code, stdout], [4, ""], words.join(" "))
        assert.include(stderr, "foreign")
      }
    }))
})
