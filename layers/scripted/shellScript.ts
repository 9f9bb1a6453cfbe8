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
}

export const assignment = /^([A-Za-z_]\w*)=([^]*)$/

/** The line that the contract's `run` types around a command. */
export const isRun = (text: string): boolean => /^ printf '%s%s\\n' '[^']*' '[^']*'; command eval /.test(text)

const token =
  /(?<blank>[ \t]+)|(?<end>\n|;)|(?<join>&&|\|\|)|'(?<single>[^']*)'|(?<double>")|\\(?<escaped>[^])|\$(?:(?<name>\?|[A-Za-z_]\w*)|\{(?<braced>\w+|\?)\}|(?<open>\())|(?<plain>[^\s;&|'"\\$`<>()]+|\$)|(?<other>[^])/y
const inside =
  /\\(?<escaped>[$`"\\])|\$(?:(?<name>\?|[A-Za-z_]\w*)|\{(?<braced>\w+|\?)\}|(?<open>\())|(?<end>")|(?<plain>[^])/y

/** Where the parenthesis that was opened before `from` closes; -1: nowhere. */
const closing = (text: string, from: number): number => {
  let depth = 1
  let at = from
  while (at < text.length) {
    const character = text[at]
    if (character === "\\") at += 1
    else if (character === "'") {
      const end = text.indexOf("'", at + 1)
      if (end === -1) return -1
      at = end
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
    if (words.length > 0) commands.push({ join, words })
    words = []
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

  while (at < text.length) {
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
