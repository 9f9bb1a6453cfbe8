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
import { excerpt } from "../Screen.ts"
import { Caller, OutputClosed, OutputFailed } from "./Caller.ts"
import * as Output from "./output.ts"
import { find } from "./table.ts"
import { UsageError } from "./usage.ts"
import { encoded } from "./words.ts"

/** A failure as `--json` prints it. */
interface Report {
  readonly _tag: string
  readonly message: string
  readonly retryable: boolean
  readonly exitCode: number
}

const usage = 2
const interrupted = 130
/** As a shell shows the death by SIGPIPE. */
const outputClosed = 141

const isRuntimeError = Schema.is(RuntimeError.RuntimeError)
const encodeRuntimeError = Schema.encodeUnknownEffect(Schema.toCodecJson(RuntimeError.RuntimeError))

/** One sentence for one wrong argument; the library's own spreads suggestions over lines. */
const sentence = (error: CliError.CliError): string => {
  const named = (what: string, suggestions: ReadonlyArray<string>) =>
    suggestions.length === 0 ? what : `${what}, did you mean ${suggestions.join(" or ")}?`
  switch (error._tag) {
    case "UnrecognizedOption":
      return named(`unknown flag ${error.option}`, error.suggestions)
    case "UnknownSubcommand":
      return named(`unknown command ${error.subcommand}`, error.suggestions)
    case "InvalidValue": {
      const [what, wanted] = [error.kind === "flag" ? `--${error.option}` : error.option, error.expected]
      return error.value === ""
        ? `${what} needs a value after it: ${wanted}`
        : `${what} cannot be ${JSON.stringify(error.value)}: expected ${wanted.replace(/^Expected /, "")}`
    }
    case "UnexpectedArgument":
      return `${error.arguments.map((word) => JSON.stringify(word)).join(", ")} is too much`
    case "MissingArgument":
      return `the ${error.argument} is missing`
    case "MissingOption":
      return `--${error.option} is missing`
    case "ShowHelp":
      return error.errors.map(sentence).join("; ")
    default:
      return error.message
  }
}

/** Whether the error is such a one, or shows help for one. */
const oneOf = (is: (error: CliError.CliError) => boolean) => {
  const holds = (error: CliError.CliError): boolean =>
    is(error) || (error._tag === "ShowHelp" && error.errors.some(holds))
  return holds
}

/** A word that is none of ours may be one of the command that is to run. */
const isStray = oneOf(({ _tag }) => _tag === "UnrecognizedOption" || _tag === "UnexpectedArgument")
const isFlag = oneOf(({ _tag }) => _tag === "UnrecognizedOption")
const isPaneless = oneOf((error) => error._tag === "MissingOption" && error.option === "pane")

/** Commands of two words begin with one of these. */
const groups = ["wait", "agent", "host"]

/** Words that look like flags are taken for ours unless `--` stands before them. */
const hint = (error: unknown, { tail, words }: Caller["Service"]): string => {
  const spec = find(words)?.verb.spec
  if (tail.length === 0 && spec?.tail === "command" && CliError.isCliError(error) && isStray(error)) {
    return `put the command after --, as in: paneway ${spec.path.join(" ")} -- ls -l`
  }
  if (
    spec === undefined && words.length > 1 && words[0]?.startsWith("-") && CliError.isCliError(error) && isFlag(error)
  ) {
    return "put flags after the verb, as in: paneway panes --runtime tmux"
  }
  if (spec?.path[0] === "send" && words.length > 1 && CliError.isCliError(error) && isPaneless(error)) {
    return "name the pane first, as in: paneway send --pane %3 --cmd 'npm test'"
  }
  const path = spec?.path ?? groups.filter((group) => group === words[0])
  return `see ${["paneway", ...path, "--help"].join(" ")}`
}

/** Lines of a screen below the one line that tells a failure. */
const lastLines = 10

/** What the pane showed last. */
const lastSeen = (error: unknown): string => {
  if (!isRuntimeError(error) || !("lastSeen" in error) || error.lastSeen._tag !== "Screen") return ""
  const text = excerpt(error.lastSeen.screen)
  return text === "" ? "" : text.split("\n").slice(-lastLines).map((line) => `  ${line}\n`).join("")
}

const withSeen = (message: string, shows: boolean): string =>
  shows
    ? message.replace(/look at lastSeen(?=[;,)])/, "look at what it showed last")
    : message.replace(/, or look at lastSeen(?=\))/, "").replace(/look at lastSeen[;,] /, "")

/** The library's words for what a command has flags for, or shows by itself. `shows`: there is a screen to look at. */
const asCommand = (message: string, shows: boolean): string =>
  withSeen(message, shows)
    .replace("remove it, or pass sanitize)", "remove it)")
    .replace("or pass allowNewlines)", "or pass --allow-newlines)")
    .replace(
      /^any does not support windowMetadata: no preset source: (.*) \(choose a runtime that does\)$/,
      "there is no preset $1: Paneway brings none yet (leave --preset out)"
    )

const report = Effect.fnUntraced(function*(error: unknown, caller: Caller["Service"]) {
  if (isRuntimeError(error)) {
    const fields = encoded(yield* Effect.orElseSucceed(encodeRuntimeError(error), () => ({})))
    const { message, retryable } = error
    return {
      ...(typeof fields === "object" ? fields : {}),
      _tag: error._tag,
      message: asCommand(message, lastSeen(error) !== ""),
      retryable,
      exitCode: Runtime.getErrorExitCode(error)
    } satisfies Report
  }
  if (CliError.isCliError(error) || error instanceof UsageError) {
    const message = `${error instanceof UsageError ? error.reason : sentence(error)} (${hint(error, caller)})`
    return { _tag: "UsageError", message, retryable: false, exitCode: usage } satisfies Report
  }
  if (error instanceof OutputFailed) {
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

/** `paneway` alone shows its help, which is all that was meant. */
const isHelp = (error: unknown): boolean =>
  CliError.isCliError(error) && error._tag === "ShowHelp" && error.errors.length === 0

/** Prints the failure unless it is an interruption or a shown help, and gives the exit code. */
export const tell = Effect.fnUntraced(function*(cause: Cause.Cause<unknown>, json: boolean) {
  if (Cause.hasInterruptsOnly(cause)) return interrupted
  const error = Cause.squash(cause)
  if (isHelp(error)) return 0
  if (error instanceof OutputClosed) return outputClosed
  const caller = yield* Caller
  const told = yield* report(error, caller)
  yield* json ? Output.problemObject({ ...told }) : Output.problem(told.message)
  if (!json) yield* caller.tell(lastSeen(error))
  return told.exitCode
})
