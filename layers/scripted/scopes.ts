/** Keeps worlds apart that are open at once: no two of one name have the same scope unless they were given it. */
import * as Effect from "effect/Effect"

const taken = new Set<string>()

const free = (runtime: string): string => {
  let scope = "memory"
  for (let n = 2; taken.has(`${runtime} ${scope}`); n++) scope = `memory-${n}`
  return scope
}

/** A scope for the runtime, the same one each time that no other world is open. */
export const claim = (runtime: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const scope = free(runtime)
      taken.add(`${runtime} ${scope}`)
      return scope
    }),
    (scope) => Effect.sync(() => taken.delete(`${runtime} ${scope}`))
  )
