/** `paneway context`: the pane that this process runs in. */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flags from "../flags.ts"

export const context = Command.make(
  "context",
  { runtime: Flags.runtime, json: Flags.json },
  (options) => Effect.flatMap(Effect.promise(() => import("../actions/context.ts")), ({ execute }) => execute(options))
).pipe(
  Command.withShortDescription("Tell the session, window and pane of this process"),
  Command.withDescription(
    [
      "Tell the session, window and pane that this process runs in, as the selected runtime sees it. To be in none is",
      "no error.",
      "",
      "Exit codes: 0; 2 wrong arguments or config file; 3 the runtime is unknown or cannot be asked."
    ].join("\n  ")
  ),
  Command.withExamples([
    { command: "paneway context", description: "Where am I?" },
    { command: "paneway context --json", description: "{inRuntime, runtime, session, window, pane}" }
  ])
)
