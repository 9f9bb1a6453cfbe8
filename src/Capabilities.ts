/**
 * What a runtime can do, as data. Ask before an operation that not every runtime has; one that lacks it fails with
 * `Unsupported` and does nothing.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { Capabilities, Capability } from "./capabilities/records.ts"
import { Unsupported } from "./RuntimeError.ts"

export * from "./capabilities/records.ts"

/**
 * Fails early, before anything is done, when the runtime lacks one of the capabilities; the failure names the first
 * one that it lacks. Derived support is support.
 *
 * @category guards
 * @since 0.1.0
 */
export const require = (
  runtime: { readonly runtime: string; readonly capabilities: Capabilities },
  needed: ReadonlyArray<Capability>
): Effect.Effect<void, Unsupported> =>
  Effect.suspend(() => {
    const lacking = needed.find((capability) => runtime.capabilities[capability] === "none")
    return lacking === undefined
      ? Effect.void
      : Effect.fail(
        new Unsupported({
          runtime: runtime.runtime,
          capability: lacking,
          reason: `it has no way to do it, and ${needed.join(", ")} ${needed.length === 1 ? "is" : "are"} required`
        })
      )
  })
