/**
 * Windows by name or handle, with the root and the preset that this runtime made them for.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { AskError, EnsureWindow, Primitives, TargetError } from "../Contract.ts"
import { TargetNotFound } from "../RuntimeError.ts"
import { Window, type WindowHandle, type WindowRef } from "../Target.ts"

/**
 * Windows with what is remembered of them.
 *
 * @internal
 */
export interface KnownWindows {
  readonly list: Effect.Effect<ReadonlyArray<Window>, AskError>
  /** Fails with `absent`, and with `ambiguous` for a name that several windows have. */
  readonly find: (ref: WindowRef) => Effect.Effect<Window, TargetNotFound | AskError>
  /** Remembers facts here, and on the window itself where the adapter has a place for them. */
  readonly remember: (
    window: WindowHandle,
    facts: Pick<EnsureWindow, "root" | "preset">
  ) => Effect.Effect<void, TargetError>
}

/**
 * What is remembered here lasts as long as the runtime; the adapter keeps it for other processes.
 *
 * @internal
 */
export const makeKnownWindows = (primitives: Primitives): KnownWindows => {
  const remembered = new Map<string, Pick<EnsureWindow, "root" | "preset">>()

  const withFacts = (window: Window) => {
    const facts = remembered.get(`${window.handle}`)
    if (facts === undefined) return window
    return new Window({
      ...window,
      root: facts.root,
      ...(facts.preset === undefined ? {} : { preset: facts.preset })
    })
  }

  const find = Effect.fnUntraced(function*(ref: WindowRef) {
    const { windows } = yield* primitives.inventory
    const hits = windows.filter(({ handle, name }) =>
      typeof ref === "string" ? name === ref : handle.id === ref.id && handle.incarnation === ref.incarnation
    )
    const [first, ...more] = hits
    if (first === undefined) return yield* new TargetNotFound({ target: ref, reason: "absent" })
    if (more.length === 0) return withFacts(first)
    const candidates = hits.map(({ handle }) => `${handle}`)
    return yield* new TargetNotFound({ target: ref, reason: "ambiguous", candidates })
  })

  const remember: KnownWindows["remember"] = (window, { preset, root }) =>
    Effect.suspend(() => {
      remembered.set(`${window}`, { root, preset })
      return primitives.remember?.(window, { root, preset }) ?? Effect.void
    })

  return {
    list: Effect.map(primitives.inventory, ({ windows }) => windows.map(withFacts)),
    find,
    remember
  }
}
