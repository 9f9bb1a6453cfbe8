import { make } from "../profile.ts"
import { limit, trust, update } from "./rules.ts"

/**
 * @internal
 */
export const claude = make({
  name: "claude",
  title: "Claude Code",
  version: "2026.12",
  recognise: {
    commands: ["claude", "claude.exe"],
    scripts: ["/@anthropic-ai/claude-code/", "/claude(?:\\.exe|\\.js)?$"],
    screen: ["\\bClaude Code\\b", "^(?:⏵⏵|⏸) .*\\(shift\\+tab"]
  },
  composer: {
    forms: ["box"],
    prompt: ["[❯>›!#]", "@upright"],
    placeholder: ["^Try \"", "^Type your message"],
    footer: 8
  },
  chrome: ["^[✢✳✶✻✽·*] \\p{L}+ for \\d[\\dhms ]*$"],
  statusIndent: 1,
  sent: ["^[❯>] \\S"],
  interrupted: ["^(?:⎿ )?\\s*Interrupted\\b", "\\bInterrupted by user\\b"],
  rules: [
    {
      id: "limit-dialog",
      state: "blocked",
      kind: "usage-limit",
      region: "dialog",
      priority: 30,
      all: ["\\blimit\\b", "\\breset"]
    },
    limit(
      "^⎿.*\\blimit\\b|^[●⏺] [^\"`“]{0,60}\\blimit\\b.{0,20} [·∙•] resets? .{1,120}$",
      "@limit|\\blimit\\b.{0,20} [·∙•] resets? "
    ),
    {
      id: "login",
      state: "blocked",
      kind: "login",
      region: "last",
      priority: 10,
      any: ["^⎿.*(?:/login\\b|\\bAPI key\\b)", "^[●⏺] .{1,200} [·∙•] .{0,16}/login$", "^[●⏺] .{0,16}/login [·∙•] "]
    },
    { id: "login-footer", state: "blocked", kind: "login", region: "footer", any: ["[·∙•] .{0,16}/login$"] },
    trust("@trust", "\\bClaude\\b"),
    {
      id: "login-dialog",
      state: "blocked",
      kind: "login",
      region: "dialog",
      priority: 10,
      all: ["@login", "\\b(?:Claude|Anthropic|Console|API_KEY)"],
      not: ["@trust"]
    },
    {
      id: "login-page",
      state: "blocked",
      kind: "login",
      region: "tail",
      any: ["^Paste code here\\b", "\\bBrowser didn['’]t open\\b"]
    },
    update("@update", "\\bClaude\\b"),
    { id: "footer-interrupt", state: "working", region: "footer", any: ["\\besc to interrupt\\b"] },
    {
      id: "footer-shells",
      state: "working",
      region: "footer",
      priority: -2,
      any: ["\\b\\d+ (?:bash(?:es)?|shells?|tasks?|monitors?|local agents?)\\b"]
    },
    { id: "running", state: "working", region: "last", any: ["@running"] }
  ],
  prompting: { settleMillis: 150, settleMillisPerKilobyte: 15, submit: "Enter", newline: "C-j", interrupt: "Escape" },
  timing: { confirmMillis: 300 }
})
