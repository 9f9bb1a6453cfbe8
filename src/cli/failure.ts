/**
 * From a failed command to what is printed and the exit code.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as CliError from "effect/cli/CliError"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import * as RuntimeError from "../RuntimeError.ts"
import { OutputClosed, OutputFailed } from "./Caller.ts"
import * as Output from "./output.ts"

/** A failure as `--json` prints it. */
interface Report {
  readonly _tag: string
  readonly message: string
  readonly retryable: boolean
  readonly exitCode: number
}

const usage = 2
const interrupted = 130

const isRuntimeError = Schema.is(RuntimeError.RuntimeError)
const encodeRuntimeError = Schema.encodeUnknownEffect(Schema.toCodecJson(RuntimeError.RuntimeError))

const messagesOf = (error: CliError.CliError): string =>
  error._tag === "ShowHelp" ? error.errors.map((each) => each.message).join("; ") : error.message

const report = Effect.fnUntraced(function*(error: unknown) {
  if (isRuntimeError(error)) {
    const fields: unknown = yield* Effect.orElseSucceed(encodeRuntimeError(error), () => ({}))
    const { message, retryable } = error
    return {
      ...(typeof fields === "object" ? fields : {}),
      _tag: error._tag,
      message,
      retryable,
      exitCode: Runtime.getErrorExitCode(error)
    } satisfies Report
  }
  if (CliError.isCliError(error)) {
    const message = `${messagesOf(error)} (see paneway --help)`
    return { _tag: "UsageError", message, retryable: false, exitCode: usage } satisfies Report
  }
  if (error instanceof OutputFailed || error instanceof OutputClosed) {
    return { _tag: error._tag, message: error.message, retryable: false, exitCode: 1 } satisfies Report
  }
  const message = error instanceof Error ? error.message : String(error)
  return {
    _tag: "UnexpectedFailure",
    message: `unexpected failure, please report it: ${message}`,
    retryable: false,
    exitCode: 1
  } satisfies Report
})

/** Prints the failure unless it is an interruption, and gives the exit code. */
export const tell = Effect.fnUntraced(function*(cause: Cause.Cause<unknown>, json: boolean) {
  if (Cause.hasInterruptsOnly(cause)) return interrupted
  const error = Cause.squash(cause)
  const told = yield* report(error)
  yield* json ? Output.problemObject({ ...told }) : Output.problem(told.message)
  return told.exitCode
})
