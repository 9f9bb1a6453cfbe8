/**
 * The contract as remote procedures, one for each operation, with its failures typed: what both ends of a connection
 * share.
 *
 * On the wire durations are milliseconds, a regular expression is its source and flags, and a key is its spelling. A
 * secret is plain text there: whoever encodes one makes sure that the transport is private.
 *
 * @since 0.1.0
 */
// @effect-diagnostics schemaNumber:off
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Rpc from "effect/rpc/Rpc"
import * as RpcGroup from "effect/rpc/RpcGroup"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import * as Schema from "effect/Schema"
import { AgentObservation, AgentState } from "../AgentState.ts"
import { LifecycleObservation, Probe, RuntimeEvent } from "../Lifecycle.ts"
import * as Failures from "../RuntimeError.ts"
import { Mark, Screen } from "../Screen.ts"
import { DeliveryReport, Evidence, SendProfile } from "../Send.ts"
import { Pane, PaneHandle, Window, WindowHandle } from "../Target.ts"

/**
 * Version of what is said here. Ends of different versions do not talk to each other.
 *
 * @category models
 * @since 0.1.0
 */
export const protocolVersion = 1

/** Bytes of one message that is not complete yet; the largest text that can be sent is a part of that. */
const largestMessage = 64 * 1024 * 1024

const ndjson = RpcSerialization.makeNdjson({ maxBufferSize: largestMessage })

/** It would look at all of a message again for each of its pieces. */
const wholeLines = (parser: RpcSerialization.Parser): RpcSerialization.Parser => {
  const decoder = new TextDecoder()
  let pieces: Array<string> = []
  let size = 0
  return {
    ...parser,
    decode: (bytes) => {
      const piece = typeof bytes === "string" ? bytes : decoder.decode(bytes, { stream: true })
      pieces.push(piece)
      size += piece.length
      if (!piece.includes("\n") && size <= largestMessage) return []
      const all = pieces.join("")
      pieces = []
      size = 0
      return parser.decode(all)
    }
  }
}

/**
 * How messages are written: one JSON value in a line.
 *
 * @category serialization
 * @since 0.1.0
 */
export const layerSerialization: Layer.Layer<RpcSerialization.RpcSerialization> = Layer.succeed(
  RpcSerialization.RpcSerialization,
  RpcSerialization.RpcSerialization.of({ ...ndjson, makeUnsafe: () => wholeLines(ndjson.makeUnsafe()) })
)

/** What a number means, and whether it makes sense, is judged where the runtime is. */
const AnyNumber = Schema.Number
const Millis = Schema.DurationFromMillis
/** Whether a name can be one is judged where the runtime is. */
const Name = Schema.String.pipe(Schema.brand("WindowName"))
const WindowRef = Schema.Union([WindowHandle, Name])
const session = { session: Schema.optional(Schema.String) }
const Size = Schema.Struct({ columns: AnyNumber, rows: AnyNumber })
const Close = Schema.Literals(["closed", "already-closed"])

const Secret = Schema.Struct({ secret: Schema.String })
const Value = Schema.Union([Schema.String, Secret])

/**
 * Text, or a secret that a private transport may carry.
 *
 * @category models
 * @since 0.1.0
 */
export type Value = typeof Value.Type

/**
 * A secret as it crosses a private transport.
 *
 * @category encoding
 * @since 0.1.0
 */
export const hidden = (value: string | Redacted.Redacted): Value =>
  Redacted.isRedacted(value) ? { secret: Redacted.value(value) } : value

/**
 * The variables that a pane is given, as they cross a private transport.
 *
 * @category encoding
 * @since 0.1.0
 */
export const hiddenAll = (
  env: Readonly<Record<string, string | Redacted.Redacted>>
): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, hidden(value)]))

/**
 * The other way.
 *
 * @category encoding
 * @since 0.1.0
 */
export const revealed = (value: Value): string | Redacted.Redacted =>
  typeof value === "string" ? value : Redacted.make(value.secret)

const Program = Schema.Union([
  Schema.Struct({ shell: Schema.String }),
  Schema.Struct({ argv: Schema.NonEmptyArray(Schema.String) })
])

const Placement = Schema.Union([
  Schema.Struct({ window: Schema.String, ...session }),
  Schema.Struct({ split: Schema.Union([WindowHandle, PaneHandle, Name]) })
])

/** A pane's environment, beside what the runtime gives it. */
const environment = {
  env: Schema.optional(Schema.Record(Schema.String, Value)),
  unset: Schema.optional(Schema.Array(Schema.String))
}

const SpawnRequest = Schema.Struct({
  program: Schema.optional(Program),
  placement: Schema.optional(Placement),
  ...session,
  cwd: Schema.optional(Schema.String),
  title: Schema.optional(Schema.String),
  ...environment,
  size: Schema.optional(Size),
  onExit: Schema.optional(Schema.Literals(["close", "hold", "shell"]))
})

const SendRequest = Schema.Struct({
  command: Schema.optional(Schema.String),
  items: Schema.optional(
    Schema.Array(Schema.Union([Schema.Struct({ message: Schema.String }), Schema.Struct({ key: Schema.String })]))
  )
})

const SendOptions = Schema.Struct({
  profile: Schema.optional(SendProfile),
  require: Schema.optional(Evidence),
  within: Schema.optional(Millis),
  allowNewlines: Schema.optional(Schema.Boolean),
  sanitize: Schema.optional(Schema.Boolean)
})

const Range = Schema.Union([Schema.Literals(["visible", "full"]), Schema.Struct({ tail: AnyNumber })])

const Pattern = Schema.Union([Schema.String, Schema.Struct({ source: Schema.String, flags: Schema.String })])

const OutputMatch = Schema.Struct({
  text: Schema.String,
  groups: Schema.Array(Schema.String),
  line: Schema.String,
  screen: Screen,
  markLost: Schema.Boolean,
  rowsLost: Schema.Boolean
})

const CommandResult = Schema.Struct({
  exitCode: AnyNumber,
  output: Schema.String,
  truncated: Schema.Boolean,
  report: DeliveryReport
})

const LifecycleQuery = Schema.Union([
  Schema.Struct({ condition: Schema.Literals(["window-exists", "window-active"]), target: WindowRef, ...session }),
  Schema.Struct({ condition: Schema.Literals(["pane-exists", "pane-exited"]), target: PaneHandle })
])

const SetEnvOutcome = Schema.Union([
  Schema.Struct({ _tag: Schema.Literals(["Applied", "InternalizedAtSpawn"]) }),
  Schema.Struct({ _tag: Schema.tag("Unsupported"), reason: Schema.String })
])

const AttachOutcome = Schema.Union([
  Schema.Struct({ _tag: Schema.Literals(["Attached", "Implicit"]) }),
  Schema.Struct({ _tag: Schema.tag("Unsupported"), reason: Schema.String })
])

/**
 * What a server says of itself. Its shape is the same in every version: only where `protocol` is equal does anything
 * else mean what it says.
 *
 * @category models
 * @since 0.1.0
 */
export const Hello = Schema.Struct({
  protocol: AnyNumber,
  /** Of Paneway. */
  version: Schema.String,
  pid: AnyNumber,
  runtime: Schema.String,
  sendProfile: Schema.String,
  capabilities: Schema.Record(Schema.String, Schema.String)
})

/**
 * @category models
 * @since 0.1.0
 */
export type Hello = typeof Hello.Type

const ask = [Failures.RuntimeUnavailable, Failures.NativeFailure] as const
const target = [Failures.TargetNotFound, ...ask] as const
const request = [...target, Failures.InvalidRequest] as const
const open = [Failures.SpawnFailed, Failures.Unsupported, ...request] as const
const close = [Failures.OperationRefused, ...request] as const
const wait = [Failures.WaitTimeout, Failures.PaneEnded, ...request] as const
const send = [Failures.SendRejected, Failures.SendFailed, Failures.SendStalled, ...request] as const

/**
 * Every operation of the contract but `context`, which is about the process that asks, and the shapes of `send`.
 *
 * @category procedures
 * @since 0.1.0
 */
export class TerminalRpcs extends RpcGroup.make(
  Rpc.make("hello", {
    payload: { protocol: AnyNumber, version: Schema.String },
    success: Hello
  }),
  Rpc.make("resolve", { payload: { text: Schema.String }, success: Pane, error: Schema.Union(request) }),
  Rpc.make("describe", { payload: { pane: PaneHandle }, success: Pane, error: Schema.Union(request) }),
  Rpc.make("ensureWindow", {
    payload: {
      name: Schema.String,
      root: Schema.String,
      preset: Schema.optional(Schema.String),
      ...environment,
      ...session
    },
    success: Window,
    error: Schema.Union([Failures.WindowConflict, ...open])
  }),
  Rpc.make("listSessions", {
    success: Schema.Array(Schema.String),
    error: Schema.Union([Failures.Unsupported, ...ask])
  }),
  Rpc.make("closeSession", {
    payload: { name: Schema.String },
    success: Close,
    error: Schema.Union([Failures.Unsupported, ...close])
  }),
  Rpc.make("listWindows", {
    payload: session,
    success: Schema.Array(Window),
    error: Schema.Union([Failures.InvalidRequest, ...ask])
  }),
  Rpc.make("closeWindow", {
    payload: { window: WindowRef, ...session },
    success: Close,
    error: Schema.Union(close)
  }),
  Rpc.make("preparePane", {
    payload: { window: WindowRef, ...environment, ...session },
    success: Pane,
    error: Schema.Union(open)
  }),
  Rpc.make("listPanes", {
    payload: { window: Schema.optional(WindowRef), ...session },
    success: Schema.Array(Pane),
    error: Schema.Union(request)
  }),
  Rpc.make("closePane", { payload: { pane: PaneHandle }, success: Close, error: Schema.Union(close) }),
  Rpc.make("resize", {
    payload: { pane: PaneHandle, size: Size },
    error: Schema.Union([Failures.Unsupported, ...request])
  }),
  Rpc.make("focus", {
    payload: { target: Schema.Union([PaneHandle, WindowHandle, Name]) },
    error: Schema.Union([Failures.Unsupported, ...request])
  }),
  Rpc.make("spawn", { payload: SpawnRequest, success: Pane, error: Schema.Union(open) }),
  Rpc.make("send", {
    payload: { pane: PaneHandle, request: SendRequest, options: Schema.optional(SendOptions) },
    success: DeliveryReport,
    error: Schema.Union(send)
  }),
  Rpc.make("run", {
    payload: {
      pane: PaneHandle,
      command: Schema.String,
      timeout: Millis,
      ansi: Schema.optional(Schema.Boolean),
      maxOutput: Schema.optional(AnyNumber)
    },
    success: CommandResult,
    error: Schema.Union([Failures.CommandUnfinished, Failures.PaneEnded, ...send])
  }),
  Rpc.make("capture", {
    payload: { pane: PaneHandle, range: Schema.optional(Range), ansi: Schema.optional(Schema.Boolean) },
    success: Screen,
    error: Schema.Union([Failures.Unsupported, ...request])
  }),
  Rpc.make("output", {
    payload: { pane: PaneHandle },
    success: Schema.Uint8Array,
    error: Schema.Union([Failures.Unsupported, ...request]),
    stream: true
  }),
  /** An element each time that the pane wrote something; several are one where nobody reads. */
  Rpc.make("changes", {
    payload: { pane: PaneHandle },
    success: Schema.Void,
    error: Schema.Union([Failures.Unsupported, ...request]),
    stream: true
  }),
  Rpc.make("waitOutput", {
    payload: { pane: PaneHandle, pattern: Pattern, timeout: Millis, after: Schema.optional(Mark) },
    success: OutputMatch,
    error: Schema.Union(wait)
  }),
  Rpc.make("waitStable", {
    payload: { pane: PaneHandle, quiet: Millis, timeout: Millis, after: Schema.optional(Mark) },
    success: Screen,
    error: Schema.Union(wait)
  }),
  Rpc.make("waitAgent", {
    payload: {
      pane: PaneHandle,
      states: Schema.Array(AgentState),
      timeout: Millis,
      after: Schema.optional(Mark)
    },
    success: AgentObservation,
    error: Schema.Union([Failures.Unsupported, ...wait])
  }),
  Rpc.make("waitLifecycle", {
    payload: { query: LifecycleQuery, timeout: Millis },
    success: LifecycleObservation,
    error: Schema.Union([Failures.WaitTimeout, ...request])
  }),
  Rpc.make("agents", {
    payload: { panes: Schema.Array(PaneHandle) },
    success: AgentObservation,
    error: Schema.Union([Failures.Unsupported, Failures.InvalidRequest, ...ask]),
    stream: true
  }),
  Rpc.make("events", { success: RuntimeEvent, error: Schema.Union(ask), stream: true }),
  Rpc.make("probe", {
    payload: { panes: Schema.Array(PaneHandle) },
    success: Schema.Array(Probe),
    error: Failures.InvalidRequest
  }),
  Rpc.make("setEnvironment", {
    payload: { name: Schema.String, value: Value, ...session },
    success: SetEnvOutcome,
    error: Schema.Union([Failures.InvalidRequest, ...ask])
  }),
  Rpc.make("attach", {
    payload: session,
    success: AttachOutcome,
    error: Schema.Union([Failures.InvalidRequest, ...ask])
  })
) {}
