/**
 * The procedures of live panes, over the runtime's own service.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { PaneView } from "../PaneView.ts"
import { Unsupported } from "../RuntimeError.ts"
import { TerminalRuntime } from "../TerminalRuntime.ts"
import { ViewRpcs } from "./ViewRpcs.ts"

/**
 * Refuses everything where the runtime has no such service, or the server is not to offer it.
 *
 * @internal
 */
export const handlers = (offered: boolean) =>
  ViewRpcs.toLayer(Effect.gen(function*() {
    const { runtime } = yield* TerminalRuntime
    const service = yield* PaneView
    const refused = new Unsupported({
      runtime,
      capability: "attach",
      reason: offered ? "it cannot show a pane in another terminal" : "its server shows no pane in another terminal"
    })
    if (!offered || Option.isNone(service)) {
      return ViewRpcs.of({
        viewPane: () => Stream.fail(refused),
        viewWrite: () => Effect.fail(refused),
        viewResize: () => Effect.fail(refused)
      })
    }
    const { resize, show, write } = service.value
    return ViewRpcs.of({
      // one part at a time, each when the last one was taken
      viewPane: ({ pane, ...options }) => Stream.rechunk(show(pane, options), 1),
      viewWrite: ({ bytes, view }) => write(view, bytes),
      viewResize: ({ size, view }) => resize(view, size)
    })
  }))
