import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as RuntimeDirectory from "../../layers/internal/runtimeDirectory.ts"
import * as StatusFiles from "../../layers/internal/statusFiles.ts"
import * as Pty from "../../layers/Pty.ts"
import type { Primitives } from "../../src/Contract.ts"
import { Pane } from "../../src/Target.ts"
import { Instrument, TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { type Shell, shells } from "../fixtures/shells.ts"

const layer = Pty.layer()

/** As a runtime has them that keeps a pane but not how its program ended. */
const withoutCodes = (primitives: Primitives): Primitives => {
  const silent = (pane: Pane) => pane.exit === undefined ? pane : new Pane({ ...pane, exit: {} })
  const { find } = primitives
  return {
    ...primitives,
    inventory: Effect.map(primitives.inventory, (all) => ({ ...all, panes: all.panes.map(silent) })),
    ...(find === undefined ? {} : { find: (id) => Effect.map(find(id), Option.map(silent)) }),
    declared: { ...primitives.declared, exitStatus: "none" }
  }
}

const files = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "paneway-test-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const silent = (folder: string | undefined) =>
  layer.pipe(
    Layer.provide(Layer.succeed(Instrument, withoutCodes)),
    Layer.provide(
      folder === undefined
        ? Layer.empty
        : StatusFiles.layer("pty", { ...RuntimeDirectory.surroundings(), env: { XDG_RUNTIME_DIR: folder } })
    )
  )

const open = (shell: Shell, onExit: "hold" | "close" = "hold") =>
  Effect.gen(function*() {
    const runtime = yield* TerminalRuntime
    const { handle: pane } = yield* runtime.spawn({ program: { argv: shell.argv }, env: shell.env, onExit })
    const run = (command: string) => runtime.run(pane, { command, timeout: "10 seconds" })
    return { runtime, pane, run }
  })

describe.each(shells)("a command that ends $name", (shell) => {
  it.live("has the code that the shell leaves in a file of this user, where the runtime tells none", () =>
    Effect.gen(function*() {
      const folder = yield* files
      const left = () => readdirSync(join(folder, "paneway", "run"))
      yield* Effect.gen(function*() {
        const { pane, run, runtime } = yield* open(shell)
        assert.deepInclude(yield* run("echo on; sh -c 'exit 4'"), { exitCode: 4, output: "on\n" })
        const running = yield* Effect.forkChild(run("echo here; sleep 0.3; echo bye; exit 7"))
        yield* runtime.waitOutput(pane, { pattern: /^here$/, timeout: "10 seconds" })
        const [file = ""] = left()
        assert.strictEqual(statSync(join(folder, "paneway", "run", file)).mode & 0o777, 0o600)
        const result = yield* Fiber.join(running)

        assert.deepInclude(result, { exitCode: 7, truncated: false })
        assert.match(result.output, /^here\nbye\n(?:exit\n)?$/)
        assert.deepStrictEqual(left(), [])
      }).pipe(Effect.provide(silent(folder)))
    }))

  it.live("is not known to have ended well or badly where nothing tells the code", () =>
    Effect.gen(function*() {
      const { run } = yield* open(shell)
      const error = yield* Effect.flip(run("echo bye; exit 5"))

      assert(error._tag === "CommandUnfinished" && error.lastSeen._tag === "Screen")
      assert.isTrue(error.ended)
      assert.include(error.lastSeen.screen.text, "bye")
    }).pipe(Effect.provide(silent(undefined))))

  it.live("is unfinished with what was last seen, where its pane is closed meanwhile", () =>
    Effect.gen(function*() {
      const { pane, run, runtime } = yield* open(shell)
      const running = yield* Effect.forkChild(Effect.flip(run("echo here; sleep 100")))
      yield* runtime.waitOutput(pane, { pattern: /^here$/, timeout: "10 seconds" })
      yield* runtime.closePane(pane)
      const error = yield* Fiber.join(running)

      assert(error._tag === "CommandUnfinished" && error.lastSeen._tag === "Screen")
      assert.isTrue(error.ended)
      assert.include(error.lastSeen.screen.text, "here")
    }).pipe(Effect.provide(layer)))
})

describe("a shell with a trap of its own for its end", () => {
  it.live("keeps it, and its code is not known", () =>
    Effect.gen(function*() {
      const folder = yield* files
      yield* Effect.gen(function*() {
        for (const shell of shells.filter(({ name }) => name !== "fish")) {
          const { run } = yield* open(shell)
          yield* run("trap 'echo trapped' EXIT")
          const error = yield* Effect.flip(run("echo bye; exit 5"))

          assert(error._tag === "CommandUnfinished" && error.lastSeen._tag === "Screen")
          assert.include(error.lastSeen.screen.text, "trapped")
        }
      }).pipe(Effect.provide(silent(folder)))
    }))

  it.live("has none left from an earlier command", () =>
    Effect.gen(function*() {
      const folder = yield* files
      yield* Effect.gen(function*() {
        for (const shell of shells.filter(({ name }) => name !== "fish")) {
          const { pane, run, runtime } = yield* open(shell)
          yield* run("true")
          const { mark } = yield* runtime.sendCommand(pane, "trap; echo do''ne")
          const { screen } = yield* runtime.waitOutput(pane, {
            pattern: /^done$/,
            timeout: "10 seconds",
            after: mark
          })

          assert.notInclude(screen.text, "trap --")
        }
      }).pipe(Effect.provide(silent(folder)))
    }))
})
