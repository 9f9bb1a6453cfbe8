/**
 * What is told of a delivery: its report, or the failure that fits what may have been written.
 *
 * @since 0.1.0
 */
import type { Place } from "../Contract.ts"
import * as Keys from "../Keys.ts"
import { SendFailed, SendStalled } from "../RuntimeError.ts"
import { Mark } from "../Screen.ts"
import * as Send from "../send/records.ts"
import type { PaneHandle } from "../Target.ts"
import { bytesOf, type Cut, isLost, textOf, type Written } from "./delivering.ts"

/**
 * One delivery as it was planned.
 *
 * @internal
 */
export interface Planned {
  readonly pane: PaneHandle
  readonly steps: ReadonlyArray<Send.Step>
  readonly droppedTrailingEnter: boolean
  readonly markOf: (before: Place) => Mark
}

/**
 * True for a step that submits.
 *
 * @internal
 */
export const isSubmit = (step: Send.Step): boolean =>
  step._tag === "Prompt" || (step._tag === "Press" && Keys.isEnter(step.key))

const strength = (evidence: Send.Evidence) => Send.Evidence.literals.indexOf(evidence)

/**
 * Whether the evidence is at least as strong as what was asked for.
 *
 * @internal
 */
export const suffices = (evidence: Send.Evidence, asked: Send.Evidence | undefined): boolean =>
  asked === undefined || strength(evidence) <= strength(asked)

const detailOf = (cause: unknown): string => {
  if (cause instanceof Error) return cause.message
  return typeof cause === "string" ? cause : "it could not be written"
}

const count = (value: number | undefined, most: number): number =>
  value !== undefined && Number.isSafeInteger(value) && value >= 0 ? Math.min(value, most) : 0

type Told = Pick<Send.DeliveryReport, "stage" | "outcome" | "evidence" | "mark"> & Partial<Send.DeliveryReport>

/** What is said of every delivery, verified by nobody; `more` says what was observed. */
const report = ({ droppedTrailingEnter, steps }: Planned, more: Told): Send.DeliveryReport => {
  const submits = steps.filter(isSubmit).length
  return new Send.DeliveryReport({
    inject: steps.some((step) => textOf(step) !== "") ? "no_token" : "empty_text_send_keys",
    submit: submits === 0 ? "not_submitted" : "enter_sent_without_placeholder_check",
    turn: submits === 0 || steps.every((step) => textOf(step) === "") ? "not_required" : "not_yet_observed",
    attempts: submits,
    droppedTrailingEnter,
    ...more
  })
}

/**
 * The report of what the adapter wrote and nobody verified further.
 *
 * @internal
 */
export const written = (
  planned: Planned,
  { before, bytes, evidence = "bytes", warnings = [] }: Written
): Send.DeliveryReport => {
  const total = bytes !== undefined && Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : undefined
  return report(planned, {
    stage: planned.steps.some(isSubmit) || planned.steps.every((step) => textOf(step) === "") ? "submit" : "send-keys",
    outcome: suffices(evidence, "screen") ? "accepted" : "admitted",
    evidence,
    mark: planned.markOf(before),
    ...(total === undefined ? {} : { bytes: { accepted: total, total } }),
    ...(warnings.length === 0 ? {} : { warnings })
  })
}

/**
 * The failure that fits what was written when a delivery was cut: safe to repeat only when that was certainly nothing.
 *
 * @internal
 */
export const cutShort = (planned: Planned, cut: Cut): SendFailed | SendStalled => {
  const { before, cause, stage, steps: whole = 0 } = cut
  const { pane, steps } = planned
  if (whole === 0 && (cut.written === "nothing" || cut.written === 0)) {
    return new SendFailed({ pane, stage, detail: detailOf(cause), cause })
  }
  const done = bytesOf(steps.slice(0, whole))
  const partly = typeof cut.written === "number" ? cut.written : 0
  const known = done > 0 || partly > 0
  // an adapter may count bytes that it adds, such as those around a paste
  const total = Math.max(bytesOf(steps), partly + 1)
  const failed = steps[whole]
  const reached = cut.steps === undefined ? steps : steps.slice(0, whole + (cut.written === "nothing" ? 0 : 1))
  return new SendStalled({
    pane,
    reason: isLost(cause) ? "connection-lost" : "write-failed",
    report: report(planned, {
      stage,
      outcome: "in-doubt",
      evidence: "none",
      mark: planned.markOf(before),
      attempts: reached.filter(isSubmit).length,
      ...(stage === "submit" && failed !== undefined && isSubmit(failed) ? { submit: "send_keys_failed" } : {}),
      ...(known ? { bytes: { accepted: count(done + partly, total), total } } : {})
    }),
    cause
  })
}

/**
 * The same delivery as a failure: what was observed is less than what was asked for.
 *
 * @internal
 */
export const inDoubt = (pane: PaneHandle, report: Send.DeliveryReport, cause?: unknown): SendStalled =>
  new SendStalled({
    pane,
    reason: isLost(cause) ? "connection-lost" : "not-processed",
    report: new Send.DeliveryReport({ ...report, outcome: "in-doubt" }),
    ...(cause === undefined ? {} : { cause })
  })

/**
 * The connection was lost before an answer came: nothing is known of a delivery but that it was asked for.
 *
 * @internal
 */
export const unanswered = (pane: PaneHandle, cause?: unknown): SendStalled =>
  new SendStalled({
    pane,
    reason: "connection-lost",
    report: new Send.DeliveryReport({
      stage: "send-keys",
      evidence: "none",
      inject: "no_token",
      submit: "not_submitted",
      turn: "not_yet_observed",
      attempts: 0,
      droppedTrailingEnter: false,
      outcome: "in-doubt",
      mark: new Mark({ pane })
    }),
    ...(cause === undefined ? {} : { cause })
  })
