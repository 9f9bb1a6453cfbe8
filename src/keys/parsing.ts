/**
 * The spellings of keys: those of tmux, of kitty, of herdr, and the mixtures that people write.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import { isOneCharacter, type Key, make, type Modifiers, Named } from "./key.ts"

/**
 * What a caller may write: a parsed key, or a tmux (`C-x`), herdr, kitty or `ctrl+x` spelling.
 *
 * @category models
 * @since 0.1.0
 */
export type Input = Key | string

/** Other names of the named keys, in lower case and without `_` and `-`. */
const others: ReadonlyArray<readonly [Named, ReadonlyArray<string>]> = [
  ["Escape", ["esc"]],
  ["Backspace", ["bs", "bspace"]],
  ["Space", ["spc", "spacebar"]],
  ["Insert", ["ins", "ic"]],
  ["Delete", ["del", "dc"]],
  ["PageUp", ["pgup", "ppage", "prior"]],
  ["PageDown", ["pgdn", "pgdown", "npage", "next"]],
  ["Up", ["arrowup", "uparrow"]],
  ["Down", ["arrowdown", "downarrow"]],
  ["Left", ["arrowleft", "leftarrow"]],
  ["Right", ["arrowright", "rightarrow"]],
  ["KPDecimal", ["kp."]],
  ["KPDivide", ["kp/"]],
  ["KPMultiply", ["kp*"]],
  ["KPAdd", ["kp+"]],
  ["KPEqual", ["kp="]]
]

/** Characters that have a name, because they separate or are awkward to write. */
const characters: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ["-", ["minus", "hyphen"]],
  ["+", ["plus"]],
  ["=", ["equal", "equals"]],
  [",", ["comma"]],
  [".", ["period", "dot"]],
  ["/", ["slash"]],
  ["\\", ["backslash"]],
  ["'", ["quote", "apostrophe"]],
  ["\"", ["doublequote"]],
  [";", ["semicolon"]],
  [":", ["colon"]],
  ["%", ["percent"]],
  ["&", ["ampersand"]],
  ["`", ["backtick", "grave", "graveaccent"]],
  ["[", ["leftbracket"]],
  ["]", ["rightbracket"]]
]

const names: ReadonlyMap<string, Key["base"]> = new Map([
  ...Named.literals.map((name) => [name.toLowerCase(), name] as const),
  ...[...others, ...characters].flatMap(([base, spellings]) => spellings.map((name) => [name, base] as const))
])

const nameOf = (text: string): Key["base"] | undefined => {
  const lower = text.toLowerCase()
  if (lower === "kp-") return "KPSubtract"
  return names.get(lower) ?? names.get(lower.replaceAll(/[_-]/g, ""))
}

type Modifier = keyof Modifiers

const modifiers: ReadonlyMap<string, Modifier> = new Map<string, Modifier>([
  ["c", "ctrl"],
  ["ctrl", "ctrl"],
  ["control", "ctrl"],
  ["m", "alt"],
  ["alt", "alt"],
  ["opt", "alt"],
  ["option", "alt"],
  ["meta", "alt"],
  ["s", "shift"],
  ["shift", "shift"]
])

/** tmux's letters take `-` only; `c+x` is in no program's language. */
const prefix = /^(?:([cms])-|(ctrl|control|alt|opt|option|meta|shift)[+-])(?=[^])/i

/** Both programs and people write the same key in several ways; what it sends is the same. */
const canonical = (base: Key["base"], held: Record<Modifier, boolean>): Key => {
  if (!/^[A-Za-z]$/.test(base)) return make(base, held)
  if (held.ctrl) return make(base.toLowerCase(), held)
  return held.shift ? make(base.toUpperCase(), { ...held, shift: false }) : make(base, held)
}

/**
 * Reads one key. Names and modifiers are read in any case, a character keeps its own: `M-x` and `M-X` are two keys. With
 * Ctrl a letter has no case. The failure is the text that is no key.
 *
 * Read are tmux's names (`C-c`, `^C`, `M-x`, `S-Up`, `BTab`, `PPage`, `DC`, `KPEnter`), kitty's and herdr's (`ctrl+c`,
 * `shift+tab`, `page_up`, `kp_enter`, `escape`), and `ctrl-c`. Modifiers that a program in a terminal never gets, such
 * as `super`, make no key.
 *
 * @category parsing
 * @since 0.1.0
 */
export const parse = (input: Input): Result.Result<Key, string> => {
  if (typeof input !== "string") return Result.succeed(input)
  const text = input.replaceAll(/^[ \t\n\v\f\r]+|[ \t\n\v\f\r]+$/g, "")
  const held = { ctrl: false, alt: false, shift: false }
  let rest = text
  if (text.length > 1 && text.startsWith("^") && !isOneCharacter(text)) {
    held.ctrl = true
    rest = text.slice(1)
  }
  for (let found = prefix.exec(rest); found !== null; found = prefix.exec(rest)) {
    const modifier = modifiers.get((found[1] ?? found[2] ?? "").toLowerCase())
    if (modifier !== undefined) held[modifier] = true
    rest = rest.slice(found[0].length)
  }
  if (isOneCharacter(rest)) return Result.succeed(canonical(rest, held))
  if (/^(?:btab|back_?tab)$/i.test(rest)) return Result.succeed(make("Tab", { ...held, shift: true }))
  const name = nameOf(rest)
  if (name === undefined || (name === "CancelMode" && rest !== text)) return Result.fail(input)
  return Result.succeed(canonical(name, held))
}
