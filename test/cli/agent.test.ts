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
import { Host } from "../../src/cli/Host.ts"
import { shapes } from "../../src/cli/shapes.ts"
import * as Target from "../../src/Target.ts"
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
      // the runtime's own word comes before the screen's
      yield* script.agent(handle, "working")
      const { stdout } = yield* run(["agent", "list", "--json"])
      yield* fits("agent-list", stdout)
      const atShell = yield* open
      yield* atShell.script.print(atShell.handle, shown)

      assert.deepStrictEqual(JSON.parse(stdout).agents.length, 1)
      assert.deepInclude(JSON.parse(stdout).agents[0], { pane, agent: "claude", state: "working" })
      assert.match((yield* run(["agent", "list"])).stdout, /^\S+  claude  working$/m)
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

describe("paneway agent report", () => {
  const pane = new Target.PaneHandle({
    runtime: "pty",
    host: "h",
    scope: "/run/host.sock",
    id: "p1",
    incarnation: "1"
  })

  it.effect("hands the words of a hook over, with the pane that it runs in and its time", () =>
    Effect.gen(function*() {
      const { run } = yield* open
      const host = yield* Host
      const taken: Array<unknown> = []
      const report = (...words: ReadonlyArray<string>) =>
        Effect.provideService(run(["agent", "report", ...words], { env: { PANEWAY_PANE: "pty:p1" } }), Host, {
          ...host,
          report: (given) => {
            taken.push(given)
            return Effect.succeed({ pane, result: "taken" } as const)
          }
        })
      yield* TestClock.setTime(5000)
      const told = yield* report("--state", "blocked", "--kind", "permission", "--agent", "claude", "--json")
      yield* fits("agent-report", told.stdout)
      assert.deepStrictEqual(JSON.parse(told.stdout), { pane: `${pane}`, result: "taken" })
      assert.strictEqual((yield* report("--state", "idle", "--pane", "pty:p2")).stdout, "taken\n")
      assert.strictEqual(
        (yield* report("--state", "working", "--sequence", "7", "--session", "a", "--quiet")).stdout,
        ""
      )
      yield* report("--state", "working", "--detail", "x".repeat(5000))
      const at = { atMillis: 5000 }

      assert.deepStrictEqual(taken, [
        { pane: "pty:p1", state: "blocked", kind: "permission", agent: "claude", ...at },
        { pane: "pty:p2", state: "idle", ...at },
        { pane: "pty:p1", state: "working", session: "a", sequence: 7, ...at },
        { pane: "pty:p1", state: "working", detail: "x".repeat(1000), ...at }
      ])
    }))

  it.effect("refuses what is no report, and says where no host is", () =>
    Effect.gen(function*() {
      const { run } = yield* open
      const env = { PANEWAY_PANE: "pty:p1" }
      for (
        const words of [
          [],
          ["--state", "done"],
          ["--state", "idle", "--kind", "trust"],
          ["--state", "blocked", "--kind", "x"],
          ["--state", "idle", "--sequence", "-1"]
        ]
      ) {
        assert.strictEqual((yield* run(["agent", "report", ...words], { env })).code, 2, words.join(" "))
      }
      const outside = yield* run(["agent", "report", "--state", "idle"])
      assert.deepStrictEqual([outside.code, outside.stdout], [2, ""])
      assert.match(outside.stderr, /PANEWAY_PANE/)
      assert.strictEqual((yield* run(["agent", "report", "--state", "idle"], { env })).code, 3)
    }))
})

describe("paneway agent", () => {
  it.effect("has its own commands and those of wait have theirs", () =>
    Effect.gen(function*() {
      const { run } = yield* open
      const listed = (text: string) =>
        [...(text.split("SUBCOMMANDS\n")[1] ?? "").split("\n\n")[0]!.matchAll(/^ {2}(\S+)/gm)].map(([, name]) => name)
      assert.deepStrictEqual(listed((yield* run(["agent", "--help"])).stdout), ["explain", "list", "watch", "report"])
      assert.deepStrictEqual(listed((yield* run(["wait", "--help"])).stdout), [
        "output",
        "agent",
        "lifecycle",
        "stable"
      ])
      const wrong = yield* run(["agent", "list", "--profile"])
      assert.deepStrictEqual([wrong.code, wrong.stdout], [2, ""])
      assert.match(wrong.stderr, /unknown flag --profile, did you mean --profiles\?/)
    }))
})
