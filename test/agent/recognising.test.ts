import { assert, describe, it } from "@effect/vitest"
import * as AgentProfile from "../../src/agent/AgentProfile.ts"
import { screens } from "../fixtures/agentScreens.ts"

const of = (argv: ReadonlyArray<string>, name = argv[0]!.split("/").at(-1)!) =>
  AgentProfile.ofProgram(AgentProfile.builtIn, { name, argv })?.name

const programs: ReadonlyArray<readonly [string, string | undefined]> = [
  ["claude", "claude"],
  ["/usr/local/bin/claude --resume", "claude"],
  ["node /x/codex.js", "codex"],
  ["node /x/bin/codex", "codex"],
  ["node --max-old-space-size=4096 /x/node_modules/@google/gemini-cli/bundle/gemini.js", "gemini"],
  ["node -r ./hook.js /x/node_modules/@openai/codex/bin/codex.js resume", "codex"],
  ["bun /x/node_modules/opencode-ai/bin/opencode", "opencode"],
  ["bun x opencode-ai", "opencode"],
  ["npx @anthropic-ai/claude-code", "claude"],
  ["npx -y @qwen-code/qwen-code@latest", "qwen"],
  ["npx --package @google/gemini-cli gemini", "gemini"],
  ["npm exec @augmentcode/auggie", "auggie"],
  ["env A=b claude", "claude"],
  ["env -u A claude", "claude"],
  ["python -m aider", "aider"],
  ["python3.12 /home/me/.local/bin/aider --model x", "aider"],
  ["uvx --from kimi-cli kimi", "kimi"],
  ["uv run kimi", "kimi"],
  ["node /x/node_modules/@moonshot-ai/kimi-code/dist/main.mjs --plan", "kimi"],
  ["sh /x/bin/copilot", "copilot"],
  ["/bin/bash /home/me/.local/bin/cursor-agent", "cursor-agent"],
  ["node /home/me/.local/share/cursor-agent/versions/1/index.js", "cursor-agent"],
  ["node /x/node_modules/@mariozechner/pi-coding-agent/dist/cli.js", "pi"],
  ["timeout 30m goose session", "goose"],
  ["nice -n 5 amp", "amp"],
  ["sudo claude", "claude"],
  ["q chat", "amazonq"],
  ["droid", "droid"],
  ["C:\\tools\\claude.exe", "claude"],
  ["node -e codex", undefined],
  ["node --eval claude", undefined],
  ["python -c codex", undefined],
  ["sh -c codex", undefined],
  ["bash -lc claude", undefined],
  ["node /x/server.js --agent claude", undefined],
  ["node /x/codex-proxy/index.js", undefined],
  ["vim claude", undefined],
  ["less /x/bin/codex", undefined],
  ["tail -f claude", undefined],
  ["grep claude file", undefined],
  ["cat codex", undefined],
  ["python /x/train.py aider", undefined],
  ["bash", "shell"],
  ["-zsh", "shell"],
  ["bash --norc -i", "shell"],
  ["/bin/zsh -l", "shell"],
  ["bash run.sh", undefined],
  ["bash -ic claude", undefined]
]

describe("recognising", () => {
  it("case 137: an agent is told by its program, not by an argument", () => {
    for (const [line, agent] of programs) assert.strictEqual(of(line.split(" ")), agent, line)
  })

  it("a program that names itself is known without its words", () => {
    assert.strictEqual(of(["node", "/x/y.js"], "claude"), "claude")
    assert.strictEqual(AgentProfile.ofProgram(AgentProfile.builtIn, { name: "gemini" })?.name, "gemini")
    assert.isUndefined(AgentProfile.ofProgram(AgentProfile.builtIn, { name: "node" }))
  })

  it("a screen tells its agent, or none", () => {
    const wrong = screens.flatMap(({ agent, name, rows }) => {
      const found = AgentProfile.ofScreen(AgentProfile.builtIn, rows)?.name
      return found === undefined || found === agent ? [] : [`${agent} ${name}: ${found}`]
    })
    assert.deepStrictEqual(wrong, [])
    const start = (agent: string) => screens.find((screen) => screen.agent === agent && screen.name === "start")!
    for (
      const agent of [
        "claude",
        "codex",
        "gemini",
        "qwen",
        "opencode",
        "copilot",
        "pi",
        "aider",
        "goose",
        "amazonq",
        "amp",
        "auggie",
        "cursor-agent",
        "kimi",
        "droid"
      ]
    ) {
      assert.strictEqual(AgentProfile.ofScreen(AgentProfile.builtIn, start(agent).rows)?.name, agent)
    }
    assert.isUndefined(AgentProfile.ofScreen(AgentProfile.builtIn, ["$ ls", "src"]))
  })
})
