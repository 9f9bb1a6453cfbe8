/**
 * Data from a pipe on its way through a terminal's line discipline.
 *
 * A terminal in canonical mode acts on control characters, echoes, and cuts lines of 4096 bytes. For piped data the echo
 * and all special characters are switched off before the program starts, except end of file and the quote (Ctrl-V), so
 * that every byte can be passed and the end be told.
 */
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import * as Programs from "../internal/programs.ts"
import type { PtyProcess } from "./process.ts"

const endOfFile = 0x04
const quote = 0x16
const newline = 0x0a
/** Bytes of one line after which the part is handed to the reader: below the 4095 of Linux, the 1024 of macOS. */
const longestPart = process.platform === "darwin" ? 1000 : 4000

/** Encodes chunk after chunk; knows how far into a line it is. */
export const make = () => {
  let column = 0
  return {
    encode: (bytes: Uint8Array): Uint8Array => {
      const out = new Uint8Array(bytes.length * 2 + Math.ceil((bytes.length * 2) / longestPart) + 1)
      let length = 0
      for (const byte of bytes) {
        if (byte === endOfFile || byte === quote) out[length++] = quote
        out[length++] = byte
        column = byte === newline ? 0 : column + 1
        if (column < longestPart) continue
        out[length++] = endOfFile // hands over what there is of the line; not at its start, so it ends nothing
        column = 0
      }
      return out.subarray(0, length)
    },
    /** In the middle of a line the first one only hands over the line. */
    end: (): Uint8Array => Uint8Array.from(column === 0 ? [endOfFile] : [endOfFile, endOfFile])
  }
}

/** Found although the command's own PATH may lack it. */
const settings = [
  "command -p stty -echo -echonl -icrnl -inlcr -igncr -istrip -ixon -ixoff -isig",
  "erase undef kill undef werase undef rprnt undef eol undef eol2 undef"
].join(" ")

const bash = "/bin/bash"

/**
 * dash hands on variables with the names of shell variables only; bash keeps the others, as its exported functions are.
 * Privileged, it reads no start-up file and takes over no function.
 */
const shellFor = (env: Readonly<Record<string, string>>): readonly [string, ...Array<string>] =>
  Object.keys(env).every((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) || !existsSync(bash)
    ? ["/bin/sh"]
    : [bash, "-p"]

/**
 * Wraps a command so that its terminal is set for piped data before it starts; the shell that does it becomes the
 * command. It prints the preamble first: input sent before that would be echoed.
 */
export const wrap = (
  argv: readonly [string, ...Array<string>],
  env: Readonly<Record<string, string>>,
  nonce: string
): {
  readonly argv: readonly [string, ...Array<string>]
  readonly env: Readonly<Record<string, string>>
  readonly preamble: Uint8Array
} => {
  const word = `paneway-${nonce}`
  const failed = "{ echo 'paneway: stty is missing, so input from a pipe cannot be passed' >&2; exit 126; }"
  const script = `${settings} 2>/dev/null || ${failed}; printf '\\033_%s\\033\\\\' ${word}; exec "$@"`
  return {
    argv: [...shellFor(env), "-c", script, "sh", ...argv],
    env: { [inputVariable]: "pipe" },
    preamble: Buffer.from(`\x1b_${word}\x1b\\`)
  }
}

/** Tells a Paneway inside the pane that its terminal brings data with an end, and no keys. */
const inputVariable = "PANEWAY_INPUT"

const isCanonical = (tty: string): boolean => {
  const { status, stdout } = spawnSync("stty", [process.platform === "linux" ? "-F" : "-f", tty, "-a"], {
    env: Programs.withSystem(process.env),
    encoding: "utf8",
    timeout: 1000
  })
  return status !== 0 || !/(?:^|\s)-icanon\b/.test(stdout)
}

/** Milliseconds between looks for a program that reads keys; after the last of them it gets none. */
const looks = [20, 40, 80, 160, 320, 640, ...Array.from({ length: 60 }, () => 1000)]

/**
 * A program that switches its terminal to single keys after the end of file arrived reads a NUL for it. Such a program
 * understands the key for the end, as at its prompt: it gets that once.
 */
export const endAgain = Effect.fnUntraced(function*({ exit, input, tty }: PtyProcess) {
  for (const pause of looks) {
    yield* Effect.sleep(pause)
    if (exit() !== undefined) return
    if (isCanonical(tty)) continue
    return yield* Effect.ignore(input.write(Uint8Array.of(endOfFile), Infinity))
  }
})
