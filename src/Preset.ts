/**
 * The seam through which rooms above the contract say what a named window preset is.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { AskError } from "./Contract.ts"
import { Unsupported } from "./RuntimeError.ts"

/**
 * The panes of a preset, in order, with the commands that each one starts with, and the layout that they take.
 *
 * @category models
 * @since 0.1.0
 */
export interface PresetPlan {
  readonly panes: ReadonlyArray<{ readonly commands: ReadonlyArray<string>; readonly root?: string }>
  readonly layout?: string
}

/**
 * Finds a preset by name for a window's root. The default knows none and fails with `Unsupported`.
 *
 * @category references
 * @since 0.1.0
 */
export const PresetSource = Context.Reference<
  (name: string, root: string) => Effect.Effect<PresetPlan, Unsupported | AskError>
>("paneway/Preset/PresetSource", {
  defaultValue: () => (name) =>
    Effect.fail(new Unsupported({ runtime: "any", capability: "windowMetadata", reason: `no preset source: ${name}` }))
})
