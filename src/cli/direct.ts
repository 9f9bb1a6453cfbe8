/**
 * The fast way in: commands whose words are well-formed run without `effect/cli`, which is loaded for help, completions
 * and whatever is wrong.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Table from "./table.ts"
import { telling } from "./telling.ts"

/** Runs the command of the caller as the main function of `app.ts` does; undefined: that one has to. */
export const main = (words: ReadonlyArray<string>) => {
  const action = Table.read(words)
  return action === undefined ? undefined : telling(Effect.as(action, undefined))
}
