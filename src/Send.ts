/**
 * Sending text and keys: the records of a send, the pure plan that a request becomes, and the seam through which
 * rooms above the contract verify that a prompt was submitted.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Sensed } from "./AgentState.ts"
import type { Delivered, TargetError } from "./Contract.ts"
import type { SendRejected } from "./RuntimeError.ts"
import type { Screen } from "./Screen.ts"
import type { DeliveryReport, Outcome, SendProfile } from "./send/records.ts"
import type { Pane } from "./Target.ts"

export * from "./send/planning.ts"
export type { Rejection } from "./send/reading.ts"
export * from "./send/records.ts"

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
