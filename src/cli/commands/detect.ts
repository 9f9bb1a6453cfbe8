/** `paneway detect`: which runtime a call would use here, and why. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Flags from "../flags.ts"

export const detect = Command.make(
  "detect",
  {
    runtime: Flag.withDescription(Flags.runtime, "The name that comes first; default: what is said above"),
    json: Flags.json
  },
  (options) => Effect.flatMap(Effect.promise(() => import("../actions/detect.ts")), ({ execute }) => execute(options))
).pipe(
  Command.withShortDescription("Tell which runtime is used here, and why"),
  Command.withDescription(
    [
      "Tell which runtime a command uses here, and why. Asks no program and changes nothing.",
      "",
      "What decides, in this order: --runtime; PANEWAY_RUNTIME; ACE_RUNTIME; the key runtime of",
      ".paneway/config.yml (here or above), of ~/.config/paneway/config.yml, of .ace/runtime/config.yml; the key",
      "prefer of the first two, of whose runtimes the first is used that can be; the multiplexer or terminal around",
      "this process; else the embedded pty. Only run does not look around itself.",
      "",
      "Exit codes: 0, also when none is detected; 2 wrong arguments or config file."
    ].join("\n  ")
  ),
  Command.withExamples([
    { command: "paneway detect", description: "The decision and its evidence" },
    { command: "paneway detect --json", description: "The same as {runtime, reason, evidence, ...}" }
  ])
)
