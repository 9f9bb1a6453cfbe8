/** A line that a person watches on standard error while something takes longer than a second. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { Caller } from "./Caller.ts"
import { oneLine } from "./layout.ts"

/** Shows what is being waited for and for how long; nothing where standard error is no terminal. */
export const during = (title: string) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Caller> =>
  Effect.gen(function*() {
    const caller = yield* Caller
    if (!caller.errorIsTerminal) return yield* effect
    let seconds = 0
    const what = oneLine(title).slice(0, 60)
    const show = Effect.suspend(() => caller.tell(`\r\x1b[K${what}: ${Duration.format(Duration.seconds(++seconds))}`))
    const shown = Effect.delay(Effect.repeat(show, Schedule.spaced("1 second")), "1 second")
    const clear = Effect.suspend(() => seconds > 0 ? caller.tell("\r\x1b[K") : Effect.void)
    return yield* Effect.ensuring(Effect.raceFirst(effect, Effect.andThen(shown, Effect.never)), clear)
  })
