/**
 * The process that called the command line: its environment, its directory, its standard streams, its terminal.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { Size } from "../Contract.ts"
import type { Program } from "../PaneView.ts"

/**
 * Nobody reads standard output any more. What it came from is ended; the exit code is 141, as a shell shows SIGPIPE.
 *
 * @category errors
 * @since 0.1.0
 */
export class OutputClosed extends Schema.TaggedError<OutputClosed>()("OutputClosed", { detail: Schema.String }) {
  override get message(): string {
    return `standard output was closed: ${this.detail}`
  }
}

/**
 * Standard output took no more bytes for another reason than a closed pipe: a full disk, an input/output error.
 *
 * @category errors
 * @since 0.1.0
 */
export class OutputFailed extends Schema.TaggedError<OutputFailed>()("OutputFailed", { detail: Schema.String }) {
  override get message(): string {
    return `standard output cannot be written: ${this.detail}`
  }
}

/**
 * @category services
 * @since 0.1.0
 */
export class Caller extends Context.Service<Caller, {
  /** All arguments after the program's name. */
  readonly words: ReadonlyArray<string>
  /** {@link words} up to the first `--`. */
  readonly argv: ReadonlyArray<string>
  /** False: an argument was not UTF-8 and is not what it was. */
  readonly readable: boolean
  /** What follows the first `--`: words of another program, which nobody parses here. */
  readonly tail: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Numbers of the signals here, by name. */
  readonly signals: Readonly<Record<string, number>>
  /** `keyboard`: a terminal that this process may read. `pipe`: anything else that has data or an end. */
  readonly input: "keyboard" | "pipe" | "none"
  readonly outputIsTerminal: boolean
  readonly errorIsTerminal: boolean
  /** Of the terminal on standard output; absent where that is none. */
  readonly size: () => Size | undefined
  /** A new size after each change of it; also where this process was stopped, and others may have used the terminal. */
  readonly resizes: Stream.Stream<Size>
  /** Standard input to its end. Read it once. */
  readonly read: Stream.Stream<Uint8Array>
  /** Succeeds when the bytes are handed to the system. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, OutputClosed | OutputFailed>
  /** One line or control text on standard error; never fails. */
  readonly tell: (text: string) => Effect.Effect<void>
  /** Keys reach the pane as they are pressed, and bytes the terminal as they are, until the scope closes. */
  readonly raw: Effect.Effect<void, never, Scope.Scope>
  /** The terminal is sent this if the process ends although the scope has not closed: after a crash. */
  readonly leaving: (text: () => string) => Effect.Effect<void, never, Scope.Scope>
  /** Stops this process and its job, as Ctrl-Z does, until the shell continues it; not at all where no shell watches. */
  readonly suspend: Effect.Effect<void>
  /**
   * The program takes the place of this process, with its terminal and its number. Only where that is not possible it
   * succeeds, with the reason.
   */
  readonly become: (program: Program) => Effect.Effect<string>
  /** The code that this process ends with when nothing fails. */
  readonly exitWith: (code: number) => Effect.Effect<void>
}>()("paneway/cli/Caller") {}
