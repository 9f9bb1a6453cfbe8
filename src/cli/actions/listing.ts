/** What `paneway sessions`, `windows` and `panes` do. */
import * as Effect from "effect/Effect"
import type * as Spec from "../commands/listing.ts"
import * as Layout from "../layout.ts"
import * as Output from "../output.ts"
import * as Selection from "../selection.ts"
import type { Words } from "../syntax/spec.ts"
import * as Targets from "../targets.ts"
import { plain } from "../words.ts"

export const sessions = Effect.fnUntraced(function*(words: Words<keyof typeof Spec.sessions.flags>) {
  const all = yield* Selection.using(words.text("runtime"), [], ({ listSessions }) => listSessions)
  yield* words.on("json") ? Output.object({ sessions: all }) : Output.table(all.map((name) => [name]))
})

const inSession = (session: string | undefined) => session === undefined ? {} : { session }

export const windows = Effect.fnUntraced(function*(words: Words<keyof typeof Spec.windows.flags>) {
  const all = yield* Selection.using(
    words.text("runtime"),
    [],
    (runtime) => runtime.listWindows(inSession(words.text("session")))
  )
  if (words.on("json")) return yield* Output.object({ windows: plain(all) })
  yield* Output.table(
    all.map((
      { active, handle, name, root, session }
    ) => [`${handle}`, name, session ?? "", root ?? "", active ? "*" : ""])
  )
})

export const panes = Effect.fnUntraced(function*(words: Words<keyof typeof Spec.panes.flags>) {
  const name = words.text("window")
  const all = yield* Selection.using(
    words.text("runtime"),
    [name],
    Effect.fnUntraced(function*(runtime) {
      const window = name === undefined ? undefined : yield* Targets.window(runtime, name)
      return yield* runtime.listPanes({
        ...(window === undefined ? {} : { window }),
        ...inSession(words.text("session"))
      })
    })
  )
  if (words.on("json")) return yield* Output.object({ panes: plain(all) })
  yield* Output.table(all.map((pane) => Layout.paneRow(`${pane.handle}`, pane)))
})
