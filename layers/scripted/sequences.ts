/** What a program prints, taken apart: text, control characters and escape sequences, which may come in pieces. */

/** The parts of a sequence: prefix, numbers and final of a CSI; the last one of a sequence of two characters. */
export type Sequence = RegExpExecArray

export interface Handlers {
  readonly text: (run: string) => void
  readonly control: (code: number) => void
  readonly escape: (found: Sequence) => void
}

const sequence =
  /\u001b(?:\[([<-?]?)([\d;:]*)[ -/]*([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[PX^_][^\u001b]*\u001b\\|[ -/]+[0-~]|(?![[\]PX^_])([0-~]))/y
const begun = /^\u001b(?:\[[<-?]?[\d;:]*[ -/]*|\][^\u0007\u001b]*\u001b?|[PX^_][^\u001b]*\u001b?|[ -/]*)$/
const printable = /[^\u0000-\u001f\u007f]+/y
/** A sequence that is longer is none. */
const longest = 4096

/** Reads the next piece of output. */
export const makeReader = ({ control, escape, text }: Handlers): (piece: string) => void => {
  let pending = ""

  return (piece) => {
    const all = pending + piece
    pending = ""
    let at = 0
    while (at < all.length) {
      const code = all.charCodeAt(at)
      if (code === 0x1b) {
        sequence.lastIndex = at
        const found = sequence.exec(all)
        const rest = found === null ? all.slice(at) : ""
        if (found === null && rest.length < longest && begun.test(rest)) {
          pending = rest
          return
        }
        if (found !== null) escape(found)
        at += found?.[0].length ?? 1
        continue
      }
      if (code < 0x20 || code === 0x7f) {
        control(code)
        at += 1
        continue
      }
      printable.lastIndex = at
      const run = printable.exec(all)?.[0] ?? ""
      text(run)
      at += run.length
    }
  }
}
