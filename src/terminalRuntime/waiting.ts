/**
 * Waits for what a pane shows: a line that matches, or a screen that stays as it is.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { OutputMatch, Service } from "../Contract.ts"
import { InvalidRequest, PaneEnded, WaitTimeout } from "../RuntimeError.ts"
import * as Screen from "../Screen.ts"
import * as Waiting from "../Waiting.ts"
import type { Looking, LookOptions } from "./looking.ts"
import type { Operations } from "./operations.ts"
import type { Targets } from "./targets.ts"
import type { Watching } from "./watching.ts"

/**
 * The waits for output.
 *
 * @internal
 */
export type OutputWaits = Pick<Service, "waitOutput" | "waitStable">

const lastSeen = (last: Option.Option<Screen.Screen>) =>
  Option.match(last, {
    onNone: () => ({ _tag: "Nothing" }) as const,
    onSome: (screen) => ({ _tag: "Screen", screen }) as const
  })

const checkTimeout = (operation: string, timeout: Waiting.Timeout): Effect.Effect<void, InvalidRequest> => {
  const millis = Option.match(Duration.fromInput(timeout), { onNone: () => Number.NaN, onSome: Duration.toMillis })
  return millis >= 0
    ? Effect.void
    : Effect.fail(new InvalidRequest({ operation, field: "timeout", reason: "must not be negative" }))
}

/** Rows before a counted mark need no look; an anchored one is searched for in all that is held. */
const rangeAfter = (after: Screen.Mark | undefined): LookOptions["range"] => {
  if (after === undefined) return "visible"
  return after.at === undefined ? "full" : { from: after.at.row }
}

/**
 * Arguments are checked before the first look.
 *
 * @internal
 */
export const makeOutputWaits = ({ looking, operations, targets, watching }: {
  readonly operations: Operations
  readonly targets: Targets
  readonly looking: Looking
  readonly watching: Watching
}): OutputWaits => {
  const waitOutput: OutputWaits["waitOutput"] = Effect.fnUntraced(function*(pane, { after, pattern, timeout }) {
    yield* targets.own(pane)
    if (pattern === "") {
      return yield* new InvalidRequest({ operation: "waitOutput", field: "pattern", reason: "must not be empty" })
    }
    yield* checkTimeout("waitOutput", timeout)
    const test = Screen.matcher(pattern)
    const waitedFor = `${pattern}`
    return yield* Waiting.until({
      subscribe: watching.subscribe(pane),
      look: looking.look(pane, { range: rangeAfter(after), join: true }),
      match: (screen): Option.Option<OutputMatch> => {
        const { lines, markLost } = Screen.linesAfter(screen, after)
        for (const { text } of lines) {
          const hit = test(text)
          if (Option.isSome(hit)) return Option.some({ ...hit.value, line: text, screen, markLost })
        }
        return Option.none()
      },
      timeout,
      onTimeout: (last, timeout) => new WaitTimeout({ target: pane, waitedFor, timeout, lastSeen: lastSeen(last) }),
      onEnd: (error, last) =>
        error._tag === "TargetNotFound" && Option.isSome(last)
          ? new PaneEnded({ pane, waitedFor, lastSeen: lastSeen(last) })
          : error
    })
  })

  const waitStable: OutputWaits["waitStable"] = Effect.fnUntraced(function*(pane, { quiet, timeout }) {
    yield* targets.own(pane)
    const look = looking.look(pane, { range: "visible" })
    return yield* Waiting.until({
      subscribe: Effect.succeedNone,
      look: Effect.all({ before: look, now: Effect.delay(look, quiet) }),
      match: ({ before, now }) => before.text === now.text ? Option.some(now) : Option.none(),
      timeout,
      onTimeout: (last, timeout) =>
        new WaitTimeout({
          target: pane,
          waitedFor: "a still screen",
          timeout,
          lastSeen: lastSeen(Option.map(last, ({ now }) => now))
        })
    })
  })

  return {
    waitOutput: operations.hot("waitOutput", waitOutput),
    waitStable: operations.hot("waitStable", waitStable)
  }
}
