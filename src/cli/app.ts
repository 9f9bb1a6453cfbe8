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
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Caller } from "./Caller.ts"
import { context } from "./commands/context.ts"
import { detect } from "./commands/detect.ts"
import { doctor } from "./commands/doctor.ts"
import { host } from "./commands/host.ts"
import { completions } from "./completions.ts"
import * as Output from "./output.ts"
import * as Syntax from "./syntax/command.ts"
import * as Table from "./table.ts"
import * as Failure from "./telling.ts"

const parentOfWaits = Command.make("wait").pipe(
  Command.withShortDescription("Wait until something is seen in a pane"),
  Command.withDescription("Wait until something is seen in a pane, a window is there, or a pane ended."),
  Command.withExamples([{
    command: "paneway wait output \"$pane\" --match ready --timeout 1m",
    description: "Until a pane prints a text"
  }])
)

const parentOfAgents = Command.make("agent").pipe(
  Command.withShortDescription("Tell what coding agents in panes do, and why"),
  Command.withDescription("Tell what coding agents in panes do, and why; and take what their hooks report."),
  Command.withExamples([{ command: "paneway agent list", description: "All agents, one a line" }])
)

/** The commands on panes, from their table; those of two words are below their first. */
const onPanes = (words: ReadonlyArray<string>) => {
  const command = ({ run, spec }: Table.Verb) => Syntax.command(spec, words, run)
  const below = (parent: string) =>
    Table.verbs.filter(({ spec: { path } }) => path.length > 1 && path[0] === parent).map(command)
  const [first, ...others] = Table.verbs.filter(({ spec }) => spec.path.length === 1).map(command)
  const wait = Command.withSubcommands(parentOfWaits, below("wait"))
  const agent = Command.withSubcommands(parentOfAgents, below("agent"))
  return first === undefined ? [wait, agent] as const : [first, ...others, wait, agent] as const
}

/** All commands. `words` are those of the command line. */
const root = (words: ReadonlyArray<string>) =>
  Command.make("paneway").pipe(
    Command.withDescription("Drive terminals: one interface to an embedded pty, multiplexers and terminal programs."),
    Command.withExamples([
      {
        command: "paneway run -- sh -c 'echo hello; exit 3'",
        description: "Run a command in a real terminal and exit with its code"
      },
      {
        command: "pane=$(paneway spawn) && paneway send --pane \"$pane\" --cmd 'npm test'",
        description: "Open a pane that stays, and run a command in it"
      }
    ]),
    Command.withSubcommands([...onPanes(words), detect, context, doctor, host])
  )

const formatter = CliOutput.defaultFormatter({ colors: false, globalFlags: "summary" })

/** The library shows what follows `--` as optional words in front of it, or not at all. */
const help = (doc: HelpDoc): string =>
  formatter.formatHelpDoc(doc)
    .replace("[<command...>]", "-- <command...>")
    .replace("paneway spawn [flags]", "paneway spawn [flags] [-- <program...>]")
    .replace(", all after -- (optional)", ", all of it after --")
    .replaceAll(/ +$/gm, "")
    .replace(/([^\n])\nEXAMPLES/, "$1\n\nEXAMPLES")

/** Only what was asked for is on standard output; {@link main} tells failures, also that nobody took it. */
const speech = (caller: Caller["Service"]) => {
  const print = (text: string) => Effect.orDie(Effect.provideService(Output.text(text), Caller, caller))
  return Layer.mergeAll(
    CliOutput.layer(formatter),
    CliOutput.layerPresenter({
      present: (event) => {
        if (event._tag === "Help") return print(help(event.helpDoc))
        return event._tag === "Version" ? print(`paneway ${event.version}`) : Effect.void
      }
    }),
    CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, completions(print)] })
  )
}

/** Runs the command line of the caller. Succeeds with the exit code of a failure; what succeeded has set its own. */
export const main = Effect.fnUntraced(function*(version: string) {
  const caller = yield* Caller
  const { argv, words } = caller
  const found = Table.find(words)
  const own = found === undefined
    ? argv
    : found.verb.spec.path[0] === "send" && found.rest.length === 0
    ? ["send", "--help"]
    : [...found.verb.spec.path, ...Syntax.joined(found.verb.spec, argv.slice(found.verb.spec.path.length))]
  return yield* Command.runWith(root(words), { version })(own).pipe(
    Effect.provide(speech(caller)),
    Effect.as(undefined),
    Failure.telling
  )
})
