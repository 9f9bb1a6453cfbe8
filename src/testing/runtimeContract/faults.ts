/**
 * Faults that tests put in front of an adapter.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { Primitives, WriteFailed } from "../../Contract.ts"
import { RuntimeUnavailable } from "../../RuntimeError.ts"

type Fault = (original: Primitives) => Partial<Primitives>

/**
 * The server cannot be asked anything, and the native calls are known not to have happened.
 *
 * @internal
 */
export const unavailable: Fault = ({ runtime }) => {
  const lost = Effect.fail(new RuntimeUnavailable({ runtime, reason: "lost", detail: "the test took it away" }))
  const ask = () => lost
  return {
    inventory: lost,
    session: lost,
    current: lost,
    find: ask,
    open: ask,
    close: ask,
    closeSession: ask,
    write: ask,
    deliver: ask,
    capture: ask,
    focus: ask,
    resize: ask,
    profileOf: ask,
    agent: ask,
    remember: ask,
    setEnvironment: ask,
    watch: ask,
    watchAll: ask
  }
}

/**
 * Writing ends in this way; whether the bytes went out is what the failure says.
 *
 * @internal
 */
export const writing = (failed: Effect.Effect<never, WriteFailed>): Fault => () => ({
  write: () => failed,
  deliver: () => failed
})

/**
 * Every step arrives, and the answer to the one that submits is lost.
 *
 * @internal
 */
export const answerLost = (failed: Effect.Effect<never, WriteFailed>): Fault => ({ deliver, write }) => ({
  write: (pane, step) => step._tag === "Type" ? write(pane, step) : Effect.andThen(write(pane, step), failed),
  ...(deliver === undefined ? {} : {
    deliver: (pane, delivery) => Effect.andThen(deliver(pane, delivery), failed)
  })
})

/**
 * Calls of this kind get no answer.
 *
 * @internal
 */
export const silent =
  (...names: ReadonlyArray<"write" | "deliver" | "capture" | "inventory" | "find">): Fault => () => {
    const all = {
      write: () => Effect.never,
      deliver: () => Effect.never,
      capture: () => Effect.never,
      find: () => Effect.never
    }
    return {
      ...(names.includes("write") ? { write: all.write } : {}),
      ...(names.includes("deliver") ? { deliver: all.deliver } : {}),
      ...(names.includes("capture") ? { capture: all.capture } : {}),
      ...(names.includes("find") ? { find: all.find } : {}),
      ...(names.includes("inventory") ? { inventory: Effect.never } : {})
    }
  }

/**
 * Every write takes a moment before and after it is made, and so does every delivery. `begun` runs when one begins.
 *
 * @internal
 */
export const slowly = (begun: Effect.Effect<unknown> = Effect.void): Fault => ({ deliver, write }) => {
  const slow = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.andThen(begun, Effect.delay(effect, "10 millis")).pipe(Effect.tap(() => Effect.sleep("10 millis")))
  return {
    write: (pane, step) => slow(write(pane, step)),
    ...(deliver === undefined ? {} : { deliver: (pane, delivery) => slow(deliver(pane, delivery)) })
  }
}
