/** What a host leaves that was killed: its record, drafts and holders, sockets of places that nobody uses any more. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { existsSync, lstatSync, readdirSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import * as ProcessIdentity from "../../src/ProcessIdentity.ts"
import type { RuntimeUnavailable } from "../../src/RuntimeError.ts"
import { reader } from "../internal/processIdentity.ts"
import * as RuntimeDirectory from "../internal/runtimeDirectory.ts"
import * as LockRecord from "../locks/record.ts"
import { hold } from "./holding.ts"
import type { Place } from "./place.ts"
import * as Record from "./record.ts"

const holder = /^[0-9a-f]{16}\.holder$|^host\.[0-9a-f-]+\.recovery$/
const draft = /^host\.json\.\d+$/
const shortSocket = /^[0-9a-f]{16}$/

/** Milliseconds that a host has between the name of its socket and its first answer. */
const young = 10_000

/** Sockets that are tried at once, and milliseconds for each. */
const trying = { most: 64, time: 1000 } as const

const names = (directory: string): ReadonlyArray<string> => {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

const remove = (path: string) => Effect.ignore(Effect.try(() => rmSync(path, { force: true })))

/** Whether nobody listens there, which is known only where the system says so. */
const isDead = (path: string): Effect.Effect<boolean> =>
  Effect.callback<boolean>((resume) => {
    const socket = connect(path)
    socket.setTimeout(trying.time)
    const told = (is: boolean) => {
      socket.destroy()
      resume(Effect.succeed(is))
    }
    socket.once("connect", () => told(false))
    socket.once("timeout", () => told(false))
    socket.on("error", (cause) => told("code" in cause && cause.code === "ECONNREFUSED"))
    return Effect.sync(() => {
      socket.destroy()
    })
  })

const isOldSocket = (path: string, now: number): boolean => {
  const info = lstatSync(path, { throwIfNoEntry: false })
  return info !== undefined && info.isSocket() && now - info.mtimeMs > young
}

/** Of hosts at places whose directory has a long name: it may be gone, and with it whoever would replace the socket. */
const sweepSockets = Effect.fnUntraced(function*(own: string) {
  const directory = RuntimeDirectory.locate({ ...RuntimeDirectory.surroundings(), env: {} })
  const paths = names(directory).filter((name) => shortSocket.test(name)).map((name) => join(directory, name))
  const now = yield* Clock.currentTimeMillis
  const old = yield* Effect.orElseSucceed(
    Effect.try(() => paths.filter((path) => path !== own && isOldSocket(path, now))),
    () => []
  )
  yield* Effect.forEach(
    old.slice(0, trying.most),
    (path) => Effect.flatMap(isDead(path), (dead) => dead ? remove(path) : Effect.void),
    { concurrency: 8, discard: true }
  )
})

/** While the place is held: nobody who lives has anything there but who holds it. */
export const sweep = Effect.fnUntraced(function*({ directory, socket }: Place) {
  for (const name of names(directory)) {
    const path = join(directory, name)
    if (draft.test(name)) yield* remove(path)
    if (!holder.test(name)) continue
    const seen = yield* Effect.option(Effect.try(() => LockRecord.look(path)))
    if (seen._tag === "None" || seen.value._tag !== "Held") continue
    if ((yield* ProcessIdentity.probe(seen.value.by, reader)) === "gone") yield* remove(path)
  }
  yield* sweepSockets(socket)
})

/** Files of a host that is gone; none where one is there, or is just starting or ending. */
export const filesAt = Effect.fnUntraced(function*({ directory, record, socket }: Place) {
  const lock = join(directory, "host.lock")
  const seen = yield* Effect.option(Effect.try(() => LockRecord.look(lock)))
  const isHeld = seen._tag === "Some" && seen.value._tag === "Held" &&
    (yield* ProcessIdentity.probe(seen.value.by, reader)) !== "gone"
  return isHeld ? undefined : [socket, lock, record].filter((path) => existsSync(path))
})

/**
 * Clears the place of a host that is gone, and tells how many processes of its panes were ended. Fails where a host
 * lives.
 */
export const clear = (
  place: Place,
  endLeftBehind: (tag: string) => Effect.Effect<number>
): Effect.Effect<number, RuntimeUnavailable> =>
  Effect.scoped(Effect.gen(function*() {
    yield* hold(place)
    const ended = yield* endLeftBehind(place.tag)
    yield* Record.remove(place)
    yield* sweep(place)
    return ended
  }))
