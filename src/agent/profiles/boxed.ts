import { make } from "../profile.ts"
import { limit, loginDialog, trust, update } from "./rules.ts"

const settle = { settleMillis: 150, settleMillisPerKilobyte: 10, submit: "Enter", interrupt: "Escape" }

/**
 * @internal
 */
export const copilot = make({
  name: "copilot",
  title: "GitHub Copilot CLI",
  version: "2026.12",
  recognise: {
    commands: ["copilot"],
    scripts: ["/@github/copilot/", "/copilot(?:\\.js)?$"],
    screen: ["\\bGitHub Copilot CLI\\b", "\\bCopilot v\\d", "\\bCopilot (?:can|uses AI)\\b"]
  },
  composer: {
    forms: ["box"],
    prompt: ["[❯>]", "@upright"],
    placeholder: ["^Enter @ to mention\\b", "^Type @ to mention\\b", "^Describe a task\\b"],
    footer: 4
  },
  // the model may stand far right of the folder
  chrome: ["^(?:~|/|[A-Z]:\\\\)\\S*(?: \\[[^\\]]*\\])?(?: {3,}\\S.*)?$"],
  statusIndent: 1,
  sent: ["^\\s*[❯>] \\S"],
  interrupted: ["\\bOperation (?:cancelled|aborted) by user\\b"],
  rules: [
    limit("^[✗✘!⚠●]", "@limit"),
    trust("@trust", "\\bCopilot\\b"),
    loginDialog("@login", "\\bGitHub\\b"),
    { id: "login", state: "blocked", kind: "login", region: "last", any: ["\\buse /login to sign in\\b"] },
    // what has ended has a filled glyph
    { id: "step", state: "unknown", region: "last", any: ["^[◉◎∙○] \\S"] },
    { id: "footer-step", state: "unknown", region: "footer", any: ["^[∙◎◉●○] \\p{L}"] },
    update("@update", "\\bCopilot\\b")
  ],
  prompting: { ...settle, newline: "C-j" }
})

/**
 * @internal
 */
export const cursorAgent = make({
  name: "cursor-agent",
  title: "Cursor Agent",
  version: "2026.11",
  recognise: {
    commands: ["cursor-agent"],
    scripts: ["/cursor-agent/", "/cursor-agent(?:\\.js)?$"],
    screen: ["\\bCursor Agent\\b", "^/ (?:for )?commands · @ (?:for )?files"]
  },
  composer: {
    forms: ["box"],
    prompt: ["[→>]"],
    placeholder: ["^Plan, search, build anything$", "^Add a follow-up"],
    footer: 6
  },
  statusIndent: 2,
  interrupted: ["\\b(?:Cancelled|Aborted|Interrupted)(?: by user)?\\.?$"],
  rules: [
    limit("@limit", "\\b(?:usage|plan|Pro|upgrade)\\b"),
    trust("@trust", "\\bCursor\\b"),
    loginDialog("@login", "\\bCursor\\b"),
    {
      id: "login",
      state: "blocked",
      kind: "login",
      region: "tail",
      all: ["@login", "\\bcursor(?:\\.com|-agent| agent)\\b"],
      any: ["\\b(?:browser|press|waiting|open)\\b"]
    },
    { id: "stop", state: "working", region: "footer", any: ["\\bctrl\\+c to stop\\b"] }
  ],
  prompting: { ...settle, newline: "C-j" }
})

/**
 * @internal
 */
export const auggie = make({
  name: "auggie",
  title: "Auggie",
  version: "2026.11",
  recognise: {
    commands: ["auggie"],
    scripts: ["/@augmentcode/auggie/", "/auggie(?:\\.js)?$"],
    screen: ["\\bAuggie\\b", "\\bAugment(?: Code)?\\b"]
  },
  composer: {
    forms: ["box"],
    prompt: ["[›>❯!]"],
    placeholder: ["^Try ['\"]"],
    footer: 4
  },
  statusIndent: 2,
  sent: ["^\\s*› \\S"],
  interrupted: ["\\b(?:Interrupted|Cancelled)(?: by user)?\\b"],
  rules: [
    limit("@limit", "\\b(?:credits?|plan|usage|message)\\b"),
    trust("@trust|\\bindex\\b", "\\b(?:Auggie|Augment)\\b"),
    {
      id: "login-dialog",
      state: "blocked",
      kind: "login",
      region: "dialog",
      priority: 10,
      any: ["\\bLogin to continue\\b"]
    },
    {
      id: "login",
      state: "blocked",
      kind: "login",
      region: "tail",
      any: ["\\bPaste your login code\\b", "\\bPaste the authentication JSON\\b"]
    }
  ],
  prompting: { ...settle, newline: "C-j", interrupt: "Escape" }
})

/**
 * @internal
 */
export const droid = make({
  name: "droid",
  title: "Droid",
  version: "2026.12",
  recognise: {
    commands: ["droid"],
    scripts: ["/droid(?:\\.js)?$", "/@factory/cli/"],
    screen: ["\\bDroid\\b.*\\bFactory\\b|\\bFactory\\b.*\\bDroid\\b", "\\bYou are standing in an open terminal\\b"]
  },
  composer: {
    forms: ["box"],
    prompt: ["[>❯]"],
    placeholder: ["^Try \"", "^Enter @ to mention\\b"],
    footer: 5
  },
  chrome: ["^(?:Auto|Spec|Normal) ?(?:\\(|-)", "^shift\\+tab\\b"],
  statusIndent: 2,
  sent: ["^\\s*> \\S"],
  interrupted: ["\\b(?:Interrupted|Cancelled|Request interrupted)(?: by user)?\\b"],
  rules: [
    limit("@limit", "\\b(?:usage|plan|billing|token)\\b"),
    trust("@trust", "\\b(?:Droid|Factory)\\b"),
    loginDialog("@login", "\\bFactory\\b"),
    { id: "login", state: "blocked", kind: "login", region: "tail", all: ["@login", "\\bFactory\\b"] }
  ],
  prompting: { ...settle, newline: "C-j" }
})

/**
 * @internal
 */
export const grok = make({
  name: "grok",
  title: "Grok CLI",
  version: "2026.11",
  recognise: {
    commands: ["grok"],
    scripts: ["/@vibe-kit/grok-cli/", "/grok(?:\\.js)?$"],
    screen: ["\\bGROK\\.md\\b", "\\bgrok-(?:code|\\d)", "\\bGrok (?:CLI|Build)\\b"]
  },
  composer: {
    forms: ["box"],
    prompt: ["[❯>]"],
    placeholder: ["^Ask me anything"],
    footer: 3
  },
  statusIndent: 3,
  sent: ["^\\s*> \\S"],
  interrupted: ["\\b(?:Interrupted|Cancelled|Operation cancelled)(?: by user)?\\b"],
  rules: [
    {
      id: "key",
      state: "blocked",
      kind: "login",
      region: "last",
      priority: 10,
      all: ["\\bAPI key\\b", "\\benter\\b"],
      not: ["\\bError\\b"]
    },
    { id: "tool", state: "working", region: "last", any: ["^⎿ +(?:Executing|Processing)\\.{3}$"] },
    limit("@limit", "\\b(?:rate|usage|credits?)\\b"),
    trust("@trust", "\\bGrok\\b"),
    {
      id: "login",
      state: "blocked",
      kind: "login",
      region: "tail",
      all: ["@login", "\\bGrok\\b"],
      not: ["\\bError\\b"]
    },
    loginDialog("@login", "\\bGrok\\b")
  ],
  // its footer names the model after a wave
  without: ["footer-spinner"],
  prompting: { ...settle, newline: "C-j" }
})

/**
 * @internal
 */
export const amp = make({
  name: "amp",
  title: "Amp",
  version: "2026.12",
  recognise: {
    commands: ["amp"],
    scripts: ["/@(?:sourcegraph/amp|ampcode/cli)[/-]", "/amp(?:\\.js)?$"],
    screen: ["\\bWelcome to Amp\\b", "\\bampcode\\.com\\b"]
  },
  composer: { forms: ["box"], labelled: true, footer: 3 },
  statusIndent: 2,
  interrupted: ["\\b(?:Cancelled|Interrupted)(?: by user)?\\b"],
  rules: [
    limit("@limit", "\\b(?:credits?|usage|balance)\\b"),
    {
      id: "login",
      state: "blocked",
      kind: "login",
      region: "tail",
      all: ["@login|\\bampcode\\.com/auth\\b", "\\bamp(?:code)?\\b"]
    },
    loginDialog("@login", "\\bamp(?:code)?\\b"),
    trust("@trust", "\\bAmp\\b"),
    // the prompt of what is drawn over the transcript
    { id: "palette", state: "unknown", region: "last", any: ["^>(?: |$)"] },
    { id: "label", state: "working", region: "composer", any: ["@spinner", "@interrupt"] },
    {
      id: "label-words",
      state: "unknown",
      region: "composer",
      any: ["^(?:Running tools|Waiting for approval|Thinking|Streaming|Compacting)\\b.{0,40}$"]
    },
    { id: "footer-interrupt", state: "working", region: "footer", any: ["@interrupt"] }
  ],
  prompting: { ...settle, newline: "C-j" }
})

/**
 * @internal
 */
export const pi = make({
  name: "pi",
  title: "Pi",
  version: "2026.11",
  recognise: {
    commands: ["pi"],
    scripts: ["/pi-coding-agent/", "/pi(?:\\.js)?$"],
    screen: ["^pi v\\d", "\\bpi-coding-agent\\b"]
  },
  composer: { forms: ["box"], ready: ["\\b\\d+(?:\\.\\d+)?%/\\d|\\?/\\d+k?\\b"], footer: 5, flush: true },
  chrome: ["^escape interrupt\\b"],
  statusIndent: 1,
  interrupted: ["^Operation aborted\\b"],
  rules: [
    limit("^(?:Error|Warning)\\b", "@limit"),
    { id: "login", state: "blocked", kind: "login", region: "last", any: ["\\bUse /login\\b"] },
    loginDialog("@login", "\\bprovider\\b"),
    { id: "picker", state: "unknown", region: "composer", any: ["^→ \\S"] },
    update("@update", "\\bpi\\b")
  ],
  prompting: { ...settle, newline: "C-j", clear: "C-c" }
})

/**
 * @internal
 */
export const opencode = make({
  name: "opencode",
  title: "OpenCode",
  version: "2026.11",
  recognise: {
    commands: ["opencode"],
    scripts: ["/opencode-ai/", "/opencode(?:\\.js)?$"],
    screen: ["\\bopencode v?\\d", "\\bOpenCode\\b", "\\bctrl\\+p commands\\b"]
  },
  composer: {
    forms: ["bar"],
    placeholder: ["^Ask anything\\b"],
    footer: 4
  },
  statusIndent: 6,
  sent: ["^\\s*[│┃║╎╏┆┇┊┋▌▐|] "],
  interrupted: ["^▣.*\\binterrupted\\b"],
  rules: [
    limit("@limit", "\\b(?:retry|quota|usage|rate)\\b"),
    { id: "permission", state: "blocked", kind: "permission", region: "dialog", priority: 10, any: ["^△\\s"] },
    { id: "permission-page", state: "blocked", kind: "permission", region: "tail", priority: 5, all: ["^△\\s"] },
    loginDialog("@login", "\\b(?:provider|opencode)\\b"),
    update("@update", "\\bopencode\\b"),
    { id: "interrupt", state: "working", region: "footer", any: ["\\besc\\b(?: again)?(?: to)? interrupt\\b"] },
    { id: "writing", state: "working", region: "last", priority: -1, any: ["^~ \\S.*(?:…|\\.{3})$"], not: ["^▣"] }
  ],
  prompting: { ...settle, newline: "C-j" }
})
