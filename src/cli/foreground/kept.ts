/** Where the pane is that lives on, of a command that was interrupted: nothing else tells it then. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { PaneHandle } from "../../Target.ts"
import * as Output from "../output.ts"

export const tellKept = (pane: PaneHandle, exit: Exit.Exit<unknown, unknown>) =>
  Exit.isFailure(exit) && Cause.hasInterrupts(exit.cause)
    ? Effect.ignore(Output.problem(`the pane is kept: ${pane}`))
    : Effect.void
