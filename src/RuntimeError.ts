/**
 * Every failure of the contract. Each class is a schema, so a failure keeps its fields across RPC, in the ledger and
 * at the exit of the command line.
 *
 * Each says what to do in `message`, whether repeating the same call is safe and may succeed in `retryable`, and its
 * exit code under `Runtime.errorExitCode`. A failure of a send that happened after the first byte is always
 * {@link SendStalled}; the others mean that the call typed nothing and created nothing, unless they say otherwise.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { AgentObservation } from "./AgentState.ts"
import { Capability } from "./capabilities/records.ts"
import { Probe } from "./Lifecycle.ts"
import { excerpt, logicalLines, Screen } from "./Screen.ts"
import { DeliveryReport, Stage } from "./send/records.ts"
import { Exit, PaneHandle, WindowHandle, WindowName } from "./Target.ts"

const Target = Schema.Union([PaneHandle, WindowHandle, WindowName, Schema.String])
const Cause = Schema.optionalKey(Schema.Defect())
/** A count that makes no sense must not keep a failure from being told. */
// @effect-diagnostics-next-line schemaNumber:off
const Count = Schema.optionalKey(Schema.Number)

/** Text of a program: shown and sent as an excerpt, whatever its length. */
const Excerpt = Schema.String.pipe(Schema.decodeTo(Schema.String, {
  decode: SchemaGetter.passthrough(),
  encode: SchemaGetter.transform((text) => excerpt(text))
}))

/** What every failure can be asked. */
interface Told {
  /** True: repeating the same call is safe and may succeed. */
  readonly retryable: boolean
  /** What the command line exits with. */
  readonly [Runtime.errorExitCode]: number
}

/** Not retryable, and the exit code of its class, where the class does not say otherwise. */
const told: PropertyDescriptorMap = {
  retryable: { configurable: true, get: () => false },
  [Runtime.errorExitCode]: {
    configurable: true,
    get(this: RuntimeError): number {
      return exitCode(this)
    }
  }
}
const failure = <Class>(Class: Class): Class => {
  if (typeof Class === "function") Object.defineProperties(Class.prototype, told)
  return Class
}

const seconds = (duration: Duration.Duration) => `${Duration.toSeconds(duration)} s`

/** Names and patterns as a message shows them. */
const short = (value: string | PaneHandle | WindowHandle) => excerpt(`${value}`, 200)

const unavailableAdvice = {
  "missing-program": "install it or choose another runtime",
  "not-running": "start it, then try again",
  "refused": "check that this user may use it",
  "lost": "try again",
  "timed-out": "try again",
  "unsupported-version": "upgrade it or choose another runtime"
} as const satisfies Record<RuntimeUnavailable["reason"], string>

/**
 * The runtime is known but cannot be asked now. In every operation: nothing was changed by this call, except that an
 * idempotent change may have happened when the reason is `lost` or `timed-out`; repeating it is safe.
 *
 * @category errors
 * @since 0.1.0
 */
export class RuntimeUnavailable extends failure(
  Schema.TaggedError<RuntimeUnavailable, Told>()("RuntimeUnavailable", {
    runtime: Schema.String,
    reason: Schema.Literals(["missing-program", "not-running", "refused", "lost", "timed-out", "unsupported-version"]),
    detail: Excerpt,
    cause: Cause
  })
) {
  override get retryable(): boolean {
    return this.reason === "lost" || this.reason === "timed-out" || this.reason === "not-running"
  }
  override get message(): string {
    return `${this.runtime} is unavailable: ${excerpt(this.detail)} (${unavailableAdvice[this.reason]})`
  }
}

/**
 * No runtime has the name that was asked for. There is no fallback for a name that a caller chose.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnknownRuntime extends failure(
  Schema.TaggedError<UnknownRuntime, Told>()("UnknownRuntime", {
    runtime: Schema.String,
    available: Schema.Array(Schema.String),
    /** What the name was detected by, where nobody gave it. */
    detectedBy: Schema.optionalKey(Schema.Array(Schema.String))
  })
) {
  override get message(): string {
    const detected = this.detectedBy === undefined ? "" : `, detected by ${excerpt(this.detectedBy.join(", "))}`
    return `unknown runtime ${short(this.runtime)}${detected} (choose one of: ${excerpt(this.available.join(", "))})`
  }
}

const notFoundAdvice = (error: TargetNotFound): string => {
  if (error.reason === "foreign") return "use the runtime and the server that it came from"
  if (error.reason === "ambiguous") return `name one of: ${excerpt((error.candidates ?? []).join(", "))}`
  if (error.reason === "unparsable") return "give a printed handle or an id of this runtime"
  return "list what exists and use a current handle"
}

/**
 * The session, window or pane does not exist: `absent`, or its id now names another one (`reissued`), or it belongs to
 * another runtime or server (`foreign`), or a name fits several (`ambiguous`), or the text is no target (`unparsable`).
 *
 * @category errors
 * @since 0.1.0
 */
export class TargetNotFound extends failure(
  Schema.TaggedError<TargetNotFound, Told>()("TargetNotFound", {
    target: Target,
    reason: Schema.Literals(["absent", "reissued", "foreign", "ambiguous", "unparsable"]),
    /** What an ambiguous name fits. */
    candidates: Schema.optionalKey(Schema.Array(Schema.String))
  })
) {
  override get message(): string {
    return `no such target ${short(this.target)}: ${this.reason} (${notFoundAdvice(this)})`
  }
}

/**
 * A window of that name exists, made for another root or preset. It was not touched.
 *
 * @category errors
 * @since 0.1.0
 */
export class WindowConflict extends failure(
  Schema.TaggedError<WindowConflict, Told>()("WindowConflict", {
    window: WindowHandle,
    field: Schema.Literals(["root", "preset"]),
    requested: Schema.String,
    existing: Schema.String
  })
) {
  override get message(): string {
    const has = this.existing === "" ? `no known ${this.field}` : `${this.field} "${short(this.existing)}"`
    return `${this.window} has ${has}, not "${short(this.requested)}"` +
      ` (ask for the same ${this.field}, close the window, or choose another name)`
  }
}

/**
 * The program, the pane or its window could not be made. `created` says whether something may exist now.
 *
 * @category errors
 * @since 0.1.0
 */
export class SpawnFailed extends failure(
  Schema.TaggedError<SpawnFailed, Told>()("SpawnFailed", {
    runtime: Schema.String,
    reason: Schema.Literals([
      "missing-program",
      "not-executable",
      "bad-directory",
      "bad-environment",
      "bad-request",
      "no-space",
      "died-at-once",
      "lost",
      "other"
    ]),
    detail: Excerpt,
    created: Schema.Literals(["nothing", "indeterminate"]),
    cause: Cause
  })
) {
  override get message(): string {
    return `${this.runtime} could not start it: ${excerpt(this.detail)}` +
      (this.created === "nothing"
        ? " (nothing was created: correct that, then try again)"
        : " (list the panes before you try again)")
  }
  override get [Runtime.errorExitCode](): number {
    return this.reason === "missing-program" ? 127 : this.reason === "not-executable" ? 126 : exitCode(this)
  }
}

/**
 * The runtime lacks the capability. It says so without doing anything.
 *
 * @category errors
 * @since 0.1.0
 */
export class Unsupported extends failure(
  Schema.TaggedError<Unsupported, Told>()("Unsupported", {
    runtime: Schema.String,
    capability: Capability,
    reason: Excerpt
  })
) {
  override get message(): string {
    return `${this.runtime} does not support ${this.capability}: ${excerpt(this.reason)} (choose a runtime that does)`
  }
}

/**
 * Asked, but the owner of the thing will not: a window that is not ours, a group that needs confirmation. Nothing was
 * changed.
 *
 * @category errors
 * @since 0.1.0
 */
export class OperationRefused extends failure(
  Schema.TaggedError<OperationRefused, Told>()("OperationRefused", {
    runtime: Schema.String,
    operation: Schema.String,
    reason: Excerpt
  })
) {
  override get message(): string {
    return `${this.runtime} refused ${short(this.operation)}: ${excerpt(this.reason)}` +
      ` (nothing was changed: do as it says, or choose another target)`
  }
}

/**
 * The program answered with a failure that no other class describes. Nothing was changed by this call.
 *
 * @category errors
 * @since 0.1.0
 */
export class NativeFailure extends failure(
  Schema.TaggedError<NativeFailure, Told>()("NativeFailure", {
    runtime: Schema.String,
    operation: Schema.String,
    code: Schema.optionalKey(Schema.String),
    detail: Excerpt,
    cause: Cause
  })
) {
  override get message(): string {
    return `${this.runtime} failed at ${short(this.operation)}: ${excerpt(this.detail)}` +
      ` (nothing was changed: correct what it says)`
  }
}

/**
 * Why a send was refused.
 *
 * @category models
 * @since 0.1.0
 */
export const SendRejectedCode = Schema.Literals([
  "shape",
  "unknown-key",
  "control-character",
  "newline-would-submit",
  "pane-dead",
  "input-off",
  "pane-in-mode",
  "synchronized",
  "busy",
  "not-a-shell",
  "draining",
  "not-ready",
  "agent-blocked",
  "draft-present"
])

/**
 * @category models
 * @since 0.1.0
 */
export type SendRejectedCode = typeof SendRejectedCode.Type

const rejectedAdvice = {
  "shape": "correct the request",
  "unknown-key": "use a key that exists",
  "control-character": "remove it, or pass sanitize",
  "newline-would-submit": "send one line, or pass allowNewlines",
  "pane-dead": "open another pane",
  "input-off": "enable the pane's input",
  "pane-in-mode": "leave the mode",
  "synchronized": "turn off synchronized panes",
  "busy": "bring the pane to its prompt, or wait until it is there",
  "not-a-shell": "choose a pane with a shell",
  "draining": "wait until the pane reads again, or close it",
  "not-ready": "look at the pane, then send again",
  "agent-blocked": "answer what the agent asks",
  "draft-present": "clear or submit the draft"
} as const satisfies Record<SendRejected["code"], string>

/**
 * Nothing was written to the terminal. A request of the wrong shape makes no native call at all.
 *
 * @category errors
 * @since 0.1.0
 */
export class SendRejected extends failure(
  Schema.TaggedError<SendRejected, Told>()("SendRejected", {
    pane: PaneHandle,
    code: SendRejectedCode,
    reason: Excerpt,
    /** The item that was refused, from 0. */
    index: Count,
    /** The place in that item, in characters from 0. */
    offset: Count
  })
) {
  override get message(): string {
    return `nothing was sent to ${this.pane}: ${this.index === undefined ? "" : `items[${this.index}] `}${
      excerpt(this.reason)
    }` +
      ` (${rejectedAdvice[this.code]})`
  }
}

/**
 * Failed before the first byte reached the pane: the same call can be made again.
 *
 * @category errors
 * @since 0.1.0
 */
export class SendFailed extends failure(
  Schema.TaggedError<SendFailed, Told>()("SendFailed", {
    pane: PaneHandle,
    stage: Stage,
    detail: Excerpt,
    cause: Cause
  })
) {
  override get retryable(): boolean {
    return true
  }
  override get message(): string {
    return `nothing was sent to ${this.pane}, at ${this.stage}: ${excerpt(this.detail)} (try again)`
  }
}

const stalledBy = {
  "not-processed": "nothing shows that it was processed",
  "write-failed": "it was not written as it should be",
  "connection-lost": "the connection was lost meanwhile"
} as const satisfies Record<SendStalled["reason"], string>

/**
 * May have been delivered. Look, wait with `after: report.mark`, or ask; do not send again.
 *
 * @category errors
 * @since 0.1.0
 */
export class SendStalled extends failure(
  Schema.TaggedError<SendStalled, Told>()("SendStalled", {
    pane: PaneHandle,
    report: DeliveryReport,
    reason: Schema.Literals(["not-processed", "write-failed", "connection-lost"]),
    cause: Cause
  })
) {
  override get message(): string {
    return `delivery to ${this.pane} is in doubt after ${this.report.stage}: ${stalledBy[this.reason]}` +
      ` (look at the pane; do not send it again)`
  }
}

/** A screen that is short and harmless stays as it is; of another one its last lines stay. */
const lastOf = (screen: Screen): Screen => {
  const kept = excerpt(screen)
  if (kept === logicalLines(screen).map(({ text }) => text).join("\n").trimEnd()) return screen
  const { alternate, mark } = screen
  return new Screen({
    rows: kept.split("\n"),
    wrapped: [],
    joined: true,
    truncated: true,
    mark,
    ...(alternate === undefined ? {} : { alternate })
  })
}

/**
 * What the last look of a wait saw, so that a report needs no second look. A screen that is longer than 1200
 * bytes, or holds control sequences or what looks like a secret, is an excerpt; make it with {@link lastScreen}.
 *
 * @category models
 * @since 0.1.0
 */
export const LastSeen = Schema.TaggedUnion({
  Nothing: {},
  Screen: {
    screen: Screen.pipe(Schema.decodeTo(Schema.toType(Screen), {
      decode: SchemaGetter.passthrough(),
      encode: SchemaGetter.transform(lastOf)
    }))
  },
  Agent: { observation: AgentObservation },
  Lifecycle: { probes: Schema.Array(Probe) }
})

/**
 * @category models
 * @since 0.1.0
 */
export type LastSeen = typeof LastSeen.Type

/**
 * The end of a screen, as a failure keeps it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const lastScreen = (screen: Screen): LastSeen => ({ _tag: "Screen", screen: lastOf(screen) })

const forgotten = (rowsLost: boolean | undefined): string =>
  rowsLost === true ? ", and rows that may have held it were forgotten before they were seen" : ""

/**
 * The deadline passed. Only observing operations fail with this, so repeating one is always safe.
 *
 * @category errors
 * @since 0.1.0
 */
export class WaitTimeout extends failure(
  Schema.TaggedError<WaitTimeout, Told>()("WaitTimeout", {
    target: Target,
    /** What did not happen. */
    waitedFor: Excerpt,
    timeout: Schema.DurationFromMillis,
    lastSeen: LastSeen,
    /** True: the pane printed more than was seen, and rows were forgotten that may have held it. */
    rowsLost: Schema.optionalKey(Schema.Boolean)
  })
) {
  override get retryable(): boolean {
    return true
  }
  override get message(): string {
    return `${short(this.target)}: not seen within ${seconds(this.timeout)}: ${short(this.waitedFor)}${
      forgotten(this.rowsLost)
    } (wait again, or look at lastSeen)`
  }
}

/**
 * The pane ended while something else was waited for. Waiting again is pointless.
 *
 * @category errors
 * @since 0.1.0
 */
export class PaneEnded extends failure(
  Schema.TaggedError<PaneEnded, Told>()("PaneEnded", {
    pane: PaneHandle,
    /** What did not happen. */
    waitedFor: Excerpt,
    exit: Schema.optionalKey(Exit),
    lastSeen: LastSeen,
    /** True: the pane printed more than was seen, and rows were forgotten that may have held it. */
    rowsLost: Schema.optionalKey(Schema.Boolean)
  })
) {
  override get message(): string {
    return `${this.pane} ended before ${short(this.waitedFor)} was seen${
      forgotten(this.rowsLost)
    } (look at lastSeen, open another pane)`
  }
}

/**
 * The arguments make no sense, whatever the state of the world. Nothing was asked of the program.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidRequest extends failure(
  Schema.TaggedError<InvalidRequest, Told>()("InvalidRequest", {
    operation: Schema.String,
    field: Schema.String,
    reason: Excerpt
  })
) {
  override get message(): string {
    return `${this.operation}: ${this.field} ${excerpt(this.reason)} (correct it)`
  }
}

/**
 * `run` typed its command and did not see it end. Continue with `waitOutput({ after: report.mark })`.
 *
 * @category errors
 * @since 0.1.0
 */
export class CommandUnfinished extends failure(
  Schema.TaggedError<CommandUnfinished, Told>()("CommandUnfinished", {
    pane: PaneHandle,
    report: DeliveryReport,
    timeout: Schema.DurationFromMillis,
    lastSeen: LastSeen,
    /** True: its pane ended first, and nobody tells how. */
    ended: Schema.optionalKey(Schema.Boolean)
  })
) {
  override get message(): string {
    if (this.ended === true) {
      return `${this.pane} ended before its command did, and its exit code is not known (look at lastSeen; do not run it again)`
    }
    return this.report.warnings?.includes("before-prompt") === true
      ? `${this.pane}: not done after ${
        seconds(this.timeout)
      }; the shell had shown no prompt when the command was typed, so its start-up files may still run (look at lastSeen; do not run it again)`
      : `${this.pane}: still running after ${seconds(this.timeout)} (wait for its output; do not run it again)`
  }
}

/**
 * Every failure, for boundaries that carry them all: RPC, the exit code, the ledger.
 *
 * @category errors
 * @since 0.1.0
 */
export const RuntimeError = Schema.Union([
  RuntimeUnavailable,
  UnknownRuntime,
  TargetNotFound,
  WindowConflict,
  SpawnFailed,
  Unsupported,
  OperationRefused,
  NativeFailure,
  SendRejected,
  SendFailed,
  SendStalled,
  WaitTimeout,
  PaneEnded,
  CommandUnfinished,
  InvalidRequest
])

/**
 * @category errors
 * @since 0.1.0
 */
export type RuntimeError = typeof RuntimeError.Type

/** One list for every class: what the command line exits with. */
const exitCodes = {
  RuntimeUnavailable: 3,
  UnknownRuntime: 3,
  TargetNotFound: 4,
  WindowConflict: 5,
  SendRejected: 6,
  Unsupported: 6,
  OperationRefused: 6,
  NativeFailure: 1,
  SendFailed: 1,
  SendStalled: 7,
  CommandUnfinished: 7,
  WaitTimeout: 8,
  SpawnFailed: 9,
  PaneEnded: 4,
  InvalidRequest: 2
} as const satisfies Record<RuntimeError["_tag"], number>

/**
 * The exit code of a failure by its class. `SpawnFailed` refines it to 127 or 126 in its own getter.
 *
 * @category reading
 * @since 0.1.0
 */
export const exitCode = (error: RuntimeError): number => exitCodes[error._tag]

/**
 * True: repeating the same call cannot deliver or create anything twice, and may succeed.
 *
 * @category reading
 * @since 0.1.0
 */
export const isRetryable = (error: RuntimeError): boolean => error.retryable
