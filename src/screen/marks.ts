/**
 * Finding the place of a mark on a later screen.
 *
 * A counted mark is placed exactly. Where rows were counted anew since, or are not counted at all, the lines that stood
 * before the mark are looked for.
 *
 * @since 0.1.0
 */
import { withoutEcho } from "./echo.ts"
import { hash, squeeze, together } from "./hashing.ts"
import { type LogicalLine, logicalLines } from "./lines.ts"
import type { Mark, Position, Screen } from "./records.ts"
import { noteTyped, type Torn } from "./torn.ts"

/**
 * Hash of a line without its trailing blanks, as {@link Mark} keeps it.
 *
 * @category marks
 * @since 0.1.0
 */
export const lineHash = (line: string): number => hash(line.trimEnd())

/**
 * Stands in front of the lines of an anchor that are all there were since the pane began.
 *
 * @category marks
 * @since 0.1.0
 */
export const beginning = -1

/**
 * One hash of the hashes of several lines, as {@link Mark} keeps it.
 *
 * @category marks
 * @since 0.1.0
 */
export const linesHash: (hashes: ReadonlyArray<number>) => number = together

/** Lines of one echo that a mark keeps. */
const mostEchoes = 8

/**
 * What a mark keeps of typed text: its first lines that are not blank. Blanks do not count, so that wrapping and padding
 * do not change it.
 *
 * @category marks
 * @since 0.1.0
 */
export const echoOf = (typed: string): NonNullable<Mark["echo"]> =>
  typed.split("\n").map(squeeze).filter((line) => line !== "").slice(0, mostEchoes).map((line) => {
    const echo = { length: line.length, hash: hash(line) }
    noteTyped(line, echo)
    return echo
  })

type Echo = NonNullable<Mark["echo"]>[number]

/** A prompt may stand before what was typed. */
const isEcho = (line: string, echo: Echo): boolean => {
  const squeezed = squeeze(line)
  return squeezed.length >= echo.length && hash(squeezed.slice(-echo.length)) === echo.hash
}

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u
const zero = /[\p{Mn}\p{Me}\p{Cf}]/u

/** How many UTF-16 units of a row stand before a column. */
const unitsBefore = (row: string, column: number): number => {
  let cells = 0
  let units = 0
  for (const character of row) {
    if (cells >= column && !zero.test(character)) break
    cells += zero.test(character) ? 0 : wide.test(character) ? 2 : 1
    units += character.length
  }
  return units
}

interface Place {
  readonly lines: ReadonlyArray<LogicalLine>
  /** What stood before it in its row is not there any more. */
  readonly rewritten?: boolean
  /** The first of the lines began before it. */
  readonly cut?: boolean
  /** Nobody can tell whether it is the place. */
  readonly unsure?: boolean
  /** The first of the lines can hold what was typed. */
  readonly echoed: boolean
}

const counted = (lines: ReadonlyArray<LogicalLine>, screen: Screen, at: Position): Place | undefined => {
  if (screen.origin === undefined || screen.mark.at?.epoch !== at.epoch) return undefined
  const start = at.row - screen.origin
  if (start < 0) return { lines, echoed: false }
  // joined rows are not counted rows, except the first
  if (screen.joined && start > 0) return undefined
  const first = lines.findLastIndex(({ row }) => row <= start)
  const line = lines[first]
  if (line === undefined || start >= screen.rows.length) return { lines: [], echoed: true }
  const whole = screen.rows.slice(line.row, start).reduce((units, row) => units + row.length, 0)
  const row = screen.rows[start] ?? ""
  if (at.left !== undefined && lineHash(row.slice(0, at.left.length)) !== at.left.hash) {
    return { lines: lines.slice(first), echoed: true, rewritten: true }
  }
  const before = whole + (at.left?.length ?? unitsBefore(row, at.column))
  const after = [{ row: line.row, text: line.text.slice(before) }, ...lines.slice(first + 1)]
  return { lines: after, echoed: true, cut: before > 0 }
}

/** Lines that an anchor is compared with: those that are not blank. */
const filledOf = (lines: ReadonlyArray<LogicalLine>) => {
  const filled: Array<{ readonly text: string; readonly index: number }> = []
  for (const [index, { text }] of lines.entries()) if (text.trim() !== "") filled.push({ text, index })
  // a counted mark is mostly near the end: then few lines are looked at
  const hashes: Array<number | undefined> = []
  return { filled, hashAt: (at: number): number => hashes[at] ??= lineHash(filled[at]?.text ?? "") }
}

/** Whether the lines of an anchor but its last one stand before a line. */
const followsOf = (before: ReadonlyArray<number>, hashAt: (at: number) => number, truncated: boolean) => {
  const enough = Math.min(before.length - 1, 2)
  return (at: number): boolean =>
    before.every((expected, index) => {
      const place = at - before.length + index
      if (expected === beginning) return place === -1 || (place < -1 && truncated)
      // of lines that are gone nobody knows: some that are there have to fit
      return place < 0 ? truncated && at >= enough : hashAt(place) === expected
    })
}

/**
 * Where rows are counted and this mark is of another count, its last lines decide. The last one has often grown since, by
 * what was typed after the prompt on it. In order of trust: it ends in the echo, it is as it was, the lines before it are
 * as they were.
 *
 * What was there may have been cleared: then a prompt alone is no proof, nor is a screen without what was typed.
 */
const recounted = (lines: ReadonlyArray<LogicalLine>, screen: Screen, mark: Mark): Place | undefined => {
  const { anchor = [], echo = [] } = mark
  const before = anchor.slice(0, -1)
  const last = anchor[before.length]
  const [typed] = echo
  const wary = screen.mark.at !== undefined
  if (wary && anchor.length < 2 && typed === undefined) return undefined
  if (anchor.every((hash) => hash === beginning)) return { lines, echoed: true }
  const { filled, hashAt } = filledOf(lines)
  const follows = followsOf(before, hashAt, screen.truncated)
  const seen = (at: number) => Math.min(at, before.length) > 0 || (at === 0 && !screen.truncated)
  const lastWhere = (test: (line: (typeof filled)[number], at: number) => boolean) =>
    filled.findLast((line, at) => test(line, at) && follows(at))

  const ended = typed === undefined
    ? undefined
    : before.length === 0
    ? filled.find(({ text }) => isEcho(text, typed))
    : lastWhere(({ text }) => isEcho(text, typed))
  if (ended !== undefined) return { lines: lines.slice(ended.index), echoed: true }
  if (wary && typed !== undefined) return undefined
  const same = lastWhere((_, at) => hashAt(at) === last)
  if (same !== undefined) return { lines: lines.slice(same.index + 1), echoed: true }
  const grown = lastWhere((_, at) => seen(at))
  return grown === undefined ? undefined : { lines: lines.slice(grown.index), echoed: true }
}

/**
 * Where no rows are counted: the lines before the mark are looked for. The last of them may have grown since, so it does
 * not have to fit; where it ends in what was typed, no other place counts.
 *
 * Of several places that one counts above which all reads as it did. Where they cannot be told apart it is the last one
 * at which that was typed; where nothing was typed it is the first one, so that nothing is missed, and the mark is lost.
 */
const uncounted = (lines: ReadonlyArray<LogicalLine>, screen: Screen, mark: Mark): Place | undefined => {
  const { anchor = [], depth, echo: [typed] = [] } = mark
  const before = anchor.slice(0, -1)
  const last = anchor[before.length]
  const { filled, hashAt } = filledOf(lines)
  const follows = followsOf(before, hashAt, screen.truncated)
  const isTyped = (at: number) => typed !== undefined && isEcho(filled[at]?.text ?? "", typed)
  const fits = (at: number) =>
    follows(at) && (before.length > 0 ? at > 0 || !screen.truncated : at === 0 && !screen.truncated
      || hashAt(at) === last || isTyped(at))
  const isWhole = (at: number) => at >= before.length - (anchor[0] === beginning ? 1 : 0)
  const isDeep = (at: number) =>
    depth !== undefined && at >= depth.length &&
    together(filled.slice(at - depth.length, at).map((_, index) => hashAt(at - depth.length + index))) === depth.hash
  /** Those of them, unless there are none. */
  const narrowed = (places: ReadonlyArray<number>, test: (at: number) => boolean) => {
    const some = places.length > 1 ? places.filter(test) : places
    return some.length > 0 ? some : places
  }

  const all = filled.flatMap((_, at) => fits(at) ? [at] : [])
  const places = narrowed(narrowed(narrowed(all, isTyped), isWhole), isDeep)
  const at = places.length > 1 && isTyped(places[0] ?? 0) && before.length > 0 ? places.at(-1) : places[0]
  const found = at === undefined ? undefined : filled[at]
  if (at === undefined || found === undefined) return undefined
  const isSame = !isTyped(at) && hashAt(at) === last
  return {
    lines: lines.slice(isSame ? found.index + 1 : found.index),
    echoed: true,
    unsure: places.length > 1 && !isTyped(at)
  }
}

const anchored = (lines: ReadonlyArray<LogicalLine>, screen: Screen, mark: Mark): Place | undefined => {
  if (mark.anchor === undefined) return undefined
  if (mark.at === undefined && mark.anchor.every((hash) => hash === beginning)) return { lines, echoed: true }
  return mark.at === undefined ? uncounted(lines, screen, mark) : recounted(lines, screen, mark)
}

/**
 * The row from which on there may be output of after the mark, where the program went back up to it or above it.
 *
 * @category marks
 * @since 0.1.0
 */
export const rewrittenFrom = ({ ascents = [], mark: { at: here } }: Screen, { at }: Mark): number | undefined => {
  if (at?.step === undefined || here?.epoch !== at.epoch) return undefined
  const { row, step } = at
  const highest = ascents.find((ascent) => ascent.step >= step)
  return highest !== undefined && highest.row <= row ? highest.row : undefined
}

/**
 * What came after the mark may stand anywhere: the cursor is above it, or the program paints the whole screen. Where
 * ascents are known, they tell.
 *
 * @category marks
 * @since 0.1.0
 */
export const isLeft = ({ alternate, cursor, mark: { at: here } }: Screen, { at }: Mark): boolean => {
  if (at?.step !== undefined && here?.epoch === at.epoch) return false
  return alternate === true ||
    (at !== undefined && cursor !== undefined && here?.epoch === at.epoch && cursor.row < at.row)
}

const isOf = ({ host, id, incarnation, runtime, scope }: Mark["pane"], { pane }: Mark) =>
  pane.id === id && pane.incarnation === incarnation && pane.scope === scope && pane.host === host &&
  pane.runtime === runtime

/** Rows were counted anew since the mark, as they are when the pane is resized. Its line follows those before it. */
const tornSince = (lines: ReadonlyArray<LogicalLine>, screen: Screen, { anchor = [], at }: Mark): Torn | undefined => {
  const { alternate, mark: { at: here }, truncated } = screen
  if (at === undefined || here === undefined || here.epoch === at.epoch || alternate === true) return undefined
  const before = anchor.slice(0, -1)
  const { filled, hashAt } = filledOf(lines)
  const follows = followsOf(before, hashAt, false)
  const place = before.length === 0 ? undefined : filled.findLast((_, at) => at >= before.length && follows(at))
  return { truncated, place: place === undefined ? undefined : lines[place.index] }
}

/**
 * What came after a mark.
 *
 * @category models
 * @since 0.1.0
 */
export interface LinesAfter {
  readonly lines: ReadonlyArray<LogicalLine>
  /** The mark could not be placed, and these are all lines; or all of those that were written to since. */
  readonly markLost: boolean
  /** The program wrote over its place: what stands here came after it, or may have. */
  readonly rewritten?: boolean
}

/**
 * The logical lines after a mark, without the lines that echo what was typed at it. A program that prints the same
 * words afterwards is kept. Without a mark: every logical line.
 *
 * @category reading
 * @since 0.1.0
 */
export const linesAfter = (screen: Screen, mark: Mark | undefined): LinesAfter => {
  const lines = logicalLines(screen)
  if (mark === undefined) return { lines, markLost: false }
  const { echo = [] } = mark
  const from = isOf(mark.pane, screen.mark) ? rewrittenFrom(screen, mark) : undefined
  if (from !== undefined) {
    const start = from - (screen.origin ?? from)
    const known = start > 0 && !screen.joined
    const since = known ? lines.slice(Math.max(0, lines.findLastIndex(({ row }) => row <= start))) : lines
    return { lines: withoutEcho(since, echo, true), markLost: true, rewritten: true }
  }
  const place = isOf(mark.pane, screen.mark) && !isLeft(screen, mark)
    ? (mark.at === undefined ? undefined : counted(lines, screen, mark.at)) ?? anchored(lines, screen, mark)
    : undefined
  if (place === undefined) {
    const rewritten = screen.alternate === true && mark.at?.epoch === screen.mark.at?.epoch
    return {
      lines: withoutEcho(lines, echo, true, { torn: tornSince(lines, screen, mark) }),
      markLost: true,
      rewritten
    }
  }
  const { cut = false, echoed, rewritten = false, unsure = false } = place
  const seen = echoed ? withoutEcho(place.lines, echo, !cut, { left: mark.at?.left }) : place.lines
  return { lines: seen, markLost: rewritten || unsure, rewritten }
}
