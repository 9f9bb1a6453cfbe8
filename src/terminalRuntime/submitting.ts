/**
 * Prompts whose submission is verified by the {@link Send.SubmitPolicy}: the text is typed without a key, and the policy
 * presses the submit key and looks what becomes of it.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import { AgentSense, isProvided, type Sensed } from "../AgentState.ts"
import type { Delivered, Delivery, Place, Primitives, TargetError } from "../Contract.ts"
import * as Keys from "../Keys.ts"
import { NativeFailure, type SendRejected, type SendStalled } from "../RuntimeError.ts"
import { Screen } from "../Screen.ts"
import * as Send from "../Send.ts"
import type { Pane, PaneHandle } from "../Target.ts"
import { makeBounded } from "./bounding.ts"
import { type Delivering, textOf } from "./delivering.ts"
import { type Looking, markAt } from "./looking.ts"
import { inDoubt, isSubmit } from "./reporting.ts"
import type { Targets } from "./targets.ts"
import type { Watching } from "./watching.ts"

/**
 * A prompt that a policy verifies.
 *
 * @internal
 */
export interface Verified {
  /** What is typed, without the key that submits. */
  readonly steps: Delivery["steps"]
  /** Before the first byte; its failure means that nothing was typed. */
  readonly gate: Effect.Effect<void, SendRejected | TargetError>
  /** After the last byte. Gives the report, or the failure when processing was not seen. */
  readonly submit: (
    typed: Send.DeliveryReport,
    before: Place,
    within: Duration.Duration
  ) => Effect.Effect<Send.DeliveryReport, SendStalled>
}

/**
 * Finds out whether a policy is there and applies.
 *
 * @internal
 */
export interface Submitting {
  /** The policy where the operation runs, else the one where the runtime was made. */
  readonly policy: Effect.Effect<Option.Option<Send.SubmitPolicyService>>
  /** `None`: the plan is no prompt, or the policy does not apply to the pane. */
  readonly prompt: (
    policy: Send.SubmitPolicyService,
    pane: PaneHandle,
    plan: Pick<Delivery, "steps" | "profile"> & Pick<Send.Plan, "isCommand">
  ) => Effect.Effect<Option.Option<Verified>, TargetError, Scope.Scope>
}

/** In one delivery. */
const mostPresses = 3
/** Where nothing tells that a pane changed. */
const pause = Duration.millis(100)

/**
 * The text of a plan that is a prompt: text alone that submits itself, or text with one Enter after it. `None` for
 * everything else, which nobody verifies.
 */
const promptOf = (steps: Delivery["steps"]): Option.Option<ReadonlyArray<Send.Step>> => {
  const last = steps[steps.length - 1]
  const head = steps.slice(0, -1)
  if (last?._tag === "Prompt") return head.length === 0 ? Option.some(steps) : Option.none()
  return last !== undefined && isSubmit(last) && head.length > 0 && head.every((step) => step._tag === "Type")
    ? Option.some(head)
    : Option.none()
}

/** Pasted text opens no menus; a command is what the caller wants typed. */
const typedOf = (step: Send.Step, asCommand: boolean): Send.Step => {
  const text = textOf(step)
  return { _tag: "Type", text, paste: !asCommand || text.includes("\n") }
}

const screenBefore = (pane: PaneHandle, before: Place): Screen =>
  new Screen({
    rows: before.tail ?? [],
    wrapped: [],
    joined: true,
    truncated: true,
    mark: markAt(pane, before)
  })

/**
 * The policy, and the sense of agents, are read where the operation runs, else where the runtime was made.
 *
 * @internal
 */
export const makeSubmitting = Effect.fnUntraced(function*({ delivering, looking, primitives, targets, watching }: {
  readonly primitives: Primitives
  readonly targets: Targets
  readonly looking: Looking
  readonly watching: Watching
  readonly delivering: Delivering
}) {
  const bounded = yield* makeBounded
  const madeWith = yield* Send.SubmitPolicy
  const senseMadeWith = yield* AgentSense

  const enter: Omit<Delivery, "profile"> = {
    steps: [{ _tag: "Press", key: Keys.enter }],
    unless: ["dead", "input-off", "in-mode", "synchronized", "draining"],
    rows: false,
    stall: delivering.stall
  }

  /** A key that may not have arrived counts as pressed: the policy looks before it presses again. */
  const press = (pane: PaneHandle, profile: Send.SendProfile): Effect.Effect<Delivered, TargetError> =>
    Effect.catchTag(
      delivering.once(pane, { ...enter, profile }),
      "Cut",
      ({ before }) => Effect.succeed<Delivered>({ _tag: "Written", before, evidence: "none" })
    )

  const handsFor = Effect.fnUntraced(function*(pane: Pane, profile: Send.SendProfile) {
    const { handle } = pane
    const wakes = yield* watching.subscribe(handle)
    const presses = { count: 0 }
    const look = looking.look(handle, { range: "visible" })
    const submitKey = Effect.suspend(() => {
      if (presses.count >= mostPresses) {
        return Effect.fail(
          new NativeFailure({
            runtime: primitives.runtime,
            operation: "submitKey",
            detail: `the submit key was pressed ${mostPresses} times in this delivery already`
          })
        )
      }
      presses.count += 1
      return press(handle, profile)
    })
    const sensed = primitives.agent === undefined
      ? Effect.flatMap(
        AgentSense,
        (own) => Effect.flatMap(look, (screen) => (isProvided(own) ? own : senseMadeWith)(pane, screen))
      )
      : Effect.asSome<Sensed, TargetError, never>(primitives.agent(handle))
    const changed = Option.match(wakes, {
      onNone: () => Effect.sleep(pause),
      onSome: (queue) => Effect.catch(Queue.take(queue), () => Effect.sleep(pause))
    })
    const hands: Send.SubmitHands = { look, submitKey, agent: sensed, changed }
    return { hands, presses }
  })

  const prompt: Submitting["prompt"] = Effect.fnUntraced(function*(policy, handle, { isCommand, profile, steps }) {
    const text = promptOf(steps)
    if (Option.isNone(text)) return Option.none()
    const pane = yield* targets.find(handle)
    if (!policy.appliesTo(pane, profile)) return Option.none()
    const [first, ...rest] = text.value.map((step) => typedOf(step, isCommand))
    if (first === undefined) return Option.none()
    const { hands, presses } = yield* handsFor(pane, profile)
    const { gate, submit } = policy
    const typedText = text.value.map(textOf).join("")

    return Option.some<Verified>({
      steps: [first, ...rest],
      gate: gate(pane, hands),
      submit: Effect.fnUntraced(function*(typed, before, within) {
        const unseen = (cause: unknown) =>
          inDoubt(handle, new Send.DeliveryReport({ ...typed, stage: "submit", attempts: presses.count }), cause)
        const verdict = yield* bounded(submit(pane, typedText, screenBefore(handle, before), hands), () => within).pipe(
          Effect.mapError(unseen),
          Effect.catchDefect((defect) => Effect.fail(unseen(defect)))
        )
        if (Option.isNone(verdict)) {
          return yield* unseen(`processing was not seen within ${Duration.toSeconds(within)} s`)
        }
        const report = new Send.DeliveryReport({
          ...typed,
          ...verdict.value,
          stage: "submit",
          attempts: presses.count
        })
        return report.outcome === "in-doubt" ? yield* inDoubt(handle, report) : report
      })
    })
  })

  return {
    policy: Effect.map(Send.SubmitPolicy, Option.orElse(() => madeWith)),
    prompt
  } satisfies Submitting
})
