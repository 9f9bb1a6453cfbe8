/**
 * What a caller hands over to the panes that are opened for it without an environment of their own: `ensureWindow` and
 * `preparePane` take none.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type { SpawnRequest } from "../Contract.ts"

/**
 * @internal
 */
export type Environment = Pick<SpawnRequest, "env" | "unset">

/**
 * Default: nothing, so that such a pane has what the runtime itself has.
 *
 * @internal
 */
export const Handed = Context.Reference<Environment>("paneway/internal/Handed", { defaultValue: () => ({}) })
