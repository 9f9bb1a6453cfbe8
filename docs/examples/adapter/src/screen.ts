/** What a program printed, as a terminal shows it. */
import Headless from "@xterm/headless"
import * as Effect from "effect/Effect"
import type { Contract, Keys } from "paneway"

export interface Screen {
  /** Takes what was printed; `done` is called when it is on the screen. */
  readonly print: (chunk: Uint8Array | string, done: () => void) => void
  /** Succeeds when all that was printed is on the screen: the emulator works behind. */
  readonly settled: Effect.Effect<void>
  /** Reads as of now: wait for `settled` before. */
  readonly read: (range: Contract.Range | { readonly from: number }) => Contract.RawScreen
  readonly keyModes: () => Keys.Modes
  /** The program asked for pastes in brackets. */
  readonly marksPastes: () => boolean
  /**
   * The program reads bytes and not lines: it switched local echo off. Where there is no `stty`, that is standard mode 12
   * (send/receive mode): `printf '\033[12h'`.
   */
  readonly readsBytes: () => boolean
  readonly dispose: () => void
}

type Terminal = InstanceType<typeof Headless.Terminal>

const blank = (terminal: Terminal, row: number): boolean =>
  terminal.buffer.active.getLine(row)?.translateToString(true) === ""

/** The first and the last row, exclusive. Blank rows at the end count on the screen only. */
const span = (terminal: Terminal, range: Contract.Range | { readonly from: number }): readonly [number, number] => {
  const top = terminal.buffer.active.baseY
  let last = top + terminal.rows
  if (range === "visible") return [top, last]
  while (last > 0 && blank(terminal, last - 1)) last -= 1
  if (range === "full") return [0, last]
  return [Math.max(0, "from" in range ? Math.min(range.from, last) : last - range.tail), last]
}

/**
 * Rows are counted from the pane's beginning until the emulator forgets the first one. From then on no row has a number,
 * and marks are found again by the text around them.
 */
export const make = ({ columns, rows, scrollback }: Contract.Size & { readonly scrollback: number }): Screen => {
  const terminal = new Headless.Terminal({
    cols: columns,
    rows,
    scrollback,
    convertEol: true, // a program over pipes ends lines with LF alone
    allowProposedApi: true,
    logLevel: "off"
  })
  let readsBytes = false
  let erased = 0

  const mode = (on: boolean) => (modes: ReadonlyArray<number | ReadonlyArray<number>>) => {
    if (modes.includes(12)) readsBytes = on
    return false // the emulator's own handler comes next
  }
  const erase = ([how]: ReadonlyArray<number | ReadonlyArray<number>>) => {
    if (how === 2 || how === 3) erased += 1
    return false
  }
  terminal.parser.registerCsiHandler({ final: "h" }, mode(true))
  terminal.parser.registerCsiHandler({ final: "l" }, mode(false))
  terminal.parser.registerCsiHandler({ final: "J" }, erase)
  terminal.parser.registerEscHandler({ final: "c" }, () => erase([2]))

  const read: Screen["read"] = (range) => {
    const buffer = terminal.buffer.active
    const counted = terminal.buffer.normal.baseY < scrollback
    const [first, last] = span(terminal, typeof range === "object" && "from" in range && !counted ? "full" : range)
    const text: Array<string> = []
    const wrapped: Array<number> = []
    for (let row = first; row < last; row++) {
      const goesOn = buffer.getLine(row + 1)?.isWrapped === true
      if (goesOn && row + 1 < last) wrapped.push(row - first)
      text.push(buffer.getLine(row)?.translateToString(!goesOn) ?? "")
    }
    const cursor = {
      row: buffer.baseY + buffer.cursorY,
      column: buffer.cursorX,
      // another one: rows that were counted before are not there any more
      epoch: `${erased}${buffer.type}`
    }
    return {
      rows: text,
      joined: false,
      wrapped,
      truncated: first > 0 || !counted,
      alternate: buffer.type === "alternate",
      ...(counted ? { origin: first, cursor } : {})
    }
  }

  return {
    print: (chunk, done) => terminal.write(chunk, done),
    settled: Effect.callback((resume) => terminal.write("", () => resume(Effect.void))),
    read,
    keyModes: () => ({
      applicationCursorKeys: terminal.modes.applicationCursorKeysMode,
      applicationKeypad: terminal.modes.applicationKeypadMode
    }),
    marksPastes: () => terminal.modes.bracketedPasteMode,
    readsBytes: () => readsBytes,
    dispose: () => terminal.dispose()
  }
}
