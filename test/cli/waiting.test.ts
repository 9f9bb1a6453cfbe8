import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import * as Scripted from "../../layers/Scripted.ts"
import { world } from "../fixtures/commandLine.ts"

const open = Effect.fnUntraced(function*(program?: Scripted.Program) {
  const all = yield* world(program === undefined ? {} : { program })
  const { handle } = yield* all.runtime.spawn({})
  return { ...all, handle, pane: `${handle}` }
})

describe("paneway wait output", () => {
  it.effect("prints the line that matches, whole and without control sequences", () =>
    Effect.gen(function*() {
      const { handle, pane, run, script, waits } = yield* open()
      const waiting = yield* Effect.forkChild(run(["wait", "output", pane, "--regex", "(\\d+) passed"]))
      yield* waits(1)
      yield* script.print(handle, "\n\x1b[32mTests: 12 passed\x1b[0m, all good\n")
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(waiting), {
        code: 0,
        stdout: "Tests: 12 passed, all good\n",
        stderr: ""
      })

      const json = JSON.parse((yield* run(["wait", "output", pane, "--regex", "(\\d+) passed", "--json"])).stdout)
      assert.deepStrictEqual(Object.keys(json), ["text", "groups", "line", "mark", "markLost", "rowsLost"])
      assert.deepInclude(json, { text: "12 passed", line: "Tests: 12 passed, all good", markLost: false })
      assert.deepStrictEqual(json.groups, ["12"])
    }))

  it.effect("takes --match as it is and --regex as an expression", () =>
    Effect.gen(function*() {
      const { handle, pane, run, script } = yield* open()
      yield* script.print(handle, "a.b(\n")
      const wait = (...words: ReadonlyArray<string>) =>
        Effect.map(run(["wait", "output", pane, "--timeout", "0", ...words]), ({ code }) => code)
      assert.strictEqual(yield* wait("--match", "a.b("), 0)
      assert.strictEqual(yield* wait("--match", "a?b"), 8)
      assert.strictEqual(yield* wait("--regex", "a.b"), 0)
      for (
        const wrong of [["--regex", "a("], ["--match", ""], [], ["--match", "a", "--regex", "a"], [
          "--match",
          "a",
          "--timeout",
          "-1s"
        ]]
      ) {
        assert.strictEqual(yield* wait(...wrong), 2, wrong.join(" "))
      }
    }))

  it.effect("exits with 8 when the time passed, and shows the last lines on standard error", () =>
    Effect.gen(function*() {
      const { handle, pane, run, script, waits } = yield* open()
      yield* script.print(handle, "\none\ntwo\x1b[31m!\n")
      const waiting = yield* Effect.forkChild(run(["wait", "output", pane, "--match", "never", "--timeout", "90s"]))
      yield* waits(1)
      yield* TestClock.adjust("89 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 second")
      const { code, stderr, stdout } = yield* Fiber.join(waiting)
      assert.deepStrictEqual([code, stdout], [8, ""])
      assert.match(stderr, /^paneway: [^\n]*not seen within 90 s: never[^\n]*\n[^]* {2}one\n {2}two!\n$/)
      const json = yield* run(["wait", "output", pane, "--match", "never", "--timeout", "0", "--json"])
      assert.strictEqual(json.stderr.trim().split("\n").length, 1)
      assert.deepInclude(JSON.parse(json.stderr), { _tag: "WaitTimeout", retryable: true, exitCode: 8, target: pane })
    }))

  it.effect("exits with 4 at once when the pane ends first", () =>
    Effect.gen(function*() {
      const { handle, pane, run, script, waits } = yield* open()
      const waiting = yield* Effect.forkChild(run(["wait", "output", pane, "--match", "never", "--timeout", "1h"]))
      yield* waits(1)
      yield* script.print(handle, "last words\n")
      yield* script.end(handle, { code: 3 })
      yield* TestClock.adjust("1 second")
      const { code, stderr } = yield* Fiber.join(waiting)
      assert.strictEqual(code, 4)
      assert.match(stderr, /ended before never was seen[^\n]*\n[^]*last words\n$/)
    }))

  it.effect("refuses a mark of another pane", () =>
    Effect.gen(function*() {
      const { pane, run, runtime } = yield* open()
      const { handle: other } = yield* runtime.spawn({})
      const { mark } = JSON.parse((yield* run(["capture", `${other}`, "--json"])).stdout)
      const { code, stderr } = yield* run(["wait", "output", pane, "--match", "x", "--after", mark])
      assert.strictEqual(code, 2)
      assert.include(stderr, "was taken on another pane")
    }))

  it.effect("tells a person after a second what it waits for, and nobody else", () =>
    Effect.gen(function*() {
      const { handle, pane, run, script, waits } = yield* open()
      const words = ["wait", "output", pane, "--match", "ready", "--timeout", "1m"]
      const wait = Effect.fnUntraced(function*(watched: boolean) {
        const waiting = yield* Effect.forkChild(run(words, { watched }))
        yield* waits(1)
        yield* TestClock.adjust("3500 millis")
        yield* script.print(handle, "ready\n")
        yield* TestClock.adjust("1 second")
        yield* script.feed(handle, "\x1b[2J\x1b[H")
        return yield* Fiber.join(waiting)
      })
      assert.strictEqual((yield* wait(false)).stderr, "")
      assert.match((yield* wait(true)).stderr, /waiting for ready in scripted:p1\S*: 3s[^]*\r\x1b\[K$/)
      yield* script.print(handle, "ready\n")
      const quick = yield* run(words, { watched: true })
      assert.strictEqual(quick.stderr, "")
    }))
})

describe("paneway wait agent", () => {
  it.effect("waits for any of the states, and prints the one that came", () =>
    Effect.gen(function*() {
      const { handle, pane, run, script, waits } = yield* open(Scripted.agent())
      const waiting = yield* Effect.forkChild(run(["wait", "agent", pane, "--state", "blocked", "--state", "done"]))
      yield* waits(1)
      yield* script.agent(handle, "working")
      yield* TestClock.adjust("1 second")
      assert.isUndefined(waiting.pollUnsafe())
      yield* script.agent(handle, "blocked")
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* Fiber.join(waiting), { code: 0, stdout: "blocked\n", stderr: "" })
      const json = yield* run(["wait", "agent", pane, "--state", "blocked", "--json"])
      assert.deepInclude(JSON.parse(json.stdout), { pane, state: "blocked" })
    }))

  it.effect("needs a state that there is", () =>
    Effect.gen(function*() {
      const { pane, run } = yield* open()
      assert.strictEqual((yield* run(["wait", "agent", pane])).code, 2)
      const { code, stderr } = yield* run(["wait", "agent", pane, "--state", "finished"])
      assert.strictEqual(code, 2)
      assert.match(stderr, /--state[^\n]*"finished"[^\n]*working[^\n]*\n$/)
    }))
})

describe("paneway wait lifecycle", () => {
  it.effect("observes each of the four conditions, and refuses a fifth", () =>
    Effect.gen(function*() {
      const { handle, pane, run, script } = yield* open()
      const wait = (...words: ReadonlyArray<string>) => run(["wait", "lifecycle", ...words, "--timeout", "0"])
      yield* run(["ensure", "build", "--root", "/tmp"])
      const active = JSON.parse((yield* run(["windows", "--json"])).stdout).windows.find((w: { active: boolean }) =>
        w.active
      )
      assert.strictEqual((yield* wait("window-exists", "build")).stdout, "present\n")
      assert.strictEqual((yield* wait("window-active", active.handle)).stdout, "active\n")
      assert.deepStrictEqual(yield* wait("window-exists", "nope"), {
        code: 8,
        stdout: "",
        stderr: "paneway: nope: not seen within 0 s: window-exists (wait again)\n"
      })
      assert.strictEqual((yield* wait("pane-exists", pane)).stdout, "present\n")
      assert.strictEqual((yield* wait("pane-exited", pane)).code, 8)
      yield* script.end(handle, { code: 3 })
      assert.deepStrictEqual(JSON.parse((yield* wait("pane-exited", pane, "--json")).stdout), {
        condition: "pane-exited",
        target: pane,
        observed: "exited",
        exit: { code: 3 }
      })
      yield* script.vanish(handle)
      assert.strictEqual((yield* wait("pane-exited", pane)).stdout, "absent\n")
      assert.strictEqual((yield* wait("pane-exited", "p77")).code, 4)
      const { code, stderr } = yield* wait("pane-happy", pane)
      assert.strictEqual(code, 2)
      assert.include((yield* run(["wait", "bogus"])).stderr, "unknown command bogus (see paneway wait --help)")
      assert.include(stderr, "expected \"window-exists\" | \"window-active\" | \"pane-exists\" | \"pane-exited\"")
    }))

  it.effect("wakes when the pane ends", () =>
    Effect.gen(function*() {
      const { handle, pane, run, script, waits } = yield* open()
      const waiting = yield* Effect.forkChild(run(["wait", "lifecycle", "pane-exited", pane, "--timeout", "infinity"]))
      yield* waits(1)
      yield* TestClock.adjust("10 minutes")
      assert.isUndefined(waiting.pollUnsafe())
      yield* script.end(handle)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(waiting)).stdout, "exited\n")
    }))
})

describe("paneway wait stable", () => {
  it.effect("prints the screen once nothing has changed for the time", () =>
    Effect.gen(function*() {
      const { handle, pane, run, script, waits } = yield* open()
      const waiting = yield* Effect.forkChild(run(["wait", "stable", pane, "--quiet", "2s"]))
      yield* waits(1)
      yield* TestClock.adjust("1500 millis")
      yield* script.print(handle, "more\n")
      yield* TestClock.adjust("1500 millis")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.include((yield* Fiber.join(waiting)).stdout, "more\n")
      assert.strictEqual((yield* run(["wait", "stable", pane])).code, 2)
    }))
})
