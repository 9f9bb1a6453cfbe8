import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { WriteFailed } from "../../src/Contract.ts"
import { PaneHandle } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import * as Memory from "../fixtures/Memory.ts"
import * as Records from "../fixtures/Records.ts"

const prepared = Effect.gen(function*() {
  const runtime = yield* TerminalRuntime
  const window = yield* runtime.ensureWindow({ name: "a", root: "/w" })
  const prepare = Effect.map(runtime.preparePane({ window: window.handle }), ({ handle }) => handle)
  return { runtime, window, prepare }
})

describe("preparing a pane", () => {
  it.effect("gives the first pane of an ensured window, and splits when that is busy", () => {
    const world = Records.world({ atShell: true })
    return Effect.gen(function*() {
      const { prepare, runtime } = yield* prepared
      const first = yield* prepare

      assert.deepStrictEqual(world.log, ["open main:a"])
      assert.isTrue((yield* runtime.describe(first)).prepared)

      yield* TestClock.adjust("10 seconds")
      Records.tell(world, first, { atShell: false })
      const second = yield* prepare
      assert.notStrictEqual(`${second}`, `${first}`)
      assert.strictEqual(`${yield* prepare}`, `${second}`)

      Records.tell(world, first, { atShell: true })
      assert.strictEqual(`${yield* prepare}`, `${first}`)
      assert.deepStrictEqual(world.log, ["open main:a", "split @1"])
    }).pipe(Effect.provide(Records.layer(world)))
  })

  it.effect("waits a moment for the first pane, whose shell runs other programs before it prompts", () => {
    const world = Records.world({ atShell: false })
    return Effect.gen(function*() {
      const { prepare, runtime } = yield* prepared
      const preparing = yield* Effect.forkChild(prepare, { startImmediately: true })
      yield* TestClock.adjust("200 millis")
      const [first] = yield* runtime.listPanes()
      assert(first !== undefined)
      Records.tell(world, first.handle, { atShell: true })
      yield* TestClock.adjust("100 millis")

      assert.strictEqual(`${yield* Fiber.join(preparing)}`, `${first.handle}`)
      assert.deepStrictEqual(world.log, ["open main:a"])
    }).pipe(Effect.provide(Records.layer(world)))
  })

  const young: ReadonlyArray<readonly [string, Parameters<typeof Records.tell>[2]]> = [
    ["shows the process that is about to become its shell", { command: "node" }],
    ["was at its shell before that ran its start-up files", { atShell: false }]
  ]
  it.effect.each(young)("waits a moment for a new pane that %s", ([, shows]) => {
    const world = Records.world({ atShell: true, startCommand: "/bin/bash", command: "bash" })
    return Effect.gen(function*() {
      const { prepare } = yield* prepared
      const first = yield* prepare
      yield* TestClock.adjust("9 seconds")
      Records.tell(world, first, shows)
      const again = yield* Effect.forkChild(prepare, { startImmediately: true })
      yield* TestClock.adjust("400 millis")
      assert.isUndefined(again.pollUnsafe())
      Records.tell(world, first, { atShell: true, command: "bash" })
      yield* TestClock.adjust("20 millis")
      assert.strictEqual(`${yield* Fiber.join(again)}`, `${first}`)

      yield* TestClock.adjust("1 second")
      Records.tell(world, first, shows)
      assert.notStrictEqual(`${yield* prepare}`, `${first}`, "it had its time to start")
    }).pipe(Effect.provide(Records.layer(world)))
  })

  it.effect("waits a moment for a pane that was just typed into: its shell may be about to start a command", () => {
    const world = Records.world({ atShell: true })
    return Effect.gen(function*() {
      const { prepare, runtime } = yield* prepared
      const first = yield* prepare
      yield* runtime.sendCommand(first, "cd /w")
      const same = yield* Effect.forkChild(prepare, { startImmediately: true })
      yield* TestClock.adjust("280 millis")
      assert.isUndefined(same.pollUnsafe())
      yield* TestClock.adjust("20 millis")
      assert.strictEqual(`${yield* Fiber.join(same)}`, `${first}`)

      yield* runtime.sendCommand(first, "make")
      const other = yield* Effect.forkChild(prepare, { startImmediately: true })
      yield* TestClock.adjust("40 millis")
      assert.isUndefined(other.pollUnsafe())
      Records.tell(world, first, { atShell: false })
      yield* TestClock.adjust("20 millis")
      const second = yield* Fiber.join(other)
      assert.notStrictEqual(`${second}`, `${first}`)

      Records.tell(world, first, { atShell: true })
      yield* TestClock.adjust("300 millis")
      yield* runtime.sendCommand(second, "make")
      assert.strictEqual(`${yield* prepare}`, `${first}`, "another one that is idle is given at once")
    }).pipe(Effect.provide(Records.layer(world)))
  })

  it.effect("gives out no pane into which something is typed, however long that takes", () => {
    const world = Records.world({ atShell: true })
    const begun = Deferred.makeUnsafe<void>()
    const gate = Deferred.makeUnsafe<void>()
    return Effect.gen(function*() {
      const { prepare, runtime } = yield* prepared
      const first = yield* prepare
      const sending = yield* Effect.forkChild(runtime.sendCommand(first, "make"), { startImmediately: true })
      yield* Deferred.await(begun)
      yield* TestClock.adjust("2 seconds")
      const other = yield* Effect.forkChild(prepare, { startImmediately: true })
      yield* TestClock.adjust("1 second")
      assert.notStrictEqual(`${yield* Fiber.join(other)}`, `${first}`)

      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(sending)
      yield* TestClock.adjust("300 millis")
      assert.strictEqual(`${yield* prepare}`, `${first}`)
    }).pipe(Effect.provide(Records.layer(world, ({ write }) => ({
      write: (pane, step) =>
        Deferred.succeed(begun, undefined).pipe(Effect.andThen(Deferred.await(gate)), Effect.andThen(write(pane, step)))
    }))))
  })

  it.effect("gives out again a pane into which nothing could be typed", () => {
    const world = Records.world({ atShell: true })
    return Effect.gen(function*() {
      const { prepare, runtime } = yield* prepared
      const first = yield* prepare
      assert.strictEqual((yield* Effect.flip(runtime.sendCommand(first, "make")))._tag, "SendFailed")
      yield* TestClock.adjust("300 millis")
      const again = yield* Effect.forkChild(prepare, { startImmediately: true })
      yield* TestClock.adjust("1 second")

      assert.strictEqual(`${yield* Fiber.join(again)}`, `${first}`)
    }).pipe(Effect.provide(Records.layer(world, () => ({
      write: () => Effect.fail(new WriteFailed({ stage: "send-keys", written: "nothing", cause: "full" }))
    }))))
  })

  it.effect("gives out no pane whose shell made way for another program, and every one that a shell followed", () => {
    const world = Records.world({ atShell: true, startCommand: "/bin/bash", command: "bash" })
    return Effect.gen(function*() {
      const { prepare } = yield* prepared
      const first = yield* prepare
      yield* TestClock.adjust("10 seconds")
      Records.tell(world, first, { command: "sleep" })
      assert.notStrictEqual(`${yield* prepare}`, `${first}`)

      Records.tell(world, first, { command: "zsh" })
      assert.strictEqual(`${yield* prepare}`, `${first}`)
      Records.tell(world, first, { command: "nu", startCommand: "/usr/bin/nu" })
      assert.strictEqual(`${yield* prepare}`, `${first}`, "a shell that run does not know")
    }).pipe(Effect.provide(Records.layer(world)))
  })

  it.effect("gives a pane whose shell still runs what its start-up files start, where nothing was typed", () => {
    const world = Records.world({ startCommand: "/bin/sh", command: "sleep" })
    return Effect.gen(function*() {
      const { prepare } = yield* prepared

      assert.strictEqual(`${yield* prepare}`, `${yield* prepare}`)
      assert.deepStrictEqual(world.log, ["open main:a"])
    }).pipe(Effect.provide(Records.layer(world)))
  })

  it.effect("takes no pane that has ended, that is not at its shell, or that nobody prepared", () => {
    const world = Records.world({ atShell: true })
    return Effect.gen(function*() {
      const { prepare, runtime, window } = yield* prepared
      const ended = yield* prepare
      Records.tell(world, ended, { exit: { code: 0 } })
      yield* runtime.spawn({ placement: { split: window.handle } })
      world.log.length = 0

      const fresh = yield* prepare

      assert.deepStrictEqual(world.log, ["split @1"])
      assert.notStrictEqual(`${fresh}`, `${ended}`)
    }).pipe(Effect.provide(Records.layer(world)))
  })

  it.effect("where idleness cannot be told reuses only a pane that nothing was sent to", () => {
    const world = Records.world()
    return Effect.gen(function*() {
      const { prepare, runtime } = yield* prepared
      const first = yield* prepare
      assert.strictEqual(`${yield* prepare}`, `${first}`)

      yield* runtime.sendCommand(first, "make")
      const second = yield* prepare

      assert.notStrictEqual(`${second}`, `${first}`)
      assert.strictEqual(`${yield* prepare}`, `${second}`)
      assert.deepStrictEqual(world.log.filter((entry) => entry.startsWith("split")), ["split @1"])
    }).pipe(Effect.provide(Records.layer(world)))
  })

  it.effect("many times at once splits once", () => {
    const world = Records.world({ atShell: true })
    return Effect.gen(function*() {
      const { prepare } = yield* prepared
      Records.tell(world, yield* prepare, { atShell: false })
      yield* TestClock.adjust("10 seconds")

      const all = yield* Effect.all(Array.from({ length: 10 }, () => prepare), { concurrency: "unbounded" })

      assert.strictEqual(new Set(all.map((pane) => `${pane}`)).size, 1)
      assert.deepStrictEqual(world.log, ["open main:a", "split @1"])
    }).pipe(Effect.provide(Records.layer(world)))
  })

  it.effect("works by name in its session, and on an adapter that remembers nothing", () =>
    Effect.gen(function*() {
      const { runtime, window } = yield* prepared
      const pane = yield* runtime.preparePane({ window: window.name })

      assert.isTrue(pane.prepared)
      assert.strictEqual(`${(yield* runtime.preparePane({ window: window.name })).handle}`, `${pane.handle}`)
      assert.strictEqual((yield* runtime.listPanes()).length, 1)
    }).pipe(Effect.provide(Memory.layer())))

  it.effect("is refused where panes cannot be split", () =>
    Effect.gen(function*() {
      const { prepare, runtime, window } = yield* prepared
      yield* runtime.sendText(yield* prepare, "x")

      assert.deepInclude(yield* Effect.flip(prepare), { _tag: "Unsupported", capability: "splitPane" })
      assert.deepInclude(yield* Effect.flip(runtime.spawn({ placement: { split: window.handle } })), {
        _tag: "Unsupported"
      })
    }).pipe(Effect.provide(Records.layer(Records.world(), () => ({ declared: { splitPane: "none" as const } })))))
})

describe("a pane", () => {
  it.effect("case 148: that is gone is already closed, one of an earlier server is not found", () => {
    const world = Records.world()
    return Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open
      const foreign = new PaneHandle({ ...pane, host: "there" })

      assert.strictEqual(yield* runtime.closePane(pane), "closed")
      assert.strictEqual(yield* runtime.closePane(pane), "already-closed")
      assert.deepInclude(yield* Effect.flip(runtime.closePane(foreign)), { reason: "foreign" })
      world.down = true
      assert.strictEqual((yield* Effect.flip(runtime.closePane(pane)))._tag, "RuntimeUnavailable")
      assert.strictEqual((yield* Effect.flip(runtime.listPanes()))._tag, "RuntimeUnavailable")
    }).pipe(Effect.provide(Records.layer(world)))
  })

  it.effect("is resized to whole sizes only", () => {
    const world = Records.world()
    return Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open
      const { asks } = world
      for (const columns of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 5001]) {
        const resized = yield* Effect.flip(runtime.resize(pane, { columns, rows: 24 }))
        const spawned = yield* Effect.flip(runtime.spawn({ size: { columns: 80, rows: columns } }))
        assert.deepInclude(resized, { _tag: "InvalidRequest", operation: "resize", field: "size" })
        assert.deepInclude(spawned, { _tag: "InvalidRequest", operation: "spawn", field: "size" })
      }
      assert.strictEqual(world.asks, asks)
      yield* runtime.resize(pane, { columns: 80, rows: 24 })
      assert.deepStrictEqual(world.log.slice(1), ["resize 80x24"])
    }).pipe(Effect.provide(Records.layer(world)))
  })

  it.effect("case 65: of an earlier server is refused by every operation", () => {
    const world = Records.world()
    return Effect.gen(function*() {
      const { pane, runtime } = yield* Records.open
      const stale = new PaneHandle({ ...pane, incarnation: "0" })
      const log = [...world.log]
      const refusals = yield* Effect.all([
        Effect.flip(runtime.describe(stale)),
        Effect.flip(runtime.sendText(stale, "x")),
        Effect.flip(runtime.closePane(stale)),
        Effect.flip(runtime.resize(stale, { columns: 80, rows: 24 }))
      ])

      for (const error of refusals) assert.deepInclude(error, { _tag: "TargetNotFound", reason: "reissued" })
      assert.deepStrictEqual(world.log, log)
    }).pipe(Effect.provide(Records.layer(world)))
  })

  it.effect("is closed again when its caller was interrupted before it was told", () => {
    const world = Records.world()
    const gate = Deferred.makeUnsafe<void>()
    return Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const spawning = yield* Effect.forkChild(runtime.spawn({ placement: { window: "a" } }), {
        startImmediately: true
      })
      const interruption = yield* Effect.forkChild(Fiber.interrupt(spawning), { startImmediately: true })
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(interruption)

      assert.deepStrictEqual(yield* runtime.listPanes(), [])
      assert.lengthOf(world.log, 2)
    }).pipe(Effect.provide(Records.layer(world, ({ open }) => ({
      open: (request) => Effect.uninterruptible(Effect.tap(open(request), () => Deferred.await(gate)))
    }))))
  })

  it.effect("is listed with all others, or with those of its window or session", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const a = yield* runtime.spawn({ placement: { window: "a" } })
      const b = yield* runtime.spawn({ placement: { window: "b", session: "s" } })
      const c = yield* runtime.spawn({ placement: { split: a.handle } })
      const ids = (panes: ReadonlyArray<{ readonly handle: PaneHandle }>) => panes.map(({ handle }) => handle.id)

      assert.deepStrictEqual(ids(yield* runtime.listPanes()), ids([a, b, c]))
      assert.deepStrictEqual(ids(yield* runtime.listPanes({ session: "s" })), ids([b]))
      assert.deepStrictEqual(ids(yield* runtime.listPanes({ window: a.window })), ids([a, c]))
    }).pipe(Effect.provide(Records.layer(Records.world()))))
})
