/**
 * A command as it is typed into a shell so that its end, its exit code and its own output can be told from everything
 * else that the terminal shows.
 *
 * Two lines are printed around the output, each put together by `printf` from parts, so that what is typed contains
 * neither. The command runs in the shell itself, by `eval`: `cd` and variables stay, a comment or a syntax error in it
 * does not reach the line that tells its end.
 *
 * A shell of sh's kind that is set to trace what it runs (`set -x`) traces the command, as it does when a person types
 * it, and nothing of what is typed around it.
 *
 * @since 0.1.0
 */
import type { Language } from "./shells.ts"

/**
 * @internal
 */
export interface ShellCommand {
  /** One line. */
  readonly typed: string
  /** What tells it from every other. */
  readonly nonce: string
  /** The line above the output ends in it. */
  readonly begin: string
  /** The line below the output begins with it, and goes on with the exit code. */
  readonly end: string
}

/**
 * Stands before the lower line, so that nothing that the command left on the row is taken for a part of it.
 *
 * @internal
 */
export const clearing = "\u001b[K"

const begins = "pw-b"
const ends = "pw-e"

/**
 * Whether a line is one of those around the output of a command, whichever.
 *
 * @internal
 */
export const isAround = (line: string): boolean => line.includes(begins) || line.includes(ends)

const special = /[\n\t\\!]/g
const escapes: Readonly<Record<string, string>> = { "\n": "\\n", "\t": "\\t", "\\": "\\\\", "!": "\\0041" }

const inSingle = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** Typed newlines would submit and tabs complete, so `printf` makes them. */
const quotedForSh = (command: string): string =>
  /[\n\t]/.test(command)
    ? `"$(printf %b ${inSingle(command.replaceAll(special, (one) => escapes[one] ?? one))})"`
    : inSingle(command)

/** Between quotes fish knows two escapes; newlines and tabs have theirs outside of them. */
const quotedForFish = (command: string): string =>
  `'${
    command.replaceAll(/['\\]/g, String.raw`\$&`).replaceAll("\n", String.raw`'\n'`).replaceAll("\t", String.raw`'\t'`)
  }'`

/** A line that a shell prints of two parts. */
const upper = (nonce: string) => String.raw`printf '%s%s\n' '${begins}' '${nonce}'`
const lower = (nonce: string, status: string) => String.raw`printf '\n\033[K%s%s:%s\n' '${ends}' '${nonce}' "${status}"`

const ofSh = (evaluate: string) => (command: string, nonce: string, statusFile: string | undefined): string => {
  // the trace of a command in such braces is gone with its errors, and the setting stays as it is
  const untraced = (line: string) => `{ ${line}; } 2>/dev/null`
  // where `eval` is traced, the first line is printed once more by what it runs, below that trace
  const again = String.raw`printf '{ printf %%s%%s\\\\n ${begins} "${nonce}"; } 2>/dev/null\n '`
  const below = `"$(${untraced(`case $- in (*x*) ${again};; esac`)})"`
  const evaluated = `${evaluate} ${below} ${quotedForSh(command)}`
  if (statusFile === undefined) {
    return [untraced(upper(nonce)), evaluated, untraced(lower(nonce, "$?"))].join("; ")
  }
  const file = inSingle(statusFile)
  const ours = `while IFS= read -r paneway_t; do case $paneway_t in (*${nonce}*) trap - EXIT;; esac; done <${file}`
  return [
    // a trap that the user has set stays, and then the file holds no code
    untraced(`trap >|${file}; [ -s ${file} ] || trap ${inSingle(`printf %s "$?" >|${file}`)} EXIT`),
    untraced(upper(nonce)),
    evaluated,
    // so does one that the command has set
    untraced(`paneway_s=$?; trap >|${file}; ${ours}`),
    untraced(`${lower(nonce, "$paneway_s")}; unset paneway_s paneway_t`)
  ].join("; ")
}

const ofFish = (command: string, nonce: string, statusFile: string | undefined): string => {
  const name = `__paneway_${nonce}`
  return [
    upper(nonce),
    ...(statusFile === undefined
      ? []
      : [`function ${name} --on-event fish_exit; printf %s $status >${quotedForFish(statusFile)}; end`]),
    `eval ${quotedForFish(command)}`,
    lower(nonce, "$status"),
    ...(statusFile === undefined ? [] : [`functions -e ${name}`])
  ].join("; ")
}

/** An error in `eval` would end the whole line in some shells; there `command` keeps it to the command. */
const lines: Readonly<Record<Language, typeof ofFish>> = {
  sh: ofSh("command eval"),
  // where `command` means programs only
  zsh: ofSh("eval"),
  fish: ofFish
}

/**
 * `nonce`: letters and digits that occur nowhere else on the screen. `statusFile`: a shell that the command ends leaves
 * its exit code there; its name holds the nonce. The blank at the front keeps the line out of the history of shells that are set to that.
 *
 * @internal
 */
export const shellCommand = (
  command: string,
  nonce: string,
  { language = "sh", statusFile }: { readonly language?: Language; readonly statusFile?: string | undefined } = {}
): ShellCommand => ({
  typed: ` ${lines[language](command.replaceAll(/\r\n?/g, "\n"), nonce, statusFile)}`,
  nonce,
  begin: `${begins}${nonce}`,
  end: `${ends}${nonce}:`
})
