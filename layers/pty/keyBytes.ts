/** What a key sends to a program in a terminal like xterm. */
import type * as Keys from "../../src/Keys.ts"

const plain = new Map<string, string>([
  ["Enter", "\r"],
  ["Tab", "\t"],
  ["Escape", "\x1b"],
  ["Backspace", "\x7f"],
  ["Space", " "]
])
const cursor = new Map<string, string>([["Up", "A"], ["Down", "B"], ["Right", "C"], ["Left", "D"], ["Home", "H"], [
  "End",
  "F"
]])
const numbered = new Map<string, number>([["Delete", 3], ["PageUp", 5], ["PageDown", 6]])

const control = (character: string): string => {
  if (character === " ") return "\0"
  if (character === "?") return "\x7f"
  return String.fromCharCode((character.toUpperCase().codePointAt(0) ?? 0) & 0x1f)
}

/** `application`: the program switched the cursor keys to application mode. */
export const of = (key: Keys.Key, application: boolean): string => {
  const modifier = 1 + (key.shift ? 1 : 0) + (key.alt ? 2 : 0) + (key.ctrl ? 4 : 0)
  const final = cursor.get(key.base)
  if (final !== undefined) {
    return modifier > 1
      ? `\x1b[1;${modifier}${final}`
      : application
      ? `\x1bO${final}`
      : `\x1b[${final}`
  }
  const number = numbered.get(key.base)
  if (number !== undefined) return modifier > 1 ? `\x1b[${number};${modifier}~` : `\x1b[${number}~`
  if (key.base === "Tab" && key.shift) return "\x1b[Z"
  const character = plain.get(key.base) ?? key.base
  const pressed = key.ctrl && (character === " " || key.base.length === 1)
    ? control(character)
    : key.shift
    ? character.toUpperCase()
    : character
  return key.alt ? `\x1b${pressed}` : pressed
}
