/**
 * The screen of a scripted pane: a grid of cells that reads what a program prints, at once and always in the same way.
 *
 * It understands text with wide and combining characters, CR LF BS TAB, cursor movement (CSI A B C D E F G H d), erasing
 * (J K X), inserting and deleting (@ P L M), the alternate screen, bracketed paste, application cursor keys, and RIS.
 * Every other sequence is read and ignored.
 */
import type { Range, RawScreen, Size } from "../../src/Contract.ts"
import { logicalLines } from "../../src/Screen.ts"

interface Row {
  /** An empty string is the second half of a wide character. */
  readonly cells: Array<string>
  /** It goes on with the row before. */
  continues: boolean
}

/** `top` is the index of the first row of the screen; `x` may stand right of the last column until more is printed. */
interface Buffer {
  readonly rows: Array<Row>
  x: number
  y: number
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

const sequence =
  /\u001b(?:\[([<-?]?)([\d;:]*)[ -/]*([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[PX^_][^\u001b]*\u001b\\|[ -/]+[0-~]|(?![[\]PX^_])([0-~]))/y
const begun = /^\u001b(?:\[[<-?]?[\d;:]*[ -/]*|\][^\u0007\u001b]*\u001b?|[PX^_][^\u001b]*\u001b?|[ -/]*)$/
const printable = /[^\u0000-\u001f\u007f]+/y
/** A sequence that is longer is none. */
const longest = 4096

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\ufe0f|[\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u
const zero = /^[\p{Mn}\p{Me}\p{Cf}\u0080-\u009f]+$/u
const ascii = /^[ -~]*$/

/** Cells of one character as people see it. */
export const widthOf = (character: string): number =>
  ascii.test(character) ? 1 : zero.test(character) ? 0 : wide.test(character) ? 2 : 1

/** Characters as people see them. */
export const charactersOf = (text: string): ReadonlyArray<string> =>
  ascii.test(text)
    ? text.split("")
    : Array.from(new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text), ({ segment }) => segment)

const row = (): Row => ({ cells: [], continues: false })
const rowsOf = (count: number): Array<Row> => Array.from({ length: count }, row)
/** A row that the next one goes on with keeps its blanks: they stand between two words. */
const textOf = ({ cells }: Row, next?: Row): string =>
  next?.continues === true ? cells.join("") : cells.join("").trimEnd()

/** As a program captures that flags no wraps, and joins rows where it is asked to. */
export const unflagged = (raw: RawScreen, join: boolean): RawScreen => {
  const { cursor, joined, origin, rows, truncated } = raw
  const alternate = raw.alternate === undefined ? {} : { alternate: raw.alternate }
  const counted = origin === undefined || cursor === undefined ? {} : { origin, cursor }
  return join
    ? { ...counted, ...alternate, truncated, joined: true, rows: logicalLines(raw).map(({ text }) => text) }
    : { ...counted, ...alternate, truncated, joined, rows }
}

export const make = ({ scrollback, ...initial }: Options): Grid => {
  let { columns, rows: height } = initial
  const normal: Buffer = { rows: rowsOf(height), x: 0, y: 0 }
  let alternate: Buffer | undefined
  let saved = { x: 0, y: 0 }
  let paste = false
  let cursorKeys = false
  let pending = ""
  /** Rows that are gone from the beginning, and how often rows were counted anew. */
  let dropped = 0
  let epoch = 0

  const here = () => alternate ?? normal
  const top = ({ rows }: Buffer) => rows.length - height
  const line = (buffer: Buffer, y = buffer.y): Row => buffer.rows[top(buffer) + y] ?? row()

  /** `continues`: the line was too long, and nobody asked for another. */
  const down = (buffer: Buffer, continues = false) => {
    if (buffer.y < height - 1) {
      buffer.y += 1
      line(buffer).continues = continues
      return
    }
    buffer.rows.push({ cells: [], continues })
    const kept = height + (buffer === normal ? scrollback : 0)
    if (buffer.rows.length <= kept) return
    buffer.rows.shift()
    if (buffer === normal) dropped += 1
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
      down(buffer)
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
    // what was above is not above any more
    if (how === 2 && buffer === normal) epoch += 1
  }

  const shift = (buffer: Buffer, count: number, insert: boolean) => {
    const at = top(buffer) + buffer.y
    for (let n = 0; n < Math.min(count, height - buffer.y); n++) {
      buffer.rows.splice(insert ? buffer.rows.length - 1 : at, 1)
      buffer.rows.splice(insert ? at : buffer.rows.length, 0, row())
    }
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
    alternate = on ? { rows: rowsOf(height), x: normal.x, y: normal.y } : undefined
  }
  const mode = (codes: ReadonlyArray<number>, on: boolean) => {
    for (const code of codes) {
      if (code === 2004) paste = on
      else if (code === 1) cursorKeys = on
      else if (code === 1049 || code === 1047 || code === 47) screens(on)
    }
  }
  const reset = () => {
    alternate = undefined
    paste = false
    cursorKeys = false
    eraseScreen(normal, 2)
    normal.x = 0
    normal.y = 0
  }

  const move = (buffer: Buffer, x: number, y: number) => {
    buffer.x = Math.max(0, Math.min(columns - 1, x))
    buffer.y = Math.max(0, Math.min(height - 1, y))
  }
  const csi = (buffer: Buffer, final: string, given: ReadonlyArray<number>) => {
    const { y } = buffer
    const x = Math.min(buffer.x, columns - 1)
    const n = Math.max(1, given[0] ?? 1)
    if (final === "A") move(buffer, x, y - n)
    else if (final === "B") move(buffer, x, y + n)
    else if (final === "C") move(buffer, x + n, y)
    else if (final === "D") move(buffer, x - n, y)
    else if (final === "E") move(buffer, 0, y + n)
    else if (final === "F") move(buffer, 0, y - n)
    else if (final === "G") move(buffer, n - 1, y)
    else if (final === "d") move(buffer, x, n - 1)
    else if (final === "H" || final === "f") move(buffer, Math.max(1, given[1] ?? 1) - 1, n - 1)
    else if (final === "J") eraseScreen(buffer, given[0] ?? 0)
    else if (final === "K") eraseLine(buffer, given[0] ?? 0)
    else if (final === "X" || final === "@" || final === "P") {
      move(buffer, x, y)
      if (final === "X") erase(line(buffer), buffer.x, Math.min(columns, buffer.x + n), false)
      else characters(buffer, n, final === "@")
    } else if (final === "L" || final === "M") shift(buffer, n, final === "L")
    else if (final === "s") saved = { x: buffer.x, y }
    else if (final === "u") move(buffer, saved.x, saved.y)
  }
  const escape = ([, prefix, numbers = "", final, single]: RegExpExecArray) => {
    const buffer = here()
    if (single === "c") reset()
    else if (single === "7") saved = { x: buffer.x, y: buffer.y }
    else if (single === "8") move(buffer, saved.x, saved.y)
    else if (single === "D") down(buffer)
    else if (single === "E") {
      down(buffer)
      buffer.x = 0
    }
    if (final === undefined) return
    const given = numbers === "" ? [] : numbers.split(/[;:]/).map(Number)
    if (prefix === "") csi(buffer, final, given)
    else if (prefix === "?" && (final === "h" || final === "l")) mode(given, final === "h")
  }

  const feed = (text: string) => {
    const all = pending + text
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
        control(here(), code)
        at += 1
        continue
      }
      printable.lastIndex = at
      const run = printable.exec(all)?.[0] ?? ""
      for (const character of charactersOf(run)) put(here(), character)
      at += run.length
    }
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
        epoch: `${epoch}w${columns}${buffer === normal ? "" : "a"}`
      }
    }
  }

  /** Rows that were wrapped are joined and wrapped anew; the cursor stays behind the character that it stood behind. */
  const rewrap = (size: Size) => {
    const { rows, x, y } = normal
    const cursor = top(normal) + y
    const kept = rows.slice(0, Math.max(cursor, rows.findLastIndex((one) => textOf(one) !== "")) + 1)
    const again: Buffer = { rows: [], x: 0, y: 0 }
    let at = { row: 0, x: 0 }
    let cells: Array<string> = []
    let mark: number | undefined
    const flush = () => {
      let current = row()
      const lay = () => {
        again.rows.push(current)
      }
      cells.forEach((cell, index) => {
        const width = cells[index + 1] === "" ? 2 : 1
        if (cell !== "" && current.cells.length + width > size.columns) {
          lay()
          current = { cells: [], continues: true }
        }
        if (index === mark) at = { row: again.rows.length, x: current.cells.length }
        current.cells.push(cell)
      })
      if (mark !== undefined && mark >= cells.length) at = { row: again.rows.length, x: current.cells.length }
      lay()
      cells = []
      mark = undefined
    }
    kept.forEach((one, index) => {
      if (index > 0 && !one.continues) flush()
      if (index === cursor) {
        while (one.cells.length < x) one.cells.push(" ")
        mark = cells.length + x
      }
      cells.push(...one.cells)
    })
    flush()
    while (again.rows.length < size.rows) again.rows.push(row())
    const excess = Math.max(0, again.rows.length - size.rows - scrollback)
    dropped += excess
    normal.rows.splice(0, normal.rows.length, ...again.rows.slice(excess))
    normal.x = at.x
    normal.y = Math.max(0, at.row - Math.max(0, again.rows.length - size.rows))
  }

  const resize = (size: Size) => {
    rewrap(size)
    if (alternate !== undefined) {
      const cropped = alternate.rows.slice(0, size.rows)
      for (const { cells } of cropped) cells.length = Math.min(cells.length, size.columns)
      const { x, y } = alternate
      alternate = {
        rows: [...cropped, ...rowsOf(Math.max(0, size.rows - cropped.length))],
        x: Math.min(x, size.columns - 1),
        y: Math.min(y, size.rows - 1)
      }
    }
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
