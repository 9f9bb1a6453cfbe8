/**
 * A live pane in another terminal: its screen, what its program prints from then on, and the keys that are typed there.
 * It is what `paneway attach` needs beyond the contract.
 *
 * A runtime whose layer can do it puts a {@link Service} into its context next to `TerminalRuntime`. One whose own program
 * shows its panes puts a {@link Client} there. A program that finds neither cannot attach there.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type { Size, TargetError } from "./Contract.ts"
import type { InvalidRequest, OperationRefused, Unsupported } from "./RuntimeError.ts"
import type { Exit, PaneHandle } from "./Target.ts"

/**
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /** Of the terminal that shows the pane. */
  readonly size: Size
  /** True: nothing is written to the pane, and it keeps its size. */
  readonly readOnly: boolean
  /** The printed pane in which that terminal is. A view that would show itself is refused. Absent: in none. */
  readonly from?: string | undefined
}

/**
 * What a terminal is told, in order.
 *
 * - `Opened` comes first: `view` names the view in {@link Service.write} and {@link Service.resize}.
 * - `Screen` makes the whole screen anew, in a terminal whose modes are those of its beginning. `offset` counts the bytes
 *   that the program has printed up to there.
 * - `Output` goes on from what came before: bytes as the program printed them, without a gap, `offset` counted after them.
 * - `Ended` comes last. `exit` is absent where the pane was closed.
 *
 * @category models
 * @since 0.1.0
 */
export type Update =
  | { readonly _tag: "Opened"; readonly view: string }
  | { readonly _tag: "Screen"; readonly bytes: Uint8Array; readonly offset: number }
  | { readonly _tag: "Output"; readonly bytes: Uint8Array; readonly offset: number }
  | { readonly _tag: "Ended"; readonly exit?: Exit | undefined }

/**
 * @category errors
 * @since 0.1.0
 */
export type ShowError = OperationRefused | Unsupported | InvalidRequest | TargetError

/**
 * @category errors
 * @since 0.1.0
 */
export type ViewError = Unsupported | InvalidRequest | TargetError

/**
 * @category models
 * @since 0.1.0
 */
export interface Service {
  /**
   * Shows the pane as long as the stream is run. Whoever reads it slowly holds up neither the program nor others, and
   * nothing is kept for them without limit: instead of what they missed they get the screen as it is then.
   *
   * The pane has the size of the terminal that opened its view, typed or changed its size last, among those that are open
   * and not read-only; it keeps the last one. In a terminal of another size it is a picture, made anew as it changes.
   */
  readonly show: (pane: PaneHandle, options: Options) => Stream.Stream<Update, ShowError>
  /**
   * Bytes as they were typed. They wait for a delivery to the pane that has begun, and none begins while they are written.
   * Gives how many the pane's terminal took: fewer than all where its program reads nothing for as long as a send stalls.
   */
  readonly write: (view: string, bytes: Uint8Array) => Effect.Effect<number, ViewError>
  /** The terminal has another size now. */
  readonly resize: (view: string, size: Size) => Effect.Effect<void, ViewError>
}

/**
 * @category references
 * @since 0.1.0
 */
export const PaneView = Context.Reference<Option.Option<Service>>("paneway/PaneView", {
  defaultValue: () => Option.none()
})

/**
 * A program in the place of the caller: it takes the caller's terminal, and ends as the caller is to end.
 *
 * @category models
 * @since 0.1.0
 */
export interface Program {
  /** The first one is the path of a file that can be executed. */
  readonly argv: readonly [string, ...Array<string>]
  readonly env: Readonly<Record<string, string>>
}

/**
 * The runtime's own way to show a pane.
 *
 * @category models
 * @since 0.1.0
 */
export interface Client {
  /**
   * What the caller becomes, in its own terminal. `None`: the caller is in a pane of that runtime, and its person sees the
   * pane already.
   */
  readonly attach: (
    pane: PaneHandle,
    options: Pick<Options, "readOnly">
  ) => Effect.Effect<Option.Option<Program>, OperationRefused | TargetError>
}

/**
 * @category references
 * @since 0.1.0
 */
export const PaneClient = Context.Reference<Option.Option<Client>>("paneway/PaneClient", {
  defaultValue: () => Option.none()
})
