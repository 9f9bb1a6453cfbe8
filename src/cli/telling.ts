/** How a command ends that failed: its failure is told, and its exit code is given. */
import * as Effect from "effect/Effect"
import { Caller } from "./Caller.ts"
import { wantsJson } from "./table.ts"

/** Succeeds with the exit code of a failure; what tells it is loaded when there is one. */
export const telling = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A | number, never, R | Caller> =>
  Effect.catchCause(effect, (cause) =>
    Effect.gen(function*() {
      const { words } = yield* Caller
      const { tell } = yield* Effect.promise(() => import("./failure.ts"))
      return yield* tell(cause, wantsJson(words))
    }))
