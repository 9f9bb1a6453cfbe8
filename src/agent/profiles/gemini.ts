import { type Encoded, make } from "../profile.ts"
import { limit, loginDialog, trust } from "./rules.ts"

const composer: Encoded["composer"] = {
  forms: ["box"],
  prompt: ["[>!*]"],
  placeholder: ["^Type your message\\b"],
  footer: 6
}
const chrome = [
  "^Shift\\+Tab\\b",
  "^\\? for shortcuts$",
  "^Press Ctrl\\+",
  "^(?:Using:? )?\\d+ \\S+\\.md\\b",
  "^\\d+ MCP servers?\\b"
]
const prompting: Encoded["prompting"] = {
  settleMillis: 150,
  settleMillisPerKilobyte: 10,
  submit: "Enter",
  newline: "C-j",
  interrupt: "Escape",
  clear: "C-c"
}
/** The row of a tool that has not begun. */
const pending: NonNullable<Encoded["rules"]>[number] = {
  id: "pending",
  state: "unknown",
  region: "last",
  any: ["^o {1,3}\\S"]
}
const interrupted = ["^\\S{0,2}\\s*Request cancelled\\b"]

/**
 * @internal
 */
export const gemini = make({
  name: "gemini",
  title: "Gemini CLI",
  version: "2026.12.1",
  recognise: {
    commands: ["gemini"],
    scripts: ["/@google/gemini-cli/", "/gemini(?:\\.js)?$"],
    screen: ["\\bGemini CLI\\b", "\\bGEMINI\\.md\\b", "\\bgemini-\\d"]
  },
  composer,
  chrome,
  statusIndent: 1,
  sent: ["^\\s*> \\S"],
  interrupted,
  rules: [
    limit("^[✕ℹ⚡]", "@limit"),
    {
      id: "limit-dialog",
      state: "blocked",
      kind: "usage-limit",
      region: "dialog",
      priority: 30,
      all: ["@limit", "\\b(?:gemini|pro|flash|quota)\\b"]
    },
    trust("@trust", "\\bGemini\\b"),
    loginDialog("@login", "\\b(?:Google|Gemini|Vertex)\\b"),
    {
      id: "login",
      state: "blocked",
      kind: "login",
      region: "tail",
      any: ["\\bWaiting for auth\\b", "\\bEnter Gemini API Key\\b", "\\bEnter the authorization code\\b"]
    },
    pending,
    {
      id: "shell-focused",
      state: "unknown",
      region: "last",
      any: ["\\(Focused\\)", "\\bKill \\(Ctrl\\+K\\)"]
    },
    // what a tool runs reads from the terminal
    { id: "input", state: "blocked", kind: "choice", region: "live", any: ["\\bshell awaiting input\\b"] },
    { id: "action-title", state: "blocked", kind: "permission", region: "title", priority: -5, any: ["^✋"] },
    { id: "working-title", state: "working", region: "title", priority: -5, any: ["^✦ +\\S+(?:…|\\.{3})"] }
  ],
  prompting
})

/**
 * Grew out of the other, so their dialogs look alike.
 *
 * @internal
 */
export const qwen = make({
  name: "qwen",
  title: "Qwen Code",
  version: "2026.11.1",
  recognise: {
    commands: ["qwen"],
    scripts: ["/@qwen-code/qwen-code/", "/qwen(?:\\.js)?$"],
    screen: ["\\bQwen Code\\b", "\\bQWEN\\.md\\b", "\\bqwen\\d?-coder\\b"]
  },
  composer,
  chrome,
  statusIndent: 2,
  sent: ["^\\s*> \\S"],
  interrupted,
  rules: [
    limit("^[✕ℹ⚡●]", "@limit"),
    trust("@trust", "\\bQwen\\b"),
    pending,
    loginDialog("@login", "\\b(?:Qwen|Alibaba|ModelStudio)\\b"),
    {
      id: "login",
      state: "blocked",
      kind: "login",
      region: "tail",
      any: ["\\bWaiting for Qwen OAuth\\b", "\\bQwen OAuth Authentication\\b"]
    }
  ],
  prompting
})
