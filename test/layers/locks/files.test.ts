import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import { TestClock } from "effect/testing"
import { createHash } from "node:crypto"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type * as RuntimeDirectory from "../../../layers/internal/runtimeDirectory.ts"
import * as SystemError from "../../../layers/internal/systemError.ts"
import * as Files from "../../../layers/locks/files.ts"
import * as Folder from "../../../layers/locks/folder.ts"
import * as Record from "../../../layers/locks/record.ts"
import { PaneLocks } from "../../../src/PaneLocks.ts"
import { ProcessIdentity, type Reader } from "../../../src/ProcessIdentity.ts"
import { RuntimeUnavailable } from "../../../src/RuntimeError.ts"

const key = "tmux:%1~0123456789"
const stem = createHash("sha256").update(key).digest("hex").slice(0, 32)
/** One of this process's loop. */
const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
const nonce = (digit: number) => `${digit}`.repeat(16)

/** Processes 4 and 5 live besides this one; what number 6 is cannot be told. */
const reader: Reader = {
  host: "here",
  boot: Effect.succeedSome("boot-2"),
  sight: (pid) =>
    Effect.succeed(
      pid === 6
        ? { _tag: "Unknown" as const }
        : [4, 5, process.pid].includes(pid)
        ? { _tag: "Started" as const, start: "100" }
        : { _tag: "Absent" as const }
    )
}
const by = (pid: number, fields: { start?: string; boot?: string; host?: string } = {}) =>
  new ProcessIdentity({ host: "here", pid, start: "100", boot: "boot-2", ...fields })

const surroundings = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "paneway-locks-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true }))
  ),
  (path): RuntimeDirectory.Surroundings => ({
    env: { XDG_RUNTIME_DIR: path },
    uid: statSync(path).uid,
    temporary: tmpdir()
  })
)

/** Each is a contender of its own, as another process would be. */
const contender = (place: RuntimeDirectory.Surroundings, options: Files.Options = {}) =>
  Effect.map(
    Layer.build(Layer.fresh(Files.layer({ surroundings: place, reader, ...options }))),
    (context) => Effect.runSync(Effect.provideContext(PaneLocks, context)).withLock
  )

/** A runtime directory with locks in it, before anybody came. */
const prepared = Effect.gen(function*() {
  const place = yield* surroundings
  const folder = join(place.env["XDG_RUNTIME_DIR"] ?? "", "paneway", "locks")
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const leave = (name: string, pid: ProcessIdentity, digit = 1) =>
    writeFileSync(join(folder, name), Record.print(pid, nonce(digit)))
  return { place, folder, leave, lock: join(folder, `${stem}.lock`), names: () => readdirSync(folder).toSorted() }
})

describe("a lock in a file", () => {
  it.live("is a private file with the holder's identity, and nothing is left when its layer ends", () =>
    Effect.gen(function*() {
      const { folder, lock, names, place } = yield* prepared
      rmSync(join(folder, ".."), { recursive: true })

      yield* Effect.scoped(Effect.gen(function*() {
        const withLock = yield* contender(place)
        assert.isFalse(existsSync(folder))
        yield* withLock(key)(Effect.sync(() => {
          assert.strictEqual(statSync(lock).mode & 0o777, 0o600)
          assert.strictEqual(statSync(folder).mode & 0o777, 0o700)
          assert.strictEqual(readFileSync(lock, "utf8").split(" ")[0], by(process.pid).toString())
        }))
        assert.isFalse(existsSync(lock))
      }))

      assert.deepStrictEqual(names(), [])
    }))

  it.live("is released when its holder fails, dies or is interrupted, in the middle too", () =>
    Effect.gen(function*() {
      const { lock, place } = yield* prepared
      const withLock = yield* contender(place)
      const started = yield* Deferred.make<void>()

      assert.strictEqual(yield* Effect.flip(withLock(key)(Effect.fail("failed"))), "failed")
      assert.isFalse(existsSync(lock))
      assert.isTrue(Exit.hasDies(yield* Effect.exit(withLock(key)(Effect.die("died")))))
      assert.isFalse(existsSync(lock))
      const fiber = yield* Effect.forkChild(
        withLock(key)(Effect.andThen(Deferred.succeed(started, undefined), Effect.never))
      )
      yield* Deferred.await(started)
      assert.isTrue(existsSync(lock))
      yield* Fiber.interrupt(fiber)
      assert.isFalse(existsSync(lock))
    }))

  it.live("lets in one of two processes at a time, and those of one process in their order", () =>
    Effect.gen(function*() {
      const { place } = yield* prepared
      const [one, other] = [yield* contender(place), yield* contender(place)]
      const inside: Array<string> = []
      const log: Array<string> = []
      const sender = (withLock: typeof one, name: string) =>
        withLock(key)(Effect.gen(function*() {
          inside.push(name)
          assert.lengthOf(inside, 1)
          yield* Effect.sleep("1 millis")
          inside.pop()
          log.push(name)
        }))

      yield* Effect.all(
        Array.from({ length: 40 }, (_, n) => n % 2 === 0 ? sender(one, `a${n}`) : sender(other, `b${n}`)),
        { concurrency: "unbounded" }
      )

      for (const [letter, rest] of [["a", 0], ["b", 1]] as const) {
        assert.deepStrictEqual(
          log.filter((name) => name.startsWith(letter)),
          Array.from({ length: 20 }, (_, n) => `${letter}${2 * n + rest}`)
        )
      }
    }))

  it.live("of one pane does not hold up another", () =>
    Effect.gen(function*() {
      const { place } = yield* prepared
      const [one, other] = [yield* contender(place), yield* contender(place, { wait: 0 })]

      assert.strictEqual(yield* one(key)(other("tmux:%2~0123456789")(Effect.succeed("in"))), "in")
    }))

  it.effect("is waited for without asking again and again, and got when it is released", () =>
    Effect.gen(function*() {
      const { lock, place } = yield* prepared
      const asked: Array<number> = []
      const counting: Reader = {
        ...reader,
        sight: (pid) => Effect.andThen(Effect.sync(() => asked.push(pid)), reader.sight(pid))
      }
      const [one, other] = [yield* contender(place), yield* contender(place, { reader: counting })]
      const end = yield* Deferred.make<void>()
      const holder = yield* Effect.forkChild(one(key)(Deferred.await(end)), { startImmediately: true })
      const waiting = yield* Effect.forkChild(other(key)(Effect.sync(() => existsSync(lock))), {
        startImmediately: true
      })
      // its own number, then the holder's: after these it hears of the release, as no time passes
      yield* turn.pipe(Effect.repeat({ until: () => asked.length === 2 }))
      yield* Effect.replicateEffect(turn, 20, { discard: true })
      yield* Deferred.succeed(end, undefined)

      assert.isTrue(yield* Fiber.join(waiting))
      assert.deepStrictEqual(asked, [process.pid, process.pid])
      yield* Fiber.join(holder)
      // those who wait for their turn take no time for it either
    }).pipe(Effect.provideService(Random.Random, { nextIntUnsafe: () => 0, nextDoubleUnsafe: () => 0 })))

  it.effect("is waited for 30 seconds, and the failure tells who holds it", () =>
    Effect.gen(function*() {
      const { leave, lock, place } = yield* prepared
      leave(`${stem}.lock`, by(4))
      const withLock = yield* contender(place)
      const waiting = yield* Effect.forkChild(Effect.flip(withLock(key)(Effect.succeed("in"))))

      yield* TestClock.adjust("29 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 second")
      const error = yield* Fiber.join(waiting)

      assert.instanceOf(error, RuntimeUnavailable)
      assert.deepInclude(error, { runtime: "tmux", reason: "timed-out" })
      assert.include(error.message, `process 4 of here holds ${lock}`)
      assert.isTrue(existsSync(lock))
    }))

  it.effect("is waited for as long as the layer was told, by those in line in this process too", () =>
    Effect.gen(function*() {
      const { leave, place } = yield* prepared
      leave(`${stem}.lock`, by(4))
      const withLock = yield* contender(place, { wait: "2 seconds" })
      const waiting = yield* Effect.forkChild(
        Effect.forEach([1, 2], () => Effect.flip(withLock(key)(Effect.void)), { concurrency: "unbounded" })
      )

      yield* TestClock.adjust("1900 millis")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("100 millis")

      assert.deepStrictEqual((yield* Fiber.join(waiting)).map((error) => error._tag), [
        "RuntimeUnavailable",
        "RuntimeUnavailable"
      ])
    }))

  it.live("is not waited for after an interruption", () =>
    Effect.gen(function*() {
      const { leave, lock, place } = yield* prepared
      leave(`${stem}.lock`, by(4))
      const withLock = yield* contender(place)
      const waiting = yield* Effect.forkChild(withLock(key)(Effect.void), { startImmediately: true })

      yield* Fiber.interrupt(waiting)

      assert.isTrue(existsSync(lock))
      rmSync(lock)
      assert.strictEqual(yield* withLock(key)(Effect.succeed("in")), "in")
    }))

  it.effect("that others waited for is left to them for some milliseconds", () =>
    Effect.gen(function*() {
      const { folder, place } = yield* prepared
      const withLock = yield* contender(place)
      yield* withLock(key)(Effect.sync(() => writeFileSync(join(folder, `${stem}.wanted`), "")))

      const again = yield* Effect.forkChild(withLock(key)(Effect.succeed("in")))
      yield* TestClock.adjust("3 millis")
      assert.isUndefined(again.pollUnsafe())
      yield* TestClock.adjust("10 millis")

      assert.strictEqual(yield* Fiber.join(again), "in")
      assert.isFalse(existsSync(join(folder, `${stem}.wanted`)))
    }))

  it.live("is held again where it could not be removed when it was given back", () =>
    Effect.gen(function*() {
      const { folder, lock, place } = yield* prepared
      const withLock = yield* contender(place, { wait: 0 })
      const kept = yield* withLock(key)(Effect.sync(() => readFileSync(lock, "utf8")))
      writeFileSync(lock, kept)

      assert.strictEqual(yield* withLock(key)(Effect.succeed("in")), "in")
      assert.isFalse(existsSync(lock))
      assert.lengthOf(readdirSync(folder), 1)
    }))

  it.live("is not removed when another's stands in its place", () =>
    Effect.gen(function*() {
      const { leave, lock, place } = yield* prepared
      const withLock = yield* contender(place)

      yield* withLock(key)(Effect.sync(() => {
        rmSync(lock)
        leave(`${stem}.lock`, by(4))
      }))

      assert.strictEqual(readFileSync(lock, "utf8"), Record.print(by(4), nonce(1)))
    }))

  it.live("is had again after its directory was removed", () =>
    Effect.gen(function*() {
      const { folder, lock, place } = yield* prepared
      const withLock = yield* contender(place)
      yield* withLock(key)(Effect.void)
      rmSync(join(folder, ".."), { recursive: true })

      assert.isTrue(yield* withLock(key)(Effect.sync(() => existsSync(lock))))
    }))
})

describe("a lock file that somebody left", () => {
  it.live.each<readonly [string, ProcessIdentity]>([
    ["a process that is gone", by(7)],
    ["a process whose number another has now", by(4, { start: "99" })],
    ["a process of an earlier boot", by(4, { boot: "boot-1" })]
  ])("case 190: of %s is cleared at once, with all that it left", ([, holder]) =>
    Effect.gen(function*() {
      const { leave, names, place } = yield* prepared
      leave(`${stem}.lock`, holder)
      leave(`${nonce(1)}.holder`, holder)

      yield* Effect.scoped(Effect.gen(function*() {
        const withLock = yield* contender(place, { wait: 0 })
        assert.strictEqual(yield* withLock(key)(Effect.succeed("in")), "in")
      }))

      assert.deepStrictEqual(names(), [])
    }))

  it.live.each<readonly [string, ProcessIdentity]>([
    ["that lives", by(4)],
    ["of another host", by(7, { host: "elsewhere" })],
    ["of which the system tells nothing", by(6)]
  ])("case 190: of a process %s is never taken away", ([, holder]) =>
    Effect.gen(function*() {
      const { leave, lock, place } = yield* prepared
      leave(`${stem}.lock`, holder)
      const withLock = yield* contender(place, { wait: "700 millis" })

      assert.deepInclude(yield* Effect.flip(withLock(key)(Effect.void)), { reason: "timed-out" })
      assert.strictEqual(readFileSync(lock, "utf8"), Record.print(holder, nonce(1)))
    }))

  it.effect("and that is damaged is cleared when it is five seconds old, not before", () =>
    Effect.gen(function*() {
      for (const content of ["", "garbage", "x".repeat(5000)]) {
        const { lock, place } = yield* prepared
        writeFileSync(lock, content)
        const withLock = yield* contender(place)
        yield* TestClock.setTime(Math.floor(statSync(lock).ctimeMs))
        const waiting = yield* Effect.forkChild(withLock(key)(Effect.succeed("in")))

        yield* TestClock.adjust("4 seconds")
        assert.isUndefined(waiting.pollUnsafe())
        assert.isTrue(existsSync(lock))
        yield* TestClock.adjust("2 seconds")

        assert.strictEqual(yield* Fiber.join(waiting), "in")
      }
    }))

  it.effect("and that is a symbolic link is removed, and what it names is not", () =>
    Effect.gen(function*() {
      const { folder, lock, place } = yield* prepared
      const other = join(folder, "other")
      writeFileSync(other, Record.print(by(4), nonce(1)))
      symlinkSync(other, lock)
      yield* TestClock.setTime(Date.now() + 10_000)
      const withLock = yield* contender(place, { wait: 0 })

      assert.strictEqual(yield* withLock(key)(Effect.succeed("in")), "in")
      assert.isTrue(existsSync(other))
    }))

  it.effect("and that is a directory fails with what to do", () =>
    Effect.gen(function*() {
      const { lock, place } = yield* prepared
      mkdirSync(lock)
      yield* TestClock.setTime(Date.now() + 10_000)
      const withLock = yield* contender(place)

      const error = yield* Effect.flip(withLock(key)(Effect.void))

      assert.deepInclude(error, { _tag: "RuntimeUnavailable", reason: "refused" })
      assert.include(error.message, "remove it")
    }))

  it.live("is cleared although those who cleared it before were killed at it", () =>
    Effect.gen(function*() {
      const { leave, names, place } = yield* prepared
      leave(`${stem}.lock`, by(7), 1)
      leave(`${stem}.${nonce(1)}.recovery`, by(8), 2)
      leave(`${stem}.${nonce(2)}.recovery`, by(9), 3)

      yield* Effect.scoped(Effect.gen(function*() {
        const withLock = yield* contender(place, { wait: 0 })
        assert.strictEqual(yield* withLock(key)(Effect.succeed("in")), "in")
      }))

      assert.deepStrictEqual(names(), [])
    }))

  it.live("is left to a process that clears it", () =>
    Effect.gen(function*() {
      const { leave, lock, place } = yield* prepared
      leave(`${stem}.lock`, by(7), 1)
      leave(`${stem}.${nonce(1)}.recovery`, by(5), 2)
      const withLock = yield* contender(place, { wait: 0 })

      assert.deepInclude(yield* Effect.flip(withLock(key)(Effect.void)), { reason: "timed-out" })
      assert.strictEqual(readFileSync(lock, "utf8"), Record.print(by(7), nonce(1)))
    }))

  it.live("is cleared for the holder that was seen, not for one who took the lock in the meantime", () =>
    Effect.gen(function*() {
      const { folder, leave, lock } = yield* prepared
      const late = Folder.make(folder, by(process.pid), nonce(9))
      late.open()
      leave(`${stem}.lock`, by(7), 1)
      const seen = Record.look(lock)
      leave(`${stem}.lock`, by(4), 2)

      assert.isUndefined(late.clear(stem, lock, seen._tag === "Held" ? seen.tag : ""))

      assert.strictEqual(readFileSync(lock, "utf8"), Record.print(by(4), nonce(2)))
    }))

  it.live("under a name that nobody asks for is swept after an hour, unless its process may live", () =>
    Effect.gen(function*() {
      const { folder, leave, names, place } = yield* prepared
      const other = "f".repeat(32)
      leave(`${other}.lock`, by(7), 1)
      leave(`${nonce(1)}.holder`, by(7), 1)
      leave(`${other}.${nonce(1)}.recovery`, by(8), 3)
      leave(`${other}.wanted`, by(8), 3)
      leave(`${"e".repeat(32)}.lock`, by(4), 4)
      leave("notes.txt", by(7), 4)
      for (const name of names()) utimesSync(join(folder, name), 1000, 1000)
      leave(`${"d".repeat(32)}.lock`, by(7), 5)
      const kept = [`${"d".repeat(32)}.lock`, `${"e".repeat(32)}.lock`, "notes.txt"]

      yield* Effect.scoped(Effect.gen(function*() {
        const withLock = yield* contender(place)
        yield* withLock(key)(Effect.void)
      }))

      assert.deepStrictEqual(names(), kept)
    }))
})

describe("a directory for locks", () => {
  const refused = Effect.fnUntraced(function*(place: RuntimeDirectory.Surroundings) {
    const withLock = yield* contender(place)
    const error = yield* Effect.flip(withLock(key)(Effect.void))
    assert.deepInclude(error, { _tag: "RuntimeUnavailable", runtime: "tmux", reason: "refused" })
    return error.message
  })

  it.live("that is another user's, a symbolic link, a file or open to others is refused with what to do", () =>
    Effect.gen(function*() {
      const foreign = yield* prepared
      assert.include(yield* refused({ ...foreign.place, uid: foreign.place.uid + 1 }), "belongs to user")

      const linked = yield* prepared
      rmSync(linked.folder, { recursive: true })
      symlinkSync(foreign.folder, linked.folder)
      assert.include(yield* refused(linked.place), "is a symbolic link: remove it")

      const file = yield* prepared
      rmSync(file.folder, { recursive: true })
      writeFileSync(file.folder, "")
      assert.include(yield* refused(file.place), "is not a directory: remove it")

      const open = yield* prepared
      chmodSync(join(open.folder, ".."), 0o755)
      assert.include(yield* refused(open.place), "run chmod 700 on it")
    }))

  it.live("is not looked for elsewhere where the named one does not exist", () =>
    Effect.gen(function*() {
      const { place } = yield* prepared
      const missing = join(place.env["XDG_RUNTIME_DIR"] ?? "", "missing")

      assert.include(yield* refused({ ...place, env: { XDG_RUNTIME_DIR: missing } }), "create it")
    }))

  it.live("is in the temporary directory, by user, where none is named", () =>
    Effect.gen(function*() {
      const { place } = yield* prepared
      const temporary = place.env["XDG_RUNTIME_DIR"] ?? ""
      const withLock = yield* contender({ ...place, env: { XDG_RUNTIME_DIR: "relative" }, temporary })

      const names = yield* withLock(key)(
        Effect.sync(() => readdirSync(join(temporary, `paneway-${place.uid}`, "locks")))
      )

      assert.include(names, `${stem}.lock`)
    }))

  it.live("is of no use to a process whose own start cannot be told", () =>
    Effect.gen(function*() {
      const { place } = yield* prepared
      const withLock = yield* contender(place, { reader: { ...reader, boot: Effect.succeedNone } })

      assert.include((yield* Effect.flip(withLock(key)(Effect.void))).message, "mount /proc")
    }))

  it("on a full disk is worth another try, one that is read-only is not", () => {
    const failing = (code: string) => SystemError.unavailable("tmux", "/run/x", "remove it")({ code })

    assert.isTrue(failing("ENOSPC").retryable)
    assert.include(failing("ENOSPC").message, "no space is left there: free some")
    assert.isFalse(failing("EROFS").retryable)
    assert.include(failing("EROFS").message, "/run/x cannot be used (EROFS): remove it")
  })
})
