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
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Service } from "../src/Contract.ts"
import * as PaneLocks from "../src/PaneLocks.ts"
import * as TerminalRuntime from "../src/TerminalRuntime.ts"
import * as Faults from "./scripted/faults.ts"
import * as Opening from "./scripted/opening.ts"
import * as Primitives from "./scripted/primitives.ts"
import * as Responding from "./scripted/responding.ts"
import * as Scopes from "./scripted/scopes.ts"
import * as Scripts from "./scripted/script.ts"
import { type Options, settings as settle } from "./scripted/settings.ts"
import * as World from "./scripted/world.ts"

export * from "./scripted/entries.ts"
export type { Fault } from "./scripted/faults.ts"
export {
  agent,
  type Answer,
  type Answers,
  lines,
  type Program,
  type Reply,
  type Responder,
  type Terminal
} from "./scripted/program.ts"
export { Script } from "./scripted/script.ts"
export type { Optional, Options, Startable } from "./scripted/settings.ts"
export { type Options as ShellOptions, shell } from "./scripted/shell.ts"
export type { Traits } from "./scripted/world.ts"

/**
 * A scripted runtime and the hand on it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Scripted {
  readonly runtime: Service
  readonly script: Scripts.Script["Service"]
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
    const settings = settle(options)
    const scope = yield* Effect.scope
    const start = Effect.runForkWith(yield* Effect.context())
    const fork = (effect: Effect.Effect<unknown>) => Fiber.runIn(start(effect), scope)
    const faults = Faults.make()
    const responding = Responding.make()
    const world = World.make({
      runtime: settings.name,
      host: "local",
      scope: options.scope ?? (yield* Scopes.claim(settings.name)),
      exitCodes: settings.exitCodes,
      faults
    })
    const open = Opening.make({ settings, world, faults, responding, fork })
    const runtime = yield* TerminalRuntime.make(Primitives.make({ settings, world, faults, open }))
    return { runtime, script: Scripts.make({ world, faults, responding }) }
  }
)

/**
 * Like {@link layer}, with the locks of the surroundings, for runtimes that share their locks with others.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerWithoutLocks = (
  options: Options = {}
): Layer.Layer<TerminalRuntime.TerminalRuntime | Scripts.Script, never, PaneLocks.PaneLocks> =>
  Layer.effectContext(
    Effect.map(make(options), ({ runtime, script }) =>
      Context.make(TerminalRuntime.TerminalRuntime, runtime).pipe(Context.add(Scripts.Script, script)))
  )

/**
 * Provides `TerminalRuntime` in memory, and `Script` beside it. Give it where a program is given another runtime's
 * layer.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options = {}): Layer.Layer<TerminalRuntime.TerminalRuntime | Scripts.Script> =>
  Layer.provide(layerWithoutLocks(options), PaneLocks.layerMemory)
