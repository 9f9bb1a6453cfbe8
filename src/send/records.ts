/**
 * The data of a send: what a caller asks for, the steps that it becomes, and the report of what happened.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as Keys from "../Keys.ts"
import { Mark } from "../Screen.ts"

/**
 * What is on the other side: a program that reads keystrokes, or a coding agent that takes whole prompts.
 *
 * @category models
 * @since 0.1.0
 */
export const SendProfile = Schema.Literals(["plain-pane", "agent-aware"])

/**
 * @category models
 * @since 0.1.0
 */
export type SendProfile = typeof SendProfile.Type

/**
 * Raw text, or one keystroke. An item with both does not compile.
 *
 * @category models
 * @since 0.1.0
 */
export type SendItem =
  | { readonly message: string; readonly key?: never }
  | { readonly key: Keys.Input; readonly message?: never }

/**
 * A `command` is typed and submitted once, then the keys among `items` follow. Without a command the items are sent in
 * order, and nothing is submitted unless one of them is Enter.
 *
 * @category models
 * @since 0.1.0
 */
export interface SendRequest {
  readonly command?: string | undefined
  readonly items?: ReadonlyArray<SendItem> | undefined
}

/**
 * What an adapter writes. `Type` is text, pasted at once where `paste` says so; `Press` is one keystroke; `Prompt` is
 * text that the agent's own way of prompting types and submits.
 *
 * @category models
 * @since 0.1.0
 */
export const Step = Schema.TaggedUnion({
  Type: { text: Schema.String, paste: Schema.Boolean },
  Press: { key: Keys.Key },
  Prompt: { text: Schema.String }
})

/**
 * @category models
 * @since 0.1.0
 */
export type Step = typeof Step.Type

/**
 * `accepted`: processing was observed. `admitted`: the bytes were taken, and nothing more can be observed. `in-doubt`:
 * only inside `SendStalled`.
 *
 * @category models
 * @since 0.1.0
 */
export const Outcome = Schema.Literals(["accepted", "admitted", "in-doubt"])

/**
 * @category models
 * @since 0.1.0
 */
export type Outcome = typeof Outcome.Type

/**
 * How an outcome is known, strongest first.
 *
 * @category models
 * @since 0.1.0
 */
export const Evidence = Schema.Literals(["agent-protocol", "transcript", "screen", "bytes", "none"])

/**
 * @category models
 * @since 0.1.0
 */
export type Evidence = typeof Evidence.Type

/**
 * The step of a delivery that a report or a failure is about.
 *
 * @category models
 * @since 0.1.0
 */
export const Stage = Schema.Literals([
  "send-keys",
  "pre-paste-capture",
  "set-buffer",
  "load-buffer",
  "paste-buffer",
  "delete-buffer",
  "pre-paste-pane-state",
  "pane-mode-check",
  "submit",
  "visible-check"
])

/**
 * @category models
 * @since 0.1.0
 */
export type Stage = typeof Stage.Type

/**
 * Facts of a delivery that a caller should know although it succeeded. `before-prompt`: a shell was not seen at its
 * prompt in time; its start-up files may have taken what was typed.
 *
 * @category models
 * @since 0.1.0
 */
export const Warning = Schema.Literals([
  "line-may-be-truncated",
  "paste-mode-unknown",
  "mode-left",
  "focus-sent",
  "before-prompt"
])

/**
 * @category models
 * @since 0.1.0
 */
export type Warning = typeof Warning.Type

/**
 * What was observed of a delivery, and how strong that evidence is.
 *
 * @category models
 * @since 0.1.0
 */
export class DeliveryReport extends Schema.TaggedClass<DeliveryReport>("paneway/DeliveryReport")("DeliveryReport", {
  stage: Stage,
  evidence: Evidence,
  inject: Schema.String,
  submit: Schema.String,
  turn: Schema.String,
  /** How often the submit key was pressed or the prompt was handed over. The text is sent once in every case. */
  attempts: Schema.Int,
  /** The trailing Enter of the request was left out, because the prompt submits itself. */
  droppedTrailingEnter: Schema.Boolean,
  outcome: Outcome,
  /** Bytes that the backend took and bytes there were, where it counts; less than all only inside `SendStalled`. */
  bytes: Schema.optionalKey(Schema.Struct({ accepted: Schema.Int, total: Schema.Int })),
  warnings: Schema.optionalKey(Schema.Array(Warning)),
  /** Taken before the first byte: what comes after it is the answer. */
  mark: Mark
}) {}
