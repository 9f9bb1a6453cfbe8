import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Keys from "../../src/Keys.ts"
import { until } from "../fixtures/processes.ts"

const installed = spawnSync("sh", ["-c", "tmux -V"]).status === 0

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "paneway-keys-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

/** A server of its own, on a socket of its own, without the user's configuration. */
const server = Effect.fnUntraced(function*(path: string) {
  const tmux = (...args: ReadonlyArray<string>) =>
    spawnSync("sh", ["-c", "exec tmux \"$@\"", "sh", "-S", join(path, "s"), "-f", "/dev/null", ...args], {
      env: { PATH: process.env.PATH, TERM: "xterm-256color", LC_ALL: "C.UTF-8" }
    })
  yield* Effect.addFinalizer(() => Effect.sync(() => tmux("kill-server")))
  return tmux
})

const recorder = (file: string) => `
const { appendFileSync } = require("node:fs")
process.stdin.setRawMode(true)
process.stdin.on("data", (chunk) => appendFileSync(${JSON.stringify(file)}, chunk))
appendFileSync(${JSON.stringify(file)}, "ready|")`

const held = [0, 1, 2, 3, 4, 5, 6, 7].map((bits) => ({
  ctrl: (bits & 4) > 0,
  alt: (bits & 2) > 0,
  shift: (bits & 1) > 0
}))
const keys = [...Keys.Named.literals, ..."azAZ059@[\\]^_?-+;:,./'\"%&`~é漢"].flatMap((base) =>
  held.map((modifiers) => Keys.make(base, base === "CancelMode" ? {} : modifiers))
)

describe("tmux", () => {
  it.live.skipIf(!installed)(
    "knows every name that a key is given for it, and types none as text",
    () =>
      Effect.gen(function*() {
        const path = yield* folder
        const tmux = yield* server(path)
        const file = join(path, "bytes")
        tmux("new-session", "-d", "-x", "80", "-y", "24", process.execPath, "-e", recorder(file))
        yield* until(() => existsSync(file))
        const named = keys.flatMap((key) => Option.toArray(Option.map(Keys.toTmux(key), (name) => ({ key, name }))))
        for (let at = 0; at < named.length; at += 50) {
          const args = named.slice(at, at + 50).flatMap(({ name }) => [
            "send-keys",
            name === ";" ? "\\;" : name,
            ";",
            "send-keys",
            "-l",
            "|",
            ";"
          ])
          assert.strictEqual(tmux(...args.slice(0, -1)).status, 0)
        }
        yield* until(() => readFileSync(file, "utf8").split("|").length === named.length + 2)
        const [, ...sent] = readFileSync(file, "utf8").split("|")

        assert.deepStrictEqual(
          named.filter(({ key, name }, at) =>
            sent[at] === "" || (sent[at] === name && Keys.encode(key, { applicationCursorKeys: false }) !== name)
          ).map(({ name }) => name),
          []
        )
      })
  )
})
