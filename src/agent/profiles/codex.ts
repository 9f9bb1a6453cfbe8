import { make } from "../profile.ts"
import { limit, loginDialog, trust, update } from "./rules.ts"

/**
 * @internal
 */
export const codex = make({
  name: "codex",
  title: "Codex",
  version: "2026.12.2",
  recognise: {
    commands: ["codex"],
    scripts: ["/@openai/codex/", "/codex(?:\\.js)?$"],
    screen: ["\\bOpenAI Codex\\b", "\\brunning Codex in\\b"]
  },
  composer: {
    forms: ["line"],
    prompt: ["[›!]"],
    placeholder: [
      "^(?:Ask Codex to do anything|Explain this codebase|Summarize recent commits|Implement \\{feature\\}|Find and fix a bug in @filename|Write tests for @filename|Improve documentation in @filename|Run /review on my current changes|Use /skills to list available skills)$"
    ],
    footer: 4,
    cursor: true,
    status: ["^[^•■◦└✗⚠›]{0,80}\\b\\d+% (?:context )?left\\b"]
  },
  statusIndent: 1,
  sent: ["^› \\S"],
  interrupted: ["\\bConversation interrupted\\b", "\\bTurn (?:interrupted|aborted)\\b"],
  rules: [
    limit("^[■⚠✗]", "@limit"),
    {
      id: "limit-dialog",
      state: "blocked",
      kind: "usage-limit",
      region: "dialog",
      priority: 30,
      all: ["@limit", "\\b(?:Codex|credits|gpt-)"]
    },
    trust(
      "\\bCodex\\b|\\bprompt injection\\b",
      "@trust|\\bfolder\\b.*\\bversion controlled\\b|\\ballow Codex to work in\\b"
    ),
    loginDialog("@login", "\\b(?:ChatGPT|OpenAI|Codex)\\b"),
    {
      id: "login",
      state: "blocked",
      kind: "login",
      region: "tail",
      all: ["@login", "\\b(?:ChatGPT|OpenAI|Codex)\\b", "\\b(?:open|follow|browser|link|paste)\\b"]
    },
    update("@update", "\\bcodex\\b|→|\\brelease\\b"),
    {
      id: "terminals",
      state: "working",
      region: "last",
      priority: -2,
      any: ["^\\d+ background \\p{L}+ running\\b"]
    },
    // a step that has ended is told in the past; an answer may begin so
    {
      id: "step",
      state: "unknown",
      region: "last",
      any: [
        "^• (?:Running|Calling|Searching|Exploring|Compacting|Creating|Editing|Deleting|Waiting|Viewing|Reading)\\b(?:$|.{0,300}[^.!?:\\s]$)"
      ]
    },
    { id: "hook", state: "working", region: "last", any: ["@running|^[•◦] Running \\p{Lu}\\p{L}+ hooks?:"] }
  ],
  prompting: {
    settleMillis: 200,
    settleMillisPerKilobyte: 10,
    submit: "Enter",
    newline: "C-j",
    interrupt: "Escape",
    clear: "C-c"
  }
})
