/** The place of a host as the file system has it: told when something there changes, and put right where it can be. */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import { type FSWatcher, lstatSync, watch } from "node:fs"
import { basename, dirname } from "node:path"
import type { Place } from "./place.ts"

/** Which file that is. */
const fileAt = (path: string): string | undefined => {
  const info = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return info === undefined ? undefined : `${info.dev}:${info.ino}`
}

/** Between looks where the system cannot tell of changes: the directory is gone, or it has no more watches. */
const pause = "1 second"

/** For a server to listen at its name again. */
const patience = "5 seconds"

/** Waits until a name of the host changes in its directories, or a directory itself, from now on. */
const changes = ({ directory, record, socket }: Place) =>
  Effect.gen(function*() {
    const queue = yield* Queue.sliding<void>(1)
    let missing = false
    const names = new Set([basename(socket), "host.lock", basename(record)])
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        const tell = () => void Queue.offerUnsafe(queue, undefined)
        const watchers: Array<FSWatcher> = []
        const directories = new Set([directory, dirname(socket)])
        for (const one of directories) {
          try {
            const watcher = watch(one, { persistent: false }, (_, name) => {
              if (name === null || names.has(name) || name === basename(one)) tell()
            })
            watcher.on("error", tell)
            watchers.push(watcher)
          } catch {
            missing = true
          }
        }
        return watchers
      }),
      (watchers) =>
        Effect.sync(() => {
          for (const watcher of watchers) watcher.close()
        })
    )
    return { next: missing ? Effect.sleep(pause) : Queue.take(queue) }
  })

/**
 * Runs until the place belongs to another host. `listen` makes the socket and the record anew; `keep` takes the lock again,
 * and tells whether it could.
 */
export const guard = <E, R, E2, R2>(
  place: Place,
  { keep, listen }: {
    readonly keep: Effect.Effect<boolean, E, R>
    readonly listen: Effect.Effect<void, E2, R2>
  }
): Effect.Effect<void, never, R | R2> =>
  Effect.gen(function*() {
    let own = fileAt(place.socket)
    for (;;) {
      const goesOn = yield* Effect.scoped(Effect.gen(function*() {
        const { next } = yield* changes(place)
        const isOurs = yield* Effect.orElseSucceed(keep, () => undefined)
        if (isOurs === false) return false
        const there = fileAt(place.socket)
        if (isOurs === true && (there === undefined || there !== own || fileAt(place.record) === undefined)) {
          yield* Effect.ignore(Effect.timeout(listen, patience))
          own = fileAt(place.socket)
        }
        const isWhole = isOurs === true && own !== undefined && fileAt(place.record) !== undefined
        // a place that cannot be made now may be later, and nothing tells of that
        yield* isWhole ? next : Effect.timeoutOption(next, pause)
        return true
      }))
      if (!goesOn) return
    }
  })
