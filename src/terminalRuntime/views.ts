/**
 * The lines that waits search: read once for each place where somebody waits, however many they are, and compared with
 * the look before, so that each line is tested once.
 *
 * Without a mark a wait begins with what is on the screen. From then on it sees all that follows, also what has scrolled
 * off the screen between two looks, where the adapter counts rows.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import type { TargetError } from "../Contract.ts"
import * as Screen from "../Screen.ts"

/**
 * Logical lines of the screen, of all that is held, or from a counted row on.
 *
 * @internal
 */
export type LinesNeed =
  | { readonly _tag: "Visible" | "Everything" }
  | { readonly _tag: "From"; readonly row: number }

/**
 * Where the lines of a wait begin: after a mark, at a row, or at the top of the screen.
 *
 * @internal
 */
export interface Place {
  readonly need: LinesNeed
  readonly mark: Screen.Mark | undefined
  /** The row means this only while rows are counted so. */
  readonly epoch: string | undefined
  /** The mark could not be placed before it was left behind. */
  readonly markLost: boolean
  /** Where to go on when the program leaves the alternate screen. */
  readonly left: Place | undefined
  /** What was seen of it last. */
  latest: { readonly shot: number; readonly view: Result.Result<View, TargetError> } | undefined
}

/**
 * The lines of one place at one look.
 *
 * @internal
 */
export interface View extends Screen.LinesAfter {
  readonly screen: Screen.Screen
  readonly shot: number
  /** The look that showed the place before, and how many lines from the first on are the same since. */
  readonly before: number
  readonly same: number
  /** The other lines as one text. */
  readonly changed: () => string
  /** Where who found nothing goes on. */
  readonly next: Place
  /** These are not its lines, because its row means another one now or the mark is above it; `next` has them. */
  readonly misplaced: boolean
}

type LookedScreen = Result.Result<Screen.Screen, TargetError>

/** Rows above the end that a program can still change, where nobody knows the height: more than any terminal shows. */
const farthest = 1000

/** Places that are remembered at the same time. */
const most = 1000

const placeAt = (need: LinesNeed, { epoch, left, mark, markLost = false }: Partial<Place> = {}): Place => ({
  need,
  mark,
  epoch,
  markLost,
  left,
  latest: undefined
})

const startAfter = (mark: Screen.Mark): Place =>
  mark.at === undefined
    ? placeAt({ _tag: "Everything" }, { mark })
    : placeAt({ _tag: "From", row: mark.at.row }, { mark, epoch: mark.at.epoch })

/**
 * While this is the same, a number means the same row.
 *
 * @internal
 */
export const countOf = ({ counted, mark }: Screen.Screen): string | undefined => counted ?? mark.at?.epoch

/** The lines from a counted row on. The one that it stands in counts whole. */
const linesFrom = (screen: Screen.Screen, row: number): Screen.LinesAfter => {
  const lines = Screen.logicalLines(screen)
  const start = row - (screen.origin ?? row)
  return { lines: start <= 0 ? lines : lines.slice(lines.findLastIndex((line) => line.row <= start)), markLost: false }
}

const linesOf = ({ mark, need }: Place, screen: Screen.Screen): Screen.LinesAfter =>
  mark === undefined && need._tag === "From" ? linesFrom(screen, need.row) : Screen.linesAfter(screen, mark)

const sameLines = (a: Screen.LinesAfter["lines"], b: Screen.LinesAfter["lines"]): number => {
  const most = Math.min(a.length, b.length)
  let same = 0
  while (same < most && a[same]?.text === b[same]?.text) same += 1
  return same
}

/**
 * @internal
 */
export interface Views {
  /** Where a wait begins. Equal places are one. */
  readonly start: (after: Screen.Mark | undefined) => Place
  /** What a look showed of a place; asked once for each look and place. */
  readonly at: (shot: number, place: Place, looked: LookedScreen) => Result.Result<View, TargetError>
  readonly forget: () => void
  /** The rows of the terminal. */
  readonly height: (rows: number) => void
  /** At each look of all waiters: forgets places that none was at since the last such look. */
  readonly prune: (shot: number) => void
}

/**
 * The views of one pane.
 *
 * @internal
 */
export const makeViews = (): Views => {
  const visible = placeAt({ _tag: "Visible" })
  const places = new Map<Screen.Mark | Place | string, { readonly place: Place; readonly since: number }>()
  let reach = farthest
  let shown = 0
  let pruned = 0

  const interned = (key: Screen.Mark | Place | string, make: () => Place): Place => {
    const known = places.get(key)
    if (known !== undefined) return known.place
    const place = make()
    // equal places are then looked at one by one, no more
    if (places.size >= most) places.clear()
    places.set(key, { place, since: shown })
    return place
  }
  const from = (row: number, epoch: string, markLost: boolean): Place =>
    interned(`${row} ${markLost} ${epoch}`, () => placeAt({ _tag: "From", row }, { epoch, markLost }))

  const marked = (mark: Screen.Mark): Place => interned(mark, () => startAfter(mark))

  /** Whether counting finds the rows of a place on this screen. */
  const isCounted = (screen: Screen.Screen, { epoch, mark }: Pick<Place, "epoch" | "mark">, row: number): boolean => {
    if (screen.origin === undefined) return false
    if (mark?.at === undefined) return countOf(screen) === epoch
    if (screen.mark.at?.epoch !== mark.at.epoch || Screen.isLeft(screen, mark)) return false
    // the program may have gone back above it
    return (Screen.rewrittenFrom(screen, mark) ?? row) >= row
  }

  /** Where the lines are that a place does not have. */
  const elsewhere = (place: Place, screen: Screen.Screen): Place => {
    const { epoch, mark } = place
    if (mark !== undefined) {
      const row = Screen.rewrittenFrom(screen, mark)
      return row === undefined
        ? placeAt({ _tag: "Everything" }, { mark })
        : interned(place, () => placeAt({ _tag: "From", row }, { mark, epoch }))
    }
    return screen.alternate === true
      ? interned(place, () => placeAt({ _tag: "Visible" }, { left: place, epoch: place.epoch }))
      : visible
  }

  /** Follows the end of what was seen, so that looks stay small. */
  const after = (place: Place, screen: Screen.Screen, { lines, markLost }: Screen.LinesAfter): Place => {
    const { origin } = screen
    const epoch = countOf(screen)
    if (origin === undefined || epoch === undefined || screen.alternate === true) return place
    if (place.need._tag === "Visible") return from(origin, epoch, false)
    if (place.need._tag === "Everything" && place.mark?.at !== undefined) {
      return isCounted(screen, place, place.mark.at.row) ? marked(place.mark) : place
    }
    const end = origin + screen.rows.length - reach
    if (place.need._tag !== "From" || screen.joined || end - place.need.row < reach) return place
    const line = lines.findLast(({ row }) => origin + row <= end)
    return line === undefined ? place : from(origin + line.row, epoch, place.markLost || markLost)
  }

  const read = (shot: number, place: Place, screen: Screen.Screen): View => {
    const { latest, left, markLost, need } = place
    const misplaced = (next: Place): View => {
      return { lines: [], markLost: false, screen, shot, before: -1, same: 0, changed: () => "", next, misplaced: true }
    }
    if (left !== undefined && isCounted(screen, left, 0)) return misplaced(left)
    if (need._tag === "From" && !isCounted(screen, place, need.row)) return misplaced(elsewhere(place, screen))
    const before = latest !== undefined && Result.isSuccess(latest.view) ? latest.view.success : undefined
    const seen = linesOf(place, screen)
    const same = before === undefined ? 0 : sameLines(before.lines, seen.lines)
    let changed: string | undefined
    return {
      lines: seen.lines,
      markLost: markLost || seen.markLost,
      screen,
      shot,
      before: before?.shot ?? -1,
      same,
      changed: () => changed ??= seen.lines.slice(same).map(({ text }) => text).join("\n"),
      next: after(place, screen, seen),
      misplaced: false
    }
  }

  return {
    start: (mark) => mark === undefined ? visible : marked(mark),
    at: (shot, place, looked) => {
      shown = shot
      const view = Result.map(looked, (screen) => read(shot, place, screen))
      place.latest = { shot, view }
      return view
    },
    height: (rows) => {
      // twice, in case that it has grown since
      reach = Math.min(farthest, Math.max(100, 2 * rows))
    },
    forget: () => {
      reach = farthest
      places.clear()
      visible.latest = undefined
    },
    prune: (shot) => {
      for (const [key, { place, since }] of places) {
        if (Math.max(place.latest?.shot ?? 0, since) < pruned) places.delete(key)
      }
      pruned = shot
    }
  }
}
