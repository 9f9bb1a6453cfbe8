/**
 * Captured text as errors, events and logs keep it: bounded, without what a terminal obeys, without what looks like a
 * secret.
 *
 * @since 0.1.0
 */
import { withoutControls } from "../internal/controls.ts"
import { logicalLines } from "./lines.ts"
import type { Screen } from "./records.ts"

const masked = "***"

const keyword = "(?:api[_.-]?key|token|secret|password|passwd|passphrase|credentials?|private[_.-]?key)"
/** A name that holds the word alone or beside `_`, `-` or `.`: `GITHUB_TOKEN` and `TOKEN_COUNT`, not `MAX_TOKENS`. */
const name = `[A-Za-z0-9_.-]{0,80}?${keyword}(?:[_.-][A-Za-z0-9_.-]{0,80})?`
/** Up to the closing quote, or to where a shell, JSON or a URL would end it. */
const value = "(?:\"(?:[^\"\\\\\\n]|\\\\.)*\"?|'[^'\\n]*'?|[^\\s\"'`,;&|()\\[\\]{}<>]+)"
/** A name begins where a word begins: a word is tried once, not once for each of its characters. */
const begins = "(?<![A-Za-z0-9_.-])"

const secrets: ReadonlyArray<readonly [RegExp, string]> = [
  // a key file, also when its end is not on the screen
  [/(-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----)[^]*?(?:-----END [A-Z ]{0,20}PRIVATE KEY-----|$)/g, `$1 ${masked}`],
  [/(?:^[A-Za-z0-9+/=]{1,80}\n){1,60}(?=-----END [A-Z ]{0,20}PRIVATE KEY-----)/gm, `${masked}\n`],
  // Authorization: Bearer ..., Basic ...
  [/\b(bearer|basic)([ \t]+)[A-Za-z0-9._~+/=-]{8,}/gi, `$1$2${masked}`],
  // --token value
  [new RegExp(`${begins}(--?${name}[ \\t]+)(?!-)${value}`, "gi"), `$1${masked}`],
  // NAME=value, name: value, "name": "value", NAME => value
  [new RegExp(`${begins}(${name}["'\`]?[ \\t]*(?:=>|:=|[=:])[ \\t]*)(?!\\*\\*\\*)${value}`, "gi"), `$1${masked}`],
  // user:password@host
  [/\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{0,256}:)[^\s/@]{1,256}@/gi, `$1${masked}@`],
  // the forms of well-known issuers
  [
    /\b(?:sk-[A-Za-z0-9_-]{16,}|gh[oprsu]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|npm_[A-Za-z0-9]{30,}|xox[abeprs]-[A-Za-z0-9-]{10,}|A[KS]IA[0-9A-Z]{16}|AIza[A-Za-z0-9_-]{30,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?)/g,
    masked
  ]
]

/**
 * The text with the values of what looks like a secret replaced by `***`: values of names such as `GITHUB_TOKEN`,
 * `apiKey` or `--password`, bearer and basic credentials, passwords in URLs, private keys, and tokens in the form of
 * well-known issuers. A guess in both directions: a secret without a name or a known form stays.
 *
 * @category printing
 * @since 0.1.0
 */
export const scrub = (text: string): string =>
  secrets.reduce((scrubbed, [pattern, replacement]) => scrubbed.replace(pattern, replacement), text)

/** In bytes of UTF-8. */
const limit = 1200

const bytesOf = (character: string): number => {
  const code = character.codePointAt(0) ?? 0
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
}

/** The end of the text in that many bytes, cut between two characters. A lone surrogate takes the 3 bytes of U+FFFD. */
const lastBytes = (text: string, bytes: number): string => {
  const mark = "..."
  let room = bytes
  let fits = text.length
  let at = text.length
  while (at > 0) {
    const before = (text.charCodeAt(at - 1) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 2) & 0xfc00) === 0xd800
      ? at - 2
      : at - 1
    room -= bytesOf(text.slice(before, at))
    if (room < 0) return bytes < mark.length ? "" : mark + text.slice(fits)
    at = before
    if (room < mark.length) continue
    fits = at
  }
  return text
}

/**
 * The end of a screen or of a text, where a prompt or a question stands: at most 1200 bytes of UTF-8, without control
 * characters but TAB and LF, without blank lines at its end, and scrubbed. A screen is read by logical lines, so that a
 * secret is found although the terminal wrapped it.
 *
 * @category printing
 * @since 0.1.0
 */
export const excerpt = (source: string | Screen, bytes: number = limit): string => {
  const text = typeof source === "string"
    ? source
    : logicalLines(source).map((line) => line.text).join("\n")
  return lastBytes(scrub(withoutControls(text)).trimEnd(), bytes)
}
