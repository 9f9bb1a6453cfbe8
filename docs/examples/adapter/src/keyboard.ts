/**
 * What the kernel does for a program in a terminal while it reads lines: it echoes, collects a line until Enter, and
 * knows Ctrl-C, Ctrl-D, Ctrl-U and Backspace. Pipes have no kernel in between, so the adapter does it.
 */

/** What was typed, cooked. */
export interface Cooked {
  /** The line that has not been submitted. */
  readonly line: string
  /** What the screen shows of the typing. */
  readonly echo: string
  /** What the program gets to read. */
  readonly input: string
  /** Ctrl-C was typed. */
  readonly interrupt: boolean
  /** Ctrl-D was typed on an empty line. A pipe ends once and for all. */
  readonly end: boolean
}

/** As long as a line of a kernel's terminal. What is too long is dropped, as there. */
const longest = 4095

const isControl = (character: string): boolean => character < " " || character === "\u007f"

const shown = (character: string): string =>
  isControl(character) && character !== "\t"
    ? `^${String.fromCharCode(character.charCodeAt(0) ^ 0x40)}`
    : character

/** Goes back over characters that take one column each, or two as `^X`. */
const rubbed = (text: string): string => "\b \b".repeat(Array.from(text, shown).join("").length)

export const cook = (before: string, text: string): Cooked => {
  let line = before
  let echo = ""
  let input = ""
  let interrupt = false
  let end = false
  for (const character of text) {
    if (character === "\r" || character === "\n") {
      input += `${line}\n`
      echo += "\n"
      line = ""
    } else if (character === "\u0003") {
      interrupt = true
      echo += "^C\n"
      line = ""
    } else if (character === "\u0004") {
      if (line === "") end = true
      input += line
      line = ""
    } else if (character === "\u0015") {
      echo += rubbed(line)
      line = ""
    } else if (character === "\u007f" || character === "\b") {
      const kept = Array.from(line)
      echo += rubbed(kept.pop() ?? "")
      line = kept.join("")
    } else if (Buffer.byteLength(line + character) <= longest) {
      line += character
      echo += shown(character)
    }
  }
  return { line, echo, input, interrupt, end }
}
