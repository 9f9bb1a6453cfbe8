/** What a pane shows, with the rows that go on in the next one. */
import * as Effect from "effect/Effect"
import type { Primitives, RawScreen, TargetError } from "../../src/Contract.ts"
import { NativeFailure } from "../../src/RuntimeError.ts"
import type { Position } from "../../src/Screen.ts"
import type { PaneHandle } from "../../src/Target.ts"
import { change } from "./asking.ts"
import type { Counting } from "./counting.ts"
import { runtime } from "./failures.ts"
import * as Place from "./place.ts"
import type { Command } from "./quoting.ts"
import { print, type Transport } from "./transport.ts"

type Options = Parameters<Primitives["capture"]>[1]

/** What is known of a pane from the last look, to ask for the right rows at once. */
interface Known {
  readonly history: number
  readonly rows: number
  /** Some row went on in the next one. */
  readonly wraps: boolean
}

/** Panes that are remembered at the same time; the oldest are forgotten. */
const most = 4096

/** Rows that may have come since the last look without making another one necessary. */
const slack = 100

/** How often a capture is asked for whose parts do not fit together. */
const attempts = 3

interface Captured {
  readonly place: Place.Place
  readonly plain: ReadonlyArray<string>
  /** As they are shown, with escape sequences if they were asked for. */
  readonly rows: ReadonlyArray<string>
  /** Those that go on; undefined: rows are logical lines. */
  readonly wrapped: ReadonlyArray<number> | undefined
}

/** Which rows go on: a logical line is made of as many rows as it takes. Undefined: the two do not fit together. */
export const wrapsOf = (
  rows: ReadonlyArray<string>,
  lines: ReadonlyArray<string>
): ReadonlyArray<number> | undefined => {
  const wrapped: Array<number> = []
  let at = 0
  for (const line of lines) {
    let length = 0
    do {
      const row = rows[at]
      if (row === undefined || !line.startsWith(row, length)) return undefined
      length += row.length
      if (length < line.length) wrapped.push(at)
      at += 1
    } while (length < line.length)
  }
  return at === rows.length ? wrapped : undefined
}

/** The row where a capture begins, from the top of the screen: rows above it are negative. */
const beginOf = (range: Options["range"], known: Known | undefined): string => {
  if (range === "visible") return "0"
  if (range === "full") return "-"
  if ("tail" in range) return range.tail <= 0 ? "0" : `${-Math.min(range.tail, 1_000_000_000)}`
  return known === undefined ? "-" : `${Math.min(range.from - known.history - slack, known.rows - 1)}`
}

/** How many rows there are without the blank ones at the end. */
const filled = (rows: ReadonlyArray<string>): number => rows.findLastIndex((row) => row.trim() !== "") + 1

export const make = (transport: Transport, counting: Counting) => {
  const known = new Map<string, Known>()

  const note = (pane: PaneHandle, { history, rows }: Place.Place, wraps: boolean) => {
    known.delete(pane.id)
    known.set(pane.id, { history, rows, wraps })
    const [oldest] = known.keys()
    if (known.size > most && oldest !== undefined) known.delete(oldest)
  }

  const once = Effect.fnUntraced(function*(pane: PaneHandle, begin: string, ansi: boolean, wraps: boolean) {
    const capture = (...flags: ReadonlyArray<string>): Command => [
      "capture-pane",
      "-p",
      ...flags,
      "-S",
      begin,
      "-t",
      pane.id
    ]
    const [placed = "", ...captures] = yield* change(transport, "capture", pane, [
      print(Place.format, pane.id),
      ...(ansi ? [capture("-e")] : []),
      ...(wraps ? [capture("-N")] : []),
      capture("-J")
    ])
    const place = Place.read(placed)
    if (place === undefined) {
      return yield* new NativeFailure({ runtime, operation: "capture", detail: `tmux said ${placed} of the pane` })
    }
    const lines = captures.map((text) => text.split("\n"))
    const joined = lines.at(-1) ?? []
    const split = wraps ? lines.at(-2) : undefined
    return { place, joined, split, styled: ansi ? lines[0] : undefined }
  })

  /** Two captures where rows go on in the next one, else one. */
  const captured = Effect.fnUntraced(
    function*(pane: PaneHandle, begin: string, ansi: boolean): Effect.fn.Return<Captured, TargetError> {
      let wraps = known.get(pane.id)?.wraps ?? false
      for (let attempt = 1;; attempt++) {
        const { joined, place, split, styled } = yield* once(pane, begin, ansi, wraps)
        const expected = expectedOf(begin, place)
        const whole = joined.length === expected
        const wrapped = whole ? [] : split === undefined ? undefined : wrapsOf(split, joined)
        if (wrapped !== undefined || attempt === attempts) {
          note(pane, place, wraps && !whole)
          const plain = wrapped === undefined || split === undefined || whole ? joined : split
          return { place, plain, rows: styled?.length === plain.length ? styled : plain, wrapped }
        }
        wraps = true
      }
    }
  )

  const expectedOf = (begin: string, { history, rows }: Place.Place): number =>
    rows + (begin === "-" ? history : Math.min(history, -Number(begin)))

  const capture = Effect.fnUntraced(function*(pane: PaneHandle, { ansi, range }: Options) {
    const begin = beginOf(range, known.get(pane.id))
    let got = yield* captured(pane, begin, ansi)
    if (typeof range === "object" && "from" in range && firstOf(begin, got.place) > range.from) {
      got = yield* captured(pane, beginOf(range, known.get(pane.id)), ansi)
    }
    return screenOf(got, range, begin, counting.positionOf(pane.id, got.place))
  })

  return { capture }
}

/** Number of the first captured row. */
const firstOf = (begin: string, { history }: Place.Place): number =>
  begin === "-" ? 0 : Math.max(0, history + Number(begin))

/** The rows that were asked for. Of logical lines nobody knows which rows they were, but for the first. */
const screenOf = (
  { place, plain, rows, wrapped }: Captured,
  range: Options["range"],
  begin: string,
  position: Position | undefined
): RawScreen => {
  const counted = Place.isCounted(place)
  const first = firstOf(begin, place)
  const end = range === "visible" ? rows.length : filled(plain)
  const above = place.alternate ? rows.length - place.rows : 0
  const wanted = typeof range === "string"
    ? 0
    : "tail" in range
    ? end - range.tail
    : counted && wrapped !== undefined
    ? range.from - first
    : 0
  const start = Math.min(end, Math.max(0, above, wanted))
  return {
    rows: rows.slice(start, end),
    joined: wrapped === undefined,
    truncated: counted ? first + start > 0 : !place.alternate || place.history > 0,
    alternate: place.alternate,
    ...(wrapped === undefined
      ? {}
      : { wrapped: wrapped.filter((at) => at >= start && at < end).map((at) => at - start) }),
    ...(position === undefined ? {} : { origin: first + start, cursor: position })
  }
}
