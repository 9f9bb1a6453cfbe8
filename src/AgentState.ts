/**
 * What a coding agent in a pane is doing, and the seam through which rooms above the contract say so.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Mark, type Screen } from "./Screen.ts"
import { type Pane, PaneHandle } from "./Target.ts"

/**
 * `idle` and `done` need positive evidence; what cannot be told is `unknown`. `done` is idle after an observed
 * `working`, and stays `done` until the next one: a wait for `idle` is satisfied by it too. `blocked` waits for a
 * person. `exited` is the end of the pane's process, whatever was said of the agent before.
 *
 * @category models
 * @since 0.1.0
 */
export const AgentState = Schema.Literals(["starting", "working", "idle", "done", "blocked", "exited", "unknown"])

/**
 * @category models
 * @since 0.1.0
 */
export type AgentState = typeof AgentState.Type

/**
 * One look at an agent: its state, and how it is known.
 *
 * @category models
 * @since 0.1.0
 */
export class AgentObservation
  extends Schema.TaggedClass<AgentObservation>("paneway/AgentObservation")("AgentObservation", {
    pane: PaneHandle,
    state: AgentState,
    /**
     * Tells a state from the same state a turn later: the backend's own count of turns where it has one, else the
     * changes of state that this runtime saw. `unknown` is no change.
     */
    sequence: Schema.Int,
    source: Schema.Literals(["agent-protocol", "transcript", "screen", "process", "none"]),
    confidence: Schema.Literals(["certain", "likely", "guess"]),
    detail: Schema.optionalKey(Schema.String),
    /** What a blocked agent asks for. */
    kind: Schema.optionalKey(Schema.Literals(["trust", "permission", "choice", "login", "usage-limit", "update"])),
    /** Where it asks by a menu: its rows from the top, and the one that the cursor stands on. */
    choice: Schema.optionalKey(Schema.Struct({ options: Schema.Array(Schema.String), at: Schema.Int })),
    /** Name of the agent's profile. */
    agent: Schema.optionalKey(Schema.String),
    /** When the state began, in milliseconds since the epoch. */
    sinceMillis: Schema.optionalKey(Schema.Int),
    interrupted: Schema.optionalKey(Schema.Boolean),
    stalled: Schema.optionalKey(Schema.Boolean),
    /** When a usage limit ends, in milliseconds since the epoch. */
    resetAtMillis: Schema.optionalKey(Schema.Int),
    /** The rule that decided, and the part of the screen that it read. */
    evidence: Schema.optionalKey(
      Schema.Struct({ rule: Schema.String, region: Schema.String, excerpt: Schema.String, version: Schema.String })
    ),
    /** The end of the screen on which the state was seen. */
    mark: Mark
  })
{}

/**
 * What can be told from a pane's record and its screen alone.
 *
 * @category models
 * @since 0.1.0
 */
export type Sensed =
  & Pick<
    AgentObservation,
    | "state"
    | "source"
    | "confidence"
    | "detail"
    | "kind"
    | "choice"
    | "agent"
    | "interrupted"
    | "stalled"
    | "resetAtMillis"
    | "evidence"
  >
  & {
    /** Another look is due after so long, although nothing may change until then: the state may be another by then. */
    readonly againMillis?: number | undefined
  }

const knowsNone = (_pane: Pane, _screen: Screen): Effect.Effect<Option.Option<Sensed>> => Effect.succeedNone

/**
 * Reads an agent's state from a screen, where the adapter cannot say it. `None`: no agent is known here. The default
 * knows none, and waits for agents are refused then; provide another to teach the contract about agents, to the runtime's
 * layer or around an operation. It decides from what it is given, and keys what it keeps between looks by the pane's
 * handle.
 *
 * @category references
 * @since 0.1.0
 */
export const AgentSense = Context.Reference<typeof knowsNone>("paneway/AgentState/AgentSense", {
  defaultValue: () => knowsNone
})

/**
 * What a hook of an agent says of it. `session` tells agents in one pane apart: an agent that another one started reports
 * too. `sequence` and `atMillis` tell which of two reports was made later; they may arrive in another order.
 *
 * @category models
 * @since 0.1.0
 */
export interface AgentReport {
  readonly pane: PaneHandle
  readonly state: "working" | "idle" | "blocked" | "exited"
  readonly kind?: AgentObservation["kind"] | undefined
  readonly agent?: string | undefined
  readonly session?: string | undefined
  readonly detail?: string | undefined
  readonly sequence?: number | undefined
  /** When it was made, in milliseconds since the epoch; absent: now. */
  readonly atMillis?: number | undefined
}

interface Reports {
  /** What became of it: `late`, where a later one or none of that age counts; `other`, where another session's do. */
  readonly report: (report: AgentReport) => Effect.Effect<"taken" | "late" | "other">
  /** Calls back at each report of the pane that was taken, until it is interrupted. */
  readonly follow: (pane: PaneHandle, heard: () => void) => Effect.Effect<never>
}

/**
 * Takes what hooks of agents report, for the sense beside it. The default is nobody who would.
 *
 * @category references
 * @since 0.1.0
 */
export const AgentReports = Context.Reference<Reports | undefined>("paneway/AgentState/AgentReports", {
  defaultValue: () => undefined
})

/**
 * Whether somebody provided a sense.
 *
 * @category references
 * @since 0.1.0
 */
export const isProvided = (sense: typeof AgentSense.Service): boolean => sense !== knowsNone
