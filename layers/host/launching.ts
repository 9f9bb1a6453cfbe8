/** Starts the host as a process of its own, and waits until it says that it serves. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { spawn } from "node:child_process"
import { RuntimeUnavailable } from "../../src/RuntimeError.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** What a host says on its standard output, once: that it serves, or why it does not. */
export const Answer = Schema.Union([
  Schema.TaggedStruct("Serving", { pid: Schema.Int, ended: Schema.Int }),
  Schema.TaggedStruct("Failed", { failure: RuntimeUnavailable })
])
export type Answer = typeof Answer.Type

const AnswerLine = Schema.fromJsonString(Schema.toCodecJson(Answer))
const parse = Schema.decodeUnknownOption(AnswerLine)

/** The line of an answer. */
export const print = Schema.encodeEffect(AnswerLine)

/** Time for a host to start; it ends what an earlier one left first. */
const deadline = "20 seconds"

/** Of the process that starts it: what belongs to the pane or to the program around that. */
const ownOnly = /^(?:PANEWAY_(?:PANE|SOCKET|SESSION|INPUT|PANE_TAG)|NODE_(?:OPTIONS|CHANNEL_FD|UNIQUE_ID))$/

/** Options of Node are for the programs in panes, and not for the host. */
const keptOptions = "PANEWAY_HOST_NODE_OPTIONS"

const environmentOf = (env: Environment): Environment => {
  const { NODE_OPTIONS } = env
  const kept = Object.entries(env).filter(([name]) => !ownOnly.test(name))
  return Object.fromEntries(NODE_OPTIONS === undefined ? kept : [...kept, [keptOptions, NODE_OPTIONS]])
}

/** The environment that the host's panes inherit: that of whoever started it. */
export const inherited = ({ [keptOptions]: NODE_OPTIONS, ...env }: Environment): Environment =>
  NODE_OPTIONS === undefined ? env : { ...env, NODE_OPTIONS }

const failed = (detail: string, cause?: unknown) =>
  new RuntimeUnavailable({ runtime: "pty", reason: "not-running", detail, ...(cause === undefined ? {} : { cause }) })

/** MB for what is short-lived: with the usual 16 a host of 200 panes takes 90 MB more. */
const engine = ["--max-semi-space-size=2"]

/** Bytes of an answer. */
const largest = 64 * 1024

/**
 * The host lives on when this process ends, and when whoever asked is interrupted: then it ends by itself after a while.
 */
export const launch = (
  entry: string,
  env: Environment
): Effect.Effect<Extract<Answer, { readonly _tag: "Serving" }>, RuntimeUnavailable> =>
  Effect.callback<string, RuntimeUnavailable>((resume) => {
    const child = spawn(process.execPath, [...engine, entry], {
      detached: true,
      cwd: "/",
      stdio: ["ignore", "pipe", "ignore"],
      env: environmentOf(env)
    })
    child.unref()
    let text = ""
    const leave = () => {
      child.stdout.destroy()
    }
    child.on("error", (cause) => {
      leave()
      resume(Effect.fail(failed(`its host could not be started: ${cause.message}`, cause)))
    })
    child.stdout.setEncoding("utf8")
    child.stdout.on("data", (part: string) => {
      text += part
      if (!text.includes("\n") && text.length < largest) return
      leave()
      resume(Effect.succeed(text))
    })
    child.stdout.on("end", () => resume(Effect.succeed(text)))
    return Effect.sync(leave)
  }).pipe(
    Effect.timeoutOrElse({
      duration: deadline,
      orElse: () => Effect.fail(failed("its host was started and does not answer within 20 s: look for what hangs"))
    }),
    Effect.flatMap((text) => {
      const answer = parse(text.split("\n")[0] ?? "")
      if (Option.isNone(answer)) return Effect.fail(failed("its host ended before it served: start it again"))
      return answer.value._tag === "Serving" ? Effect.succeed(answer.value) : Effect.fail(answer.value.failure)
    })
  )
