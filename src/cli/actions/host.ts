/** What `paneway host` does. */
import * as Effect from "effect/Effect"
import { Host } from "../Host.ts"
import * as Output from "../output.ts"

interface Options {
  readonly json: boolean
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`

const tellEnded = (ended: number) =>
  ended === 0
    ? Effect.void
    : Output.problem(
      `ended ${ended === 1 ? "1 process" : `${ended} processes`} that panes of a host which is gone had left`
    )

export const start = Effect.fnUntraced(function*({ json }: Options) {
  const { ended, pid, started } = yield* (yield* Host).ensure
  if (json) return yield* Output.object({ pid, started, ended })
  yield* tellEnded(ended)
  yield* Output.lines([`${pid}`])
})

export const status = Effect.fnUntraced(function*({ json }: Options) {
  const found = yield* (yield* Host).status
  if (json) return yield* Output.object(found)
  const { clients, live, panes, pid, version } = found
  yield* Output.lines([
    `process ${pid}`,
    `version ${version}`,
    `${counted(panes, "pane")}, ${live} live`,
    counted(clients, "client")
  ])
})

export const stop = Effect.fnUntraced(function*({ force, json }: Options & { readonly force: boolean }) {
  const { absent = false, ended, pid } = yield* (yield* Host).stop(force)
  const result = absent ? "not-running" : "stopped"
  if (json) return yield* Output.object({ ...(pid === undefined ? {} : { pid }), result, ended })
  yield* tellEnded(ended)
  yield* Output.lines([result])
})
