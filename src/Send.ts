/**
 * Sending text and keys: the records of a send, the pure plan that a request becomes, and the seam through which
 * rooms above the contract verify that a prompt was submitted.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Sensed } from "./AgentState.ts"
import type { Delivered, TargetError } from "./Contract.ts"
import * as Keys from "./Keys.ts"
import type { SendRejected } from "./RuntimeError.ts"
import type { Screen } from "./Screen.ts"
import type { DeliveryReport, Outcome, SendItem, SendProfile, SendRequest, Step } from "./send/records.ts"
import type { Pane } from "./Target.ts"

export * from "./send/records.ts"

/**
 * What a request becomes for one profile.
 *
 * @category models
 * @since 0.1.0
 */
export interface Plan {
  readonly steps: ReadonlyArray<Step>
  readonly droppedTrailingEnter: boolean
  /** Text that is typed and submitted, hence echoed. */
  readonly echo: string | undefined
}

/**
 * Why a request cannot be planned; `index` is the item that is wrong.
 *
 * @category models
 * @since 0.1.0
 */
export interface PlanFailure {
  readonly reason: string
  readonly index?: number
}

const forbidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/

const typed = (text: string, profile: SendProfile): Step =>
  profile === "agent-aware" ? { _tag: "Prompt", text } : { _tag: "Type", text, paste: text.includes("\n") }

const planItem = (item: SendItem, index: number, profile: SendProfile): Result.Result<Step, PlanFailure> => {
  const given = Object.values(item).filter((value) => value !== undefined).length
  if (given !== 1 || (item.message === undefined && item.key === undefined)) {
    return Result.fail({ index, reason: "must be exactly one of message or key" })
  }
  if (item.message === undefined) {
    return Result.mapBoth(Keys.parse(item.key), {
      onFailure: (key) => ({ index, reason: `unknown key ${key}` }),
      onSuccess: (key): Step => ({ _tag: "Press", key })
    })
  }
  if (item.message === "") return Result.fail({ index, reason: "message must not be empty" })
  if (forbidden.test(item.message)) return Result.fail({ index, reason: "message contains control characters" })
  return Result.succeed(typed(item.message, profile))
}

/**
 * Plans a request. Pure: a request of the wrong shape is refused before anything is asked of the terminal.
 *
 * For `plain-pane` the steps are typed in order, a command with one Enter after it. For `agent-aware` all text becomes
 * one prompt that submits itself, at most one trailing Enter is accepted and left out, and keys go alone.
 *
 * @category planning
 * @since 0.1.0
 */
export const plan = (request: SendRequest, profile: SendProfile): Result.Result<Plan, PlanFailure> => {
  const command = request.command?.trim() ? request.command : undefined
  const messages: Array<string> = []
  const keys: Array<Keys.Key> = []
  const ordered: Array<Step> = []
  for (const [index, item] of (request.items ?? []).entries()) {
    const step = planItem(item, index, profile)
    if (Result.isFailure(step)) return Result.fail(step.failure)
    ordered.push(step.success)
    if (step.success._tag === "Press") keys.push(step.success.key)
    else messages.push(step.success.text)
  }
  if (command === undefined && ordered.length === 0) return Result.fail({ reason: "nothing to send" })
  if (command !== undefined && messages.length > 0) {
    return Result.fail({ reason: "a command submits on its own: only keys may follow" })
  }
  if (command !== undefined && forbidden.test(command)) {
    return Result.fail({ reason: "command contains control characters" })
  }
  if (profile === "plain-pane") {
    const head: ReadonlyArray<Step> = command === undefined
      ? []
      : [typed(command, profile), { _tag: "Press", key: Keys.enter }]
    return Result.succeed({ steps: [...head, ...ordered], droppedTrailingEnter: false, echo: command })
  }
  if (keys.filter(Keys.isEnter).length > 1) return Result.fail({ reason: "at most one Enter" })
  if (command === undefined && messages.length === 0) {
    return Result.succeed({ steps: ordered, droppedTrailingEnter: false, echo: undefined })
  }
  const last = ordered[ordered.length - 1]
  if (keys.length > 1 || (keys.length === 1 && !(last?._tag === "Press" && Keys.isEnter(last.key)))) {
    return Result.fail({ reason: "only one trailing Enter may follow" })
  }
  const prompt = command ?? messages.join("\n")
  return Result.succeed({
    steps: [{ _tag: "Prompt", text: prompt }],
    droppedTrailingEnter: keys.length === 1,
    echo: prompt
  })
}

/**
 * What a policy may do to the one pane whose lock is held for it. It cannot type text.
 *
 * @category models
 * @since 0.1.0
 */
export interface SubmitHands {
  readonly look: Effect.Effect<Screen, TargetError>
  readonly agent: Effect.Effect<Option.Option<Sensed>, TargetError>
  /** Presses the submit key; a fourth press in one delivery is refused. */
  readonly submitKey: Effect.Effect<Delivered, TargetError>
  /** Succeeds at the next change of the pane. */
  readonly changed: Effect.Effect<void>
}

/**
 * What a policy found out about a submitted prompt.
 *
 * @category models
 * @since 0.1.0
 */
export interface Verdict extends Pick<DeliveryReport, "inject" | "submit" | "turn" | "attempts" | "evidence"> {
  readonly outcome: Outcome
}

/**
 * How a prompt is submitted and verified.
 *
 * @category models
 * @since 0.1.0
 */
export interface SubmitPolicyService {
  readonly appliesTo: (pane: Pane, profile: SendProfile) => boolean
  /** Runs before the first byte; its failure means that nothing was typed. */
  readonly gate: (pane: Pane, hands: SubmitHands) => Effect.Effect<void, SendRejected | TargetError>
  /** Runs when the text is written and no key was pressed; `baseline` is the screen before the text. */
  readonly submit: (
    pane: Pane,
    typed: string,
    baseline: Screen,
    hands: SubmitHands
  ) => Effect.Effect<Verdict, TargetError>
}

/**
 * The policy for submitting prompts. Default: none, a delivery is reported as the adapter reports it.
 *
 * @category references
 * @since 0.1.0
 */
export const SubmitPolicy = Context.Reference<Option.Option<SubmitPolicyService>>("paneway/Send/SubmitPolicy", {
  defaultValue: () => Option.none()
})
