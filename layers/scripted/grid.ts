/**
 * The screen of a scripted pane: a grid of cells that reads what a program prints, at once and always in the same way.
 *
 * It understands text with wide and combining characters, CR LF BS TAB, cursor movement (CSI A B C D E F G H d), erasing
 * (J K X), inserting and deleting (@ P L M), scrolling (S T, ESC D E M) and its region (r), the alternate screen, bracketed
 * paste, application cursor keys, and RIS. Every other sequence is read and ignored.
 */
import type { Range, RawScreen, Size } from "../../src/Contract.ts"
import { lineHash, logicalLines, normalise } from "../../src/Screen.ts"
import * as Ascending from "../internal/ascents.ts"
import { charactersOf, type Row, row, rowsOf, textOf, widthOf } from "./cells.ts"
import { rewrap } from "./rewrapping.ts"
import * as Sequences from "./sequences.ts"

/** `x` may stand right of the last column until more is printed. `first` and `last` are the lines that scroll. */
interface Buffer {
  readonly rows: Array<Row>
  x: number
  y: number
  first: number
  last: number
  /** Where the cursor was saved; `row` counts from the first one that is held. */
  saved: { readonly x: number; readonly row: number }
}

export interface Options extends Size {
  /** Rows kept above the screen. */
  readonly scrollback: number
}

export interface Grid {
  readonly feed: (text: string) => void
  readonly read: (range: Range | { readonly from: number }) => RawScreen
  readonly resize: (size: Size) => void
  readonly size: () => Size
  /** On the screen, from 0. */
  readonly cursor: () => { readonly row: number; readonly column: number }
  readonly bracketedPaste: () => boolean
  readonly applicationCursorKeys: () => boolean
}

/** As a program captures that flags no wraps, and joins rows where it is asked to. */
export const unflagged = (raw: RawScreen, join: boolean): RawScreen => {
  const { ascents = [], cursor, joined, origin, rows, truncated } = raw
  const alternate = raw.alternate === undefined ? {} : { alternate: raw.alternate }
  const counted = origin === undefined || cursor === undefined ? {} : { origin, cursor, ascents }
  return join
    ? { ...counted, ...alternate, truncated, joined: true, rows: logicalLines(raw).map(({ text }) => text) }
    : { ...counted, ...alternate, truncated, joined, rows }
}

export const make = ({ scrollback, ...initial }: Options): Grid => {
  let { columns, rows: height } = initial
  const buffer = ({ x, y }: { readonly x: number; readonly y: number }): Buffer => {
    return { rows: rowsOf(height), x, y, first: 0, last: height - 1, saved: { x: 0, row: 0 } }
  }
  const normal = buffer({ x: 0, y: 0 })
  let alternate: Buffer | undefined
  const { look, painted, reach } = Ascending.make()
  let paste = false
  let cursorKeys = false
  /** Rows that are gone from the beginning, and how often rows were counted anew. */
  let dropped = 0
  let epoch = 0

  const here = () => alternate ?? normal
  const top = ({ rows }: Buffer) => rows.length - height
  const line = (buffer: Buffer, y = buffer.y): Row => buffer.rows[top(buffer) + y] ?? row()

  /** The program goes to a line of the normal screen, and what it prints there stands above what is there already. */
  const to = (y: number) => {
    if (alternate === undefined) reach(dropped + top(normal) + Math.max(0, y))
  }
  const upTo = (buffer: Buffer, y: number) => {
    if (y < buffer.y) to(y)
  }

  /** One line goes, another one comes. */
  const shift = ({ rows }: Buffer, from: number, at: number, coming = row()) => {
    rows.splice(from, 1)
    rows.splice(at, 0, coming)
  }
  /** The lines of the region go up. From the top of the screen they go above it. */
  const scroll = (buffer: Buffer, continues: boolean) => {
    const first = top(buffer)
    const coming = { cells: [], continues }
    if (buffer.first > 0) return shift(buffer, first + buffer.first, first + buffer.last, coming)
    buffer.rows.splice(first + buffer.last + 1, 0, coming)
    const kept = height + (buffer === normal ? scrollback : 0)
    if (buffer.rows.length <= kept) return
    buffer.rows.shift()
    if (buffer === normal) dropped += 1
  }
  /** `continues`: the line was too long, and nobody asked for another. Absent: that stays as it is. */
  const down = (buffer: Buffer, continues?: boolean) => {
    if (buffer.y === buffer.last) return scroll(buffer, continues === true)
    buffer.y = Math.min(height - 1, buffer.y + 1)
    if (continues !== undefined) line(buffer).continues = continues
  }
  const up = (buffer: Buffer) => {
    const first = top(buffer)
    if (buffer.y === buffer.first) shift(buffer, first + buffer.last, first + buffer.y)
    else buffer.y = Math.max(0, buffer.y - 1)
  }

  /** Fills with blanks up to a column, and leaves no half of a wide character beside what is written from there on. */
  const open = (cells: Row["cells"], from: number, to: number) => {
    while (cells.length < from) cells.push(" ")
    if (cells[from] === "") cells[from - 1] = " "
    if (cells[to] === "") cells[to] = " "
  }

  const put = (buffer: Buffer, character: string) => {
    const width = widthOf(character)
    if (width === 0) {
      const { cells } = line(buffer)
      const at = cells[buffer.x - 1] === "" ? buffer.x - 2 : buffer.x - 1
      if (cells[at] !== undefined) cells[at] += character
      return
    }
    if (buffer.x + width > columns) {
      const full = line(buffer).cells
      open(full, buffer.x, buffer.x)
      full.length = Math.min(buffer.x, columns)
      down(buffer, true)
      buffer.x = 0
    }
    const { cells } = line(buffer)
    open(cells, buffer.x, buffer.x + width)
    cells[buffer.x] = character
    if (width === 2) cells[buffer.x + 1] = ""
    buffer.x += width
  }

  const control = (buffer: Buffer, code: number) => {
    if (code === 0x0d) buffer.x = 0
    else if (code >= 0x0a && code <= 0x0c) {
      down(buffer, false)
      buffer.x = Math.min(buffer.x, columns - 1)
    } else if (code === 0x08) buffer.x = Math.max(0, Math.min(buffer.x, columns - 1) - 1)
    else if (code === 0x09 && buffer.x < columns) buffer.x = Math.min(columns - 1, (Math.floor(buffer.x / 8) + 1) * 8)
  }

  /** `cut`: the row goes on with the one before no more. */
  const erase = (target: Row, from: number, to: number, cut: boolean) => {
    open(target.cells, from, to)
    if (cut) target.continues = false
    if (to >= columns) target.cells.length = Math.min(target.cells.length, from)
    else for (let at = from; at < to; at++) target.cells[at] = " "
  }
  const eraseLine = (buffer: Buffer, how: number) => {
    if (how === 0) erase(line(buffer), buffer.x, columns, buffer.x === 0)
    else erase(line(buffer), 0, how === 1 ? Math.min(buffer.x + 1, columns) : columns, how === 2)
  }
  const eraseScreen = (buffer: Buffer, how: number) => {
    if (how === 3) {
      if (buffer === normal) dropped += normal.rows.splice(0, top(normal)).length
      return
    }
    if (how !== 2) eraseLine(buffer, how)
    if (how === 1) {
      line(buffer).continues = false
      if (buffer.x + 1 >= columns) line(buffer, buffer.y + 1).continues = false
    }
    const [first, last] = how === 0 ? [buffer.y + 1, height] : [0, how === 1 ? buffer.y : height]
    for (let y = first; y < last; y++) erase(line(buffer, y), 0, columns, true)
  }

  /** `from` is where lines go, and they come at the other end. */
  const lines = (buffer: Buffer, count: number, from: number, at: number) => {
    const first = top(buffer)
    for (let n = 0; n < Math.min(count, height); n++) shift(buffer, first + from, first + at)
  }
  const insertOrDelete = (buffer: Buffer, count: number, insert: boolean) => {
    const { first, last, y } = buffer
    if (y < first || y > last) return
    if (insert) lines(buffer, count, last, y)
    else lines(buffer, count, y, last)
    buffer.x = 0
  }
  const characters = (buffer: Buffer, count: number, insert: boolean) => {
    const { cells } = line(buffer)
    open(cells, buffer.x, insert ? buffer.x : buffer.x + count)
    if (insert) cells.splice(buffer.x, 0, ...Array.from({ length: Math.min(count, columns) }, () => " "))
    else cells.splice(buffer.x, count)
    if (cells[columns] === "") cells[columns - 1] = " "
    cells.length = Math.min(cells.length, columns)
  }

  const screens = (on: boolean) => {
    if (on === (alternate !== undefined)) return
    if (alternate !== undefined) Object.assign(normal, { x: alternate.x, y: alternate.y })
    alternate = on ? buffer(normal) : undefined
  }
  const mode = (codes: ReadonlyArray<number>, on: boolean) => {
    if (!on && (codes.includes(1048) || codes.includes(1049))) upTo(here(), savedIn(here())[1])
    for (const code of codes) {
      if (code === 2004) paste = on
      else if (code === 1) cursorKeys = on
      if ((code === 1048 || code === 1049) && on) save(here())
      if (code === 1049 || code === 1047 || code === 47) screens(on)
      if ((code === 1048 || code === 1049) && !on) move(here(), ...savedIn(here()))
    }
  }
  const reset = () => {
    alternate = undefined
    paste = false
    cursorKeys = false
    eraseScreen(normal, 2)
    eraseScreen(normal, 3)
    Object.assign(normal, { x: 0, y: 0, first: 0, last: height - 1, saved: { x: 0, row: 0 } })
    reach(dropped)
  }

  const move = (buffer: Buffer, x: number, y: number) => {
    buffer.x = Math.max(0, Math.min(columns - 1, x))
    buffer.y = Math.max(0, Math.min(height - 1, y))
  }
  /** Not beyond the region from inside of it. */
  const moveUp = (buffer: Buffer, x: number, count: number) => {
    const { first, y } = buffer
    upTo(buffer, y - count)
    move(buffer, x, y >= first ? Math.max(first, y - count) : y - count)
  }
  const moveDown = (buffer: Buffer, x: number, count: number) => {
    const { last, y } = buffer
    move(buffer, x, y <= last ? Math.min(last, y + count) : y + count)
  }
  const goTo = (buffer: Buffer, x: number, y: number) => {
    upTo(buffer, y)
    move(buffer, x, y)
  }
  const save = (buffer: Buffer) => {
    buffer.saved = { x: buffer.x, row: top(buffer) + buffer.y }
  }
  const savedIn = (buffer: Buffer) => [buffer.saved.x, buffer.saved.row - top(buffer)] as const
  const setRegion = (buffer: Buffer, [from, to]: ReadonlyArray<number>) => {
    const first = Math.max(1, from ?? 1)
    const last = to === undefined || to === 0 || to > height ? height : to
    upTo(buffer, 0)
    if (last <= first) return
    buffer.first = first - 1
    buffer.last = last - 1
    move(buffer, 0, 0)
  }
  const csi = (buffer: Buffer, final: string, given: ReadonlyArray<number>) => {
    const { first, last } = buffer
    const x = Math.min(buffer.x, columns - 1)
    const n = Math.max(1, given[0] ?? 1)
    if (final === "A") moveUp(buffer, x, n)
    else if (final === "B") moveDown(buffer, x, n)
    else if (final === "C") move(buffer, x + n, buffer.y)
    else if (final === "D") move(buffer, x - n, buffer.y)
    else if (final === "E") moveDown(buffer, 0, n)
    else if (final === "F") moveUp(buffer, 0, n)
    else if (final === "G") move(buffer, n - 1, buffer.y)
    else if (final === "d") goTo(buffer, x, n - 1)
    else if (final === "H" || final === "f") goTo(buffer, Math.max(1, given[1] ?? 1) - 1, n - 1)
    else if (final === "J") eraseScreen(buffer, given[0] ?? 0)
    else if (final === "K") eraseLine(buffer, given[0] ?? 0)
    else if (final === "X" || final === "@" || final === "P") {
      move(buffer, x, buffer.y)
      if (final === "X") erase(line(buffer), buffer.x, Math.min(columns, buffer.x + n), false)
      else characters(buffer, n, final === "@")
    } else if (final === "L" || final === "M") insertOrDelete(buffer, n, final === "L")
    else if (final === "S" || final === "T") {
      to(0)
      if (final === "S") lines(buffer, n, first, last)
      else lines(buffer, n, last, first)
    } else if (final === "r") setRegion(buffer, given)
    else if (final === "s") save(buffer)
    else if (final === "u") goTo(buffer, ...savedIn(buffer))
  }
  const escape = ([, prefix, numbers = "", final, single]: Sequences.Sequence) => {
    const buffer = here()
    if (single === "c") reset()
    else if (single === "7") save(buffer)
    else if (single === "8") goTo(buffer, ...savedIn(buffer))
    else if (single === "D") {
      buffer.x = Math.min(buffer.x, columns - 1)
      down(buffer)
    } else if (single === "M") {
      buffer.x = Math.min(buffer.x, columns - 1)
      upTo(buffer, buffer.y - 1)
      up(buffer)
    } else if (single === "E") {
      down(buffer)
      buffer.x = 0
    }
    if (final === undefined) return
    const given = numbers === "" ? [] : numbers.split(/[;:]/).map(Number)
    if (prefix === "") csi(buffer, final, given)
    else if (prefix === "?" && (final === "h" || final === "l")) mode(given, final === "h")
  }

  const parse = Sequences.makeReader({
    text: (run) => {
      for (const character of charactersOf(run)) put(here(), character)
    },
    control: (code) => control(here(), code),
    escape
  })

  const feed = (text: string) => {
    parse(text)
    if (alternate !== undefined) painted(dropped)
    else if (normal.first > 0) to(normal.first)
  }

  /** Blank rows at the end do not count, except on the screen itself. */
  const span = ({ rows }: Buffer, range: Range | { readonly from: number }): readonly [number, number] => {
    const first = rows.length - height
    if (range === "visible") return [first, rows.length]
    const last = rows.findLastIndex((one) => textOf(one) !== "") + 1
    if (range === "full") return [0, last]
    if ("from" in range) return [Math.min(Math.max(0, range.from - dropped), last), last]
    return [Math.max(0, last - range.tail), last]
  }

  const read: Grid["read"] = (range) => {
    const buffer = here()
    const [first, last] = span(buffer, range)
    const { rows } = buffer
    const { ascents, step } = look(buffer !== normal)
    const cells = line(buffer).cells.slice(0, buffer.x)
    while (cells.length < buffer.x) cells.push(" ")
    const left = normalise([cells.join("")], [0])[0] ?? ""
    return {
      rows: rows.slice(first, last).map((one, index) => textOf(one, rows[first + index + 1])),
      wrapped: rows.slice(first, last).flatMap((one, index) => one.continues && index > 0 ? [index - 1] : []),
      joined: false,
      truncated: first > 0 || (buffer === normal && dropped > 0),
      alternate: buffer !== normal,
      origin: dropped + first,
      cursor: {
        row: dropped + top(buffer) + buffer.y,
        column: buffer.x,
        epoch: `${epoch}w${columns}${buffer === normal ? "" : "a"}`,
        step,
        left: { length: left.length, hash: lineHash(left) }
      },
      ascents
    }
  }

  const rewrapNormal = (size: Size) => {
    const { row, rows, x } = rewrap(normal.rows, { row: top(normal) + normal.y, x: normal.x }, size)
    const above = rows.length - size.rows
    const excess = Math.max(0, above - scrollback)
    dropped += excess
    normal.rows.splice(0, normal.rows.length, ...rows.slice(excess))
    normal.x = x
    normal.y = Math.max(0, row - above)
  }

  const resize = (size: Size) => {
    rewrapNormal(size)
    if (alternate !== undefined) {
      const cropped = alternate.rows.slice(0, size.rows)
      for (const { cells } of cropped) cells.length = Math.min(cells.length, size.columns)
      const { saved, x, y } = alternate
      alternate = {
        rows: [...cropped, ...rowsOf(Math.max(0, size.rows - cropped.length))],
        x: Math.min(x, size.columns - 1),
        y: Math.min(y, size.rows - 1),
        first: 0,
        last: size.rows - 1,
        saved
      }
    }
    normal.first = 0
    normal.last = size.rows - 1
    columns = size.columns
    height = size.rows
    epoch += 1
  }

  return {
    feed,
    read,
    resize,
    size: () => ({ columns, rows: height }),
    cursor: () => ({ row: here().y, column: Math.min(here().x, columns - 1) }),
    bracketedPaste: () => paste,
    applicationCursorKeys: () => cursorKeys
  }
}
