import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Pty from "../../layers/Pty.ts"
import type { SendRequest } from "../../src/Send.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"

const layer = Pty.layer({ size: { columns: 80, rows: 24 } })

/** Asks in raw mode, and prints what comes until the answer to a cursor report, which every terminal gives. */
const asker = (question: string) => `
process.stdin.setRawMode(true)
const deadline = setTimeout(() => { process.stdout.write("<late>"); process.exit(1) }, 5000)
const chunks = []
process.stdin.on("data", (chunk) => {
  chunks.push(chunk)
  const all = Buffer.concat(chunks)
  const end = all.toString("latin1").search(/\\x1b\\[\\d+;\\d+R$/)
  if (end === -1) return
  process.stdout.write("<" + all.subarray(0, end).toString("hex") + ">")
  clearTimeout(deadline)
  process.exit(0)
})
process.stdout.write(${JSON.stringify(question)} + "\\x1b[6n")`

/** Takes keys in raw mode until `end`. */
const recorder = (modes: string, end: string) => `
process.stdin.setRawMode(true)
process.stdout.write(${JSON.stringify(modes)} + "ready\\r\\n")
const chunks = []
process.stdin.on("data", (chunk) => {
  chunks.push(chunk)
  const all = Buffer.concat(chunks)
  const end = all.indexOf(${JSON.stringify(end)})
  if (end === -1) return
  process.stdout.write("<" + all.subarray(0, end).toString("hex") + ">")
  process.exit(0)
})`

const shown = Effect.fnUntraced(function*(script: string, request?: SendRequest) {
  const runtime = yield* TerminalRuntime
  const { handle } = yield* runtime.spawn({ program: { argv: [process.execPath, "-e", script] } })
  if (request !== undefined) {
    yield* runtime.waitOutput(handle, { pattern: "ready", timeout: "10 seconds" })
    yield* runtime.send(handle, request)
  }
  const printed = yield* Stream.runCollect(runtime.output(handle))
  const hex = /<([0-9a-f]*|late)>/.exec(Buffer.concat(printed).toString("latin1"))?.[1] ?? "nothing"
  return hex === "late" || hex === "nothing" ? hex : Buffer.from(hex, "hex").toString("latin1")
})

const hex = (text: string) => Buffer.from(text).toString("hex")

describe("a program that asks its terminal", () => {
  const questions = [
    ["what it is (DA1)", "\x1b[c", "\x1b[?1;2c"],
    ["which version it is (DA2)", "\x1b[>c", "\x1b[>0;276;0c"],
    ["which one it is (DA3)", "\x1b[=c", "\x1bP!|00000000\x1b\\"],
    ["whether it is well (DSR)", "\x1b[5n", "\x1b[0n"],
    ["for the colour of texts (OSC 10)", "\x1b]10;?\x1b\\", "\x1b]10;rgb:e5e5/e5e5/e5e5\x1b\\"],
    ["for the colour of the ground (OSC 11)", "\x1b]11;?\x07", "\x1b]11;rgb:0000/0000/0000\x1b\\"],
    ["for the keyboard protocol (CSI ? u)", "\x1b[?u", "\x1b[?0u"],
    ["for the keyboard protocol that it switched on", "\x1b[>1u\x1b[?u", "\x1b[?1u"],
    ["for its name (XTVERSION)", "\x1b[>q", "\x1bP>|paneway\x1b\\"],
    ["for whether it pastes in brackets (DECRQM)", "\x1b[?2004$p", "\x1b[?2004;2$y"],
    ["for its size", "\x1b[18t", "\x1b[8;24;80t"],
    [
      "for capabilities (XTGETTCAP)",
      `\x1bP+q${hex("Co")};${hex("RGB")};${hex("nonsense")}\x1b\\`,
      `\x1bP1+r${hex("Co")}=${hex("256")}\x1b\\\x1bP1+r${hex("RGB")}=${hex("8/8/8").toUpperCase()}\x1b\\`
      + `\x1bP0+r${hex("nonsense")}\x1b\\`
    ]
  ] as const

  it.live("gets each answer at once, whole and once", () =>
    Effect.forEach(
      questions,
      Effect.fnUntraced(function*([name, question, answer]) {
        assert.strictEqual(JSON.stringify(yield* shown(asker(question))), JSON.stringify(answer), name)
      }),
      { concurrency: 4, discard: true }
    ).pipe(Effect.provide(layer)))

  it.live("and never reads stops neither itself nor what is sent to others", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const program = "process.stdin.setRawMode(true); process.stdout.write('\\x1b[c'.repeat(50000) + 'asked')"
      const deaf = yield* runtime.spawn({
        program: { argv: [process.execPath, "-e", `${program}; setTimeout(() => {}, 60000)`] }
      })
      yield* runtime.waitOutput(deaf.handle, { pattern: "asked", timeout: "10 seconds" })
      const other = yield* runtime.spawn({ program: { argv: ["cat"] } })
      yield* runtime.sendCommand(other.handle, "still here")
      yield* runtime.waitOutput(other.handle, { pattern: "still here", timeout: "30 seconds" })
    }).pipe(Effect.provide(layer)))
})

describe("a program that asked for unambiguous keys", () => {
  const keys = ["Escape", "C-c", "M-x", "C-i", "Tab", "Enter", "S-Enter", "C-Space", "Up", "C-Up", "F5", "a"]
  const request: SendRequest = { items: [...keys.map((key) => ({ key })), { message: "$" }] }
  const plain = "\x1b\x03\x1bx\t\t\r\r\0\x1b[A\x1b[1;5A\x1b[15~a"

  it.live("gets them by the keyboard protocol, and the old ones after it switched that off", () =>
    Effect.gen(function*() {
      const told = yield* Effect.forEach(
        ["\x1b[>1u", "", "\x1b[>1u\x1b[<u", "\x1b[>8u"],
        (modes) => Effect.map(shown(recorder(modes, "$"), request), (got) => JSON.stringify(got)),
        { concurrency: "unbounded" }
      )

      assert.deepStrictEqual(
        told,
        [
          "\x1b[27u\x1b[99;5u\x1b[120;3u\x1b[105;5u\t\r\x1b[13;2u\x1b[32;5u\x1b[A\x1b[1;5A\x1b[15~a",
          plain,
          plain,
          plain
        ].map((keys) => JSON.stringify(keys))
      )
    }).pipe(Effect.provide(layer)))
})
