/** One host at a place: whoever holds `host.lock` is it, for as long as its process lives. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { randomBytes } from "node:crypto"
import { existsSync, rmSync } from "node:fs"
import * as ProcessIdentity from "../../src/ProcessIdentity.ts"
import { RuntimeUnavailable } from "../../src/RuntimeError.ts"
import { reader } from "../internal/processIdentity.ts"
import * as SystemError from "../internal/systemError.ts"
import * as Clearing from "../locks/clearing.ts"
import * as Folder from "../locks/folder.ts"
import type { Place } from "./place.ts"

const stem = "host"

/** Times that what others left is cleared before it is given up. */
const most = 5

/** Milliseconds that a host which does not serve has to end, as it closes its panes, and between looks at whether it did. */
const ending = { most: 15_000, pause: 25 } as const

/**
 * Holds the place until the scope closes; gives the identity of this process, how it goes on holding the place, and how it
 * frees the name of the socket. Fails where another process holds it and
 * serves; one that is just ending is waited for. A socket that is there then was left by one that is gone, and is
 * removed.
 */
export const hold = Effect.fnUntraced(function*({ directory, socket }: Place) {
  const unavailable = SystemError.unavailable("pty", directory, "see that it can be written and has hard links")
  const step = <A>(act: () => A) => Effect.try({ try: act, catch: unavailable })
  const own = yield* ProcessIdentity.read(process.pid, reader)
  if (Option.isNone(own)) {
    return yield* new RuntimeUnavailable({
      runtime: "pty",
      reason: "refused",
      detail: "the system does not tell when this process started, so it can hold no lock: mount /proc"
    })
  }
  const folder = Folder.make(directory, own.value, randomBytes(8).toString("hex"))
  yield* Effect.acquireRelease(
    step(folder.open),
    () => Effect.ignore(Effect.try(folder.close))
  )
  const take = Effect.gen(function*() {
    let waited = 0
    for (let tries = 0;; tries++) {
      const seen = yield* step(() => folder.take(stem))
      if (seen === undefined) return
      const path = folder.lockOf(stem)
      if (yield* Clearing.clear({ folder, reader, step: (act) => step(act) }, { stem, path, seen })) continue
      if (tries < most && seen._tag === "Free") continue
      if (seen._tag === "Held" && waited < ending.most && !existsSync(socket)) {
        waited += ending.pause
        yield* Effect.interruptible(Effect.sleep(ending.pause))
        continue
      }
      return yield* new RuntimeUnavailable({
        runtime: "pty",
        reason: "refused",
        detail: seen._tag === "Held"
          ? `process ${seen.by.pid} is the host already`
          : `${path} is damaged: remove it if no host lives`
      })
    }
  })
  yield* Effect.acquireRelease(take, () => Effect.ignore(Effect.try(() => folder.giveBack(stem))))
  const free = step(() => rmSync(socket, { force: true }))
  yield* free
  /** After something was removed there. False: another process is the host now. */
  const keep = Effect.gen(function*() {
    yield* step(folder.open)
    for (let tries = 0; tries < most; tries++) {
      const seen = yield* step(() => folder.take(stem))
      if (seen === undefined) return true
      const path = folder.lockOf(stem)
      if (!(yield* Clearing.clear({ folder, reader, step: (act) => step(act) }, { stem, path, seen }))) {
        return seen._tag === "Free"
      }
    }
    return false
  })
  return { identity: own.value, keep, free }
})
