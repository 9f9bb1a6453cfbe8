import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Scripted from "../../layers/Scripted.ts"
import * as AgentProfile from "../../src/agent/AgentProfile.ts"
import { shapes } from "../../src/cli/shapes.ts"
import { screens } from "../fixtures/agentScreens.ts"
import { world } from "../fixtures/commandLine.ts"

const screen = (agent: string, name: string) =>
  screens.find((screen) => screen.agent === agent && screen.name === name)!.rows.join("\n")

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "paneway-test-agents-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const opened = Effect.fnUntraced(function*(argv?: readonly [string]) {
  const all = yield* world({
    size: { columns: 120, rows: 50 },
    ...(argv === undefined ? {} : { programs: { claude: { ...Scripted.agent(), name: "claude" } } })
  })
  const { handle } = yield* all.runtime.spawn(argv === undefined ? {} : { program: { argv } })
  return { ...all, handle, pane: `${handle}` }
})
const open = opened()

const fits = (name: keyof typeof shapes, text: string) =>
  Effect.orDie(
    Schema.decodeUnknownEffect(Schema.toCodecJson(shapes[name]), { onExcessProperty: "error" })(JSON.parse(text))
  )

describe("paneway agent explain", () => {
  it.effect("tells the verdict on a screen in a file, with what decided", () =>
    Effect.scoped(Effect.gen(function*() {
      const { run } = yield* open
      const cwd = yield* directory
      writeFileSync(join(cwd, "trust.txt"), `${screen("claude", "trust")}\n`)
      const { code, stdout } = yield* run(["agent", "explain", "--screen", "trust.txt", "--json"], { cwd })
      yield* fits("agent-explain", stdout)

      assert.strictEqual(code, 0)
      assert.deepInclude(JSON.parse(stdout), {
        state: "blocked",
        kind: "trust",
        agent: "claude",
        by: "screen",
        rule: "trust",
        region: "dialog",
        confidence: "likely"
      })
      const text = yield* run(["agent", "explain", "--screen", join(cwd, "trust.txt"), "--agent", "claude"])
      assert.match(text.stdout, /^agent +claude$/m)
      assert.match(text.stdout, /^kind +trust$/m)
      assert.match(text.stdout, /^by +name$/m)
      writeFileSync(join(cwd, "limit.txt"), screen("claude", "session-limit"))
      const limit = yield* run(["agent", "explain", "--screen", "limit.txt", "--agent", "claude", "--json"], { cwd })
      yield* fits("agent-explain", limit.stdout)
      assert.isNumber(JSON.parse(limit.stdout).resetAtMillis)
    })))

  it.effect("exits with 0 for every verdict", () =>
    Effect.scoped(Effect.gen(function*() {
      const { run } = yield* open
      const cwd = yield* directory
      for (
        const { agent, expected, name, rows } of screens.filter(({ cursor, title }) =>
          cursor === undefined && title === undefined
        )
      ) {
        writeFileSync(join(cwd, "screen.txt"), rows.join("\n"))
        const { code, stdout } = yield* run(
          ["agent", "explain", "--screen", "screen.txt", "--agent", agent, "--json"],
          { cwd }
        )
        const { kind, state } = JSON.parse(stdout)
        assert.strictEqual(code, 0)
        assert.include(expected, kind === undefined ? state : `${state}/${kind}`, `${agent} ${name}`)
      }
      writeFileSync(join(cwd, "screen.txt"), "nothing that anybody knows\n")
      const endless = yield* run(["agent", "explain", "--screen", "/dev/zero", "--agent", "claude"])
      assert.deepEqual([endless.code, /--screen \/dev\/zero: it is no file/.test(endless.stderr)], [2, true])
      const unknown = yield* run(["agent", "explain", "--screen", "screen.txt", "--json"], { cwd })
      yield* fits("agent-explain", unknown.stdout)
      assert.strictEqual(unknown.code, 0)
      assert.deepInclude(JSON.parse(unknown.stdout), { state: "unknown", rule: "none" })
    })))

  it.effect("judges what a pane shows", () =>
    Effect.gen(function*() {
      const { handle, pane, run, script } = yield* open
      yield* script.print(handle, `\x1b[2J\x1b[H${screen("claude", "edit-permission").replaceAll("\n", "\r\n")}`)
      const byOperand = yield* run(["agent", "explain", pane, "--agent", "claude", "--json"])
      const byFlag = yield* run(["agent", "explain", "--pane", pane, "--agent", "claude", "--json"])

      assert.deepInclude(JSON.parse(byOperand.stdout), { state: "blocked", kind: "permission", agent: "claude" })
      assert.strictEqual(byFlag.stdout, byOperand.stdout)
      assert.strictEqual((yield* run(["agent", "explain", "p77"])).code, 4)
    }))

  it.effect("refuses what it cannot judge", () =>
    Effect.gen(function*() {
      const { pane, run } = yield* open
      for (
        const words of [
          [],
          ["--screen", "/nonexistent/screen.txt"],
          ["--screen", "a.txt", "--pane", pane],
          [pane, "--agent", "nobody"]
        ]
      ) {
        const { code, stdout } = yield* run(["agent", "explain", ...words])
        assert.deepStrictEqual([code, stdout], [2, ""], words.join(" "))
      }
      assert.match((yield* run(["agent", "explain", pane, "--agent", "nobody"])).stderr, /claude, codex/)
    }))
})

describe("paneway agent list", () => {
  it.effect("lists the panes with agents", () =>
    Effect.gen(function*() {
      const shown = `\x1b[2J\x1b[HClaude Code\r\n${screen("claude", "edit-permission").replaceAll("\n", "\r\n")}`
      const { handle, pane, run, script } = yield* opened(["claude"])
      yield* script.print(handle, shown)
      const { stdout } = yield* run(["agent", "list", "--json"])
      yield* fits("agent-list", stdout)
      const atShell = yield* open
      yield* atShell.script.print(atShell.handle, shown)

      assert.deepStrictEqual(JSON.parse(stdout).agents.length, 1)
      assert.deepInclude(JSON.parse(stdout).agents[0], { pane, agent: "claude", state: "blocked", kind: "permission" })
      assert.match((yield* run(["agent", "list"])).stdout, new RegExp(`^\\S+  claude  blocked \\(permission\\)`))
      assert.deepStrictEqual(JSON.parse((yield* atShell.run(["agent", "list", "--json"])).stdout), { agents: [] })
    }))

  it.effect("lists the profiles, those of the user's files too, and what is wrong with these", () =>
    Effect.scoped(Effect.gen(function*() {
      const { run } = yield* open
      const config = yield* directory
      const env = { XDG_CONFIG_HOME: config }
      mkdirSync(join(config, "paneway/agents"), { recursive: true })
      writeFileSync(join(config, "paneway/agents/a.yml"), "extends: claude\nname: minion\nversion: mine\n")
      writeFileSync(join(config, "paneway/agents/b.yml"), "name: minion\n")
      const { stdout } = yield* run(["agent", "list", "--profiles", "--json"], { env })
      yield* fits("agent-list-profiles", stdout)
      const { problems, profiles } = JSON.parse(stdout)
      const text = yield* run(["agent", "list", "--profiles"], { env })

      assert.strictEqual(profiles.length, AgentProfile.builtIn.length + 1)
      assert.deepInclude(profiles.at(-1), {
        name: "minion",
        version: "mine",
        file: join(config, "paneway/agents/a.yml")
      })
      assert.strictEqual(problems.length, 1)
      assert.match(text.stdout, /^minion +mine/m)
      assert.match(text.stderr, /b\.yml/)
      writeFileSync(join(config, "screen.txt"), screen("claude", "trust"))
      const judged = yield* run([
        "agent",
        "explain",
        "--screen",
        join(config, "screen.txt"),
        "--agent",
        "minion",
        "--json"
      ], { env })
      assert.deepInclude(JSON.parse(judged.stdout), { agent: "minion", kind: "trust" })
    })))
})

describe("paneway agent watch", () => {
  it.effect("prints each change, and ends with the panes", () =>
    Effect.gen(function*() {
      const all = yield* world({ program: Scripted.agent() })
      const { handle } = yield* all.runtime.spawn({})
      yield* all.script.agent(handle, "working")
      const watching = yield* Effect.forkChild(all.run(["agent", "watch", `${handle}`]))
      yield* all.waits(1)
      yield* TestClock.adjust("1 second")
      yield* all.script.agent(handle, "blocked")
      yield* TestClock.adjust("1 second")
      yield* all.run(["close", `${handle}`])
      yield* TestClock.adjust("1 second")
      const { code, stdout } = yield* Fiber.join(watching)
      const lines = stdout.trimEnd().split("\n")

      assert.strictEqual(code, 0)
      assert.isTrue(lines[0]!.startsWith(`${handle}  working`))
      assert.isTrue(lines.some((line) => line.startsWith(`${handle}  blocked`)))
      assert.isTrue(lines.at(-1)!.startsWith(`${handle}  exited`))
    }))
})
