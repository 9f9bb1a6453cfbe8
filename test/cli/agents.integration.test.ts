import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { screens } from "../fixtures/agentScreens.ts"
import { paneway, started } from "../fixtures/cli.ts"
import { until } from "../fixtures/processes.ts"
import { user } from "../fixtures/user.ts"

const screen = (name: string) =>
  screens.find((screen) => screen.agent === "claude" && screen.name === name)!.rows.join("\n")

/** A program of that name which shows one screen after the other, a line of input apart. */
const program = (name: string, names: ReadonlyArray<string>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "paneway-test-agent-"))),
      (directory) => Effect.sync(() => rmSync(directory, { recursive: true }))
    ),
    (directory) => {
      const shows = names.map((name) => {
        writeFileSync(join(directory, `${name}.txt`), `${screen(name)}\n`)
        return `printf '\\033[2J\\033[H'; cat '${join(directory, `${name}.txt`)}'; read -r line || exit 0`
      })
      const file = join(directory, name)
      writeFileSync(file, `#!/bin/sh\nstty -echo\n${shows.join("\n")}\n`)
      chmodSync(file, 0o755)
      return file
    }
  )

describe("agents in panes of the host", () => {
  it.live("are told by their program and what it shows, over several commands", () =>
    Effect.gen(function*() {
      const own = yield* user
      const run = (...words: ReadonlyArray<string>) =>
        Effect.map(paneway(words, own), ({ code, stderr, stdout }) => {
          assert.deepStrictEqual([code, stderr], [0, ""], words.join(" "))
          return stdout.toString().trim()
        })
      const claude = yield* program("claude", ["working-tool", "answered", "working-tool", "edit-permission"])
      const pane = yield* run("spawn", "--", claude)

      assert.strictEqual(yield* run("wait", "agent", pane, "--state", "working"), "working")
      const explained = JSON.parse(yield* run("agent", "explain", pane, "--json"))
      assert.deepInclude(explained, { state: "working", agent: "claude", by: "program" })
      yield* run("type", pane, "go\n", "--quiet")
      assert.strictEqual(yield* run("wait", "agent", pane, "--state", "done"), "done")
      yield* run("type", pane, "go\n", "--quiet")
      yield* run("wait", "agent", pane, "--state", "working")
      yield* run("type", pane, "go\n", "--quiet")
      const blocked = JSON.parse(yield* run("wait", "agent", pane, "--state", "blocked", "--state", "done", "--json"))
      assert.deepInclude(blocked, { state: "blocked", kind: "permission", agent: "claude", source: "screen" })
      assert.match(yield* run("agent", "list"), new RegExp(`^${pane}  claude  blocked \\(permission\\)`))
      yield* run("close", pane)
    }), 60_000)

  it.live("are watched where none is given, also those that come later, and no shells", () =>
    Effect.gen(function*() {
      const own = yield* user
      yield* paneway(["spawn"], own)
      const { child } = yield* started(["agent", "watch"], own)
      let told = ""
      child.stdout?.on("data", (chunk: Buffer) => {
        told += chunk.toString()
      })
      const lines = () => told.trimEnd().split("\n").filter((line) => line !== "")
      const claude = yield* program("claude", ["working-tool", "edit-permission"])
      const pane = (yield* paneway(["spawn", "--", claude], own)).stdout.toString().trim()
      yield* until(() => told.includes(`${pane}  working  claude\n`))
      yield* paneway(["type", pane, "go\n"], own)
      yield* until(() => told.includes(`${pane}  blocked (permission)  claude\n`))
      yield* paneway(["close", pane], own)
      yield* until(() => told.includes(`${pane}  exited`))

      assert.deepStrictEqual(lines().filter((line) => !line.startsWith(`${pane}  `)), [])
    }).pipe(Effect.scoped), 60_000)

  it.live("are told by their hooks, which report from within the pane", () =>
    Effect.gen(function*() {
      const own = yield* user
      const { run: all, home } = own
      const run = (...words: ReadonlyArray<string>) =>
        Effect.map(all(words), ({ code, stderr, stdout }) => {
          assert.deepStrictEqual([code, stderr], [0, ""], words.join(" "))
          return stdout.toString().trim()
        })
      const file = join(home, "bin", "claude")
      const hook = "paneway agent report --session one"
      writeFileSync(
        file,
        `#!/bin/sh
stty -echo
echo nothing that says anything
read -r line
${hook} --state working --agent claude >> ${home}/told
read -r line
${hook} --state blocked --kind permission --detail 'may I?' >> ${home}/told
read -r line
paneway agent report --session two --state working >> ${home}/told
${hook} --state idle --json >> ${home}/told
read -r line
`,
        { mode: 0o755 }
      )
      const pane = yield* run("spawn", "--", file)
      const wait = (...states: ReadonlyArray<string>) =>
        Effect.map(
          run("wait", "agent", pane, ...states.flatMap((state) => ["--state", state]), "--json"),
          (text): unknown => JSON.parse(text)
        )
      yield* run("type", pane, "go\n", "--quiet")
      assert.deepInclude(yield* wait("working"), { state: "working", source: "agent-protocol", agent: "claude" })
      yield* run("type", pane, "go\n", "--quiet")
      assert.deepInclude(yield* wait("blocked"), { kind: "permission", detail: "may I?", source: "agent-protocol" })
      assert.strictEqual(yield* run("agent", "list"), `${pane}  claude  blocked (permission)`)
      yield* run("type", pane, "go\n", "--quiet")
      assert.deepInclude(yield* wait("done"), { state: "done", source: "agent-protocol", confidence: "certain" })
      const told = readFileSync(`${home}/told`, "utf8").trim().split("\n")
      assert.deepStrictEqual(told, ["taken", "taken", "other", JSON.stringify({ pane, result: "taken" })])
      const elsewhere = yield* all(["agent", "report", "--state", "idle", "--pane", "pty:p99~0123456789"])
      assert.strictEqual(elsewhere.code, 4)
      yield* run("close", pane)
    }), 60_000)

  it.live(
    "are told by their screens where those were drawn after a report that nobody waited for",
    () =>
      Effect.gen(function*() {
        const own = yield* user
        const { home, run: all } = own
        const run = (...words: ReadonlyArray<string>) =>
          Effect.map(all(words), ({ code, stderr, stdout }) => {
            assert.deepStrictEqual([code, stderr], [0, ""], words.join(" "))
            return stdout.toString().trim()
          })
        writeFileSync(join(home, "idle.txt"), `${screen("answered")}\n`)
        writeFileSync(
          join(home, "bin", "claude"),
          `#!/bin/sh
stty -echo
echo nothing that says anything
paneway agent report --state working --quiet
printf '\\033[2J\\033[H'
cat '${join(home, "idle.txt")}'
read -r line
`,
          { mode: 0o755 }
        )
        const pane = yield* run("spawn", "--", join(home, "bin", "claude"))
        yield* run("wait", "output", pane, "--match", "for shortcuts", "--timeout", "30s")
        const told: unknown = JSON.parse(
          yield* run("wait", "agent", pane, "--state", "idle", "--timeout", "60s", "--json")
        )
        assert.deepInclude(told, { source: "screen", agent: "claude" })
        yield* run("close", pane)
      }),
    90_000
  )
})
