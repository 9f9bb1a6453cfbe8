/**
 * A planned delivery, carried out: in the adapter's own way, or as one look and one write per step.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import {
  type Delivered,
  type Delivery,
  type Obstacle,
  type Primitives,
  type TargetError,
  WriteFailed
} from "../Contract.ts"
import { SendRejected } from "../RuntimeError.ts"
import type { PaneHandle } from "../Target.ts"
import type { Agents } from "./agents.ts"
import { makeBounded } from "./bounding.ts"
import type { Looking } from "./looking.ts"

/** A delivery that was written whole. */
type Written = Extract<Delivered, { readonly _tag: "Written" }>

/**
 * Carries out one delivery.
 *
 * @internal
 */
export interface Delivering {
  /** Time for one write without progress. */
  readonly stall: Duration.Duration
  /** Delivers once. Every failure but `WriteFailed` means that nothing was typed. */
  readonly deliver: (
    pane: PaneHandle,
    delivery: Delivery
  ) => Effect.Effect<Written, SendRejected | WriteFailed | TargetError>
}

const refusalCode = {
  "dead": "pane-dead",
  "input-off": "input-off",
  "in-mode": "pane-in-mode",
  "synchronized": "synchronized",
  "draining": "draining",
  "no-bracketed-paste": "newline-would-submit",
  "other-profile": "not-ready"
} as const satisfies Record<Obstacle, SendRejected["code"]>

const refusal = (pane: PaneHandle, obstacle: Obstacle) =>
  new SendRejected({ pane, code: refusalCode[obstacle], reason: `the pane is not ready: ${obstacle}` })

/** Once a step was written, no failure of a later one says that nothing was. */
const afterFirst = (error: WriteFailed | TargetError): WriteFailed => {
  const { cause, stage, written } = error._tag === "WriteFailed"
    ? error
    : { stage: "send-keys" as const, written: "indeterminate" as const, cause: error }
  return new WriteFailed({ stage, written: written === "nothing" ? "indeterminate" : written, cause })
}

/**
 * No delivery is repeated, whatever its outcome.
 *
 * @internal
 */
export const makeDelivering = Effect.fnUntraced(function*({ agents, looking, primitives }: {
  readonly primitives: Primitives
  readonly looking: Looking
  readonly agents: Agents
}) {
  const stall = primitives.writeDeadline ?? Duration.seconds(5)
  // an adapter that delivers minds the stall itself, and gets a second more before it is cut
  const bounded = yield* makeBounded(
    primitives.deliver === undefined ? stall : Duration.sum(stall, Duration.seconds(1))
  )

  const byWrites = Effect.fnUntraced(function*(pane: PaneHandle, { steps: [first, ...rest] }: Delivery) {
    const place = yield* looking.place(pane)
    yield* agents.note(pane)
    const before = { ...place, turn: agents.turnOf(pane)?.sequence }
    const withPlace = ({ cause, stage, written }: WriteFailed) =>
      Effect.fail(new WriteFailed({ stage, written, before, cause }))

    yield* Effect.catchTag(bounded(primitives.write(pane, first)), "WriteFailed", withPlace)
    for (const step of rest) {
      yield* Effect.catch(bounded(primitives.write(pane, step)), (error) => withPlace(afterFirst(error)))
    }
    return { _tag: "Written", before } satisfies Written
  })

  const byAdapter = Effect.fnUntraced(function*(
    once: NonNullable<Primitives["deliver"]>,
    pane: PaneHandle,
    delivery: Delivery
  ) {
    const first = yield* bounded(once(pane, delivery))
    if (first._tag === "Written") return first
    const [obstacle] = first.obstacles
    if (obstacle !== "in-mode" || primitives.leaveMode === undefined) return yield* refusal(pane, obstacle)

    // nothing was typed into the mode, so this is not a second delivery
    yield* primitives.leaveMode(pane)
    const second = yield* bounded(once(pane, delivery))
    if (second._tag === "Refused") return yield* refusal(pane, second.obstacles[0])
    return { ...second, warnings: [...(second.warnings ?? []), "mode-left"] } satisfies Written
  })

  const { deliver } = primitives
  return {
    stall,
    deliver: deliver === undefined ? byWrites : (pane, delivery) => byAdapter(deliver, pane, delivery)
  } satisfies Delivering
})
