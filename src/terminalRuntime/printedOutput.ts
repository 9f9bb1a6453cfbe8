/**
 * The output of a command in the bytes that its pane printed, between the two lines that stand around it.
 *
 * @since 0.1.0
 */
import { clearing, type ShellCommand } from "./shellCommand.ts"
import type { Output } from "./shownOutput.ts"

/**
 * Takes the bytes as they come, in pieces of any size.
 *
 * @internal
 */
export interface Printed {
  /** True: the end was seen, and what follows is not taken. */
  readonly push: (piece: Uint8Array) => boolean
  /** The line above the output was seen, so that the end will be. */
  readonly begun: () => boolean
  /** In the line of the end. */
  readonly exitCode: () => number | undefined
  /** The bytes came to no end: what follows is missing. */
  readonly broken: () => void
  readonly isBroken: () => boolean
  /** All up to the end, or up to now. */
  readonly output: (ansi: boolean) => Output
  /** True: there was more than is kept. */
  readonly overflowed: () => boolean
}

const escape = 0x1b
const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39

const joined = (pieces: ReadonlyArray<Uint8Array>): Uint8Array => {
  const whole = new Uint8Array(pieces.reduce((size, { length }) => size + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/**
 * Colours and styles, then command strings with their end, other control sequences, and control characters but TAB, LF
 * and CR. A command string has no line of its own: one without an end loses its Escape only.
 */
const controls =
  /(\u001b\[[0-9;:]*m)|\u001b[\]PX^_][^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)|\u001b\[[0-?]*[ -/]*[@-~]|\u001b[ -/]+[0-~]|\u001b[0-Z\\^-~]|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g

/**
 * Text without what a terminal obeys; `styled`: with its colours and styles. No other control sequence is left, nor does
 * one come about when another goes.
 *
 * @internal
 */
export const withoutSequences = (text: string, styled: boolean): string =>
  text.replaceAll(controls, (_, style?: string) => (styled ? style : undefined) ?? "")

/** Characters of a line without its beginning that are left out; more of it is kept as it is. */
const longestRest = 4096

/** From the first whole line on. */
const fromWholeLine = (text: string): string => {
  const at = text.indexOf("\n") + 1
  const whole = at <= longestRest ? text.slice(at) : ""
  return whole.trim() === "" ? text.replace(/^\ufffd+/, "") : whole
}

/**
 * `most`: bytes that are kept. Of more, the last ones count, from a whole line on where lines are not long.
 *
 * @internal
 */
export const makePrinted = ({ begin, end }: ShellCommand, most: number): Printed => {
  const first = new TextEncoder().encode(begin)
  /** Bytes before the output, until its beginning was seen. */
  let unbegun: Uint8Array | undefined = new Uint8Array(0)
  const wanted = new TextEncoder().encode(`${clearing}${end}`)
  const pieces: Array<Uint8Array> = []
  let kept = 0
  let overflowed = false
  let isBroken = false
  let exitCode: number | undefined
  /** Bytes behind the last piece that may be the beginning of the end. */
  let pending: Uint8Array = new Uint8Array(0)

  const keep = (piece: Uint8Array) => {
    if (piece.length === 0) return
    pieces.push(piece)
    kept += piece.length
    while (kept - (pieces[0]?.length ?? 0) >= most) {
      kept -= pieces.shift()?.length ?? 0
      overflowed = true
    }
  }

  /** How much of what is wanted stands there. */
  const matching = (bytes: Uint8Array, at: number): number => {
    let count = 0
    while (count < wanted.length && bytes[at + count] === wanted[count]) count++
    return count
  }

  const lookForBegin = (piece: Uint8Array) => {
    if (unbegun === undefined) return
    const bytes = joined([unbegun, piece])
    for (let at = bytes.indexOf(first[0] ?? 0); at !== -1; at = bytes.indexOf(first[0] ?? 0, at + 1)) {
      if (first.every((byte, offset) => bytes[at + offset] === byte)) {
        unbegun = undefined
        return
      }
    }
    unbegun = bytes.slice(-first.length)
  }

  const push = (piece: Uint8Array): boolean => {
    if (exitCode !== undefined) return true
    lookForBegin(piece)
    const bytes = pending.length === 0 ? piece : joined([pending, piece])
    pending = bytes.subarray(bytes.length)
    for (let at = bytes.indexOf(escape); at !== -1; at = bytes.indexOf(escape, at + 1)) {
      const count = matching(bytes, at)
      if (count < wanted.length && at + count < bytes.length) continue
      let last = at + count
      while (isDigit(bytes[last]) && last < at + count + 3) last++
      if (count < wanted.length || last === bytes.length) {
        pending = bytes.subarray(at)
        keep(bytes.subarray(0, at))
        return false
      }
      if (last === at + count) continue
      exitCode = Number(String.fromCharCode(...bytes.subarray(at + count, last)))
      keep(bytes.subarray(0, at))
      return true
    }
    keep(bytes)
    return false
  }

  const output = (ansi: boolean): Output => {
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(joined(pieces))
    // the last one: in a trace there are two
    const begun = text.lastIndexOf(begin)
    const behind = begun === -1 ? fromWholeLine(text) : text.slice(begun + begin.length)
    // a terminal that is set to it adds a CR to each newline
    const adds = begun === -1 || behind.startsWith("\r\n")
    const own = begun === -1 ? behind : behind.replace(/^\r?\n/, "")
    // the line of the end begins with a newline
    const printed = exitCode === undefined ? own : own.replace(/\r?\n$/, "")
    return {
      output: withoutSequences(adds ? printed.replaceAll("\r\n", "\n") : printed, ansi),
      truncated: begun === -1
    }
  }

  return {
    push,
    begun: () => unbegun === undefined,
    exitCode: () => exitCode,
    broken: () => {
      isBroken = true
    },
    isBroken: () => isBroken,
    output,
    overflowed: () => overflowed
  }
}
