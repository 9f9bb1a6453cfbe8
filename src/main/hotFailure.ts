/** A failure that the host told, as the whole program tells it. */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Caller } from "../cli/Caller.ts"
import { tell } from "../cli/failure.ts"
import { RuntimeError } from "../RuntimeError.ts"
import * as MainCaller from "./caller.ts"
import type { Answer } from "./wire.ts"

const decode = Schema.decodeUnknownEffect(Schema.toCodecJson(RuntimeError))

/** The exit code. */
export const told = (words: ReadonlyArray<string>, answer: Answer): Promise<number> =>
  decode(answer._tag === "failed" ? answer.error : undefined).pipe(
    Effect.matchEffect({ onFailure: Effect.die, onSuccess: Effect.fail }),
    Effect.catchCause((cause: Cause.Cause<unknown>) => tell(cause, false)),
    Effect.provideService(Caller, MainCaller.make(words, () => {})),
    Effect.runPromise
  )
