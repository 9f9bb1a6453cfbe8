import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Scripted from "../../layers/Scripted.ts"
import * as PaneLocks from "../../src/PaneLocks.ts"
import type { RuntimeError } from "../../src/RuntimeError.ts"
import * as RuntimeRegistry from "../../src/RuntimeRegistry.ts"
import { PaneHandle, windowName } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"

const open = Effect.gen(function*() {
  const runtime = yield* TerminalRuntime
  const script = yield* Scripted.Script
  const { handle: pane } = yield* runtime.spawn({})
  yield* script.clearLog
  return { runtime, script, pane }
})

describe("Scripted", () => {
  it.effect("each build is a world of its own, and the first handle of each is the same", () =>
    Effect.gen(function*() {
      const layer = Scripted.layer()
      const one = yield* Effect.provide(Effect.map(open, ({ pane }) => `${pane}`), layer)
      const two = yield* Effect.provide(Effect.map(open, ({ pane }) => `${pane}`), layer)

      assert.strictEqual(one, two)
    }))

  it.effect("worlds that are open at once never take each other's handles, whatever they are called", () =>
    Effect.gen(function*() {
      for (const options of [{}, { scope: "other" }, { name: "another" }]) {
        const here = yield* Scripted.make()
        const there = yield* Scripted.make(options)
        const { handle } = yield* there.runtime.spawn({})
        yield* here.runtime.spawn({})

        const error = yield* Effect.flip(here.runtime.sendText(handle, "x"))
        assert.deepInclude(error, { _tag: "TargetNotFound", reason: "foreign" })
        assert.lengthOf(yield* here.script.log, 1)
      }
    }).pipe(Effect.scoped, Effect.provide(PaneLocks.layerMemory)))

  it.effect("ACE-42 a handle of a former incarnation is told from the new one that has its id", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      yield* script.restart
      const absent = yield* Effect.flip(runtime.sendText(pane, "x"))
      const { handle } = yield* runtime.spawn({})
      yield* script.clearLog
      const reissued = yield* Effect.flip(runtime.sendText(pane, "x"))
      const printed = yield* Effect.flip(runtime.resolve(`${pane}`))

      assert.strictEqual(handle.id, pane.id)
      assert.deepInclude(absent, { _tag: "TargetNotFound", reason: "absent" })
      assert.deepInclude(reissued, { _tag: "TargetNotFound", reason: "reissued" })
      assert.deepInclude(printed, { _tag: "TargetNotFound", reason: "reissued" })
      assert.deepStrictEqual(yield* script.log, [])
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("ACE-42 a handle works after it crossed JSON or was printed", () =>
    Effect.gen(function*() {
      const { pane, runtime } = yield* open
      const codec = Schema.fromJsonString(PaneHandle)
      const back = yield* Schema.decodeEffect(codec)(yield* Schema.encodeEffect(codec)(pane))
      yield* runtime.sendText(back, "x")

      assert.deepStrictEqual((yield* runtime.resolve(`${pane}`)).handle, pane)
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("ACE-41 every kind of mutation is in the log with its target", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const script = yield* Scripted.Script
      const window = yield* runtime.ensureWindow({ name: "work", root: "/w" })
      const again = yield* runtime.ensureWindow({ name: "work", root: "/w" })
      const pane = yield* runtime.preparePane({ window: window.handle })
      yield* runtime.focus(pane.handle)
      yield* runtime.setEnvironment({ name: "A", value: "1" })
      yield* runtime.setEnvironment({ name: "B", value: Redacted.make("secret") })
      yield* runtime.closeWindow(window.handle)
      yield* runtime.spawn({ placement: { window: "x", session: "other" } })
      yield* runtime.closeSession("other")

      assert.deepStrictEqual(again.handle, window.handle)
      assert.deepStrictEqual((yield* script.log).map((entry) => entry.toString()), [
        "p1 opened in w1: sh",
        "w1 remembers {\"root\":\"/w\"}",
        "p1 remembers {\"prepared\":true}",
        "p1 focused",
        "variable A set to \"1\"",
        "variable B set to \"<redacted>\"",
        "w1 closed",
        "p2 opened in w2: sh",
        "session other closed"
      ])
      assert.deepStrictEqual(yield* runtime.listPanes(), [])
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("an entry of the log is equal by value and crosses JSON", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      yield* runtime.sendCommand(pane, "true")
      const codec = Schema.fromJsonString(Schema.Array(Scripted.Entry))
      const log = yield* script.log

      assert.deepStrictEqual(yield* Schema.decodeEffect(codec)(yield* Schema.encodeEffect(codec)(log)), log)
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("where nothing is remembered on windows the contract remembers itself", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const script = yield* Scripted.Script
      yield* runtime.ensureWindow({ name: "work", root: "/w" })
      const conflict = yield* Effect.flip(runtime.ensureWindow({ name: "work", root: "/v" }))

      assert.strictEqual(conflict._tag, "WindowConflict")
      assert.strictEqual(runtime.capabilities.windowMetadata, "derived")
      assert.lengthOf(yield* script.log, 1)
    }).pipe(Effect.provide(Scripted.layer({ remembers: false }))))

  it.effect("a primitive that is left out is lacked", () =>
    Effect.gen(function*() {
      const { pane, runtime } = yield* open
      const error = yield* Effect.flip(runtime.focus(pane))

      assert.deepInclude(error, { _tag: "Unsupported", capability: "focus" })
      assert.strictEqual((yield* runtime.resolve(`${pane}`)).handle.id, pane.id)
    }).pipe(Effect.provide(Scripted.layer({ without: ["focus", "find"] }))))

  it.effect("this process runs in the pane that the test says", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      assert.deepStrictEqual(yield* runtime.context, { inRuntime: false })
      yield* script.enter(pane)
      assert.deepInclude(yield* runtime.context, { inRuntime: true, session: "main", pane })
    }).pipe(Effect.provide(Scripted.layer())))

  it.effect("it can be registered under a name like any other runtime", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      assert.strictEqual(runtime.runtime, "scripted")
    }).pipe(
      Effect.provide(Layer.provide(
        RuntimeRegistry.layer("mine"),
        RuntimeRegistry.register({ mine: { load: Effect.succeed(Scripted.layer()) } })
      ))
    ))

  it.effect("an unavailable runtime is unavailable for every question, and nothing is empty or gone", () =>
    Effect.gen(function*() {
      const { pane, runtime, script } = yield* open
      yield* script.fault({ _tag: "Down", reason: "not-running" })
      const questions: ReadonlyArray<Effect.Effect<void, RuntimeError>> = [
        Effect.asVoid(runtime.listPanes()),
        Effect.asVoid(runtime.listWindows()),
        Effect.asVoid(runtime.listSessions),
        Effect.asVoid(runtime.spawn({})),
        Effect.asVoid(runtime.closePane(pane)),
        Effect.asVoid(runtime.capture(pane)),
        runtime.resize(pane, { columns: 10, rows: 10 }),
        Effect.asVoid(runtime.describe(pane))
      ]
      for (const question of questions) {
        assert.deepInclude(yield* Effect.flip(question), {
          _tag: "RuntimeUnavailable",
          reason: "not-running"
        })
      }
      const [probe] = yield* runtime.probe([pane])
      assert.strictEqual(probe?.liveness, "unknown")
      assert.deepStrictEqual(yield* script.log, [])
      assert.isTrue(Option.isNone(yield* Effect.option(runtime.focus(windowName("x")))))
    }).pipe(Effect.provide(Scripted.layer())))
})
