import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { spawnSync } from "node:child_process"
import { readdirSync } from "node:fs"
import * as Scripted from "../../layers/Scripted.ts"
import { shapes } from "../../src/cli/shapes.ts"
import { world } from "../fixtures/commandLine.ts"

type Name = keyof typeof shapes

/** Fails where a key is missing, has another form, or is one that the shape does not know. */
const fits = (name: Name, text: string) =>
  Effect.orDie(
    Schema.decodeUnknownEffect(Schema.toCodecJson(shapes[name]), { onExcessProperty: "error" })(JSON.parse(text))
  )

describe("--json", () => {
  it.effect("prints one object of the documented shape and nothing else", () =>
    Effect.gen(function*() {
      const { run } = yield* world({ program: Scripted.agent() })
      const json = Effect.fnUntraced(function*(name: Name, ...words: ReadonlyArray<string>) {
        const { code, stderr, stdout } = yield* run(words.includes("--json") ? words : [...words, "--json"])
        assert.deepStrictEqual([code, stderr], [0, ""], words.join(" "))
        assert.strictEqual(stdout.split("\n").length, 2)
        yield* fits(name, stdout)
        return stdout
      })
      const window = JSON.parse(yield* json("ensure", "ensure", "build", "--root", "/tmp")).handle
      const pane = JSON.parse(yield* json("pane", "prepare", window)).handle
      yield* json("pane", "spawn", "--json", "--", "sh")
      yield* json("pane", "describe", pane)
      yield* json("sessions", "sessions")
      yield* json("windows", "windows")
      yield* json("panes", "panes")
      yield* json("probes", "probe", pane, "p77")
      yield* json("send", "send", "--pane", pane, "--msg", "hello", "--key", "Enter")
      yield* json("send", "type", pane, "more\n")
      yield* json("capture", "capture", pane)
      yield* json("capture", "wait", "stable", pane, "--quiet", "0")
      yield* json("wait-output", "wait", "output", pane, "--regex", "(.)")
      yield* json("wait-lifecycle", "wait", "lifecycle", "pane-exists", pane)
      yield* json("wait-lifecycle", "wait", "lifecycle", "window-exists", "build")
      yield* json("wait-agent", "wait", "agent", pane, "--state", "idle", "--state", "working", "--state", "done")
      yield* json("close", "close", pane)
      yield* json("close", "close", pane)
    }))

  it.effect("prints failures as one object of the documented shape on standard error", () =>
    Effect.gen(function*() {
      const { run, runtime, script } = yield* world({})
      const { handle } = yield* runtime.spawn({})
      const pane = `${handle}`
      const failing: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
        ["UsageError", ["capture"]],
        ["UsageError", ["capture", "--bogus"]],
        ["UsageError", ["send", "--pane", pane]],
        ["InvalidRequest", ["wait", "output", pane, "--match", ""]],
        ["TargetNotFound", ["capture", "p77"]],
        ["SendRejected", ["send", "--pane", pane, "--key", "Nope"]],
        ["WaitTimeout", ["wait", "output", pane, "--match", "never", "--timeout", "0"]],
        ["UnknownRuntime", ["panes", "--runtime", "nope"]]
      ]
      for (const [tag, words] of failing) {
        const { code, stderr, stdout } = yield* run([...words, "--json"])
        assert.strictEqual(stdout, "", words.join(" "))
        assert.strictEqual(stderr.split("\n").length, 2, stderr)
        yield* fits("error", stderr)
        assert.deepInclude(JSON.parse(stderr), { _tag: tag, exitCode: code })
        assert.notInclude(stderr, "paneway/PaneHandle")
        assert.notInclude(stderr, "\"incarnation\"")
      }
      yield* script.fault({ _tag: "Down" })
      yield* fits("error", (yield* run(["panes", "--json"])).stderr)
    }))

  it("has a JSON Schema for each shape, which is what the shape says", () => {
    const { status, stderr } = spawnSync(process.execPath, ["scripts/schemas-doc.ts", "--check"], { encoding: "utf8" })
    assert.deepStrictEqual([status, stderr], [0, ""])
    assert.sameMembers(readdirSync("docs/schemas"), Object.keys(shapes).map((name) => `${name}.json`))
  })
})
