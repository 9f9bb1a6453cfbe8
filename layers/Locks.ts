/**
 * Locks for terminals that several processes of one host write to. An adapter's layer provides them where its server
 * belongs to no single process; where one process owns the terminals, `PaneLocks.layerMemory` is enough.
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import type * as Layer from "effect/Layer"
import type { PaneLocks } from "../src/PaneLocks.ts"
import * as Files from "./locks/files.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** How long a lock is waited for. Defaults to 30 seconds. */
  readonly wait?: Duration.Input | undefined
}

/**
 * Provides `PaneLocks` by files in the user's runtime directory. Nothing is touched before the first lock is asked for;
 * a directory that cannot be used fails each one with `RuntimeUnavailable` `refused`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = ({ wait }: Options = {}): Layer.Layer<PaneLocks> => Files.layer({ wait })
