/**
 * How a wait for something in a pane ends without it.
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import * as Exit from "effect/Exit"
import type { TargetError } from "../Contract.ts"
import { isInstance } from "../internal/instance.ts"
import { InvalidRequest, lastScreen, type LastSeen, PaneEnded, WaitTimeout } from "../RuntimeError.ts"
import { Mark, type Screen } from "../Screen.ts"
import type { PaneHandle } from "../Target.ts"
import type { Shot } from "./shots.ts"

/**
 * What one wait brings must not end the looks that others share with it.
 *
 * @internal
 */
export const isMark = (after: unknown): boolean => after === undefined || isInstance(after, Mark)

/**
 * @internal
 */
export const noMark = (operation: string): InvalidRequest =>
  new InvalidRequest({ operation, field: "after", reason: "must be a mark, such as the one of a report" })

/**
 * What the last look saw, bounded and scrubbed.
 *
 * @internal
 */
export const lastSeenOf = (last: Screen | undefined): LastSeen =>
  last === undefined ? { _tag: "Nothing" } : lastScreen(last)

/**
 * The ends of one wait. `last` and `missed` are asked when it ends.
 *
 * @internal
 */
export const makeEnds = (
  pane: PaneHandle,
  waitedFor: string,
  last: () => LastSeen,
  missed: () => boolean = () => false
) => {
  const lost = () => missed() ? { rowsLost: true } : {}
  const ended = (end: Shot["ended"]): PaneEnded =>
    new PaneEnded({
      pane,
      waitedFor,
      lastSeen: last(),
      ...lost(),
      ...(end?.exit === undefined ? {} : { exit: end.exit })
    })

  return {
    timedOut: (timeout: Duration.Duration): WaitTimeout =>
      new WaitTimeout({ target: pane, waitedFor, timeout, lastSeen: last(), ...lost() }),
    ended,
    /** A pane that was seen and is not found any more has ended; one that was never seen is not found. */
    failed: (error: TargetError, { ended: end }: Shot): Exit.Exit<never, PaneEnded | TargetError> =>
      error._tag === "TargetNotFound" && last()._tag !== "Nothing" ? Exit.fail(ended(end)) : Exit.fail(error)
  }
}
