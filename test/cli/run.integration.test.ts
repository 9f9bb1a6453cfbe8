import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Pty from "../../layers/Pty.ts"
import type { PaneHandle } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { bin, type Ended, inTerminal, paneway, started } from "../fixtures/cli.ts"
import { running, seconds, until } from "../fixtures/processes.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "paneway-test-")))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)
const run = (script: string, ...flags: ReadonlyArray<string>) => paneway(["run", ...flags, "--", "sh", "-c", script])
const seen = ({ code, stderr, stdout }: Ended) => [stdout.toString(), code, stderr]

/** The command line as words for a shell in a pane. */
const command = (...args: ReadonlyArray<string>) => [process.execPath, bin, ...args]

describe.concurrent("the command's output is standard output", () => {
  it.live("with the command's exit code and nothing else", () =>
    Effect.gen(function*() {
      const ended = yield* run("echo \"hello from a real terminal\"; exit 3")

      assert.deepStrictEqual(seen(ended), ["hello from a real terminal\n", 3, ""])
    }))

  it.live("byte for byte, also without a last newline, also with control sequences", () =>
    Effect.gen(function*() {
      const path = yield* folder
      const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, n) => (n * n + (n >> 3)) & 0xff))
      writeFileSync(join(path, "bytes"), bytes)
      const ended = yield* paneway(["run", "--root", path, "--", "cat", "bytes"])

      assert.strictEqual(sha(ended.stdout), sha(bytes))
      assert.strictEqual(
        (yield* run("printf '\\033[31mred\\033[m\\r\\n\\r'")).stdout.toString(),
        "\x1b[31mred\x1b[m\r\n\r"
      )
    }))

  it.live("alone, also when a terminal cannot make sense of it", () =>
    Effect.gen(function*() {
      const ended = yield* run("printf 'a\\177b\\033[\\303\\251\\033\\342\\234\\224'; sleep 0.1")

      assert.deepStrictEqual([ended.stdout.toString("latin1"), ended.stderr], [
        "a\x7fb\x1b[\xc3\xa9\x1b\xe2\x9c\x94",
        ""
      ])
    }))

  it.live("from the first byte, each time", () =>
    Effect.gen(function*() {
      const once = Effect.map(paneway(["run", "--", "printf", "x"]), ({ stdout }) => stdout.toString())
      const all = yield* Effect.all(Array.from({ length: 40 }, () => once), { concurrency: 4 })

      assert.deepStrictEqual(new Set(all), new Set(["x"]))
    }), 60_000)

  it.live("ends the command when nobody reads it any more", () =>
    Effect.gen(function*() {
      const n = seconds()
      const { child, ended } = yield* started(["run", "--", "sh", "-c", `sleep ${n} & yes`])
      yield* until(() => running(n).length === 1)
      child.stdout?.destroy()

      assert.strictEqual((yield* ended).code, 141)
      assert.deepStrictEqual(running(n), [])
    }))
})

const sha = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

describe.concurrent("standard input is the command's input", () => {
  it.live("data, then the end of file", () =>
    Effect.gen(function*() {
      const cat = yield* paneway(["run", "--", "cat"], { input: "x" })
      const lines = yield* paneway(["run", "--", "sh", "-c", "test -t 0 && read -r a && read -r b && echo \"$b$a\""], {
        input: "one\ntwo\n"
      })

      assert.deepStrictEqual([seen(cat), seen(lines)], [["x", 0, ""], ["twoone\n", 0, ""]])
    }))

  it.live("an end of file at once when it is empty or closed", () =>
    Effect.gen(function*() {
      const empty = yield* paneway(["run", "--", "cat"])
      const closed = yield* paneway(["run", "--", "cat"], { input: null })

      assert.deepStrictEqual([seen(empty), seen(closed)], [["", 0, ""], ["", 0, ""]])
    }))

  it.live("whole when it is long and binary", () =>
    Effect.gen(function*() {
      const input = Buffer.from(Array.from({ length: 500_000 }, (_, n) => (n * 31 + (n >> 5)) & 0xff))
      const ended = yield* paneway(["run", "--", "sha256sum"], { input })

      assert.strictEqual(ended.stdout.toString(), `${sha(input)}  -\n`)
    }))
})

describe.concurrent("programs that treat their terminal in their own way", () => {
  it.live("may close it and open it again", () =>
    Effect.gen(function*() {
      const ended = yield* run("exec </dev/null >/dev/null 2>&1; sleep 0.3; echo back >/dev/tty; exit 3")

      assert.deepStrictEqual(seen(ended), ["back\n", 3, ""])
    }))

  it.live("may read keys: they get the key for the end of file", () =>
    Effect.gen(function*() {
      const shell = yield* paneway(["run", "--timeout", "10s", "--", "bash", "--norc", "-i"], {
        input: "echo $((6*7))\n"
      })

      assert.include(shell.stdout.toString(), "42\n")
      assert.strictEqual(shell.code, 0)
    }))

  it.live("may be paneway itself", () =>
    Effect.gen(function*() {
      const nested = yield* paneway(["run", "--timeout", "10s", "--", ...command("run", "--", "cat")], {
        input: "a\x04\x16b"
      })

      assert.deepStrictEqual(seen(nested), ["a\x04\x16b", 0, ""])
    }))

  it.live("get variables that no shell could name", () =>
    Effect.gen(function*() {
      const ended = yield* paneway(["run", "--", "env"], { env: { "a.b": "1", "BASH_FUNC_f%%": "() { :; }" } })

      assert.includeMembers(ended.stdout.toString().split("\n"), ["a.b=1", "BASH_FUNC_f%%=() { :; }"])
    }))

  it.live("get as many arguments as the system takes", () =>
    Effect.gen(function*() {
      const words = Array.from({ length: 50_000 }, (_, n) => `${n}`)
      const ended = yield* paneway(["run", "--", "sh", "-c", "echo $#", "sh", ...words])

      assert.strictEqual(ended.stdout.toString(), "50000\n")
    }))
})

describe.concurrent("exit codes", () => {
  it.live("tell how the command ended, and why it could not begin", () =>
    Effect.gen(function*() {
      const path = yield* folder
      writeFileSync(join(path, "plain"), "")
      const codes = yield* Effect.forEach([
        ["run", "--", "true"],
        ["run", "--", "sh", "-c", "exit 255"],
        ["run", "--", "sh", "-c", "kill -TERM $$"],
        ["run", "--", "sh", "-c", "kill -SEGV $$"],
        ["run", "--", "no-such-program"],
        ["run", "--", join(path, "plain")],
        ["run", "--root", join(path, "missing"), "--", "true"],
        ["run", "--timeout", "200ms", "--", "sleep", "5"]
      ], (args) =>
        Effect.map(paneway(args), ({ code }) => code), { concurrency: 2 })

      assert.deepStrictEqual(codes, [0, 255, 143, 139, 127, 126, 9, 8])
    }))

  it.live("are 2 for arguments that make no sense, told in one line", () =>
    Effect.gen(function*() {
      const wrong = [
        ["run"],
        ["run", "--"],
        ["run", "ls"],
        ["run", "ls", "--", "-l"],
        ["run", "--timeout", "soon", "--", "true"],
        ["run", "--timeout", "-1", "--", "true"],
        ["run", "--size", "0x0", "--", "true"],
        ["run", "--size", "80", "--", "true"],
        ["run", "--env", "=x", "--", "true"],
        ["run", "--nonsense", "--", "true"],
        ["nonsense"]
      ]
      for (const args of wrong) {
        const { code, stderr, stdout } = yield* paneway(args)

        assert.deepStrictEqual([args, code, stdout.toString()], [args, 2, ""])
        assert.match(stderr, /^paneway: [^\n]+\n$/)
      }
    }), 60_000)

  it.live("are 3 for a runtime that was named and does not exist", () =>
    Effect.gen(function*() {
      const path = yield* folder
      writeFileSync(join(path, "config.yml"), "runtime: from-config\n")
      const flag = yield* paneway(["run", "--runtime", "from-flag", "--", "true"])
      const variable = yield* paneway(["run", "--", "true"], { env: { PANEWAY_RUNTIME: "from-variable" } })
      const detected = yield* paneway(["run", "--", "echo", "in the pty"], {
        env: { TMUX: "/tmp/none,1,0", TMUX_PANE: "%1" }
      })

      assert.deepStrictEqual([flag.code, variable.code], [3, 3])
      assert.match(flag.stderr, /from-flag.*pty/)
      assert.match(variable.stderr, /from-variable/)
      assert.deepStrictEqual(seen(detected), ["in the pty\n", 0, ""])
    }))
})

describe.concurrent("flags of run", () => {
  it.live("set directory, environment and size", () =>
    Effect.gen(function*() {
      const path = yield* folder
      const ended = yield* run(
        "pwd; echo \"$A|$B\"; stty size",
        "--root",
        path,
        "--env",
        "A=1=2",
        "--env",
        "B=",
        "--size",
        "90x31"
      )

      assert.deepStrictEqual(seen(ended), [`${path}\n1=2|\n31 90\n`, 0, ""])
    }))

  it.live("leave everything after -- to the command", () =>
    Effect.gen(function*() {
      const ended = yield* paneway(["run", "--", "echo", "--help", "--json", "--", "-n"])

      assert.deepStrictEqual(seen(ended), ["--help --json -- -n\n", 0, ""])
    }))

  it.live("--json prints one object instead of the output", () =>
    Effect.gen(function*() {
      const plain = yield* run("printf 'a\\nb'; exit 4", "--json")
      const killed = yield* run("kill -9 $$", "--json")
      const late = yield* run("echo early; sleep 5", "--json", "--timeout", "0.5")

      assert.deepStrictEqual([JSON.parse(plain.stdout.toString()), plain.code, plain.stderr], [
        { exitCode: 4, output: "a\nb", truncated: false, timedOut: false },
        4,
        ""
      ])
      assert.deepStrictEqual([JSON.parse(killed.stdout.toString()), killed.code], [
        { exitCode: 137, signal: "SIGKILL", output: "", truncated: false, timedOut: false },
        137
      ])
      assert.deepStrictEqual([JSON.parse(late.stdout.toString()), late.code], [
        { exitCode: 8, output: "early\n", truncated: false, timedOut: true },
        8
      ])
    }))

  it.live("--json prints errors as one object on standard error", () =>
    Effect.gen(function*() {
      const missing = yield* paneway(["run", "--json", "--", "no-such-program"])
      const usage = yield* paneway(["run", "--json", "--size", "x", "--", "true"])

      assert.deepInclude(JSON.parse(missing.stderr), {
        _tag: "SpawnFailed",
        reason: "missing-program",
        created: "nothing",
        retryable: false,
        exitCode: 127
      })
      assert.deepInclude(JSON.parse(usage.stderr), { _tag: "UsageError", retryable: false, exitCode: 2 })
      assert.deepStrictEqual([missing.code, usage.code, missing.stdout.length + usage.stdout.length], [127, 2, 0])
    }))
})

describe.concurrent("an interruption leaves no process behind", () => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1"] as const) {
    it.live(signal, () =>
      Effect.gen(function*() {
        const n = seconds()
        const script =
          `setsid env -i sleep ${n} & nohup sleep ${n} >/dev/null 2>&1 & (trap '' HUP TERM INT; sleep ${n}) & sleep ${n}`
        const { child, ended } = yield* started(["run", "--", "sh", "-c", script])
        yield* until(() => running(n).length >= 4)
        child.kill(signal)

        assert.strictEqual((yield* ended).code, 130)
        assert.deepStrictEqual(running(n), [])
      }))
  }

  it.live("also where a terminal shows the output and is not read", () =>
    Effect.gen(function*() {
      const n = seconds()
      const code = [
        "import os, pty, subprocess, sys, time",
        "master, slave = pty.openpty()",
        "p = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=slave)",
        "os.read(master, 1)", // it has started; then the terminal fills up
        "time.sleep(1)",
        "p.terminate()",
        "print(p.wait(30))"
      ].join("\n")
      const child = yield* Effect.acquireRelease(
        Effect.sync(() => spawn("python3", ["-c", code, ...command("run", "--", "sh", "-c", `sleep ${n} & yes`)])),
        (child) => Effect.sync(() => child.kill("SIGKILL"))
      )
      const said = yield* Effect.callback<string>((resume) => {
        const chunks: Array<Buffer> = []
        child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk))
        child.stdout.on("end", () => resume(Effect.succeed(Buffer.concat(chunks).toString())))
      })

      assert.strictEqual(said, "130\n")
      assert.deepStrictEqual(running(n), [])
    }))

  it.live("also while nobody reads the output", () =>
    Effect.gen(function*() {
      const n = seconds()
      const { child, ended } = yield* started(["run", "--", "sh", "-c", `sleep ${n} & yes`])
      child.stdout?.pause()
      yield* until(() => running(n).length === 1)
      child.kill("SIGTERM")
      child.stdout?.resume()

      assert.strictEqual((yield* ended).code, 130)
      assert.deepStrictEqual(running(n), [])
    }))
})

describe.concurrent("in a terminal", () => {
  const layer = Pty.layer()
  const ended = (pane: PaneHandle) =>
    TerminalRuntime.use((rt) => rt.waitLifecycle({ condition: "pane-exited", target: pane, timeout: "10 seconds" }))

  it.live("bytes pass untouched and the exit code is the command's", () =>
    Effect.gen(function*() {
      const rt = yield* TerminalRuntime
      const { handle } = yield* inTerminal(["run", "--", "sh", "-c", "printf 'a\\nb\\r\\n\\033[31mred\\033[m'; exit 5"])
      const observed = yield* ended(handle)
      const raw = Buffer.concat(yield* Stream.runCollect(rt.output(handle))).toString("latin1")

      assert.deepStrictEqual((yield* rt.describe(handle)).exit, { code: 5 })
      assert.strictEqual(observed.observed, "exited")
      assert.strictEqual(raw, "a\r\nb\r\r\n\x1b[31mred\x1b[m")
    }).pipe(Effect.provide(layer)))

  it.live("keys reach the command as they are pressed, Ctrl-C as its interrupt", () =>
    Effect.gen(function*() {
      const rt = yield* TerminalRuntime
      const { handle } = yield* inTerminal([
        "run",
        "--",
        "sh",
        "-c",
        "trap 'echo caught; exit 9' INT; echo ready; read -r a; echo \"<$a>\"; while :; do sleep 0.05; done"
      ])
      yield* rt.waitOutput(handle, { pattern: "ready", timeout: "10 seconds" })
      yield* rt.sendCommand(handle, "word")
      yield* rt.waitOutput(handle, { pattern: "<word>", timeout: "10 seconds" })
      yield* rt.sendKeys(handle, ["C-c"])
      yield* ended(handle)

      assert.deepStrictEqual((yield* rt.describe(handle)).exit, { code: 9 })
    }).pipe(Effect.provide(layer)))

  it.live("Ctrl-C interrupts also when standard input is a pipe", () =>
    Effect.gen(function*() {
      const rt = yield* TerminalRuntime
      const n = seconds()
      const script = "printf 'y\\n' | \"$@\"; echo \"code $?\"; sleep 60"
      const inner = command("run", "--", "sh", "-c", `echo ready; sleep ${n}`)
      const { handle } = yield* rt.spawn({ program: { argv: ["bash", "--norc", "-c", script, "bash", ...inner] } })
      yield* rt.waitOutput(handle, { pattern: /^ready$/, timeout: "10 seconds" })
      yield* rt.sendKeys(handle, ["C-c"])
      yield* rt.waitOutput(handle, { pattern: /^code 130$/, timeout: "10 seconds" })

      assert.deepStrictEqual(running(n), [])
    }).pipe(Effect.provide(layer)))

  it.live("Ctrl-Z suspends paneway with a program that stops itself, and fg continues both", () =>
    Effect.gen(function*() {
      const rt = yield* TerminalRuntime
      const script = "trap 'stty sane; kill -STOP $$; echo continued' TSTP; echo ready; while :; do sleep 0.05; done"
      const { handle } = yield* rt.spawn({ program: { argv: ["bash", "--norc", "-i"] }, env: { PS1: "prompt> " } })
      yield* rt.waitOutput(handle, { pattern: "prompt>", timeout: "10 seconds" })
      const line = [...command("run", "--", "sh", "-c", script)].map((word) => `'${word.replaceAll("'", "'\\''")}'`)
        .join(" ")
      const sent = yield* rt.sendCommand(handle, line)
      yield* rt.waitOutput(handle, { pattern: /^ready$/, after: sent.mark, timeout: "10 seconds" })
      yield* rt.sendKeys(handle, ["C-z"])
      yield* rt.waitOutput(handle, { pattern: /Stopped/, timeout: "10 seconds" })
      const back = yield* rt.sendCommand(handle, "fg")
      yield* rt.waitOutput(handle, { pattern: "continued", after: back.mark, timeout: "10 seconds" })
      yield* rt.sendKeys(handle, ["C-c"])
      yield* until(() => running(script).length === 0)
    }).pipe(Effect.provide(layer)))

  it.live("the size is the terminal's, and so is each new one", () =>
    Effect.gen(function*() {
      const rt = yield* TerminalRuntime
      const script = "trap 'stty size' WINCH; stty size; while :; do sleep 0.02; done"
      const { handle } = yield* inTerminal(["run", "--", "sh", "-c", script], { columns: 97, rows: 21 })
      yield* rt.waitOutput(handle, { pattern: "21 97", timeout: "10 seconds" })
      yield* rt.resize(handle, { columns: 71, rows: 19 })
      yield* rt.waitOutput(handle, { pattern: "19 71", timeout: "10 seconds" })
    }).pipe(Effect.provide(layer)))

  it.live("vim is usable and leaves the screen as it was", () =>
    Effect.gen(function*() {
      const rt = yield* TerminalRuntime
      const path = yield* folder
      const file = join(path, "note.txt")
      const { handle } = yield* inTerminal(["run", "--", "vim", "-u", "NONE", "-N", file])
      yield* rt.waitOutput(handle, { pattern: "note.txt", timeout: "10 seconds" })
      const inside = yield* rt.capture(handle)
      yield* rt.sendKeys(handle, ["i"])
      yield* rt.sendText(handle, "written in vim")
      yield* rt.sendKeys(handle, ["Escape"])
      yield* rt.sendCommand(handle, ":wq")
      yield* ended(handle)
      const after = yield* rt.capture(handle)

      assert.deepStrictEqual([inside.alternate, after.alternate], [true, false])
      assert.strictEqual(readFileSync(file, "utf8"), "written in vim\n")
      assert.deepStrictEqual((yield* rt.describe(handle)).exit, { code: 0 })
    }).pipe(Effect.provide(layer)))

  it.live("the terminal is itself again when the command was killed in the middle", () =>
    Effect.gen(function*() {
      const rt = yield* TerminalRuntime
      const n = seconds()
      const left = ["[?1049h", "[?25l", "[?2004h", "[>1u", "[>4;2m", "[5;10r", "[31m", "(0", "[5 q", "[?5h", "[?1006h"]
      const inner = `printf '${left.map((code) => `\\033${code}`).join("")}'; printf '\\033(BFULL'; sleep ${n}`
      const shell = yield* rt.spawn({
        program: {
          argv: [
            "sh",
            "-c",
            "stty -g; \"$@\"; stty -g; sleep 60",
            "sh",
            process.execPath,
            bin,
            "run",
            "--",
            "sh",
            "-c",
            inner
          ]
        }
      })
      yield* rt.waitOutput(shell.handle, { pattern: "FULL", timeout: "10 seconds" })
      const [own] = running(inner).filter((pid) => running(bin).includes(pid)).toSorted((a, b) => b - a)
      process.kill(own ?? 0, "SIGTERM")
      const settings = /[0-9a-f:]{20,}/
      const screen = yield* rt.capture(shell.handle).pipe(
        Effect.repeat({
          until: ({ rows }) => rows.filter((row) => settings.test(row)).length === 2,
          schedule: Schedule.spaced("20 millis")
        }),
        Effect.timeout("30 seconds")
      )
      const [before, after] = screen.rows.filter((row) => settings.test(row))

      assert.strictEqual(after, before)
      assert.isFalse(screen.alternate)
      assert.deepStrictEqual(running(n), [])
    }).pipe(Effect.provide(layer)))
})

describe.concurrent("about itself", () => {
  it.live("alone, it shows its help", () =>
    Effect.gen(function*() {
      const alone = yield* paneway([])
      const help = yield* paneway(["--help"])

      assert.deepStrictEqual(seen(alone), seen(help))
    }))

  it.live("a mistyped word is named in one line, with what was meant", () =>
    Effect.gen(function*() {
      const flag = yield* paneway(["run", "--timout", "1", "--", "true"])
      const name = yield* paneway(["rnu"])
      const dashes = yield* paneway(["run", "ls", "-l"])

      assert.deepStrictEqual([flag.stderr, name.stderr, dashes.stderr], [
        "paneway: unknown flag --timout, did you mean --timeout? (see paneway run --help)\n",
        "paneway: unknown command rnu, did you mean run? (see paneway --help)\n",
        "paneway: unknown flag -l (put the command after --, as in: paneway run -- ls -l)\n"
      ])
    }))

  it.live("--version, --help and completions are on standard output", () =>
    Effect.gen(function*() {
      const { version }: { version: string } = JSON.parse(readFileSync("package.json", "utf8"))
      const told = yield* paneway(["--version"])
      const help = yield* paneway(["--help"])
      const runHelp = yield* paneway(["run", "--help"])
      const completions = yield* Effect.forEach(["bash", "zsh", "fish"], (shell) => paneway(["--completions", shell]))

      assert.deepStrictEqual(seen(told), [`paneway ${version}\n`, 0, ""])
      assert.match(help.stdout.toString(), /run\s+Run a command/)
      for (const word of ["--timeout", "--env", "--size", "--root", "--json", "--runtime", "-- npm test", "130"]) {
        assert.include(runHelp.stdout.toString(), word)
      }
      assert.deepStrictEqual(
        [help, runHelp, ...completions].map(({ code, stderr }) => [code, stderr]),
        Array.from({ length: 5 }, () => [0, ""])
      )
      for (const { stdout } of completions) assert.include(stdout.toString(), "paneway")
    }))
})
