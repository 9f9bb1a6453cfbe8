/**
 * Which runtime is played.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import type { Size } from "../../src/Contract.ts"
import type * as Send from "../../src/Send.ts"
import type { Program } from "./program.ts"

/**
 * A program, or how one is made from what it is started with.
 *
 * @category programs
 * @since 0.1.0
 */
export type Startable = Program | ((argv: ReadonlyArray<string>) => Program)

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
  readonly programs?: Readonly<Record<string, Startable>> | undefined
}

/**
 * The options with what they are when they are absent.
 *
 * @internal
 */
export interface Settings
  extends
    Required<{ readonly [Name in keyof Omit<Options, "scope" | "program" | "stall">]: NonNullable<Options[Name]> }>
{
  readonly program: Program | undefined
  readonly stall: Duration.Duration
}

/**
 * @internal
 */
export const settings = (options: Options): Settings => {
  const {
    agents = true,
    delivery = "guarded",
    directories = () => true,
    exitCodes = true,
    marks = "exact",
    mixed = false,
    name = "scripted",
    pastes = true,
    profile = "plain-pane",
    program,
    programs = {},
    remembers = true,
    scrollback = 1000,
    session = "main",
    size = { columns: 80, rows: 24 },
    stall = "5 seconds",
    wakeUps = true,
    without = [],
    wraps = "flagged"
  } = options
  return {
    agents,
    delivery,
    directories,
    exitCodes,
    marks,
    mixed,
    name,
    pastes,
    profile,
    program,
    programs,
    remembers,
    scrollback,
    session,
    size,
    stall: Duration.fromInputUnsafe(stall),
    wakeUps,
    without,
    wraps
  }
}
