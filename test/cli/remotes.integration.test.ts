import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Pty from "../../layers/Pty.ts"
import { paneway } from "../fixtures/cli.ts"
import { serve, socketPath } from "../fixtures/served.ts"
import { user } from "../fixtures/user.ts"

/** A user whose config file names a server under `lab`, and how they run commands. */
const withServer = Effect.fnUntraced(function*(more = "", socket = "host.sock") {
  const { env, home } = yield* user
  const path = join(dirname(yield* socketPath), socket)
  mkdirSync(join(home, ".config", "paneway"), { recursive: true })
  writeFileSync(
    join(home, ".config", "paneway", "config.yml"),
    `remotes: {lab: {url: "unix:${path}"}, far: {url: "https://lab:7000"}}\n${more}`
  )
  const run = (words: ReadonlyArray<string>, own: Readonly<Record<string, string>> = {}) =>
    Effect.map(
      paneway(words, { env: { ...env, ...own }, cwd: home }),
      ({ code, stderr, stdout }) => ({ code, stderr, stdout: stdout.toString() })
    )
  return { path, run }
})

describe("a server that the config file names", () => {
  it.live("is a runtime like any other, and its panes have the caller's environment", () =>
    Effect.gen(function*() {
      const { path, run } = yield* withServer()
      yield* Layer.build(serve(path, Pty.layer()))
      const { stdout } = yield* run(
        ["spawn", "--runtime", "lab", "--", "sh", "-c", "echo \"it is $MINE\"; exec cat"],
        { MINE: "here" }
      )
      const pane = stdout.trim()
      const found = yield* run(["wait", "output", pane, "--runtime", "lab", "--match", "it is here"])
      const sent = yield* run(["send", "--runtime", "lab", "--pane", "p1", "--cmd", "hello", "--quiet"])
      const shown = yield* run(["capture", pane], { PANEWAY_RUNTIME: "lab" })
      const listed = yield* run(["panes", "--runtime", "lab"])

      assert.match(pane, /^pty:p1~/)
      assert.deepStrictEqual([found.code, sent.code], [0, 0])
      assert.include(listed.stdout, pane)
      // a variable gives way to what the handle says, and that is another server
      assert.strictEqual(shown.code, 3)
    }), 60_000)

  it.live("may be the one that is used by default, and is told of by detect and doctor", () =>
    Effect.gen(function*() {
      const { path, run } = yield* withServer("runtime: lab\n")
      yield* Layer.build(serve(path, Pty.layer()))
      const opened = yield* run(["ensure", "work"])
      const windows = yield* run(["windows"])
      const detect = yield* run(["detect"])
      const doctor = yield* run(["doctor", "--runtime", "lab"])

      assert.strictEqual(opened.code, 0, opened.stderr)
      assert.include(windows.stdout, "work")
      assert.match(detect.stdout, /^lab: /)
      assert.include(detect.stdout, `lab: a server, unix:${path}\n`)
      assert.include(doctor.stdout, `it serves pty at unix:${path}`)
    }), 60_000)

  it.live("that does not answer is unavailable, and no other one is used instead", () =>
    Effect.gen(function*() {
      const { path, run } = yield* withServer()
      const spawned = yield* run(["spawn", "--runtime", "lab", "--", "true"])
      const doctor = yield* run(["doctor", "--runtime", "lab"])
      const far = yield* run(["panes", "--runtime", "far"])
      const unknown = yield* run(["panes", "--runtime", "nowhere"])

      assert.strictEqual(spawned.code, 3)
      assert.include(spawned.stderr, "lab is unavailable")
      assert.include(doctor.stdout, `it is the server at unix:${path}`)
      assert.strictEqual(far.code, 3)
      assert.include(far.stderr, "not that of a unix socket")
      assert.strictEqual(unknown.code, 3)
      assert.include(unknown.stderr, "lab")
      assert.strictEqual((yield* run(["host", "status"])).code, 3)
    }), 60_000)

  it.live("is chosen by a handle that says its socket", () =>
    Effect.gen(function*() {
      const { path, run } = yield* withServer("", "the lab.sock")
      yield* Layer.build(serve(path, Pty.layer({ served: { socket: path, tag: "lab" } })))
      const { stdout } = yield* run(["spawn", "--runtime", "lab", "--", "cat"])
      assert.include(stdout, "@")
      const alone = yield* run(["describe", stdout.trim()])
      const named = yield* run(["describe", stdout.trim(), "--runtime", "lab"])
      const wrong = yield* run(["describe", stdout.trim(), "--runtime", "tmux"])

      assert.deepStrictEqual([alone.code, named.code, wrong.code], [0, 0, 2])
    }), 60_000)
})
