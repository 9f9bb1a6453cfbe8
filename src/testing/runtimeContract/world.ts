/**
 * What each test of the suite is given: a runtime that was built for it alone, the recorder in front of its adapter, and
 * programs to run in its panes.
 *
 * @since 0.1.0
 */
import { assert, it } from "@effect/vitest"
import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Capability } from "../../Capabilities.ts"
import type { OpenError, OutputMatch, Service, SpawnRequest, TargetError, WaitError } from "../../Contract.ts"
import type { InvalidRequest, RuntimeError } from "../../RuntimeError.ts"
import type { Pane, PaneHandle } from "../../Target.ts"
import { TerminalRuntime } from "../../TerminalRuntime.ts"
import * as Recorder from "../Recorder.ts"
import type { Rule } from "./rules.ts"

/**
 * What a pane is asked to run.
 *
 * @category options
 * @since 0.1.0
 */
export type Program = NonNullable<SpawnRequest["program"]>

/**
 * Programs that the suite runs in panes.
 *
 * @category options
 * @since 0.1.0
 */
export interface Programs {
  /**
   * A POSIX shell that reads lines and runs `echo`, `printf`, `sleep`, `cat`, `cd`, `exit` and `sh -c`, and `stty size`
   * where panes can be resized.
   */
  readonly shell: Program
  /**
   * Prints `ready` on a line, then what it gets, byte for byte, as `cat -vt` shows it: Enter is `^M`, Escape `^[`. It
   * echoes nothing and never ends.
   */
  readonly recorder: Program
  /** The same, after it has asked for bracketed paste. */
  readonly pasteRecorder: Program
  /** Prints `ready` on a line, reads that many bytes without echo, and prints their checksum and count as `cksum` does. */
  readonly counter: (bytes: number) => Program
  /** Prints this text and ends with this code. */
  readonly ending: (text: string, code: number) => Program
  /** Prints `ready` on a line, then prints what comes in by lines, in the terminal's own way; `cat` does. */
  readonly echo: Program
  /** Prints this text, raw, with its control sequences, then `ready` on a line; reads nothing. */
  readonly printing: (text: string) => Program
  /**
   * An agent, where the runtime tells agents by itself; no other needs it. Prints `ready` on a line and is idle; each line
   * that is submitted has it working for about half a second, and idle again.
   */
  readonly agent?: Program | undefined
}

/**
 * What a test may ask for.
 *
 * @internal
 */
interface World {
  readonly runtime: Service
  readonly recorder: Recorder.Recorder
  readonly programs: Programs
  /** A directory that exists where the panes are. */
  readonly root: string
  /** Time for what is expected to happen. */
  readonly patience: Duration.Duration
  readonly has: (capability: Capability) => boolean
  /** Opens a pane with one of the programs, in a window of its own. */
  readonly open: (program: Program, o?: Omit<SpawnRequest, "program">) => Effect.Effect<Pane, OpenError>
  /** The same, and waits until it prints `ready`. */
  readonly openReady: (
    program: Program,
    o?: Omit<SpawnRequest, "program">
  ) => Effect.Effect<Pane, OpenError | WaitError>
  /** Opens a pane with the shell, and waits until it prompts. */
  readonly openShell: (o?: Omit<SpawnRequest, "program">) => Effect.Effect<Pane, OpenError | WaitError>
  /** Waits for a line. */
  readonly line: (
    pane: PaneHandle,
    pattern: string | RegExp,
    o?: { readonly after?: Parameters<Service["waitOutput"]>[1]["after"] }
  ) => Effect.Effect<OutputMatch, WaitError>
  /** The same adapter built once more beside this one, and closed after the effect. */
  readonly another: <A>(
    use: (world: World) => Effect.Effect<A, Failure, Scope.Scope>
  ) => Effect.Effect<A, Failure, Scope.Scope>
  /** Repeats it until it is true. */
  readonly until: <E>(done: Effect.Effect<boolean, E>) => Effect.Effect<void, E | Cause.TimeoutError>
  /** Whether a pane of this kind is among those that exist. */
  readonly exists: (pane: PaneHandle) => Effect.Effect<boolean, TargetError | InvalidRequest>
}

/**
 * What a test may fail with when the contract is not held.
 *
 * @internal
 */
type Failure = RuntimeError | Schema.SchemaError | Cause.TimeoutError

/**
 * Registers a test of a rule. Its world is built before the body and closed after it.
 *
 * @internal
 */
export type Test = (
  rule: Rule,
  statement: string,
  body: (world: World) => Effect.Effect<void, Failure, Scope.Scope>,
  o?: {
    /** Without one of these the test says nothing: the tests of capabilities assert the refusal. */
    readonly needs?: ReadonlyArray<Capability>
    /** Time that a write may take without progress, for tests that wait for it to pass. */
    readonly writeDeadline?: Duration.Input
  }
) => void

/**
 * How worlds are built.
 *
 * @internal
 */
export interface Building<E> {
  readonly layer: Layer.Layer<TerminalRuntime, E>
  readonly programs: Programs
  readonly root: string
  readonly patience: Duration.Duration
  readonly lacks: ReadonlyArray<Capability>
  readonly without: ReadonlyArray<Recorder.Optional>
}

const makeWorld: <E>(
  building: Building<E>,
  writeDeadline: Duration.Input | undefined
) => Effect.Effect<World, E, Scope.Scope> = Effect.fnUntraced(function*<E>(
  building: Building<E>,
  writeDeadline: Duration.Input | undefined
) {
  const { lacks, layer, patience, programs, root, without } = building
  const recorder = Recorder.make({ without, writeDeadline })
  const built = yield* Layer.build(Layer.fresh(layer).pipe(Layer.provide(Recorder.layer(recorder))))
  const runtime = Context.get(built, TerminalRuntime)
  const open: World["open"] = (program, o) => runtime.spawn({ program, ...o })
  const line: World["line"] = (pane, pattern, o) => runtime.waitOutput(pane, { pattern, timeout: patience, ...o })
  const world: World = {
    runtime,
    recorder,
    programs,
    root,
    patience,
    has: (capability) => !lacks.includes(capability),
    open,
    openReady: Effect.fnUntraced(function*(program, o) {
      const pane = yield* open(program, o)
      yield* line(pane.handle, /^ready$/)
      return pane
    }),
    openShell: Effect.fnUntraced(function*(o) {
      const pane = yield* open(programs.shell, o)
      yield* line(pane.handle, /[$#%>] ?$/)
      return pane
    }),
    line,
    another: (use) => Effect.scoped(Effect.flatMap(Effect.orDie(makeWorld(building, writeDeadline)), use)),
    until: (done) =>
      Effect.repeat(done, { until: (is) => is, schedule: Schedule.spaced("10 millis") }).pipe(
        // what is kept for a moment is kept for a second or two
        Effect.timeout(Duration.sum(patience, Duration.seconds(2))),
        Effect.asVoid
      ),
    exists: (pane) =>
      Effect.map(runtime.listPanes(), (panes) => panes.some(({ handle }) => handle.toString() === pane.toString()))
  }
  return world
})

/**
 * @internal
 */
export const makeTest =
  <E>(building: Building<E>): Test => (rule, statement, body, { needs = [], writeDeadline } = {}) => {
    const lacking = needs.filter((capability) => building.lacks.includes(capability))
    // what is lacking is asserted to be refused, in the tests of capabilities
    if (lacking.length > 0) return
    it.live(
      `${rule}: ${statement}`,
      () => Effect.scoped(Effect.flatMap(makeWorld(building, writeDeadline), body)),
      Duration.toMillis(building.patience) * 3
    )
  }

/**
 * What an effect fails with. One that succeeds fails the test.
 *
 * @internal
 */
export const failureOf = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<E, never, R> =>
  Effect.matchEffect(effect, {
    onFailure: Effect.succeed,
    onSuccess: (value) => Effect.sync(() => assert.fail(`it succeeded: ${String(value)}`))
  })

/**
 * A line that a command printed, whether or not the shell had prompted before it was typed.
 *
 * @internal
 */
export const printed = (text: string): RegExp => new RegExp(`^(?:[$#%>] )?${text}$`)
