/**
 * Commands as tmux reads them: as a line of the control stream or of `source-file`, and as words of an argv.
 */

/** A text, or commands that the command runs, as those of `if-shell`. */
type Argument = string | { readonly run: ReadonlyArray<Command> }

/** A command of tmux by its full name. Texts among its arguments arrive byte for byte. */
export type Command = readonly [name: string, ...args: ReadonlyArray<Argument>]

/** Nothing in it means anything to tmux: no format, no variable, no assignment, no comment. */
const plain = /^(?:-[A-Za-z]+|@?[A-Za-z0-9_]+)$/

const doubled = (text: string) => text.replaceAll(/[\\"$~]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\r", "\\r")

/**
 * One word of a line. tmux reads C strings, so that a NUL cannot be in one: it becomes U+FFFD, and what follows is kept.
 */
export const word = (text: string): string => {
  if (plain.test(text)) return text
  const whole = text.includes("\0") ? text.replaceAll("\0", "\u{fffd}") : text
  return /['\n\r]/.test(whole) ? `"${doubled(whole)}"` : `'${whole}'`
}

/**
 * A user's alias replaces a command by its full name only, and tmux takes any unambiguous beginning of a name: without
 * the last letter the command is the real one.
 */
const unaliased = (name: string): string => name.slice(0, -1)

const argument = (arg: Argument): string => typeof arg === "string" ? word(arg) : `{ ${group(arg.run)} }`

const command = ([name, ...args]: Command): string => {
  let text = unaliased(name)
  for (const arg of args) text += ` ${argument(arg)}`
  return text
}

/**
 * Commands as one line: each runs after the other, and none after one that failed. The line has no line end, and is
 * never empty: an empty one would detach the client.
 */
export const group = (commands: ReadonlyArray<Command>): string => commands.map(command).join(" ; ")

/** One word of an argv. A `;` at its end would end the command. */
export const argv = (text: string): string => text.endsWith(";") ? `${text.slice(0, -1)}\\;` : text

/**
 * A text where tmux expands formats, as in names, titles and directories: it comes out as it is, and runs nothing. A
 * `#` is doubled, except before `[`, where tmux leaves all of them alone.
 */
export const literal = (text: string): string => text.replaceAll(/#+\[?/g, (run) => run.endsWith("[") ? run : run + run)
