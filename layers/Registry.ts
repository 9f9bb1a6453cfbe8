/**
 * The runtimes that come with Paneway, by name. An adapter is loaded when it is first asked for.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as RuntimeConfig from "../src/RuntimeConfig.ts"
import { RuntimeUnavailable } from "../src/RuntimeError.ts"
import type { Entry } from "../src/RuntimeRegistry.ts"

const loading = <A>(runtime: string, load: () => Promise<A>): Effect.Effect<A, RuntimeUnavailable> =>
  Effect.tryPromise({
    try: load,
    catch: (cause) =>
      new RuntimeUnavailable({
        runtime,
        reason: "missing-program",
        detail: "its adapter could not be loaded: reinstall Paneway with its dependencies",
        cause
      })
  })

const pty: Entry = {
  load: Effect.gen(function*() {
    const { env, pty: { shell }, scrollback, session, size, timeouts: { stall } } = yield* RuntimeConfig.Current
    const { columns = 120, rows = 40 } = size
    const { layer } = yield* loading("pty", () => import("./Pty.ts"))
    return layer({ size: { columns, rows }, scrollback, session, shell, stall, inherit: env })
  }),
  examine: Effect.flatMap(loading("pty", () => import("./Pty.ts")), ({ examine }) => examine).pipe(
    Effect.catch(({ detail }) => Effect.succeed({ usable: false, facts: ["its adapter is missing"], advice: [detail] }))
  )
}

/**
 * Each is made with the settings of `RuntimeConfig.Current`.
 *
 * @category models
 * @since 0.1.0
 */
export const builtIn: ReadonlyMap<string, Entry> = new Map([["pty", pty]])
