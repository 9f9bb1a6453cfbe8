/**
 * The screen of one pane: an emulator without a display that reads what the program prints.
 *
 * `@xterm/headless` 6.0.0 parses asynchronously: every look passes the barrier of `flush` first, or the last line is
 * missing from it.
 */
import type { IBufferLine, IMarker } from "@xterm/headless"
import Headless from "@xterm/headless"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { isAscii } from "node:buffer"
import type { Range, RawScreen, Size } from "../../src/Contract.ts"
import * as Screen from "../../src/Screen.ts"
import * as Ascents from "./ascents.ts"
import * as Bounding from "./bounding.ts"
import * as Erasing from "./erasing.ts"
import * as Feeding from "./feeding.ts"
import * as Handlers from "./handlers.ts"
import * as Leftover from "./leftover.ts"
import * as Pen from "./pen.ts"
import * as Queries from "./queries.ts"
import * as Snapshot from "./snapshot.ts"
import * as Styles from "./styles.ts"
import * as Unfinished from "./unfinished.ts"
import * as Widths from "./widths.ts"

export interface Options extends Size {
  /** Rows kept above the screen. */
  readonly scrollback: number
  /** Answers to a program's queries. Absent: somebody else answers, as the terminal around `paneway run` does. */
  readonly reply: ((text: string) => void) | undefined
  /** Called each time the program switches marked pastes on, also where they are on. */
  readonly onPasteMode?: () => void
}

/** Told of everything that changes the screen, in order, at once. */
export interface Mirror {
  /** Bytes that are on the screen now. */
  readonly output: (chunk: Uint8Array) => void
  readonly resized: () => void
}

export interface ScreenModel extends Feeding.Feeding {
  /** Succeeds when all that was fed and is not held back is on the screen. At once when nothing is pending. */
  readonly flush: Effect.Effect<void>
  /** Called after each chunk is on the screen; the barrier itself wakes nobody. */
  readonly wakes: Set<() => void>
  /** Reads as of now: call `flush` first. `ansi`: rows keep colours and styles, as escape sequences. */
  readonly read: (range: Range | { readonly from: number }, ansi?: boolean) => RawScreen
  readonly resize: (size: Size) => void
  readonly bracketedPaste: () => boolean
  readonly applicationCursorKeys: () => boolean
  readonly applicationKeypad: () => boolean
  /** Flags of the kitty keyboard protocol that the program has on; 1 is the only one that is offered. */
  readonly keyboardFlags: () => number
  /** What a terminal has to be told to leave the modes in which the program left it. */
  readonly restore: () => string
  readonly mirrors: Set<Mirror>
  /**
   * What makes the screen in another terminal as it is now, no matter what is pending; what mirrors are told next goes on
   * from there. With `size`, for one of another size: a picture that nothing goes on from.
   */
  readonly snapshot: (size?: Size) => Uint8Array
  /** Bytes that are on the screen. */
  readonly offset: () => number
  readonly dispose: () => void
}

/** `flow(false)` asks for the pty to be read no further, `flow(true)` for more. */
export const make = (options: Options, flow: (on: boolean) => void = () => {}): ScreenModel => {
  const term = new Headless.Terminal({
    cols: options.columns,
    rows: options.rows,
    scrollback: options.scrollback,
    allowProposedApi: true,
    windowOptions: { getWinSizeChars: true },
    logLevel: "off" // it would print what it cannot parse on this process's standard error
  })
  const buffers = term.buffer // asked for once: each time the options are checked
  let widths = false
  const { reply } = options
  if (reply !== undefined) term.onData((text) => text !== "" && reply(text))
  const wakes = new Set<() => void>()
  Handlers.guard(term)
  Bounding.register(term)
  const leftover = Leftover.register(term)
  const pen = Pen.register(term)
  const unfinished = Unfinished.make()
  const mirrors = new Set<Mirror>()
  let offset = 0
  const keyboardFlags = Queries.register(term, options.reply, options.onPasteMode)
  Erasing.register(term)
  const count = rowCount(term, options.scrollback)
  const tracker = Ascents.register(term, () => {
    count.update()
    return count.origin()
  })
  count.onReset(tracker.reset)
  let written = 0
  let parsed = 0
  let drawing: ReturnType<typeof Snapshot.make> | undefined

  /** Over a copy: a woken one that waits again at once is not woken for the same change. */
  const notify = () => {
    const waiting = [...wakes]
    for (const wake of waiting) wake()
  }
  const write: Feeding.Emulator["write"] = (chunk, done) => {
    if (!widths && !isAscii(chunk)) {
      widths = true
      Widths.load(term)
    }
    // after input of its user the emulator parses at once, and not a millisecond later
    if (parsed === written) term.input("", true)
    written += 1
    term.write(chunk, () => {
      parsed += 1
      offset += chunk.length
      unfinished.push(chunk)
      for (const mirror of mirrors) mirror.output(chunk)
      count.update()
      tracker.written()
      notify()
      done()
    })
  }
  const feeding = Feeding.make({
    write,
    room: () => ({ rows: Math.max(options.scrollback - 1, term.rows - 1, 1), columns: term.cols }),
    place: () => {
      count.follow()
      const { baseY, cursorY } = buffers.normal
      const top = count.origin() + baseY
      return { top, row: top + cursorY, epoch: `${count.epoch()}` }
    },
    isAtEnd: () => {
      const { baseY, cursorX, cursorY, type } = buffers.active
      return type === "normal" && cursorX === 0 && cursorY === term.rows - 1 && isBlank(baseY + cursorY)
    }
  }, flow)

  const isBlank = (row: number): boolean => buffers.active.getLine(row)?.translateToString(true) === ""

  const styled = Styles.make(buffers.active.getNullCell())
  const read: ScreenModel["read"] = (range, ansi = false) => {
    const buffer = buffers.active
    const end = buffer.baseY + term.rows
    const [first, last] = span(range, buffer.baseY, end, count.origin(), isBlank)
    const rows: Array<string> = []
    const wrapped: Array<number> = []
    let here = buffer.getLine(first)
    for (let row = first; row < last && here !== undefined; row++) {
      const next = row + 1 < end ? buffer.getLine(row + 1) : undefined // behind the last one comes the oldest
      const goesOn = next?.isWrapped === true
      const plain = goesOn ? wholeRow(here, next) : here.translateToString(true)
      if (goesOn && row + 1 < last) wrapped.push(row - first)
      rows.push(ansi ? styled(here, plain) : plain)
      here = next
    }
    const epoch = `${count.epoch()}w${term.cols}${buffer.type === "alternate" ? "a" : ""}`
    const { ascents, step } = tracker.look()
    const left = Screen.normalise([leftOf(buffer.getLine(buffer.baseY + buffer.cursorY), buffer.cursorX)], [0])[0] ?? ""
    return {
      rows,
      wrapped,
      joined: false,
      truncated: first > 0 || count.dropped(),
      alternate: buffer.type === "alternate",
      origin: count.origin() + first,
      cursor: {
        row: count.origin() + buffer.baseY + buffer.cursorY,
        column: buffer.cursorX,
        epoch,
        step,
        left: { length: left.length, hash: Screen.lineHash(left) }
      },
      ascents
    }
  }

  return {
    wakes,
    read,
    ...feeding,
    flush: Effect.suspend(() =>
      parsed === written
        ? Effect.void
        : Effect.callback<void>((resume) => {
          term.write("", () => resume(Exit.void))
        })
    ),
    resize: (size) => {
      term.resize(size.columns, size.rows)
      count.rebase()
      for (const mirror of mirrors) mirror.resized()
      notify()
    },
    bracketedPaste: () => term.modes.bracketedPasteMode,
    applicationCursorKeys: () => term.modes.applicationCursorKeysMode,
    applicationKeypad: () => term.modes.applicationKeypadMode,
    keyboardFlags,
    restore: leftover.restore,
    mirrors,
    snapshot: (size) => {
      drawing ??= Snapshot.make({ term, leftover, keyboardFlags, pen, wholeRow })
      return size === undefined
        ? Buffer.concat([Buffer.from(drawing.exact(), "utf8"), unfinished.bytes()])
        : Buffer.from(drawing.picture(size), "utf8")
    },
    offset: () => offset,
    dispose: () => {
      feeding.release()
      term.dispose()
    }
  }
}

type Terminal = InstanceType<typeof Headless.Terminal>

const leftOf = (row: IBufferLine | undefined, column: number): string => row?.translateToString(false, 0, column) ?? ""

/** A row that goes on in the next one, whole: its blanks count, but not the cell that a wide character did not fit. */
const wholeRow = (here: IBufferLine, next: IBufferLine): string => {
  const last = here.getCell(here.length - 1)
  const left = last?.getChars() === "" && last.getWidth() === 1 && next.getCell(0)?.getWidth() === 2
  return here.translateToString(false, 0, left ? here.length - 1 : here.length)
}

/** First and last row (exclusive) of the buffer that a range means. Blank rows at the end do not count for a tail. */
const span = (
  range: Range | { readonly from: number },
  base: number,
  end: number,
  origin: number,
  blank: (row: number) => boolean
): readonly [number, number] => {
  if (range === "visible") return [base, end]
  let last = end
  while (last > 0 && blank(last - 1)) last -= 1
  if (range === "full") return [0, last]
  if ("from" in range) return [Math.min(Math.max(0, range.from - origin), last), last]
  return [Math.max(0, last - range.tail), last]
}

/**
 * Counts rows from the pane's beginning although the emulator forgets old ones: a marker moves with its row, so the
 * distance to where it was set is what was dropped above it. It stands right above the screen, where no program reaches
 * it; as long as nothing is there, nothing is dropped. Where it was dropped itself a new epoch starts.
 */
const rowCount = (term: Terminal, scrollback: number) => {
  const buffers = term.buffer
  let origin = 0
  let epoch = 0
  let lost = false
  let onReset = (_: number) => {}
  let marker: IMarker | undefined
  let at = 0

  /** Rows after which the marker follows: it must not be dropped by the next chunk, and costs something to set. */
  const behind = scrollback / 4

  const set = () => {
    marker?.dispose()
    const { baseY, cursorY, type } = buffers.active
    const above = scrollback === 0 ? 0 : -(cursorY + 1)
    marker = type === "normal" && (baseY > 0 || scrollback === 0) ? term.registerMarker(above) : undefined
    at = origin + (marker?.line ?? 0)
  }
  /** After a resize, which re-wraps rows: their numbers mean other rows now. */
  const rebase = () => {
    epoch += 1
    set()
  }
  const renew = () => {
    lost = true
    rebase()
  }
  const update = () => {
    const { baseY, type } = buffers.active
    if (type !== "normal") return
    if (marker === undefined) return baseY > 0 && baseY >= scrollback ? renew() : set()
    if (marker.isDisposed || marker.line < 0) return renew()
    const now = at - marker.line
    if (now < origin) return renew() // with nothing kept above the screen it stands on it, and lines may come in above it
    origin = now
    if (baseY - marker.line > behind) set()
  }
  /** From here on as many rows can come as are kept above the screen. */
  const follow = () => {
    update()
    if (buffers.active.type === "normal") set()
  }
  const forget = () => {
    update()
    const { baseY } = buffers.normal
    if (baseY > 0) lost = true
    origin += baseY
    marker?.dispose()
    marker = undefined
  }
  /** Before the emulator does it. */
  const erase = ([how]: ReadonlyArray<number | ReadonlyArray<number>>): false => {
    if (how === 3 && buffers.active.type === "normal") forget()
    return false
  }
  const reset = (): false => {
    forget()
    onReset(origin)
    return false
  }
  term.parser.registerCsiHandler({ final: "J" }, erase)
  term.parser.registerCsiHandler({ prefix: "?", final: "J" }, erase)
  term.parser.registerEscHandler({ final: "c" }, reset)
  set()
  return {
    update,
    rebase,
    follow,
    origin: () => origin,
    epoch: () => epoch,
    onReset: (told: typeof onReset) => {
      onReset = told
    },
    dropped: () => lost || origin > 0
  }
}
