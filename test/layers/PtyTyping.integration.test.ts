import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { TestClock } from "effect/testing"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Pty from "../../layers/Pty.ts"
import { isRetryable } from "../../src/RuntimeError.ts"
import * as Send from "../../src/Send.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { bursting } from "../fixtures/bursting.ts"
import { received } from "../fixtures/sink.ts"
import { bereft, both, listening, marking, refusedFirst, unmarked } from "../fixtures/typing.ts"

const layer = Pty.layer({
  size: { columns: 100, rows: 30 },
  env: { ...process.env, SHELL: "/bin/sh", ENV: "", PS1: "$ " }
})

const linux = process.platform === "linux"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "paneway-test-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const sh = (script: string, ...args: ReadonlyArray<string>) =>
  TerminalRuntime.use((runtime) => runtime.spawn({ program: { argv: ["sh", "-c", script, "sh", ...args] } }))
const node = (script: string) =>
  TerminalRuntime.use((runtime) => runtime.spawn({ program: { argv: [process.execPath, "-e", script] } }))

describe("a program that reads lines", () => {
  it.live("case 13: gets what its terminal keeps of a long line, and the report warns", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { handle } = yield* sh("stty -echo; printf ready; head -n 1 | wc -c; printf end")
      yield* runtime.waitOutput(handle, { pattern: "ready", timeout: "10 seconds" })
      const report = yield* runtime.sendCommand(handle, "x".repeat(6000))
      yield* runtime.waitLifecycle({ condition: "pane-exited", target: handle, timeout: "10 seconds" })
      const [, count] = /ready\s*(\d+)\s+end/.exec((yield* runtime.capture(handle)).text) ?? []

      assert.isBelow(Number(count), 6001)
      assert.deepStrictEqual([report.outcome, report.warnings], ["admitted", ["line-may-be-truncated"]])
    }).pipe(Effect.provide(layer)))
})

describe("a shell", () => {
  const leaves = "printf '\\033[?2004h'; kill -9 $$"

  it.live("case 16: gets a plain command after a program that left paste mode on", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { handle } = yield* runtime.spawn({ program: { argv: ["/bin/sh", "-i"] } })
      yield* runtime.waitOutput(handle, { pattern: /^\$/, timeout: "10 seconds" })
      const left = yield* runtime.run(handle, {
        command: `sh -c "${leaves.replaceAll("$", "\\$")}"`,
        timeout: "10 seconds"
      })
      const next = yield* runtime.run(handle, { command: "echo fine", timeout: "10 seconds" })

      assert.deepStrictEqual([left.exitCode, next.exitCode, next.output], [137, 0, "fine\n"])
    }).pipe(Effect.provide(layer)))

  it.live("case 16: that takes the place of such a program gets lines without marks", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { handle } = yield* runtime.spawn({ program: { argv: ["sh", "-c", leaves] }, onExit: "shell" })
      yield* runtime.waitOutput(handle, { pattern: /[#$]$/, timeout: "10 seconds" })
      const report = yield* runtime.send(handle, { items: [{ message: "echo o'ne'\necho t'wo'" }, { key: "Enter" }] }, {
        allowNewlines: true
      })
      const match = yield* runtime.waitOutput(handle, { pattern: /two$/, after: report.mark, timeout: "10 seconds" })

      assert.match(match.screen.text, /one$/m)
      assert.notMatch(match.screen.text, /20[01]~|not found|\^\[/)
    }).pipe(Effect.provide(layer)))

  for (const [name, argv] of unmarked) {
    it.live.runIf(linux)(
      `case 16: such as ${name} gets no marks after a program that asked for them was killed`,
      () =>
        Effect.gen(function*() {
          yield* refusedFirst(yield* bereft(argv))
        }).pipe(Effect.timeout("15 seconds"), Effect.provide(layer))
    )
  }

  it.live.runIf(linux)(
    "case 16: such as sh gets no marks although it shows their sequence itself",
    () =>
      Effect.gen(function*() {
        const runtime = yield* TerminalRuntime
        const { handle } = yield* runtime.spawn({ program: { argv: ["/bin/sh", "-i"] } })
        yield* runtime.sendCommand(handle, "printf '\\033[?2004hsho'; echo wn")
        yield* runtime.waitOutput(handle, { pattern: /shown$/, timeout: "10 seconds" })
        yield* refusedFirst(handle)
      }).pipe(Effect.provide(layer))
  )

  for (const argv of marking) {
    it.live.runIf(linux)(
      `case 16: such as ${argv[0]} that asks for marks itself gets them after such a program`,
      () =>
        Effect.gen(function*() {
          yield* both(yield* bereft(argv), false)
        }).pipe(Effect.timeout("15 seconds"), Effect.provide(layer))
    )
  }

  it.live("case 26: takes Escape and the next key for two, within a send and between two", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { handle } = yield* runtime.spawn({ program: { argv: ["bash", "--norc", "--noprofile", "-i"] } })
      yield* runtime.waitOutput(handle, { pattern: /^\$/, timeout: "10 seconds" })
      // one key, it would only write on the line
      const bound =
        "set -o vi; bind 'set keyseq-timeout 500'; bind -m vi-insert '\"\\e\\C-m\": \"chord\"'; echo bo'und'"
      yield* runtime.sendCommand(handle, bound)
      yield* runtime.waitOutput(handle, { pattern: /^bound$/, timeout: "10 seconds" })

      const once = yield* runtime.send(handle, {
        items: [{ message: "echo fi'rst'" }, { key: "Escape" }, { key: "Enter" }]
      })
      yield* runtime.waitOutput(handle, { pattern: /^first$/, after: once.mark, timeout: "10 seconds" })
      const { mark } = yield* runtime.send(handle, { items: [{ message: "echo sec'ond'" }, { key: "Escape" }] })
      yield* runtime.sendKeys(handle, ["Enter"])
      yield* runtime.waitOutput(handle, { pattern: /^second$/, after: mark, timeout: "10 seconds" })
    }).pipe(Effect.provide(layer)))

  it.live("case 26: gets any number of Escapes within the time that a send has", () =>
    Effect.gen(function*() {
      const items = [...Array.from({ length: 20 }, () => ({ key: "Escape" })), { message: "x" }]
      const expected = `${"\u001b".repeat(20)}x`
      assert.strictEqual(yield* received({ items }, expected), expected)
    }).pipe(Effect.provide(Pty.layer({ stall: "1 second" }))))

  it.live("case 26: that can tell the keys apart gets them without a pause", () =>
    Effect.gen(function*() {
      const keys = { items: [{ key: "Escape" }, { key: "Enter" }] }
      const expected = "\u001b[27u\r"
      assert.strictEqual(yield* received(keys, expected, "printf '\\033[>1u';"), expected)
    }).pipe(Effect.provide(layer)))
})

describe("a program that has ended", () => {
  it.live("case 23: takes nothing, and whoever sends to its pane is told so", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { handle } = yield* sh("echo over; exit 7")
      yield* runtime.waitLifecycle({ condition: "pane-exited", target: handle, timeout: "10 seconds" })
      const sends = [
        runtime.sendText(handle, "x"),
        runtime.sendCommand(handle, "ls"),
        runtime.sendKeys(handle, ["C-c"]),
        runtime.sendCommand(handle, "go", { profile: "agent-aware" })
      ]
      for (const send of sends) {
        assert.deepInclude(yield* Effect.flip(send), { _tag: "SendRejected", code: "pane-dead" })
      }
      assert.deepStrictEqual((yield* runtime.capture(handle)).text.trim(), "over")
    }).pipe(Effect.provide(layer)))
})

describe("a scripted agent", () => {
  it.live("case 29: that takes nothing without the focus is told that it has it", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { handle } = yield* node(listening)
      yield* runtime.waitOutput(handle, { pattern: "ready", timeout: "10 seconds" })
      yield* runtime.sendCommand(handle, "one")
      yield* runtime.waitOutput(handle, { pattern: /^got one$/, timeout: "10 seconds" })
      yield* runtime.sendCommand(handle, "two")
      const { screen } = yield* runtime.waitOutput(handle, { pattern: /^got two$/, timeout: "10 seconds" })

      assert.deepStrictEqual(screen.rows.filter((row) => row === "focus"), ["focus"])
    }).pipe(Effect.provide(layer)))

  it.live("case 28: that opens a menu by a typed character opens none by a prompt", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { handle } = yield* node(`
        process.stdin.setRawMode(true)
        let prompt = ""
        const take = (text) => {
          if (text === "\\r") {
            process.stdout.write("got " + prompt + "\\r\\n")
            prompt = ""
          } else {
            if (prompt === "" && /^[/!@#]/.test(text)) process.stdout.write("menu\\r\\n")
            prompt += text.replaceAll(/\\x1b\\[20[01]~/g, "")
          }
        }
        // on a busy machine it reads both at once
        process.stdin.on("data", (chunk) => chunk.toString().split(/(?=\\r)/).forEach(take))
        process.stdout.write("\\x1b[?2004hready\\r\\n")`)
      yield* runtime.waitOutput(handle, { pattern: "ready", timeout: "10 seconds" })
      for (const prompt of ["A != B", "/tmp is full", "# title", "@file", "!ls"]) {
        yield* runtime.sendText(handle, prompt, { profile: "agent-aware" })
        const { screen } = yield* runtime.waitOutput(handle, { pattern: `got ${prompt}`, timeout: "10 seconds" })
        assert.notInclude(screen.rows, "menu", prompt)
      }
      yield* runtime.sendText(handle, "/model")
      yield* runtime.waitOutput(handle, { pattern: /^menu$/, timeout: "10 seconds" })
    }).pipe(Effect.provide(layer)))

  for (const [told, asks] of [["that asks for pastes", true], ["that asks for nothing", false]] as const) {
    it.live(`case 25: ${told} gets the Enter of a prompt a moment after its text`, () =>
      Effect.gen(function*() {
        const runtime = yield* TerminalRuntime
        const { handle } = yield* node(bursting(50, asks))
        yield* runtime.waitOutput(handle, { pattern: "ready", timeout: "10 seconds" })
        for (const prompt of ["go", "x".repeat(3000)]) {
          const { mark } = yield* runtime.sendCommand(handle, prompt, { profile: "agent-aware" })
          const { line } = yield* runtime.waitOutput(handle, {
            pattern: /^got .*$/,
            after: mark,
            timeout: "10 seconds"
          })
          assert.strictEqual(line, `got "${prompt}"`)
        }
      }).pipe(Effect.provide(layer)))
  }

  it.live("case 43: that is done before anybody looks gets one copy of its prompt", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const log = join(yield* folder, "prompts")
      const { handle } = yield* sh("stty -echo; echo idle; while read -r line; do echo \"$line\" >>\"$1\"; done", log)
      yield* runtime.waitOutput(handle, { pattern: "idle", timeout: "10 seconds" })
      const unseen: Send.SubmitPolicyService = {
        appliesTo: () => true,
        gate: () => Effect.void,
        submit: Effect.fnUntraced(function*(_, __, ___, { look, submitKey }) {
          yield* submitKey
          yield* look
          return {
            outcome: "in-doubt",
            evidence: "none",
            inject: "capture_missing_token",
            submit: "Enter_sent_after_visible_token",
            turn: "leader_new_turn_boundary_missing",
            attempts: 1
          }
        })
      }
      const error = yield* Effect.flip(runtime.sendCommand(handle, "do it")).pipe(
        Effect.provideService(Send.SubmitPolicy, Option.some(unseen))
      )
      yield* runtime.sendKeys(handle, ["C-d"])
      yield* runtime.waitLifecycle({ condition: "pane-exited", target: handle, timeout: "10 seconds" })

      assert.strictEqual(error._tag, "SendStalled")
      assert.isFalse(isRetryable(error))
      assert.strictEqual(readFileSync(log, "utf8"), "do it\n")
    }).pipe(Effect.provide(layer)))
})

describe("a signal from the keyboard", () => {
  it.live("is answered by the program before the next text is typed", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      // it takes its time for the answer, and what comes before that is lost
      const { handle } = yield* node(`
        const { execSync } = require("node:child_process")
        execSync("stty -echo", { stdio: "inherit" })
        let dropping = false
        process.stdin.on("data", (text) => { if (!dropping) console.log("<" + String(text).trim() + ">") })
        process.on("SIGINT", () => {
          dropping = true
          setTimeout(() => { dropping = false; console.log("stopped") }, 80)
        })
        console.log("ready")`)
      yield* runtime.waitOutput(handle, { pattern: "ready", timeout: "10 seconds" })
      yield* runtime.send(handle, { items: [{ key: "C-c" }, { message: "next" }, { key: "Enter" }] })
      yield* runtime.waitOutput(handle, { pattern: /^<next>$/, timeout: "10 seconds" })
    }).pipe(Effect.provide(layer)))

  it.live("is not waited for by another one, nor longer than a moment where nothing answers", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { handle } = yield* sh("trap '' INT; stty -echo; printf 'ready\\n'; cat")
      yield* runtime.waitOutput(handle, { pattern: "ready", timeout: "10 seconds" })
      yield* Effect.gen(function*() {
        yield* runtime.sendKeys(handle, ["C-c", "C-c", "C-c"])
        const sending = yield* Effect.forkChild(runtime.sendCommand(handle, "after"), { startImmediately: true })
        // only a second passes
        for (let n = 0; n < 20; n++) {
          yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
          yield* TestClock.adjust("50 millis")
        }
        yield* Fiber.join(sending)
      }).pipe(Effect.provide(TestClock.layer()))
      yield* runtime.waitOutput(handle, { pattern: /^after$/, timeout: "10 seconds" })
    }).pipe(Effect.provide(layer)))
})
