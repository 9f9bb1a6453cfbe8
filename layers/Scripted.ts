/**
 * An in-memory runtime for tests: sessions, windows and panes with a real screen and scripted programs, a recorder of
 * every change, and a hand for the test on what happens and on what goes wrong.
 *
 * Nothing outside the program is touched, time passes by the Clock only, and whatever needs no time is done when the call
 * that caused it returns. Each build of the layer is a world of its own.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AgentState } from "../src/AgentState.ts"
import type { Facts, Primitives, Service, Size, SpawnRequest } from "../src/Contract.ts"
import * as PaneLocks from "../src/PaneLocks.ts"
import { SpawnFailed, TargetNotFound } from "../src/RuntimeError.ts"
import type * as Send from "../src/Send.ts"
import * as Target from "../src/Target.ts"
import * as TerminalRuntime from "../src/TerminalRuntime.ts"
import type { Wakes } from "../src/Waiting.ts"
import { type Entry, EnvironmentSet, Focused, Opened, Remembered, Resized, SessionClosed } from "./scripted/entries.ts"
import * as Faults from "./scripted/faults.ts"
import * as Grid from "./scripted/grid.ts"
import * as Opening from "./scripted/opening.ts"
import * as Output from "./scripted/output.ts"
import type { Answers, Program } from "./scripted/program.ts"
import * as Responding from "./scripted/responding.ts"
import * as Scopes from "./scripted/scopes.ts"
import * as Terminal from "./scripted/terminal.ts"
import * as World from "./scripted/world.ts"
import * as Writing from "./scripted/writing.ts"

export * from "./scripted/entries.ts"
export type { Fault } from "./scripted/faults.ts"
export {
  agent,
  type Answer,
  type Answers,
  lines,
  type Program,
  type Reply,
  type Responder
} from "./scripted/program.ts"
export type { Terminal } from "./scripted/program.ts"
export { type Options as ShellOptions, shell } from "./scripted/shell.ts"

/**
 * Primitives that an adapter need not have.
 *
 * @category models
 * @since 0.1.0
 */
export type Optional =
  | "current"
  | "find"
  | "session"
  | "focus"
  | "watchAll"
  | "output"
  | "resize"
  | "closeSession"
  | "leaveMode"
  | "setEnvironment"
  | "attach"

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** Name of the runtime. Default `scripted`. */
  readonly name?: string | undefined
  /** Default `memory`, with a number after it while another world has that. */
  readonly scope?: string | undefined
  /** Profile of panes whose program says no other. Default `plain-pane`. */
  readonly profile?: Send.SendProfile | undefined
  /** True: panes differ by their programs, and the adapter says so of each (`profileOf`). Default false. */
  readonly mixed?: boolean | undefined
  /** True: changes wake waits. False: waits poll. Default true. */
  readonly wakeUps?: boolean | undefined
  /** `guarded`: checks, place and all steps in one call. `stepwise`: a capture, then a write for each step. */
  readonly delivery?: "guarded" | "stepwise" | undefined
  /** `exact`: rows are counted. `anchored`: marks are found again by the lines before them. Default `exact`. */
  readonly marks?: "exact" | "anchored" | undefined
  /**
   * How rows are told that go on in the next one: `flagged` by their number, `joined` where the capture is asked to join
   * them and else not at all. Default `flagged`.
   */
  readonly wraps?: "flagged" | "joined" | undefined
  /** Whether the adapter itself tells what agents do. Default true. */
  readonly agents?: boolean | undefined
  /** Whether facts are kept on windows and panes. Default true. */
  readonly remembers?: boolean | undefined
  /** Whether a pane that was kept tells how its program ended. Default true. */
  readonly exitCodes?: boolean | undefined
  /** False: the adapter cannot mark a paste, so that text of several lines would submit. Default true. */
  readonly pastes?: boolean | undefined
  /** Which directories exist. Default all. */
  readonly directories?: ((path: string) => boolean) | undefined
  /** Primitives that the adapter lacks. */
  readonly without?: ReadonlyArray<Optional> | undefined
  /** Columns and rows of a pane that asks for no size. Default 80x24. */
  readonly size?: Size | undefined
  /** Rows that a pane keeps above its screen. Default 1000. */
  readonly scrollback?: number | undefined
  /** Session that an absent option means. Default `main`. */
  readonly session?: string | undefined
  /** Time without progress after which a send is cut. Default 5 seconds. */
  readonly stall?: Duration.Input | undefined
  /** What a pane runs that is given no program. Default: a shell, and an agent where the profile is `agent-aware`. */
  readonly program?: Program | undefined
  /** Programs by the name that starts them. Shells and the commands of the virtual shell are there already. */
  readonly programs?: Readonly<Record<string, Opening.Startable>> | undefined
}

/**
 * The hand of a test on the world of one runtime. What a test does with it is not in the log.
 *
 * @category services
 * @since 0.1.0
 */
export class Script extends Context.Service<Script, {
  /** Every change that the runtime made, oldest first. A call that was refused has left none. */
  readonly log: Effect.Effect<ReadonlyArray<Entry>>
  readonly clearLog: Effect.Effect<void>
  /** Answers the lines that programs read from now on, in one pane or in all that have no answers of their own. */
  readonly respond: (answers: Answers, pane?: Target.PaneHandle) => Effect.Effect<void>
  /** The program prints; LF begins a new line. */
  readonly print: (pane: Target.PaneHandle, text: string) => Effect.Effect<void, TargetNotFound>
  /** The program prints exactly these characters. */
  readonly feed: (pane: Target.PaneHandle, text: string) => Effect.Effect<void, TargetNotFound>
  /** States what the agent in the pane is doing. Each `working` begins a turn. */
  readonly agent: (pane: Target.PaneHandle, state: AgentState) => Effect.Effect<void, TargetNotFound>
  /** What is typed in the pane and not submitted. */
  readonly typing: (pane: Target.PaneHandle) => Effect.Effect<string, TargetNotFound>
  /** Modes of the runtime and the like, and the profile that the pane has now, whatever its program says. */
  readonly change: (pane: Target.PaneHandle, traits: World.Traits) => Effect.Effect<void, TargetNotFound>
  /** The program ends; default with code 0. */
  readonly end: (pane: Target.PaneHandle, exit?: Target.Exit) => Effect.Effect<void, TargetNotFound>
  /** Somebody else closes the pane. */
  readonly vanish: (pane: Target.PaneHandle) => Effect.Effect<void, TargetNotFound>
  /** This process runs in that pane from now on; absent, in none. */
  readonly enter: (pane?: Target.PaneHandle) => Effect.Effect<void>
  /** Something goes wrong from now on, everywhere or with one target. */
  readonly fault: (fault: Faults.Fault, target?: Target.Handle) => Effect.Effect<void>
  /** Everything, or one target, is well again. */
  readonly heal: (target?: Target.Handle) => Effect.Effect<void>
  /** The runtime starts anew: nothing is left, and ids are given out again by a new incarnation. */
  readonly restart: Effect.Effect<void>
  /** Looks at panes so far, and registrations for wake-ups now. */
  readonly counts: Effect.Effect<{ readonly looks: number; readonly watchers: number }>
}>()("paneway/layers/Scripted/Script") {}

/**
 * A scripted runtime and the hand on it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Scripted {
  readonly runtime: Service
  readonly script: Script["Service"]
}

/**
 * Builds a world as values, for programs that hold several runtimes at once. It ends with the scope.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: (
  options?: Options
) => Effect.Effect<Scripted, never, PaneLocks.PaneLocks | Scope.Scope> = Effect.fnUntraced(
  function*(options: Options = {}) {
    const {
      agents = true,
      delivery = "guarded",
      directories = () => true,
      exitCodes = true,
      marks = "exact",
      mixed = false,
      name = "scripted",
      pastes = true,
      profile: sendProfile = "plain-pane",
      program,
      programs = {},
      remembers = true,
      scrollback = 1000,
      session = "main",
      size = { columns: 80, rows: 24 },
      wakeUps = true,
      without = [],
      wraps = "flagged"
    } = options
    const scope = yield* Effect.scope
    const context = yield* Effect.context()
    const startFiber = Effect.runForkWith(context)
    const fork = (effect: Effect.Effect<unknown>) => Fiber.runIn(startFiber(effect), scope)
    const exact = marks === "exact"
    const faults = Faults.make()
    const opening: Opening.Options = { sendProfile, program, programs, isDirectory: directories }
    const world = World.make({
      runtime: name,
      host: "local",
      scope: options.scope ?? (yield* Scopes.claim(name)),
      exitCodes,
      faults
    })
    const { host, runtime, scope: endpoint } = world.identity()
    const responding = Responding.make()
    const variables = new Map<string, string>()
    let looks = 0
    let current: Target.PaneHandle | undefined

    const profileOf = ({ running, traits }: World.HeldPane): Send.SendProfile =>
      mixed ? traits.profile ?? running.program()?.profile ?? sendProfile : sendProfile
    const writing = Writing.make({ world, faults, exact, agents, pastes, profileOf })

    const open = Effect.fnUntraced(function*(request: SpawnRequest) {
      yield* world.ask()
      const started = yield* Opening.startedBy(opening, runtime, request)
      const place = yield* Opening.place(world, session, request, started.program.name)
      const window: World.HeldWindow = place.window ?? {
        handle: new Target.WindowHandle({ ...world.identity(), id: world.nextId("window") }),
        name: place.name,
        session: place.session,
        facts: {}
      }
      const handle = new Target.PaneHandle({ ...world.identity(), id: world.nextId("pane") })
      const output = Output.make()
      const running = Terminal.make({
        ...(request.size ?? size),
        scrollback,
        pane: handle,
        directory: request.cwd ?? "/",
        isDirectory: directories,
        env: Opening.environment(request, variables),
        responders: () => responding.of(handle),
        changed: () => world.wake(pane),
        printed: output.push,
        ended: () => {
          if (world.panes.get(handle.id) !== pane) return
          if (request.onExit === "close") return world.remove(pane)
          if (request.onExit === "shell") running.start(Opening.usual({ ...opening, sendProfile: "plain-pane" }))
          else output.end()
          world.changed()
        },
        fork
      })
      const pane: World.HeldPane = {
        handle,
        window,
        running,
        startCommand: started.startCommand,
        title: request.title,
        output,
        watchers: new Set(),
        facts: {},
        traits: {},
        late: "",
        clogged: false
      }
      world.windows.set(window.handle.id, window)
      world.panes.set(handle.id, pane)
      world.log.push(new Opened({ pane: handle, window: window.handle, program: started.startCommand }))
      world.changed()
      running.start(started.program)
      if (faults.find("AnswerLost") !== undefined) {
        faults.replace("AnswerLost", undefined)
        return yield* new SpawnFailed({
          runtime,
          reason: "lost",
          detail: "the answer to the opening was lost",
          created: "indeterminate"
        })
      }
      return world.describe(pane)
    })

    const registered = (set: Set<Wakes>, on: Wakes) =>
      Effect.asVoid(Effect.acquireRelease(Effect.sync(() => set.add(on)), () => Effect.sync(() => set.delete(on))))

    const optional: { [Name in Optional]?: NonNullable<Primitives[Name]> } = {
      current: Effect.map(world.ask(), () => Option.fromUndefinedOr(current)),
      session: Effect.as(world.ask(), session),
      find: (id) =>
        Effect.map(
          world.ask(),
          () => Option.fromUndefinedOr(world.inventory().panes.find((pane) => pane.handle.id === id))
        ),
      focus: Effect.fnUntraced(function*(target) {
        const pane = target._tag === "PaneHandle"
          ? yield* world.need(target)
          : world.activeIn((yield* world.needWindow(target)).handle)
        world.log.push(new Focused({ target }))
        if (pane !== undefined) world.focus(pane)
      }),
      watchAll: (on) => Effect.andThen(world.ask(), registered(world.watchers, on)),
      output: (handle) => Stream.unwrap(Effect.map(world.need(handle), ({ output }) => output.stream)),
      resize: Effect.fnUntraced(function*(handle, wanted) {
        const { running } = yield* world.need(handle)
        if (running.exit() !== undefined) return yield* new TargetNotFound({ target: handle, reason: "absent" })
        world.log.push(new Resized({ pane: handle, ...wanted }))
        running.grid.resize(wanted)
        running.feed("")
      }),
      closeSession: Effect.fnUntraced(function*(name) {
        yield* world.ask()
        const inside = [...world.panes.values()].filter(({ window }) => window.session === name)
        if (inside.length === 0) return
        world.log.push(new SessionClosed({ session: name }))
        inside.forEach(world.remove)
      }),
      leaveMode: writing.leaveMode,
      setEnvironment: Effect.fnUntraced(function*({ name, session: inSession, value }) {
        yield* world.ask()
        const plain = typeof value === "string" ? value : Redacted.value(value)
        variables.set(name, plain)
        world.log.push(
          new EnvironmentSet({
            name,
            value: typeof value === "string" ? value : "<redacted>",
            ...(inSession === undefined ? {} : { session: inSession })
          })
        )
        return { _tag: "Applied" }
      }),
      attach: () => Effect.as(world.ask(), { _tag: "Implicit" })
    }
    for (const one of without) delete optional[one]
    if (!wakeUps) delete optional.watchAll

    const primitives: Primitives = {
      runtime,
      host,
      scope: endpoint,
      sendProfile,
      inventory: Effect.map(world.ask(), world.inventory),
      open: (request) => Effect.uninterruptible(open(request)),
      close: Effect.fnUntraced(function*(target) {
        if (target._tag === "PaneHandle") return world.close(target, [yield* world.need(target)])
        yield* world.needWindow(target)
        world.close(target, world.in(target))
      }),
      write: writing.write,
      capture: Effect.fnUntraced(function*(handle, { join, range }) {
        looks += 1
        const raw = (yield* world.need(handle)).running.grid.read(range)
        const { cursor, origin, ...rest } = wraps === "flagged" ? raw : Grid.unflagged(raw, join)
        return exact && cursor !== undefined && origin !== undefined ? { ...rest, cursor, origin } : rest
      }),
      ...(delivery === "guarded" ? { deliver: writing.deliver } : {}),
      ...(mixed ?
        {
          profileOf: (handle) =>
            Effect.map(world.need(handle), (pane) => faults.find("StaleProfile", handle)?.as ?? profileOf(pane))
        } :
        {}),
      ...(agents
        ? {
          agent: (handle) =>
            Effect.map(world.need(handle), ({ running }) => ({
              ...running.agent(),
              ...(running.agent().state === "unknown" ? nobodyKnows : said)
            }))
        }
        : {}),
      ...(remembers
        ? {
          remember: Effect.fnUntraced(function*(target, facts) {
            const holder = yield* target._tag === "PaneHandle" ? world.need(target) : world.needWindow(target)
            holder.facts = { ...holder.facts, ...facts }
            world.log.push(new Remembered({ target, ...defined(facts) }))
          })
        }
        : {}),
      ...(wakeUps
        ? {
          watch: Effect.fnUntraced(function*(handle, on) {
            yield* registered((yield* world.need(handle)).watchers, on)
          })
        }
        : {}),
      ...optional,
      writeDeadline: Duration.fromInputUnsafe(options.stall ?? "5 seconds"),
      declared: {
        exitStatus: exitCodes ? "native" : "none",
        bracketedPaste: pastes ? "native" : "none",
        agentPrompt: sendProfile === "agent-aware" || mixed ? "native" : "none"
      }
    }
    const service = yield* TerminalRuntime.make(primitives)

    const withPane = (handle: Target.PaneHandle, f: (pane: World.HeldPane) => void) => Effect.map(world.held(handle), f)
    const script: Script["Service"] = {
      log: Effect.sync(() => [...world.log]),
      clearLog: Effect.sync(() => {
        world.log.length = 0
      }),
      respond: (answers, pane) => Effect.sync(() => responding.set(answers, pane)),
      print: (handle, text) => withPane(handle, ({ running }) => running.feed(text.replaceAll(/\r?\n/g, "\r\n"))),
      feed: (handle, text) => withPane(handle, ({ running }) => running.feed(text)),
      agent: (handle, state) => withPane(handle, ({ running }) => running.setAgent(state)),
      typing: (handle) => Effect.map(world.held(handle), ({ running }) => running.typing()),
      change: (handle, traits) =>
        withPane(handle, (pane) => {
          pane.traits = { ...pane.traits, ...traits }
          world.wake(pane)
        }),
      end: (handle, exit = { code: 0 }) => withPane(handle, ({ running }) => running.end(exit)),
      vanish: (handle) => withPane(handle, world.remove),
      enter: (pane) =>
        Effect.sync(() => {
          current = pane
        }),
      fault: (fault, target) =>
        Effect.sync(() => {
          faults.set(fault, target)
          if (fault._tag === "Down" && fault.after === undefined) world.loseWatchers()
        }),
      heal: (target) =>
        Effect.sync(() => {
          faults.heal(target)
          for (const pane of world.panes.values()) {
            if (target === undefined || `${target}` === `${pane.handle}`) pane.clogged = false
          }
          world.changed()
        }),
      restart: Effect.sync(world.restart),
      counts: Effect.sync(() => ({ looks, watchers: world.watching() }))
    }
    return { runtime: service, script }
  }
)

const said = { source: "agent-protocol", confidence: "certain" } as const
const nobodyKnows = { source: "none", confidence: "guess" } as const

/** Without the keys that are undefined. */
const defined = ({ prepared, preset, root }: Facts) => ({
  ...(root === undefined ? {} : { root }),
  ...(preset === undefined ? {} : { preset }),
  ...(prepared === undefined ? {} : { prepared })
})

/**
 * Like {@link layer}, with the locks of the surroundings, for runtimes that share their locks with others.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerWithoutLocks = (
  options: Options = {}
): Layer.Layer<TerminalRuntime.TerminalRuntime | Script, never, PaneLocks.PaneLocks> =>
  Layer.effectContext(
    Effect.map(make(options), ({ runtime, script }) =>
      Context.make(TerminalRuntime.TerminalRuntime, runtime).pipe(Context.add(Script, script)))
  )

/**
 * Provides `TerminalRuntime` in memory, and {@link Script} beside it. Give it where a program is given another runtime's
 * layer.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options = {}): Layer.Layer<TerminalRuntime.TerminalRuntime | Script> =>
  Layer.provide(layerWithoutLocks(options), PaneLocks.layerMemory)
