/** What `paneway run` does once its arguments are read. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type { Exit } from "../../Target.ts"
import { Caller } from "../Caller.ts"
import type { Options } from "../commands/run.ts"
import * as Foreground from "../foreground/foreground.ts"
import { inProcess } from "../Host.ts"
import * as Output from "../output.ts"
import * as Progress from "../progress.ts"
import * as Selection from "../selection.ts"

/** As WaitTimeout has it. */
const timedOut = 8
/** As a shell shows the death by SIGPIPE. */
const outputClosed = 141

const codeOf = (exit: Exit | undefined): number => exit === undefined ? timedOut : exit.code ?? 1

export const execute = Effect.fnUntraced(function*(options: Options) {
  const caller = yield* Caller
  const selected = yield* Selection.select(options.runtime, false)
  const request: Foreground.Request = {
    argv: options.command,
    cwd: options.keep || selected.decision.runtime !== "pty"
      // another process opens the pane, from another directory
      ? (yield* Path.Path).resolve(caller.cwd, Option.getOrElse(options.root, () => "."))
      : Option.getOrUndefined(options.root),
    env: options.env,
    size: Option.getOrUndefined(options.size),
    timeout: Option.getOrUndefined(options.timeout),
    collect: options.json,
    keep: options.keep
      ? {
        window: Option.getOrUndefined(options.window),
        session: Option.getOrUndefined(options.session)
      }
      : undefined
  }
  const program = options.json
    ? Progress.during(options.command.join(" "))(Foreground.run(request))
    : Foreground.run(request)
  const provided = Selection.provide(selected)(program)
  const result = yield* options.keep ? provided : inProcess(provided)
  const exitCode = codeOf(result.exit)
  yield* caller.exitWith(exitCode)
  if (options.json) {
    yield* Output.object({
      exitCode,
      ...(result.exit?.signal === undefined ? {} : { signal: result.exit.signal }),
      output: result.output,
      truncated: result.truncated,
      timedOut: result.exit === undefined,
      ...(options.keep ? { pane: `${result.pane}` } : {})
    })
  } else {
    if (result.exit === undefined) yield* Output.problem("the command ran longer than its timeout and was ended")
    if (options.keep) yield* Output.problem(`the pane is kept: ${result.pane}`)
  }
}, Effect.catchTag("OutputClosed", () => Effect.flatMap(Caller, (caller) => caller.exitWith(outputClosed))))
