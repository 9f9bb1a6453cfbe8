/**
 * Roots on this file system, for adapters whose panes are on it too.
 */
import * as Effect from "effect/Effect"
import { realpath } from "node:fs/promises"

/** The real path where it exists, else the path as it is. */
export const realPath = (path: string): Effect.Effect<string> => Effect.promise(() => realpath(path).catch(() => path))
