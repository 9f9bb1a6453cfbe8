/**
 * The contract between programs and terminals: {@link Service}, which programs use through `TerminalRuntime`, and
 * {@link Primitives}, which an adapter supplies and `TerminalRuntime.make` turns into the service.
 *
 * Policy is the service's: validation, planning, locks, waits, deadlines and spans exist once. Round trips are the
 * adapter's: a primitive does one thing to the terminal and proves that it acted on the right target.
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { AgentObservation, AgentState, Sensed } from "./AgentState.ts"
import type { Capabilities } from "./Capabilities.ts"
import type * as Keys from "./Keys.ts"
import type { LifecycleObservation, LifecycleQuery, Probe, RuntimeEvent } from "./Lifecycle.ts"
import type { PaneLocks } from "./PaneLocks.ts"
import type {
  CommandUnfinished,
  InvalidRequest,
  NativeFailure,
  OperationRefused,
  PaneEnded,
  RuntimeUnavailable,
  SendFailed,
  SendRejected,
  SendStalled,
  SpawnFailed,
  TargetNotFound,
  Unsupported,
  WaitTimeout,
  WindowConflict
} from "./RuntimeError.ts"
import { type Ascent, type Mark, Position, type Screen } from "./Screen.ts"
import * as Send from "./send/records.ts"
import type { Pane, PaneHandle, Window, WindowHandle, WindowRef } from "./Target.ts"
import type { Timeout, Wakes } from "./Waiting.ts"

/**
 * Asking the runtime anything can fail with these.
 *
 * @category errors
 * @since 0.1.0
 */
export type AskError = RuntimeUnavailable | NativeFailure

/**
 * Failures of an operation on a given target.
 *
 * @category errors
 * @since 0.1.0
 */
export type TargetError = TargetNotFound | AskError

/**
 * Failures of an operation that makes a window or a pane.
 *
 * @category errors
 * @since 0.1.0
 */
export type OpenError = SpawnFailed | Unsupported | InvalidRequest | TargetError

/**
 * Failures of a wait for something in a pane.
 *
 * @category errors
 * @since 0.1.0
 */
export type WaitError = WaitTimeout | PaneEnded | InvalidRequest | TargetError

/**
 * Failures of a send. Only `SendStalled` leaves open whether the text was delivered.
 *
 * @category errors
 * @since 0.1.0
 */
export type SendError = SendRejected | SendFailed | SendStalled | InvalidRequest | TargetError

/**
 * Failures of closing.
 *
 * @category errors
 * @since 0.1.0
 */
export type CloseError = OperationRefused | TargetError

/**
 * Closing is idempotent: `already-closed` is a target that was absent on a runtime that answered.
 *
 * @category models
 * @since 0.1.0
 */
export type Close = "closed" | "already-closed"

/**
 * Which rows to capture: those on the screen, all that the runtime holds, or the last `tail` rows.
 *
 * @category models
 * @since 0.1.0
 */
export type Range = "visible" | "full" | { readonly tail: number }

/**
 * @category options
 * @since 0.1.0
 */
export interface WaitOptions {
  /** Time for the whole wait. Zero is one look; negative is refused; infinite is allowed. */
  readonly timeout: Timeout
  /** Only what came after this place counts. Absent: what is on the screen counts too. */
  readonly after?: Mark | undefined
}

/**
 * @category options
 * @since 0.1.0
 */
export interface SendOptions {
  /** Absent: what the adapter says of this pane, else the runtime's default. */
  readonly profile?: Send.SendProfile | undefined
  /** The weakest evidence that the caller accepts. Absent: any. */
  readonly require?: Send.Evidence | undefined
  /** Time for that evidence to show. */
  readonly within?: Timeout | undefined
  /** True: send several lines although each LF may submit. Default false. */
  readonly allowNewlines?: boolean | undefined
  /** True: remove control characters instead of refusing them. Default false. */
  readonly sanitize?: boolean | undefined
}

/**
 * @category options
 * @since 0.1.0
 */
export interface CaptureOptions {
  /** Default `{ tail: 40 }`. */
  readonly range?: Range | undefined
  /** True: keep colours and styles as escape sequences. Default false. */
  readonly ansi?: boolean | undefined
}

/**
 * @category options
 * @since 0.1.0
 */
export interface InSession {
  /** Matched exactly. Absent: the session that the runtime resolves. */
  readonly session?: string | undefined
}

/**
 * @category options
 * @since 0.1.0
 */
export interface EnsureWindow extends InSession {
  /** Any text; it becomes a window name. */
  readonly name: string
  /** Directory that the window is made for. */
  readonly root: string
  readonly preset?: string | undefined
}

/**
 * Size of a terminal in cells.
 *
 * @category models
 * @since 0.1.0
 */
export interface Size {
  readonly columns: number
  readonly rows: number
}

/**
 * What to start, and where.
 *
 * @category options
 * @since 0.1.0
 */
export interface SpawnRequest {
  /** A line for the shell, or an argv that no shell reads. Absent: a login shell. */
  readonly program?: { readonly shell: string } | { readonly argv: readonly [string, ...Array<string>] } | undefined
  /** A new window of that name, or a split of an existing window or pane. Absent: the runtime's own choice. */
  readonly placement?:
    | ({ readonly window: string } & InSession)
    | { readonly split: WindowRef | PaneHandle }
    | undefined
  /** Of the window, where its place says none. */
  readonly session?: string | undefined
  readonly cwd?: string | undefined
  /** What the pane is called, where the runtime has titles; and its window, where that is new and has no other name. */
  readonly title?: string | undefined
  /** Added to the inherited environment. Secrets are `Redacted`. */
  readonly env?: Readonly<Record<string, string | Redacted.Redacted>> | undefined
  /** Names that are removed from the inherited environment; `*` in a name stands for anything. */
  readonly unset?: ReadonlyArray<string> | undefined
  readonly size?: Size | undefined
  /** What becomes of the pane when the program ends: it closes, stays with its exit, or gets a shell. */
  readonly onExit?: "close" | "hold" | "shell" | undefined
}

/**
 * Where this process itself runs.
 *
 * @category models
 * @since 0.1.0
 */
export type RuntimeContext = { readonly inRuntime: false } | {
  readonly inRuntime: true
  readonly session?: string
  readonly window?: WindowHandle
  readonly pane: PaneHandle
}

/**
 * What a wait for output found.
 *
 * @category models
 * @since 0.1.0
 */
export interface OutputMatch {
  /** The part that matched. */
  readonly text: string
  /** Capture groups of the regular expression; one that took no part is empty. */
  readonly groups: ReadonlyArray<string>
  /** The logical line that holds the match. */
  readonly line: string
  readonly screen: Screen
  /** The mark could not be placed, and the whole screen was searched. */
  readonly markLost: boolean
  /** Rows were forgotten before this wait saw them: there may have been an earlier match. */
  readonly rowsLost: boolean
}

/**
 * @category options
 * @since 0.1.0
 */
export interface RunOptions {
  /** In the language of the pane's shell. It may have several lines. */
  readonly command: string
  /** Time for the command, from when it was typed. */
  readonly timeout: Timeout
  /** True: keep colours and styles as escape sequences. Default false. */
  readonly ansi?: boolean | undefined
  /** Bytes of output that are kept; of more, the last ones count, from a whole line on. Default 16 MiB. */
  readonly maxOutput?: number | undefined
}

/**
 * What a command of `run` did.
 *
 * @category models
 * @since 0.1.0
 */
export interface CommandResult {
  /** Of the command; of the pane, where the command ended its shell. */
  readonly exitCode: number
  /**
   * Its own output, without the typed line, the prompt and markers, and without control sequences. It ends in a newline
   * if the command printed one last. Where the runtime gives the bytes of a pane, these are the ones that the command
   * wrote, each CR of a redrawn line among them; elsewhere it is what the screen and its scrollback hold.
   */
  readonly output: string
  /** The beginning of the output was lost. */
  readonly truncated: boolean
  readonly report: Send.DeliveryReport
}

/**
 * @category options
 * @since 0.1.0
 */
export interface SetEnv extends InSession {
  readonly name: string
  readonly value: string | Redacted.Redacted
}

/**
 * `Applied` counts for panes opened from now on; `InternalizedAtSpawn` means that the adapter adds it at each spawn.
 *
 * @category models
 * @since 0.1.0
 */
export type SetEnvOutcome = { readonly _tag: "Applied" | "InternalizedAtSpawn" } | {
  readonly _tag: "Unsupported"
  readonly reason: string
}

/**
 * `Implicit`: the runtime shows its panes already.
 *
 * @category models
 * @since 0.1.0
 */
export type AttachOutcome = { readonly _tag: "Attached" | "Implicit" } | {
  readonly _tag: "Unsupported"
  readonly reason: string
}

/**
 * What programs can do with terminals, whichever program owns them. The class `TerminalRuntime` is its tag.
 *
 * Interrupting any operation leaves nothing behind; a delivery that has begun runs to its bounded end. Arguments of a
 * wrong shape, from callers without types, are `InvalidRequest`: nothing was asked of the adapter.
 *
 * @category services
 * @since 0.1.0
 */
export interface Service {
  /** Name of the runtime, for example `tmux`. */
  readonly runtime: string
  /** Profile of a pane that says nothing else. */
  readonly sendProfile: Send.SendProfile
  readonly capabilities: Capabilities
  /** The pane that this process runs in, if it runs in this runtime. */
  readonly context: Effect.Effect<RuntimeContext, AskError>
  /** Reads a printed handle or a native id: the only way from text to a pane. */
  readonly resolve: (text: string) => Effect.Effect<Pane, TargetError | InvalidRequest>
  /** Finds the window of that name or makes it. One with another root or preset is a conflict and stays as it is. */
  readonly ensureWindow: (o: EnsureWindow) => Effect.Effect<Window, WindowConflict | OpenError>
  readonly listSessions: Effect.Effect<ReadonlyArray<string>, AskError | Unsupported>
  readonly closeSession: (name: string) => Effect.Effect<Close, CloseError | Unsupported | InvalidRequest>
  readonly listWindows: (o?: InSession) => Effect.Effect<ReadonlyArray<Window>, AskError | InvalidRequest>
  /** A handle that is absent is `already-closed`; a name that is absent fails. */
  readonly closeWindow: (w: WindowRef, o?: InSession) => Effect.Effect<Close, CloseError | InvalidRequest>
  /**
   * A live shell (or agent) in that window, which outlives its commands. One that was typed into is given again when it
   * has been at its prompt for 300 ms since then; before that another one, or it is waited for.
   */
  readonly preparePane: (o: { readonly window: WindowRef } & InSession) => Effect.Effect<Pane, OpenError>
  readonly listPanes: (
    o?: { readonly window?: WindowRef | undefined } & InSession
  ) => Effect.Effect<ReadonlyArray<Pane>, TargetError | InvalidRequest>
  readonly closePane: (p: PaneHandle) => Effect.Effect<Close, CloseError | InvalidRequest>
  readonly resize: (p: PaneHandle, size: Size) => Effect.Effect<void, TargetError | Unsupported | InvalidRequest>
  readonly focus: (t: WindowRef | PaneHandle) => Effect.Effect<void, TargetError | Unsupported | InvalidRequest>
  /** Always makes a new pane. */
  readonly spawn: (o: SpawnRequest) => Effect.Effect<Pane, OpenError>
  /** Sends once, after every other sender of this pane. Never retried. */
  readonly send: (
    p: PaneHandle,
    r: Send.SendRequest,
    o?: SendOptions
  ) => Effect.Effect<Send.DeliveryReport, SendError>
  /** Types the command and submits it once. */
  readonly sendCommand: (
    p: PaneHandle,
    command: string,
    o?: SendOptions
  ) => Effect.Effect<Send.DeliveryReport, SendError>
  /** Types the text; submits nothing on a plain pane. */
  readonly sendText: (p: PaneHandle, text: string, o?: SendOptions) => Effect.Effect<Send.DeliveryReport, SendError>
  readonly sendKeys: (
    p: PaneHandle,
    keys: ReadonlyArray<Keys.Input>,
    o?: SendOptions
  ) => Effect.Effect<Send.DeliveryReport, SendError>
  /** Types the text; one trailing newline submits once. */
  readonly typeInto: (p: PaneHandle, text: string, o?: SendOptions) => Effect.Effect<Send.DeliveryReport, SendError>
  /**
   * Types a command into the pane's shell, which is sh, bash, zsh or fish, and waits for its end. It runs in that shell,
   * so that `cd` and variables stay. A command that does not end is left running. Within 300 ms after something was
   * typed there it is waited for whether that starts a program.
   */
  readonly run: (
    p: PaneHandle,
    o: RunOptions
  ) => Effect.Effect<CommandResult, SendError | CommandUnfinished | PaneEnded | InvalidRequest>
  readonly capture: (
    p: PaneHandle,
    o?: CaptureOptions
  ) => Effect.Effect<Screen, TargetError | Unsupported | InvalidRequest>
  /** What the runtime still holds from the pane's start, bounded, then live; ends after the last byte. */
  readonly output: (p: PaneHandle) => Stream.Stream<Uint8Array, TargetError | Unsupported | InvalidRequest>
  /**
   * Waits for a logical line that matches: among those on the screen and all that follow, or after a mark. A pane that
   * ends is looked at once more.
   */
  readonly waitOutput: (
    p: PaneHandle,
    o: WaitOptions & { readonly pattern: string | RegExp }
  ) => Effect.Effect<OutputMatch, WaitError>
  /** Waits until the screen has not changed for `quiet`; with `after`, not before something came after that. */
  readonly waitStable: (p: PaneHandle, o: WaitOptions & { readonly quiet: Timeout }) => Effect.Effect<Screen, WaitError>
  /**
   * Waits for one of the states; with `after`, for one of a later turn. `idle` is satisfied by `done` too, and `unknown`
   * satisfies no wait that does not list it.
   */
  readonly waitAgent: (
    p: PaneHandle,
    o: WaitOptions & { readonly states: readonly [AgentState, ...Array<AgentState>] }
  ) => Effect.Effect<AgentObservation, Unsupported | WaitError>
  /**
   * Waits for the condition, also through times when the runtime cannot be asked: then nothing is known, and the deadline
   * ends it. Fails at once when it cannot come any more, or when the runtime will not be there.
   */
  readonly waitLifecycle: (
    o: LifecycleQuery & { readonly timeout: Timeout }
  ) => Effect.Effect<LifecycleObservation, WaitTimeout | InvalidRequest | TargetError>
  /**
   * The current state of each pane first, then changes. A pane that ends leaves the stream. A reader that falls behind
   * gets the latest state of each pane.
   */
  readonly agents: (
    ps: ReadonlyArray<PaneHandle>
  ) => Stream.Stream<AgentObservation, Unsupported | InvalidRequest | AskError>
  /** What exists first, then changes. A reader that falls behind gets the sum of the changes. */
  readonly events: Stream.Stream<RuntimeEvent, AskError>
  /** One probe for each pane, in the same order. What cannot be told is `unknown`, never a failure. */
  readonly probe: (ps: ReadonlyArray<PaneHandle>) => Effect.Effect<ReadonlyArray<Probe>, InvalidRequest>
  readonly describe: (p: PaneHandle) => Effect.Effect<Pane, TargetError | InvalidRequest>
  readonly setEnvironment: (o: SetEnv) => Effect.Effect<SetEnvOutcome, AskError | InvalidRequest>
  readonly attach: (o?: InSession) => Effect.Effect<AttachOutcome, AskError | InvalidRequest>
}

/**
 * A capture as the adapter reads it.
 *
 * @category adapters
 * @since 0.1.0
 */
export interface RawScreen {
  readonly rows: ReadonlyArray<string>
  /** True: rows are logical lines, and `wrapped` is not needed. For programs that join rows but do not flag wraps. */
  readonly joined: boolean
  /** Indexes of rows that continue on the next one. */
  readonly wrapped?: ReadonlyArray<number>
  /** Rows existed above the first one and are not here. */
  readonly truncated: boolean
  readonly alternate?: boolean
  /** Number of the first row since the pane began. Absent where rows cannot be counted. */
  readonly origin?: number
  /** Counted like `origin`: not an index into `rows`. */
  readonly cursor?: Position
  /**
   * Where rows are counted on although marks are lost, as when the screen was cleared: equal as long as a number means
   * the same row. Absent: the epoch of `cursor` says it.
   */
  readonly counted?: string
  /**
   * Where the program went back up, for adapters that can tell: then every `cursor` has a `step`. Absent: a mark counts
   * as left only while the cursor stands above it.
   */
  readonly ascents?: ReadonlyArray<Ascent>
}

/**
 * Everything that exists at one moment.
 *
 * @category adapters
 * @since 0.1.0
 */
export interface Inventory {
  readonly sessions: ReadonlyArray<string>
  readonly windows: ReadonlyArray<Window>
  readonly panes: ReadonlyArray<Pane>
}

/**
 * The place before the first byte: a counted position, or the last logical lines, or both. `turn` is the backend's own
 * count of turns; an adapter with both `agent` and `deliver` gives it.
 *
 * @category adapters
 * @since 0.1.0
 */
export const Place = Schema.Struct({
  at: Schema.optional(Position),
  tail: Schema.optional(Schema.Array(Schema.String)),
  turn: Schema.optional(Schema.Int)
})

/**
 * @category adapters
 * @since 0.1.0
 */
export type Place = typeof Place.Type

/**
 * Writing failed. `written` says whether a byte may have reached the pane: `nothing` makes the send safe to repeat,
 * anything else puts it in doubt. `before` is the place, if it was taken.
 *
 * @category adapters
 * @since 0.1.0
 */
export class WriteFailed extends Schema.TaggedError<WriteFailed>()("WriteFailed", {
  stage: Send.Stage,
  written: Schema.Union([Schema.Literals(["nothing", "indeterminate"]), Schema.Int]),
  before: Schema.optionalKey(Place),
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `writing failed at ${this.stage}, ${this.written} written`
  }
}

/**
 * What a delivery is not sent into. The adapter checks what it can in the same native call that writes; it never
 * decides.
 *
 * @category adapters
 * @since 0.1.0
 */
export type Obstacle =
  | "dead"
  | "input-off"
  | "in-mode"
  | "synchronized"
  | "no-bracketed-paste"
  | "draining"
  | "other-profile"

/**
 * A whole plan for one pane.
 *
 * @category adapters
 * @since 0.1.0
 */
export interface Delivery {
  readonly steps: readonly [Send.Step, ...Array<Send.Step>]
  /** The profile that it was planned for. */
  readonly profile: Send.SendProfile
  /** Any of them holds: write nothing, answer `Refused`. */
  readonly unless: ReadonlyArray<Obstacle>
  /** True: also answer the visible rows before the first byte, in `before.tail`, in the same call. */
  readonly rows: boolean
  /** Time without progress after which the adapter gives up and cuts the rest. */
  readonly stall: Duration.Duration
}

/**
 * What became of a delivery.
 *
 * @category adapters
 * @since 0.1.0
 */
export type Delivered =
  | {
    readonly _tag: "Written"
    readonly before: Place
    /** Absent: `bytes`. */
    readonly evidence?: Send.Evidence
    readonly bytes?: number
    /** All there are. Absent: nothing is known, and lines that a terminal may cut are warned of by their length. */
    readonly warnings?: ReadonlyArray<Send.Warning>
  }
  | { readonly _tag: "Refused"; readonly obstacles: readonly [Obstacle, ...Array<Obstacle>] }

/**
 * What is remembered on a window or a pane.
 *
 * @category adapters
 * @since 0.1.0
 */
export type Facts = {
  readonly root?: string | undefined
  readonly preset?: string | undefined
  readonly prepared?: boolean | undefined
}

/**
 * What an adapter supplies: its identity, five operations, and as many optional ones as its program has. The presence
 * of an optional one makes the capability native.
 *
 * Every primitive that takes a handle proves id and incarnation itself and fails with `TargetNotFound` `absent` or
 * `reissued`. Runtime, host and scope of a handle were checked before.
 *
 * @category adapters
 * @since 0.1.0
 */
export interface Primitives {
  readonly runtime: string
  readonly host: string
  readonly scope: string
  readonly sendProfile: Send.SendProfile
  /** Everything, exact. Failing to ask is never an empty answer. */
  readonly inventory: Effect.Effect<Inventory, AskError>
  /** Not interrupted by callers, so it ends by its own deadline; a pane whose caller was interrupted is closed again. */
  readonly open: (o: SpawnRequest) => Effect.Effect<Pane, OpenError>
  readonly close: (t: PaneHandle | WindowHandle) => Effect.Effect<void, CloseError>
  /** Writes one step, once. Bounded by the caller with `writeDeadline`. */
  readonly write: (p: PaneHandle, step: Send.Step) => Effect.Effect<void, WriteFailed | TargetError>
  /** The whole plan in as few native calls as there can be: checks, place, then all steps. Absent: a capture, then
   * one `write` per step. */
  readonly deliver?: (p: PaneHandle, d: Delivery) => Effect.Effect<Delivered, WriteFailed | TargetError>
  /** Called after `Refused` `in-mode`; the plan is then delivered once more. */
  readonly leaveMode?: (p: PaneHandle) => Effect.Effect<void, TargetError>
  /** One pane by native id. Absent: the inventory is searched. */
  readonly find?: (id: string) => Effect.Effect<Option.Option<Pane>, AskError>
  /** The session that an absent option means; `open` makes it when it is missing. */
  readonly session?: Effect.Effect<string, AskError>
  readonly capture: (
    p: PaneHandle,
    o: { readonly range: Range | { readonly from: number }; readonly ansi: boolean; readonly join: boolean }
  ) => Effect.Effect<RawScreen, TargetError>
  /** The pane that this process runs in. */
  readonly current?: Effect.Effect<Option.Option<PaneHandle>, AskError>
  readonly focus?: (t: PaneHandle | WindowHandle) => Effect.Effect<void, TargetError>
  /**
   * Succeeds once registered; registered until the scope closes. Wakes when what the pane shows may have changed, and
   * when its process ended or it is gone.
   */
  readonly watch?: (p: PaneHandle, on: Wakes) => Effect.Effect<void, TargetError, Scope.Scope>
  /** Like `watch`, for what exists rather than for what one pane shows. */
  readonly watchAll?: (on: Wakes) => Effect.Effect<void, AskError, Scope.Scope>
  /** The current health first, then changes. */
  readonly health?: Stream.Stream<Extract<RuntimeEvent, { readonly _tag: "Health" }>>
  readonly output?: (p: PaneHandle) => Stream.Stream<Uint8Array, TargetError>
  /** Where panes differ. Answered from what is known; a wrong guess comes back as `Refused` `other-profile`. */
  readonly profileOf?: (p: PaneHandle) => Effect.Effect<Send.SendProfile, TargetError>
  readonly resize?: (p: PaneHandle, size: Size) => Effect.Effect<void, TargetError>
  readonly closeSession?: (name: string) => Effect.Effect<void, CloseError>
  /** What the program itself says of the agent in a pane; `turn` is its own count of turns, the one in `Place`. */
  readonly agent?: (p: PaneHandle) => Effect.Effect<Sensed & { readonly turn?: number | undefined }, TargetError>
  /** Keeps facts on the target itself, where other processes find them. */
  readonly remember?: (t: WindowHandle | PaneHandle, facts: Facts) => Effect.Effect<void, TargetError>
  readonly setEnvironment?: (o: SetEnv) => Effect.Effect<SetEnvOutcome, AskError>
  readonly attach?: (o: InSession) => Effect.Effect<AttachOutcome, AskError>
  /** Overrides what the presence of primitives says. */
  readonly declared?: Partial<Capabilities>
  /** Time for one write without progress. Default 5 seconds. */
  readonly writeDeadline?: Duration.Duration
}

/**
 * Builds the service. The scope holds its watches and deliveries; the locks serialise the senders of a pane.
 *
 * @category adapters
 * @since 0.1.0
 */
export type Make = (p: Primitives) => Effect.Effect<Service, never, PaneLocks | Scope.Scope>
