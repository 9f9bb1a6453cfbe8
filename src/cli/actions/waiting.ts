/** What `paneway wait` does. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { AgentState } from "../../AgentState.ts"
import type { Service, WaitOptions } from "../../Contract.ts"
import { withoutControls } from "../../internal/controls.ts"
import type { LifecycleQuery } from "../../Lifecycle.ts"
import { InvalidRequest, type TargetNotFound } from "../../RuntimeError.ts"
import { type PaneHandle, parse } from "../../Target.ts"
import type * as Spec from "../commands/wait.ts"
import * as Output from "../output.ts"
import * as Progress from "../progress.ts"
import * as Selection from "../selection.ts"
import type { Words } from "../syntax/spec.ts"
import * as Targets from "../targets.ts"
import { usage } from "../usage.ts"
import * as Values from "../values.ts"
import { fields } from "../words.ts"
import { print } from "./capture.ts"

const normal = Duration.seconds(30)
type Common = "pane" | "after" | "timeout" | "runtime" | "json"

const waitIn = Effect.fnUntraced(function*<A, E, R>(
  words: Words<Common>,
  what: string,
  wait: (runtime: Service, pane: PaneHandle, options: WaitOptions) => Effect.Effect<A, E, R>
) {
  const text = yield* Values.pane(words)
  const timeout = (yield* Values.duration(words, "timeout")) ?? normal
  return yield* Selection.using(words.text("runtime"), [text], (runtime) =>
    Effect.gen(function*() {
      const { handle } = yield* runtime.resolve(text)
      const after = yield* Values.after(words, handle)
      return yield* wait(runtime, handle, after === undefined ? { timeout } : { timeout, after })
    }).pipe(Progress.during(`waiting for ${what} in ${text}`)))
})

const expression = (source: string) =>
  Effect.try({
    try: () => new RegExp(source, "u"),
    catch: (cause) => cause instanceof Error ? cause.message : String(cause)
  }).pipe(
    Effect.catch((reason) => usage(`--regex: ${reason}`))
  )

export const output = Effect.fnUntraced(function*(words: Words<keyof typeof Spec.output.flags>) {
  const [match, regex] = [words.text("match"), words.text("regex")]
  if ((match === undefined) === (regex === undefined)) return yield* usage("give one of --match and --regex")
  const pattern = regex === undefined ? match ?? "" : yield* expression(regex)
  const found = yield* waitIn(
    words,
    `${match ?? regex}`,
    (runtime, pane, options) => runtime.waitOutput(pane, { ...options, pattern })
  )
  const { groups, line, markLost, rowsLost, screen: { mark }, text } = found
  yield* words.on("json")
    ? Output.object(fields({ text, groups, line, mark, markLost, rowsLost }))
    : Output.text(`${withoutControls(line)}\n`)
})

const isState = Schema.is(AgentState)

export const agent = Effect.fnUntraced(function*(words: Words<keyof typeof Spec.agent.flags>) {
  const [first, ...others] = words.texts("state").filter(isState)
  if (first === undefined) return yield* usage("give a state with --state")
  const { sensing } = yield* Effect.promise(() => import("../agents.ts"))
  const seen = yield* waitIn(
    words,
    [first, ...others].join(" or "),
    (runtime, pane, options) =>
      runtime.waitAgent(pane, { ...options, states: [first, ...others] }).pipe(sensing(runtime))
  )
  yield* words.on("json") ? Output.object(fields(seen)) : Output.lines([seen.state])
})

export const stable = Effect.fnUntraced(function*(words: Words<keyof typeof Spec.stable.flags>) {
  const quiet = yield* Values.duration(words, "quiet")
  if (quiet === undefined) return yield* usage("give the time without a change with --quiet")
  const screen = yield* waitIn(
    words,
    "no change",
    (runtime, pane, options) => runtime.waitStable(pane, { ...options, quiet })
  )
  yield* words.on("json") ? Output.object(fields(screen)) : print(screen, false)
})

const conditions = ["window-exists", "window-active", "pane-exists", "pane-exited"] as const

const queryOf = Effect.fnUntraced(function*(
  runtime: Service,
  condition: (typeof conditions)[number],
  target: string,
  session: string | undefined
) {
  if (condition === "window-exists" || condition === "window-active") {
    const window = yield* Targets.window(runtime, target)
    return { condition, target: window, ...(session === undefined ? {} : { session }) } satisfies LifecycleQuery
  }
  const { handle } = yield* runtime.resolve(target)
  return { condition, target: handle } satisfies LifecycleQuery
})

/** A window is an operand only. */
const lifecycleTarget = (words: Words<"pane">, condition: (typeof conditions)[number]) => {
  const [, ...operands] = words.operands
  if (condition === "pane-exists" || condition === "pane-exited") return Values.pane({ ...words, operands })
  if (words.on("pane")) return usage(`--pane is for pane-exists and pane-exited: ${condition} waits for a window`)
  const [target] = operands
  return target === undefined
    ? usage("a window is missing: give its name or handle after the condition")
    : Effect.succeed(target)
}

export const lifecycle = Effect.fnUntraced(function*(words: Words<keyof typeof Spec.lifecycle.flags>) {
  const [asked = ""] = words.operands
  const condition = conditions.find((one) => one === asked)
  if (condition === undefined) {
    return yield* new InvalidRequest({
      operation: "wait lifecycle",
      field: "condition",
      reason: `cannot be ${JSON.stringify(asked)}: choose one of ${conditions.join(", ")}`
    })
  }
  const target = yield* lifecycleTarget(words, condition)
  const timeout = (yield* Values.duration(words, "timeout")) ?? normal
  const seen = yield* Selection.using(words.text("runtime"), [target], (runtime) =>
    Effect.flatMap(
      queryOf(runtime, condition, target, words.text("session")),
      (query) => runtime.waitLifecycle({ ...query, timeout })
    ).pipe(
      Effect.map(fields),
      // a printed handle was once a pane: gone, it has exited
      Effect.catchIf(
        (error): error is TargetNotFound =>
          error._tag === "TargetNotFound" && condition === "pane-exited" && error.target === target &&
          (error.reason === "absent" || error.reason === "reissued"),
        (error): Effect.Effect<Record<string, unknown>, TargetNotFound> =>
          Option.isSome(parse(target)) ? Effect.succeed({ condition, target, observed: "absent" }) : Effect.fail(error)
      ),
      Progress.during(`waiting for ${condition} of ${target}`)
    ))
  yield* words.on("json") ? Output.object(seen) : Output.lines([String(seen["observed"])])
})
