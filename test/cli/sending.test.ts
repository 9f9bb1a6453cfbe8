import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type * as Scripted from "../../layers/Scripted.ts"
import { world } from "../fixtures/commandLine.ts"

const open = Effect.fnUntraced(function*(options: Scripted.Options = {}) {
  const all = yield* world(options)
  const { handle } = yield* all.runtime.spawn({})
  yield* all.script.clearLog
  const send = (...words: ReadonlyArray<string>) => all.run(["send", "--pane", `${handle}`, ...words])
  return { ...all, pane: `${handle}`, handle, send, written: Effect.map(all.script.log, (log) => log.map(String)) }
})

describe("paneway send", () => {
  it.effect("needs a pane and some content, and prints no success line without them", () =>
    Effect.gen(function*() {
      const { run, send, written } = yield* open()
      for (const words of [["--cmd", "ls"], ["--msg", "x", "--key", "Enter"], ["--quiet"]]) {
        const { code, stderr, stdout } = yield* run(["send", ...words])
        assert.deepStrictEqual([code, stdout], [2, ""], words.join(" "))
        assert.match(stderr, /^paneway: [^\n]*--pane[^\n]*\n$/)
      }
      const { code, stderr, stdout } = yield* send("--quiet")
      assert.deepStrictEqual([code, stdout], [2, ""])
      assert.match(stderr, /^paneway: there is nothing to send: [^\n]*\(see paneway send --help\)\n$/)
      assert.deepStrictEqual(yield* written, [])
    }))

  it.effect("shows its help when nothing is given", () =>
    Effect.gen(function*() {
      const { run } = yield* open()
      const { code, stderr, stdout } = yield* run(["send"])
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.include(stdout, "paneway send --pane \"$pane\" --cmd 'npm test'")
    }))

  it.effect("refuses a key before the command, and presses those after it once it was submitted", () =>
    Effect.gen(function*() {
      const { send, written } = yield* open()
      for (
        const words of [["--key", "C-c", "--cmd", "ls"], ["--key=C-c", "--cmd=ls"], [
          "--key",
          "a",
          "--cmd",
          "b",
          "--key",
          "c"
        ]]
      ) {
        const { code, stderr } = yield* send(...words)
        assert.strictEqual(code, 2)
        assert.match(stderr, /^paneway: --key stands before --cmd/)
      }
      assert.deepStrictEqual(yield* written, [])

      assert.strictEqual((yield* send("--cmd", "ls", "--key", "Up", "--key", "Enter")).code, 0)
      assert.deepStrictEqual((yield* written).map((line) => line.replace(/^\S+ /, "")), [
        "typed \"ls\"",
        "pressed Enter",
        "pressed Up",
        "pressed Enter"
      ])
    }))

  it.effect("types all texts, then presses all keys, whatever their order in the line", () =>
    Effect.gen(function*() {
      const { send, written } = yield* open()
      const { code, stdout } = yield* send("--key", "C-u", "--msg", "one", "--key", "Tab", "--msg", "two")
      assert.strictEqual(code, 0)
      assert.match(stdout, /^sent to scripted:p1~\S+: admitted, evidence bytes\n$/)
      assert.deepStrictEqual((yield* written).map((line) => line.replace(/^\S+ /, "")), [
        "typed \"one\"",
        "typed \"two\"",
        "pressed C-u",
        "pressed Tab"
      ])
    }))

  it.effect("keeps the order of --item, which stands alone", () =>
    Effect.gen(function*() {
      const { send, written } = yield* open()
      assert.strictEqual((yield* send("--item", "msg=a=b", "--item", "key=Up", "--item", "msg=--json")).code, 0)
      assert.deepStrictEqual((yield* written).map((line) => line.replace(/^\S+ /, "")), [
        "typed \"a=b\"",
        "pressed Up",
        "typed \"--json\""
      ])
      assert.strictEqual((yield* send("--item", "msg=a", "--msg", "b")).code, 2)
      assert.include((yield* send("--item", "text=a")).stderr, "expected msg=TEXT or key=NAME")
    }))

  for (const profile of ["plain-pane", "agent-aware"] as const) {
    it.effect(`submits a text with Enter exactly once on a ${profile}`, () =>
      Effect.gen(function*() {
        const { send, written } = yield* open({ profile })
        const { code, stdout } = yield* send("--msg", "hello", "--key", "Enter")
        assert.strictEqual(code, 0)
        const submits = (yield* written).filter((line) => /pressed Enter|prompted/.test(line))
        assert.strictEqual(submits.length, 1, submits.join("\n"))
        assert.strictEqual(stdout.includes("Enter was left out"), profile === "agent-aware")
      }))
  }

  it.effect("tells a refusal of the contract on standard error, with its code and with nothing typed", () =>
    Effect.gen(function*() {
      const { send, written } = yield* open()
      const both = yield* send("--cmd", "ls", "--msg", "x", "--quiet")
      const key = yield* send("--key", "Entr", "--json")
      assert.deepStrictEqual([both.code, both.stdout], [6, ""])
      assert.match(both.stderr, /^paneway: nothing was sent to scripted:\S+ [^\n]*\n$/)
      assert.deepStrictEqual([key.code, key.stdout], [6, ""])
      assert.deepInclude(JSON.parse(key.stderr), {
        _tag: "SendRejected",
        code: "unknown-key",
        exitCode: 6,
        retryable: false
      })
      assert.deepStrictEqual(yield* written, [])
    }))

  it.effect("says only with --quiet nothing, and fails in the same way", () =>
    Effect.gen(function*() {
      const { handle, script, send } = yield* open()
      assert.deepStrictEqual(yield* send("--cmd", "ls", "--quiet"), { code: 0, stdout: "", stderr: "" })
      yield* script.vanish(handle)
      const { code, stderr } = yield* send("--cmd", "ls", "--quiet")
      assert.strictEqual(code, 4)
      assert.match(stderr, /^paneway: no such target/)
    }))

  it.effect("prints with --json the report, whose mark a wait takes", () =>
    Effect.gen(function*() {
      const { pane, run, send } = yield* open()
      yield* send("--cmd", "echo 7")
      const report = JSON.parse((yield* send("--cmd", "echo 7", "--json")).stdout)
      assert.match(report.mark, /^m1\.[\w-]+$/)
      assert.deepInclude(report, { outcome: "admitted", evidence: "bytes", attempts: 1, droppedTrailingEnter: false })
      const wait = (after: string) =>
        run(["wait", "output", pane, "--match", "echo", "--after", after, "--timeout", "0"])
      assert.strictEqual((yield* wait(report.mark)).code, 8)
      assert.strictEqual((yield* wait("m1.nonsense")).code, 2)
    }))

  it.effect("is in doubt with exit code 7 where the pane stalls, and says so", () =>
    Effect.gen(function*() {
      const { handle, script, send } = yield* open()
      yield* script.fault({ _tag: "HalfEnter", arrives: true }, handle)
      const { code, stderr, stdout } = yield* send("--cmd", "ls", "--json")
      assert.deepStrictEqual([code, stdout], [7, ""])
      assert.deepInclude(JSON.parse(stderr), { _tag: "SendStalled", retryable: false, exitCode: 7 })
      assert.match(JSON.parse(stderr).report.mark, /^m1\./)
    }))

  it.effect("sends a long text from a file and from standard input, without its last newline", () =>
    Effect.gen(function*() {
      const { pane, run, script, handle } = yield* open()
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "paneway-test-"))),
        (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
      )
      const text = "ä".repeat(5000)
      writeFileSync(join(folder, "prompt.txt"), `${text}\n`)
      const file = yield* run(["send", "--pane", pane, "--file", "prompt.txt"], { cwd: folder })
      const typed = yield* script.typing(handle)
      assert.strictEqual(file.code, 0)
      assert.match(file.stderr, /^paneway: sent, but: line-may-be-truncated \(.*4095 bytes.*\)\n$/)
      assert.isTrue(typed === text, `${typed.length} characters`)

      const input = yield* run(["send", "--pane", pane, "--file", "-", "--msg", "x"], { input: "end\r\n" })
      assert.strictEqual(input.code, 0)
      assert.isTrue((yield* script.typing(handle)) === `${text}xend`)
    }))

  it.effect("tells what is wrong with a file before anything is sent", () =>
    Effect.gen(function*() {
      const { pane, run, written } = yield* open()
      const wrong: ReadonlyArray<readonly [string, string | Uint8Array | undefined, string]> = [
        ["nowhere.txt", undefined, "cannot be read (NotFound)"],
        ["/", undefined, "it is a directory"],
        ["/dev/zero", undefined, "it is no file: read it by --file - </dev/zero"],
        ["-", Uint8Array.of(0xff, 0xfe), "it is not UTF-8 text"]
      ]
      for (const [name, input, said] of wrong) {
        const { code, stderr } = yield* run(["send", "--pane", pane, "--file", name], { input })
        assert.strictEqual(code, 2)
        assert.include(stderr, `--file ${name}: ${said}`)
      }
      assert.deepStrictEqual(yield* written, [])
    }))

  it.effect("sends text that begins with a dash as text", () =>
    Effect.gen(function*() {
      const { handle, script, send } = yield* open()
      for (const text of ["-n ", "--help ", "-- ", "--json "]) {
        assert.deepStrictEqual(yield* send("--msg", text, "--quiet"), { code: 0, stdout: "", stderr: "" }, text)
      }
      assert.strictEqual(yield* script.typing(handle), "-n --help -- --json ")
    }))

  it.effect("tells failures as text although a message reads --json", () =>
    Effect.gen(function*() {
      const { send } = yield* open()
      assert.match((yield* send("--cmd", "ls", "--msg", "--json")).stderr, /^paneway: nothing was sent/)
    }))
})

describe("paneway type", () => {
  it.effect("submits once where the text ends in a newline, and nothing else submits", () =>
    Effect.gen(function*() {
      const { handle, pane, run, script, written } = yield* open()
      assert.strictEqual((yield* run(["type", pane, "half "])).code, 0)
      assert.strictEqual((yield* run(["type", pane, "--", "-a line"])).code, 0)
      assert.strictEqual(yield* script.typing(handle), "half -a line")
      assert.strictEqual((yield* run(["type", pane], { input: " more\n" })).code, 0)
      assert.strictEqual((yield* written).filter((line) => line.includes("Enter")).length, 1)
    }))

  it.effect("needs a text, once", () =>
    Effect.gen(function*() {
      const { pane, run } = yield* open()
      assert.include((yield* run(["type", pane])).stderr, "there is nothing to type")
      assert.include((yield* run(["type", pane, "x", "--file", "y"])).stderr, "not both")
    }))
})
