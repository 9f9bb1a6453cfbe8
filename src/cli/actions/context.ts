/** What `paneway context` does. */
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import { TerminalRuntime } from "../../TerminalRuntime.ts"
import * as Output from "../output.ts"
import * as Selection from "../selection.ts"

export const execute = Effect.fnUntraced(function*({ json, runtime }: {
  readonly json: boolean
  readonly runtime: Option.Option<string>
}) {
  const selected = yield* Selection.select(runtime, true)
  const [name, here] = yield* Selection.provide(selected)(
    TerminalRuntime.use((rt) => Effect.map(rt.context, (here) => [rt.runtime, here] as const))
  )
  if (!here.inRuntime) {
    return yield* json
      ? Output.object({ inRuntime: false, runtime: name })
      : Output.lines([`not in a pane of ${name}`])
  }
  const place = {
    ...(here.session === undefined ? {} : { session: here.session }),
    ...(here.window === undefined ? {} : { window: `${here.window}` }),
    pane: `${here.pane}`
  }
  yield* json
    ? Output.object({ inRuntime: true, runtime: name, ...place })
    : Output.lines([`runtime ${name}`, ...Object.entries(place).map(([key, value]) => `${key} ${value}`)])
})
