import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { randomBytes } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Pty from "../../layers/Pty.ts"
import type { SpawnRequest } from "../../src/Contract.ts"
import * as Passthrough from "../../src/Passthrough.ts"
import type { PaneHandle } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"

const plain = Pty.layer({ env: { ...process.env, SHELL: "/bin/sh", ENV: "", PS1: "$ ", PANEWAY_SESSION: "" } })

const folder = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "paneway-test-")))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)
const seen = (pane: PaneHandle, pattern: string | RegExp) =>
  TerminalRuntime.use((runtime) => runtime.waitOutput(pane, { pattern, timeout: "15 seconds" }))
const ended = (pane: PaneHandle) =>
  TerminalRuntime.use((runtime) =>
    runtime.waitLifecycle({ condition: "pane-exited", target: pane, timeout: "15 seconds" })
  )
const lines = (file: string) => readFileSync(file, "utf8").split("\n").length - 1

describe("a command that is typed before the shell is ready", () => {
  const interactive = {
    sh: (path: string): SpawnRequest => ({ program: { argv: ["/bin/sh", "-i"] }, env: { ENV: join(path, "rc") } }),
    bash: (path: string): SpawnRequest => ({ program: { argv: ["bash", "--rcfile", join(path, "rc"), "-i"] } }),
    zsh: (path: string): SpawnRequest => ({ program: { argv: ["zsh", "-i"] }, env: { ZDOTDIR: path } }),
    fish: (path: string): SpawnRequest => ({
      program: { argv: ["fish", "--no-config", "--init-command", `source ${join(path, "rc")}`, "-i"] },
      env: { HOME: path }
    })
  }
  const reads = "echo '$ loading'; sleep 0.4; read -t 0.2 line"
  const flushes = "echo '$ loading'; sleep 0.4; python3 -c 'import termios; termios.tcflush(0, termios.TCIFLUSH)'"
  const starts = [
    ["sh", "is slow", "sleep 0.7"],
    ["bash", "is slow", "sleep 0.7"],
    ["zsh", "is slow", "sleep 0.7"],
    ["fish", "is slow", "sleep 0.7"],
    ["bash", "reads lines", reads],
    ["bash", "reads lines and marks no pastes", `bind 'set enable-bracketed-paste off'; ${reads}`],
    ["bash", "takes single keys", "echo loading; sleep 0.4; while read -r -t 0.1 -n 100 line; do :; done"],
    ["bash", "throws away what was typed", flushes],
    ["zsh", "reads lines", reads],
    ["zsh", "waits for a single key for a moment", "echo loading; sleep 0.4; read -t 0.2 -k 1 key"],
    ["zsh", "throws away what was typed", flushes],
    ["fish", "reads lines", "echo loading; sleep 0.4; bash -c 'read -t 0.2 line'"],
    ["fish", "throws away what was typed", flushes]
  ] as const

  describe.concurrent("in a shell", () => {
    for (const [shell, how, rc] of starts) {
      it.live(`case 77: runs once, in ${shell} when its start ${how}`, () =>
        Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          const path = yield* folder
          for (const file of ["rc", ".zshrc"]) writeFileSync(join(path, file), `${rc}\nPS1='$ '\n`)
          const { handle } = yield* runtime.spawn(interactive[shell](path))
          const report = yield* runtime.sendCommand(handle, `echo x >>${path}/count; echo fir''st`)
          yield* seen(handle, /first$/)
          // what was typed twice would have run before this
          yield* runtime.sendCommand(handle, "echo la''st")
          yield* seen(handle, /last$/)

          assert.strictEqual(lines(join(path, "count")), 1)
          assert.isUndefined(report.warnings)
        }).pipe(Effect.provide(plain)))
    }
  })

  it.live("case 77: is typed in the end although no prompt was seen, and the report says so", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const path = yield* folder
      writeFileSync(join(path, "rc"), "echo loading; read -r answer; echo got $answer; PS1='$ '\n")
      const { handle } = yield* runtime.spawn(interactive.bash(path))
      const early = yield* runtime.sendCommand(handle, "yes")
      yield* seen(handle, /^got yes$/)
      const ready = yield* runtime.sendCommand(handle, "echo la''st")
      yield* seen(handle, /last$/)

      assert.deepStrictEqual([early.outcome, early.warnings], ["admitted", ["before-prompt"]])
      assert.isUndefined(ready.warnings)
    }).pipe(Effect.provide(Pty.layer({ env: { ...process.env, SHELL: "/bin/sh" }, stall: "1 second" }))))

  it.live("case 77: does not hold back the key that ends what the start waits for", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const path = yield* folder
      // said by the program itself: a shell that has not started it yet may lose the key
      writeFileSync(join(path, "rc"), "sh -c 'echo loading; exec sleep 100'; echo ended; PS1='$ '\n")
      const { handle } = yield* runtime.spawn(interactive.bash(path))
      yield* seen(handle, /^loading$/)
      const { warnings } = yield* runtime.sendKeys(handle, ["C-c"])
      yield* seen(handle, /[#$]$/)

      // what waited for a prompt in vain is told so
      assert.isUndefined(warnings)
    }).pipe(Effect.provide(plain)))

  it.live("case 77: runs once where the pane starts with it, whatever the start throws away", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const path = yield* folder
      const program = { shell: `read -r -t 0 x; echo x >>${path}/count; echo done` }
      const { handle } = yield* runtime.spawn({ program, onExit: "shell" })
      yield* seen(handle, /^done$/)
      yield* seen(handle, /[#$]$/)

      assert.strictEqual(lines(join(path, "count")), 1)
    }).pipe(Effect.provide(plain)))

  it.live("case 80: runs once in each of many shells that start at the same time", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const path = yield* folder
      const names = Array.from({ length: 20 }, (_, n) => `${n}`)
      yield* Effect.forEach(
        names,
        Effect.fnUntraced(function*(name) {
          const { handle } = yield* runtime.spawn({ program: { argv: ["bash", "--norc", "-i"] } })
          yield* runtime.sendCommand(handle, `echo x >>${path}/${name}`)
          yield* runtime.sendCommand(handle, "exit")
          yield* ended(handle)
        }),
        { concurrency: "unbounded" }
      )

      assert.deepStrictEqual(names.map((name) => lines(join(path, name))), names.map(() => 1))
    }).pipe(Effect.provide(plain)))
})

describe("the size of a pane", () => {
  it.live("case 89: is one that programs can use, although nobody looks at it", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const argv = ["sh", "-c", "stty size; printf %130s\\\\n x | tr ' ' -; echo end"] as const
      const { handle } = yield* runtime.spawn({ program: { argv } })
      const wide = yield* runtime.spawn({ program: { argv }, size: { columns: 200, rows: 50 } })
      const window = yield* runtime.ensureWindow({ name: "w", root: "/" })
      const prepared = yield* runtime.preparePane({ window: window.handle })
      yield* seen(prepared.handle, /[#$]$/)
      const told = yield* runtime.run(prepared.handle, { command: "stty size", timeout: "15 seconds" })
      yield* ended(handle)
      yield* ended(wide.handle)

      assert.deepStrictEqual((yield* runtime.capture(handle)).rows, [
        "40 120",
        "-".repeat(120),
        `${"-".repeat(9)}x`,
        "end"
      ])
      assert.deepStrictEqual((yield* runtime.capture(wide.handle)).rows, ["50 200", `${"-".repeat(129)}x`, "end"])
      assert.strictEqual(told.output, "40 120\n")
    }).pipe(Effect.provide(plain)))

  it.live("case 92: can grow: a program on the alternate screen paints anew and still takes input", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const paint = `
        const { stdin, stdout } = process
        stdin.setRawMode(true)
        let typed = ""
        const paint = () => {
          const last = "\\x1b[" + stdout.rows + ";1H" + "=".repeat(stdout.columns)
          stdout.write("\\x1b[2J\\x1b[H" + stdout.columns + "x" + stdout.rows + " <" + typed + ">" + last)
        }
        stdout.on("resize", paint)
        stdin.on("data", (chunk) => { typed += chunk; paint() })
        stdout.write("\\x1b[?1049h")
        paint()`
      const { handle } = yield* runtime.spawn({
        program: { argv: [process.execPath, "-e", paint] },
        size: { columns: 80, rows: 24 }
      })
      yield* seen(handle, /^80x24 <>/)
      yield* runtime.resize(handle, { columns: 220, rows: 50 })
      yield* seen(handle, /^220x50 <>/)
      yield* runtime.sendText(handle, "word")
      yield* seen(handle, /^220x50 <word>/)
      yield* seen(handle, /^={220}$/)
      const screen = yield* runtime.capture(handle, { range: "visible" })

      assert.deepStrictEqual([screen.rows.length, screen.rows.at(-1)?.length, screen.alternate], [50, 220, true])
    }).pipe(Effect.provide(plain)))
})

describe("the environment of a pane", () => {
  const environment = Effect.fnUntraced(function*(request: SpawnRequest) {
    const runtime = yield* TerminalRuntime
    const { handle } = yield* runtime.spawn({
      ...request,
      program: { argv: ["env"] },
      size: { columns: 2000, rows: 40 }
    })
    yield* ended(handle)
    return (yield* runtime.capture(handle, { range: "full" })).rows
  })

  it.live("case 158: holds nothing of another pane's, and of the surroundings what was let in", () =>
    Effect.gen(function*() {
      const first = yield* environment({ env: { LANE_TOKEN: "hunter2", LANE: "one" } })
      const second = yield* environment({ unset: ["DENIED"] })
      const names = second.map((row) => row.replace(/=.*/, "")).toSorted((a, b) => a < b ? -1 : 1)

      assert.includeMembers([...first], ["LANE_TOKEN=hunter2", "LANE=one", "DENIED=yes"])
      assert.notMatch(second.join("\n"), /LANE|hunter2|DENIED/)
      assert.deepStrictEqual(names, ["ALLOWED", "COLORTERM", "PANEWAY_PANE_TAG", "PATH", "PWD", "TERM"])
    }).pipe(Effect.provide(Pty.layer({ env: { PATH: process.env["PATH"], ALLOWED: "yes", DENIED: "yes" } }))))

  it.live("case 161: is no argument of any process, and no part of what is told of the pane", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const secret = randomBytes(16).toString("hex")
      const request: SpawnRequest = {
        program: { argv: ["sh", "-c", "printf '%s ' ready ${#API_KEY}; read -r line"] },
        env: { API_KEY: Redacted.make(secret) }
      }
      const through = Option.getOrThrow(yield* Passthrough.Passthrough)
      const panes = [
        yield* runtime.spawn(request),
        yield* runtime.spawn({ ...request, onExit: "shell" }),
        yield* through.open(request, { input: "pipe", replies: true })
      ]
      const shown: Array<string> = []
      for (const { handle } of panes) {
        yield* seen(handle, "ready 32")
        shown.push(JSON.stringify(yield* runtime.describe(handle)))
      }
      const argv = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid)).map((pid) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, "utf8")
        } catch {
          return ""
        }
      })

      assert.notInclude(argv.join("\n"), secret)
      assert.notInclude(shown.join("\n"), secret)
    }).pipe(Effect.provide(plain)))
})

describe("a window", () => {
  it.live("case 68: is found again although its program has changed the title", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const made = yield* runtime.ensureWindow({ name: "work", root: "/" })
      const { handle } = yield* runtime.preparePane({ window: made.handle })
      yield* seen(handle, /[#$]$/)
      yield* runtime.run(handle, {
        command: "printf '\\033]0;other\\007\\033]2;other\\007\\033kother\\033\\\\'",
        timeout: "15 seconds"
      })
      const again = yield* runtime.ensureWindow({ name: "work", root: "/" })

      assert.deepStrictEqual([again.handle, again.name], [made.handle, made.name])
      assert.deepStrictEqual((yield* runtime.listWindows()).map(({ name }) => name), [made.name])
    }).pipe(Effect.provide(plain)))

  it.live("case 76: may be in a session whose name has blanks", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const made = yield* runtime.ensureWindow({ name: "w w", root: "/", session: "a b" })
      const again = yield* runtime.ensureWindow({ name: "w w", root: "/", session: "a b" })
      yield* runtime.ensureWindow({ name: "w w", root: "/", session: "a" })

      assert.deepStrictEqual(again.handle, made.handle)
      assert.deepStrictEqual((yield* runtime.listSessions).toSorted(), ["a", "a b"])
      assert.deepStrictEqual((yield* runtime.listWindows({ session: "a b" })).map(({ handle }) => handle), [
        made.handle
      ])
      assert.strictEqual(yield* runtime.closeSession("a b"), "closed")
      assert.deepStrictEqual(yield* runtime.listSessions, ["a"])
    }).pipe(Effect.provide(plain)))
})
