/**
 * Sends: planned first, then delivered under the pane's lock, then reported.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type {
  Delivery,
  Obstacle,
  Place,
  Primitives,
  SendError,
  SendOptions,
  Service,
  WriteFailed
} from "../Contract.ts"
import type { PaneLocks } from "../PaneLocks.ts"
import { SendFailed, SendRejected, SendStalled } from "../RuntimeError.ts"
import * as Screen from "../Screen.ts"
import * as Send from "../Send.ts"
import type { PaneHandle } from "../Target.ts"
import type { Agents } from "./agents.ts"
import type { Delivering } from "./delivering.ts"
import { markAt } from "./looking.ts"
import type { Operations } from "./operations.ts"
import type { Targets } from "./targets.ts"

/**
 * The operations that type.
 *
 * @internal
 */
export type Sending = Pick<Service, "send" | "sendCommand" | "sendText" | "sendKeys" | "typeInto">

const obstacles: ReadonlyArray<Obstacle> = [
  "dead",
  "input-off",
  "in-mode",
  "synchronized",
  "draining",
  "other-profile"
]

const typeInto = (text: string): Send.SendRequest => {
  if (!text.endsWith("\n")) return { items: [{ message: text }] }
  const line = text.slice(0, -1)
  return { items: [...(line === "" ? [] : [{ message: line }]), { key: "Enter" }] }
}

/**
 * One sender at a time types into a pane.
 *
 * @internal
 */
export const makeSending = ({ agents, delivering, locks, operations, primitives, targets }: {
  readonly primitives: Primitives
  readonly operations: Operations
  readonly locks: PaneLocks["Service"]
  readonly targets: Targets
  readonly agents: Agents
  readonly delivering: Delivering
}): Sending => {
  const profileOf = (pane: PaneHandle) =>
    primitives.profileOf === undefined ? Effect.succeed(primitives.sendProfile) : primitives.profileOf(pane)

  const deliverOnce = (
    pane: PaneHandle,
    plan: Send.Plan,
    delivery: Delivery
  ): Effect.Effect<Send.DeliveryReport, SendError> => {
    const markOf = (before: Place) => {
      const turn = agents.turnOf(pane, before.turn)
      return markAt(pane, before, {
        ...(plan.echo === undefined ? {} : { echo: Screen.echoOf(plan.echo) }),
        ...(turn === undefined ? {} : { turn })
      })
    }
    const report = (fields: Pick<Send.DeliveryReport, "stage" | "outcome" | "evidence" | "warnings" | "mark">) =>
      new Send.DeliveryReport({
        ...fields,
        droppedTrailingEnter: plan.droppedTrailingEnter,
        attempts: 1,
        inject: "no_token",
        submit: "enter_sent_without_placeholder_check",
        turn: "not_yet_observed"
      })
    const failure = (error: WriteFailed): SendFailed | SendStalled => {
      const { before = {}, stage, written } = error
      if (written === "nothing") return new SendFailed({ pane, stage, detail: error.message, cause: error })
      return new SendStalled({
        pane,
        reason: "write-failed",
        report: report({ stage, outcome: "in-doubt", evidence: "none", mark: markOf(before) }),
        cause: error
      })
    }

    return delivering.deliver(pane, delivery).pipe(
      Effect.map(({ before, evidence = "bytes", warnings }) =>
        report({
          stage: "submit",
          outcome: "admitted",
          evidence,
          mark: markOf(before),
          ...(warnings === undefined ? {} : { warnings })
        })
      ),
      Effect.catchTag("WriteFailed", (error) => Effect.fail(failure(error)))
    )
  }

  const send = operations.hot(
    "send",
    Effect.fnUntraced(function*(pane: PaneHandle, request: Send.SendRequest, options?: SendOptions) {
      yield* Effect.annotateCurrentSpan({ "paneway.pane": `${pane}` })
      yield* targets.own(pane)
      const profile = options?.profile ?? (yield* profileOf(pane))
      const plan = Send.plan(request, profile)
      if (Result.isFailure(plan)) return yield* new SendRejected({ pane, code: "shape", ...plan.failure })
      const [first, ...rest] = plan.success.steps
      if (first === undefined) return yield* new SendRejected({ pane, code: "shape", reason: "nothing to send" })

      const steps: Delivery["steps"] = [first, ...rest]
      const newlines = steps.some((step) => step._tag === "Type" && step.text.includes("\n"))
      const unless = newlines && options?.allowNewlines !== true
        ? [...obstacles, "no-bracketed-paste" as const]
        : obstacles
      const delivery: Delivery = { steps, profile, unless, stall: delivering.stall, rows: false }

      // waiting for the lock can be interrupted; a delivery that has begun runs to its end
      return yield* locks.withLock(`${pane}`)(Effect.uninterruptible(deliverOnce(pane, plan.success, delivery)))
    })
  )

  return {
    send,
    sendCommand: (pane, command, options) => send(pane, { command }, options),
    sendText: (pane, message, options) => send(pane, { items: [{ message }] }, options),
    sendKeys: (pane, keys, options) => send(pane, { items: keys.map((key) => ({ key })) }, options),
    typeInto: (pane, text, options) => send(pane, typeInto(text), options)
  }
}
