/**
 * What the recorder of a scripted runtime writes down: one entry for each change that the runtime was made to make, in
 * order, with its target. Equal by value; printed as a short line.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { PaneHandle, WindowHandle } from "../../src/Target.ts"

const Target = Schema.Union([PaneHandle, WindowHandle])

/**
 * A pane was opened, and with it its window where that was new.
 *
 * @category log
 * @since 0.1.0
 */
export class Opened extends Schema.TaggedClass<Opened>("paneway/Scripted/Opened")("Opened", {
  target: PaneHandle,
  window: WindowHandle,
  program: Schema.String
}) {
  override toString(): string {
    return `${this.target.id} opened in ${this.window.id}: ${this.program}`
  }
}

/**
 * A pane or a window was closed.
 *
 * @category log
 * @since 0.1.0
 */
export class Closed extends Schema.TaggedClass<Closed>("paneway/Scripted/Closed")("Closed", { target: Target }) {
  override toString(): string {
    return `${this.target.id} closed`
  }
}

/**
 * @category log
 * @since 0.1.0
 */
export class SessionClosed
  extends Schema.TaggedClass<SessionClosed>("paneway/Scripted/SessionClosed")("SessionClosed", {
    session: Schema.String
  })
{
  override toString(): string {
    return `session ${this.session} closed`
  }
}

/**
 * Text went to a pane; as much of it as the runtime took.
 *
 * @category log
 * @since 0.1.0
 */
export class Typed extends Schema.TaggedClass<Typed>("paneway/Scripted/Typed")("Typed", {
  target: PaneHandle,
  text: Schema.String,
  paste: Schema.Boolean
}) {
  override toString(): string {
    return `${this.target.id} ${this.paste ? "pasted" : "typed"} ${JSON.stringify(this.text)}`
  }
}

/**
 * A command was typed by `run`, with what `run` types around it to see its end. The Enter that follows is `Pressed`.
 *
 * @category log
 * @since 0.1.0
 */
export class Ran extends Schema.TaggedClass<Ran>("paneway/Scripted/Ran")("Ran", {
  target: PaneHandle,
  command: Schema.String
}) {
  override toString(): string {
    return `${this.target.id} runs ${JSON.stringify(this.command)}`
  }
}

/**
 * A key was pressed in a pane, named as `Keys.Key` prints.
 *
 * @category log
 * @since 0.1.0
 */
export class Pressed extends Schema.TaggedClass<Pressed>("paneway/Scripted/Pressed")("Pressed", {
  target: PaneHandle,
  key: Schema.String
}) {
  override toString(): string {
    return `${this.target.id} pressed ${this.key}`
  }
}

/**
 * A prompt was handed to an agent, which submits it.
 *
 * @category log
 * @since 0.1.0
 */
export class Prompted extends Schema.TaggedClass<Prompted>("paneway/Scripted/Prompted")("Prompted", {
  target: PaneHandle,
  text: Schema.String
}) {
  override toString(): string {
    return `${this.target.id} prompted ${JSON.stringify(this.text)}`
  }
}

/**
 * The mode that took the keys of a pane was left.
 *
 * @category log
 * @since 0.1.0
 */
export class ModeLeft
  extends Schema.TaggedClass<ModeLeft>("paneway/Scripted/ModeLeft")("ModeLeft", { target: PaneHandle })
{
  override toString(): string {
    return `${this.target.id} left its mode`
  }
}

/**
 * @category log
 * @since 0.1.0
 */
export class Focused extends Schema.TaggedClass<Focused>("paneway/Scripted/Focused")("Focused", { target: Target }) {
  override toString(): string {
    return `${this.target.id} focused`
  }
}

/**
 * @category log
 * @since 0.1.0
 */
export class Resized extends Schema.TaggedClass<Resized>("paneway/Scripted/Resized")("Resized", {
  target: PaneHandle,
  columns: Schema.Int,
  rows: Schema.Int
}) {
  override toString(): string {
    return `${this.target.id} resized to ${this.columns}x${this.rows}`
  }
}

/**
 * Facts were kept on a pane or a window.
 *
 * @category log
 * @since 0.1.0
 */
export class Remembered extends Schema.TaggedClass<Remembered>("paneway/Scripted/Remembered")("Remembered", {
  target: Target,
  root: Schema.optionalKey(Schema.String),
  preset: Schema.optionalKey(Schema.String),
  prepared: Schema.optionalKey(Schema.Boolean)
}) {
  override toString(): string {
    const { prepared, preset, root } = this
    return `${this.target.id} remembers ${JSON.stringify({ root, preset, prepared })}`
  }
}

/**
 * A variable was set for panes to come. The value of a redacted one is not kept.
 *
 * @category log
 * @since 0.1.0
 */
export class EnvironmentSet
  extends Schema.TaggedClass<EnvironmentSet>("paneway/Scripted/EnvironmentSet")("EnvironmentSet", {
    name: Schema.String,
    value: Schema.String,
    session: Schema.optionalKey(Schema.String)
  })
{
  override toString(): string {
    return `variable ${this.name} set to ${JSON.stringify(this.value)}`
  }
}

/**
 * One change, with its target.
 *
 * @category log
 * @since 0.1.0
 */
export const Entry = Schema.Union([
  Opened,
  Closed,
  SessionClosed,
  Typed,
  Ran,
  Pressed,
  Prompted,
  ModeLeft,
  Focused,
  Resized,
  Remembered,
  EnvironmentSet
])

/**
 * @category log
 * @since 0.1.0
 */
export type Entry = typeof Entry.Type
