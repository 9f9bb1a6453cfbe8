/**
 * Text without anything that a terminal obeys: what is sent must not break out of a paste, and what is shown must not
 * drive the terminal of whoever looks at it.
 *
 * @since 0.1.0
 */

/** C0 other than TAB, LF and CR, then DEL and C1. A CR is a newline, not a control character. */
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/
const everyControl = new RegExp(controls.source, "g")

/** A command string (OSC, DCS, APC, PM, SOS) with its end. One without an end loses its controls only, not its text. */
const strings = /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)/g

const escape = 0x1b
const bracket = 0x5b
const csi = 0x9b
/** No program writes more parameters; a longer one loses its controls only. */
const longest = 64

/**
 * CRLF and CR become LF.
 *
 * @category filtering
 * @since 0.1.0
 */
export const newlines = (text: string): string => text.includes("\r") ? text.replaceAll(/\r\n?/g, "\n") : text

/**
 * Index of the first control character, in UTF-16 units; -1 when there is none.
 *
 * @category filtering
 * @since 0.1.0
 */
export const firstControl = (text: string): number => text.search(controls)

/** Where the control sequence that `units` end in begins, its final byte being the next one; -1 when there is none. */
const sequenceStart = (units: ReadonlyArray<number>): number => {
  let at = units.length - 1
  for (const last = at - longest; at > last; at--) {
    const unit = units[at]
    if (unit === undefined || unit < 0x20 || unit > 0x3f) break
  }
  if (units[at] === csi) return at
  return units[at] === bracket && units[at - 1] === escape ? at - 1 : -1
}

/**
 * Control sequences go as soon as their last byte is read, so one that only appears when another has gone goes too:
 * one pass does what repeating a replacement until nothing changes would.
 */
const withoutSequences = (text: string): string => {
  const units: Array<number> = []
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    const start = unit >= 0x40 && unit <= 0x7e ? sequenceStart(units) : -1
    if (start === -1) units.push(unit)
    else units.length = start
  }
  const parts: Array<string> = []
  for (let at = 0; at < units.length; at += 4096) parts.push(String.fromCharCode(...units.slice(at, at + 4096)))
  return parts.join("")
}

/**
 * The text with LF for every newline, without control sequences, and without every other control character but TAB and
 * LF. Idempotent, and linear in the length.
 *
 * @category filtering
 * @since 0.1.0
 */
export const withoutControls = (text: string): string => {
  const lines = newlines(text)
  if (firstControl(lines) === -1) return lines
  return withoutSequences(lines.replaceAll(strings, "")).replaceAll(everyControl, "")
}
