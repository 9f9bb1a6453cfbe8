/**
 * From a screen to what it says of an agent: blocked goes before working, working before idle, and idle needs a composer
 * with nothing against it. Pure.
 *
 * @since 0.1.0
 */
import type { AgentObservation } from "../AgentState.ts"
import * as Screen from "../Screen.ts"
import * as Common from "./common.ts"
import { compile, compilePrompt } from "./expressions.ts"
import { type AgentProfile, type Kind, make, type Region, type Rule } from "./profile.ts"
import type { Composer, Shape } from "./structure/composer.ts"
import { isKeyed, isQuestion } from "./structure/dialog.ts"
import { type Regions, regionsOf, type Shown, type Texts } from "./structure/regions.ts"
import type { Row } from "./structure/rows.ts"

/**
 * What stands in the composer. `draft` is text that somebody typed; text that stands for nothing is none.
 *
 * @category models
 * @since 0.1.0
 */
export interface Drafted {
  readonly draft: string
  /** Something in it stands for text that was pasted. */
  readonly pasted: boolean
}

/**
 * What one screen says of an agent.
 *
 * @category models
 * @since 0.1.0
 */
export interface Verdict {
  readonly state: "starting" | "working" | "idle" | "blocked" | "unknown"
  readonly kind?: Kind
  /** Name of the profile. */
  readonly agent: string
  /** The rule that decided; `common/` goes before the name of one that all profiles share. */
  readonly rule: string
  readonly region: string
  /** The text that decided, without escapes, and bounded. */
  readonly excerpt: string
  /** Of the profile and of the common rules. */
  readonly version: string
  readonly confidence: AgentObservation["confidence"]
  readonly composer?: Drafted
  /** Where it asks by a menu: its rows from the top, and the one that the cursor stands on. */
  readonly choice?: NonNullable<AgentObservation["choice"]>
  /** What is said of a usage limit, with the time of its end where that is said. */
  readonly limit?: string
  /** The last work was interrupted. */
  readonly interrupted?: true
}

interface Compiled {
  readonly id: string
  readonly rule: Rule
  readonly priority: number
  readonly any: ReadonlyArray<RegExp>
  readonly all: ReadonlyArray<RegExp>
  readonly not: ReadonlyArray<RegExp>
}

interface Judge {
  readonly rules: ReadonlyArray<Compiled>
  readonly shape: Shape
  readonly chrome: ReadonlyArray<RegExp>
  readonly placeholder: ReadonlyArray<RegExp>
  readonly pasted: ReadonlyArray<RegExp>
  readonly ready: ReadonlyArray<RegExp>
  readonly status: ReadonlyArray<RegExp>
  readonly sent: ReadonlyArray<RegExp>
  readonly turns: ReadonlyArray<RegExp>
  readonly interrupted: ReadonlyArray<RegExp>
}

const all = (sources: ReadonlyArray<string> = []) => sources.map(compile)

const compiledRule = (rule: Rule, id: string): Compiled => ({
  id,
  rule,
  priority: rule.priority ?? 0,
  any: all(rule.any),
  all: all(rule.all),
  not: all(rule.not)
})

const common = make({
  name: "common",
  version: Common.version,
  recognise: { commands: [] },
  composer: { forms: ["box"] },
  rules: Common.rules
}).rules

const judges = new WeakMap<AgentProfile, Judge>()

const judgeOf = (profile: AgentProfile): Judge => {
  const known = judges.get(profile)
  if (known !== undefined) return known
  const { composer, interrupted, rules, sent, without = [] } = profile
  const own = rules.map((rule) => compiledRule(rule, rule.id))
  const shared = common.filter(({ id }) => !without.includes(id)).map((rule) => compiledRule(rule, `common/${rule.id}`))
  const made: Judge = {
    // own rules first where priorities are equal: sorting is stable
    rules: [...own, ...shared].toSorted((a, b) => b.priority - a.priority),
    shape: {
      forms: composer.forms,
      prompt: composer.prompt === undefined ? undefined : compilePrompt(composer.prompt),
      footer: composer.footer ?? 5,
      labelled: composer.labelled ?? false,
      flush: composer.flush ?? false
    },
    chrome: all(profile.chrome),
    placeholder: all(composer.placeholder),
    pasted: all(composer.pasted ?? ["@pasted"]),
    ready: all(composer.ready),
    status: all(composer.status),
    sent: all(sent),
    turns: all(profile.turns ?? sent),
    interrupted: all(interrupted)
  }
  judges.set(profile, made)
  return made
}

const finds = (regex: RegExp, { joined, rows }: Texts): string | undefined =>
  rows.find((row) => regex.test(row)) ?? joined.find((row) => regex.test(row))

/** The text that lets the rule decide. */
const decides = ({ all, any, not }: Compiled, texts: Texts): string | undefined => {
  if (texts.rows.length === 0) return undefined
  if (not.some((regex) => finds(regex, texts) !== undefined)) return undefined
  const needed = all.map((regex) => finds(regex, texts))
  if (needed.includes(undefined)) return undefined
  if (any.length === 0) return needed[0]
  for (const regex of any) {
    const found = finds(regex, texts)
    if (found !== undefined) return found
  }
  return undefined
}

interface Found {
  readonly rule: string
  readonly region: Region | "screen"
  readonly text: string
  readonly kind?: Kind | undefined
}

const firstOf = (judge: Judge, regions: Regions, state: Rule["state"], least?: number): Found | undefined => {
  for (const compiled of judge.rules) {
    if (compiled.rule.state !== state || (least !== undefined && compiled.priority < least)) continue
    const { kind, region } = compiled.rule
    const text = decides(compiled, regions.texts(region))
    if (text !== undefined) return { rule: compiled.id, region, text, kind }
  }
  return undefined
}

const allows = compile("@allow")

/** A dialog that no rule of the profile knows. What it asks for is told by what all dialogs say alike. */
const unnamed = (regions: Regions): Found | undefined => {
  const { dialog } = regions
  if (dialog === undefined || !dialog.sure) return undefined
  const asks = dialog.form !== "press" && finds(allows, regions.texts("dialog")) !== undefined
  return {
    rule: `common/${dialog.form}`,
    region: "dialog",
    text: regions.rows[dialog.row]?.inner ?? "",
    kind: asks ? "permission" : "choice"
  }
}

const draftOf = (judge: Judge, { column, row, text }: Composer, cursor: Shown["cursor"]): Drafted => {
  const pasted = judge.pasted.some((regex) => regex.test(text))
  const stands = !pasted &&
    (judge.placeholder.some((regex) => regex.test(text)) ||
      (cursor !== undefined && cursor.row === row && cursor.column <= column))
  return { draft: stands ? "" : text, pasted }
}

/** The prompt of a shell, which an agent that ended leaves below what it drew. */
const prompt = /^(?:\S+@\S+.*|[^\s]{0,80}|.{0,60} )[$#%❯➜λ>]$/u

/** A command behind such a prompt. */
const given = /[$#%❯➜λ>] (.*)$/u

/** A shell's prompt below a composer, or one with the command that has just started the agent again. */
const isLeft = (
  { rows }: Regions,
  { end, form }: Composer,
  { recognise: { commands } }: AgentProfile,
  cursor: Shown["cursor"]
): boolean => {
  const last = rows.findLastIndex(({ text }) => text !== "")
  const row = rows[last]
  if (row === undefined || form === "line" || last < end || row.indent > 0) return false
  const typed = rows.slice(end).flatMap(({ blank, indent, text }) => blank || indent > 0 ? [] : text).join(" ")
  const words = given.exec(typed)?.[1]?.split(" ") ?? []
  if (words.some((word) => commands.includes(word.split("/").at(-1) ?? ""))) return true
  return prompt.test(row.text) && (cursor === undefined || cursor.row === last)
}

/** A prompt that waits for its turn, above the composer. */
const queued = /^[❯›] \S/

/** Why a composer does not say that the agent is idle. */
const against = (
  profile: AgentProfile,
  judge: Judge,
  regions: Regions,
  composer: Composer,
  { draft }: Drafted,
  cursor: Shown["cursor"]
): Found | undefined => {
  const { dialog, last, rows } = regions
  if (composer.numbered || dialog !== undefined) {
    return { rule: "common/ambiguous", region: "composer", text: composer.text }
  }
  // a program that draws its own cursor leaves the terminal's below what it drew; elsewhere it says where it types
  if (cursor !== undefined && composer.form !== "line") {
    const within = cursor.row >= composer.start && cursor.row < composer.end
    if (!within && cursor.row < rows.findLastIndex(({ text }) => text !== "")) {
      return { rule: "common/no-cursor", region: "composer", text: composer.text }
    }
  }
  // a low pane shows nothing of what goes on
  if (composer.form !== "line" && rows.slice(0, composer.start).every(({ blank }) => blank)) {
    return { rule: "common/nothing-above", region: "composer", text: composer.text }
  }
  const above = rows[last.at(-1) ?? -1]
  if (composer.form === "line" && above !== undefined && isQuestion(above.inner)) {
    return { rule: "common/question-above", region: "last", text: above.inner }
  }
  if (isKeyed(last.flatMap((at) => rows[at] ?? []))) {
    return { rule: "common/menu-above", region: "last", text: above?.inner ?? "" }
  }
  if (isLeft(regions, composer, profile, cursor)) {
    return { rule: "common/shell", region: "footer", text: rows.findLast(({ text }) => text !== "")?.text ?? "" }
  }
  if (judge.ready.length > 0) {
    const texts = [regions.texts("composer"), regions.texts("footer")]
    const ready = judge.ready.some((regex) => texts.some((text) => finds(regex, text) !== undefined))
    if (!ready) return { rule: "common/not-ready", region: "composer", text: composer.text }
  }
  if (profile.composer.cursor === true) {
    const proven = () => judge.status.some((regex) => finds(regex, regions.texts("footer")) !== undefined)
    const within = cursor === undefined
      ? draft === "" || proven()
      : cursor.row >= composer.row && cursor.row < composer.end
    if (!within) return { rule: "common/no-cursor", region: "composer", text: composer.text }
  }
  const first = last[0] === undefined ? undefined : rows[last[0]]
  const isCut = judge.interrupted.some((regex) => finds(regex, regions.texts("last")) !== undefined)
  const isSent = ({ inner, text }: Row) =>
    queued.test(inner) || judge.sent.some((regex) => regex.test(text) || regex.test(inner))
  if (first !== undefined && !isCut && isSent(first)) {
    const rest = last.slice(1).every((at) => {
      const row = rows[at] ?? first
      return row.indent > first.indent ? !/^[⎿└↳]/.test(row.inner) : isSent(row) || /^[↑↓]/.test(row.inner)
    })
    if (rest) return { rule: "common/unanswered", region: "last", text: first.inner }
  }
  return firstOf(judge, regions, "unknown")
}

/** A row of a menu, by which it can be chosen. */
const labelled = (text: string) => Screen.excerpt(text.slice(0, 200))

const lookedAt = (profile: AgentProfile, shown: Shown): Omit<Verdict, "agent" | "version"> => {
  const judge = judgeOf(profile)
  const regions = regionsOf(shown, {
    shape: judge.shape,
    chrome: judge.chrome,
    turns: judge.turns,
    statusIndent: profile.statusIndent ?? 2
  })
  const cut = shown.rows.length - Math.min(shown.rows.length, 120)
  const cursor = shown.cursor === undefined ? undefined : { ...shown.cursor, row: shown.cursor.row - cut }
  const { composer, last, rows } = regions
  const verdict = (
    state: Verdict["state"],
    { kind, region, rule, text }: Found,
    confidence: Verdict["confidence"] = "likely"
  ) => ({
    state,
    rule,
    region,
    excerpt: Screen.excerpt(text),
    confidence,
    ...(state !== "blocked" || kind === undefined ? {} : { kind })
  })
  if (regions.pager) {
    return verdict("unknown", { rule: "common/pager", region: "tail", text: rows.at(-1)?.inner ?? "" }, "guess")
  }
  const drafted = composer === undefined ? undefined : draftOf(judge, composer, cursor)
  const beside = {
    ...(drafted === undefined ? {} : { composer: drafted }),
    ...(judge.interrupted.some((regex) => finds(regex, regions.texts("last")) !== undefined)
      ? { interrupted: true as const }
      : {})
  }
  const below = cursor !== undefined && cursor.row > rows.findLastIndex(({ text }) => text !== "")
  // a dialog that is seen says more than what a rule of little weight concludes
  const blocked = firstOf(judge, regions, "blocked", 0) ?? unnamed(regions) ?? firstOf(judge, regions, "blocked")
  // what is answered behind itself is answered when the cursor has left it
  const isAnswered = below && blocked !== undefined && isQuestion(blocked.text)
  if (blocked !== undefined && !isAnswered) {
    const said = ["last", "dialog"] as const
    const texts = blocked.kind === "usage-limit" ? said.flatMap((region) => regions.texts(region).joined) : []
    const limit = texts.length === 0 ? {} : { limit: Screen.excerpt(texts.join("\n")) }
    const options = regions.dialog?.options
    const choice = options === undefined ? {} : { choice: { ...options, options: options.options.map(labelled) } }
    return { ...verdict("blocked", blocked), ...choice, ...limit, ...beside }
  }
  const working = firstOf(judge, regions, "working")
  if (working !== undefined) return { ...verdict("working", working), ...beside }
  const starting = firstOf(judge, regions, "starting")
  if (starting !== undefined) return { ...verdict("starting", starting), ...beside }
  if (composer === undefined || drafted === undefined) {
    const text = last.map((at) => rows[at]?.inner ?? "").join("\n")
    return verdict("unknown", { rule: "common/nothing", region: "screen", text }, "guess")
  }
  const reason = against(profile, judge, regions, composer, drafted, cursor)
  if (reason !== undefined) return { ...verdict("unknown", reason, "guess"), ...beside }
  const text = [composer.label, composer.text].filter((text) => text !== "").join("\n")
  return { ...verdict("idle", { rule: "common/composer", region: "composer", text }), ...beside }
}

/**
 * What the screen says by the rules of the profile.
 *
 * @category judging
 * @since 0.1.0
 */
export const judge = (profile: AgentProfile, shown: Shown): Verdict => ({
  agent: profile.name,
  version: `${profile.version}+${Common.version}`,
  ...lookedAt(profile, shown)
})
