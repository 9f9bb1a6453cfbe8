/** The emulator's answers on their way to the program that asked. */
import * as Effect from "effect/Effect"
import type { WriteQueue } from "./writeQueue.ts"

/** A program that asks and never reads gets no more than this; the rest is dropped, as its answers have no reader. */
const most = 4096
/** Milliseconds after which a program that takes no answer gets none of those that wait. */
const patience = 1000

/** Answers keep their order; while a program takes none, they neither grow nor hold up what others write for long. */
export const make = (input: WriteQueue, run: (effect: Effect.Effect<void>) => unknown): (text: string) => void => {
  let pending = ""
  let writing = false

  const drain = Effect.gen(function*() {
    while (pending !== "") {
      const bytes = Buffer.from(pending, "utf8")
      pending = ""
      yield* Effect.catch(input.write(bytes, patience), () => Effect.sync(() => pending = ""))
    }
    writing = false
  })

  return (text) => {
    if (pending.length + text.length > most) return
    pending += text
    if (writing) return
    writing = true
    run(drain)
  }
}
