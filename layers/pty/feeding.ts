/**
 * From what is read of a pane to its screen, held back where rows would be forgotten that somebody has to see first.
 *
 * As long as somebody watches, the output is cut after about as many rows as the emulator keeps above its screen. Who
 * watches is asked there, and told what the lines say if that is certain: then a flood that nobody waits for is not
 * slowed down by looks.
 */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import { isAscii } from "node:buffer"
import type { Wakes } from "../../src/Waiting.ts"

export type Overflow = NonNullable<Wakes["overflow"]>

/** Milliseconds after which the output goes on although nobody looked. */
const longest = 100
/** Bytes that may wait here before the pty is read no further. */
const most = 64 * 1024

const newline = 0x0a
const carriageReturn = 0x0d
const blank = 0x20

/** The emulator, as it is fed. */
export interface Emulator {
  readonly write: (chunk: Uint8Array, parsed: () => void) => void
  /** Rows that can come before one is forgotten, at a width of so many columns. */
  readonly room: () => { readonly rows: number; readonly columns: number }
  /** The rows of the cursor and of the top of the screen, counted from the pane's beginning. */
  readonly place: () => { readonly row: number; readonly top: number; readonly epoch: string }
  /** Lines that are printed now read on the screen as they were printed. */
  readonly isAtEnd: () => boolean
}

export interface Feeding {
  readonly feed: (chunk: Uint8Array) => void
  readonly watch: (overflow: Overflow) => void
  readonly unwatch: (overflow: Overflow) => void
  /** Succeeds when nothing is held back. */
  readonly fed: Effect.Effect<void>
  /** From now on nothing is held back. */
  readonly release: () => void
}

/** Delete, and the controls of 8 bits: they are not shown. */
const unseen = /[\u007f-\u009f]/

/** Keeps text without keeping the chunks that it came in. */
const makeCopy = () => {
  let space = Buffer.alloc(0)
  let length = 0
  return {
    clear: () => {
      length = 0
    },
    add: (chunk: Uint8Array) => {
      const needed = length + chunk.length
      if (needed > space.length) {
        const wider = Buffer.alloc(2 * needed)
        space.copy(wider, 0, 0, length)
        space = wider
      }
      space.set(chunk, length)
      length = needed
    },
    /** Unless it holds what is not shown. */
    text: () => {
      const bytes = space.subarray(0, length)
      const ascii = isAscii(bytes)
      const text = bytes.toString(ascii ? "latin1" : "utf8")
      return (ascii ? text.includes("\u007f") : unseen.test(text)) ? undefined : text
    }
  }
}

const none = new Int32Array(0)

/** From `at` on the words without a byte below the blank, as long as they end before `last`. */
const withoutControls = (words: Int32Array, at: number, lead: number, last: number): number => {
  const most = Math.min(words.length, (last - lead) >> 2)
  let word = (at - lead) >> 2
  for (; word < most; word++) {
    const bytes = words[word] ?? 0
    if (((bytes - 0x20202020) & ~bytes & 0x80808080) !== 0) break
  }
  return lead + 4 * word
}

/** How far a chunk fits, in bytes. */
const makeMeasure = () => {
  let rows = 0
  /** Bytes of the line that has not ended. */
  let line = 0
  let plain = false
  let returned = false

  return {
    isFull: (room: number) => rows >= room,
    isPlain: () => plain,
    /** It ends with the end of a line. */
    isWhole: () => line === 0 && !returned,
    begin: (known: boolean) => {
      rows = 0
      line = 0
      plain = known
      returned = false
    },
    /** Each byte is at most one column, and each line ends in one row more. */
    fit: (chunk: Uint8Array, room: number, columns: number): number => {
      let start = -line
      /** Where the line that has not ended takes up all that is left. */
      let last = start + (room - rows) * columns
      if (returned && chunk.length > 0) {
        plain &&= chunk[0] === newline
        returned = false
      }
      const { byteOffset, length } = chunk
      const lead = -byteOffset & 3
      const words = length < lead + 4 ? none : new Int32Array(chunk.buffer, byteOffset + lead, (length - lead) >> 2)
      let at = 0
      while (at < length) {
        // most of it holds no control: four bytes at a time, which is several times faster
        if (((at - lead) & 3) === 0) at = withoutControls(words, at, lead, last)
        if (at >= length) break
        if (at >= last) {
          rows = room
          line = at - start
          return at
        }
        const byte = chunk[at] ?? 0
        if (byte === newline) {
          rows += 1 + Math.trunc((at - start) / columns)
          start = at + 1
          if (rows >= room) {
            line = 0
            return start
          }
          last = start + (room - rows) * columns
        } else if (byte === carriageReturn) {
          if (at + 1 === length) returned = true
          else if (chunk[at + 1] !== newline) plain = false
        } else if (byte < blank) plain = false
        at += 1
      }
      line = length - start
      return length
    }
  }
}

/** `flow(false)` asks for the pty to be read no further, `flow(true)` for more. */
export const make = ({ isAtEnd, place, room, write }: Emulator, flow: (on: boolean) => void): Feeding => {
  const watchers = new Set<Overflow>()
  const measure = makeMeasure()
  const idle = new Set<() => void>()
  let pending: Array<Uint8Array> = []
  let bytes = 0
  /** What came since who watches was asked last. */
  const since = makeCopy()
  let asked = place()
  let stopped = false
  let released = false
  let flowing = true
  let timer: Fiber.Fiber<void> | undefined

  const isFree = () => released || watchers.size === 0

  const adjust = () => {
    const wanted = bytes <= (flowing ? most : 0)
    if (wanted !== flowing) {
      flowing = wanted
      flow(wanted)
    }
    if (bytes > 0) return
    const waiting = [...idle] // over a copy: a woken one may feed more and wait again at once
    idle.clear()
    for (const done of waiting) done()
  }
  const begin = (known: boolean) => {
    since.clear()
    measure.begin(known)
  }
  const proceed = () => {
    timer?.interruptUnsafe()
    timer = undefined
    stopped = false
    pump()
  }

  const expire = () => {
    timer = undefined
    begin(false)
    proceed()
  }

  /** All that was fed is on the screen. */
  const ask = () => {
    const here = place()
    const text = measure.isPlain() && measure.isWhole() ? since.text() : undefined
    // a program that paints the same screen again and again pushes nothing off it
    const still = here.top === asked.top && here.epoch === asked.epoch
    begin(!still && isAtEnd())
    if (still) return proceed()
    asked = here
    let waiting = 0
    for (const overflow of watchers) {
      waiting += 1
      let told = false
      const looked = () => {
        if (told) return
        told = true
        waiting -= 1
        if (waiting === 0 && timer !== undefined) proceed()
      }
      if (!overflow({ row: here.row, text }, looked)) looked()
    }
    if (waiting === 0) return proceed()
    timer = Effect.runFork(Effect.andThen(Effect.sleep(longest), Effect.sync(expire)))
  }

  const pump = () => {
    while (!stopped && pending.length > 0) {
      const [chunk = new Uint8Array(0)] = pending
      if (isFree()) {
        pending.shift()
        bytes -= chunk.length
        write(chunk, () => {})
        continue
      }
      const { columns, rows } = room()
      const end = measure.fit(chunk, rows, columns)
      const fits = end === chunk.length ? chunk : chunk.subarray(0, end)
      if (measure.isPlain()) since.add(fits)
      bytes -= end
      if (end < chunk.length) pending[0] = chunk.subarray(end)
      else pending.shift()
      stopped = measure.isFull(rows)
      write(fits, stopped ? ask : () => {})
    }
    adjust()
  }

  return {
    feed: (chunk) => {
      pending.push(chunk)
      bytes += chunk.length
      if (stopped) adjust()
      else pump()
    },
    watch: (overflow) => {
      if (watchers.size === 0) {
        begin(false)
        asked = place()
      }
      watchers.add(overflow)
    },
    unwatch: (overflow) => {
      watchers.delete(overflow)
      if (watchers.size === 0 && timer !== undefined) proceed()
    },
    fed: Effect.callback((resume) => {
      const done = () => resume(Effect.void)
      if (bytes === 0) return done()
      idle.add(done)
      return Effect.sync(() => idle.delete(done))
    }),
    release: () => {
      released = true
      if (timer !== undefined) proceed()
    }
  }
}
