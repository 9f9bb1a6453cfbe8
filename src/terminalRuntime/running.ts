/**
 * Commands with an end: typed into a pane's shell, with lines around their output that tell where it is and how the
 * command ended.
 *
 * Where the runtime gives the bytes of a pane, the output is read from them, and the screen is looked at only when they
 * tell no end. Elsewhere it is what the screen and its scrollback hold.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import type { Capabilities } from "../Capabilities.ts"
import type { CommandResult, Primitives, Service, TargetError } from "../Contract.ts"
import { byteLength } from "../internal/bytes.ts"
import { CommandUnfinished, InvalidRequest, lastScreen, type LastSeen, SendRejected } from "../RuntimeError.ts"
import * as Screen from "../Screen.ts"
import type { DeliveryReport } from "../send/records.ts"
import type * as Target from "../Target.ts"
import { duration } from "../waiting/schedules.ts"
import type { KnownWindows } from "./knownWindows.ts"
import type { Looking } from "./looking.ts"
import type { Operations } from "./operations.ts"
import { makePrinted, type Printed } from "./printedOutput.ts"
import type { Sending } from "./sending.ts"
import { type ShellCommand, shellCommand } from "./shellCommand.ts"
import { moment, refusal, shellOf, startsShell } from "./shells.ts"
import { endOf, finished, type Output, unended } from "./shownOutput.ts"
import type { MakeStatusFile, StatusFile } from "./statusFiles.ts"
import type { Targets } from "./targets.ts"
import type { OutputWaits } from "./waiting.ts"

/**
 * The operation that runs a command.
 *
 * @internal
 */
export type Running = Pick<Service, "run">

/** Bytes that a terminal takes as one line from a shell that has no editor of its own, with room for the prompt. */
const longest = 4000

const defaultMaxOutput = 16 * 1024 * 1024

/** For the first bytes of a command to be read. */
const late = "250 millis"

/** Lines that a failure is given of what was read, which keeps less of them. */
const lastLines = 40

const nonce = Effect.map(
  Effect.all([Random.nextIntBetween(0, 2 ** 30), Random.nextIntBetween(0, 2 ** 30)]),
  (numbers) => numbers.map((number) => number.toString(36)).join("")
)

/** A command that was typed. */
interface Typed {
  readonly pane: Target.PaneHandle
  readonly shell: ShellCommand
  readonly ansi: boolean
  readonly timeout: Duration.Duration
  readonly report: DeliveryReport
  readonly statusFile: StatusFile | undefined
  /** What was read of its bytes. */
  readonly printed: Printed | undefined
}

/**
 * A command is typed once and never ended from here.
 *
 * @internal
 */
export const makeRunning = (
  { capabilities, knownWindows, looking, operations, outputWaits, primitives, sending, statusFiles, targets }: {
    readonly primitives: Primitives
    readonly capabilities: Capabilities
    readonly operations: Operations
    readonly targets: Targets
    readonly knownWindows: KnownWindows
    readonly looking: Looking
    readonly sending: Sending
    readonly outputWaits: OutputWaits
    readonly statusFiles: Option.Option<MakeStatusFile>
  }
): Running => {
  const invalid = (field: string, reason: string) => new InvalidRequest({ operation: "run", field, reason })

  const everything = (pane: Target.PaneHandle, ansi: boolean) => looking.look(pane, { range: "full", join: true, ansi })

  const resultOf = ({ pane, report }: Typed, exitCode: number, output: Output | undefined): CommandResult => {
    knownWindows.rests(pane)
    return { exitCode, output: output?.output ?? "", truncated: output?.truncated ?? true, report }
  }

  const lastPrinted = ({ printed, report: { mark } }: Typed): LastSeen => {
    if (printed === undefined) return { _tag: "Nothing" }
    const rows = printed.output(false).output.split("\n").slice(-lastLines)
    return lastScreen(new Screen.Screen({ rows, wrapped: [], joined: true, truncated: true, mark }))
  }

  const unfinished = ({ pane, report, timeout }: Typed, lastSeen: LastSeen, ended?: true) =>
    new CommandUnfinished({ pane, report, timeout, lastSeen, ...(ended === undefined ? {} : { ended }) })

  /** The bytes hold the output unless they were not read from the beginning, or too many. */
  const read = Effect.fnUntraced(function*(typed: Typed, printed: Printed, exitCode: number) {
    const output = printed.output(typed.ansi)
    if (!output.truncated || printed.overflowed()) return resultOf(typed, exitCode, output)
    const shown = yield* Effect.option(everything(typed.pane, typed.ansi))
    const found = Option.isNone(shown) ? undefined : finished(typed.shell, shown.value)
    return resultOf(typed, exitCode, found?.truncated === false ? found : output)
  })

  /** What the wait saw holds the output unless it had to look at less; then all that is held is looked at once. */
  const shown = Effect.fnUntraced(function*({ ansi, pane, shell }: Typed, screen: Screen.Screen) {
    const seen = finished(shell, screen)
    if (seen !== undefined && !seen.truncated && !ansi) return seen
    const all = yield* Effect.option(everything(pane, ansi))
    return (Option.isNone(all) ? undefined : finished(shell, all.value)) ?? seen
  })

  /**
   * The shell is gone. Where its pane is held, the command ended it, and the code is the pane's, else what the shell left
   * in the file. A pane that is gone was closed by whomever.
   */
  const withoutShell = Effect.fnUntraced(function*(typed: Typed, exit: Target.Exit | undefined, lastSeen: LastSeen) {
    const { ansi, pane, printed, shell, statusFile } = typed
    const left = exit !== undefined && exit.code === undefined && statusFile !== undefined ? yield* statusFile.read : ""
    const exitCode = exit?.code ?? (/^\d{1,3}$/.test(left) ? Number(left) : undefined)
    if (exitCode === undefined) {
      return yield* unfinished(typed, lastSeen._tag === "Nothing" ? lastPrinted(typed) : lastSeen, true)
    }
    const own = printed?.isBroken() === true ? undefined : printed?.output(ansi)
    if (own?.truncated === false || printed?.overflowed() === true) return resultOf(typed, exitCode, own)
    const held = yield* Effect.option(everything(pane, ansi))
    return resultOf(typed, exitCode, Option.isNone(held) ? own : unended(shell, held.value))
  })

  /** Waits for the end on the screen. */
  const watched = (typed: Typed, timeout: Duration.Duration): Effect.Effect<CommandResult, CommandUnfinished> => {
    const lost = () => Effect.fail(unfinished(typed, lastPrinted(typed)))
    // its nonce stands nowhere else, so it counts wherever the command left the cursor, also above the mark
    return outputWaits.untraced.waitOutput(typed.pane, { pattern: endOf(typed.shell), timeout }).pipe(
      Effect.flatMap(({ groups, screen }) =>
        Effect.map(shown(typed, screen), (output) => resultOf(typed, Number(groups[0]), output))
      ),
      Effect.catchTags({
        WaitTimeout: ({ lastSeen }) => Effect.fail(unfinished(typed, lastSeen)),
        PaneEnded: ({ exit, lastSeen }) => withoutShell(typed, exit, lastSeen),
        TargetNotFound: () => withoutShell(typed, undefined, { _tag: "Nothing" }),
        RuntimeUnavailable: lost,
        NativeFailure: lost,
        InvalidRequest: lost
      })
    )
  }

  /** Reads on from before the first byte is typed. `seen`: the end was, or there is no more to read. */
  const reading = (stream: Stream.Stream<Uint8Array, TargetError>, printed: Printed) => {
    const seen = Deferred.makeUnsafe<void>()
    const begun = Deferred.makeUnsafe<void>()
    return Stream.runForEachArray(stream, (pieces) =>
      Effect.sync(() => {
        if (pieces.some(printed.push)) Deferred.doneUnsafe(seen, Exit.void)
        if (printed.begun()) Deferred.doneUnsafe(begun, Exit.void)
      })).pipe(
        Effect.onExit((exit) =>
          Effect.sync(() => {
            if (Exit.isFailure(exit)) printed.broken()
            Deferred.doneUnsafe(begun, Exit.void)
            Deferred.doneUnsafe(seen, Exit.void)
          })
        ),
        Effect.forkScoped({ startImmediately: true }),
        Effect.as({ begun: Deferred.await(begun), seen: Deferred.await(seen) })
      )
  }

  const run: Running["run"] = Effect.fnUntraced(
    function*(pane, { ansi = false, command, maxOutput = defaultMaxOutput, timeout: given }) {
      const timeout = duration("run", "timeout", given)
      if (!Duration.isDuration(timeout)) return yield* timeout
      if (command.trim() === "") return yield* invalid("command", "must not be empty")
      if (!Number.isInteger(maxOutput) || maxOutput < 1) {
        return yield* invalid("maxOutput", "must be whole bytes, from 1")
      }
      if (ansi && capabilities.ansi === "none") {
        return yield* invalid("ansi", "is not possible: no colours are captured")
      }
      const record = yield* Effect.repeat(targets.find(pane), {
        schedule: moment,
        while: (found) => refusal(found) === undefined ? knownWindows.isTaking(found) : startsShell(found) === true
      })
      const rejected = refusal(record)
      if (rejected !== undefined) return yield* rejected
      const { editsLine, language } = shellOf(record)
      const name = yield* nonce
      const file = Option.isSome(statusFiles) && capabilities.exitStatus === "none"
        ? yield* statusFiles.value(name)
        : Option.none()
      const statusFile = Option.getOrUndefined(file)
      const shell = shellCommand(command, name, { language, statusFile: statusFile?.path })
      if (!editsLine && byteLength(shell.typed) > longest) {
        return yield* new SendRejected({ pane, code: "shape", reason: "the command is longer than a terminal's line" })
      }

      const printed = primitives.output === undefined ? undefined : makePrinted(shell, maxOutput)
      const seen = primitives.output === undefined || printed === undefined
        ? undefined
        : yield* reading(primitives.output(pane), printed)
      const report = yield* sending.sendCommand(pane, shell.typed, { profile: "plain-pane" })
      // from here on every failure says that the command was typed
      const typed: Typed = { pane, shell, ansi, timeout, report, statusFile, printed }
      if (seen === undefined || printed === undefined) return yield* watched(typed, timeout)
      const clock = yield* Clock.Clock
      const began = clock.currentTimeMillisUnsafe()
      // bytes that come from later on than the beginning may lack the end too: then the screen shows it
      const early = yield* Effect.raceFirst(
        Effect.as(seen.begun, Option.none<CommandResult>()),
        Effect.asSome(Effect.delay(watched(typed, timeout), late))
      )
      if (Option.isSome(early)) return early.value
      const left = Duration.subtract(timeout, Duration.millis(clock.currentTimeMillisUnsafe() - began))
      yield* Effect.timeoutOption(seen.seen, Duration.max(Duration.zero, left))
      const exitCode = printed.exitCode()
      if (exitCode !== undefined) return yield* read(typed, printed, exitCode)
      const passed = Duration.millis(clock.currentTimeMillisUnsafe() - began)
      return yield* watched(typed, Duration.max(Duration.zero, Duration.subtract(timeout, passed)))
    },
    Effect.scoped
  )

  return { run: operations.rare("run")(run) }
}
