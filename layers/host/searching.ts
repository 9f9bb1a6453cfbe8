/**
 * Regular expressions of clients hold up the host, and so everybody's panes, only for a moment: one that takes longer is
 * given up. The engine cannot be stopped while it translates one, which takes long for dozens of empty alternatives in a
 * row: a text that nobody writes by accident.
 */
import { createContext, Script } from "node:vm"
import { type LineSearchService, searchLines } from "../../src/Waiting.ts"

/** Milliseconds for one look at a pane. On a busy machine what takes a few may take much longer. */
export const most = 1000

/** Ways that one may go on: with none or one of them it takes at most the square of a line's length. */
const ways = /[*+?{|]/g
const backReference = /\\[1-9k]/

/** Characters of a line whose square is tried in no time. */
const short = 2000

/** Milliseconds for which one that was given up is not tried again, and how many of them are remembered. */
export const rest = 60_000
const remembered = 64

/** Limiting the time costs more than most searches. */
const isQuick = ({ source }: RegExp, lines: ReadonlyArray<string>): boolean =>
  (source.match(ways)?.length ?? 0) <= 1 && !backReference.test(source) && lines.every(({ length }) => length <= short)

const limited: { search: () => ReturnType<LineSearchService> } = { search: () => undefined }
const script = new Script("limited.search()")
const context = createContext({ limited })

/** `now` is in milliseconds. */
export const make = (now: () => number): LineSearchService => {
  /** When each was given up, oldest first: scripts ask again and again. */
  const givenUp = new Map<string, number>()
  const isGivenUp = (name: string): boolean => {
    const since = givenUp.get(name)
    return since !== undefined && now() - since < rest
  }
  const giveUp = (name: string): void => {
    givenUp.delete(name)
    for (const oldest of givenUp.keys()) if (givenUp.size >= remembered) givenUp.delete(oldest)
    givenUp.set(name, now())
  }

  return (pattern, lines) => {
    if (isQuick(pattern, lines)) return searchLines(pattern, lines)
    const name = `${pattern}`
    if (isGivenUp(name)) return "unmatchable"
    let found: ReturnType<LineSearchService>
    limited.search = () => {
      found = searchLines(pattern, lines)
      return undefined
    }
    try {
      script.runInContext(context, { timeout: most })
      return found
    } catch {
      giveUp(name)
      return "unmatchable"
    } finally {
      limited.search = () => undefined
    }
  }
}

export const searchInTime: LineSearchService = make(() => performance.now())
