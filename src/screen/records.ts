/**
 * What a look at a pane gives: its rows, and the place where they end.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { PaneHandle } from "../Target.ts"

/**
 * A counted place. `row` counts from the pane's beginning, `column` from 0 in cells. Two positions compare only when
 * their `epoch` is equal: another one means that rows counted before cannot be found again, because they were cleared,
 * trimmed, wrapped anew by a resize, or belong to the other screen. `step` numbers the ascents of a {@link Screen};
 * `left` is the length, in UTF-16 units, and the hash of what stands left of it in its row.
 *
 * @category models
 * @since 0.1.0
 */
export const Position = Schema.Struct({
  row: Schema.Int,
  column: Schema.Int,
  epoch: Schema.String,
  step: Schema.optionalKey(Schema.Int),
  left: Schema.optionalKey(Schema.Struct({ length: Schema.Int, hash: Schema.Int }))
})

/**
 * The program went back up to `row` and may have printed there, after all marks whose step is not greater.
 *
 * @category models
 * @since 0.1.0
 */
export const Ascent = Schema.Struct({ step: Schema.Int, row: Schema.Int })

/**
 * @category models
 * @since 0.1.0
 */
export type Ascent = typeof Ascent.Type

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
  /**
   * Hashes of the last non-blank logical lines: decides where counting fails. Empty: nothing was on the screen. A
   * negative one in front: these are all the lines since the pane began.
   */
  anchor: Schema.optionalKey(Schema.Array(Schema.Int)),
  /**
   * How many lines stood above the last of these, and one hash of all of them: tells places apart whose last lines read
   * the same. Only where rows are not counted.
   */
  depth: Schema.optionalKey(Schema.Struct({ length: Schema.Int, hash: Schema.Int })),
  /** Length and hash of each line that was typed here: enough to know its echo, not enough to leak it. */
  echo: Schema.optionalKey(Schema.Array(Schema.Struct({ length: Schema.Int, hash: Schema.Int }))),
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
  /** Screens with the same one count their rows alike, also where the epochs of their marks differ. */
  counted: Schema.optionalKey(Schema.String),
  /** Steps ascend, and rows too: an ascent covers those before it that were not so high. */
  ascents: Schema.optionalKey(Schema.Array(Ascent)),
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
