import { make } from "../profile.ts"
import { limit, loginDialog, trust, update } from "./rules.ts"

const settle = { settleMillis: 100, submit: "Enter", interrupt: "C-c", clear: "C-u" }

/**
 * @internal
 */
export const aider = make({
  name: "aider",
  title: "Aider",
  version: "2026.11",
  recognise: { commands: ["aider"], scripts: ["/aider(?:/__main__\\.py)?$"], screen: ["^Aider v\\d"] },
  composer: {
    forms: ["line"],
    prompt: ["(?:(?:ask|code|architect|help|context|diff|whole|udiff)? ?(?:multi)?)>"],
    footer: 0,
    cursor: true
  },
  turns: ["^(?:\\w+ ?)?> \\S"],
  statusIndent: 0,
  interrupted: ["\\^C\\b", "\\bKeyboardInterrupt\\b"],
  rules: [
    limit("@limit", "^litellm\\.|\\bRateLimitError\\b"),
    {
      id: "permission",
      state: "blocked",
      kind: "permission",
      region: "tail",
      priority: 10,
      any: ["\\(Y\\)es/\\(N\\)o.*\\]:\\s*\\S{0,3}$"]
    },
    {
      id: "login",
      state: "blocked",
      kind: "login",
      region: "tail",
      all: ["@login|\\bOpenRouter\\b", "\\(Y\\)es/\\(N\\)o"],
      priority: 20
    },
    {
      id: "update",
      state: "blocked",
      kind: "update",
      region: "tail",
      all: ["@update|\\bnewer aider version\\b", "\\(Y\\)es/\\(N\\)o|\\bRun pip install\\?"],
      priority: 20
    },
    {
      id: "waiting",
      state: "working",
      region: "live",
      any: ["^(?:[░█]+\\s+)?Waiting for \\S", "^Tokens: .*\\bsent\\b.*…$"]
    }
  ],
  prompting: settle
})

/**
 * @internal
 */
export const amazonq = make({
  name: "amazonq",
  title: "Amazon Q",
  version: "2026.12",
  recognise: {
    commands: ["q", "qchat", "amazon-q", "kiro-cli", "kiro-cli-chat"],
    screen: ["\\bAmazon Q\\b", "\\bKiro\\b.*\\bCLI\\b", "\\bYou are chatting with\\b"]
  },
  composer: { forms: ["line"], prompt: ["(?:\\[[\\w./-]+\\] )?(?:\\d+% )?(?:λ )?[!↯]? ?>"], footer: 0, cursor: true },
  turns: ["^> \\S"],
  statusIndent: 0,
  interrupted: ["^\\^C$", "\\bInterrupted\\b"],
  rules: [
    limit("@limit", "\\b(?:monthly|request|quota|usage)\\b"),
    // an answer stands behind the prompt as a draft does
    { id: "draft-or-answer", state: "unknown", region: "composer", any: ["\\S"] },
    {
      id: "permission",
      state: "blocked",
      kind: "permission",
      region: "last",
      priority: 10,
      any: ["^Allow this action\\?.*\\[y/n(?:/t)?\\]:?$", "\\[y/n/t\\]:?$"]
    },
    {
      id: "permission-short",
      state: "blocked",
      kind: "permission",
      region: "last",
      priority: 10,
      any: ["\\[y/n(?:/t)?\\]:?(?: ?>)?$"]
    },
    {
      id: "login",
      state: "blocked",
      kind: "login",
      region: "tail",
      all: ["@login", "\\b(?:Amazon|AWS|Builder ID|q login|kiro-cli login)\\b"]
    },
    {
      id: "login-dialog",
      state: "blocked",
      kind: "login",
      region: "dialog",
      priority: 20,
      all: ["@login", "\\b(?:Builder ID|Pro license|IAM)\\b"]
    },
    update("@update", "\\b(?:Amazon Q|q update|kiro)\\b")
  ],
  prompting: { ...settle, newline: "C-j" }
})

/**
 * @internal
 */
export const goose = make({
  name: "goose",
  title: "Goose",
  version: "2026.12",
  recognise: {
    commands: ["goose"],
    screen: ["\\bGoose is running\\b", "\\bgoose is (?:running|ready)\\b", "^\\( ?O\\)>"]
  },
  composer: {
    forms: ["line"],
    prompt: ["\\( ?[Oo0]\\)>", "🪿(?: ?[>❯])?"],
    placeholder: ["^Press Enter to send\\b"],
    footer: 0,
    cursor: true
  },
  turns: ["^(?:\\( ?[Oo0]\\)>|🪿) \\S"],
  statusIndent: 0,
  interrupted: ["\\b(?:Interrupted|The existing call to)\\b"],
  rules: [
    limit("@limit", "\\b(?:rate|quota|credits?)\\b"),
    {
      id: "permission",
      state: "blocked",
      kind: "permission",
      region: "dialog",
      priority: 10,
      all: ["^[◆◇]|\\bgoose\\b", "@allow"]
    },
    {
      id: "login-dialog",
      state: "blocked",
      kind: "login",
      region: "dialog",
      priority: 20,
      all: ["@login", "\\bprovider\\b|\\bgoose\\b"]
    },
    { id: "login", state: "blocked", kind: "login", region: "tail", priority: 10, all: ["^[◆◇]", "API[ _]key\\b"] }
  ],
  prompting: { ...settle, newline: "C-j" }
})

/**
 * @internal
 */
export const kimi = make({
  name: "kimi",
  title: "Kimi Code",
  version: "2026.12",
  recognise: {
    commands: ["kimi", "kimi-cli"],
    scripts: ["/kimi(?:-cli)?$", "/kimi_cli/", "/@moonshot-ai/kimi-code/"],
    screen: ["\\bKimi(?: Code)? CLI\\b", "\\bWelcome to Kimi\\b", "\\bkimi-(?:k\\d|for-coding)\\b"]
  },
  composer: { forms: ["line", "box"], prompt: ["\\S{0,40}[✨💫📋]", "[>❯]"], footer: 5, cursor: true },
  statusIndent: 2,
  sent: ["^\\s*\\S{0,40}[✨💫] \\S"],
  interrupted: ["\\bInterrupted by user\\b"],
  rules: [
    limit("@limit", "\\b(?:usage|quota|rate)\\b"),
    trust("@trust", "\\bKimi\\b"),
    loginDialog("@login", "\\b(?:Kimi|Moonshot|platform)\\b"),
    {
      id: "login",
      state: "blocked",
      kind: "login",
      region: "last",
      any: ["\\b(?:LLM not set|send /(?:login|setup)|use /(?:login|setup))\\b"]
    },
    // of what has ended the past is told
    { id: "step", state: "unknown", region: "last", any: ["^[●•] Using \\p{Lu}\\p{L}+ \\("] },
    update("@update", "\\bkimi\\b")
  ],
  prompting: { ...settle, newline: "C-j", interrupt: "Escape" }
})

/**
 * A shell that no agent runs in. The process in the foreground says more than its prompt.
 *
 * @internal
 */
export const shell = make({
  name: "shell",
  title: "Shell",
  version: "2026.12",
  recognise: { commands: ["sh", "bash", "zsh", "fish", "dash", "ksh", "nu", "pwsh"] },
  composer: {
    forms: ["line"],
    prompt: ["[^$#%❯➜λ>]{0,120}(?:[$%❯➜λ]|(?<!=)#)", "[^$#%❯➜λ>]{0,120}[@~/\\\\:][^$#%❯➜λ>]{0,120}>"],
    footer: 0,
    cursor: true
  },
  statusIndent: 0,
  rules: [
    {
      id: "password",
      state: "blocked",
      kind: "login",
      region: "tail",
      any: ["^(?:\\[sudo\\] )?(?:password|passphrase)\\b.*:$", "\\bpassword for \\S+:$"]
    }
  ],
  prompting: { submit: "Enter", interrupt: "C-c", clear: "C-u" }
})
