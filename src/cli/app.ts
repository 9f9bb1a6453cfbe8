/**
 * The command line: its commands, and how it speaks.
 *
 * @since 0.1.0
 */
import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import type { HelpDoc } from "effect/cli/HelpDoc"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Caller } from "./Caller.ts"
import { context } from "./commands/context.ts"
import { detect } from "./commands/detect.ts"
import { doctor } from "./commands/doctor.ts"
import { run } from "./commands/run.ts"
import { completions } from "./completions.ts"

const root = Command.make("paneway").pipe(
  Command.withDescription("Drive terminals: one interface to an embedded pty, multiplexers and terminal programs."),
  Command.withExamples([{
    command: "paneway run -- sh -c 'echo hello; exit 3'",
    description: "Run a command in a real terminal and exit with its code"
  }]),
  Command.withSubcommands([run, detect, context, doctor])
)

const formatter = CliOutput.defaultFormatter({ colors: false, globalFlags: "summary" })

/** The library shows what follows `--` as optional words in front of it. */
const help = (doc: HelpDoc): string =>
  formatter.formatHelpDoc(doc)
    .replace("[<command...>]", "-- <command...>")
    .replace(", all after -- (optional)", ", all of it after --")
    .replaceAll(/ +$/gm, "")
    .replace(/([^\n])\nEXAMPLES/, "$1\n\nEXAMPLES")

/** Only what was asked for is on standard output; {@link main} tells failures. */
const presenter = CliOutput.layerPresenter({
  present: (event) => {
    if (event._tag === "Help") return Console.log(help(event.helpDoc))
    return event._tag === "Version" ? Console.log(`paneway ${event.version}`) : Effect.void
  }
})

const speech = Layer.mergeAll(
  CliOutput.layer(formatter),
  presenter,
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, completions] })
)

/** Runs the command line of the caller. Succeeds with the exit code of a failure; what succeeded has set its own. */
export const main = Effect.fnUntraced(function*(version: string) {
  const { argv } = yield* Caller
  return yield* Command.runWith(root, { version })(argv).pipe(
    Effect.provide(speech),
    Effect.as(undefined),
    Effect.catchCause((cause) =>
      Effect.flatMap(Effect.promise(() => import("./failure.ts")), ({ tell }) => tell(cause, argv.includes("--json")))
    )
  )
})
