import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Pty from "../../layers/Pty.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { paneway } from "../fixtures/cli.ts"
import { user } from "../fixtures/user.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "paneway-test-")))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)
const sha = (data: Uint8Array | string) => createHash("sha256").update(data).digest("hex")

describe("what is passed to a command", () => {
  it.live("case 11: may be longer than an argument, through a file or a pipe", () =>
    Effect.gen(function*() {
      const path = yield* folder
      const prompt = "a prompt; ".repeat(20_480)
      writeFileSync(join(path, "prompt"), prompt)
      const piped = yield* paneway(["run", "--", "sha256sum"], { input: prompt })
      const file = yield* paneway(["run", "--root", path, "--", "sha256sum", "prompt"])

      assert.strictEqual(piped.stdout.toString(), `${sha(prompt)}  -\n`)
      assert.strictEqual(file.stdout.toString(), `${sha(prompt)}  prompt\n`)
    }))

  it.live("case 11: is refused with advice where it is an argument", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const argv = ["printf", "%s", "x".repeat(204_800)] as const
      const error = yield* Effect.flip(runtime.spawn({ program: { argv } }))

      assert.deepInclude(error, { _tag: "SpawnFailed", reason: "no-space", created: "nothing" })
      assert.match(error.message, /argument 2 is longer than 131071 bytes: pass it through a file/)
      assert.notInclude(error.message, "xxxx")
    }).pipe(Effect.provide(Pty.layer())))

  it.live("case 35: stays one argument with its blanks, quotes and newlines", () =>
    Effect.gen(function*() {
      const words = [
        "two words",
        "",
        " ",
        "it's \"quoted\"",
        "a\nb",
        "$HOME `id` $(id)",
        "*",
        "~",
        ";",
        "&&",
        "-n",
        "é字🐈"
      ]
      const { code, stdout } = yield* paneway([
        "run",
        "--",
        process.execPath,
        "-p",
        "JSON.stringify(process.argv.slice(1))",
        ...words
      ])

      assert.deepStrictEqual([JSON.parse(stdout.toString()), code], [words, 0])
    }))

  it.live("case 115: and what it prints is the same in every locale", () =>
    Effect.gen(function*() {
      const text = "é字🐈–ﬁ"
      for (const locale of ["C", "POSIX", undefined]) {
        const env = { LC_ALL: locale, LANG: locale, LC_CTYPE: locale }
        const argument = yield* paneway(["run", "--", "printf", "%s", text], { env })
        const piped = yield* paneway(["run", "--json", "--", "cat"], { env, input: text })

        assert.strictEqual(argument.stdout.toString(), text)
        assert.deepInclude(JSON.parse(piped.stdout.toString()), { output: text })
      }
    }))

  it.live("case 157: leaves no file behind, however the command ends", () =>
    Effect.gen(function*() {
      const path = yield* folder
      const env = {
        HOME: path,
        TMPDIR: path,
        XDG_RUNTIME_DIR: path,
        XDG_STATE_HOME: path,
        XDG_CACHE_HOME: yield* folder,
        XDG_CONFIG_HOME: path
      }
      for (
        const args of [
          ["--", "true"],
          ["--json", "--", "sh", "-c", "kill -9 $$"],
          ["--timeout", "100ms", "--", "sleep", "5"],
          ["--", "no-such-program"]
        ]
      ) {
        yield* paneway(["run", ...args], { env, input: "some input\n" })

        assert.deepStrictEqual(readdirSync(path), [])
      }
    }))
})

describe("an argument that is not UTF-8", () => {
  it.live(
    "is refused, since it would be typed or named as something else, and U+FFFD itself is not",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const { run, script } = yield* user
        const pane = (yield* run(["spawn", "--", "sh", "-c", "stty raw -echo; exec cat"])).stdout.toString().trim()
        const words = [
          `send --pane ${pane} --cmd`,
          `send --pane ${pane} --msg`,
          `type ${pane}`,
          "ensure w --root",
          "spawn --title",
          "run --"
        ]
        for (const some of words) {
          const said = yield* script(`paneway ${some} "$(printf 'a\\377b')"`)
          assert.match(said.join("\n"), /^paneway: an argument is not UTF-8: .*\n2$/, some)
        }
        const sent = yield* run(["type", pane, "whole \ufffd"])
        assert.strictEqual(sent.code, 0, sent.stderr)
        const seen = yield* run(["wait", "output", pane, "--match", "\ufffd", "--timeout", "5s"])
        assert.strictEqual(seen.stdout.toString(), "whole \ufffd\n")
      })),
    30_000
  )
})
