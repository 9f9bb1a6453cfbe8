/** What the package exports: the layer for programs, and the entry by which `paneway --runtime pipes` finds it. */
import * as Effect from "effect/Effect"
import { RuntimeConfig, RuntimeRegistry } from "paneway"
import { layer } from "./layer.ts"

export { layer, type Options } from "./layer.ts"

/** Made with the settings of the config files that it has a use for. */
export const entry = RuntimeRegistry.entry({
  load: Effect.map(
    RuntimeConfig.Current,
    ({ scrollback, size: { columns = 120, rows = 40 }, timeouts: { stall } }) =>
      layer({ size: { columns, rows }, scrollback, stall })
  )
})
