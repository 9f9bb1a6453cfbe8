/**
 * Regular expressions of clients hold up nobody: what is not found at once is matched in a thread of its own. One that
 * takes longer than most goes on in a second thread, where it delays only its like; one that takes longer than a second
 * is given up.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { type LineSearchService, type Searched, searchLines } from "../waiting/searching.ts"
import { branching } from "./branching.ts"
import * as Threads from "./threads.ts"

/**
 * Milliseconds for the lines of one look: in the first thread, and in the second. On a busy machine what takes a few may
 * take much longer.
 */
const most = { first: 100, second: 1000 } as const

/** Ways that one may go on: with none or one of them it takes at most the square of a line's length. */
const ways = /[*+?{|]/g
const backReference = /\\[1-9k]/

/** Characters of one that is tried here, and steps that take no time. */
const short = 1000
const steps = 2_000_000

/** Characters of one that is tried at all. */
const longest = 20_000

/** Each time that this is one more, an engine takes twice as long to translate it. */
const mostBranching = 10

/** Milliseconds for which what was late or given up counts as that, and how many of them are remembered. */
const rest = 60_000
const remembered = 64

const isQuick = ({ source }: RegExp, lines: ReadonlyArray<string>): boolean => {
  if (source.length > short || backReference.test(source)) return false
  const found = source.match(ways)?.length ?? 0
  if (found > 1) return false
  let taken = 0
  for (const { length } of lines) taken += length * (found === 0 ? source.length : length)
  return taken <= steps
}

/** What happened lately, oldest first. */
const makeRecent = <A>(now: () => number) => {
  const since = new Map<A, number>()
  return {
    has: (one: A): boolean => {
      const then = since.get(one)
      return then !== undefined && now() - then < rest
    },
    add: (one: A): void => {
      since.delete(one)
      for (const oldest of since.keys()) if (since.size >= remembered) since.delete(oldest)
      since.set(one, now())
    }
  }
}

/**
 * @internal
 */
export interface Options {
  /** In milliseconds. Defaults to the time of the process. */
  readonly now?: (() => number) | undefined
  readonly most?: { readonly first: number; readonly second: number } | undefined
  /** What searches. Defaults to a thread of Node. */
  readonly thread?: typeof Threads.make | undefined
}

/**
 * The search for one client. The threads end with the scope.
 *
 * @internal
 */
export const make = Effect.fnUntraced(function*(options: Options = {}) {
  const { most: limits = most, now = () => performance.now(), thread = Threads.make } = options
  const first = yield* thread({ most: limits.first, together: true })
  const second = yield* thread({ most: limits.second, together: false })
  const givenUp = makeRecent<string>(now)
  const late = makeRecent<string>(now)
  const slow = makeRecent<number>(now)
  const hopeless = new WeakMap<RegExp, boolean>()
  const isHopeless = (pattern: RegExp): boolean => {
    const known = hopeless.get(pattern) ?? (pattern.source.length > longest || branching(pattern) > mostBranching)
    hopeless.set(pattern, known)
    return known
  }

  return (client: number): LineSearchService => {
    const search = Effect.fnUntraced(function*(pattern: RegExp, name: string, lines: ReadonlyArray<string>) {
      if (!late.has(name) && !slow.has(client)) {
        const soon = yield* first.search(client, pattern, lines)
        if (soon !== "late") return soon
        late.add(name)
        slow.add(client)
      }
      if (givenUp.has(name)) return "unmatchable"
      const found = yield* second.search(client, pattern, lines)
      if (found !== "late") return found
      givenUp.add(name)
      return "unmatchable"
    })
    return (pattern, lines): Searched | Effect.Effect<Searched> => {
      if (isQuick(pattern, lines)) return searchLines(pattern, lines)
      const name = `${pattern}`
      if (givenUp.has(name) || isHopeless(pattern)) return "unmatchable"
      return search(pattern, name, lines)
    }
  }
})
