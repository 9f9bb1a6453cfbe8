/** The language of the virtual shell, as far as it goes. */

type Part =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Variable"; readonly name: string }
  | { readonly _tag: "Substitution"; readonly script: string }

export type Word = ReadonlyArray<Part>

/** `join`: how it depends on the command before. */
export interface Command {
  readonly join: ";" | "&&" | "||"
  readonly words: ReadonlyArray<Word>
  /** What it prints goes nowhere, or its complaints do. */
  readonly silent: { readonly output: boolean; readonly errors: boolean }
  /** Instead of words: a choice by a text, of which the first pattern that fits counts. */
  readonly choice?: {
    readonly subject: Word
    readonly arms: ReadonlyArray<{ readonly pattern: RegExp; readonly script: string }>
  }
}

export const assignment = /^([A-Za-z_]\w*)=([^]*)$/

/** The line that the contract's `run` types around a command. */
export const isRun = (text: string): boolean => /^ .*printf '%s%s\\n' '[\w-]+' '\w+'[^]*; (?:command )?eval /.test(text)

const token =
  /(?<blank>[ \t]+)|(?<end>\n|;)|(?<join>&&|\|\|)|'(?<single>[^']*)'|(?<double>")|\\(?<escaped>[^])|\$(?:(?<name>[?-]|[A-Za-z_]\w*)|\{(?<braced>\w+|\?)\}|(?<open>\())|(?<plain>[^\s;&|'"\\$`<>()]+|\$)|(?<other>[^])/y
const redirection = /(?<fd>\d*)(?:>>?[ \t]*(?<file>[^\s;&|<>()]+)|>&(?<to>\d))/y
const brace = /[{}](?=\s|;|$)/y
const choice = /case[ \t]+(\S+)[ \t\n]+in[ \t\n]*/y
const arm = /[ \t\n]*(?:(esac)(?=\s|;|\)|$)|\(?([^()\n]*)\)[ \t\n]*)/y
const inside =
  /\\(?<escaped>[$`"\\])|\$(?:(?<name>[?-]|[A-Za-z_]\w*)|\{(?<braced>\w+|\?)\}|(?<open>\())|(?<end>")|(?<plain>[^])/y

const globs: Readonly<Record<string, string>> = { "*": "[^]*", "?": "[^]" }
const matching = (pattern: string): RegExp =>
  new RegExp(`^(?:${pattern.replaceAll(/[^\w|]/g, (one) => globs[one] ?? `\\${one}`)})$`)

/** Where the text `;;` stands outside quotes, or the parenthesis that was opened before `from` closes; -1: nowhere. */
const closing = (text: string, from: number, end: ")" | ";;" = ")"): number => {
  let depth = 1
  let at = from
  while (at < text.length) {
    const character = text[at]
    if (depth === 1 && end === ";;" && text.startsWith(end, at)) return at
    if (character === "\\") at += 1
    else if (character === "'") {
      const quote = text.indexOf("'", at + 1)
      if (quote === -1) return -1
      at = quote
    } else if (character === "(") depth += 1
    else if (character === ")" && --depth === 0) return at
    at += 1
  }
  return -1
}

/** The commands, or what is wrong with them. */
export const parse = (text: string): ReadonlyArray<Command> | string => {
  const commands: Array<Command> = []
  let join: Command["join"] = ";"
  let words: Array<Word> = []
  let word: Array<Part> | undefined
  let silent = { output: false, errors: false }
  let at = 0

  const add = (part: Part) => {
    word = [...word ?? [], part]
  }
  const endWord = () => {
    if (word !== undefined) words.push(word)
    word = undefined
  }
  const endCommand = (next: Command["join"]) => {
    endWord()
    if (words.length > 0) commands.push({ join, words, silent })
    words = []
    silent = { output: false, errors: false }
    join = next
  }
  /** Reads `$(...)` from behind its parenthesis. */
  const substitution = (): boolean => {
    const end = closing(text, at)
    if (end === -1) return false
    add({ _tag: "Substitution", script: text.slice(at, end) })
    at = end + 1
    return true
  }
  const quoted = (): boolean => {
    add({ _tag: "Text", text: "" })
    while (at < text.length) {
      inside.lastIndex = at
      const found: Partial<Record<string, string>> = inside.exec(text)?.groups ?? {}
      at = inside.lastIndex
      if (found["end"] !== undefined) return true
      const name = found["name"] ?? found["braced"]
      if (found["open"] !== undefined) { if (!substitution()) return false }
      else if (name !== undefined) add({ _tag: "Variable", name })
      else add({ _tag: "Text", text: found["escaped"] ?? found["plain"] ?? "" })
    }
    return false
  }

  /** What can only be redirected is what nobody shall see. */
  const redirected = (): boolean | undefined => {
    redirection.lastIndex = at
    const found: Partial<Record<string, string>> | undefined = redirection.exec(text)?.groups
    if (found === undefined || word !== undefined) return undefined
    const { fd = "", file, to } = found
    at = redirection.lastIndex
    if (file !== undefined && file !== "/dev/null") return false
    if (to !== undefined) return fd === "2" && to === "1"
    silent = fd === "2" ? { ...silent, errors: true } : { ...silent, output: true }
    return true
  }
  /** Reads `case` from its subject to `esac`. */
  const chosen = (): boolean | undefined => {
    choice.lastIndex = at
    const [, of] = choice.exec(text) ?? []
    if (of === undefined) return undefined
    at = choice.lastIndex
    const subject = parse(of)
    const arms: Array<{ readonly pattern: RegExp; readonly script: string }> = []
    for (;;) {
      arm.lastIndex = at
      const found = arm.exec(text)
      if (found === null || typeof subject === "string") return false
      at = arm.lastIndex
      const [, end, pattern = ""] = found
      if (end !== undefined) {
        commands.push({ join, words: [], silent, choice: { subject: subject[0]?.words[0] ?? [], arms } })
        return true
      }
      const after = closing(text, at, ";;")
      if (after === -1) return false
      arms.push({ pattern: matching(pattern), script: text.slice(at, after) })
      at = after + 2
    }
  }

  while (at < text.length) {
    if (word === undefined && words.length === 0) {
      brace.lastIndex = at
      if (brace.test(text)) {
        at = brace.lastIndex
        continue
      }
      const choose = chosen()
      if (choose === false) return "case is not understood here"
      if (choose === true) continue
    }
    const redirect = redirected()
    if (redirect === false) return "redirection is not understood here"
    if (redirect === true) continue
    if (word === undefined && text[at] === "#") {
      const end = text.indexOf("\n", at)
      at = end === -1 ? text.length : end
      continue
    }
    token.lastIndex = at
    const found: Partial<Record<string, string>> = token.exec(text)?.groups ?? {}
    at = token.lastIndex
    const name = found["name"] ?? found["braced"]
    const plain = found["single"] ?? found["escaped"] ?? found["plain"]
    if (found["blank"] !== undefined) endWord()
    else if (found["end"] !== undefined) endCommand(";")
    else if (found["join"] !== undefined) endCommand(found["join"] === "&&" ? "&&" : "||")
    else if (found["double"] !== undefined) { if (!quoted()) return "unterminated quoted string" }
    else if (found["open"] !== undefined) { if (!substitution()) return "unterminated $(" }
    else if (name !== undefined) add({ _tag: "Variable", name })
    else if (plain !== undefined) add({ _tag: "Text", text: plain })
    else return `${found["other"] ?? ""} is not understood here`
  }
  endCommand(";")
  return commands
}

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\u0007",
  b: "\b",
  e: "\u001b",
  "\\": "\\"
}
/** As printf and its `%b` read a text. */
export const unescape = (text: string): string =>
  text.replaceAll(
    /\\(?:(0?[0-7]{1,3})|x([\da-fA-F]{1,2})|(.))/g,
    (whole, octal?: string, hex?: string, letter?: string) =>
      octal !== undefined
        ? String.fromCharCode(Number.parseInt(octal, 8))
        : hex !== undefined
        ? String.fromCharCode(Number.parseInt(hex, 16))
        : escapes[letter ?? ""] ?? whole
  )

/** A word that needs no shell to be read: text, and text that `printf %b` makes. */
const plainOf = (word: Word): string =>
  word.map((part) => {
    if (part._tag === "Text") return part.text
    const script = part._tag === "Substitution" ? parse(part.script) : ""
    const [name, format, text] = typeof script === "string" ? [] : script[0]?.words.map(plainOf) ?? []
    return name === "printf" && format === "%b" && text !== undefined ? unescape(text).replace(/\n+$/, "") : ""
  }).join("")

/** The command in the line that `run` types around it. */
export const commandIn = (text: string): string | undefined => {
  if (!isRun(text)) return undefined
  const script = parse(text)
  if (typeof script === "string") return undefined
  const words = script.map((command) => command.words).find(([first = [], second = []]) =>
    [plainOf(first), plainOf(second)].includes("eval")
  )
  const last = words?.at(-1)
  return last === undefined ? undefined : plainOf(last)
}
