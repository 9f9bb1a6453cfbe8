/**
 * The suite's programs where panes run those of POSIX.
 *
 * @since 0.1.0
 */
import type { Program, Programs } from "./world.ts"

const sh = (script: string, ...args: ReadonlyArray<string>): Program => ({ argv: ["sh", "-c", script, ...args] })

const raw = "stty raw -echo opost onlcr"

/** `printf %b` makes the text, so that it needs no quoting of its own. */
const octal = (text: string) =>
  Array.from(new TextEncoder().encode(text), (byte) => `\\0${byte.toString(8).padStart(3, "0")}`).join("")

/**
 * @internal
 */
export const posix: Programs = {
  shell: { argv: ["sh"] },
  recorder: sh(`${raw}; echo ready; exec cat -vt`),
  pasteRecorder: sh(`${raw}; printf '\\033[?2004h'; echo ready; exec cat -vt`),
  counter: (bytes) => sh(`${raw}; echo ready; head -c "$0" | cksum`, String(bytes)),
  ending: (text, code) => sh(`printf %b "$0"; exit "$1"`, octal(text), String(code)),
  echo: sh("echo ready; exec cat"),
  printing: (text) => sh(`printf %b "$0"; echo ready; exec sleep 1000`, octal(text))
}
