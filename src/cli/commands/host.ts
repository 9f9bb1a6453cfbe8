/** `paneway host`: the process that keeps panes after a command ends. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Flags from "../flags.ts"

const actions = Effect.promise(() => import("../actions/host.ts"))

const start = Command.make(
  "start",
  { json: Flags.json },
  (options) => Effect.flatMap(actions, ({ start }) => start(options))
).pipe(
  Command.withShortDescription("Start the host where it does not run"),
  Command.withDescription(
    [
      "Start the host where it does not run. It keeps running after this command; ensure and spawn start it too. Processes",
      "that panes of a killed host left behind are ended, and told on standard error.",
      "",
      "It takes the environment of whoever starts it, and the user's config file: session, size, scrollback, pty, env and",
      "host.idle, the time without a pane and a client after which it ends (10 minutes).",
      "",
      "Exit codes: 0; 2 wrong arguments; 3 it cannot be started, or another version runs."
    ].join("\n  ")
  ),
  Command.withExamples([{ command: "paneway host start", description: "Prints the number of its process" }])
)

const status = Command.make(
  "status",
  { json: Flags.json },
  (options) => Effect.flatMap(actions, ({ status }) => status(options))
).pipe(
  Command.withShortDescription("Tell of the host: its process, its panes, its clients"),
  Command.withDescription(
    [
      "Tell of the host: its process, its version, its panes and its clients, this command among them.",
      "",
      "Where it was killed, what it left is named: processes of its panes, and files.",
      "",
      "Exit codes: 0; 2 wrong arguments; 3 it does not run, or another version runs."
    ].join("\n  ")
  ),
  Command.withExamples([
    { command: "paneway host status --json", description: "{pid, version, startedAtMillis, panes, live, clients}" }
  ])
)

const stop = Command.make(
  "stop",
  {
    force: Flag.Boolean("force").pipe(
      Flag.withDescription("Close its panes, and end what runs in them"),
      Flag.withDefault(false)
    ),
    json: Flags.json
  },
  (options) => Effect.flatMap(actions, ({ stop }) => stop(options))
).pipe(
  Command.withShortDescription("Stop the host; refused while panes live"),
  Command.withDescription(
    [
      "Stop the host and wait until it has ended. Refused while the program of a pane lives, unless --force closes them.",
      "With --force a host that hangs is killed, and what a killed one left is ended and removed.",
      "",
      "Prints stopped, or not-running where there was none to stop.",
      "",
      "Exit codes: 0 it does not run any more; 2 wrong arguments; 3 it cannot be asked, or a killed one left something; 6",
      "panes live."
    ].join("\n  ")
  ),
  Command.withExamples([{ command: "paneway host stop --force", description: "Closes its panes first" }])
)

export const host = Command.make("host").pipe(
  Command.withShortDescription("Start, look at or stop the process that keeps panes"),
  Command.withDescription(
    [
      "The host is a small process that owns the terminals and screens of panes, so that they stay when a command ends.",
      "The runtime pty is the host, except for run, whose pane is its own."
    ].join("\n  ")
  ),
  Command.withExamples([{ command: "paneway host status", description: "Does it run?" }]),
  Command.withSubcommands([start, status, stop])
)
