/**
 * Captured text as a value: rows and logical lines, the place where output began, and the search in it.
 *
 * Everything here is pure. A screen says what was on the terminal when it was captured, and its text is data: whoever
 * prints it to a terminal strips control sequences first.
 *
 * @since 0.1.0
 */
import * as Hash from "effect/Hash"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { PaneHandle } from "./Target.ts"

/**
 * A counted place. `row` counts from the pane's beginning, `column` from 0. Two positions compare only when their
 * `epoch` is equal: another one means that rows counted before cannot be found again, because they were cleared,
 * trimmed, wrapped anew by a resize, or belong to the other screen.
 *
 * @category models
 * @since 0.1.0
 */
export const Position = Schema.Struct({ row: Schema.Int, column: Schema.Int, epoch: Schema.String })

/**
 * @category models
 * @since 0.1.0
 */
export type Position = typeof Position.Type

/**
 * A place in a pane's output, taken before the first byte of a send or at a capture. Pass it to a wait as `after`.
 * Opaque to callers, valid in other processes too, and free of text: it holds hashes and lengths only.
 *
 * @category models
 * @since 0.1.0
 */
export class Mark extends Schema.TaggedClass<Mark>("paneway/Mark")("Mark", {
  pane: PaneHandle,
  /** The counted place, where the adapter can count rows. */
  at: Schema.optionalKey(Position),
  /** Hashes of the last non-blank logical lines: decides where counting fails. */
  anchor: Schema.optionalKey(Schema.Array(Schema.Int)),
  /** Length and hash of what was typed here: enough to know its echo, not enough to leak it. */
  echo: Schema.optionalKey(Schema.Struct({ length: Schema.Int, hash: Schema.Int })),
  /** The agent's sequence then; a later turn has a greater one. Sequences of another `by` do not compare. */
  turn: Schema.optionalKey(Schema.Struct({ sequence: Schema.Int, by: Schema.String }))
}) {}

/**
 * What a pane showed at one moment.
 *
 * @category models
 * @since 0.1.0
 */
export class Screen extends Schema.TaggedClass<Screen>("paneway/Screen")("Screen", {
  rows: Schema.Array(Schema.String),
  /** Indexes of rows that continue on the next one. */
  wrapped: Schema.Array(Schema.Int),
  /** True: rows are logical lines already. */
  joined: Schema.Boolean,
  /** True: the program has switched to the alternate screen. */
  alternate: Schema.optionalKey(Schema.Boolean),
  /** Number of the first row since the pane began, where the backend counts. */
  origin: Schema.optionalKey(Schema.Int),
  /** Counted like `origin`, not an index into `rows`. */
  cursor: Schema.optionalKey(Schema.Struct({ row: Schema.Int, column: Schema.Int })),
  /** Rows existed above the first one and were not captured or are lost. */
  truncated: Schema.Boolean,
  /** The end of this screen, for a wait that shall see only what comes later. */
  mark: Mark
}) {
  /** The rows joined by LF. */
  get text(): string {
    return this.rows.join("\n")
  }
}

/**
 * A line as the program printed it. `row` is the index of its first row.
 *
 * @category models
 * @since 0.1.0
 */
export interface LogicalLine {
  readonly text: string
  readonly row: number
}

/**
 * Joins rows that the terminal wrapped.
 *
 * @category reading
 * @since 0.1.0
 */
export const logicalLines = (
  { rows, wrapped }: { readonly rows: ReadonlyArray<string>; readonly wrapped?: ReadonlyArray<number> | undefined }
): Array<LogicalLine> => {
  const lines: Array<{ text: string; row: number }> = []
  let open = false
  rows.forEach((row, index) => {
    const last = lines[lines.length - 1]
    if (open && last) last.text += row
    else lines.push({ text: row, row: index })
    open = wrapped?.includes(index) ?? false
  })
  return lines
}

/**
 * Hash of a line without its trailing blanks, as {@link Mark} keeps it.
 *
 * @category marks
 * @since 0.1.0
 */
export const lineHash = (line: string): number => Hash.string(line.trimEnd())

const squeeze = (text: string) => text.replace(/\s+/g, "")

/**
 * What a mark keeps of typed text. Blanks do not count, so that wrapping and padding do not change it.
 *
 * @category marks
 * @since 0.1.0
 */
export const echoOf = (typed: string): { readonly length: number; readonly hash: number } => {
  const text = squeeze(typed)
  return { length: text.length, hash: Hash.string(text) }
}

const isEcho = (line: string, echo: { readonly length: number; readonly hash: number }) =>
  Hash.string(squeeze(line).slice(-echo.length)) === echo.hash

const withoutEcho = (lines: ReadonlyArray<LogicalLine>, echo: Mark["echo"]) => {
  if (echo === undefined) return lines
  const at = lines.findIndex((line) => squeeze(line.text) !== "" && isEcho(line.text, echo))
  return at === -1 ? lines : lines.toSpliced(at, 1)
}

const placed = (lines: ReadonlyArray<LogicalLine>, screen: Screen, mark: Mark): ReadonlyArray<LogicalLine> => {
  const { anchor, at } = mark
  if (at !== undefined && screen.origin !== undefined) {
    const start = at.row - screen.origin
    return lines
      .filter((line) => line.row >= start)
      .map((line) => line.row === start ? { row: line.row, text: line.text.slice(at.column) } : line)
  }
  const last = anchor?.[anchor.length - 1]
  return last === undefined ? lines : lines.slice(lines.findLastIndex((line) => lineHash(line.text) === last) + 1)
}

/**
 * The logical lines after a mark, without the line that echoes what was typed at it. A program that prints the same
 * words afterwards is kept. Without a mark: every logical line.
 *
 * @category reading
 * @since 0.1.0
 */
export const linesAfter = (screen: Screen, mark: Option.Option<Mark>): ReadonlyArray<LogicalLine> => {
  const lines = logicalLines(screen)
  return Option.isNone(mark) ? lines : withoutEcho(placed(lines, screen, mark.value), mark.value.echo)
}

/**
 * A test for one line. Text matches where it occurs; of a regular expression the flags `g` and `y` are ignored, because
 * they would make it remember where it stopped and miss every second look.
 *
 * @category reading
 * @since 0.1.0
 */
export const matcher = (
  pattern: string | RegExp
): (text: string) => Option.Option<{ readonly text: string; readonly groups: ReadonlyArray<string> }> => {
  if (typeof pattern === "string") {
    return (text) => text.includes(pattern) ? Option.some({ text: pattern, groups: [] }) : Option.none()
  }
  const safe = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ""))
  return (text) => {
    const hit = safe.exec(text)
    return hit === null
      ? Option.none()
      : Option.some({ text: hit[0], groups: hit.slice(1).map((group) => group ?? "") })
  }
}
