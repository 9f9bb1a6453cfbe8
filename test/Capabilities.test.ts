import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Capabilities from "../src/Capabilities.ts"
import { TerminalRuntime } from "../src/TerminalRuntime.ts"
import * as Guarded from "./fixtures/Guarded.ts"
import * as Memory from "./fixtures/Memory.ts"
import * as Records from "./fixtures/Records.ts"

it.effect("what a runtime can do is read off its adapter's primitives", () =>
  Effect.gen(function*() {
    const memory = yield* TerminalRuntime.pipe(Effect.provide(Memory.layer()))
    const records = yield* TerminalRuntime.pipe(Effect.provide(Records.layer(Records.world())))
    const guarded = yield* TerminalRuntime.pipe(Effect.provide(Guarded.layer(Guarded.server())))

    assert.deepInclude(memory.capabilities, { focus: "none", wakeUps: "native", sessions: "none", resize: "none" })
    assert.deepInclude(records.capabilities, { focus: "native", wakeUps: "derived", sessions: "native" })
    assert.deepInclude(records.capabilities, { windowMetadata: "native", bracketedPaste: "none" })
    assert.strictEqual(guarded.capabilities.bracketedPaste, "native")
  }))

it.effect("what an adapter declares wins", () =>
  Effect.gen(function*() {
    const runtime = yield* TerminalRuntime

    assert.deepInclude(runtime.capabilities, { focus: "none", ansi: "native" })
    assert.deepInclude(yield* Effect.flip(runtime.focus((yield* runtime.spawn({})).handle)), {
      _tag: "Unsupported",
      capability: "focus"
    })
  }).pipe(
    Effect.provide(Records.layer(Records.world(), () => ({ declared: { focus: "none" as const, ansi: "native" } })))
  ))

it.effect("requiring capabilities fails with the first one that is lacking", () =>
  Effect.gen(function*() {
    const runtime = yield* TerminalRuntime

    yield* Capabilities.require(runtime, [])
    yield* Capabilities.require(runtime, ["wakeUps", "sessions"])
    const error = yield* Effect.flip(Capabilities.require(runtime, ["sessions", "rawOutput", "attach"]))

    assert.deepInclude(error, { _tag: "Unsupported", runtime: "records", capability: "rawOutput" })
  }).pipe(Effect.provide(Records.layer(Records.world()))))
