/**
 * What operations act on: panes and windows, the handles that name them, and the records that describe them.
 *
 * A handle is looked up once and used from then on. It carries the runtime, the host, the server and the incarnation
 * that issued it, so an id that was given out again, or that another server uses too, is never taken for the old one.
 *
 * @since 0.1.0
 */
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Printed } from "./target/printing.ts"
import * as Printing from "./target/printing.ts"

export type { Printed } from "./target/printing.ts"

const Identity = {
  /** Name of the runtime that issued the handle, for example `tmux`. */
  runtime: Schema.NonEmptyString,
  /** Host on which the server runs. */
  host: Schema.String,
  /** Endpoint of the server: two servers of one host have different scopes. */
  scope: Schema.String,
  /** The runtime's own id. Only the adapter reads it. */
  id: Schema.NonEmptyString,
  /** Start of the server, or a nonce kept on the target: another one means that `id` was issued again. */
  incarnation: Schema.String
}

/**
 * Names one pane for as long as it exists. Equal by value; prints as one word that `TerminalRuntime.resolve` reads.
 *
 * @category models
 * @since 0.1.0
 */
export class PaneHandle extends Schema.TaggedClass<PaneHandle>("paneway/PaneHandle")("PaneHandle", Identity) {
  #word: string | undefined
  /** One word for a shell: `RUNTIME:ID~DIGEST`, then `@SCOPE` where the runtime's default does not say it. */
  override toString(): string {
    return this.#word ??= Printing.print("pane", this)
  }
}

/**
 * Names one window for as long as it exists. Not assignable to a {@link PaneHandle}, although the fields are equal.
 *
 * @category models
 * @since 0.1.0
 */
export class WindowHandle extends Schema.TaggedClass<WindowHandle>("paneway/WindowHandle")("WindowHandle", Identity) {
  #word: string | undefined
  /** One word for a shell, never that of a pane. */
  override toString(): string {
    return this.#word ??= Printing.print("window", this)
  }
}

/**
 * A handle of either kind; `_tag` tells which.
 *
 * @category models
 * @since 0.1.0
 */
export type Handle = PaneHandle | WindowHandle

/**
 * A window's name: ASCII letters, digits and `_`, with single `-` between them. Make one with {@link windowName}.
 *
 * @category models
 * @since 0.1.0
 */
export const WindowName = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)*$/)),
  Schema.brand("WindowName")
)

/**
 * @category models
 * @since 0.1.0
 */
export type WindowName = typeof WindowName.Type

/** Case is kept, and so is the length. */
const clean = (text: string) =>
  text.replace(/[^A-Za-z0-9_-]+/g, "-").replace(/-+/g, "-").replace(/^-/, "").replace(/-+$/, "")

/**
 * Turns any text into a window name. Total: text without a usable character becomes `fallback`, and a fallback without
 * one becomes `window`. A name that is valid already stays as it is.
 *
 * @category constructors
 * @since 0.1.0
 */
export const windowName = (input: string, fallback = "window"): WindowName =>
  WindowName.make(clean(input) || clean(fallback) || "window")

/**
 * How a caller may name a window. A name is looked up at each use; a handle always means the same window.
 *
 * @category models
 * @since 0.1.0
 */
export type WindowRef = WindowHandle | WindowName

/**
 * What one look at a window can tell. An absent key is something that the runtime does not know.
 *
 * @category models
 * @since 0.1.0
 */
export class Window extends Schema.TaggedClass<Window>("paneway/Window")("Window", {
  handle: WindowHandle,
  name: WindowName,
  session: Schema.optionalKey(Schema.String),
  /** Directory that the window was made for. */
  root: Schema.optionalKey(Schema.String),
  /** Preset that the window was made with. */
  preset: Schema.optionalKey(Schema.String),
  active: Schema.Boolean
}) {}

/**
 * How a process ended. Both keys are absent when the runtime kept the pane but not the reason.
 *
 * @category models
 * @since 0.1.0
 */
export const Exit = Schema.Struct({ code: Schema.optionalKey(Schema.Int), signal: Schema.optionalKey(Schema.String) })

/**
 * @category models
 * @since 0.1.0
 */
export type Exit = typeof Exit.Type

/**
 * What one look at a pane can tell. An absent key is something that the runtime does not know.
 *
 * @category models
 * @since 0.1.0
 */
export class Pane extends Schema.TaggedClass<Pane>("paneway/Pane")("Pane", {
  handle: PaneHandle,
  window: WindowHandle,
  active: Schema.Boolean,
  /** Present when the process is over and the pane was kept. */
  exit: Schema.optionalKey(Exit),
  /** Made by `preparePane`, remembered on the pane. */
  prepared: Schema.optionalKey(Schema.Boolean),
  /** True: the pane's own shell is in the foreground. */
  atShell: Schema.optionalKey(Schema.Boolean),
  title: Schema.optionalKey(Schema.String),
  /** Program in the foreground. */
  command: Schema.optionalKey(Schema.String),
  cwd: Schema.optionalKey(Schema.String),
  pid: Schema.optionalKey(Schema.Int),
  /** Mode that takes the keys away from the program, for example copy mode. */
  mode: Schema.optionalKey(Schema.String),
  session: Schema.optionalKey(Schema.String),
  tty: Schema.optionalKey(Schema.String),
  startCommand: Schema.optionalKey(Schema.String),
  /** Row and column on the visible screen, from 0. */
  cursor: Schema.optionalKey(Schema.Struct({ row: Schema.Int, column: Schema.Int })),
  /** Time of the last output, in milliseconds since the epoch. */
  activityAtMillis: Schema.optionalKey(Schema.Int),
  columns: Schema.optionalKey(Schema.Int),
  rows: Schema.optionalKey(Schema.Int)
}) {}

/**
 * Reads a printed handle; `None` for any other text, native ids among it. Whether the target exists is not looked at,
 * and whether it is a pane or a window is in the digest only: compare with {@link printedBy}.
 *
 * @category parsing
 * @since 0.1.0
 */
export const parse: (text: string) => Option.Option<Printed> = Printing.parse

/**
 * Whether the printed word is that of this handle: same runtime, host, scope, incarnation, id and kind.
 *
 * @category guards
 * @since 0.1.0
 */
export const printedBy = (printed: Printed, handle: Handle): boolean => printed.word === handle.toString()

/**
 * Whether a runtime with that scope can have printed the word. False: the target belongs to another one.
 *
 * @category guards
 * @since 0.1.0
 */
export const isFrom = (printed: Printed, { runtime, scope }: Pick<Handle, "runtime" | "scope">): boolean =>
  printed.runtime === runtime &&
  (printed.scope === undefined ? Printing.isDefault(runtime, scope) : printed.scope === scope)
