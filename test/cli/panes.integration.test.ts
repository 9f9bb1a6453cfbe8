import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { started } from "../fixtures/cli.ts"
import { user } from "../fixtures/user.ts"

describe.concurrent("a script of a new user", () => {
  it.live("prepares a pane, sends, waits for the answer, captures and closes", () =>
    Effect.gen(function*() {
      const { home, script } = yield* user
      const said = yield* script(`
        set -e
        paneway ensure build > window
        pane=$(paneway prepare "$(cat window)")
        mark=$(paneway send --pane "$pane" --cmd 'expr 6 "*" 7' --json | sed 's/.*"mark":"\\([^"]*\\)".*/\\1/')
        paneway wait output "$pane" --regex '^\\d+$' --after "$mark" --timeout 10s
        paneway capture "$pane" | grep -c '^42$'
        paneway windows | grep -c " build "
        paneway close "$pane"
        paneway close "$pane"
        paneway close "$(cat window)"
        paneway wait output "$pane" --match x
      `)
      assert.deepStrictEqual(said.slice(0, 6), ["42", "1", "1", "closed", "already-closed", "already-closed"])
      assert.match(said[6] ?? "", /^paneway: no such target pty:/)
      assert.deepStrictEqual(said.slice(7), ["4"], home)
    }), 60_000)

  it.live("shares panes with another shell, in which the handle means the same", () =>
    Effect.gen(function*() {
      const { script } = yield* user
      const [pane = ""] = yield* script("paneway spawn --window shared -- cat")
      const one = script(`paneway wait output ${pane} --match 'from the other' --timeout 20s`)
      const other = script(
        `paneway send --pane ${pane} --msg 'from the other' --key Enter --quiet; paneway panes | grep -c '^${pane} '`,
        { PANEWAY_RUNTIME: "tmux", TMUX: "/tmp/x,1,0" }
      )
      const [seen, sent] = yield* Effect.all([one, other], { concurrency: 2 })
      assert.deepStrictEqual(seen, ["from the other", "0"])
      assert.strictEqual(sent.at(-1), "1") // the variable names another runtime for what has no handle
    }), 60_000)
})

describe.concurrent("many processes", () => {
  it.live("case 31: send a hundred lines to one pane, each whole and once", () =>
    Effect.gen(function*() {
      const { run } = yield* user
      // an echo could come between the lines that cat prints
      const program = ["sh", "-c", "stty -echo; echo ready; exec cat"]
      const pane = (yield* run(["spawn", "--", ...program])).stdout.toString().trim()
      yield* run(["wait", "output", pane, "--match", "ready"])
      const lines = Array.from({ length: 100 }, (_, at) => `line ${at} ${"x".repeat(at)} end`)
      const codes = yield* Effect.forEach(
        lines,
        (line) => Effect.map(run(["send", "--pane", pane, "--cmd", line, "--quiet"]), ({ code }) => code),
        { concurrency: 20 }
      )
      assert.deepStrictEqual([...new Set(codes)], [0])
      yield* run(["send", "--pane", pane, "--cmd", "last", "--quiet"])
      assert.strictEqual((yield* run(["wait", "output", pane, "--match", "last"])).code, 0)
      const shown = (yield* run(["capture", pane, "--full"])).stdout.toString().trimEnd().split("\n")
      assert.deepStrictEqual(shown.toSorted(), ["ready", "last", ...lines].toSorted())
    }), 120_000)
})

describe.concurrent("long text", () => {
  it.live(
    "case 11: reaches the program byte for byte, from a file and from standard input",
    () =>
      Effect.gen(function*() {
        const { home, run } = yield* user
        const text = "äöü 0123456789 ".repeat(15_000)
        writeFileSync(join(home, "long.txt"), text)
        const bytes = Buffer.byteLength(text)
        const sum = createHash("md5").update(text).digest("hex")
        for (const [file, input] of [["long.txt", undefined], ["-", text]] as const) {
          const program = `stty raw -echo; printf 'go\\r\\n'; head -c ${bytes} | md5sum; exec cat`
          const pane = (yield* run(["spawn", "--", "sh", "-c", program])).stdout.toString().trim()
          assert.strictEqual((yield* run(["wait", "output", pane, "--match", "go"])).code, 0)
          const sent = yield* run(["send", "--pane", pane, "--file", file, "--quiet"], input)
          assert.deepStrictEqual([sent.code, sent.stderr], [0, ""])
          const seen = yield* run(["wait", "output", pane, "--regex", "[0-9a-f]{32}", "--timeout", "20s"])
          assert.strictEqual(seen.stdout.toString().slice(0, 32), sum)
        }
      }),
    60_000
  )
})

describe.concurrent("a pane of the host", () => {
  it.live(
    "case 158, case 160: has the environment of the process that opened it, not that of the one which started the host",
    () =>
      Effect.gen(function*() {
        const { script } = yield* user
        const show = "-- sh -c 'echo \"<$FOO|$API_TOKEN|$TMUX|$PANEWAY_SESSION>\"; exec cat'"
        const said = yield* script(`
        pane=$(FOO=first API_TOKEN=one paneway spawn ${show}); paneway wait output "$pane" --regex '<.*>'
        pane=$(paneway spawn ${show}); paneway wait output "$pane" --regex '<.*>'
        pane=$(paneway spawn --clean ${show}); paneway wait output "$pane" --regex '<.*>'
        pane=$(paneway spawn --env API_TOKEN=mine ${show}); paneway wait output "$pane" --regex '<.*>'
        pane=$(FOO=second TMUX=/tmp/x,1,0 paneway spawn --runtime pty ${show}); paneway wait output "$pane" --regex '<.*>'
        pane=$(FOO=third paneway spawn --unset FOO ${show}); paneway wait output "$pane" --regex '<.*>'
        pane=$(FOO=fourth paneway spawn --clean ${show}); paneway wait output "$pane" --regex '<.*>'
        paneway run --keep -- sh -c 'echo "<$FOO|$API_TOKEN|$TMUX|$PANEWAY_SESSION>"' 2>/dev/null
      `)
        assert.deepStrictEqual(said, [
          "<first|one||paneway>",
          "<|||paneway>",
          "<|||paneway>",
          "<|mine||paneway>",
          "<second|||paneway>",
          "<|||paneway>",
          "<|||paneway>",
          "<|||paneway>",
          "0"
        ])
      }),
    60_000
  )

  it.live("is told by run --keep that is interrupted, and lives on", () =>
    Effect.gen(function*() {
      const own = yield* user
      const { child, ended } = yield* started(["run", "--keep", "--", "sh", "-c", "echo up; exec sleep 1000"], own)
      yield* Effect.callback<void>((resume) => {
        child.stdout?.once("data", () => resume(Effect.void))
      })
      child.kill("SIGINT")
      const { code, stderr } = yield* ended
      const [, pane = ""] = /^paneway: the pane is kept: (\S+)\n$/.exec(stderr) ?? []

      assert.strictEqual(code, 130)
      assert.deepInclude(JSON.parse((yield* own.run(["describe", pane, "--json"])).stdout.toString()), { handle: pane })
    }), 60_000)

  it.live(
    "stays after run --keep with its exit and its window, and run gives the command's code",
    () =>
      Effect.gen(function*() {
        const { home, run } = yield* user
        const kept = yield* run(["run", "--keep", "--window", "kept", "--", "sh", "-c", "pwd; exit 3"])
        assert.deepStrictEqual([kept.code, kept.stdout.toString()], [3, `${realpathSync(home)}\n`])
        const [, pane = ""] = /^paneway: the pane is kept: (\S+)\n$/.exec(kept.stderr) ?? []
        const described = JSON.parse((yield* run(["describe", pane, "--json"])).stdout.toString())
        assert.deepInclude(described, { handle: pane, exit: { code: 3 } })
        assert.match((yield* run(["windows"])).stdout.toString(), / kept /)
        assert.strictEqual((yield* run(["capture", pane])).stdout.toString(), `${realpathSync(home)}\n`)

        const json = yield* run(["run", "--keep", "--json", "--", "true"])
        assert.strictEqual(JSON.parse(json.stdout.toString()).pane.slice(0, 4), "pty:")
        const late = yield* run(["run", "--keep", "--window", "late", "--timeout", "10ms", "--", "sleep", "1000"])
        assert.deepStrictEqual(
          [late.code, late.stderr],
          [8, "paneway: the command ran longer than its timeout and was ended\n"]
        )
        const object = yield* run(["run", "--keep", "--json", "--timeout", "10ms", "--", "sleep", "1000"])
        assert.notProperty(JSON.parse(object.stdout.toString()), "pane")
        assert.notInclude((yield* run(["windows"])).stdout.toString(), "late")
        for (const words of [["--window", "w"], ["--session", "s", "--keep"]]) {
          assert.strictEqual((yield* run(["run", ...words, "--", "true"])).code, 2, words.join(" "))
        }
      }),
    60_000
  )

  it.live("is not looked for where no host runs: nothing is started by a question", () =>
    Effect.gen(function*() {
      const { run } = yield* user
      for (const words of [["panes"], ["probe", "p1"], ["capture", "p1"], ["close", "w"]]) {
        const { code, stdout } = yield* run(words)
        assert.oneOf(code, [0, 3, 4], words.join(" "))
        assert.notInclude(stdout.toString(), "live")
      }
      assert.strictEqual((yield* run(["host", "status"])).code, 3)
    }), 60_000)
})

describe.concurrent("a wait of several weeks", () => {
  it.live("ends when the line is there, and warns of nothing", () =>
    Effect.gen(function*() {
      const { script } = yield* user
      const said = yield* script(`
        pane=$(paneway spawn -- cat)
        paneway send --quiet --pane "$pane" --cmd here
        paneway wait output "$pane" --match here --timeout 50000m 2>&1
      `)
      assert.deepStrictEqual(said, ["here", "0"])
    }), 60_000)
})
