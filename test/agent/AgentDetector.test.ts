import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import * as AgentDetector from "../../src/agent/AgentDetector.ts"
import type { Program } from "../../src/agent/AgentProfile.ts"
import type { AgentObservation, Sensed } from "../../src/AgentState.ts"
import * as Screen from "../../src/Screen.ts"
import { Pane } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { screens } from "../fixtures/agentScreens.ts"
import * as Watched from "../fixtures/Watched.ts"

const screen = (agent: string, name: string) =>
  screens.find((screen) => screen.agent === agent && screen.name === name)!.rows

const idle = screen("claude", "answered")
const working = screen("claude", "working")
const blocked = screen("claude", "permission")
const unclear = ["● Half a", "  redraw"]

const handle = Watched.handleOf("p1")
const paneOf = (more: Partial<Pane> = {}) =>
  new Pane({ handle, window: Watched.windowOf("w1"), active: true, command: "claude", ...more })
const screenOf = (rows: ReadonlyArray<string>) =>
  new Screen.Screen({ rows, wrapped: [], joined: false, truncated: false, mark: new Screen.Mark({ pane: handle }) })

/** What is told of a pane that shows these rows now. */
const looking = Effect.map(AgentDetector.make, (detector) => ({
  ...detector,
  look: (rows: ReadonlyArray<string>, pane: Partial<Pane> = {}) =>
    Effect.map(detector.sense(paneOf(pane), screenOf(rows)), Option.getOrUndefined)
}))
type Looking = Effect.Success<typeof looking>

const state = (told: Sensed | undefined) => told?.state
const wait = (millis: number) => TestClock.adjust(millis)

/** Looks again when that was asked for, for so long. */
const settle = Effect.fnUntraced(function*({ look }: Looking, rows: ReadonlyArray<string>, millis: number) {
  const told: Array<Sensed | undefined> = []
  for (let left = millis; left >= 0;) {
    const seen = yield* look(rows)
    told.push(seen)
    const step = Math.min(left, seen?.againMillis ?? left)
    if (step === 0) break
    yield* wait(step)
    left -= step
  }
  return told
})

describe("over time", () => {
  it.effect("case 130: an idle look between two of work is not told", () =>
    Effect.gen(function*() {
      for (const millis of [50, 80, 150, 250, 299]) {
        const it = yield* looking
        yield* it.look(working)
        assert.strictEqual(state(yield* it.look(idle)), "working", `${millis}`)
        yield* wait(millis)
        assert.strictEqual(state(yield* it.look(working)), "working", `${millis}`)
        yield* wait(millis)
        assert.strictEqual(state(yield* it.look(idle)), "working", `${millis}: counted anew`)
      }
      for (const millis of [300, 450, 600]) {
        const it = yield* looking
        yield* it.look(working)
        assert.strictEqual((yield* it.look(idle))?.againMillis, 300)
        yield* wait(millis)
        assert.strictEqual(state(yield* it.look(idle)), "idle", `${millis}`)
      }
    }))

  it.effect("the first idle look is confirmed too, unless nothing was written for as long", () =>
    Effect.gen(function*() {
      const now = 1_000_000
      yield* TestClock.setTime(now)
      const first = yield* (yield* looking).look(idle)
      const rested = yield* (yield* looking).look(idle, { activityAtMillis: now - 5000 })
      const fresh = yield* (yield* looking).look(idle, { activityAtMillis: now - 100 })

      assert.deepInclude(first, { state: "unknown", confidence: "guess", againMillis: 300 })
      assert.strictEqual(state(rested), "idle")
      assert.deepInclude(fresh, { state: "unknown", againMillis: 200 })
    }))

  it.effect("case 130: an answer that is still written is no end, though no row says that it is", () =>
    Effect.gen(function*() {
      const it = yield* looking
      yield* it.look(working)
      const rows: Array<string> = []
      for (let n = 0; n < 400; n++) {
        rows.push(`  ${n} is a number, and so is the next one.`)
        assert.strictEqual(state(yield* it.look(["● Counting", ...rows.slice(-30), "", ...idle])), "working", `${n}`)
        yield* wait(100)
      }
      yield* settle(it, ["● Counting", ...rows.slice(-30), "", ...idle], 300)
      assert.strictEqual(state(yield* it.look(["● Counting", ...rows.slice(-30), "", ...idle])), "idle")
    }))

  it.effect("a row at the end of the screen that never rests keeps an idle agent from being told for 10 seconds only", () =>
    Effect.gen(function*() {
      const it = yield* looking
      const states: Array<string | undefined> = []
      for (let n = 0; n < 120; n++) {
        states.push(state(yield* it.look([...idle, `  ${"|/-\\"[n % 4]}`])))
        yield* wait(100)
      }
      assert.deepStrictEqual([states[50], states[99], states.at(-1)], ["unknown", "unknown", "idle"])
    }))

  it.effect("a slow redraw does not end work or a dialog, and a dialog is told at once", () =>
    Effect.gen(function*() {
      const it = yield* looking
      yield* it.look(working)
      assert.strictEqual(state(yield* it.look(unclear)), "working")
      yield* wait(200)
      assert.strictEqual(state(yield* it.look(blocked)), "blocked")
      assert.strictEqual(state(yield* it.look(unclear)), "blocked")
      yield* wait(300)
      assert.strictEqual(state(yield* it.look(unclear)), "unknown")
      yield* settle(it, idle, 300)
      assert.strictEqual(state(yield* it.look(idle)), "idle")
      assert.strictEqual(state(yield* it.look(unclear)), "unknown", "idle needs to be seen")
      yield* settle(it, idle, 300)
      assert.deepInclude(yield* it.look(blocked), { state: "blocked", kind: "permission" })
    }))

  it.effect("case 133: work whose screen stands still is stalled, and nothing else changes", () =>
    Effect.gen(function*() {
      const it = yield* looking
      const told = yield* settle(it, working, 600_000)
      assert.deepStrictEqual(told.map((seen) => [state(seen), seen?.stalled]), [["working", undefined], [
        "working",
        true
      ], ["working", true]])
      const [spin, ...rest] = working
      assert.isUndefined((yield* it.look([`${spin} `, "", ...rest]))?.stalled)
      for (let minute = 0; minute < 30; minute++) {
        yield* wait(60_000)
        const told = yield* it.look([...rest, `  ${minute}m`])
        assert.isUndefined(told?.stalled, "a long turn that goes on is not stalled")
      }
    }))

  it.effect("case 134: who rests by design is not stalled, and no look is asked for", () =>
    Effect.gen(function*() {
      for (const rows of [idle, blocked]) {
        const it = yield* looking
        const told = yield* settle(it, rows, 600_000)
        assert.isTrue(told.every((seen) => seen?.stalled === undefined))
        assert.isUndefined(told.at(-1)?.againMillis)
        assert.isAtMost(told.length, 3)
      }
    }))

  it.effect("case 88: a program without a composer is starting, for a while", () =>
    Effect.gen(function*() {
      const it = yield* looking
      assert.deepInclude(yield* it.look([" Welcome"]), { state: "starting", source: "process", againMillis: 1500 })
      assert.deepInclude(yield* it.look([" Welcome"]), { state: "starting", againMillis: 30_000 }, "once more only")
      yield* wait(10_000)
      assert.deepInclude(yield* it.look([" Welcome back"]), { state: "starting", againMillis: 1500 })
      yield* wait(20_000)
      assert.strictEqual(state(yield* it.look([" Welcome back"])), "unknown")
      yield* settle(it, idle, 300)
      assert.strictEqual(state(yield* it.look([" Welcome back"])), "unknown", "it has started before")
    }))

  it.effect("an interrupted turn is told from one that ended", () =>
    Effect.gen(function*() {
      const it = yield* looking
      yield* it.look(working)
      const cut = yield* settle(it, screen("claude", "rejected"), 300)
      assert.deepInclude(cut.at(-1), { state: "idle", interrupted: true })
      yield* it.look(working)
      assert.isUndefined((yield* settle(it, idle, 300)).at(-1)?.interrupted)
    }))
})

describe("dialogs", () => {
  it.effect("a menu tells its options and on which of them the cursor stands", () =>
    Effect.gen(function*() {
      const it = yield* looking
      const told = yield* it.look(screen("claude", "trust"))
      assert.deepInclude(told, {
        state: "blocked",
        kind: "trust",
        choice: { options: ["Yes, I trust this folder", "No, exit"], at: 0 },
        detail: "the cursor is on: Yes, I trust this folder"
      })
      const moved = screen("claude", "trust").map((row) =>
        row.replace(/^( *)❯ 1\./, "$1  1.").replace(/^( *) {2}2\./, "$1❯ 2.")
      )
      assert.deepInclude(yield* it.look(moved), { detail: "the cursor is on: No, exit" })
      assert.notProperty(yield* (yield* looking).look(working), "choice")
    }))
})

describe("limits", () => {
  const now = Date.UTC(2026, 10, 30, 23, 10)

  it.effect("case 139: a usage limit has the time of its end, which stays what it was", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const it = yield* looking
      const three = Date.UTC(2026, 11, 1, 3)
      const rows = screen("claude", "session-limit")
      assert.deepInclude(yield* it.look(rows), { state: "blocked", kind: "usage-limit", resetAtMillis: three })
      yield* wait(5 * 3_600_000)
      assert.deepInclude(yield* it.look(rows), { resetAtMillis: three })
      const limited = screens.filter(({ expected }) => expected.includes("blocked/usage-limit"))
      assert.isAtLeast(limited.length, 16)
      for (const one of limited) {
        const told = yield* it.look(one.rows, { command: one.agent === "amazonq" ? "q" : one.agent })
        assert.deepInclude(told, { state: "blocked", kind: "usage-limit" }, `${one.agent} ${one.name}`)
        assert.strictEqual(told?.resetAtMillis !== undefined, one.resets, `${one.agent} ${one.name}`)
      }
    }))

  it.effect("case 140: a usage limit without a time has none", () =>
    Effect.gen(function*() {
      const told = yield* (yield* looking).look(screen("claude", "limit-without-a-time"))
      assert.deepInclude(told, { state: "blocked", kind: "usage-limit" })
      assert.notProperty(told, "resetAtMillis")
    }))
})

describe("processes", () => {
  it.effect("case 136: an agent whose program is gone has exited, although its screen still stands", () =>
    Effect.gen(function*() {
      const it = yield* looking
      assert.strictEqual(state(yield* it.look(working, { atShell: true })), "working", "it is the pane's own program")
      const left = [...idle, "dev@host:~/shop$"]
      assert.deepInclude(yield* it.look(left, { command: "bash", atShell: true }), { state: "exited", agent: "claude" })
      assert.deepInclude(yield* it.look(idle, { command: "bash", atShell: true }), {
        state: "exited",
        source: "process"
      })
      yield* it.look(idle)
      yield* wait(300)
      assert.strictEqual(state(yield* it.look(idle)), "idle", "it was started again")
    }))

  it.effect("case 136: an agent whose end its shell has not seen yet has exited a moment later", () =>
    Effect.gen(function*() {
      const it = yield* looking
      yield* it.look(working)
      const between = yield* it.look(["^C"], { command: "bash", atShell: false })
      assert.deepInclude(between, { state: "unknown", againMillis: 1500 })
      assert.notProperty(yield* it.look(["^C"], { command: "bash", atShell: false }), "againMillis")
      const after = yield* it.look(["^C", "$"], { command: "bash", atShell: true })
      assert.deepInclude(after, { state: "exited", agent: "claude" })
    }))

  it.effect("a program that ends in the moment of a look is looked at once more", () =>
    Effect.gen(function*() {
      const it = yield* looking
      yield* it.look(working)
      const between = yield* it.look(["$"], { command: "" })
      assert.deepInclude(between, { state: "unknown", againMillis: 1500 })
      assert.strictEqual(state(yield* it.look(["$"], { command: "bash" })), "exited")
    }))

  it.effect("a screen that an agent left behind says nothing of the program that runs there now", () =>
    Effect.gen(function*() {
      const it = yield* looking
      for (const command of ["less", "vim", "make", "git"]) {
        assert.isUndefined(yield* it.look(idle, { command, activityAtMillis: -5000 }), command)
      }
      assert.strictEqual(state(yield* it.look(idle, { command: "ssh", activityAtMillis: -5000 })), "idle")
      const { explain } = it
      const below = yield* explain({ rows: [...idle, "dev@host:~/shop$"] }, { agent: "claude" })
      assert.strictEqual(Option.getOrThrow(below).verdict.state, "unknown")
    }))

  it.effect("case 137: the words of the process decide, not those of the screen", () =>
    Effect.gen(function*() {
      let program: Program = { name: "node", argv: ["node", "-e", "claude"] }
      const it = yield* Effect.provideService(looking, AgentDetector.Programs, () =>
        Effect.sync(() =>
          Option.some(program)
        ))
      assert.isUndefined(yield* it.look(["plain output"]))
      program = { name: "node", argv: ["node", "/x/@anthropic-ai/claude-code/cli.js"] }
      assert.deepInclude(yield* it.look(["plain output"]), { state: "starting", agent: "claude" })
    }))

  it.effect("a shell is idle at its prompt only", () =>
    Effect.gen(function*() {
      const it = yield* looking
      const shell = { command: "bash", atShell: true, activityAtMillis: -5000 }
      assert.deepInclude(yield* it.look(["dev@host:~$"], shell), { state: "idle", agent: "shell" })
      assert.strictEqual(state(yield* it.look(["dev@host:~$ npm test", "ok 1"], shell)), "unknown")
    }))
})

describe("reports of hooks", () => {
  it.effect("say more than a screen that says nothing, or does not show yet what they say", () =>
    Effect.gen(function*() {
      const it = yield* looking
      assert.strictEqual(yield* it.reports.report({ pane: handle, state: "working", detail: "a tool runs" }), "taken")
      assert.deepInclude(yield* it.look(idle), {
        state: "working",
        source: "agent-protocol",
        confidence: "certain",
        agent: "claude",
        detail: "a tool runs"
      })
      yield* wait(60_000)
      assert.strictEqual(state(yield* it.look(idle)), "working", "it was drawn before the report")
      yield* it.reports.report({ pane: handle, state: "idle" })
      assert.deepInclude(yield* it.look(unclear), { state: "idle", source: "agent-protocol" })
      yield* it.reports.report({ pane: handle, state: "blocked", kind: "permission" })
      assert.deepInclude(yield* it.look(unclear), { state: "blocked", kind: "permission" })
    }))

  it.effect("never go before a dialog that is seen, nor a report of rest before work that is seen", () =>
    Effect.gen(function*() {
      const it = yield* looking
      yield* it.reports.report({ pane: handle, state: "working" })
      assert.deepInclude(yield* it.look(blocked), { state: "blocked", source: "screen", kind: "permission" })
      const other = yield* looking
      yield* other.reports.report({ pane: handle, state: "idle" })
      assert.deepInclude(yield* other.look(working), { state: "working", source: "screen" })
    }))

  it.effect("end with a screen that was drawn later, says something else and lasts", () =>
    Effect.gen(function*() {
      for (
        const { later, millis, reported, told } of [
          { reported: "working", later: idle, millis: 2000, told: "idle" },
          { reported: "blocked", later: working, millis: 300, told: "working" }
        ] as const
      ) {
        const it = yield* looking
        yield* it.reports.report({ pane: handle, state: reported })
        assert.strictEqual(state(yield* it.look(unclear)), reported)
        assert.deepInclude(yield* it.look(later), { state: reported, source: "agent-protocol" })
        yield* wait(millis - 1)
        assert.deepInclude(yield* it.look(later), { state: reported, againMillis: 1 })
        yield* wait(1)
        assert.deepInclude(yield* it.look(later), { state: told, source: "screen" })
        assert.notInclude(yield* it.look(unclear), { source: "agent-protocol" }, "and do not come back")
      }
    }))

  it.effect("a flicker of the screen does not end them", () =>
    Effect.gen(function*() {
      const it = yield* looking
      yield* it.reports.report({ pane: handle, state: "working" })
      for (let round = 0; round < 10; round++) {
        for (const rows of [unclear, idle]) {
          assert.strictEqual(state(yield* it.look(rows)), "working", `${round}`)
          yield* wait(1000)
        }
      }
    }))

  it.effect("count for ten minutes, and another look is asked for then", () =>
    Effect.gen(function*() {
      const it = yield* looking
      yield* it.reports.report({ pane: handle, state: "working" })
      const fresh = yield* it.look(unclear)
      assert.deepInclude(fresh, { state: "working", source: "agent-protocol" })
      yield* wait(599_999)
      assert.deepInclude(yield* it.look(unclear), { state: "working", againMillis: 1 })
      yield* wait(1)
      assert.deepInclude(yield* it.look(unclear), { state: "unknown", source: "screen" })
      const now = 599_000 + 1000
      assert.strictEqual(yield* it.reports.report({ pane: handle, state: "idle", atMillis: now - 600_000 }), "late")
      assert.strictEqual(state(yield* it.look(unclear)), "unknown")
    }))

  it.effect("that arrive late do not count", () =>
    Effect.gen(function*() {
      const it = yield* looking
      yield* wait(10_000)
      const made = (state: "working" | "idle", order: { readonly sequence?: number; readonly atMillis?: number }) =>
        it.reports.report({ pane: handle, state, ...order })
      assert.strictEqual(yield* made("idle", { atMillis: 9000 }), "taken")
      assert.strictEqual(yield* made("working", { atMillis: 8999 }), "late")
      assert.strictEqual(state(yield* it.look(unclear)), "idle")
      assert.strictEqual(yield* made("working", { atMillis: 9001, sequence: 2 }), "taken")
      assert.strictEqual(yield* made("idle", { atMillis: 9500, sequence: 1 }), "late", "its count says more")
      assert.strictEqual(state(yield* it.look(unclear)), "working")
      assert.strictEqual(yield* made("idle", { atMillis: 99_000, sequence: 3 }), "taken")
      assert.strictEqual(yield* made("working", { sequence: 4 }), "taken", "a time that is to come is now")
    }))

  it.effect("tell the agent where its program is not known", () =>
    Effect.gen(function*() {
      const it = yield* looking
      const pane = { command: "my-agent" }
      assert.isUndefined(yield* it.look(unclear, pane))
      yield* it.reports.report({ pane: handle, state: "working", agent: "my-agent" })
      assert.deepInclude(yield* it.look(unclear, pane), { state: "working", agent: "my-agent" })
      yield* it.reports.report({ pane: handle, state: "working", agent: "claude" })
      assert.deepInclude(yield* it.look(blocked, pane), { state: "blocked", source: "screen", agent: "claude" })
    }))

  it.effect("case 143: end with the program that reported", () =>
    Effect.gen(function*() {
      const it = yield* looking
      yield* it.look(working)
      yield* it.reports.report({ pane: handle, state: "working", session: "a" })
      assert.strictEqual(state(yield* it.look(["$"], { command: "bash", atShell: true })), "exited")
      yield* settle(it, idle, 300)
      assert.deepInclude(yield* it.look(idle), { state: "idle", source: "screen" })
      const unseen = yield* looking
      yield* unseen.reports.report({ pane: handle, state: "working" })
      assert.notStrictEqual(state(yield* unseen.look(["$"], { command: "bash", atShell: true })), "working")
      assert.deepInclude(yield* unseen.look(unclear), { state: "starting" })
    }))

  it.effect("case 145: of an agent inside an agent are not the outer one's", () =>
    Effect.gen(function*() {
      const it = yield* looking
      const report = (state: "working" | "idle" | "exited", session: string) =>
        it.reports.report({ pane: handle, state, session })
      assert.strictEqual(yield* report("working", "outer"), "taken")
      assert.strictEqual(yield* report("idle", "inner"), "other")
      assert.strictEqual(yield* report("exited", "inner"), "other")
      assert.strictEqual(state(yield* it.look(unclear)), "working")
      yield* report("exited", "outer")
      yield* report("idle", "next")
      assert.strictEqual(state(yield* it.look(unclear)), "idle")
      yield* wait(600_000)
      assert.strictEqual(yield* report("working", "after a crash"), "taken", "nobody has heard of the owner for long")
    }))
})

describe("a runtime that is made with it", () => {
  const claude = Effect.succeedSome({ name: "claude" })
  const detecting = (watched: Watched.Watched) =>
    watched.layer.pipe(
      Layer.provide(AgentDetector.layer),
      Layer.provide(Layer.succeed(AgentDetector.Programs, () => claude))
    )

  it.effect("tells two turns apart, waits until the end of work is confirmed, and does not look while it rests", () => {
    const watched = Watched.make({ without: ["agent"] })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const seen: Array<AgentObservation> = []
      watched.alternate(idle)
      const all = yield* Effect.forkChild(
        Stream.runForEach(runtime.agents([watched.pane]), (one) => Effect.sync(() => seen.push(one))),
        { startImmediately: true }
      )
      yield* wait(1000)
      for (let turn = 0; turn < 2; turn++) {
        watched.alternate(working)
        yield* wait(1000)
        watched.alternate(idle)
        yield* wait(200)
        watched.alternate(working)
        yield* wait(1000)
        watched.alternate(idle)
        yield* wait(1000)
      }
      const looks = watched.state.captures
      yield* wait(3_600_000)

      assert.strictEqual(watched.state.captures, looks, "a screen that rests is not looked at")
      assert.deepStrictEqual(seen.map(({ sequence, state }) => [state, sequence]), [
        ["unknown", 0],
        ["idle", 0],
        ["working", 1],
        ["done", 2],
        ["working", 3],
        ["done", 4]
      ])
      assert.strictEqual(runtime.capabilities.agentState, "derived")
      watched.remove()
      yield* Fiber.join(all)
      assert.deepInclude(seen.at(-1), { state: "exited", agent: "claude", sequence: 5 })
    }).pipe(Effect.provide(detecting(watched)))
  })

  it.effect("looks when a hook reports, which the screen does not show", () => {
    const watched = Watched.make({ without: ["agent"] })
    return Effect.gen(function*() {
      const { reports } = yield* AgentDetector.AgentDetector
      const runtime = yield* TerminalRuntime
      const seen: Array<readonly [string, string]> = []
      watched.alternate(unclear)
      const all = yield* Effect.forkChild(
        Stream.runForEach(
          runtime.agents([watched.pane]),
          ({ source, state }) => Effect.sync(() => seen.push([state, source]))
        ),
        { startImmediately: true }
      )
      const waiting = yield* Effect.forkChild(
        runtime.waitAgent(watched.pane, { states: ["done"], timeout: "1 minute" }),
        { startImmediately: true }
      )
      yield* wait(1000)
      yield* reports.report({ pane: watched.pane, state: "working" })
      yield* wait(100)
      yield* reports.report({ pane: watched.pane, state: "idle" })
      yield* wait(100)
      assert.deepInclude(yield* Fiber.join(waiting), { state: "done", source: "agent-protocol" })
      assert.deepStrictEqual(seen, [["starting", "process"], ["working", "agent-protocol"], ["done", "agent-protocol"]])
      const looks = watched.state.captures
      yield* wait(590_000)
      assert.isAtMost(watched.state.captures - looks, 2, "a screen that rests is not looked at")
      yield* Fiber.interrupt(all)
    }).pipe(
      Effect.provide(
        watched.layer.pipe(
          Layer.provideMerge(AgentDetector.layer),
          Layer.provide(Layer.succeed(AgentDetector.Programs, () => claude))
        )
      )
    )
  })

  it.effect("does not look at 200 agents that rest", () => {
    const all = Array.from({ length: 200 }, () => Watched.make({ without: ["agent"] }))
    return Effect.gen(function*() {
      yield* Effect.forEach(all, (watched) => {
        watched.alternate(idle)
        return Effect.flatMap(Layer.build(detecting(watched)), (context) =>
          Effect.forkScoped(
            Stream.runDrain(Context.get(context, TerminalRuntime).agents([watched.pane])),
            { startImmediately: true }
          ))
      })
      yield* wait(5000)
      const looks = () => all.reduce((sum, { state }) => sum + state.captures, 0)
      const before = looks()
      assert.isAtLeast(before, 400, "each was looked at, and once more to confirm")
      yield* wait(24 * 3_600_000)
      assert.strictEqual(looks(), before)
      all[7]?.alternate(working)
      yield* wait(100)
      assert.strictEqual(looks(), before + 1, "only that one is")
    }).pipe(Effect.scoped)
  })

  it.effect("ends a wait for idle when it is confirmed, and not before", () => {
    const watched = Watched.make({ without: ["agent"] })
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      watched.alternate(working)
      const waiting = yield* Effect.forkChild(
        runtime.waitAgent(watched.pane, { states: ["idle"], timeout: "1 minute" }),
        { startImmediately: true }
      )
      yield* wait(1000)
      watched.alternate(idle)
      yield* wait(299)
      assert.isUndefined(waiting.pollUnsafe())
      yield* wait(1)
      assert.deepInclude(yield* Fiber.join(waiting), { state: "idle", agent: "claude", source: "screen" })
    }).pipe(Effect.provide(detecting(watched)))
  })
})
