import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Pty from "../../layers/Pty.ts"
import type { Size } from "../../src/Contract.ts"
import type { PaneHandle } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { bin } from "../fixtures/cli.ts"
import { until } from "../fixtures/processes.ts"
import { user } from "../fixtures/user.ts"

const size = { columns: 80, rows: 24 }

/** A user whose terminals are embedded panes of this process, beside the host with the panes that they attach to. */
const desk = Effect.gen(function*() {
  const { env, home, run } = yield* user
  const terminals = yield* TerminalRuntime
  const spawn = (...argv: ReadonlyArray<string>) =>
    Effect.map(run(["spawn", "--root", home, "--", ...argv]), ({ stdout }) => stdout.toString().trim())
  const open = (script: string, at: Size = size) =>
    Effect.map(
      terminals.spawn({ program: { argv: ["sh", "-c", script] }, cwd: home, env, size: at }),
      ({ handle }) => handle
    )
  /** A terminal in which the pane is attached. Its code and the terminal's settings are printed after that. */
  const attach = (pane: string, words = "", at: Size = size) =>
    open(
      `stty -g >before; '${process.execPath}' '${bin}' attach '${pane}' ${words}; ` +
        "code=$?; stty -g >after; echo \"code <$code>\"; exec sleep 1000",
      at
    )
  const inner = (pane: string, ...more: ReadonlyArray<string>) =>
    Effect.map(run(["capture", pane, "--visible", "--ansi", ...more]), ({ stdout }) => stdout.toString().trimEnd())
  const outer = (terminal: PaneHandle) =>
    Effect.map(terminals.capture(terminal, { range: "visible", ansi: true }), ({ rows }) => rows.join("\n").trimEnd())
  /** Succeeds when the terminal shows what the pane does, which holds that text. */
  const alike = Effect.fnUntraced(function*(pane: string, terminal: PaneHandle, text: string) {
    let seen: readonly [string, string] = ["", ""]
    const look = Effect.gen(function*() {
      seen = [yield* inner(pane), yield* outer(terminal)]
      return seen[0] === seen[1] && seen[0].includes(text)
    })
    yield* Effect.repeat(look, { until: (same) => same }).pipe(
      Effect.timeoutOrElse({ duration: "15 seconds", orElse: () => Effect.void })
    )
    assert.include(seen[1], text)
    assert.strictEqual(seen[1], seen[0])
  })
  const ended = (terminal: PaneHandle) =>
    Effect.map(
      terminals.waitOutput(terminal, { pattern: /code <(\d+)>/, timeout: "15 seconds" }),
      ({ groups: [code] }) => Number(code)
    )
  return { alike, attach, ended, env, home, inner, open, outer, run, spawn, terminals }
})

const layer = Pty.layer({ shell: "/bin/sh" })
const live = <E>(name: string, body: Effect.Effect<void, E, TerminalRuntime | Scope.Scope>) =>
  it.live(name, () => Effect.scoped(Effect.provide(body, layer)), 90_000)

describe("an attached terminal", () => {
  live(
    "shows vim as it is, brings it keys, and follows its own size",
    Effect.gen(function*() {
      const { alike, attach, home, spawn, terminals } = yield* desk
      const pane = yield* spawn("vim", "-u", "NONE", "-N", "file")
      const terminal = yield* attach(pane)
      yield* alike(pane, terminal, "~")
      yield* terminals.sendKeys(terminal, ["i"])
      yield* terminals.sendText(terminal, "first line é漢")
      yield* alike(pane, terminal, "first line")
      yield* terminals.resize(terminal, { columns: 60, rows: 15 })
      yield* alike(pane, terminal, "first line")
      yield* terminals.sendKeys(terminal, ["Escape", ":", "w", "q", "Enter"])
      yield* until(() => existsSync(join(home, "file")))

      assert.strictEqual(readFileSync(join(home, "file"), "utf8"), "first line é漢\n")
    })
  )
})
