import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { realpathSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Pty from "../../layers/Pty.ts"
import type { SpawnRequest } from "../../src/Contract.ts"
import type { PaneHandle } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"

const env = { PATH: process.env.PATH, HOME: "/dev/null/home", SHELL: "/bin/sh", PS1: "$ ", ENV: "" }
const layer = Pty.layer({ env })
const spawn = (request: SpawnRequest) => TerminalRuntime.use((runtime) => runtime.spawn(request))
const cat = (window: string, session?: string) =>
  spawn({ program: { argv: ["cat"] }, placement: { window, ...(session === undefined ? {} : { session }) } })

const activePanes = TerminalRuntime.use((runtime) =>
  Effect.map(runtime.listPanes(), (panes) => panes.filter(({ active }) => active).map(({ handle }) => handle.id))
)
const activeWindows = TerminalRuntime.use((runtime) =>
  Effect.map(runtime.listWindows(), (windows) => windows.filter(({ active }) => active).map(({ name }) => name))
)

describe("the focus of the embedded runtime", () => {
  it.live("is on one pane and its window, goes where it is sent, and back to a window's own last pane", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const [a1, a2] = [yield* cat("a"), yield* cat("a")]
      const b1 = yield* cat("b")
      assert.deepStrictEqual([yield* activePanes, yield* activeWindows], [[a1.handle.id], ["a"]])

      yield* runtime.focus(a2.handle)
      assert.deepStrictEqual([yield* activePanes, yield* activeWindows], [[a2.handle.id], ["a"]])
      yield* runtime.focus(b1.window)
      assert.deepStrictEqual([yield* activePanes, yield* activeWindows], [[b1.handle.id], ["b"]])
      yield* runtime.focus(a1.window)
      assert.deepStrictEqual([yield* activePanes, yield* activeWindows], [[a2.handle.id], ["a"]])
      yield* runtime.closePane(a2.handle)
      assert.deepStrictEqual([yield* activePanes, yield* activeWindows], [[a1.handle.id], ["a"]])
      yield* runtime.closePane(a1.handle)
      assert.deepStrictEqual([yield* activePanes, yield* activeWindows], [[b1.handle.id], ["b"]])
      assert.deepInclude(yield* Effect.flip(runtime.focus(a1.handle)), { _tag: "TargetNotFound" })
      assert.strictEqual(runtime.capabilities.focus, "native")
    }).pipe(Effect.provide(layer)))

  it.live("wakes who waits for a window to become active", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      yield* cat("a")
      const b = yield* cat("b")
      const waiting = yield* Effect.forkChild(
        runtime.waitLifecycle({ condition: "window-active", target: b.window, timeout: "30 seconds" }),
        { startImmediately: true }
      )
      yield* runtime.focus(b.handle)

      assert.strictEqual((yield* Fiber.join(waiting)).observed, "active")
    }).pipe(Effect.provide(layer)))
})

describe("a pane whose program ends", () => {
  const exits = (onExit: SpawnRequest["onExit"]) =>
    spawn({ program: { argv: ["sh", "-c", "echo over; exit 5"] }, onExit, placement: { window: "w" } })
  const ended = (target: PaneHandle) =>
    TerminalRuntime.use((runtime) => runtime.waitLifecycle({ condition: "pane-exited", target, timeout: "15 seconds" }))

  it.live("stays with its exit where nothing else was asked for", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      for (const onExit of [undefined, "hold"] as const) {
        const { handle } = yield* exits(onExit)
        yield* ended(handle)
        assert.deepStrictEqual((yield* runtime.describe(handle)).exit, { code: 5 })
        assert.deepStrictEqual((yield* runtime.capture(handle)).rows, ["over"])
      }
    }).pipe(Effect.provide(layer)))

  it.live("goes with its window where that was asked for", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      yield* exits("close")
      yield* Effect.repeat(runtime.listWindows(), {
        until: (windows) => windows.length === 0,
        schedule: Schedule.spaced("10 millis")
      }).pipe(Effect.timeout("30 seconds"))
    }).pipe(Effect.provide(layer)))

  it.live("gets a shell where that was asked for", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { handle } = yield* exits("shell")
      yield* runtime.waitOutput(handle, { pattern: /^over/, timeout: "15 seconds" })
      yield* runtime.sendCommand(handle, "echo in she'll'")
      yield* runtime.waitOutput(handle, { pattern: /in shell$/, timeout: "15 seconds" })

      assert.isUndefined((yield* runtime.describe(handle)).exit)
    }).pipe(Effect.provide(layer)))
})

describe.runIf(process.platform === "linux")("a pane's record", () => {
  it.live("never tells of a program that was just started that another one runs in front of it", () =>
    Effect.gen(function*() {
      const started = yield* Effect.replicateEffect(spawn({ program: { argv: ["cat"] } }), 30)

      assert.deepStrictEqual(started.filter(({ atShell }) => atShell === false), [])
    }).pipe(Effect.provide(layer)))

  it.live("tells its program, the one in the foreground, its directory, terminal and numbers", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { handle } = yield* spawn({ program: { argv: ["bash", "--norc", "--noprofile"] }, title: "work", cwd: "/" })
      const atShell = yield* Effect.repeat(runtime.describe(handle), {
        until: ({ command }) => command === "bash",
        schedule: Schedule.spaced("10 millis")
      })
      yield* runtime.sendCommand(handle, `cd ${tmpdir()}; echo tty-$(tty); sleep 100`)
      const { groups } = yield* runtime.waitOutput(handle, { pattern: /^tty-(.*)$/, timeout: "30 seconds" })
      const busy = yield* Effect.repeat(runtime.describe(handle), {
        until: ({ command }) => command === "sleep",
        schedule: Schedule.spaced("10 millis")
      })

      assert.deepInclude(atShell, {
        startCommand: "bash --norc --noprofile",
        title: "work",
        cwd: "/",
        atShell: true,
        columns: 120,
        rows: 40
      })
      assert.isAbove(atShell.pid ?? 0, 1)
      assert.deepInclude(busy, { cwd: realpathSync(tmpdir()), atShell: false })
      assert.deepStrictEqual([busy.pid, busy.tty], [atShell.pid, groups[0]])
      yield* runtime.sendKeys(handle, ["C-c"])
      yield* Effect.repeat(runtime.describe(handle), {
        until: (pane) => pane.atShell === true,
        schedule: Schedule.spaced("10 millis")
      })
    }).pipe(Effect.timeout("15 seconds"), Effect.provide(layer)))
})

describe("the environment of a pane", () => {
  const names = Effect.gen(function*() {
    const runtime = yield* TerminalRuntime
    const { handle } = yield* spawn({ program: { argv: ["env"] }, env: { OWN_TOKEN: "own" } })
    const text = Buffer.concat(yield* Stream.runCollect(runtime.output(handle))).toString()
    return text.split("\r\n").map((line) => line.split("=", 1)[0])
  })
  const outer = { ...env, API_TOKEN: "1", OTHER_TOKEN: "2", NPM_TOKEN: "3", "A.B": "4", AxB: "5" }

  it.live("has what this process has, keys for agents too", () =>
    Effect.gen(function*() {
      assert.includeMembers(yield* names, ["PATH", "API_TOKEN", "OTHER_TOKEN", "NPM_TOKEN", "A.B"])
    }).pipe(Effect.provide(Pty.layer({ env: outer }))))

  it.live("lacks what is denied by name or pattern, unless it is allowed or the pane's own", () =>
    Effect.gen(function*() {
      const given = yield* names

      assert.includeMembers(given, ["PATH", "NPM_TOKEN", "OWN_TOKEN", "AxB"])
      for (const name of ["API_TOKEN", "OTHER_TOKEN", "A.B"]) assert.notInclude(given, name)
    }).pipe(Effect.provide(
      Pty.layer({ env: outer, inherit: { deny: ["*_TOKEN", "A.B"], allow: ["NPM_*"] } })
    )))
})

describe("a sender", () => {
  it.live("waits for another one of its pane as long as it was told, and types nothing then", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { handle } = yield* runtime.spawn({ program: { argv: ["sh", "-c", "stty raw; sleep 1000"] } })
      yield* Effect.forkChild(Effect.exit(runtime.sendText(handle, "x".repeat(300_000))), { startImmediately: true })
      const error = yield* Effect.flip(runtime.sendText(handle, "y"))

      assert.deepInclude(error, { _tag: "RuntimeUnavailable", reason: "timed-out", retryable: true })
    }).pipe(Effect.provide(Pty.layer({ lock: "200 millis", stall: "2 seconds" }))))
})
