/**
 * Locks that hold between processes of one host, by files in the user's runtime directory.
 *
 * Whoever waits in one process comes in order, and one of them contends for the file. Between processes there is no
 * order, but nobody waits for ever: a process that gave a lock back while others waited lets them go first. What a
 * process left that is gone is cleared by the next who wants it; the lock of one that lives, or of which that cannot be
 * told, is never taken away.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Random from "effect/Random"
import { createHash, randomBytes } from "node:crypto"
import * as PaneLocks from "../../src/PaneLocks.ts"
import * as ProcessIdentity from "../../src/ProcessIdentity.ts"
import { RuntimeUnavailable } from "../../src/RuntimeError.ts"
import { reader as thisHost } from "../internal/processIdentity.ts"
import * as RuntimeDirectory from "../internal/runtimeDirectory.ts"
import * as SystemError from "../internal/systemError.ts"
import * as Changes from "./changes.ts"
import * as Clearing from "./clearing.ts"
import * as Folder from "./folder.ts"
import type * as Record from "./record.ts"

export interface Options {
  /** How long a lock is waited for; 30 seconds by default. */
  readonly wait?: Duration.Input | undefined
  /** Where the runtime directory is looked for. */
  readonly surroundings?: RuntimeDirectory.Surroundings | undefined
  readonly reader?: ProcessIdentity.Reader | undefined
}

/** Milliseconds between looks at whether the holder lives: nobody tells of a process that was killed. */
const safety = 500
/** The same where the system tells of no change either. */
const untold = 40
/** Most milliseconds that a waiter lets pass before it contends for a lock that was given back; less after each loss. */
const spread = 4
/** Milliseconds for which who gave back a lock that others wait for does not contend for it. */
const giveWay = { least: 4, most: 12 }

const stemOf = (key: string): string => createHash("sha256").update(key).digest("hex").slice(0, 32)

const inSeconds = (millis: number): string => `${Math.round(millis / 100) / 10} s`

/** What one look at whether the lock is free gave. */
type Attempt = Record.Seen | "taken" | "removed"

/** `removed`: the directory, or what locks are linked from, is not there any more. */
const attempt = (folder: Folder.Folder, stem: string): Attempt => {
  try {
    return folder.take(stem) ?? "taken"
  } catch (cause) {
    if (SystemError.code(cause) === "ENOENT") return "removed"
    throw cause
  }
}

const now = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1e6)

/** Interruptible again inside of what is not. */
type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** One contender: it holds each key at most once at a time. */
const makeContender = (options: Options, wait: number) => {
  const { reader = thisHost, surroundings = RuntimeDirectory.surroundings() } = options
  const nonce = randomBytes(8).toString("hex")
  const changes = Changes.make()
  const state: { folder: Folder.Folder | undefined } = { folder: undefined }
  /** When each stem may be contended for again. */
  const yielding = new Map<string, number>()

  const step = <A>(runtime: string, folder: Folder.Folder, act: () => A): Effect.Effect<A, RuntimeUnavailable> =>
    Effect.try({
      try: act,
      catch: SystemError.unavailable(
        runtime,
        folder.path,
        "see that it can be written and has hard links, or remove it"
      )
    })

  const placeOf = (runtime: string, folder: Folder.Folder): Clearing.Place => ({
    folder,
    reader,
    step: (act) => step(runtime, folder, act)
  })

  const open = Effect.fnUntraced(function*(runtime: string) {
    const path = yield* RuntimeDirectory.ensure(runtime, surroundings, "locks")
    const own = yield* ProcessIdentity.read(process.pid, reader)
    if (Option.isNone(own)) {
      return yield* new RuntimeUnavailable({
        runtime,
        reason: "refused",
        detail: "the system does not tell when this process started, so it can hold no lock: mount /proc"
      })
    }
    const folder = Folder.make(path, own.value, nonce)
    yield* step(runtime, folder, folder.open)
    state.folder = folder
    yield* Effect.ignore(Clearing.sweep(placeOf(runtime, folder)))
    return folder
  })

  const take = Effect.fnUntraced(function*(runtime: string, stem: string, restore: Restore) {
    for (let tries = 0;; tries++) {
      const folder = state.folder ?? (yield* restore(open(runtime)))
      const result = yield* step(runtime, folder, () => attempt(folder, stem))
      if (result !== "removed") return { folder, result }
      state.folder = undefined
      if (tries < 3) continue
      return yield* new RuntimeUnavailable({
        runtime,
        reason: "lost",
        detail: `${folder.path} is removed again and again: find out what removes it`
      })
    }
  })

  const timedOut = (runtime: string, key: string, file: string, seen: Record.Seen) =>
    new RuntimeUnavailable({
      runtime,
      reason: "timed-out",
      detail: `waited ${inSeconds(wait)} for ${key}; ` + (seen._tag === "Held"
        ? `process ${seen.by.pid} of ${seen.by.host} holds ${file}: end it if it hangs`
        : `${file} is damaged: remove it`)
    })

  const inTurn = Effect.fnUntraced(function*(
    at: { readonly key: string; readonly runtime: string; readonly stem: string; readonly directory: string },
    until: number,
    restore: Restore
  ) {
    const { directory, key, runtime, stem } = at
    const news = yield* Queue.sliding<void>(1)
    const tellNews = () => Queue.offerUnsafe(news, undefined)
    yield* Effect.acquireRelease(
      Effect.sync(() => changes.follow(directory, `${stem}.lock`, tellNews)),
      (leave) => Effect.sync(leave)
    )
    const time = { over: false }
    const end = Effect.sync(() => {
      time.over = true
      tellNews()
    })
    yield* Effect.forkScoped(Effect.interruptible(Effect.delay(end, Math.max(0, until - (yield* now)))))
    // it is asked whether the holder lives at first, and whenever nothing was heard
    for (let losses = 1, silent = true;;) {
      const { folder, result } = yield* take(runtime, stem, restore)
      if (result === "taken") return folder
      if (result._tag === "Free") continue
      const file = folder.lockOf(stem)
      const cleared = silent &&
        (yield* restore(Clearing.clear(placeOf(runtime, folder), { stem, path: file, seen: result })))
      silent = false
      if (cleared) continue
      if (time.over) return yield* timedOut(runtime, key, file, result)
      yield* step(runtime, folder, () => folder.want(stem))
      const pause = (changes.told() ? safety : untold) * (0.75 + (yield* Random.next) / 2)
      silent = Option.isNone(yield* restore(Effect.timeoutOption(Queue.take(news), pause)))
      if (silent || time.over) continue
      yield* restore(Effect.sleep((spread * (yield* Random.next)) / losses))
      losses += 1
    }
  }, Effect.scoped)

  const acquire = Effect.fnUntraced(function*(key: string, stem: string, until: number, restore: Restore) {
    const runtime = PaneLocks.runtimeOf(key)
    const since = yielding.get(stem)
    if (since !== undefined) {
      yielding.delete(stem)
      yield* restore(Effect.sleep(Math.max(0, Math.min(since, until) - (yield* now))))
    }
    const { folder, result } = yield* take(runtime, stem, restore)
    return result === "taken"
      ? folder
      : yield* inTurn({ key, runtime, stem, directory: folder.path }, until, restore)
  })

  /** Never fails: what cannot be removed now is taken again as ours, or cleared by others when this process is gone. */
  const release = Effect.fnUntraced(function*(folder: Folder.Folder, stem: string) {
    const wanted = yield* Effect.try(() => folder.giveBack(stem)).pipe(
      Effect.catch(({ cause }) =>
        Effect.as(Clearing.tell(`cannot remove ${folder.lockOf(stem)}: ${String(cause)}`), false)
      )
    )
    if (!wanted) return
    const at = yield* now
    for (const [stem, until] of yielding) if (until < at) yielding.delete(stem)
    yielding.set(stem, at + (yield* Random.nextBetween(giveWay.least, giveWay.most)))
  })

  const withFile = (key: string, until: number) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.uninterruptibleMask((restore) => {
      const stem = stemOf(key)
      return Effect.flatMap(
        acquire(key, stem, until, restore),
        (folder) => Effect.ensuring(restore(effect), release(folder, stem))
      )
    })

  return { withFile, close: Effect.ignore(Effect.try(() => state.folder?.close())) }
}

/**
 * `PaneLocks` for terminals that several processes write to. Nothing is touched before the first lock is asked for.
 */
export const layer = (options: Options = {}): Layer.Layer<PaneLocks.PaneLocks> =>
  Layer.effect(
    PaneLocks.PaneLocks,
    Effect.gen(function*() {
      const wait = Duration.fromInputUnsafe(options.wait ?? PaneLocks.defaultWait)
      const millis = Duration.toMillis(wait)
      const { close, withFile } = makeContender(options, millis)
      const inProcess = PaneLocks.makeMemory(wait)
      yield* Effect.addFinalizer(() => close)
      return PaneLocks.PaneLocks.of({
        withLock: (key) => (effect) =>
          Effect.flatMap(now, (begin) => inProcess.withLock(key)(withFile(key, begin + millis)(effect)))
      })
    })
  )
