/**
 * A planned delivery, carried out: in the adapter's own way, or as a look and one write per step.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Capabilities } from "../Capabilities.ts"
import {
  type Delivered,
  type Delivery,
  type Obstacle,
  type Place,
  type Primitives,
  type TargetError,
  WriteFailed
} from "../Contract.ts"
import { byteLength, hasLineOver } from "../internal/bytes.ts"
import { RuntimeUnavailable, SendRejected } from "../RuntimeError.ts"
import type * as Send from "../send/records.ts"
import type { Pane, PaneHandle } from "../Target.ts"
import type { Agents } from "./agents.ts"
import { makeBounded, timeFor } from "./bounding.ts"
import type { Looking } from "./looking.ts"
import type { Targets } from "./targets.ts"

/**
 * A delivery that was written whole.
 *
 * @internal
 */
export type Written = Extract<Delivered, { readonly _tag: "Written" }>

/** Nothing was typed, because the pane has the other profile. */
interface OtherProfile {
  readonly _tag: "OtherProfile"
}

/**
 * A delivery that did not end. What it says is `nothing` when it can be made again.
 *
 * @internal
 */
export class Cut extends Data.TaggedError("Cut")<{
  readonly stage: Send.Stage
  readonly written: WriteFailed["written"]
  readonly before: Place
  /** How many steps were certainly written whole, where each has an answer of its own. */
  readonly steps: number | undefined
  readonly cause: unknown
}> {}

/**
 * Carries out one delivery.
 *
 * @internal
 */
export interface Delivering {
  /** Time for one write without progress. */
  readonly stall: Duration.Duration
  /** Delivers once. Every failure but `Cut` means that nothing was typed. */
  readonly deliver: (
    pane: PaneHandle,
    delivery: Delivery
  ) => Effect.Effect<Written | OtherProfile, SendRejected | Cut | TargetError>
  /** One delivery as the adapter answers it: no mode is left, nothing is tried again. */
  readonly once: (pane: PaneHandle, delivery: Delivery) => Effect.Effect<Delivered, Cut | TargetError>
}

/** Which of several obstacles is told: what cannot be helped first, what the runtime deals with itself last. */
const order: ReadonlyArray<Obstacle> = [
  "dead",
  "input-off",
  "draining",
  "synchronized",
  "no-bracketed-paste",
  "in-mode",
  "other-profile"
]

const refusals = {
  "dead": { code: "pane-dead", reason: "its program has ended" },
  "input-off": { code: "input-off", reason: "its input is switched off" },
  "in-mode": { code: "pane-in-mode", reason: "a mode of the runtime takes the keys" },
  "synchronized": { code: "synchronized", reason: "other panes would get it too" },
  "draining": { code: "draining", reason: "its program has not read what was sent before" },
  "no-bracketed-paste": {
    code: "newline-would-submit",
    reason: "its program did not ask for bracketed paste, and each line would be submitted by itself"
  },
  "other-profile": { code: "not-ready", reason: "it changes between a shell and an agent" }
} as const satisfies Record<Obstacle, { readonly code: SendRejected["code"]; readonly reason: string }>

const refusal = (pane: PaneHandle, obstacle: Obstacle) => new SendRejected({ pane, ...refusals[obstacle] })

/**
 * The text of a step. A key has none.
 *
 * @internal
 */
export const textOf = (step: Send.Step): string => step._tag === "Press" ? "" : step.text

/**
 * Bytes of the steps: those of their texts, and one for each key.
 *
 * @internal
 */
export const bytesOf = (steps: ReadonlyArray<Send.Step>): number =>
  steps.reduce((bytes, step) => bytes + (step._tag === "Press" ? 1 : byteLength(step.text)), 0)

/** Bytes of a line that a terminal keeps, where the program leaves the editing of lines to it. */
const longestLine = 4095

/** What is said where the adapter does not say it: who reads is not known, but who asked for pastes edits lines itself. */
const guessed = (steps: ReadonlyArray<Send.Step>): ReadonlyArray<Send.Warning> =>
  steps.some((step) => step._tag === "Type" && !step.paste && hasLineOver(step.text, longestLine))
    ? ["line-may-be-truncated"]
    : []

const isWritten = (done: Delivered): done is Written => done._tag === "Written"

const stageOf = (step: Send.Step): Send.Stage => step._tag === "Type" ? "send-keys" : "submit"

const failureOf = ({ cause, stage, written }: WriteFailed) => ({ cause, stage, written })

const noAnswer = (deadline: Duration.Duration) => `no answer within ${Duration.toSeconds(deadline)} s`

/**
 * No delivery is repeated, whatever its outcome.
 *
 * @internal
 */
export const makeDelivering = Effect.fnUntraced(function*({ agents, capabilities, looking, primitives, targets }: {
  readonly primitives: Primitives
  readonly capabilities: Capabilities
  readonly targets: Targets
  readonly looking: Looking
  readonly agents: Agents
}) {
  const stall = primitives.writeDeadline ?? Duration.seconds(5)
  const bounded = yield* makeBounded

  const recorded = ({ exit, mode }: Pane): ReadonlyArray<Obstacle> => [
    ...(exit === undefined ? [] : ["dead" as const]),
    ...(mode === undefined || mode === "" ? [] : ["in-mode" as const]),
    ...(capabilities.bracketedPaste === "none" ? ["no-bracketed-paste" as const] : [])
  ]

  const writeStep = Effect.fnUntraced(function*(pane: PaneHandle, step: Send.Step) {
    const deadline = () => timeFor(bytesOf([step]), stall)
    const done = yield* bounded(primitives.write(pane, step), deadline)
    if (Option.isSome(done)) return
    return yield* new WriteFailed({ stage: stageOf(step), written: "indeterminate", cause: noAnswer(deadline()) })
  })

  /** The record tells of a dead pane and of a mode; the other obstacles are seen by adapters that deliver. */
  const byWrites = Effect.fnUntraced(function*(pane: PaneHandle, { steps, unless }: Delivery) {
    const inTheWay = recorded(yield* targets.find(pane)).filter((obstacle) => unless.includes(obstacle))
    const [obstacle, ...more] = inTheWay
    if (obstacle !== undefined) return { _tag: "Refused", obstacles: [obstacle, ...more] } satisfies Delivered
    const place = yield* looking.place(pane)
    yield* agents.note(pane)
    const before: Place = { ...place, turn: agents.turnOf(pane)?.sequence }

    for (const [index, step] of steps.entries()) {
      const cut = (fields: Pick<Cut, "stage" | "written" | "cause">) =>
        Effect.fail(new Cut({ ...fields, before, steps: index }))
      yield* writeStep(pane, step).pipe(
        Effect.catch((error): Effect.Effect<never, Cut | TargetError> => {
          if (error._tag === "WriteFailed") return cut(failureOf(error))
          return index === 0 ? Effect.fail(error) : cut({ stage: stageOf(step), written: "nothing", cause: error })
        }),
        Effect.catchDefect((cause) => cut({ stage: stageOf(step), written: "indeterminate", cause }))
      )
    }
    const unknown = unless.includes("no-bracketed-paste")
    return {
      _tag: "Written",
      before,
      bytes: bytesOf(steps),
      warnings: [...(unknown ? ["paste-mode-unknown" as const] : []), ...guessed(steps)]
    } satisfies Written
  })

  /** The adapter minds the stall itself, and gets a second more before it is cut. */
  const byAdapter = (
    native: NonNullable<Primitives["deliver"]>,
    pane: PaneHandle,
    delivery: Delivery
  ): Effect.Effect<Delivered, Cut | TargetError> => {
    const deadline = () => Duration.sum(timeFor(bytesOf(delivery.steps), stall), Duration.seconds(1))
    const cut = (fields: Pick<Cut, "stage" | "written" | "cause">, before: Place = {}) =>
      Effect.fail(new Cut({ ...fields, before, steps: undefined }))
    const unknown = (cause: unknown) => cut({ stage: "send-keys", written: "indeterminate", cause })
    return Effect.matchCauseEffect(bounded(Effect.suspend(() => native(pane, delivery)), deadline), {
      onFailure: (cause): Effect.Effect<never, Cut | TargetError> => {
        const error = Cause.findErrorOption(cause)
        if (Option.isNone(error)) return unknown(Cause.squash(cause))
        return error.value._tag === "WriteFailed"
          ? cut(failureOf(error.value), error.value.before)
          : Effect.fail(error.value)
      },
      onSuccess: (done) => {
        if (Option.isNone(done)) return unknown(noAnswer(deadline()))
        const { value } = done
        return Effect.succeed(
          value._tag === "Written" && value.warnings === undefined
            ? { ...value, warnings: guessed(delivery.steps) }
            : value
        )
      }
    })
  }

  const { deliver: native, leaveMode } = primitives
  const once: Delivering["once"] = native === undefined
    ? byWrites
    : (pane, delivery) => byAdapter(native, pane, delivery)

  /** Nothing was typed: leaves a mode and tries once more, or refuses. */
  const refused = Effect.fnUntraced(function*(
    pane: PaneHandle,
    delivery: Delivery,
    first: Extract<Delivered, { readonly _tag: "Refused" }>
  ) {
    const obstacle = order.find((one) => first.obstacles.includes(one)) ?? first.obstacles[0]
    if (obstacle === "other-profile") return { _tag: "OtherProfile" } satisfies OtherProfile
    if (obstacle !== "in-mode" || leaveMode === undefined) return yield* refusal(pane, obstacle)

    // nothing was typed into the mode, so this is not a second delivery
    yield* leaveMode(pane)
    const second = yield* once(pane, delivery)
    if (second._tag === "Written") {
      return { ...second, warnings: [...(second.warnings ?? []), "mode-left" as const] } satisfies Written
    }
    const still = order.find((one) => second.obstacles.includes(one)) ?? second.obstacles[0]
    return still === "other-profile" ? { _tag: "OtherProfile" } satisfies OtherProfile : yield* refusal(pane, still)
  })

  // an adapter that tells agents itself gives its count with the place
  const noted = native !== undefined && primitives.agent === undefined
  const deliver: Delivering["deliver"] = (pane, delivery) => {
    const first = noted ? Effect.andThen(agents.note(pane), once(pane, delivery)) : once(pane, delivery)
    return Effect.filterOrElse(first, isWritten, (done) => refused(pane, delivery, done))
  }

  return { stall, deliver, once } satisfies Delivering
})

/**
 * Whether a failure tells that the way to the runtime was lost.
 *
 * @internal
 */
export const isLost = (cause: unknown): boolean =>
  cause instanceof RuntimeUnavailable && (cause.reason === "lost" || cause.reason === "not-running")
