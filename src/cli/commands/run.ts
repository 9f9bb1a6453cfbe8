/** `paneway run`: one command in a pane of its own, in the foreground. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Size } from "../../Contract.ts"
import { InvalidRequest } from "../../RuntimeError.ts"
import { Caller } from "../Caller.ts"
import * as Flags from "../flags.ts"
import { usage } from "../usage.ts"

export interface Options {
  readonly command: readonly [string, ...Array<string>]
  readonly runtime: Option.Option<string>
  readonly root: Option.Option<string>
  readonly timeout: Option.Option<Duration.Duration>
  readonly env: Record<string, string>
  readonly size: Option.Option<Size>
  readonly keep: boolean
  readonly window: Option.Option<string>
  readonly session: Option.Option<string>
  readonly json: boolean
}

/** Words before `--` are no part of the command: a flag among them would be taken for ours. */
const commandOf = (words: ReadonlyArray<string>, { readable, tail }: Caller["Service"]) => {
  const [program, ...args] = tail
  const refuse = (reason: string) => Effect.fail(new InvalidRequest({ operation: "run", field: "command", reason }))
  if (program === undefined || words.length > 0) {
    return refuse("has to stand after --, all of it, as in: paneway run -- ls -l")
  }
  return readable
    ? Effect.succeed<Options["command"]>([program, ...args])
    : refuse("has an argument that is not UTF-8: it would name something else")
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
  keep: Flags.keep,
  window: Flags.window,
  session: Flags.session,
  json: Flags.json
}, (options) =>
  Effect.gen(function*() {
    const command = yield* commandOf(options.command, yield* Caller)
    if (!options.keep && Option.isSome(options.window)) {
      return yield* usage("--window needs --keep: the pane closes otherwise, and with it its window")
    }
    if (Option.isNone(options.window) && Option.isSome(options.session)) {
      return yield* usage("--session needs --window: it is the session of that window")
    }
    const { execute } = yield* Effect.promise(() => import("../actions/run.ts"))
    yield* execute({ ...options, command })
  })).pipe(
    Command.withShortDescription("Run a command in a real terminal and exit with its code"),
    Command.withDescription(
      [
        "Run a command in a real terminal of its own and exit with its code.",
        "",
        "The terminal is the embedded pty, unless a runtime is named by --runtime, PANEWAY_RUNTIME, ACE_RUNTIME or the",
        "key runtime of a config file. What the command prints there is standard output, byte for byte: its standard",
        "error too, since a terminal has one screen. Colours and pagers are on, since it is one.",
        "",
        "Standard input goes to the command: keys from a terminal, data from a pipe or file, then the end of file, so",
        "in a shell loop add </dev/null. Prompts that drop earlier input, as for passwords, need it after the prompt.",
        "Outside a terminal the size is 120x40 and TERM is xterm-256color. What the command started ends with it, also",
        "under nohup or setsid.",
        "",
        "With --keep the pane stays, held with its exit, and its handle is told on standard error; --window names its",
        "window. The embedded pty keeps it in its host then, and the command lives on when this process is interrupted.",
        "",
        "With --json one object takes the place of the output: exitCode, signal (where one ended the command), output",
        "(not UTF-8: U+FFFD), truncated (only the last 16 MiB are in it), timedOut; with --keep also pane.",
        "",
        "Exit codes: the command's own; 128+N when signal N ended it. Of paneway itself, with a line on standard error:",
        "1 output cannot be written; 2 wrong arguments or config; 3 no such runtime; 8 --timeout passed; 9 not started;",
        "126 not executable; 127 not found. Without one: 130 interrupted by SIGINT, SIGTERM or SIGHUP; 141 standard",
        "output was closed."
      ].join("\n  ")
    ),
    Command.withExamples([
      { command: "paneway run -- npm test", description: "Run the tests as in a terminal, colours and all" },
      {
        command: "paneway run --timeout 2m --json -- make",
        description: "Exit code and output as JSON, two minutes at most"
      },
      {
        command: "paneway run --keep --window build -- make",
        description: "Leave the pane, to look at it or to split it later"
      },
      { command: "printf 'y\\n' | paneway run -- ./install.sh", description: "Answer a program that wants a terminal" }
    ])
  )
