import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scripted from "../../layers/Scripted.ts"
import type { Service } from "../../src/Contract.ts"
import { type Exit, windowName } from "../../src/Target.ts"
import { world } from "../fixtures/commandLine.ts"

const size = { columns: 10, rows: 4 }

/** Prints the second word, and ends as the runtime of the test says. */
const printing = (exit: Exit): Scripted.Startable => ([, text = ""]) => ({
  name: "say",
  run: (terminal) => Effect.as(terminal.print(text), exit)
})

/** A runtime that gives no bytes, and the way that a command of it ends. */
const shown = (exit: Exit = { code: 0 }, more: Scripted.Options = {}) =>
  world({ without: ["output"], size, programs: { say: printing(exit) }, ...more })

const panesOf = ({ runtime }: { readonly runtime: Service }) =>
  Effect.map(runtime.listPanes(), (panes) => panes.map(({ exit, handle }) => ({ handle: `${handle}`, exit })))

describe("paneway run on a runtime that gives no bytes", () => {
  it.effect("prints what the pane holds, exits with the command's code and leaves no pane", () =>
    Effect.gen(function*() {
      const here = yield* shown({ code: 3 })
      const ended = yield* here.run(["run", "--", "say", "one\ntwo\n"])

      assert.deepStrictEqual(ended, { code: 3, stdout: "one\ntwo\n", stderr: "" })
      assert.deepStrictEqual(yield* panesOf(here), [])
    }))

  it.effect("prints no newline and no empty line that the command did not print, and each that it did", () =>
    Effect.gen(function*() {
      const { run } = yield* shown()
      for (const text of ["", "\n", "a", "a\nb", "a\n\n", "\n\na\n", "a\nb\nc\n", "a\nb\nc\nd", "a\nb\nc\nd\ne\n\n"]) {
        assert.deepStrictEqual([text, (yield* run(["run", "--", "say", text])).stdout], [text, text])
      }
    }))

  it.effect("joins what the terminal wrapped", () =>
    Effect.gen(function*() {
      const { run } = yield* shown()
      const long = "0123456789".repeat(3)

      assert.strictEqual((yield* run(["run", "--", "say", `${long}x\ny\n`])).stdout, `${long}x\ny\n`)
      assert.strictEqual((yield* run(["run", "--", "say", `${long}x`])).stdout, `${long}x`)
    }))

  it.effect("tells a signal by name and number, and an end of which nothing is known", () =>
    Effect.gen(function*() {
      const killed = yield* shown({ signal: "SIGKILL" })
      const json = yield* killed.run(["run", "--json", "--", "say", "a"])
      const plain = yield* (yield* shown({})).run(["run", "--", "say", "a\n"])

      assert.deepStrictEqual([json.code, JSON.parse(json.stdout), json.stderr], [
        137,
        { exitCode: 137, signal: "SIGKILL", output: "a", truncated: false, timedOut: false },
        ""
      ])
      assert.deepStrictEqual(plain, {
        code: 1,
        stdout: "a\n",
        stderr: "paneway: the command ended, and nobody knows how\n"
      })
    }))

  it.effect("says that the beginning is lost where the runtime holds no more", () =>
    Effect.gen(function*() {
      const { run } = yield* shown({ code: 0 }, { scrollback: 2 })
      const text = Array.from({ length: 20 }, (_, n) => `${n}\n`).join("")
      const plain = yield* run(["run", "--", "say", text])
      const json = yield* run(["run", "--json", "--", "say", text])

      assert.match(plain.stdout, /^1[0-9]\n(?:1[0-9]\n)*19\n$/)
      assert.match(plain.stderr, /^paneway: the beginning of the output is lost: scripted keeps no more [^\n]*\n$/)
      assert.deepStrictEqual([JSON.parse(json.stdout).truncated, json.stderr], [true, ""])
    }))

  it.effect("refuses data on standard input before anything begins, and takes an empty one for none", () =>
    Effect.gen(function*() {
      const here = yield* shown()
      const refused = yield* here.run(["run", "--", "say", "a"], { input: "y\n" })
      const entries = yield* here.script.log
      const empty = yield* here.run(["run", "--", "say", "a"], { input: "" })

      assert.deepStrictEqual([refused.code, refused.stdout, entries], [2, "", []])
      assert.match(refused.stderr, /^paneway: standard input has data, [^\n]*<\/dev\/null[^\n]*--runtime pty/)
      assert.deepStrictEqual(empty, { code: 0, stdout: "a", stderr: "" })
    }))

  it.effect("--keep leaves the pane with its exit in the window that is named", () =>
    Effect.gen(function*() {
      const here = yield* shown({ code: 4 })
      const ended = yield* here.run(["run", "--keep", "--window", "build", "--", "say", "a\n"])
      const again = yield* here.run(["run", "--keep", "--window", "build", "--json", "--", "say", "b\n"])
      const panes = yield* panesOf(here)
      const [first = "", second = ""] = panes.map(({ handle }) => handle)

      assert.deepStrictEqual(ended, { code: 4, stdout: "a\n", stderr: `paneway: the pane is kept: ${first}\n` })
      assert.deepInclude(JSON.parse(again.stdout), { output: "b\n", pane: second })
      assert.deepStrictEqual(panes.map(({ exit }) => exit), [{ code: 4 }, { code: 4 }])
      assert.deepStrictEqual((yield* here.runtime.listWindows()).map(({ name }) => name), [windowName("build")])
    }))

  it.effect("ends what takes longer than --timeout, also a pane that would be kept, and prints what was there", () =>
    Effect.gen(function*() {
      const here = yield* shown({}, {
        programs: {
          hang: { name: "hang", run: (terminal) => Effect.andThen(terminal.print("early\n"), Effect.never) }
        }
      })
      for (const keep of [[], ["--keep"]]) {
        const ended = yield* here.run(["run", "--timeout", "0", ...keep, "--", "hang"])

        assert.deepStrictEqual(ended, {
          code: 8,
          stdout: "early\n",
          stderr: "paneway: the command ran longer than its timeout and was ended\n"
        })
        assert.deepStrictEqual(yield* panesOf(here), [])
      }
    }))

  it.effect("closes the pane when it is interrupted", () =>
    Effect.gen(function*() {
      const here = yield* shown({}, { programs: { hang: { name: "hang", run: () => Effect.never } } })
      const running = yield* Effect.forkChild(here.run(["run", "--", "hang"]))
      yield* here.waits(1)
      assert.strictEqual((yield* panesOf(here)).length, 1)
      yield* Fiber.interrupt(running)

      assert.deepStrictEqual(yield* panesOf(here), [])
    }))

  it.effect("fails with 4 when somebody closes the pane", () =>
    Effect.gen(function*() {
      const here = yield* shown({}, { programs: { hang: { name: "hang", run: () => Effect.never } } })
      const running = yield* Effect.forkChild(here.run(["run", "--json", "--", "hang"]))
      yield* here.waits(1)
      for (const { handle } of yield* here.runtime.listPanes()) yield* here.runtime.closePane(handle)
      const ended = yield* Fiber.join(running)

      assert.deepStrictEqual([ended.code, ended.stdout], [4, ""])
      const told: { readonly _tag: string; readonly message: string } = JSON.parse(ended.stderr)
      assert.strictEqual(told._tag, "PaneEnded")
      assert.match(told.message, / ended before the end of the command was seen \(open another pane\)$/)
    }))
})
