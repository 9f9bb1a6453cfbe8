/** Live panes of a server in terminals of this process. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Service, Update } from "../../src/PaneView.ts"
import { Unsupported } from "../../src/RuntimeError.ts"
import type { Calls } from "./calls.ts"

const updateOf = (
  update:
    | { readonly _tag: "Opened"; readonly view: string }
    | { readonly _tag: "Screen" | "Output"; readonly bytes: Uint8Array; readonly offset: number }
    | Extract<Update, { readonly _tag: "Ended" }>
): Update => update._tag === "Screen" || update._tag === "Output" ? { ...update, _tag: update._tag } : update

/** What is typed is sent once: where the connection is lost, it may have arrived. */
export const make = (runtime: string, isPrivate: boolean, calls: Calls): Service => {
  const refused = new Unsupported({
    runtime,
    capability: "attach",
    reason: "what is typed crosses private connections only"
  })
  return {
    show: (pane, options) =>
      isPrivate
        ? Stream.map(calls.stream("attach", (client) => client.viewPane({ pane, ...options })), updateOf)
        : Stream.fail(refused),
    write: (view, bytes) =>
      isPrivate ? calls.change("attach", (client) => client.viewWrite({ view, bytes })) : Effect.fail(refused),
    resize: (view, size) => calls.change("attach", (client) => client.viewResize({ view, size }))
  }
}
