/**
 * Bytes between the caller's own terminal or pipe and a pane, unchanged: what `paneway run` needs beyond the contract.
 *
 * A runtime whose layer can do it puts a {@link Service} into its context next to `TerminalRuntime`; a program that finds
 * none uses the contract alone and forwards no input.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { OpenError, SpawnRequest, TargetError } from "./Contract.ts"
import type { Pane, PaneHandle } from "./Target.ts"

/**
 * Where a pane's input comes from and who answers the program's queries.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /**
   * `keyboard`: keystrokes of a terminal, which the pane echoes and turns into signals. `pipe`: data that reaches the
   * program byte for byte, without echo, and ends with an end of file.
   */
  readonly input: "keyboard" | "pipe"
  /** False: the caller's terminal sees the program's queries (device attributes, colours, cursor) and answers them. */
  readonly replies: boolean
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Service {
  /** As `TerminalRuntime.spawn`. The pane belongs to the same runtime and is driven by it in all other ways. */
  readonly open: (request: SpawnRequest, options: Options) => Effect.Effect<Pane, OpenError>
  /**
   * Succeeds when the terminal took the last byte, however long the program takes to read; can be interrupted between
   * bytes. What is written after the program's end is dropped.
   */
  readonly write: (pane: PaneHandle, bytes: Uint8Array) => Effect.Effect<void, TargetError>
  /** The program reads an end of file next. Once, after the last {@link Service.write}. */
  readonly end: (pane: PaneHandle) => Effect.Effect<void, TargetError>
  /** True when the program was stopped by a signal, its own or Ctrl-Z, and nobody in the pane will continue it. */
  readonly stopped: (pane: PaneHandle) => Effect.Effect<boolean, TargetError>
  /** Continues a stopped program. */
  readonly proceed: (pane: PaneHandle) => Effect.Effect<void, TargetError>
  /** What a terminal that showed the pane's bytes has to be sent to leave the modes the program left on; often empty. */
  readonly restore: (pane: PaneHandle) => Effect.Effect<string, TargetError>
}

/**
 * @category references
 * @since 0.1.0
 */
export const Passthrough = Context.Reference<Option.Option<Service>>("paneway/Passthrough", {
  defaultValue: () => Option.none()
})
