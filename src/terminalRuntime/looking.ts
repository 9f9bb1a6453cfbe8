/**
 * From what an adapter captures to a {@link Screen} with its mark.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { Capabilities } from "../Capabilities.ts"
import type { Place, Primitives, Range, RawScreen, Service, TargetError } from "../Contract.ts"
import * as Screen from "../Screen.ts"
import type { PaneHandle } from "../Target.ts"
import { unsupported } from "./capabilities.ts"
import type { Operations } from "./operations.ts"
import type { Targets } from "./targets.ts"

/** What to capture. */
interface LookOptions {
  readonly range: Range | { readonly from: number }
  /** Default false. */
  readonly ansi?: boolean | undefined
  /** True: logical lines, if the adapter can join rows. Default false. */
  readonly join?: boolean | undefined
}

/**
 * Ways to look at one pane.
 *
 * @internal
 */
export interface Looking extends Pick<Service, "capture"> {
  /** One capture, without a span and without a check of the handle. */
  readonly look: (pane: PaneHandle, options: LookOptions) => Effect.Effect<Screen.Screen, TargetError>
  /** The end of the visible screen. */
  readonly place: (pane: PaneHandle) => Effect.Effect<Place, TargetError>
}

const anchorRows = 3
/** Where rows are not counted, an anchor is all that there is. */
const anchorRowsAlone = 6
/** Lines that tell places apart whose last lines read the same. */
const deepest = 100
/** Rows that hold them, blank ones and wrapped lines aside. */
const enough = 12

/** A place, and whether its rows begin where the pane began. */
interface SeenPlace extends Place {
  readonly whole?: boolean
}

/** Hashes of the last lines that are not blank, the last one first, and whether there are no others. */
const lastOf = (tail: ReadonlyArray<string>, most: number) => {
  const hashes: Array<number> = []
  for (let row = tail.length - 1; row >= 0; row--) {
    const line = tail[row] ?? ""
    if (line.trim() === "") continue
    if (hashes.length === most) return { hashes, all: false }
    hashes.push(Screen.lineHash(line))
  }
  return { hashes, all: true }
}

/** What finds the place again by its lines; in front, the beginning of the pane if there are no others. */
const anchorOf = ({ at, tail = [], whole = false }: SeenPlace): Pick<Screen.Mark, "anchor" | "depth"> => {
  if (at !== undefined) return { anchor: lastOf(tail, anchorRows).hashes.toReversed() }
  const { all, hashes } = lastOf(tail, deepest)
  const anchor = hashes.slice(0, anchorRowsAlone).toReversed()
  if (whole && all && hashes.length <= anchorRowsAlone) return { anchor: [Screen.beginning, ...anchor] }
  // the first row may be the end of a line
  const above = hashes.slice(1, all && !whole ? -1 : undefined).toReversed()
  return above.length < anchor.length ? { anchor } : {
    anchor,
    depth: { length: above.length, hash: Screen.linesHash(above) }
  }
}

/**
 * The mark of a place: its position where the adapter counts, and hashes of its last lines that are not blank.
 *
 * @internal
 */
export const markAt = (
  pane: PaneHandle,
  place: SeenPlace,
  more: Pick<Screen.Mark, "echo" | "turn"> = {}
): Screen.Mark =>
  new Screen.Mark({
    pane,
    ...(place.at === undefined ? {} : { at: place.at }),
    ...(place.tail === undefined ? {} : anchorOf(place)),
    ...more
  })

/** The rows at the end that hold the last lines, from the beginning of a line on. */
const endOf = ({ joined, origin, rows, wrapped = [] }: RawScreen): ReadonlyArray<string> => {
  if (joined || wrapped.length === 0) return rows
  if (origin === undefined) return Screen.logicalLines({ rows, wrapped }).map(({ text }) => text)
  const continues = new Set(wrapped)
  let first = rows.length
  let filled = 0
  while (first > 0 && (filled < anchorRows || continues.has(first - 1))) {
    first -= 1
    if (rows[first]?.trim() !== "" && !continues.has(first - 1)) filled += 1
  }
  const near = wrapped.filter((row) => row >= first).map((row) => row - first)
  return Screen.logicalLines({ rows: rows.slice(first), wrapped: near }).map(({ text }) => text)
}

const positionOf = ({ cursor, origin }: RawScreen): Place["at"] => origin === undefined ? undefined : cursor

const placeOf = (raw: RawScreen): SeenPlace => ({
  at: positionOf(raw),
  tail: raw.joined ? raw.rows : Screen.logicalLines(raw).map(({ text }) => text),
  whole: !raw.truncated && raw.alternate !== true
})

const screenOf = (pane: PaneHandle, raw: RawScreen, ansi: boolean): Screen.Screen =>
  new Screen.Screen({
    rows: ansi ? raw.rows : Screen.normalise(raw.rows, raw.wrapped),
    joined: raw.joined,
    wrapped: raw.wrapped ?? [],
    truncated: raw.truncated,
    mark: markAt(pane, { at: positionOf(raw), tail: endOf(raw), whole: !raw.truncated && raw.alternate !== true }),
    ...(raw.alternate === undefined ? {} : { alternate: raw.alternate }),
    ...(raw.origin === undefined ? {} : { origin: raw.origin }),
    ...(raw.cursor === undefined ? {} : { cursor: { row: raw.cursor.row, column: raw.cursor.column } }),
    ...(raw.counted === undefined ? {} : { counted: raw.counted }),
    ...(raw.ascents === undefined ? {} : { ascents: raw.ascents })
  })

/**
 * Every look is one capture of the adapter.
 *
 * @internal
 */
export const makeLooking = ({ capabilities, operations, primitives, targets }: {
  readonly primitives: Primitives
  readonly capabilities: Capabilities
  readonly operations: Operations
  readonly targets: Targets
}): Looking => {
  const capture = (pane: PaneHandle, { ansi = false, join = false, range }: LookOptions) =>
    primitives.capture(pane, { range, ansi, join })

  const look: Looking["look"] = (pane, options) =>
    Effect.map(capture(pane, options), (raw) => screenOf(pane, raw, options.ansi === true))

  const captureOwn: Looking["capture"] = Effect.fnUntraced(function*(pane, options) {
    yield* targets.own(pane)
    if (options?.ansi === true && capabilities.ansi === "none") return yield* unsupported(primitives, "ansi")
    const { ansi, range = { tail: 40 } } = options ?? {}
    if (typeof range === "string") return yield* look(pane, { range, ansi })
    const tail = Math.max(0, Math.floor(range.tail) || 0)
    // rows are counted from the last one that is not blank, whatever the runtime counts; a mark needs some to be found by
    return Screen.tail(yield* look(pane, { range: { tail: Math.max(tail, enough) }, ansi }), tail)
  })

  return {
    look,
    place: (pane) => Effect.map(capture(pane, { range: "visible" }), placeOf),
    capture: operations.hot("capture", captureOwn)
  }
}
