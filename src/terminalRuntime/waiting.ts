/**
 * Waits for what a pane shows: a line that matches, or a screen that stays as it is.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { OutputMatch, Service, WaitError } from "../Contract.ts"
import { InvalidRequest } from "../RuntimeError.ts"
import * as Screen from "../Screen.ts"
import { makeAlarm } from "../waiting/alarm.ts"
import { duration } from "../waiting/schedules.ts"
import { type LineSearchService, searchFor, searchLines } from "../waiting/searching.ts"
import { wait } from "../waiting/wait.ts"
import { isMark, lastSeenOf, makeEnds, noMark } from "./ending.ts"
import type { Operations } from "./operations.ts"
import { type Need, note, type PaneWaiter, paneWaiter, type Shot } from "./shots.ts"
import type { Targets } from "./targets.ts"
import type { Place } from "./views.ts"
import type { Watching } from "./watching.ts"

/**
 * The waits for output. `untraced` is the wait for a line inside another operation.
 *
 * @internal
 */
export interface OutputWaits {
  readonly operations: Pick<Service, "waitOutput" | "waitStable">
  readonly untraced: Pick<Service, "waitOutput">
}

const wrongPattern = (reason: string) => new InvalidRequest({ operation: "waitOutput", field: "pattern", reason })

const unmatchable = wrongPattern("takes too long to match: leave out repetitions within repetitions")

/** Whether the pattern finds nothing in every line, or cannot even be tried on the shortest. */
const problemOf = (pattern: string | RegExp, search: ReturnType<typeof searchFor>): InvalidRequest | undefined => {
  if (typeof pattern === "string") return pattern === "" ? wrongPattern("must not be empty") : undefined
  const found = ["", "\0"].map((line) => search([line]))
  if (found.includes("unmatchable")) return unmatchable
  return found.every((one) => typeof one === "object" && one.text === "")
    ? wrongPattern("must not be empty")
    : undefined
}

/**
 * Arguments are checked before anything is asked.
 *
 * @internal
 */
export const makeOutputWaits = ({ lineSearch, operations, targets, watching }: {
  readonly lineSearch: LineSearchService
  readonly operations: Operations
  readonly targets: Targets
  readonly watching: Watching
}): OutputWaits => {
  const waitOutput = (using: LineSearchService): Service["waitOutput"] =>
    Effect.fnUntraced(function*(pane, { after, pattern, timeout }) {
      if (!isMark(after)) return yield* noMark("waitOutput")
      const search = searchFor(pattern, using)
      const wrong = problemOf(pattern, search)
      if (wrong !== undefined) return yield* wrong
      const time = duration("waitOutput", "timeout", timeout)
      if (!Duration.isDuration(time)) return yield* time
      yield* targets.own(pane)
      const { hub, start } = watching.pane(pane)
      let place = start(after)
      let before: Screen.Screen | undefined
      const last = () => {
        const view = place.latest?.view
        return view !== undefined && Result.isSuccess(view) ? view.success.screen : before
      }
      let waiting: PaneWaiter | undefined
      const ends = makeEnds(pane, `${pattern}`, () => lastSeenOf(last()), () => waiting?.missed === true)
      const isIn = typeof pattern === "string"
        ? (lines: string) => Screen.normalise([lines]).some((text) => text.includes(pattern))
        : (lines: string) => search(Screen.normalise(lines.split("\n"))) !== undefined
      const goTo = (waiter: PaneWaiter, next: Place) => {
        before = last()
        place = next
        waiter.place = next
        waiter.need = next.need
        waiter.tested = -1
      }

      return yield* wait<PaneWaiter, Shot, OutputMatch, WaitError>(hub, {
        count: watching.count,
        waiter: paneWaiter(place.need, { place, isIn, text: typeof pattern === "string" ? pattern : undefined }),
        see: (shot, waiter, refresh) => {
          waiting = waiter
          const looked = shot.view(place)
          if (looked === undefined) return undefined
          if (Result.isFailure(looked)) return ends.failed(looked.failure, shot)
          const view = looked.success
          if (view.misplaced) {
            goTo(waiter, view.next)
            refresh()
            return undefined
          }
          const first = waiter.tested !== -1 && view.before === waiter.tested ? view.same : 0
          waiter.tested = view.shot
          note(waiter, view.screen)
          const lines = view.lines.slice(first).map(({ text }) => text)
          const hit = search(lines)
          if (hit === "unmatchable") return Exit.fail(unmatchable)
          if (hit !== undefined) {
            const { at, groups, text } = hit
            const { markLost, screen } = view
            return Exit.succeed({ text, groups, line: lines[at] ?? "", screen, markLost, rowsLost: waiter.missed })
          }
          if (view.next !== place) goTo(waiter, view.next)
          return shot.ended === undefined ? undefined : Exit.fail(ends.ended(shot.ended))
        },
        deadline: { timeout: time, failure: () => ends.timedOut(time) }
      })
    })

  const waitStable: Service["waitStable"] = Effect.fnUntraced(function*(pane, { after, quiet, timeout }) {
    if (!isMark(after)) return yield* noMark("waitStable")
    const time = duration("waitStable", "timeout", timeout)
    if (!Duration.isDuration(time)) return yield* time
    const asked = duration("waitStable", "quiet", quiet)
    if (!Duration.isDuration(asked)) return yield* asked
    if (!Duration.isFinite(asked)) {
      return yield* new InvalidRequest({ operation: "waitStable", field: "quiet", reason: "must be finite" })
    }
    const still = Duration.toMillis(asked)
    yield* targets.own(pane)
    const clock = yield* Clock.Clock
    const need: Need = { _tag: "Rows" }
    let last: Screen.Screen | undefined
    let text: string | undefined
    let since = 0
    let woken = Number.POSITIVE_INFINITY
    const alarm = makeAlarm(clock)
    const ends = makeEnds(pane, "a still screen", () => lastSeenOf(last))
    const begun = (screen: Screen.Screen) =>
      after === undefined || Screen.linesAfter(screen, after).lines.some((line) => line.text.trim() !== "")

    return yield* wait<PaneWaiter, Shot, Screen.Screen, WaitError>(watching.pane(pane).hub, {
      count: watching.count,
      waiter: paneWaiter(need),
      see: (shot) => {
        const looked = shot.rows
        if (looked === undefined) return undefined
        if (Result.isFailure(looked)) return ends.failed(looked.failure, shot)
        const screen = looked.success
        const now = clock.currentTimeMillisUnsafe()
        last = screen
        if (shot.ended !== undefined) return Exit.fail(ends.ended(shot.ended))
        // several changes since the last look: what the others showed was not seen
        if (screen.text !== text || shot.woken > woken + 1) since = now
        text = screen.text
        woken = shot.woken
        if (!begun(screen)) return undefined
        if (now - since >= still) return Exit.succeed(screen)
        // a look at the end of the quiet time proves it
        alarm.set(since + still)
        return undefined
      },
      deadline: { timeout: time, failure: () => ends.timedOut(time) },
      beside: alarm.ringing
    })
  })

  return {
    operations: {
      waitOutput: operations.hot("waitOutput", waitOutput(lineSearch)),
      waitStable: operations.hot("waitStable", waitStable)
    },
    // its expressions are the library's own
    untraced: { waitOutput: waitOutput(searchLines) }
  }
}
