/**
 * The hand of a test on a scripted runtime.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { AgentState } from "../../src/AgentState.ts"
import type { TargetNotFound } from "../../src/RuntimeError.ts"
import type * as Target from "../../src/Target.ts"
import type { Entry } from "./entries.ts"
import type * as Faults from "./faults.ts"
import type { Answers } from "./program.ts"
import type { Responding } from "./responding.ts"
import type * as World from "./world.ts"

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
}>()("paneway/layers/scripted/script") {}

/**
 * @internal
 */
export const make = ({ faults, responding, world }: {
  readonly world: World.World
  readonly faults: Faults.Faults
  readonly responding: Responding
}): Script["Service"] => {
  const withPane = (handle: Target.PaneHandle, f: (pane: World.HeldPane) => void) => Effect.map(world.held(handle), f)
  return {
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
        world.state.current = pane
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
    counts: Effect.sync(() => ({ looks: world.state.looks, watchers: world.watching() }))
  }
}
