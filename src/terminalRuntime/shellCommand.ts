/**
 * A command as it is typed into a POSIX shell so that its end, its exit code and its own output can be told from
 * everything else on the screen.
 *
 * Two lines are printed around the output, each put together by `printf` from parts, so that what is typed contains
 * neither. The command runs in the shell itself, by `eval`: `cd` and variables stay, a comment or a syntax error in it
 * does not reach the line that tells its end.
 *
 * A shell that is set to trace what it runs (`set -x`) traces the command, as it does when a person types it, and nothing
 * of what is typed around it.
 *
 * @since 0.1.0
 */

/**
 * @internal
 */
export interface ShellCommand {
  /** One line. */
  readonly typed: string
  /** Finds the line that tells the end; its first group is the exit code. */
  readonly end: RegExp
  /**
   * The output between the two lines, exactly as it was printed, with its last newline if it had one. Undefined: the end
   * is not among the lines. `truncated`: its beginning is not.
   */
  readonly outputIn: (
    lines: ReadonlyArray<string>
  ) => { readonly output: string; readonly truncated: boolean } | undefined
}

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

const special = /[\n\r\t\\]/g
const escapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\n", "\t": "\\t", "\\": "\\\\" }

/** Typed newlines would submit and tabs complete, so `printf` makes them. */
const evaluated = (command: string): string =>
  /[\n\r\t]/.test(command)
    ? `"$(printf %b ${quoted(command.replaceAll("\r\n", "\n").replaceAll(special, (one) => escapes[one] ?? one))})"`
    : quoted(command)

/** Colours and styles around the lines, where they are captured. */
const styles = /\u001b\[[0-9;:]*m/g

const begins = "pw-b"
const ends = "pw-e"

/**
 * `nonce`: letters and digits that occur nowhere else on the screen. The blank at the front keeps the line out of the
 * history of shells that are set to that.
 *
 * @internal
 */
export const shellCommand = (command: string, nonce: string): ShellCommand => {
  const begin = `${begins}${nonce}`
  const end = `${ends}${nonce}:`
  // the trace of a command in such braces is gone with its errors, and the setting stays as it is
  const untraced = (line: string) => `{ ${line}; } 2>/dev/null`
  // where `eval` is traced, the first line is printed once more by what it runs, below that trace
  const again = String.raw`printf '{ printf %%s%%s\\\\n ${begins} "${nonce}"; } 2>/dev/null\n '`
  const below = `"$(${untraced(`case $- in (*x*) ${again};; esac`)})"`
  // an error in `eval` would end the whole line in some shells; `command` keeps it to the command
  const typed = ` ${untraced(String.raw`printf '%s%s\n' '${begins}' '${nonce}'`)}` +
    `; command eval ${below} ${evaluated(command)}; ` +
    untraced(String.raw`printf '\n\033[K%s%s:%s\n' '${ends}' '${nonce}' "$?"`)

  return {
    typed,
    end: new RegExp(`^${end}(\\d+)$`),
    outputIn: (lines) => {
      const plain = lines.map((line) => line.replaceAll(styles, ""))
      const last = plain.findLastIndex((line) => line.startsWith(end))
      if (last === -1) return undefined
      // what was typed before the shell was ready is run behind its prompt
      const first = plain.slice(0, last).findLastIndex((line) => line.endsWith(begin))
      if (first !== -1) return { output: lines.slice(first + 1, last).join("\n"), truncated: false }
      // its beginning is gone: what stands behind rows of an earlier command may be that one's
      const before = plain.slice(0, last)
      const typedAt = before.findLastIndex((line) => line.includes(begins) || line.includes(ends))
      const ours = typedAt === -1 || before[typedAt]?.includes(nonce) === true
      return { output: ours ? lines.slice(typedAt + 1, last).join("\n") : "", truncated: true }
    }
  }
}
