/**
 * Commands with an end: typed into a pane's shell, followed by a line that tells the exit code.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { Service } from "../Contract.ts"
import { CommandUnfinished } from "../RuntimeError.ts"
import * as Screen from "../Screen.ts"
import type { Operations } from "./operations.ts"
import type { Sending } from "./sending.ts"
import type { OutputWaits } from "./waiting.ts"

/**
 * The operation that runs a command.
 *
 * @internal
 */
export type Running = Pick<Service, "run">

const end = "__paneway_end_"
const ended = new RegExp(`^${end}(\\d+)$`)

/**
 * A command is typed once and never ended from here.
 *
 * @internal
 */
export const makeRunning = ({ operations, outputWaits, sending }: {
  readonly operations: Operations
  readonly sending: Sending
  readonly outputWaits: OutputWaits
}): Running => {
  const run: Running["run"] = Effect.fnUntraced(function*(pane, { command, timeout }) {
    // the typed line holds the marker and the code apart, so that its echo is not taken for the end
    const report = yield* sending.sendCommand(pane, `${command}; printf '\\n%s%s\\n' ${end} $?`)
    const match = yield* Effect.catchTag(
      outputWaits.waitOutput(pane, { pattern: ended, after: report.mark, timeout }),
      "WaitTimeout",
      ({ lastSeen, timeout }) => new CommandUnfinished({ pane, report, timeout, lastSeen })
    )
    const lines = Screen.linesAfter(match.screen, report.mark).lines.map(({ text }) => text)
    return {
      exitCode: Number(match.groups[0]),
      output: lines.slice(0, lines.indexOf(match.line)).join("\n"),
      truncated: match.screen.truncated,
      report
    }
  })

  return { run: operations.rare("run")(run) }
}
