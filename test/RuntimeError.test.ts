import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import * as RuntimeError from "../src/RuntimeError.ts"
import { Mark, Screen } from "../src/Screen.ts"
import { DeliveryReport } from "../src/Send.ts"
import { PaneHandle, WindowHandle } from "../src/Target.ts"

const identity = { runtime: "memory", host: "local", scope: "memory", incarnation: "1" }
const pane = new PaneHandle({ ...identity, id: "p1" })
const mark = new Mark({ pane })
const screenOf = (rows: ReadonlyArray<string>) =>
  new Screen({ rows, wrapped: [], joined: false, truncated: false, mark })
const screen = screenOf(["ready"])
const timeout = new RuntimeError.WaitTimeout({
  target: pane,
  waitedFor: "done",
  timeout: Duration.minutes(2),
  lastSeen: { _tag: "Screen", screen }
})
const report = new DeliveryReport({
  stage: "submit",
  evidence: "bytes",
  inject: "no_token",
  submit: "enter_sent_without_placeholder_check",
  turn: "not_yet_observed",
  attempts: 1,
  droppedTrailingEnter: false,
  outcome: "in-doubt",
  mark
})

const codec = Schema.toCodecJson(RuntimeError.RuntimeError)
const wire = (error: RuntimeError.RuntimeError): unknown => JSON.parse(JSON.stringify(Schema.encodeSync(codec)(error)))

const each: { readonly [T in RuntimeError.RuntimeError["_tag"]]: Extract<RuntimeError.RuntimeError, { _tag: T }> } = {
  RuntimeUnavailable: new RuntimeError.RuntimeUnavailable({ runtime: "tmux", reason: "lost", detail: "the socket" }),
  UnknownRuntime: new RuntimeError.UnknownRuntime({ runtime: "tmxu", available: ["pty", "tmux"] }),
  TargetNotFound: new RuntimeError.TargetNotFound({ target: pane, reason: "ambiguous", candidates: ["a", "b"] }),
  WindowConflict: new RuntimeError.WindowConflict({
    window: new WindowHandle({ ...identity, id: "w1" }),
    field: "root",
    requested: "/a",
    existing: "/b"
  }),
  SpawnFailed: new RuntimeError.SpawnFailed({ runtime: "pty", reason: "lost", detail: "x", created: "indeterminate" }),
  Unsupported: new RuntimeError.Unsupported({ runtime: "pty", capability: "focus", reason: "no" }),
  OperationRefused: new RuntimeError.OperationRefused({ runtime: "tmux", operation: "close", reason: "not ours" }),
  NativeFailure: new RuntimeError.NativeFailure({ runtime: "tmux", operation: "resize", code: "1", detail: "bad" }),
  SendRejected: new RuntimeError.SendRejected({
    pane,
    code: "unknown-key",
    reason: "no such key",
    index: 2,
    offset: 0
  }),
  SendFailed: new RuntimeError.SendFailed({ pane, stage: "set-buffer", detail: "full" }),
  SendStalled: new RuntimeError.SendStalled({ pane, report, reason: "not-processed" }),
  WaitTimeout: timeout,
  PaneEnded: new RuntimeError.PaneEnded({ pane, waitedFor: "x", exit: { code: 3 }, lastSeen: { _tag: "Nothing" } }),
  CommandUnfinished: new RuntimeError.CommandUnfinished({
    pane,
    report,
    timeout: Duration.seconds(5),
    lastSeen: { _tag: "Nothing" }
  }),
  InvalidRequest: new RuntimeError.InvalidRequest({ operation: "send", field: "profile", reason: "is unknown" })
}

describe("every failure", () => {
  it("says what to do in its message", () => {
    for (const [tag, error] of Object.entries(each)) {
      assert.match(error.message, /\(.+\)$/, tag)
      assert.notMatch(error.message, /\[object|undefined|NaN/, tag)
    }
  })

  it("of a command that did not end tells that its shell had shown no prompt when it was typed", () => {
    const unfinished = (warnings: DeliveryReport["warnings"] & {}) =>
      new RuntimeError.CommandUnfinished({
        pane,
        report: new DeliveryReport({ ...report, warnings }),
        timeout: Duration.seconds(5),
        lastSeen: { _tag: "Nothing" }
      }).message

    assert.match(unfinished(["before-prompt"]), /no prompt .* start-up files .* do not run it again\)$/)
    assert.match(unfinished(["mode-left"]), /: still running after 5 s \(/)
  })

  it("of a send in doubt tells why it is", () => {
    const messages = RuntimeError.SendStalled.fields.reason.literals.map((reason) =>
      new RuntimeError.SendStalled({ pane, report, reason }).message
    )

    assert.strictEqual(new Set(messages).size, 3)
    assert.match(messages[2] ?? "", /in doubt after submit: the connection was lost .*\(look at the pane; do not/)
  })

  it("has the exit code of its class", () => {
    const codes = Object.fromEntries(
      Object.entries(each).map(([tag, error]) => [tag, Runtime.getErrorExitCode(error)])
    )

    assert.deepStrictEqual(codes, {
      RuntimeUnavailable: 3,
      UnknownRuntime: 3,
      TargetNotFound: 4,
      WindowConflict: 5,
      SpawnFailed: 9,
      Unsupported: 6,
      OperationRefused: 6,
      NativeFailure: 1,
      SendRejected: 6,
      SendFailed: 1,
      SendStalled: 7,
      WaitTimeout: 8,
      PaneEnded: 4,
      CommandUnfinished: 7,
      InvalidRequest: 2
    })
  })

  it("is retryable only where repeating the call is safe and may succeed", () => {
    const retryable = Object.entries(each).flatMap(([tag, error]) => RuntimeError.isRetryable(error) ? [tag] : [])
    const unavailable = RuntimeError.RuntimeUnavailable.fields.reason.literals.filter((reason) =>
      new RuntimeError.RuntimeUnavailable({ runtime: "x", reason, detail: "" }).retryable
    )

    assert.deepStrictEqual(retryable, ["RuntimeUnavailable", "SendFailed", "WaitTimeout"])
    assert.deepStrictEqual(unavailable, ["not-running", "lost", "timed-out"])
  })

  it("crosses JSON unchanged, with its class", () => {
    for (const error of Object.values(each)) {
      const back = Schema.decodeUnknownSync(codec)(wire(error))

      assert.strictEqual(back.constructor, error.constructor)
      assert.strictEqual(back.message, error.message)
      assert.deepStrictEqual(wire(back), wire(error))
    }
  })

  it("of a program that cannot be run has the exit code of a shell", () => {
    const spawn = (reason: "missing-program" | "not-executable") =>
      new RuntimeError.SpawnFailed({ runtime: "pty", reason, detail: "x", created: "nothing" })

    assert.strictEqual(Runtime.getErrorExitCode(spawn("missing-program")), 127)
    assert.strictEqual(Runtime.getErrorExitCode(spawn("not-executable")), 126)
  })
})

describe("a failure in JSON", () => {
  it("keeps its screen", () => {
    const back = Schema.decodeUnknownSync(codec)(wire(timeout))

    assert(back instanceof RuntimeError.WaitTimeout && back.lastSeen._tag === "Screen")
    assert.deepStrictEqual(back.lastSeen.screen.rows, ["ready"])
    assert.strictEqual(RuntimeError.exitCode(back), 8)
  })

  it("has its durations in milliseconds, and in seconds in its message", () => {
    assert.deepInclude(wire(timeout), { timeout: 120_000 })
    assert.deepInclude(wire(each.CommandUnfinished), { timeout: 5000 })
    assert.strictEqual(timeout.message, `${pane}: not seen within 120 s: done (wait again, or look at lastSeen)`)
  })

  it("carries a bounded part of what a program said, without escapes and secrets", () => {
    const secret = `API_TOKEN=abcdef ${"x".repeat(5000)}\u001b[31m end`
    const failure = new RuntimeError.NativeFailure({ runtime: "tmux", operation: "close", detail: secret })
    const sent = JSON.stringify(wire(failure))

    assert.isBelow(sent.length, 1400)
    assert.isBelow(failure.message.length, 1400)
    assert.notMatch(`${sent}${failure.message}`, /abcdef|\u001b|\\u001b/)
  })

  it("carries the end of a long screen", () => {
    const long = screenOf(Array.from({ length: 200 }, (_, row) => `row ${row} ${"=".repeat(40)}`))
    const error = new RuntimeError.WaitTimeout({
      target: pane,
      waitedFor: "x",
      timeout: Duration.seconds(1),
      lastSeen: { _tag: "Screen", screen: long }
    })
    const back = Schema.decodeUnknownSync(codec)(wire(error))

    assert(back._tag === "WaitTimeout" && back.lastSeen._tag === "Screen")
    assert.isAtMost(Buffer.byteLength(back.lastSeen.screen.text), 1200)
    assert.include(back.lastSeen.screen.text, "row 199")
    assert.isTrue(back.lastSeen.screen.truncated)
    assert.deepStrictEqual(RuntimeError.lastScreen(long), back.lastSeen)
  })

  it("keeps a short screen as it is", () => {
    const seen = RuntimeError.lastScreen(screen)

    assert(seen._tag === "Screen")
    assert.strictEqual(seen.screen, screen)
  })
})

describe("a failure made of odd data", () => {
  it("is made all the same", () => {
    const odd = [Number.NaN, Number.POSITIVE_INFINITY, -1, 1.5]
    for (const number of odd) {
      const rejected = new RuntimeError.SendRejected({
        pane,
        code: "shape",
        reason: "\u0000\ud800",
        index: number,
        offset: number
      })
      const unfinished = new RuntimeError.CommandUnfinished({
        pane,
        report,
        timeout: Duration.millis(number),
        lastSeen: { _tag: "Nothing" }
      })

      assert.strictEqual(Schema.decodeUnknownSync(codec)(wire(rejected))._tag, "SendRejected")
      assert.strictEqual(Schema.decodeUnknownSync(codec)(wire(unfinished))._tag, "CommandUnfinished")
      assert.isString(`${rejected.message}${unfinished.message}`)
    }
    const failed = new RuntimeError.SendFailed({ pane, stage: "submit", detail: "x".repeat(1e6), cause: Symbol("odd") })
    assert.isBelow(failed.message.length, 1400)
  })
})
