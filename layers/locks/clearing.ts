/** Clears what processes left that are gone. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Random from "effect/Random"
import * as ProcessIdentity from "../../src/ProcessIdentity.ts"
import type { RuntimeUnavailable } from "../../src/RuntimeError.ts"
import type * as Folder from "./folder.ts"
import * as Record from "./record.ts"

/** Milliseconds for which a file that holds no record is left alone. */
const grace = 5000
/** Milliseconds after which a file may be one that somebody left, and how many of those one process looks at. */
const leftAfter = 60 * 60 * 1000
const leftMost = 16
/** Who dies while it clears leaves something to clear itself; so deep is never reached. */
const deepest = 8

/** Where it clears, and how it does one step that may throw. */
export interface Place {
  readonly folder: Folder.Folder
  readonly reader: ProcessIdentity.Reader
  readonly step: <A>(act: () => A) => Effect.Effect<A, RuntimeUnavailable>
}

interface Found {
  readonly stem: string
  readonly path: string
  readonly seen: Record.Seen
}

export const tell = (text: string): Effect.Effect<void> =>
  Effect.provideService(Effect.logWarning(text), Logger.LogToStderr, true)

/** True: what was found there is not there any more. False: somebody holds it, or may. */
export const clear = Effect.fnUntraced(function*(
  place: Place,
  { path, seen, stem }: Found,
  depth = 0
): Effect.fn.Return<boolean, RuntimeUnavailable> {
  const { folder, reader, step } = place
  if (seen._tag === "Free") return true
  const isOver = seen._tag === "Held"
    ? (yield* ProcessIdentity.probe(seen.by, reader)) === "gone"
    : (yield* Clock.currentTimeMillis) - seen.changed >= grace
  if (!isOver || depth > deepest) return false

  const other = yield* step(() => {
    const right = folder.clear(stem, path, seen.tag)
    return right === undefined ? undefined : { stem, path: right, seen: Record.look(right) }
  })
  if (other !== undefined) {
    return (yield* clear(place, other, depth + 1)) && (yield* clear(place, { path, seen, stem }, depth + 1))
  }
  if (seen._tag === "Held") yield* step(() => folder.removeHolder(seen.tag))
  else yield* tell(`removed ${path}: it was damaged, so nobody can hold it`)
  return true
})

/** What was left long ago under names that nobody may ask for again. */
export const sweep = Effect.fnUntraced(function*(place: Place) {
  const { folder, reader, step } = place
  const before = (yield* Clock.currentTimeMillis) - leftAfter
  const left = yield* Random.shuffle(yield* step(() => folder.leftovers(before)))
  for (const { path, stem } of left.slice(0, leftMost)) {
    const seen = yield* step(() => Record.look(path))
    if (stem !== undefined) yield* clear(place, { stem, path, seen })
    else if (seen._tag !== "Held" || (yield* ProcessIdentity.probe(seen.by, reader)) === "gone") {
      yield* step(() => folder.remove(path))
    }
  }
})
