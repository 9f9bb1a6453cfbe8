/** What `paneway run` does once its arguments are read. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { InvalidRequest } from "../../RuntimeError.ts"
import type { Exit } from "../../Target.ts"
import { TerminalRuntime } from "../../TerminalRuntime.ts"
import { Caller } from "../Caller.ts"
import type { run as spec } from "../commands/run.ts"
import * as Foreground from "../foreground/foreground.ts"
import * as Shown from "../foreground/shown.ts"
import { inProcess } from "../Host.ts"
import * as Output from "../output.ts"
import * as Progress from "../progress.ts"
import * as Selection from "../selection.ts"
import type { Given, Words } from "../syntax/spec.ts"
import { usage } from "../usage.ts"
import * as Values from "../values.ts"
import { runInPane } from "./runInPane.ts"

/** As WaitTimeout has it. */
const timedOut = 8
/** As a shell shows the death by SIGPIPE. */
const outputClosed = 141

/** Where nothing is known of how it ended. */
const failed = 1

const codeOf = (exit: Exit | undefined, signals: Caller["Service"]["signals"]): number => {
  if (exit === undefined) return timedOut
  if (exit.code !== undefined) return exit.code
  const signal = signals[exit.signal ?? ""]
  return signal === undefined ? failed : 128 + signal
}

/** The bytes of a pane, or what it holds at the end where there are none. */
const foreground = (request: Foreground.Request) =>
  TerminalRuntime.use((runtime) =>
    runtime.capabilities.rawOutput === "none"
      ? Shown.run(request)
      : request.collect
      ? Progress.during(request.argv.join(" "))(Foreground.run(request))
      : Foreground.run(request)
  )

/** Words before `--` are no part of the command: a flag among them would be taken for ours. */
const commandOf = ({ operands, tail }: Given) => {
  const [program, ...args] = tail
  if (program === undefined || operands.length > 0) {
    const reason = "has to stand after --, all of it, as in: paneway run -- ls -l"
    return Effect.fail(new InvalidRequest({ operation: "run", field: "command", reason }))
  }
  return Effect.succeed<Foreground.Request["argv"]>([program, ...args])
}

const sizeOf = (words: Words<"size">) => {
  const text = words.text("size")
  return text === undefined ? Effect.undefined : Values.size("--size", text)
}

const keptIn = Effect.fnUntraced(function*(words: Words<"keep" | "window" | "session">) {
  const [window, session] = [words.text("window"), words.text("session")]
  if (!words.on("keep") && window !== undefined) {
    return yield* usage("--window needs --keep: the pane closes otherwise, and with it its window")
  }
  if (window === undefined && session !== undefined) {
    return yield* usage("--session needs --window: it is the session of that window")
  }
  return words.on("keep") ? { window, session } : undefined
})

export const run = Effect.fnUntraced(function*(words: Words<keyof typeof spec.flags>) {
  const caller = yield* Caller
  const argv = yield* commandOf(words)
  const pane = words.text("pane")
  if (pane !== undefined) return yield* runInPane(words, pane, argv)
  const keep = yield* keptIn(words)
  const [timeout, size] = [yield* Values.duration(words, "timeout"), yield* sizeOf(words)]
  const env = yield* Values.environment(words.texts("env"))
  const selected = yield* Selection.select(Option.fromUndefinedOr(words.text("runtime")), false)
  const root = words.text("root")
  const collect = words.on("json")
  const request: Foreground.Request = {
    argv,
    cwd: keep !== undefined || selected.decision.runtime !== "pty"
      // another process opens the pane, from another directory
      ? (yield* Path.Path).resolve(caller.cwd, root ?? ".")
      : root,
    env,
    size,
    timeout,
    collect,
    keep
  }
  const provided = Selection.provide(selected)(foreground(request))
  const result = yield* keep === undefined ? inProcess(provided) : provided
  const exitCode = codeOf(result.exit, caller.signals)
  yield* caller.exitWith(exitCode)
  // one whose time was over was closed
  const isKept = keep !== undefined && result.exit !== undefined
  if (collect) {
    yield* Output.object({
      exitCode,
      ...(result.exit?.signal === undefined ? {} : { signal: result.exit.signal }),
      output: result.output,
      truncated: result.truncated,
      timedOut: result.exit === undefined,
      ...(isKept ? { pane: `${result.pane}` } : {})
    })
  } else {
    if (result.exit === undefined) yield* Output.problem("the command ran longer than its timeout and was ended")
    if (result.exit !== undefined && result.exit.code === undefined && result.exit.signal === undefined) {
      yield* Output.problem("the command ended, and nobody knows how")
    }
    if (isKept) yield* Output.problem(`the pane is kept: ${result.pane}`)
  }
}, Effect.catchTag("OutputClosed", () => Effect.flatMap(Caller, (caller) => caller.exitWith(outputClosed))))
