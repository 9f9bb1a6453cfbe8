/**
 * Commands with an end: typed into a pane's shell, with lines around their output that tell where it is and how the
 * command ended.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import type { Capabilities } from "../Capabilities.ts"
import type { CommandResult, OutputMatch, Service } from "../Contract.ts"
import { byteLength } from "../internal/bytes.ts"
import { CommandUnfinished, InvalidRequest, PaneEnded, SendRejected } from "../RuntimeError.ts"
import * as Screen from "../Screen.ts"
import type { Pane, PaneHandle } from "../Target.ts"
import { duration } from "../waiting/schedules.ts"
import type { Looking } from "./looking.ts"
import type { Operations } from "./operations.ts"
import type { Sending } from "./sending.ts"
import { type ShellCommand, shellCommand } from "./shellCommand.ts"
import type { Targets } from "./targets.ts"
import type { OutputWaits } from "./waiting.ts"

/**
 * The operation that runs a command.
 *
 * @internal
 */
export type Running = Pick<Service, "run">

/** Shells that read what is typed; their names as runtimes tell them, a login shell's with a dash. */
const shells: ReadonlySet<string> = new Set(["sh", "bash", "dash", "ash"])

/** Bytes that a terminal takes as one line from a shell that has no editor of its own, with room for the prompt. */
const longest = 4000

const nameOf = (program: string) => program.replace(/^-/, "").split(/[\s/]+/).at(-1) ?? ""
const isShell = (program: string) => shells.has(nameOf(program))
/** Whether the pane was opened for a shell; undefined: nobody knows. */
const startsShell = ({ startCommand }: Pane): boolean | undefined =>
  startCommand === undefined ? undefined : isShell(startCommand.split(" ")[0] ?? "")

/** Why the record of a pane says that no shell reads there. */
const refusal = (pane: Pane): SendRejected | undefined => {
  const { atShell, command, handle } = pane
  const rejected = (code: "busy" | "not-a-shell", reason: string) => new SendRejected({ pane: handle, code, reason })
  const shell = command === undefined ? startsShell(pane) : isShell(command)
  if (shell !== false) return atShell === false ? rejected("busy", "its shell is not in the foreground") : undefined
  const name = nameOf(command ?? pane.startCommand ?? "")
  return startsShell(pane) === false
    ? rejected("not-a-shell", `${name} is no shell that run knows: ${[...shells].join(", ")}`)
    : rejected("busy", `${name} runs in the foreground`)
}

/** A shell that is just starting, or taking the terminal back, has a moment for it. */
const moment = Schedule.spaced("20 millis").pipe(Schedule.upTo({ duration: "500 millis" }))

const nonce = Effect.map(
  Effect.all([Random.nextIntBetween(0, 2 ** 30), Random.nextIntBetween(0, 2 ** 30)]),
  (numbers) => numbers.map((number) => number.toString(36)).join("")
)

/**
 * A command is typed once and never ended from here.
 *
 * @internal
 */
export const makeRunning = ({ capabilities, looking, operations, outputWaits, sending, targets }: {
  readonly capabilities: Capabilities
  readonly operations: Operations
  readonly targets: Targets
  readonly looking: Looking
  readonly sending: Sending
  readonly outputWaits: OutputWaits
}): Running => {
  const invalid = (field: string, reason: string) => new InvalidRequest({ operation: "run", field, reason })

  const outputOf = ({ outputIn }: ShellCommand, screen: Screen.Screen) =>
    outputIn(Screen.logicalLines(screen).map(({ text }) => text))

  /** What the wait saw holds the output unless it had to look at less; then all that is held is looked at once. */
  const collect = Effect.fnUntraced(
    function*(pane: PaneHandle, typed: ShellCommand, match: OutputMatch, ansi: boolean) {
      const seen = outputOf(typed, match.screen)
      if (seen !== undefined && !seen.truncated && !ansi) return seen
      const everything = yield* looking.look(pane, { range: "full", join: true, ansi })
      const plain = outputOf(typed, everything)
      if (!ansi || plain === undefined) return plain ?? seen
      return plain
    }
  )

  const run: Running["run"] = Effect.fnUntraced(function*(pane, { ansi = false, command, timeout }) {
    const time = duration("run", "timeout", timeout)
    if (!Duration.isDuration(time)) return yield* time
    if (command.trim() === "") return yield* invalid("command", "must not be empty")
    if (ansi && capabilities.ansi === "none") return yield* invalid("ansi", "is not possible: no colours are captured")
    const record = yield* Effect.repeat(targets.find(pane), {
      schedule: moment,
      while: (found) => refusal(found) !== undefined && startsShell(found) === true
    })
    const rejected = refusal(record)
    if (rejected !== undefined) return yield* rejected
    const typed = shellCommand(command, yield* nonce)
    if (byteLength(typed.typed) > longest && nameOf(record.command ?? "") !== "bash") {
      return yield* new SendRejected({ pane, code: "shape", reason: "the command is longer than a terminal's line" })
    }

    const report = yield* sending.sendCommand(pane, typed.typed, { profile: "plain-pane" })
    // from here on every failure says that the command was typed
    const unfinished = (lastSeen: CommandUnfinished["lastSeen"]) =>
      new CommandUnfinished({ pane, report, timeout: time, lastSeen })
    // its nonce stands nowhere else, so it counts wherever the command left the cursor, also above the mark
    const match = yield* Effect.catchTags(
      outputWaits.untraced.waitOutput(pane, { pattern: typed.end, timeout: time }),
      {
        WaitTimeout: ({ lastSeen }) => Effect.fail(unfinished(lastSeen)),
        RuntimeUnavailable: () => Effect.fail(unfinished({ _tag: "Nothing" })),
        NativeFailure: () => Effect.fail(unfinished({ _tag: "Nothing" })),
        TargetNotFound: () =>
          Effect.fail(new PaneEnded({ pane, waitedFor: "the end of the command", lastSeen: { _tag: "Nothing" } }))
      }
    )
    const collected = yield* Effect.orElseSucceed(
      collect(pane, typed, match, ansi),
      () => outputOf(typed, match.screen)
    )
    return {
      exitCode: Number(match.groups[0]),
      output: collected?.output ?? "",
      truncated: collected?.truncated ?? true,
      report
    } satisfies CommandResult
  })

  return { run: operations.rare("run")(run) }
}
