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
import {
  type LineFound,
  LineSearch,
  type LineSearchService,
  provided,
  type Searched,
  searchFor,
  searchLines
} from "../waiting/searching.ts"
import { wait } from "../waiting/wait.ts"
import { isMark, lastSeenOf, makeEnds, noMark } from "./ending.ts"
import type { Operations } from "./operations.ts"
import { makeSearches } from "./searches.ts"
import { type Need, note, type PaneWaiter, paneWaiter, type Shot } from "./shots.ts"
import type { Targets } from "./targets.ts"
import type { Place, View } from "./views.ts"
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

const ofWhole = (searched: Searched | Effect.Effect<Searched>): Effect.Effect<Searched> =>
  Effect.isEffect(searched) ? searched : Effect.succeed(searched)

/** Whether the pattern finds nothing in every line, or cannot even be tried on the shortest. */
const problemOf = (
  pattern: string | RegExp,
  search: ReturnType<typeof searchFor>
): Effect.Effect<InvalidRequest | undefined> => {
  if (typeof pattern === "string") return Effect.succeed(pattern === "" ? wrongPattern("must not be empty") : undefined)
  return Effect.map(Effect.forEach(["", "\0"], (line) => ofWhole(search([line]))), (found) => {
    if (found.includes("unmatchable")) return unmatchable
    return found.every((one) => typeof one === "object" && one.text === "")
      ? wrongPattern("must not be empty")
      : undefined
  })
}

/** Lines that are being searched, and where they stand. */
interface Searching {
  readonly lines: ReadonlyArray<string>
  readonly view: View
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
  const waitOutput = (own?: LineSearchService): Service["waitOutput"] =>
    Effect.fnUntraced(function*(pane, { after, pattern, timeout }) {
      if (!isMark(after)) return yield* noMark("waitOutput")
      const using = own ?? provided(yield* LineSearch) ?? lineSearch
      const search = searchFor(pattern, using)
      const wrong = yield* problemOf(pattern, search)
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
        // one that is searched somewhere else is so with a look
        : (lines: string) => search(Screen.normalise(lines.split("\n"))) !== undefined
      const goTo = (waiter: PaneWaiter, next: Place) => {
        before = last()
        place = next
        waiter.place = next
        waiter.need = next.need
        waiter.tested = -1
      }

      const once = Duration.isZero(time)
      const searches = makeSearches<Searching>()
      let searched = false
      const searching = () => {
        if (!searches.busy) return undefined
        searches.lookAfter()
        return "searching"
      }
      const endOf = (found: LineFound | "unmatchable", { lines, view: { markLost, screen } }: Searching) => {
        if (found === "unmatchable") return Exit.fail(unmatchable)
        const { at, groups, text } = found
        const rowsLost = waiting?.missed === true
        return Exit.succeed({ text, groups, line: lines[at] ?? "", screen, markLost, rowsLost })
      }

      return yield* wait<PaneWaiter, Shot, OutputMatch, WaitError>(hub, {
        count: watching.count,
        waiter: paneWaiter(place.need, { place, isIn, text: typeof pattern === "string" ? pattern : undefined }),
        see: (shot, waiter, refresh) => {
          waiting = waiter
          if (searches.result !== undefined) return endOf(searches.result.found, searches.result.of)
          if (once && searched && !searches.busy) return undefined
          const looked = shot.view(place)
          if (looked === undefined || searches.full) return searching()
          if (Result.isFailure(looked)) return searching() ?? ends.failed(looked.failure, shot)
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
          const found = lines.length === 0 ? undefined : search(lines)
          if (Effect.isEffect(found) || (found !== undefined && searches.busy)) {
            searched = true
            searches.add({ search: ofWhole(found), of: { lines, view } })
          } else if (found !== undefined) return endOf(found, { lines, view })
          if (view.next !== place) goTo(waiter, view.next)
          if (shot.ended === undefined) return once ? searching() : undefined
          return searching() ?? Exit.fail(ends.ended(shot.ended))
        },
        deadline: { timeout: time, failure: () => ends.timedOut(time) },
        beside: typeof pattern === "string" || using === searchLines ? undefined : searches.run
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
      waitOutput: operations.hot("waitOutput", waitOutput()),
      waitStable: operations.hot("waitStable", waitStable)
    },
    // its expressions are the library's own
    untraced: { waitOutput: waitOutput(searchLines) }
  }
}
