/**
 * Records what the service asks of an adapter, and disturbs it where a test wants that.
 *
 * It stands between `TerminalRuntime.make` and the primitives of any adapter, also one that drives a real program: an
 * empty list of mutations after a refusal then means that the program was not touched.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Primitives } from "../Contract.ts"
import type { Step } from "../Send.ts"
import type { PaneHandle, WindowHandle } from "../Target.ts"
import { Instrument } from "../TerminalRuntime.ts"
import type { Wakes } from "../Waiting.ts"

const changes = [
  "open",
  "close",
  "closeSession",
  "write",
  "deliver",
  "leaveMode",
  "focus",
  "resize",
  "remember",
  "setEnvironment",
  "attach"
] as const

/**
 * Primitives that change something.
 *
 * @category models
 * @since 0.1.0
 */
export type Change = typeof changes[number]

/**
 * Primitives that only ask.
 *
 * @category models
 * @since 0.1.0
 */
export type Question =
  | "inventory"
  | "find"
  | "session"
  | "capture"
  | "current"
  | "watch"
  | "watchAll"
  | "profileOf"
  | "agent"

/**
 * One call of a primitive.
 *
 * @category models
 * @since 0.1.0
 */
export interface Call<Name extends Change | Question = Change | Question> {
  readonly primitive: Name
  readonly target?: PaneHandle | WindowHandle | string | undefined
  /** What `write` and `deliver` were to write, in order. */
  readonly steps: ReadonlyArray<Step>
  /** `refused`: a delivery that met an obstacle and wrote nothing. */
  readonly state: "running" | "succeeded" | "failed" | "refused" | "interrupted"
}

type Writable<A> = { -readonly [K in keyof A]: A[K] }

/**
 * Primitives that an adapter may lack, and that a recorder can hide.
 *
 * @category models
 * @since 0.1.0
 */
export type Optional = {
  [K in keyof Primitives]-?: undefined extends Primitives[K] ? K : never
}[keyof Primitives]

/**
 * @category models
 * @since 0.1.0
 */
export interface Recorder {
  /** Every call, oldest first. */
  readonly calls: ReadonlyArray<Call>
  /** Calls that changed something, or may have: refused deliveries are none. */
  readonly mutations: () => ReadonlyArray<Call<Change>>
  /** The steps that were written to this pane, or may have been, in order. */
  readonly written: (pane: PaneHandle) => ReadonlyArray<Step>
  /** Registrations of `watch` and `watchAll` that have not been given back. */
  readonly watching: () => number
  /** How often the adapter told something to a registration that had been given back, and its scope closed. */
  readonly late: () => number
  /** Forgets the calls so far. */
  readonly clear: () => void
  /** While the effect runs, these stand for the primitives of the same name; one that the adapter lacks stays lacking. */
  readonly during: (
    replace: (original: Primitives) => Partial<Primitives>
  ) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Goes between the adapter and `TerminalRuntime.make`. */
  readonly instrument: (adapter: Primitives) => Primitives
}

/**
 * `without` hides optional primitives, as if the adapter had none; `writeDeadline` stands for its own.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  options: {
    readonly without?: ReadonlyArray<Optional> | undefined
    readonly writeDeadline?: Duration.Input | undefined
  } = {}
): Recorder => {
  const calls: Array<Writable<Call>> = []
  const replacements: Array<(original: Primitives) => Partial<Primitives>> = []
  let registered = 0
  let late = 0

  const isChange = (call: Call): call is Call<Change> => changes.some((change) => change === call.primitive)
  const isOf = (target: Call["target"], pane: PaneHandle) => String(target) === String(pane)
  const wrote = ({ state }: Call) => state !== "refused"

  const recorded = <A, E, R>(
    primitive: Change | Question,
    effect: () => Effect.Effect<A, E, R>,
    target?: Call["target"],
    steps: ReadonlyArray<Step> = []
  ): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const call: Writable<Call> = { primitive, target, steps, state: "running" }
      calls.push(call)
      return Effect.onExit(effect(), (exit) =>
        Effect.sync(() => {
          call.state = Exit.isSuccess(exit) ? "succeeded" : Exit.hasInterrupts(exit) ? "interrupted" : "failed"
        }))
    })

  const registration = <E>(
    primitive: "watch" | "watchAll",
    target: PaneHandle | undefined,
    on: Wakes,
    effect: (on: Wakes) => Effect.Effect<void, E, Scope.Scope>
  ): Effect.Effect<void, E, Scope.Scope> => {
    let held = true
    const noted = <A extends ReadonlyArray<unknown>, B>(tell: (...args: A) => B) => (...args: A): B => {
      if (!held) late += 1
      return tell(...args)
    }
    const { lost, overflow, wake } = on
    const told: Wakes = {
      wake: noted(wake),
      lost: noted(lost),
      ...(overflow === undefined ? {} : { overflow: noted(overflow) })
    }
    return Effect.gen(function*() {
      // runs after what the adapter does at the end of the scope
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          held = false
        })
      )
      yield* recorded(primitive, () => effect(told), target)
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          registered += 1
        }),
        () =>
          Effect.sync(() => {
            registered -= 1
          })
      )
    })
  }

  const instrument = (adapter: Primitives): Primitives => {
    const original: Writable<Primitives> = { ...adapter }
    for (const name of options.without ?? []) delete original[name]
    if (options.writeDeadline !== undefined) original.writeDeadline = Duration.fromInputUnsafe(options.writeDeadline)
    const now = (): Primitives => {
      const current = { ...original }
      for (const replace of replacements) Object.assign(current, replace({ ...current }))
      return current
    }
    const { closeSession, deliver, find, focus, leaveMode, profileOf, remember, resize } = original
    const { agent, attach, current, session, setEnvironment, watch, watchAll } = original

    return {
      ...original,
      inventory: recorded("inventory", () => now().inventory),
      open: (request) => recorded("open", () => now().open(request)),
      close: (target) => recorded("close", () => now().close(target), target),
      write: (pane, step) => recorded("write", () => now().write(pane, step), pane, [step]),
      capture: (pane, how) => recorded("capture", () => now().capture(pane, how), pane),
      ...(deliver === undefined ? {} : {
        deliver: (pane, delivery) =>
          Effect.tap(
            recorded("deliver", () => (now().deliver ?? deliver)(pane, delivery), pane, delivery.steps),
            (delivered) =>
              Effect.sync(() => {
                if (delivered._tag === "Refused") {
                  const call = calls.findLast(({ primitive, target }) => primitive === "deliver" && isOf(target, pane))
                  if (call !== undefined) call.state = "refused"
                }
              })
          )
      }),
      ...(leaveMode === undefined ? {} : {
        leaveMode: (pane) => recorded("leaveMode", () => (now().leaveMode ?? leaveMode)(pane), pane)
      }),
      ...(find === undefined ? {} : { find: (id) => recorded("find", () => (now().find ?? find)(id), id) }),
      ...(session === undefined ? {} : { session: recorded("session", () => now().session ?? session) }),
      ...(current === undefined ? {} : { current: recorded("current", () => now().current ?? current) }),
      ...(focus === undefined ? {} : {
        focus: (target) => recorded("focus", () => (now().focus ?? focus)(target), target)
      }),
      ...(watch === undefined ? {} : {
        watch: (pane, on) => registration("watch", pane, on, (told) => (now().watch ?? watch)(pane, told))
      }),
      ...(watchAll === undefined ? {} : {
        watchAll: (on) => registration("watchAll", undefined, on, (told) => (now().watchAll ?? watchAll)(told))
      }),
      ...(profileOf === undefined ? {} : {
        profileOf: (pane) => recorded("profileOf", () => (now().profileOf ?? profileOf)(pane), pane)
      }),
      ...(resize === undefined ? {} : {
        resize: (pane, size) => recorded("resize", () => (now().resize ?? resize)(pane, size), pane)
      }),
      ...(closeSession === undefined ? {} : {
        closeSession: (name) => recorded("closeSession", () => (now().closeSession ?? closeSession)(name), name)
      }),
      ...(agent === undefined ? {} : { agent: (pane) => recorded("agent", () => (now().agent ?? agent)(pane), pane) }),
      ...(remember === undefined ? {} : {
        remember: (target, facts) => recorded("remember", () => (now().remember ?? remember)(target, facts), target)
      }),
      ...(setEnvironment === undefined ? {} : {
        setEnvironment: (o) => recorded("setEnvironment", () => (now().setEnvironment ?? setEnvironment)(o), o.name)
      }),
      ...(attach === undefined ? {} : { attach: (o) => recorded("attach", () => (now().attach ?? attach)(o)) })
    }
  }

  return {
    calls,
    mutations: () => calls.filter(isChange).filter(wrote),
    written: (pane) =>
      calls.filter(({ primitive, target }) => (primitive === "write" || primitive === "deliver") && isOf(target, pane))
        .filter(wrote).flatMap(({ steps }) => steps),
    watching: () => registered,
    late: () => late,
    clear: () => {
      calls.length = 0
    },
    during: (replace) => (effect) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          replacements.push(replace)
        }),
        () => effect,
        () =>
          Effect.sync(() => {
            replacements.splice(replacements.lastIndexOf(replace), 1)
          })
      ),
    instrument
  }
}

/**
 * Has the recorder instrument every runtime that is built below it.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (recorder: Recorder): Layer.Layer<never> => Layer.succeed(Instrument, recorder.instrument)
