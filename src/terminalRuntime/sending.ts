/**
 * Sends: planned first, then delivered under the pane's lock, then reported.
 *
 * A request that makes no sense or has the wrong shape asks nothing of the adapter. Waiting for the lock can be
 * interrupted; a delivery that has begun runs to its end, which is bounded.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type {
  Delivery,
  Obstacle,
  Place,
  Primitives,
  SendError,
  SendOptions,
  Service,
  TargetError
} from "../Contract.ts"
import { isInstance } from "../internal/instance.ts"
import * as Keys from "../Keys.ts"
import type { PaneLocks } from "../PaneLocks.ts"
import { InvalidRequest, SendRejected, type SendStalled } from "../RuntimeError.ts"
import * as Screen from "../Screen.ts"
import * as Send from "../Send.ts"
import type { PaneHandle } from "../Target.ts"
import { duration } from "../waiting/schedules.ts"
import type { Agents } from "./agents.ts"
import { type Delivering, textOf } from "./delivering.ts"
import type { KnownWindows } from "./knownWindows.ts"
import { markAt } from "./looking.ts"
import type { Operations } from "./operations.ts"
import { cutShort, inDoubt, type Planned, suffices, written } from "./reporting.ts"
import type { Submitting } from "./submitting.ts"
import type { Targets } from "./targets.ts"

/**
 * The operations that type.
 *
 * @internal
 */
export type Sending = Pick<Service, "send" | "sendCommand" | "sendText" | "sendKeys" | "typeInto">

const obstacles: ReadonlyArray<Obstacle> = ["dead", "input-off", "in-mode", "synchronized", "draining"]

/** Time for a policy to see that a prompt is processed, where the caller gives none. */
const defaultWithin = Duration.seconds(30)

const isProfile = Schema.is(Send.SendProfile)
const isEvidence = Schema.is(Send.Evidence)

const invalid = (field: string, reason: string) => new InvalidRequest({ operation: "send", field, reason })

const withinOf = ({ within = defaultWithin }: SendOptions): Duration.Duration | InvalidRequest => {
  const given = duration("send", "within", within)
  return Duration.isDuration(given) && !Duration.isFinite(given) ? invalid("within", "must be finite") : given
}

const other = (profile: Send.SendProfile): Send.SendProfile => profile === "plain-pane" ? "agent-aware" : "plain-pane"

/** What a caller without types gave for the text or the keys. */
class NoRequest {
  readonly reason: string
  constructor(reason: string) {
    this.reason = reason
  }
}

const notText = new NoRequest("the text must be text that is not empty")
const notKeys = new NoRequest("the keys must be a list of the names of keys")

/** What is no options at all is left for the check of arguments to refuse. */
/** Options that cannot be read are left to the check of the arguments. */
const asPlain = (options: SendOptions | undefined): SendOptions | undefined => {
  try {
    return options === undefined || Predicate.isObject(options) ? { profile: "plain-pane", ...options } : options
  } catch {
    return options
  }
}

type Asked = Send.SendRequest | NoRequest

/** Every shell drops what stands before the cursor at Ctrl-U. */
const dropLine: Send.Step = { _tag: "Press", key: Keys.make("u", { ctrl: true }) }

interface Request {
  readonly pane: PaneHandle
  readonly asked: Asked
  readonly options: SendOptions
  readonly within: Duration.Duration
  /** True: only where no line is half typed. */
  readonly alone: boolean
}

const onHalfTypedLine = (pane: PaneHandle) =>
  new SendRejected({
    pane,
    code: "busy",
    reason: "a line is half typed there: submit it with Enter or cancel it with ctrl+c first"
  })

/** What was written, and the place before it. */
interface Typed {
  readonly report: Send.DeliveryReport
  readonly before: Place
}

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

interface Plan extends Send.Plan, Pick<Delivery, "profile"> {}

/**
 * One sender at a time types into a pane. `untraced` is for operations that send among other things and have a span of
 * their own; it refuses to add to a line that is half typed.
 *
 * @internal
 */
export const makeSending = (
  { agents, delivering, knownWindows, locks, operations, primitives, submitting, targets }: {
    readonly primitives: Primitives
    readonly operations: Operations
    readonly locks: PaneLocks["Service"]
    readonly targets: Targets
    readonly knownWindows: KnownWindows
    readonly agents: Agents
    readonly delivering: Delivering
    readonly submitting: Submitting
  }
): { readonly operations: Sending; readonly untraced: Sending } => {
  const { halfTyped } = knownWindows
  const planned = (
    { asked, options: { allowNewlines, sanitize }, pane }: Request,
    profile: Send.SendProfile
  ): Result.Result<Plan, SendRejected> =>
    isInstance(asked, NoRequest)
      ? Result.fail(new SendRejected({ pane, code: "shape", reason: asked.reason }))
      : Result.mapBoth(Send.plan(asked, { allowNewlines, sanitize, profile }), {
        onFailure: (rejection) => new SendRejected({ pane, ...rejection }),
        onSuccess: (plan): Plan => ({ ...plan, profile })
      })

  /** A request that no profile accepts is refused before the adapter is asked for the pane's profile. */
  const profileOf = (request: Request): Effect.Effect<Send.SendProfile, TargetError> => {
    const { options, pane } = request
    const { profileOf: ask, sendProfile } = primitives
    if (options.profile !== undefined) return Effect.succeed(options.profile)
    if (ask === undefined) return Effect.succeed(sendProfile)
    const hopeless = Result.isFailure(planned(request, sendProfile)) &&
      Result.isFailure(planned(request, other(sendProfile)))
    return hopeless ? Effect.succeed(sendProfile) : ask(pane)
  }

  const markOf = (pane: PaneHandle, { echo }: Plan) => (before: Place) => {
    const turn = agents.turnOf(pane, before.turn)
    return markAt(pane, before, {
      ...(echo === undefined ? {} : { echo: Screen.echoOf(echo) }),
      ...(turn === undefined ? {} : { turn })
    })
  }

  /** Types the steps, once. `None`: nothing, because the pane has the other profile. */
  const type = (
    { options, pane }: Request,
    plan: Plan,
    steps: Delivery["steps"],
    rows: boolean
  ): Effect.Effect<Option.Option<Typed>, SendError> => {
    const lines = options.allowNewlines !== true && steps.some((step) => textOf(step).includes("\n"))
    const delivery: Delivery = {
      steps,
      profile: plan.profile,
      unless: [
        ...obstacles,
        ...(options.profile === undefined ? ["other-profile" as const] : []),
        ...(lines && steps.some(({ _tag }) => _tag === "Type") ? ["no-bracketed-paste" as const] : [])
      ],
      rows,
      stall: delivering.stall
    }
    const done: Planned = { pane, steps, droppedTrailingEnter: plan.droppedTrailingEnter, markOf: markOf(pane, plan) }
    knownWindows.uses(pane)
    const used = Effect.sync(() => knownWindows.used(pane))
    return Effect.matchEffect(Effect.ensuring(delivering.deliver(pane, delivery), used), {
      onFailure: (error): Effect.Effect<never, SendError> => {
        if (error._tag !== "Cut") return Effect.fail(error)
        const failure = cutShort(done, error)
        if (failure._tag === "SendStalled") halfTyped.inDoubt(pane)
        return Effect.fail(failure)
      },
      onSuccess: (result) => {
        if (result._tag === "OtherProfile") return Effect.succeedNone
        halfTyped.typed(pane, steps)
        return Effect.succeedSome({ report: written(done, result), before: result.before })
      }
    })
  }

  const verified = Effect.fnUntraced(
    function*(request: Request, plan: Plan, policy: Send.SubmitPolicyService, restore: Restore) {
      const { pane, within } = request
      const prompt = yield* restore(submitting.prompt(policy, pane, plan))
      if (Option.isNone(prompt)) return yield* type(request, plan, plan.steps, false)
      yield* restore(prompt.value.gate)
      const typed = yield* type(request, plan, prompt.value.steps, true)
      if (Option.isNone(typed)) return typed
      const { before, report } = typed.value
      const submitted = yield* prompt.value.submit(report, before, within)
      knownWindows.used(pane)
      if (submitted.attempts > 0) halfTyped.typed(pane, plan.steps)
      return Option.some({ report: submitted, before })
    },
    Effect.scoped
  )

  const attempt = (
    request: Request,
    plan: Plan,
    restore: Restore
  ): Effect.Effect<Option.Option<Send.DeliveryReport>, SendError> => {
    const { options, pane } = request
    const typed = Effect.flatMap(
      submitting.policy,
      (policy) =>
        Option.isNone(policy) ? type(request, plan, plan.steps, false) : verified(request, plan, policy.value, restore)
    )
    return Effect.flatMap(typed, (told): Effect.Effect<Option.Option<Send.DeliveryReport>, SendStalled> => {
      if (Option.isNone(told)) return Effect.succeedNone
      const { report } = told.value
      return suffices(report.evidence, options.require)
        ? Effect.succeedSome(report)
        : Effect.fail(inDoubt(pane, report))
    })
  }

  /** The adapter typed nothing, because the pane has the other profile. */
  const again = Effect.fnUntraced(function*(request: Request, { profile }: Plan, restore: Restore) {
    const plan = yield* Effect.fromResult(planned(request, other(profile)))
    const second = yield* attempt(request, plan, restore)
    if (Option.isSome(second)) return second.value
    return yield* new SendRejected({
      pane: request.pane,
      code: "not-ready",
      reason: "it changes between a shell and an agent"
    })
  })

  const underLock = (request: Request, plan: Plan) =>
    Effect.uninterruptibleMask((restore) => {
      if (request.alone && halfTyped.has(request.pane)) return Effect.fail(onHalfTypedLine(request.pane))
      const alone: Plan = request.alone && halfTyped.wasCancelled(request.pane)
        ? { ...plan, steps: [dropLine, ...plan.steps] }
        : plan
      return Effect.flatMap(
        attempt(request, alone, restore),
        (first) => Option.isSome(first) ? Effect.succeed(first.value) : again(request, plan, restore)
      )
    })

  const deliverOne = Effect.fnUntraced(
    function*(
      alone: boolean,
      pane: PaneHandle,
      asked: Asked,
      options: SendOptions = {}
    ): Effect.fn.Return<Send.DeliveryReport, SendError> {
      yield* targets.own(pane)
      if (options.profile !== undefined && !isProfile(options.profile)) {
        return yield* invalid("profile", `must be one of ${Send.SendProfile.literals.join(", ")}`)
      }
      if (options.require !== undefined && !isEvidence(options.require)) {
        return yield* invalid("require", `must be one of ${Send.Evidence.literals.join(", ")}`)
      }
      const within = withinOf(options)
      if (!Duration.isDuration(within)) return yield* within
      const request: Request = { pane, asked, options, within, alone }
      const plan = yield* Effect.fromResult(planned(request, yield* profileOf(request)))
      return yield* locks.withLock(`${pane}`)(underLock(request, plan))
    },
    Effect.tapError((error: SendError) => error._tag === "SendStalled" ? operations.inDoubt : Effect.void)
  )

  /** All are shapes of one operation. Callers without types may give anything. */
  const shapes = (
    send: (pane: PaneHandle, asked: Asked, options?: SendOptions) => Effect.Effect<Send.DeliveryReport, SendError>
  ): Sending => ({
    send,
    sendCommand: (pane, command, options) => send(pane, { command }, options),
    sendText: (pane, message, options) =>
      send(pane, typeof message === "string" ? { items: [{ message }] } : notText, options),
    sendKeys: (pane, keys, options) =>
      send(pane, Array.isArray(keys) ? { items: keys.map((key: Keys.Input) => ({ key })) } : notKeys, options),
    // without a newline the text stays on the line, also where a message would submit itself
    typeInto: (pane, text, options) => {
      if (typeof text !== "string") return send(pane, notText, options)
      const asked = Send.typeInto(text)
      const stays = asked.items?.every(({ key }) => key === undefined) ?? true
      return send(pane, asked, stays ? asPlain(options) : options)
    }
  })
  return {
    operations: shapes(operations.hot("send", (pane, asked, options) => deliverOne(false, pane, asked, options))),
    untraced: shapes((pane, asked, options) => deliverOne(true, pane, asked, options))
  }
}
