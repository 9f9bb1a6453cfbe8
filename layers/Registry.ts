/**
 * The runtimes that come with Paneway, by name. An adapter is loaded when it is first asked for.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { Entry } from "../src/RuntimeRegistry.ts"

/**
 * @category models
 * @since 0.1.0
 */
export const builtIn: ReadonlyMap<string, Entry> = new Map<string, Entry>([
  ["pty", { load: Effect.map(Effect.promise(() => import("./Pty.ts")), (pty) => pty.layer()) }]
])
