import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Pty from "../../layers/Pty.ts"
import type { Size } from "../../src/Contract.ts"
import { Passthrough } from "../../src/Passthrough.ts"
import type { PaneHandle } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { bin } from "../fixtures/cli.ts"
import { running, until } from "../fixtures/processes.ts"
import { user } from "../fixtures/user.ts"

const size = { columns: 80, rows: 24 }

/** A user whose terminals are embedded panes of this process, beside the host with the panes that they attach to. */
const desk = Effect.gen(function*() {
  const { env, home, run } = yield* user
  const terminals = yield* TerminalRuntime
  const raw = Option.getOrThrow(yield* Passthrough)
  const spawn = (...argv: ReadonlyArray<string>) =>
    Effect.map(run(["spawn", "--root", home, "--", ...argv]), ({ stdout }) => stdout.toString().trim())
  const open = (script: string, at: Size, env: Readonly<Record<string, string>>) =>
    Effect.map(
      terminals.spawn({ program: { argv: ["sh", "-c", script] }, cwd: home, env, size: at }),
      ({ handle }) => handle
    )
  /** A terminal in which the pane is attached. Its code and the terminal's settings are printed after that. */
  const attach = (pane: string, words = "", at: Size = size, variables: Readonly<Record<string, string>> = env) =>
    open(
      `stty -g >before; '${process.execPath}' '${bin}' attach '${pane}' ${words}; ` +
        "code=$?; stty -g >after; echo \"code <$code>\"; exec sleep 1000",
      at,
      variables
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
      Effect.timeoutOrElse({ duration: "30 seconds", orElse: () => Effect.void })
    )
    assert.include(seen[1], text)
    assert.strictEqual(seen[1], seen[0])
  })
  /** How attaching ended: its exit code, what was said, and that the terminal is as it was. */
  const ended = Effect.fnUntraced(function*(terminal: PaneHandle) {
    const { groups: [code], screen } = yield* terminals.waitOutput(terminal, {
      pattern: /code <(\d+)>/,
      timeout: "30 seconds"
    })
    const [before, after] = ["before", "after"].map((name) => readFileSync(join(home, name), "utf8"))
    assert.strictEqual(after, before)
    assert.isFalse((yield* terminals.capture(terminal)).alternate)
    assert.strictEqual(yield* raw.restore(terminal), "")
    return [Number(code), screen.rows.findLast((row) => row.startsWith("paneway: ")) ?? ""] as const
  })
  const type = (terminal: PaneHandle, bytes: string | Uint8Array) =>
    raw.write(terminal, typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes)
  const liveness = (pane: string) => Effect.map(run(["probe", pane]), ({ stdout }) => stdout.toString().split(/\s+/)[1])
  const host = Effect.map(run(["host", "status", "--json"]), ({ stdout }): number => JSON.parse(stdout.toString()).pid)
  return { alike, attach, ended, env, home, host, inner, liveness, outer, run, spawn, terminals, type }
})

const layer = Pty.layer({ shell: "/bin/sh" })
const live = <E>(name: string, body: Effect.Effect<void, E, TerminalRuntime | Scope.Scope>) =>
  it.live(name, () => Effect.scoped(Effect.provide(body, layer)), 90_000)

/** Numbers of the processes that show the pane. */
const attached = (pane: string) => running("attach").filter((pid) => running(pane).includes(pid))

/** The most that a process has used, in kilobytes. */
const memory = (pid: number): number => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1])

/** What a process has read so far, in kilobytes. */
const taken = (pid: number): number =>
  Number(/rchar:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1]) / 1024

/** A program that switches on what a terminal can be left with. */
const modes =
  "printf '\\033[?1049h\\033[?1h\\033=\\033[?2004h\\033[?1003h\\033[?1006h\\033[?1004h\\033[>1u\\033[>4;1m" +
  "\\033[2;5r\\033[5 q\\033[4h\\033[?25l\\033[31mfull'; exec cat"

describe.concurrent("an attached terminal", () => {
  live(
    "shows vim as it is, brings it keys, and follows its own size",
    Effect.gen(function*() {
      const { alike, attach, ended, home, inner, spawn, terminals, type } = yield* desk
      const pane = yield* spawn("sh", "-c", "echo shell; vim -u NONE -N file; exec cat")
      const terminal = yield* attach(pane)
      yield* alike(pane, terminal, "~")
      yield* terminals.sendKeys(terminal, ["i"])
      yield* terminals.sendText(terminal, "first line é漢")
      yield* alike(pane, terminal, "first line")
      yield* terminals.resize(terminal, { columns: 60, rows: 15 })
      yield* alike(pane, terminal, "first line")
      yield* until(() => existsSync(join(home, ".file.swp")))
      assert.strictEqual((yield* inner(pane)).split("\n").length, 15)
      yield* terminals.sendKeys(terminal, ["Escape"])
      yield* type(terminal, ":set hls\r/li\r")
      yield* alike(pane, terminal, "\u001b")
      yield* terminals.resize(terminal, { columns: 100, rows: 40 })
      yield* alike(pane, terminal, "first")
      yield* terminals.sendKeys(terminal, [":", "w", "q", "Enter"])
      yield* until(() => existsSync(join(home, "file")))
      yield* alike(pane, terminal, "shell")

      assert.strictEqual(readFileSync(join(home, "file"), "utf8"), "first line é漢\n")
      yield* terminals.sendKeys(terminal, ["C-d"])
      assert.deepInclude(yield* ended(terminal), 4)
    })
  )

  live(
    "is left as it was by the key that detaches, and the pane lives on",
    Effect.gen(function*() {
      const { alike, attach, ended, inner, liveness, spawn, type } = yield* desk
      const pane = yield* spawn("sh", "-c", modes)
      const before = yield* inner(pane)
      const terminal = yield* attach(pane)
      yield* alike(pane, terminal, "full")
      yield* type(terminal, "kept\x1b[92;5u")

      const [code, word] = yield* ended(terminal)
      assert.deepStrictEqual([code, word], [0, `paneway: detached from ${pane}, which lives on`])
      assert.strictEqual(yield* liveness(pane), "live")
      const again = yield* attach(pane)
      yield* alike(pane, again, "kept")
      assert.include(before, "full")
    })
  )

  live(
    "brings every byte as it is where no key detaches",
    Effect.gen(function*() {
      const { alike, attach, home, liveness, spawn, type } = yield* desk
      const bytes = Buffer.concat([
        Buffer.from(Array.from({ length: 512 }, (_, n) => n & 255)),
        Buffer.from("é漢👩\u001b[200~ä\u001b[201~\u001b[<0;1;1M\u001b[1;5A")
      ])
      const pane = yield* spawn(
        "sh",
        "-c",
        `stty raw -echo; echo ready; head -c ${bytes.length} >typed; echo done; cat`
      )
      const terminal = yield* attach(pane, "--detach-key none")
      yield* alike(pane, terminal, "ready")
      for (let at = 0; at < bytes.length; at += 7) yield* type(terminal, bytes.subarray(at, at + 7))
      yield* alike(pane, terminal, "done")

      assert.strictEqual(readFileSync(join(home, "typed")).toString("hex"), bytes.toString("hex"))
      assert.strictEqual(yield* liveness(pane), "live")
    })
  )

  live(
    "shows the same as the pane after ten megabytes, and so does a second one",
    Effect.gen(function*() {
      const { alike, attach, spawn, type } = yield* desk
      const flood =
        "i=0; while [ $i -lt 70000 ]; do printf '\\033[3%dm%08d %0130d\\033[m\\n' $((i % 8)) $i 7; i=$((i + 1)); done"
      const pane = yield* spawn("sh", "-c", `echo ready; read -r go; ${flood}; echo end; exec cat`)
      const [one, two] = [yield* attach(pane), yield* attach(pane)]
      yield* alike(pane, one, "ready")
      yield* alike(pane, two, "ready")
      yield* type(one, "go\r")
      yield* alike(pane, one, "end")
      yield* alike(pane, two, "end")
      yield* type(two, "from the second\r")
      yield* alike(pane, one, "from the second")
      yield* alike(pane, two, "from the second")
    })
  )

  live(
    "of another size shows what it has room for until something is typed there",
    Effect.gen(function*() {
      const { alike, attach, inner, spawn, terminals, type } = yield* desk
      const pane = yield* spawn("sh", "-c", "seq 1 100; exec cat")
      const small = yield* attach(pane, "", { columns: 40, rows: 10 })
      yield* alike(pane, small, "100")
      const large = yield* attach(pane)
      yield* alike(pane, large, "100")
      assert.strictEqual((yield* inner(pane)).split("\n").length, 23)
      yield* terminals.waitOutput(small, { pattern: /^92$/, timeout: "30 seconds" })
      yield* type(small, "x")
      yield* alike(pane, small, "x")
      assert.strictEqual((yield* inner(pane)).split("\n").length, 10)
    })
  )

  live(
    "does not answer what the pane has answered",
    Effect.gen(function*() {
      const { alike, attach, home, spawn, type } = yield* desk
      const ask =
        "stty raw -echo min 0 time 10; printf 'a\\033[c\\033[6n\\033]11;?\\033\\\\b'; cat >answers; echo done; stty sane; exec cat"
      const pane = yield* spawn("sh", "-c", `echo ready; read -r go; ${ask}`)
      const terminal = yield* attach(pane)
      yield* alike(pane, terminal, "ready")
      yield* type(terminal, "go\r")
      yield* alike(pane, terminal, "abdone")
      const answers = readFileSync(join(home, "answers"), "latin1")

      assert.match(answers, /^\x1b\[\?[\d;]*c\x1b\[\d+;\d+R\x1b\]11;rgb:[0-9a-f/]*\x1b\\$/)
    })
  )

  live(
    "that only looks brings nothing, leaves the size, and is left by Ctrl-C",
    Effect.gen(function*() {
      const { attach, ended, home, inner, outer, spawn, terminals, type } = yield* desk
      const pane = yield* spawn("sh", "-c", "stty raw -echo; echo ready; exec cat >typed")
      const terminal = yield* attach(pane, "--read-only", { columns: 50, rows: 12 })
      yield* terminals.waitOutput(terminal, { pattern: "ready", timeout: "30 seconds" })
      const written = yield* Effect.forkScoped(
        Stream.runCollect(Stream.takeUntil(
          terminals.output(terminal),
          (bytes) => Buffer.from(bytes).includes("code <")
        ))
      )
      yield* type(terminal, "nothing of this")
      assert.strictEqual(yield* outer(terminal), yield* inner(pane))
      yield* type(terminal, "\x03")

      assert.strictEqual((yield* ended(terminal))[0], 0)
      assert.strictEqual(readFileSync(join(home, "typed"), "utf8"), "")
      assert.isFalse(Buffer.concat(yield* Fiber.join(written)).includes(0x07))
    })
  )
})

describe.concurrent("the terminal is as it was", () => {
  live(
    "after the host was killed",
    Effect.gen(function*() {
      const { alike, attach, ended, host, spawn } = yield* desk
      const pane = yield* spawn("sh", "-c", modes)
      const terminal = yield* attach(pane)
      yield* alike(pane, terminal, "full")
      process.kill(yield* host, "SIGKILL")

      const [code, word] = yield* ended(terminal)
      assert.strictEqual(code, 3)
      assert.include(word, "pty is unavailable")
    })
  )

  live(
    "after the program ended, and after the pane was closed",
    Effect.gen(function*() {
      const { alike, attach, ended, run, spawn, type } = yield* desk
      const pane = yield* spawn("sh", "-c", modes.replace("exec cat", "read -r go; exit 3"))
      const terminal = yield* attach(pane)
      yield* alike(pane, terminal, "full")
      yield* type(terminal, "go\r")
      assert.deepStrictEqual(yield* ended(terminal), [4, `paneway: ${pane} ended with code 3`])
      const other = yield* spawn("sh", "-c", modes)
      const second = yield* attach(other)
      yield* alike(other, second, "full")
      yield* run(["close", other])
      assert.deepStrictEqual(yield* ended(second), [4, `paneway: ${other} was closed`])
    })
  )

  for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"] as const) {
    live(
      `after ${signal}`,
      Effect.gen(function*() {
        const { alike, attach, ended, liveness, spawn } = yield* desk
        const pane = yield* spawn("sh", "-c", modes)
        const terminal = yield* attach(pane)
        yield* alike(pane, terminal, "full")
        for (const pid of attached(pane)) process.kill(pid, signal)

        assert.deepStrictEqual(yield* ended(terminal), [130, ""])
        assert.strictEqual(yield* liveness(pane), "live")
      })
    )
  }
})

describe.concurrent("a process that attached", () => {
  live(
    "and crashes leaves the terminal as it was",
    Effect.gen(function*() {
      const { alike, attach, ended, env, home, spawn } = yield* desk
      writeFileSync(join(home, "crash.mjs"), "process.on('SIGUSR2', () => { throw new Error('crash') })")
      const pane = yield* spawn("sh", "-c", modes)
      const terminal = yield* attach(pane, "", size, {
        ...env,
        NO_COLOR: "1",
        NODE_OPTIONS: `--import ${join(home, "crash.mjs")}`
      })
      yield* alike(pane, terminal, "full")
      for (const pid of attached(pane)) process.kill(pid, "SIGUSR2")

      assert.notStrictEqual((yield* ended(terminal))[0], 130)
    })
  )

  live(
    "and was stopped shows the pane again when it goes on",
    Effect.gen(function*() {
      const { alike, attach, outer, spawn, terminals } = yield* desk
      const pane = yield* spawn("sh", "-c", "echo here; exec cat")
      const terminal = yield* attach(pane)
      yield* alike(pane, terminal, "here")
      for (const pid of attached(pane)) process.kill(pid, "SIGSTOP")
      writeFileSync((yield* terminals.describe(terminal)).tty ?? "", "of another program")
      yield* terminals.waitOutput(terminal, { pattern: "another", timeout: "30 seconds" })
      for (const pid of attached(pane)) process.kill(pid, "SIGCONT")
      yield* alike(pane, terminal, "here")

      assert.notInclude(yield* outer(terminal), "another")
    })
  )

  live(
    "is detached by its key although the program reads nothing of much that was typed before",
    Effect.gen(function*() {
      const { alike, attach, ended, spawn, type } = yield* desk
      const pane = yield* spawn("sh", "-c", "stty raw -echo; printf ready; exec sleep 1000")
      const terminal = yield* attach(pane)
      yield* alike(pane, terminal, "ready")
      const [code] = yield* Effect.timeout(
        Effect.andThen(type(terminal, `${"x".repeat(600_000)}\x1c`), ended(terminal)),
        "30 seconds"
      )
      assert.strictEqual(code, 0)
    })
  )

  live(
    "to a host that hangs is detached by its key all the same",
    Effect.gen(function*() {
      const { alike, attach, ended, host, spawn, type } = yield* desk
      const pane = yield* spawn("sh", "-c", modes)
      const terminal = yield* attach(pane)
      yield* alike(pane, terminal, "full")
      const pid = yield* host
      yield* Effect.acquireRelease(
        Effect.sync(() => process.kill(pid, "SIGSTOP")),
        () => Effect.sync(() => process.kill(pid, "SIGCONT"))
      )
      yield* type(terminal, "lost")
      yield* type(terminal, "\x1c")

      assert.strictEqual((yield* ended(terminal))[0], 0)
    })
  )

  live(
    "and is killed gives the pane back to the other one",
    Effect.gen(function*() {
      const { alike, attach, inner, spawn } = yield* desk
      const pane = yield* spawn("sh", "-c", "seq 1 100; exec cat")
      const small = yield* attach(pane, "", { columns: 40, rows: 10 })
      yield* alike(pane, small, "100")
      const [first] = attached(pane)
      const large = yield* attach(pane)
      yield* alike(pane, large, "100")
      for (const pid of attached(pane)) if (pid !== first) process.kill(pid, "SIGKILL")
      yield* alike(pane, small, "100")

      assert.strictEqual((yield* inner(pane)).split("\n").length, 9)
    })
  )
})

describe.concurrent("a terminal that takes nothing", () => {
  live(
    "holds up neither the program nor others, keeps little, and shows the screen as it is once it is read",
    Effect.gen(function*() {
      const { alike, attach, run, spawn, terminals } = yield* desk
      const pane = yield* spawn("sh", "-c", "echo ready; read -r go; seq 1 3000000; echo end; exec cat")
      const terminal = yield* attach(pane)
      yield* alike(pane, terminal, "ready")
      const [pid = 0] = attached(pane)
      const before = [memory(pid), taken(pid)] as const
      // who reads a terminal's output and stops stops the terminal
      const pull = yield* Stream.toPull(terminals.output(terminal))
      yield* pull
      yield* run(["send", "--pane", pane, "--cmd", "go"])
      const waited = yield* run(["wait", "output", pane, "--regex", "^end$", "--timeout", "30s"])
      assert.strictEqual(waited.code, 0)
      // of more than 20 MB that were printed it has not taken much, or has kept little
      const [used, read] = [memory(pid) - before[0], taken(pid) - before[1]]
      assert.isBelow(Math.min(used, read), 20_000, `${used} kB of memory, ${read} kB read`)
      yield* Effect.forkScoped(Effect.ignore(Effect.forever(pull)))
      yield* alike(pane, terminal, "end")
    })
  )

  live(
    "does not keep the command from ending",
    Effect.gen(function*() {
      const { alike, attach, run, spawn, terminals } = yield* desk
      const pane = yield* spawn("sh", "-c", "echo ready; read -r go; exec yes")
      const terminal = yield* attach(pane)
      yield* alike(pane, terminal, "ready")
      const pull = yield* Stream.toPull(terminals.output(terminal))
      yield* pull
      const seen = { bytes: 0, before: 0, still: 0 }
      yield* Effect.forkScoped(
        Stream.runForEach(terminals.output(terminal), ({ length }) => Effect.sync(() => void (seen.bytes += length)))
      )
      yield* run(["send", "--pane", pane, "--cmd", "go"])
      // the terminal is full, and nothing is written to it any more
      yield* until(() => {
        seen.still = seen.bytes > 400_000 && seen.bytes === seen.before ? seen.still + 1 : 0
        seen.before = seen.bytes
        return seen.still > 50
      })
      const [pid = 0] = attached(pane)
      process.kill(pid, "SIGTERM")
      yield* until(() => attached(pane).length === 0)
    })
  )

  live(
    "because it is gone ends the command, and the pane lives on",
    Effect.gen(function*() {
      const { alike, attach, liveness, spawn, terminals } = yield* desk
      const pane = yield* spawn("sh", "-c", "echo ready; exec cat")
      const terminal = yield* attach(pane)
      yield* alike(pane, terminal, "ready")
      yield* terminals.closePane(terminal)
      yield* until(() => attached(pane).length === 0)

      assert.strictEqual(yield* liveness(pane), "live")
    })
  )
})

describe.concurrent("attaching is refused", () => {
  live(
    "outside a terminal, with words that make no sense, and of what is not there: nothing is written to it",
    Effect.gen(function*() {
      const { attach, ended, run, spawn } = yield* desk
      const pane = yield* spawn("cat")
      const alone = yield* run(["attach", pane])
      assert.deepStrictEqual([alone.code, alone.stdout.toString()], [2, ""])
      assert.include(alone.stderr, "needs a terminal")
      for (const words of ["--detach-key x", "--detach-key Enter", "more"]) {
        assert.strictEqual((yield* ended(yield* attach(pane, words)))[0], 2, words)
      }
      assert.strictEqual((yield* ended(yield* attach("pty:p99~0123456789")))[0], 4)
    })
  )

  live(
    "in the pane that would be shown",
    Effect.gen(function*() {
      const { run, spawn } = yield* desk
      const pane = yield* spawn("sh", "-c", "paneway attach \"$PANEWAY_PANE\"; echo \"code <$?>\"; exec cat")
      const { stdout } = yield* run(["wait", "output", pane, "--regex", "^code <.*>"])
      const shown = yield* run(["capture", pane])

      assert.strictEqual(stdout.toString(), "code <6>\n")
      assert.include(shown.stdout.toString().replaceAll("\n", ""), "the pane would show itself")
    })
  )
})
