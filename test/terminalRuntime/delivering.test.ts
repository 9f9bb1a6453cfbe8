import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { type Delivered, type Delivery, type Obstacle, type Primitives, WriteFailed } from "../../src/Contract.ts"
import { RuntimeUnavailable } from "../../src/RuntimeError.ts"
import type * as Send from "../../src/Send.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import * as Guarded from "../fixtures/Guarded.ts"
import * as Records from "../fixtures/Records.ts"

const resolved = Effect.gen(function*() {
  const runtime = yield* TerminalRuntime
  const { handle: pane } = yield* runtime.resolve("%1")
  return { runtime, pane }
})

/** An adapter that delivers: it notes what it is given, and answers as the test says. */
const delivering = (answers: ReadonlyArray<Effect.Effect<Delivered, WriteFailed | RuntimeUnavailable>>) => {
  const given: Array<Delivery> = []
  const world = Records.world()
  const layer = (more: Partial<Primitives> = {}) =>
    Records.layer(world, () => ({
      deliver: (_, delivery) =>
        Effect.suspend(() => {
          given.push(delivery)
          return answers[given.length - 1] ?? Effect.die("delivered too often")
        }),
      ...more
    }))
  return { world, given, layer }
}
const written = Effect.succeed<Delivered>({ _tag: "Written", before: { at: { row: 3, column: 2, epoch: "e" } } })
const refused = (...obstacles: readonly [Obstacle, ...Array<Obstacle>]) =>
  Effect.succeed<Delivered>({ _tag: "Refused", obstacles })
const failed = (written: WriteFailed["written"], stage: Send.Stage = "paste-buffer", cause: unknown = "no") =>
  Effect.fail(new WriteFailed({ stage, written, cause, before: { at: { row: 7, column: 0, epoch: "e" } } }))

const codes = {
  "dead": "pane-dead",
  "input-off": "input-off",
  "synchronized": "synchronized",
  "draining": "draining",
  "no-bracketed-paste": "newline-would-submit",
  "in-mode": "pane-in-mode"
} as const

describe("an adapter that delivers", () => {
  it.effect("is asked for checks, mark, text and Enter in one native call", () => {
    const server = Guarded.server()
    return Effect.gen(function*() {
      const { pane, runtime } = yield* resolved
      server.lines.length = 0

      const report = yield* runtime.sendCommand(pane, "it's; #{x}")

      assert.strictEqual(server.lines.length, 1)
      assert.strictEqual(report.outcome, "admitted")
      assert.deepStrictEqual(report.mark.at, { row: 15, column: 0, epoch: "w80" })
    }).pipe(Effect.provide(Guarded.layer(server)))
  })

  it.effect("leaves a mode and types once, refuses a dead pane with a code, and is in doubt at a wrong answer", () => {
    const server = Guarded.server()
    return Effect.gen(function*() {
      const { pane, runtime } = yield* resolved
      server.lines.length = 0

      server.mode = true
      const report = yield* runtime.sendText(pane, "x")

      assert.strictEqual(server.lines.length, 3)
      assert.deepStrictEqual(report.warnings, ["mode-left"])

      server.dead = true
      assert.deepInclude(yield* Effect.flip(runtime.sendText(pane, "x")), { _tag: "SendRejected", code: "pane-dead" })

      server.answer = () => ["garbage"]
      assert.strictEqual((yield* Effect.flip(runtime.sendText(pane, "x")))._tag, "SendStalled")
    }).pipe(Effect.provide(Guarded.layer(server)))
  })

  it.effect("is told what forbids the delivery, and each obstacle has its code", () =>
    Effect.gen(function*() {
      for (
        const obstacle of ["dead", "input-off", "synchronized", "draining", "no-bracketed-paste", "in-mode"] as const
      ) {
        const { given, layer } = delivering([refused(obstacle)])
        const error = yield* Effect.gen(function*() {
          const { pane, runtime } = yield* Records.open
          return yield* Effect.flip(runtime.sendText(pane, "x"))
        }).pipe(Effect.provide(layer()))

        assert.deepInclude(error, { _tag: "SendRejected", code: codes[obstacle] })
        assert.deepStrictEqual(given[0]?.unless, [
          "dead",
          "input-off",
          "in-mode",
          "synchronized",
          "draining",
          "other-profile"
        ])
      }
    }))

  it.effect("is told of newlines only where they may submit", () => {
    const { given, layer } = delivering([written, written, written])
    return Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open
      yield* runtime.sendText(pane, "a\nb")
      yield* runtime.sendText(pane, "a\nb", { allowNewlines: true })
      yield* runtime.sendText(pane, "ab")

      assert.deepStrictEqual(given.map(({ unless }) => unless.includes("no-bracketed-paste")), [true, false, false])
    }).pipe(Effect.provide(layer()))
  })

  it.effect("of several obstacles is refused for the one that cannot be helped, and no mode is left for it", () => {
    const left: Array<string> = []
    const { given, layer } = delivering([refused("other-profile", "in-mode", "dead")])
    const leaveMode = () => Effect.sync(() => void left.push("left"))
    return Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open

      assert.deepInclude(yield* Effect.flip(runtime.sendText(pane, "x")), { code: "pane-dead" })
      assert.deepStrictEqual([left.length, given.length], [0, 1])
    }).pipe(Effect.provide(layer({ leaveMode })))
  })

  it.effect("case 22: leaves a mode once and refuses a pane that is in one again", () => {
    const left: Array<string> = []
    const { given, layer } = delivering([refused("in-mode"), refused("in-mode")])
    const leaveMode = () => Effect.sync(() => void left.push("left"))
    return Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open

      assert.deepInclude(yield* Effect.flip(runtime.sendText(pane, "x")), { code: "pane-in-mode" })
      assert.deepStrictEqual([left.length, given.length], [1, 2])
    }).pipe(Effect.provide(layer({ leaveMode })))
  })

  it.effect("of a pane with the other profile gets the plan for that, once", () => {
    const { given, layer } = delivering([
      refused("other-profile"),
      written,
      refused("other-profile"),
      refused("other-profile")
    ])
    return Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open
      const report = yield* runtime.send(pane, { command: "go", items: [{ key: "Enter" }] })
      const flickers = yield* Effect.flip(runtime.sendCommand(pane, "go"))

      assert.isTrue(report.droppedTrailingEnter)
      assert.deepStrictEqual(
        given.map(({ profile, steps }) => `${profile} ${steps.map(({ _tag }) => _tag).join(" ")}`),
        [
          "plain-pane Type Press Press",
          "agent-aware Prompt",
          "plain-pane Type Press",
          "agent-aware Prompt"
        ]
      )
      assert.deepInclude(flickers, { _tag: "SendRejected", code: "not-ready" })
    }).pipe(Effect.provide(layer()))
  })

  it.effect("of a pane whose right profile does not take the request is refused, and nothing was typed", () => {
    const { given, layer } = delivering([refused("other-profile")])
    return Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open
      const error = yield* Effect.flip(runtime.send(pane, { command: "go", items: [{ key: "Down" }] }))

      assert.deepInclude(error, { _tag: "SendRejected", code: "shape" })
      assert.strictEqual(given.length, 1)
    }).pipe(Effect.provide(layer()))
  })

  it.effect("decides the profile where panes differ, and the caller decides over it", () => {
    const { given, layer } = delivering([written, written])
    const profileOf = () => Effect.succeed<Send.SendProfile>("agent-aware")
    return Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open
      yield* runtime.sendCommand(pane, "a")
      yield* runtime.sendCommand(pane, "b", { profile: "plain-pane" })

      assert.deepStrictEqual(given.map(({ profile }) => profile), ["agent-aware", "plain-pane"])
      assert.deepStrictEqual(given.map(({ unless }) => unless.includes("other-profile")), [true, false])
    }).pipe(Effect.provide(layer({ profileOf })))
  })

  it.effect("says what it observed, and the report says the same", () => {
    const seen = (evidence: Send.Evidence) =>
      Effect.succeed<Delivered>({ _tag: "Written", before: {}, evidence, bytes: 2, warnings: ["focus-sent"] })
    const all: ReadonlyArray<Send.Evidence> = ["agent-protocol", "transcript", "screen", "bytes", "none"]
    const { layer } = delivering(all.map(seen))
    return Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open
      const reports = yield* Effect.forEach(all, () => runtime.sendCommand(pane, "x"))

      assert.deepStrictEqual(reports.map(({ evidence }) => evidence), all)
      assert.deepStrictEqual(reports.map(({ outcome }) => outcome), [
        "accepted",
        "accepted",
        "accepted",
        "admitted",
        "admitted"
      ])
      assert.deepInclude(reports[0], { warnings: ["focus-sent"], bytes: { accepted: 2, total: 2 } })
    }).pipe(Effect.provide(layer()))
  })

  it.effect("with weaker evidence than required is in doubt, with the report, and not sent again", () => {
    const { given, layer } = delivering([written, written])
    return Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open
      const error = yield* Effect.flip(runtime.sendCommand(pane, "x", { require: "screen" }))
      const enough = yield* runtime.sendCommand(pane, "x", { require: "bytes" })

      assert(error._tag === "SendStalled")
      assert.strictEqual(error.reason, "not-processed")
      assert.deepInclude(error.report, { outcome: "in-doubt", evidence: "bytes", stage: "submit", attempts: 1 })
      assert.deepStrictEqual(error.report.mark.at, { row: 3, column: 2, epoch: "e" })
      assert.strictEqual(enough.outcome, "admitted")
      assert.strictEqual(given.length, 2)
    }).pipe(Effect.provide(layer()))
  })

  it.effect("that wrote nothing can be repeated, anything else is in doubt with its count", () => {
    const lost = new RuntimeUnavailable({ runtime: "records", reason: "lost", detail: "gone" })
    const { layer } = delivering([
      failed("nothing", "load-buffer"),
      failed(0),
      failed("indeterminate"),
      failed(3),
      failed(99),
      failed("indeterminate", "submit", lost),
      Effect.fail(lost)
    ])
    return Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open
      const send = Effect.flip(runtime.sendCommand(pane, "héllo"))
      const nothing = yield* send
      const zero = yield* send
      const unknown = yield* send
      const three = yield* send
      const many = yield* send
      const cut = yield* send
      const unavailable = yield* send

      assert.deepInclude(nothing, { _tag: "SendFailed", stage: "load-buffer", detail: "no" })
      assert.deepInclude(zero, { _tag: "SendFailed" })
      assert(unknown._tag === "SendStalled" && three._tag === "SendStalled" && many._tag === "SendStalled")
      assert.deepInclude(unknown.report, { stage: "paste-buffer", outcome: "in-doubt", evidence: "none" })
      assert.isUndefined(unknown.report.bytes)
      assert.deepStrictEqual(unknown.report.mark.at, { row: 7, column: 0, epoch: "e" })
      assert.deepStrictEqual(three.report.bytes, { accepted: 3, total: 7 })
      assert.deepStrictEqual(many.report.bytes, { accepted: 99, total: 100 })
      assert.deepInclude(cut, { reason: "connection-lost" })
      assert.deepInclude(unavailable, { _tag: "RuntimeUnavailable", reason: "lost" })
    }).pipe(Effect.provide(layer()))
  })

  it.effect("case 34: that gives no answer is cut a second after its stall, in doubt, and lets the next one in", () => {
    const { given, layer } = delivering([Effect.never, written])
    return Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open
      const hangs = yield* Effect.forkChild(Effect.flip(runtime.sendText(pane, "x")))
      const next = yield* Effect.forkChild(runtime.sendText(pane, "y"))

      yield* TestClock.adjust("5999 millis")
      assert.isUndefined(hangs.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      const error = yield* Fiber.join(hangs)
      yield* Fiber.join(next)

      assert(error._tag === "SendStalled" && error.reason === "write-failed")
      assert.strictEqual(given.length, 2)
    }).pipe(Effect.provide(layer()))
  })

  it.effect("has more time for more bytes, as long as the program reads", () => {
    const { layer } = delivering([Effect.delay(written, "60 seconds")])
    return Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open
      const slow = yield* Effect.forkChild(runtime.sendText(pane, "x".repeat(60_000)))
      yield* TestClock.adjust("60 seconds")

      assert.strictEqual((yield* Fiber.join(slow)).outcome, "admitted")
    }).pipe(Effect.provide(layer()))
  })

  it.effect("that ignores its interruption holds nobody up for ever", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const { layer } = delivering([Effect.uninterruptible(Effect.andThen(Deferred.await(gate), written)), written])
      yield* Effect.gen(function*() {
        const { pane, runtime } = yield* Records.open
        const hangs = yield* Effect.forkChild(Effect.flip(runtime.sendText(pane, "x")))
        yield* TestClock.adjust("7 seconds")

        assert.strictEqual((yield* Fiber.join(hangs))._tag, "SendStalled")
        assert.strictEqual((yield* runtime.sendText(pane, "y")).outcome, "admitted")
        yield* Deferred.succeed(gate, undefined)
      }).pipe(Effect.provide(layer()))
    }))

  it.effect("that dies in the middle is in doubt", () => {
    const { layer } = delivering([Effect.die(new TypeError("broken"))])
    return Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open

      assert.strictEqual((yield* Effect.flip(runtime.sendText(pane, "x")))._tag, "SendStalled")
    }).pipe(Effect.provide(layer()))
  })

  it.effect("is not cut by a caller's timeout or interruption", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const ended = { count: 0 }
      const slow = Effect.andThen(
        Deferred.succeed(begun, undefined),
        Effect.tap(Effect.delay(written, "3 seconds"), () => Effect.sync(() => ended.count++))
      )
      const { layer } = delivering([slow, slow])
      yield* Effect.gen(function*() {
        const { pane, runtime } = yield* Records.open
        const timed = yield* Effect.forkChild(Effect.timeoutOption(runtime.sendText(pane, "x"), "1 second"))
        yield* TestClock.adjust("2 seconds")
        assert.isUndefined(timed.pollUnsafe())
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(timed)
        assert.strictEqual(ended.count, 1)
      }).pipe(Effect.provide(layer()))
    }))
})

describe("an adapter that only writes", () => {
  const open = (pane: Parameters<typeof Records.world>[0] = {}, more: Partial<Primitives> = {}) => {
    const world = Records.world(pane)
    return { world, layer: Records.layer(world, () => more) }
  }

  it.effect("case 23: types nothing into a pane whose program has ended", () => {
    const { layer, world } = open({ exit: { code: 7 } })
    return Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open

      assert.deepInclude(yield* Effect.flip(runtime.sendCommand(pane, "x")), { code: "pane-dead" })
      assert.deepInclude(yield* Effect.flip(runtime.sendKeys(pane, ["C-c"])), { code: "pane-dead" })
      assert.deepStrictEqual(world.log, ["open main:a"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("leaves a mode once where it can, and refuses the pane otherwise", () => {
    const world = Records.world({ mode: "copy" })
    const leaveMode: Primitives["leaveMode"] = (pane) =>
      Effect.sync(() => {
        world.log.push("leave mode")
        Records.tell(world, pane, { mode: "" })
      })
    const refuses = open({ mode: "copy" })
    return Effect.gen(function*() {
      yield* Effect.gen(function*() {
        const { pane, runtime } = yield* Records.open
        const report = yield* runtime.sendText(pane, "x")

        assert.deepStrictEqual(world.log, ["open main:a", "leave mode", "type x"])
        assert.deepStrictEqual(report.warnings, ["mode-left"])
      }).pipe(Effect.provide(Records.layer(world, () => ({ leaveMode }))))

      const error = yield* Effect.gen(function*() {
        const { pane, runtime } = yield* Records.open
        return yield* Effect.flip(runtime.sendText(pane, "x"))
      }).pipe(Effect.provide(refuses.layer))
      assert.deepInclude(error, { code: "pane-in-mode" })
      assert.deepStrictEqual(refuses.world.log, ["open main:a"])
    })
  })

  it.effect("case 14: refuses lines that would be submitted one by one, where it cannot paste", () => {
    const { layer, world } = open()
    return Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open
      for (const text of ["l1\nl2", "l1\r\nl2", "l1\rl2"]) {
        const error = yield* Effect.flip(runtime.sendText(pane, text))
        assert.deepInclude(error, { _tag: "SendRejected", code: "newline-would-submit" })
      }
      assert.deepInclude(yield* Effect.flip(runtime.sendCommand(pane, "l1\nl2")), { code: "newline-would-submit" })
      assert.deepStrictEqual(world.log, ["open main:a"])

      yield* runtime.sendText(pane, "l1\nl2", { allowNewlines: true })
      assert.deepStrictEqual(world.log, ["open main:a", "type l1\nl2"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("pastes lines where it can, and warns that nobody knows whether the program asked for it", () => {
    const { layer, world } = open({}, { declared: { bracketedPaste: "native" } })
    return Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open
      const lines = yield* runtime.sendText(pane, "l1\nl2")
      const line = yield* runtime.sendText(pane, "l1")

      assert.deepStrictEqual(lines.warnings, ["paste-mode-unknown"])
      assert.isUndefined(line.warnings)
      assert.deepStrictEqual(world.log, ["open main:a", "type l1\nl2", "type l1"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("says after which step and byte it was cut", () => {
    const broken = (at: number, failure: ReturnType<Primitives["write"]>) => {
      const world = Records.world()
      let steps = 0
      return Records.layer(world, ({ write }) => ({
        write: (pane, step) => steps++ === at ? failure : write(pane, step)
      }))
    }
    const send = Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open
      return yield* Effect.flip(runtime.send(pane, { command: "make", items: [{ key: "Down" }] }))
    })
    const lost = Effect.fail(new RuntimeUnavailable({ runtime: "records", reason: "lost", detail: "gone" }))
    const fail = (written: WriteFailed["written"]) =>
      Effect.fail(new WriteFailed({ stage: "submit", written, cause: new Error("EPIPE") }))
    return Effect.gen(function*() {
      const first = yield* Effect.provide(send, broken(0, lost))
      const unwritten = yield* Effect.provide(send, broken(0, fail("nothing")))
      const enter = yield* Effect.provide(send, broken(1, fail("nothing")))
      const gone = yield* Effect.provide(send, broken(1, lost))
      const last = yield* Effect.provide(send, broken(2, fail("indeterminate")))
      const died = yield* Effect.provide(send, broken(2, Effect.die("broken")))

      assert.deepInclude(first, { _tag: "RuntimeUnavailable" })
      assert.deepInclude(unwritten, { _tag: "SendFailed", detail: "EPIPE" })
      assert(enter._tag === "SendStalled" && gone._tag === "SendStalled")
      assert.deepInclude(enter.report, { stage: "submit", attempts: 0, submit: "send_keys_failed" })
      assert.deepStrictEqual(enter.report.bytes, { accepted: 4, total: 6 })
      assert.deepInclude(gone, { reason: "connection-lost" })
      assert(last._tag === "SendStalled" && died._tag === "SendStalled")
      assert.deepInclude(last.report, { attempts: 1 })
      assert.deepStrictEqual(last.report.bytes, { accepted: 5, total: 6 })
      // the line, and the beginning of the pane before it
      assert.strictEqual(last.report.mark.anchor?.length, 2)
    })
  })

  it.effect("is cut when one write takes longer than its deadline", () => {
    const { layer } = open({}, { write: () => Effect.never, writeDeadline: Duration.seconds(2) })
    return Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open
      const hangs = yield* Effect.forkChild(Effect.flip(runtime.sendText(pane, "x")))
      yield* TestClock.adjust("2 seconds")

      assert.strictEqual((yield* Fiber.join(hangs))._tag, "SendStalled")
    }).pipe(Effect.provide(layer))
  })

  it.effect("case 32: keeps the order of text and keys", () => {
    const { layer, world } = open()
    return Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open
      const items = Array.from(
        { length: 40 },
        (_, n): Send.SendItem => n % 3 === 0 ? { key: "Up" } : { message: `m${n}` }
      )
      yield* runtime.send(pane, { items })

      assert.deepStrictEqual(
        world.log.slice(1),
        items.map(({ key, message }) => key === undefined ? `type ${message}` : "press Up")
      )
    }).pipe(Effect.provide(layer))
  })
})
