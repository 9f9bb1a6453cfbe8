import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { paneway } from "../fixtures/cli.ts"
import { user } from "../fixtures/user.ts"

const hasProgram = (name: string) => spawnSync("sh", ["-c", `command -v ${name}`]).status === 0

/** The arguments of all processes. */
const argvs = () =>
  readdirSync("/proc").filter((pid) => /^\d+$/.test(pid)).map((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8")
    } catch {
      return ""
    }
  }).join("\n")

describe.concurrent("what is passed to a pane of the host", () => {
  it.live("case 161: from the caller's environment is no argument of any process", () =>
    Effect.gen(function*() {
      const { env } = yield* user
      const secret = `secret-${process.pid}-of-the-caller`
      const own = { env: { ...env, API_KEY: secret } }
      const program = ["sh", "-c", "printf '%s\\n' ready ${#API_KEY}; read -r line"]
      const seen = new Set<boolean>()
      yield* Effect.forkScoped(
        Effect.repeat(Effect.sync(() => seen.add(argvs().includes(secret))), Schedule.spaced("20 millis"))
      )
      const pane = (yield* paneway(["spawn", "--", ...program], own)).stdout.toString().trim()
      const found = yield* paneway(["wait", "output", pane, "--match", `${secret.length}`], own)
      const described = yield* paneway(["describe", pane, "--json"], own)
      const listed = yield* paneway(["panes", "--json"], own)

      assert.strictEqual(found.code, 0)
      assert.deepStrictEqual([...seen, argvs().includes(secret)], [false, false])
      assert.notInclude(described.stdout.toString() + listed.stdout.toString(), secret)
    }), 60_000)

  it.live(
    "case 35, case 115: arrives as one text with its blanks and quotes, in every locale",
    () =>
      Effect.gen(function*() {
        const { env } = yield* user
        const text = "two  words; it's \"quoted\" $HOME `id` é字🐈–ﬁ"
        for (const locale of ["C", "POSIX", undefined]) {
          const own = { env: { ...env, LC_ALL: locale, LANG: locale, LC_CTYPE: locale } }
          const shell = "stty -echo; echo ready; while IFS= read -r line; do printf 'got %s\\n' \"$line\"; done"
          const pane = (yield* paneway(["spawn", "--", "sh", "-c", shell], own)).stdout.toString().trim()
          yield* paneway(["wait", "output", pane, "--match", "ready"], own)
          const sent = yield* paneway(["send", "--pane", pane, "--cmd", text, "--quiet"], own)
          const found = yield* paneway(["wait", "output", pane, "--match", "got"], own)
          const shown = yield* paneway(["capture", pane], own)

          assert.deepStrictEqual([sent.code, sent.stderr], [0, ""])
          assert.strictEqual(found.stdout.toString(), `got ${text}\n`)
          assert.strictEqual(shown.stdout.toString(), `ready\ngot ${text}\n`)
        }
      }),
    60_000
  )

  it.live("case 35: stays one argument each, of a command that runs in the shell there", () =>
    Effect.gen(function*() {
      const { env } = yield* user
      const words = [
        "two  words",
        "",
        "it's \"quoted\"",
        "a\\b",
        "a\nb",
        "$HOME `id` $(id)",
        "*",
        "~",
        ";",
        "&&",
        "é字🐈"
      ]
      for (const shell of ["sh", "bash", "zsh", "fish"].filter(hasProgram)) {
        const pane = (yield* paneway(["spawn", "--env", "LC_ALL=C.UTF-8", "--", shell, "-i"], { env }))
          .stdout.toString().trim()
        const program = [process.execPath, "-p", "JSON.stringify(process.argv.slice(1))", "--", ...words]
        const ran = yield* paneway(["run", "--pane", pane, "--timeout", "20s", "--", ...program], { env })

        assert.deepStrictEqual([ran.code, ran.stderr], [0, ""], shell)
        assert.deepStrictEqual(JSON.parse(ran.stdout.toString()), words, shell)
      }
    }), 90_000)
})

describe.concurrent("a session that the caller names", () => {
  it.live(
    "is that of a pane without a place, of windows by name, and not the host's own",
    () =>
      Effect.gen(function*() {
        const { env, home, run } = yield* user
        yield* run(["host", "start"])
        const inOwn = (words: ReadonlyArray<string>) =>
          Effect.map(
            paneway(words, { env: { ...env, PANEWAY_SESSION: "work" }, cwd: home }),
            ({ code, stderr, stdout }) => ({ code, stderr, stdout: stdout.toString().trim() })
          )
        const sessionOf = (pane: string) =>
          Effect.map(run(["describe", pane, "--json"]), ({ stdout }) => JSON.parse(stdout.toString()).session)
        const own = (yield* inOwn(["spawn", "--", "cat"])).stdout
        const given = (yield* inOwn(["spawn", "--session", "other", "--", "cat"])).stdout
        const host = (yield* run(["spawn", "--", "cat"])).stdout.toString().trim()
        yield* inOwn(["ensure", "named"])

        assert.deepStrictEqual([yield* sessionOf(own), yield* sessionOf(given), yield* sessionOf(host)], [
          "work",
          "other",
          "paneway"
        ])
        const waited = ["wait", "lifecycle", "window-exists", "named", "--timeout", "100ms"]
        assert.deepInclude(yield* inOwn(waited), { code: 0, stdout: "present" })
        assert.strictEqual((yield* run(waited)).code, 8)
        assert.deepInclude(yield* inOwn(["focus", "named"]), { code: 0, stderr: "" })
        assert.strictEqual((yield* run(["focus", "named"])).code, 4)
        const refused = yield* inOwn(["spawn", "--session", "other", "--split", own])
        assert.strictEqual(refused.code, 2)
        assert.match(refused.stderr, /^paneway: --session and --split exclude each other[^\n]*$/m)
      }),
    60_000
  )
})

describe.concurrent("the shell of a pane", () => {
  it.live("is that of the config file, whatever SHELL says", () =>
    Effect.gen(function*() {
      const { home, run } = yield* user
      mkdirSync(join(home, ".config", "paneway"), { recursive: true })
      writeFileSync(join(home, "own"), "#!/bin/sh\necho from the config; exec cat\n", { mode: 0o755 })
      writeFileSync(join(home, ".config", "paneway", "config.yml"), `pty:\n  shell: ${home}/own\n`)
      const pane = (yield* run(["spawn"])).stdout.toString().trim()
      const seen = yield* run(["wait", "output", pane, "--match", "from the config", "--timeout", "10s"])

      assert.deepStrictEqual([seen.code, seen.stdout.toString()], [0, "from the config\n"])
    }), 60_000)
})

describe.concurrent("a command to the host", () => {
  it.live(
    "case 148: that closes what is gone succeeds, and fails where nobody can be asked",
    () =>
      Effect.gen(function*() {
        const { run } = yield* user
        const pane = (yield* run(["spawn", "--", "cat"])).stdout.toString().trim()
        const kept = (yield* run(["spawn", "--", "cat"])).stdout.toString().trim()
        const [first, second] = [yield* run(["close", pane]), yield* run(["close", pane])]
        yield* run(["host", "stop", "--force"])
        const alone = yield* run(["close", kept])
        yield* run(["host", "start"])
        const next = yield* run(["close", kept])

        assert.deepStrictEqual([first, second, next].map(({ code, stdout }) => [code, stdout.toString()]), [
          [0, "closed\n"],
          [0, "already-closed\n"],
          [0, "already-closed\n"]
        ])
        assert.deepStrictEqual([alone.code, alone.stdout.toString()], [3, ""])
      }),
    60_000
  )

  it.live(
    "case 118, case 119: refuses limits and patterns that make no sense, by the short way too",
    () =>
      Effect.gen(function*() {
        const { run } = yield* user
        const pane = (yield* run(["spawn", "--", "cat"])).stdout.toString().trim()
        const wait = (...words: ReadonlyArray<string>) =>
          Effect.map(run(["wait", "output", pane, ...words]), ({ code }) => code)
        for (const timeout of ["-1", "-1s", "NaN", "", "soon"]) {
          assert.strictEqual(yield* wait("--match", "x", "--timeout", timeout), 2, timeout)
        }
        for (const pattern of [["--match", ""], ["--regex", ""], ["--regex", "(?:)"]]) {
          assert.strictEqual(yield* wait(...pattern, "--timeout", "5s"), 2, pattern.join(" "))
        }
        const looked = yield* run(["wait", "output", pane, "--match", "x", "--timeout", "0", "--json"])
        assert.strictEqual(looked.code, 8)
        assert.deepInclude(JSON.parse(looked.stderr), { _tag: "WaitTimeout", timeout: 0 })
      }),
    60_000
  )

  it.live(
    "case 197: takes little more than the start of a process, as often as it is given",
    () =>
      Effect.gen(function*() {
        const { run, script } = yield* user
        const pane = (yield* run(["spawn", "--", "sh", "-c", "stty -echo; exec cat"])).stdout.toString().trim()
        /** Seconds of the processor for twenty of them. */
        const twenty = Effect.fnUntraced(function*(command: string) {
          const said = yield* script(`i=0; while [ $i -lt 20 ]; do ${command} || exit; i=$((i + 1)); done; times`)
          const [user = 0, system = 0] = (said.at(-2) ?? "").split(" ").map((time) =>
            Number(/^0m([\d.]+)s$/.exec(time)?.[1])
          )
          return user + system
        })
        const [bare, send] = yield* Effect.all(
          [twenty(`'${process.execPath}' -e 0`), twenty(`paneway send --pane ${pane} --cmd x --quiet`)],
          { concurrency: "unbounded" }
        )

        // all of the program takes more than four times as long
        assert.isBelow(send, 3 * bare, `${bare} s for nothing, ${send} s for a send`)
      }),
    60_000
  )
})

describe.concurrent("run in a pane that is there", () => {
  it.live(
    "gives each word to the command in its shell, prints what it printed and exits with its code",
    () =>
      Effect.gen(function*() {
        const { run } = yield* user
        for (const shell of ["sh", "bash", "fish"]) {
          if (!hasProgram(shell)) continue
          const pane = (yield* run(["spawn", "--", shell])).stdout.toString().trim()
          const odd = ["two words", "it's", "a\\b", "$HOME `id` \"*\"", "", "é字", "-n"]
          const program = ["sh", "-c", "printf '<%s>\\n' \"$@\"; exit 5", "x", ...odd]
          const ran = yield* run(["run", "--pane", pane, "--timeout", "20s", "--", ...program])
          assert.deepStrictEqual(
            [ran.code, ran.stdout.toString(), ran.stderr],
            [5, odd.map((word) => `<${word}>\n`).join(""), ""],
            shell
          )
          const told = yield* run(["run", "--pane", pane, "--timeout", "20s", "--json", "--", "echo", "hi"])
          assert.deepStrictEqual(JSON.parse(told.stdout.toString()), {
            exitCode: 0,
            output: "hi\n",
            truncated: false,
            timedOut: false,
            pane
          })
          assert.strictEqual((yield* run(["run", "--pane", pane, "--", "true"])).code, 0)
        }
        const cat = (yield* run(["spawn", "--", "cat"])).stdout.toString().trim()
        assert.strictEqual((yield* run(["run", "--pane", cat, "--timeout", "5s", "--", "true"])).code, 6)
        const refused = yield* run(["run", "--pane", cat, "--env", "A=b", "--", "true"])
        assert.strictEqual(refused.code, 2)
        assert.match(refused.stderr, /^paneway: --pane and --env exclude each other[^\n]*\n$/)
      }),
    90_000
  )
})
