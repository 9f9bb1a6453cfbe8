/** A pane in the caller's own terminal, until the key that detaches is pressed or the pane ends. */
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import type { Size } from "../../Contract.ts"
import type { Service, Update } from "../../PaneView.ts"
import type { Exit, PaneHandle } from "../../Target.ts"
import { Caller } from "../Caller.ts"
import type { Finder } from "./detachKey.ts"
import * as Display from "./display.ts"

export interface Request {
  readonly pane: PaneHandle
  readonly readOnly: boolean
  readonly detach: Finder
}

/** `HungUp`: the terminal has gone. `exit` is absent where the pane was closed. */
export type End =
  | { readonly _tag: "Detached" | "HungUp" }
  | { readonly _tag: "Ended"; readonly exit?: Exit | undefined }

/** Chunks of typed bytes, of some KB each, that wait for the pane; then the terminal is read no further. */
const mostChunks = 512
/** Bytes that the pane is given at once. */
const most = 64 * 1024
/** For what was typed before the key that detaches, and for the terminal to be restored. */
const patience = "1 second"

const encoder = new TextEncoder()
const bell = encoder.encode("\x07")
const nothing = new Uint8Array(0)

const joined = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  parts.reduce((at, part) => {
    all.set(part, at)
    return at + part.length
  }, 0)
  return all
}

/** What the terminal showed goes where it can be scrolled back to. */
const scrolledAway = ({ rows }: Size): string => `\x1b[${rows};1H${"\n".repeat(rows)}`

/** Terminals that know it show all of it at once. */
const atOnce = { begin: "\x1b[?2026h", end: "\x1b[?2026l" }

/** Fails as the view does, with the terminal as it was. Nothing is written to it before the pane is found. */
export const attach = Effect.fn("cli.attach")(function*(service: Service, { detach, pane, readOnly }: Request) {
  const caller = yield* Caller
  const scope = yield* Effect.scope
  const display = Display.make()
  const one = Semaphore.makeUnsafe(1)
  const done = yield* Deferred.make<End>()
  const size = () => caller.size() ?? { columns: 80, rows: 24 }
  const first = size()
  const write = (bytes: Uint8Array) => bytes.length === 0 ? Effect.void : one.withPermit(caller.write(bytes))
  const state = { isDrawn: false }

  /** The prompt of the shell comes below what the pane showed last. */
  const left = () => `${display.leave()}${atOnce.end}\x1b[${size().rows};1H\r\n`
  const enter = Effect.gen(function*() {
    yield* caller.raw
    yield* caller.leaving(() => state.isDrawn ? left() : "")
    yield* Effect.addFinalizer(() =>
      state.isDrawn
        ? Effect.ignore(Effect.timeoutOption(Effect.interruptible(caller.write(encoder.encode(left()))), patience))
        : Effect.void
    )
  })

  const forward = Effect.fnUntraced(function*(view: string) {
    const queue = yield* Queue.bounded<Uint8Array, Cause.Done>(mostChunks)
    const give = Effect.fnUntraced(function*(bytes: Uint8Array) {
      for (let at = 0; at < bytes.length; at += most) {
        const part = bytes.subarray(at, at + most)
        const taken = yield* Effect.orElseSucceed(service.write(view, part), () => 0)
        // neither what the program does not read nor what follows is given to it later
        if (taken < part.length) return yield* Effect.ignore(write(bell))
      }
    })
    const typed = Stream.runForEachArray(Stream.fromQueue(queue), (chunks) => give(joined(chunks)))
    const writer = yield* Effect.forkScoped(typed)
    let end: End = { _tag: "HungUp" }
    yield* Stream.runForEachWhile(caller.read, (bytes) => {
      const at = detach.find(bytes)
      if (at !== undefined) end = { _tag: "Detached" }
      const before = readOnly ? nothing : bytes.subarray(0, at)
      return Effect.as(before.length === 0 ? Effect.void : Queue.offer(queue, before), at === undefined)
    })
    yield* Queue.end(queue)
    yield* Effect.timeoutOption(Fiber.await(writer), patience)
    yield* Deferred.succeed(done, end)
  })

  const follow = (view: string) =>
    Stream.runForEach(
      Stream.concat(Stream.sync(size), caller.resizes),
      (now) => Effect.ignore(service.resize(view, now))
    )

  const show = (update: Update) => {
    switch (update._tag) {
      case "Opened":
        return enter.pipe(
          Effect.andThen(Effect.forkIn(forward(update.view), scope)),
          Effect.andThen(Effect.forkIn(follow(update.view), scope)),
          Effect.asVoid
        )
      case "Screen": {
        const before = `${display.leave()}${state.isDrawn ? "" : scrolledAway(size())}${atOnce.begin}`
        state.isDrawn = true
        return write(joined([encoder.encode(before), display.show(update.bytes), encoder.encode(atOnce.end)]))
      }
      case "Output":
        return write(display.show(update.bytes))
      case "Ended":
        return Effect.asVoid(Deferred.succeed(done, update))
    }
  }

  const shown = Stream.runForEach(
    service.show(pane, { size: first, readOnly, from: caller.env["PANEWAY_PANE"] }),
    show
  )
  return yield* Effect.raceFirst(Effect.andThen(shown, Deferred.await(done)), Deferred.await(done))
}, Effect.scoped)
