/**
 * Hubs that nobody waits at. Each goes a moment later, unless somebody comes.
 *
 * @since 0.1.0
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Run } from "./beats.ts"

/** Milliseconds that a hub stays; it goes within twice that time. */
const grace = 1000

interface Idle {
  readonly isIdle: () => boolean
}

/**
 * @internal
 */
export interface IdleHubs {
  /** `gone` is run unless the hub is in use again. */
  readonly add: (hub: Idle, gone: Effect.Effect<void>) => void
}

/**
 * @internal
 */
export const makeIdle = (run: Run, clock: Clock.Clock): IdleHubs => {
  const hubs = new Map<Idle, { readonly since: number; readonly gone: Effect.Effect<void> }>()
  let sweeping = false

  const sweep = Effect.gen(function*() {
    while (hubs.size > 0) {
      yield* Effect.sleep(grace)
      const old = clock.currentTimeMillisUnsafe() - grace
      for (const [hub, { gone, since }] of hubs) {
        if (hub.isIdle() && since > old) continue
        hubs.delete(hub)
        if (hub.isIdle()) yield* gone
      }
    }
    sweeping = false
  })

  return {
    add: (hub, gone) => {
      hubs.set(hub, { since: clock.currentTimeMillisUnsafe(), gone })
      if (sweeping) return
      sweeping = true
      run(sweep)
    }
  }
}
