/**
 * Where a shell that a command ends leaves its exit code, for runtimes whose panes do not tell it.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"

/**
 * A file that this user alone may read and write, where the pane's shell is. It is empty at first, and goes with its
 * scope.
 *
 * @category models
 * @since 0.1.0
 */
export interface StatusFile {
  readonly path: string
  /** What is in it now; empty where it cannot be read. */
  readonly read: Effect.Effect<string>
}

/**
 * Makes the file of one command, by a name of letters and digits. `None`: it cannot be made, and the command is run
 * without.
 *
 * @category models
 * @since 0.1.0
 */
export type MakeStatusFile = (name: string) => Effect.Effect<Option.Option<StatusFile>, never, Scope.Scope>

/**
 * For adapters whose panes tell no exit codes and run on this machine, provided where `make` is run. Defaults to none:
 * then nothing is known of a command that ends the shell.
 *
 * @category references
 * @since 0.1.0
 */
export const StatusFiles = Context.Reference<Option.Option<MakeStatusFile>>("paneway/TerminalRuntime/StatusFiles", {
  defaultValue: Option.none
})
