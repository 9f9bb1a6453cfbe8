/** `paneway doctor`: which runtimes can be used here, and what is missing. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Flags from "../flags.ts"

export const doctor = Command.make(
  "doctor",
  { runtime: Flag.withDescription(Flags.runtime, "Look at this one only; default: all"), json: Flags.json },
  (options) => Effect.flatMap(Effect.promise(() => import("../actions/doctor.ts")), ({ execute }) => execute(options))
).pipe(
  Command.withShortDescription("Tell which runtimes can be used here, and what is missing"),
  Command.withDescription(
    [
      "Look at each runtime, or at the one of --runtime, without side effects: nothing is started or changed. Tells what",
      "was found, what is missing and how to get it.",
      "",
      "Those of third parties are loaded for it: modules that a config file names, packages paneway-layer-NAME.",
      "",
      "Exit codes: 0 the runtime that commands use here can be used, or the one of --runtime, whatever the others lack; 2",
      "wrong arguments or config file; 3 it cannot be used, or is unknown."
    ].join("\n  ")
  ),
  Command.withExamples([
    { command: "paneway doctor", description: "All runtimes" },
    {
      command: "paneway doctor --runtime pty --json",
      description: "One, as {runtimes: [{runtime, usable, facts, advice}]}"
    }
  ])
)
