/**
 * Expressions that all profiles can name, and how those of a profile are compiled.
 *
 * @since 0.1.0
 */

/** Glyphs that only a program at work shows. */
const spinning = "[\\u2801-\\u28ff◐◑◒◓◴◵◶◷◜◝◞◟◠◡◢◣◤◥▖▗▘▙▚▛▜▝▞▟⊶⊷⧗⧖⏳⌛↻⟳≋≈∼∿\\u{1f311}-\\u{1f318}\\u{1f550}-\\u{1f567}]"
/** Those of them that are no parts of pictures. */
const alone = "[\\u2801-\\u28ff◐◑◒◓◴◵◶◷⏳⌛\\u{1f311}-\\u{1f318}\\u{1f550}-\\u{1f567}]"
/** A row that begins with so many blocks is of a picture. */
const drawn = "(?!(?:[\\u2580-\\u259f] ?){3})"
/** Blocks after it are of a picture too. */
const written = "(?![\\u2580-\\u259f])"
/** Glyphs that stay when the work is over. */
const staying = "[✢✳✶✻✽✴✧⬡⬢]"
/** Glyphs that stand before other rows too. */
const resting = "[·•●○◉◎◦∙⏺∗*~■□▪⬝⚙|/\\\\–-]"
/** Any that is no letter and no quotation mark. */
const glyph = "[^\\p{L}\\p{N}\\s\"'`“‘«]"
const filling = "(?=\\S*[░▒⬝▱])[░▒▓█■⬝▰▱]{2,}"
const dots = "(?:…|\\.{2,3})"
const elapsed = "\\b(?:<?\\d+(?:\\.\\d+)?\\s?(?:ms|s|secs?|seconds?|m|mins?|h)|\\d+:\\d\\d)\\b"
const stops = "(?:interrupt|cancel|stop|abort)"
const stopKey = "(?:esc(?:ape)?|ctrl\\s?[-+]?\\s?c|⌃c|\\^c)"
const interrupt = `\\b${stopKey}\\b.{0,16}\\b${stops}|\\b${stops}\\b.{0,10}\\b${stopKey}\\b`

const named = {
  /** A row that an agent shows only while it works. */
  spinner: [
    `^(?:${spinning}|${staying})\\s*\\S.*?(?:${dots}(?:\\s|$)|…|\\(.*(?:${elapsed}|\\b${stopKey}\\b))`,
    `^[⬡⬢]\\s*\\p{L}+\\.{1,3}(?:\\s|$)`,
    // pictures have no words
    `^${drawn}${spinning}{1,4}\\s+${written}(?=.*\\p{L}{2,})\\S`,
    `^${alone}$`,
    `^${resting}\\s[^\`"'•]{1,100}\\([^()]{0,60}(?:${elapsed}[^()]{0,40}\\b${stopKey}\\b|\\b${stopKey}\\b[^()]{0,40}${stops})[^()]{0,40}\\)(?:$| {2}| [·•])`,
    `^${resting}\\s[^\`"'•]{1,80}(?:…|\\.{3})\\s*\\([^()]{0,60}${elapsed}`,
    // whatever glyph a new version takes, and the frame without one
    `^(?:${glyph}\\s+)?\\p{L}+(?:…|\\.{3})\\s*\\([^()]{0,60}${elapsed}`,
    `^${resting}\\s\\p{L}+ing(?:…|\\.{3})$`,
    `^${filling}\\s+(?:\\p{L}{3,}|\\b${stopKey}\\b)`,
    `^(?:${spinning}|${resting})\\s\\p{L}+ing\\b.*\\b${stopKey}\\b`
  ].join("|"),
  /** Is a row that tells of work, wherever it stands. */
  status:
    `^${drawn}${spinning}{1,4}\\s+${written}(?=.*\\p{L}{2,})\\S|^${staying}\\s+\\p{L}{2,}.*?(?:${dots}|${elapsed}|\\b${stopKey}\\b)|^${resting}\\s+\\p{L}{2,}[^\`"'•]{0,100}\\([^()]{0,60}\\b${stopKey}\\b|^${resting}\\s\\p{L}+ing(?:…|\\.{3})$|^\\p{L}+(?:…|\\.{3})\\s*\\(${elapsed}`,
  /** Is the row of a tool that runs: once it has ended, it has no ellipsis, and cannot be sent to the background. */
  running: [
    `^⎿\\s+(?:Running|Waiting|Initializing)(?: [^.…]{1,60})?(?:…|\\.{3})`,
    `^${glyph}\\s+\\p{L}+…$`,
    `^(?!⎿)${glyph}\\s+\\p{L}+\\.{3}$`,
    `^[│├└╰]─?\\s*${spinning}\\s+\\p{L}`,
    `^${resting}\\s\\p{L}+ing\\b[^\`"'•.()]{0,60}\\(${elapsed}[^()]{0,12}\\)$`,
    `^[●⏺] \\p{L}+ing\\b[^\`"“.…]{0,60}(?:…|\\.{3})$`,
    `^(?:⎿\\s+)?[█▓▒░▰▱]{4,}\\s*\\d{1,2} ?%`,
    `^[●⏺] [^\`"“]{1,80}(?:…|\\.{3}) \\(ctrl\\+`,
    `^↳\\s+\\p{L}+ing\\b[^.…]{0,60}(?:…|\\.{3})`,
    `\\(ctrl\\+b [^()]{3,40}\\)$`,
    `\\(${elapsed} [·•] \\p{L}+ ${elapsed}\\)$`
  ].join("|"),
  /**
   * Is a row right above the composer that is mostly of work, though an answer may end in one: what waits its turn, a step
   * that goes on, a list with open tasks.
   */
  near: [
    `\\b(?:queued (?:messages?|follow-up)|edit (?:last )?queued|messages to be submitted)\\b`,
    `^↳\\s+\\S`,
    `^⌥ \\+ ↑ edit`,
    `\\bretrying in \\d`,
    `^∴ Thinking\\b`,
    `^⎿\\s+Searching: `,
    `^\\+\\d+ lines \\(${elapsed}\\)$`,
    `^\\+\\d+ more tool uses\\b`,
    `^(?:⎿\\s+)?[☐◻]\\s\\S`,
    `\\(${elapsed} [·•] (?:${stopKey} to ${stops}|ctrl\\+b [^()]{3,40})\\)$`,
    `^ctrl\\+b to \\p{L}+`,
    `\\(running\\)$|\\brunning · ${elapsed}$`,
    `\\bwaiting for (?:\\p{L}+ ){0,3}(?:approval|permission|confirmation)\\b`,
    `^allow this action\\?`,
    `^[•●⏺◉◦] \\p{Lu}\\p{L}+ing\\b[^.…]{0,80}…$`,
    `^[•●⏺◉◦] (?:Cancelling|Canceling|Compacting context|Exploring|Thinking)$`,
    `^executing hooks?\\b`,
    `\\brequesting (?:user )?confirmation\\b|\\btype your feedback and press enter\\b`,
    `^(?:[╰├└│]─? ?)?⋯\\s+\\S`,
    `^indexing\\b.{0,40}\\d ?%`,
    `^elapsed ${elapsed}$`,
    `\\b\\d+ workers? running\\b`
  ].join("|"),
  /** Is a row below the composer that tells of work, or of what else takes the keys. */
  below: [
    `\\b${stopKey} again to interrupt\\b`,
    `\\btab to queue\\b`,
    `${elapsed} [·•] [↓↑] ?[\\d.,]+k? tokens\\b`,
    `^Working\\b`,
    `\\bpursuing goal\\b`,
    `\\besc back$`,
    `(?:←|\\besc\\b[^·•]{0,20}) to (?:go back|close|dismiss)\\b`
  ].join("|"),
  /** Stands where a prompt is typed, and is none. */
  busy:
    `\\bedit queued messages?\\b|\\bclose (?:the )?editor to continue\\b|\\bmust be restarted\\b|\\bto restart\\b.{0,20}\\bnow\\b`,
  /** Looks as if something were going on. */
  activity: `^${drawn}${spinning}{1,4}\\s*${written}\\S|^[^\`"“]*(?:${elapsed}.{0,30}\\b${stopKey}\\b|${interrupt})`,
  /** Begins with a glyph that only a program at work shows. */
  turning: `^${spinning}\\s`,
  interrupt,
  elapsed,
  background:
    "\\b\\d+ (?:background|running) (?:tasks?|agents?|commands?|shells?|jobs?|terminals?|process(?:es)?|bash(?:es)?)\\b|\\b\\d+ (?:background )?(?:tasks?|agents?|commands?|shells?|jobs?|terminals?|process(?:es)?|bash(?:es)?) (?:(?:is|are|still) )*running\\b|\\bwaiting (?:for|on) \\d+ (?:background )?(?:tasks?|agents?|commands?|shells?|jobs?)\\b",
  /** So many of what runs in the background. */
  counted: "\\b\\d+ (?:bash(?:es)?|shells?|tasks?|monitors?|(?:local )?agents?)\\b",
  limit:
    "\\b(?:usage|rate|session|weekly|daily|hourly|monthly|5-hour|\\d+-hour|message|quota|credit|spend(?:ing)?)\\b.{0,24}\\blimits?\\b.{0,40}\\b(?:reached|hit|exceeded|resets?|will reset|exhausted)|\\b(?:reached|hit|exceeded|exhausted|out of)\\b.{0,30}\\b(?:limits?|quota|credits)\\b",
  update:
    "\\b(?:update|upgrade|new version)\\b.{0,40}\\b(?:available|now|required|found)|\\bupdate (?:now|available)\\b|\\bskip (?:until|this) (?:next )?version",
  login:
    "\\b(?:log|logging|sign|signing|logged)[ -]?(?:in|into)\\b|\\bauthenticat|\\bapi key\\b|\\baccess token\\b|\\boauth\\b|\\b(?:login|authori[sz]ation|device|verification) code\\b",
  trust: "\\btrust\\b",
  allow:
    "\\b(?:allow|approve|permission|proceed|permit|accept|authori[sz]e|grant)\\b|\\brun (?:this|the) (?:command|tool)|\\bmake this edit|\\bdo you want to (?:run|create|edit|make|use|execute|apply)",
  pasted: "\\[\\s*past(?:e|ed)\\b[^\\]]{0,80}\\]",
  upright: "[│┃║╎╏┆┇┊┋▌▐|]"
} as const satisfies Record<string, string>

const isNamed = (name: string): name is keyof typeof named => Object.hasOwn(named, name)

/** No expression of a profile is so long. */
const longest = 1000

/** Something repeated that is itself repeated: such take time without end. */
const nested = /\((?:[^()\\]|\\.)*[*+}](?:[^()\\]|\\.)*\)(?:[*+]|\{\d+,\d*\})/

const reference = /(?<=^|\|)@([a-z-]+)(?=\||$)/g

/** With the named ones in their places; undefined: one is not known. */
const sourceOf = (source: string): string | undefined => {
  for (const [, name = ""] of source.matchAll(reference)) if (!isNamed(name)) return undefined
  return source.replace(reference, (_, name: string) => isNamed(name) ? `(?:${named[name]})` : "")
}

const compiled = (source: string): RegExp | string => {
  try {
    return new RegExp(source, "iu")
  } catch (error) {
    return error instanceof Error ? error.message : "expected a regular expression"
  }
}

/**
 * What is wrong with an expression; undefined: nothing.
 *
 * @internal
 */
export const fault = (given: string): string | undefined => {
  const source = sourceOf(given)
  if (source === undefined) return `expected one of ${Object.keys(named).map((name) => `@${name}`).join(", ")}`
  if (given.length > longest) return `expected at most ${longest} characters`
  if (nested.test(given)) return "expected no repetition of a repetition, which can take for ever"
  const regex = compiled(source)
  return typeof regex === "string" ? regex : undefined
}

const cache = new Map<string, RegExp>()
const never = /(?!)/

/**
 * The compiled expression; one that has a fault matches nothing.
 *
 * @internal
 */
export const compile = (given: string): RegExp => {
  const known = cache.get(given)
  if (known !== undefined) return known
  const source = sourceOf(given)
  const made = source === undefined ? never : compiled(source)
  const regex = typeof made === "string" ? never : made
  if (cache.size > 5000) cache.clear()
  cache.set(given, regex)
  return regex
}

/**
 * All of them at the beginning of a text, followed by a blank or nothing.
 *
 * @internal
 */
export const compilePrompt = (given: ReadonlyArray<string>): RegExp =>
  compile(`^(?:${given.map((one) => sourceOf(one) ?? "(?!)").join("|")})(?= |$)`)
