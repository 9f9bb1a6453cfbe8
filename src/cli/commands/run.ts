/** `paneway run`: one command in a pane of its own, in the foreground. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Size } from "../../Contract.ts"
import { InvalidRequest } from "../../RuntimeError.ts"
import { Caller } from "../Caller.ts"
import * as Flags from "../flags.ts"

export interface Options {
  readonly command: readonly [string, ...Array<string>]
  readonly runtime: Option.Option<string>
  readonly root: Option.Option<string>
  readonly timeout: Option.Option<Duration.Duration>
  readonly env: Record<string, string>
  readonly size: Option.Option<Size>
  readonly json: boolean
}

/** Words before `--` are no part of the command: a flag among them would be taken for ours. */
const commandOf = (argv: ReadonlyArray<string>, words: ReadonlyArray<string>) => {
  const [program, ...args] = words
  const dashes = argv.indexOf("--")
  const missing = new InvalidRequest({
    operation: "run",
    field: "command",
    reason: "has to stand after --, all of it, as in: paneway run -- ls -l"
  })
  return program === undefined || dashes === -1 || argv.length - dashes - 1 !== words.length
    ? Effect.fail(missing)
    : Effect.succeed<Options["command"]>([program, ...args])
}

export const run = Command.make("run", {
  command: Argument.String("command").pipe(
    Argument.withDescription("The command and its arguments, all after --"),
    Argument.atLeast(0)
  ),
  runtime: Flags.runtime,
  root: Flags.root,
  timeout: Flags.duration("timeout", "End the command after this long and exit with 8"),
  env: Flags.environment,
  size: Flags.size,
  json: Flags.json
}, (options) =>
  Effect.gen(function*() {
    const { argv } = yield* Caller
    const command = yield* commandOf(argv, options.command)
    const { execute } = yield* Effect.promise(() => import("../actions/run.ts"))
    yield* execute({ ...options, command })
  })).pipe(
    Command.withShortDescription("Run a command in a real terminal and exit with its code"),
    Command.withDescription(
      [
        "Run a command in a real terminal of its own and exit with its code.",
        "The terminal is the embedded pty, unless a runtime is named. The command's output is standard output, byte",
        "for byte. Standard input is forwarded to it, then the end of file. What it started ends with it.",
        "",
        "Exit codes: the command's own; 128+N when signal N ended it; 127 not found; 126 not executable; 8 when",
        "--timeout passed; 2 wrong arguments; 3 no such runtime; 9 not started; 130 interrupted; 141 when nobody",
        "reads the output."
      ].join("\n  ")
    ),
    Command.withExamples([
      { command: "paneway run -- npm test", description: "Run the tests as in a terminal, colours and all" },
      {
        command: "paneway run --timeout 2m --json -- make",
        description: "Exit code and output as JSON, two minutes at most"
      },
      { command: "printf 'y\\n' | paneway run -- ./install.sh", description: "Answer a program that wants a terminal" }
    ])
  )
