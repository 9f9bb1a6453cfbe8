/**
 * Text of a terminal or of a program's own messages as errors keep it: bounded, without what a terminal obeys, and
 * without what looks like a secret.
 *
 * @since 0.1.0
 */

/** In bytes of UTF-8. */
const limit = 1200

/** Operating system commands and strings up to their end, control sequences, and other escapes. */
const sequences =
  /(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|\u001b[ -/]*[0-~]?/g
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

const secretName = "(?:API_?KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|PRIVATE_?KEY)"
const secrets: ReadonlyArray<readonly [RegExp, string]> = [
  // NAME=value, "name": "value"
  [
    new RegExp(
      `((?:^|[^A-Za-z0-9])(?:\\w*_)?${secretName}(?:_\\w*)?["']?\\s*[=:]\\s*)(?:"[^"]*"|'[^']*'|[^\\s"',;]+)`,
      "gim"
    ),
    "$1***"
  ],
  // --token value
  [new RegExp(`(--(?:[\\w-]*-)?${secretName.replaceAll("_?", "[-_]?")}[ =])\\S+`, "gi"), "$1***"],
  [/\b(bearer\s+)[\w.~+/=-]{8,}/gi, "$1***"],
  [/(\w+:\/\/[^\s:/@]*:)[^\s@/]+@/g, "$1***@"],
  [
    /\b(?:sk-[\w-]{16,}|gh[opsur]_\w{20,}|github_pat_\w{20,}|xox[abprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)/g,
    "***"
  ]
]

const scrub = (text: string): string =>
  secrets.reduce((scrubbed, [pattern, replacement]) => scrubbed.replace(pattern, replacement), text)

/**
 * How many bytes the text takes in UTF-8.
 *
 * @category reading
 * @since 0.1.0
 */
export const byteLength = (text: string): number => {
  let bytes = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) bytes += 1
    else if (unit < 0x800) bytes += 2
    else if (unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) {
      bytes += 4
      at += 1
    } else bytes += 3
  }
  return bytes
}

const cut = (text: string, bytes: number): string => {
  if (byteLength(text) <= bytes) return text
  let room = bytes - 3
  let kept = ""
  for (const character of text) {
    room -= byteLength(character)
    if (room < 0) break
    kept += character
  }
  return `${kept}...`
}

/**
 * The beginning of the text, for messages. TAB and LF stay.
 *
 * @category printing
 * @since 0.1.0
 */
export const excerpt = (text: string, bytes: number = limit): string => {
  // what is cut off anyway need not be read
  const near = text.slice(0, 4 * bytes)
  return cut(scrub(near.replace(sequences, "").replace(controls, "")), bytes)
}

/**
 * How many rows at the end of a screen are kept, each as {@link excerpt} leaves it.
 *
 * @category printing
 * @since 0.1.0
 */
export const lastRows = (rows: ReadonlyArray<string>): ReadonlyArray<string> => {
  const kept: Array<string> = []
  let room = limit
  for (const row of rows.toReversed()) {
    const line = excerpt(row, room)
    room -= byteLength(line) + 1
    if (room < 0 && kept.length > 0) break
    kept.unshift(line)
    if (room <= 0) break
  }
  return kept
}
