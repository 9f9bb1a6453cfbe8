/**
 * What hooks of agents report, and whose report counts.
 *
 * @since 0.1.0
 */
import type { PaneHandle } from "../Target.ts"
import type { Kind } from "./profile.ts"

/**
 * What a hook says of its agent. `session` tells agents in one pane apart: an agent that another one started reports too.
 *
 * @category models
 * @since 0.1.0
 */
export interface Report {
  readonly pane: PaneHandle
  readonly state: "working" | "idle" | "blocked" | "exited"
  readonly kind?: Kind
  readonly agent?: string
  readonly session?: string
  readonly detail?: string
}

/**
 * @internal
 */
export type Reported = Omit<Report, "pane" | "state"> & { readonly state: Exclude<Report["state"], "exited"> }

/**
 * What holds after a report; undefined: nothing does any more.
 *
 * @internal
 */
export const accept = (before: Reported | undefined, { pane: _, state, ...rest }: Report): Reported | undefined => {
  if (before !== undefined && before.session !== rest.session) return before
  return state === "exited" ? undefined : { ...rest, state }
}
