import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import * as AgentProfile from "../../src/agent/AgentProfile.ts"
import { type AgentScreen, screens } from "../fixtures/agentScreens.ts"
import { changed } from "../fixtures/screenChanges.ts"

const profileOf = (agent: string) => AgentProfile.builtIn.find(({ name }) => name === agent)!
const judge = (agent: string, shown: AgentProfile.Shown) => AgentProfile.judge(profileOf(agent), shown)
const word = ({ kind, state }: Pick<AgentProfile.Verdict, "state" | "kind">) =>
  kind === undefined ? state : `${state}/${kind}`
const statesOf = ({ expected }: AgentScreen) => expected.map((text) => text.split("/")[0]!)
const agents = AgentProfile.builtIn.map(({ name }) => name)
const own = (agent: string) => screens.filter((screen) => screen.agent === agent)

/** What an agent says when it shows another screen in its answer. */
const quoted = (into: AgentScreen, what: AgentScreen): AgentProfile.Shown => {
  const at = into.rows.findLastIndex((row) => /\S/.test(row) && row.includes("wait"))
  const indent = " ".repeat(8)
  const rows = [
    ...into.rows.slice(0, at),
    ...what.rows.map((row) => `${indent}${row}`.trimEnd()),
    "",
    ...into.rows.slice(at)
  ]
  const cursor = into.cursor === undefined
    ? undefined
    : { ...into.cursor, row: into.cursor.row + rows.length - into.rows.length }
  return { rows, cursor }
}

describe("screens of agents", () => {
  it("there are at least twelve of each agent, over all states", () => {
    for (const agent of agents) {
      assert.isAtLeast(own(agent).length, 12, agent)
      const states = new Set(own(agent).flatMap(statesOf))
      for (const state of ["idle", "working", "blocked"]) assert.isTrue(states.has(state), `${agent} ${state}`)
    }
    assert.isAtLeast(screens.filter(({ recorded }) => recorded).length, 60)
  })

  it("case 85: each is judged as what it is, a picker of sessions among them", () => {
    const wrong = screens.flatMap((screen) => {
      const verdict = judge(screen.agent, screen)
      return screen.expected.includes(word(verdict))
        ? []
        : [`${screen.agent} ${screen.name}: ${word(verdict)} by ${verdict.rule}, not ${screen.expected.join(" or ")}`]
    })
    assert.deepStrictEqual(wrong, [])
  })

  it("every verdict names its rule, region, text and version", () => {
    for (const screen of screens) {
      const verdict = judge(screen.agent, screen)
      assert.strictEqual(verdict.agent, screen.agent)
      assert.match(verdict.version, new RegExp(`^${profileOf(screen.agent).version}\\+\\d+$`))
      assert.notStrictEqual(verdict.rule, "")
      if (verdict.state === "blocked" || verdict.state === "working") assert.notStrictEqual(verdict.excerpt.trim(), "")
    }
  })

  it("tells what stands in the composer", () => {
    const draft = (agent: string, name: string) =>
      judge(agent, own(agent).find((screen) => screen.name === name)!).composer
    for (const agent of ["claude", "codex", "gemini", "qwen", "pi", "grok"]) {
      assert.deepStrictEqual(draft(agent, "draft"), { draft: "Explain the parser", pasted: false }, agent)
      assert.strictEqual(draft(agent, "start")?.draft, "", agent)
    }
    for (const agent of ["claude", "codex", "gemini", "qwen", "pi", "copilot", "opencode"]) {
      assert.isTrue(draft(agent, "pasted")?.pasted, agent)
    }
    assert.isUndefined(draft("gemini", "theme"), "a dialog has none")
    assert.isTrue(judge("codex", own("codex").find(({ name }) => name === "interrupted")!).interrupted)
  })
})

describe("what does not decide", () => {
  it("case 124: a screen that is quoted in an answer", () => {
    const wrong = agents.flatMap((agent) => {
      const into = own(agent).find(({ name }) => name.startsWith("quotes-a-") && name !== "quotes-a-spinner")
      if (into === undefined) return []
      return own(agent).filter((screen) => !statesOf(screen).includes("idle")).flatMap((screen) => {
        const verdict = judge(agent, quoted(into, screen))
        return verdict.state === "idle" || verdict.state === "unknown"
          ? []
          : [`${agent} ${screen.name}: ${verdict.state} by ${verdict.rule}`]
      })
    })
    assert.deepStrictEqual(wrong, [])
  })

  it("a screen that was scrolled up", () => {
    const wrong = agents.flatMap((agent) => {
      const into = own(agent).find(({ name }) => name.startsWith("quotes-a-") && name !== "quotes-a-spinner")
      if (into === undefined) return []
      return own(agent).filter((screen) => !statesOf(screen).includes("idle")).flatMap((screen) => {
        const cursor = into.cursor === undefined
          ? undefined
          : { ...into.cursor, row: into.cursor.row + screen.rows.length + 1 }
        const verdict = judge(agent, { rows: [...screen.rows, "", ...into.rows], cursor })
        return verdict.state === "idle" ? [] : [`${agent} ${screen.name}: ${verdict.state} by ${verdict.rule}`]
      })
    })
    assert.deepStrictEqual(wrong, [])
  })

  it("case 83: the rules of another agent ask for nothing here, and call no dialog and no work idle", () => {
    /** What is said above a ready composer: only the words of its agent tell it from an answer. */
    const note = ({ kind }: Pick<AgentProfile.Verdict, "kind">) => kind === "usage-limit" || kind === "login"
    const wrong = screens.flatMap((screen) =>
      agents.filter((agent) => agent !== screen.agent).flatMap((agent) => {
        const verdict = judge(agent, screen)
        const right = judge(screen.agent, screen)
        const own = verdict.state === "blocked" && !verdict.rule.startsWith("common/")
        const isFork = [agent, screen.agent].toSorted().join() === "gemini,qwen"
        const asks = own && !isFork && !note(verdict)
        const busy = right.state === "working" || (right.state === "blocked" && !(note(right) && right.composer))
        return asks || (verdict.state === "idle" && busy)
          ? [`${screen.agent} ${screen.name} as ${agent}: ${word(verdict)} by ${verdict.rule}`]
          : []
      })
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("case 142: a banner that does not end the transcript", () => {
    const banner = "  ⎿  You've hit your session limit · resets 3am (UTC)"
    const ready = ["─".repeat(60), "❯", "─".repeat(60), "  ? for shortcuts"]
    const after = (rows: ReadonlyArray<string>) =>
      word(judge("claude", { rows: ["❯ Go on", banner, "", ...rows, ...ready] }))
    assert.strictEqual(after([]), "blocked/usage-limit")
    assert.strictEqual(after(["❯ Go on now", "", "● It is renamed.", ""]), "idle")
    assert.strictEqual(after(["❯ Go on now", "", "✻ Renaming… (3s · esc to interrupt)", ""]), "working")
    assert.strictEqual(
      after(["● It is renamed.", "", ...Array.from({ length: 300 }, (_, at) => `  line ${at}`), ""]),
      "idle"
    )
  })
})

describe("structure", () => {
  it("case 125: a menu with rows of hints below it is open", () => {
    const menu = ["─".repeat(60), " Do you want to proceed?", " ❯ 1. Yes", "   2. No"]
    const hints = ["", " Esc to cancel", " Tab to amend", " ctrl+e to explain"]
    for (let rows = 0; rows <= 3; rows++) {
      assert.strictEqual(judge("claude", { rows: [...menu, ...hints.slice(0, rows + 1)] }).state, "blocked", `${rows}`)
    }
  })

  it("a menu tells its options, in whatever order they are, and on which of them the cursor stands", () => {
    const menu = (rows: ReadonlyArray<string>) => [
      "─".repeat(60),
      " Do you trust the files in this folder?",
      "",
      ...rows,
      "",
      " Enter to confirm · Esc to cancel"
    ]
    const choice = (...rows: ReadonlyArray<string>) => judge("claude", { rows: menu(rows) }).choice
    const options = ["Yes, I trust this folder", "No, exit"]
    assert.deepStrictEqual(choice(` ❯ 1. ${options[0]}`, `   2. ${options[1]}`), { options, at: 0 })
    assert.deepStrictEqual(choice(`   1. ${options[0]}`, ` ❯ 2. ${options[1]}`), { options, at: 1 })
    const turned = options.toReversed()
    assert.deepStrictEqual(choice(` ❯ 1. ${turned[0]}`, `   2. ${turned[1]}`), { options: turned, at: 0 })
    assert.deepStrictEqual(choice(` ❯ ${turned[0]}`, `   ${turned[1]}`), { options: turned, at: 0 })
    const menus = screens.flatMap((screen) => {
      const { choice, kind } = judge(screen.agent, screen)
      return kind === "trust" ? [[`${screen.agent} ${screen.name}`, choice] as const] : []
    })
    assert.isAtLeast(menus.length, 9)
    for (const [name, choice] of menus) {
      assert.isAtLeast(choice?.options.length ?? 0, 2, name)
      assert.match(choice!.options.join("|"), /\b(?:yes|trust|proceed|continue|allow)\b/i, name)
      for (const option of choice!.options) assert.notMatch(option, /^(?:[❯›>●]|\d+[.)])/, name)
    }
  })

  it("case 95: a phrase that the program itself broke over rows counts", () => {
    const text = "Waiting for 1 background agent to finish"
    for (let width = 30; width <= 120; width += 6) {
      const head = text.slice(0, text.lastIndexOf(" ", width))
      const rows = text.length + 2 <= width ? [`✻ ${text}`] : [`✻ ${head}`, `  ${text.slice(head.length + 1)}`]
      const screen = [
        "● One part is left.",
        "",
        ...rows,
        "",
        "─".repeat(width),
        "❯",
        "─".repeat(width),
        "  ? for shortcuts"
      ]
      assert.strictEqual(judge("claude", { rows: screen }).state, "working", `${width}`)
      const apart = ["● Waiting for 1", "", "  background agent to finish is what it said.", "", ...screen.slice(-4)]
      assert.strictEqual(judge("claude", { rows: apart }).state, "idle", `${width}`)
    }
  })

  it("a status line is known whatever it says", () => {
    const rows = (
      status: string,
      more = ""
    ) => [
      "❯ Go on",
      "",
      "● One part is left.",
      "",
      status,
      more,
      "─".repeat(70),
      "❯",
      "─".repeat(70),
      "  ? for shortcuts"
    ]
    for (
      const status of [
        "✢ Compacting conversation… (12s)",
        "✽ Running tests… (ctrl+t to show todos · 3m 2s · ↓ 6.1k tokens)",
        "* Sauntering… (esc to interrupt)",
        "· Thinking… (4s · thought for 2s)",
        "⠰⠂ Planning next moves",
        "⣾ Streaming",
        "• Starting MCP servers (0/2): one (0s • esc to interrupt)",
        "◦ Waiting for approval of the plan (1m 04s • esc to interrupt) · 1 background terminal running",
        "◐ Contemplating",
        "🌘 Thinking",
        "- Processing... (2s · ↑ 880 tokens · esc to interrupt)"
      ]
    ) {
      for (const agent of ["claude", "copilot", "grok", "auggie", "droid", "qwen"]) {
        assert.strictEqual(judge(agent, { rows: rows(status) }).state, "working", `${agent} ${status}`)
      }
    }
    // what only looks like one forbids idle
    for (const status of ["Retrying, esc to cancel", "(12s) press ctrl+c to stop"]) {
      assert.strictEqual(judge("claude", { rows: rows(status) }).state, "unknown", status)
    }
    for (const text of ["● It takes 12s.", "✻ Worked for 2m 4s", "● Press Ctrl+D to leave the shell."]) {
      assert.strictEqual(judge("claude", { rows: rows(text) }).state, "idle", text)
    }
  })

  it("case 128: work in the background is work", () => {
    const names = new Set(["background-shell", "background-agents", "background-terminal"])
    const background = screens.filter(({ name }) => names.has(name))
    assert.isAtLeast(background.length, 3)
    for (const screen of background) assert.strictEqual(judge(screen.agent, screen).state, "working", screen.name)
  })

  it("case 41: the composer is found above its footer", () => {
    for (
      const agent of [
        "claude",
        "codex",
        "gemini",
        "qwen",
        "copilot",
        "opencode",
        "pi",
        "grok",
        "amp",
        "auggie",
        "cursor-agent",
        "droid"
      ]
    ) {
      const pasted = own(agent).filter(({ name }) => name === "draft" || name === "pasted")
      assert.isAtLeast(pasted.length, 1, agent)
      for (const screen of pasted) {
        assert.notStrictEqual(judge(agent, screen).composer?.draft, "", `${agent} ${screen.name}`)
      }
    }
  })

  it(
    "case 127: no change of versions, models, paths, widths and lines turns a screen idle, at 40 columns neither",
    () => {
      const wrong: Array<string> = []
      let lost = 0
      let judged = 0
      for (const screen of screens) {
        for (let seed = 1; seed <= 40; seed++) {
          const columns = seed > 30 ? 40 : undefined
          const verdict = judge(screen.agent, changed(screen, seed, columns))
          judged++
          if (statesOf(screen).includes(verdict.state)) continue
          lost++
          if (verdict.state === "idle") wrong.push(`${screen.agent} ${screen.name}, seed ${seed}`)
        }
      }
      assert.deepStrictEqual(wrong, [])
      // the rules go by structure: hardly any screen is lost either
      assert.isBelow(lost / judged, 0.01)
    },
    60_000
  )

  /** Screens of work and of dialogs, without what is said above a ready composer. */
  const busy = screens.filter((screen) => {
    const { composer, state } = judge(screen.agent, screen)
    const isSure = statesOf(screen).every((state) => state === "working" || state === "blocked")
    return isSure && (state === "working" || composer === undefined)
  })

  it("a dialog is not idle when any one of its rows is missing", () => {
    const wrong = busy.filter(({ expected }) => !expected.includes("working")).flatMap((screen) =>
      screen.rows.flatMap((row, missing) => {
        const rows = screen.rows.filter((_, at) => at !== missing)
        const { state } = judge(screen.agent, { ...screen, rows, cursor: undefined })
        return state === "idle" ? [`${screen.agent} ${screen.name} without ${row.trim()}`] : []
      })
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("dialogs and work are not idle in other words: only names of keys and verbs of a status stay", () => {
    const stays = /^(?:esc|escape|ctrl|enter|cancel|interrupt|stop|select|confirm|navigate|press|return|yes|.+ing)$/i
    const others = ["lorem", "ipsum", "dolor", "amet", "vitae"]
    assert.isAtLeast(busy.length, 120)
    // what runs in the background is told by words alone
    const wrong = busy.filter(({ name }) => !name.startsWith("background")).flatMap((screen) =>
      others.flatMap((_, turn) => {
        let count = turn
        const rows = screen.rows.map((row) =>
          row.replace(/\p{L}{3,}/gu, (word) => stays.test(word) ? word : others[count++ % others.length]!)
        )
        const { rule, state } = judge(screen.agent, { ...screen, rows })
        return state === "idle" ? [`${screen.agent} ${screen.name} by ${rule}`] : []
      })
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("an unknown program's screen says nothing", () => {
    for (const agent of agents) {
      assert.strictEqual(judge(agent, { rows: [] }).state, "unknown")
      assert.strictEqual(judge(agent, { rows: ["Segmentation fault (core dumped)", ""] }).state, "unknown")
    }
  })
})

describe("docs/agents.md", () => {
  it("shows how many verdicts are right", () => {
    const counts = new Map<string, { expected: number; found: number; right: number }>()
    const count = (state: string) => {
      const known = counts.get(state) ?? { expected: 0, found: 0, right: 0 }
      counts.set(state, known)
      return known
    }
    for (const screen of screens) {
      for (const shown of [screen, ...Array.from({ length: 10 }, (_, at) => changed(screen, 1000 + at))]) {
        const { state } = judge(screen.agent, shown)
        const truth = statesOf(screen).includes(state) ? state : statesOf(screen)[0]!
        count(truth).expected++
        count(state).found++
        if (truth === state) count(state).right++
      }
    }
    const percent = (part: number, whole: number) => `${(Math.floor(1000 * part / whole) / 10).toFixed(1)} %`
    const table = ["idle", "working", "blocked", "unknown"].map((state) => {
      const { expected, found, right } = count(state)
      return `| ${state} | ${expected} | ${percent(right, found)} | ${percent(right, expected)} |`
    })
    const page = readFileSync(new URL("../../docs/agents.md", import.meta.url), "utf8")
    const rows = page.split("\n").filter((row) => /^\| (?:idle|working|blocked|unknown) +\| \d/.test(row))
    assert.deepStrictEqual(rows.map((row) => row.replace(/ +/g, " ")), table)
  })
})
