import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Pty from "../../layers/Pty.ts"
import type { PaneHandle } from "../../src/Target.ts"
import { windowName } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"

const layer = Pty.layer({ env: { ...process.env, SHELL: "/bin/sh", PS1: "$ ", ENV: "", PANEWAY_SESSION: "" } })

const roots = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "paneway-roots-")))
    mkdirSync(join(folder, "a"))
    mkdirSync(join(folder, "b"))
    symlinkSync(join(folder, "a"), join(folder, "link"))
    return { a: join(folder, "a"), b: join(folder, "b"), link: join(folder, "link"), folder }
  }),
  ({ folder }) => Effect.sync(() => rmSync(folder, { recursive: true }))
)
const ids = (panes: ReadonlyArray<{ readonly handle: PaneHandle }>) => panes.map(({ handle }) => handle.id)
/** Until the shell is at its prompt. */
const settled = (pane: PaneHandle) =>
  TerminalRuntime.use((runtime) =>
    Effect.repeat(runtime.describe(pane), {
      until: ({ atShell }) => atShell !== false,
      schedule: Schedule.spaced("20 millis")
    })
  )

describe("windows of the embedded runtime", () => {
  it.live("are made once, in their root, and conflict with another root", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { a, b } = yield* roots
      const [first, ...others] = yield* Effect.all(
        Array.from({ length: 20 }, () => runtime.ensureWindow({ name: "my work", root: a })),
        { concurrency: "unbounded" }
      )
      const [pane] = yield* runtime.listPanes()
      const conflict = yield* Effect.flip(runtime.ensureWindow({ name: "my-work", root: b }))

      assert.strictEqual(new Set([first, ...others].map((window) => `${window?.handle}`)).size, 1)
      assert.deepInclude(first, { name: windowName("my-work"), root: a, session: "paneway" })
      assert.strictEqual((yield* runtime.listPanes()).length, 1)
      assert.deepInclude(conflict, { _tag: "WindowConflict", field: "root", requested: b, existing: a })
      assert.isTrue(pane?.prepared)
      if (pane === undefined) return
      yield* runtime.sendCommand(pane.handle, "pwd -P")
      yield* runtime.waitOutput(pane.handle, { pattern: a, timeout: "30 seconds" })
    }).pipe(Effect.provide(layer)))

  it.live("are found through a link to their root", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { a, link } = yield* roots
      const made = yield* runtime.ensureWindow({ name: "w", root: a })

      assert.deepStrictEqual((yield* runtime.ensureWindow({ name: "w", root: link })).handle, made.handle)
    }).pipe(Effect.provide(layer)))

  it.live("in a root that does not exist are not made", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { a } = yield* roots
      const error = yield* Effect.flip(runtime.ensureWindow({ name: "w", root: join(a, "missing") }))

      assert.deepInclude(error, { _tag: "SpawnFailed", reason: "bad-directory", created: "nothing" })
      assert.deepStrictEqual(yield* runtime.listWindows(), [])
    }).pipe(Effect.provide(layer)))

  it.live("case 79: give a pane whose shell outlives its commands, and another one while that is busy", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { a } = yield* roots
      const { handle: window } = yield* runtime.ensureWindow({ name: "w", root: a })
      const first = (yield* runtime.preparePane({ window })).handle
      yield* runtime.sendCommand(first, "true; echo do'ne'")
      yield* runtime.waitOutput(first, { pattern: /done$/, timeout: "30 seconds" })
      yield* settled(first)
      assert.strictEqual((yield* runtime.preparePane({ window })).handle.id, first.id)

      yield* runtime.sendCommand(first, "echo sta'rted'; sleep 60")
      yield* runtime.waitOutput(first, { pattern: /started$/, timeout: "30 seconds" })
      yield* Effect.repeat(runtime.describe(first), {
        until: ({ atShell }) => atShell !== true,
        schedule: Schedule.spaced("20 millis")
      })
      const second = (yield* runtime.preparePane({ window })).handle

      assert.notStrictEqual(second.id, first.id)
      assert.deepStrictEqual(ids(yield* runtime.listPanes({ window })), [first.id, second.id])
      yield* runtime.sendCommand(second, "pwd -P")
      yield* runtime.waitOutput(second, { pattern: a, timeout: "30 seconds" })
    }).pipe(Effect.timeout("20 seconds"), Effect.provide(layer)))

  it.live("give their first pane although its shell still runs what its start-up files start", () =>
    Effect.gen(function*() {
      const { folder } = yield* roots
      writeFileSync(join(folder, ".profile"), "echo sta'rting'\nsleep 60\n")
      yield* Effect.gen(function*() {
        const runtime = yield* TerminalRuntime
        const { handle: window } = yield* runtime.ensureWindow({ name: "w", root: folder })
        const [made] = yield* runtime.listPanes({ window })
        assert(made !== undefined)
        yield* Effect.repeat(runtime.describe(made.handle), {
          until: ({ command }) => command === "sleep",
          schedule: Schedule.spaced("10 millis")
        })
        assert.strictEqual((yield* runtime.preparePane({ window })).handle.id, made.handle.id)
        assert.isUndefined((yield* runtime.describe(made.handle)).atShell)

        yield* runtime.sendCommand(made.handle, "echo later")
        assert.isFalse((yield* runtime.describe(made.handle)).atShell)
        assert.notStrictEqual((yield* runtime.preparePane({ window })).handle.id, made.handle.id)
      }).pipe(Effect.provide(Pty.layer({ env: { ...process.env, HOME: folder, SHELL: "/bin/sh", ENV: "" } })))
    }).pipe(Effect.timeout("20 seconds")))

  it.live("of one name in two sessions are two, and a session closes with all its panes and no other", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { a } = yield* roots
      const here = yield* runtime.ensureWindow({ name: "w", root: a })
      const there = yield* runtime.ensureWindow({ name: "w", root: a, session: "paneway2" })
      const split = yield* runtime.spawn({ placement: { split: there.handle } })

      assert.deepStrictEqual(yield* runtime.listSessions, ["paneway", "paneway2"])
      assert.strictEqual((yield* runtime.listPanes({ session: "paneway2" })).length, 2)
      assert.deepInclude(yield* Effect.flip(runtime.closeSession("paneway3")), { reason: "absent" })
      assert.strictEqual(yield* runtime.closeSession("paneway2"), "closed")
      assert.deepStrictEqual(yield* runtime.listSessions, ["paneway"])
      assert.deepStrictEqual((yield* runtime.listWindows()).map(({ handle }) => handle.id), [here.handle.id])
      assert.strictEqual(yield* runtime.closePane(split.handle), "already-closed")
      assert.strictEqual(yield* runtime.closeWindow(there.handle), "already-closed")
      assert.deepInclude(yield* Effect.flip(runtime.closeWindow(there.name, { session: "paneway2" })), {
        reason: "absent"
      })
      assert.strictEqual(yield* runtime.closeWindow(here.name), "closed")
      assert.deepStrictEqual(yield* runtime.listPanes(), [])
    }).pipe(Effect.provide(layer)))

  it.live("are gone with their last pane, and can be made again", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { a, b } = yield* roots
      const first = yield* runtime.ensureWindow({ name: "w", root: a })
      for (const { handle } of yield* runtime.listPanes({ window: first.handle })) yield* runtime.closePane(handle)
      const second = yield* runtime.ensureWindow({ name: "w", root: b })

      assert.notStrictEqual(second.handle.id, first.handle.id)
      assert.strictEqual(second.root, b)
    }).pipe(Effect.provide(layer)))

  it.live("take new panes by name, by handle and beside a pane", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { a } = yield* roots
      const window = yield* runtime.ensureWindow({ name: "w", root: a })
      const byName = yield* runtime.spawn({ placement: { split: window.name } })
      const byHandle = yield* runtime.spawn({ placement: { split: window.handle } })
      const beside = yield* runtime.spawn({ placement: { split: byName.handle } })

      for (const pane of [byName, byHandle, beside]) assert.deepStrictEqual(pane.window, window.handle)
      assert.strictEqual((yield* runtime.listPanes({ window: window.name })).length, 4)
    }).pipe(Effect.provide(layer)))
})
