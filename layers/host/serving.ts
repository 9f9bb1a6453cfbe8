/** The host from the inside: its place, its panes, and what it says of itself. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { protocolVersion } from "../../src/remote/TerminalRpcs.ts"
import * as RuntimeConfig from "../../src/RuntimeConfig.ts"
import type { RuntimeUnavailable } from "../../src/RuntimeError.ts"
import type { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import * as RuntimeDirectory from "../internal/runtimeDirectory.ts"
import * as Pty from "../Pty.ts"
import { hold } from "./holding.ts"
import { type Answer, inherited, print } from "./launching.ts"
import { sweep } from "./leftovers.ts"
import * as Place from "./place.ts"
import * as Record from "./record.ts"
import { guard } from "./watching.ts"

export type { Answer }
export { print }

/** Panes with the settings of the user's config file. */
const panes = ({ socket, tag }: Place.Place): Layer.Layer<TerminalRuntime, RuntimeUnavailable> =>
  Layer.unwrap(
    Effect.map(RuntimeConfig.Current, ({ env, pty: { shell }, scrollback, session = "paneway", size, timeouts }) => {
      const { columns = 120, rows = 40 } = size
      return Pty.layer({
        size: { columns, rows },
        scrollback,
        session,
        shell,
        stall: timeouts.stall,
        lock: timeouts.lock,
        env: inherited(process.env),
        inherit: env,
        served: { socket, tag }
      })
    })
  )

/**
 * Holds the place until the scope closes, and ends what panes of an earlier host left there. Fails where another host is
 * there.
 */
export const take = Effect.gen(function*() {
  const place = yield* Place.find(RuntimeDirectory.surroundings())
  const { free, identity: { boot, pid, start }, keep } = yield* hold(place)
  const write = (version: string) => Record.write(place, { pid, start, boot, protocol: protocolVersion, version })
  const ended = yield* Pty.endLeftBehind(place.tag)
  yield* sweep(place)
  return {
    socket: place.socket,
    ended,
    panes: panes(place),
    /** Until the scope closes. */
    publish: (version: string) => Effect.acquireRelease(write(version), () => Record.removeOwn(place)),
    /** Runs until another host has the place. Where the socket or more is removed, `listen` makes it again. */
    guard: <E, R>(version: string, listen: Effect.Effect<void, E, R>) =>
      guard(place, {
        keep: Effect.andThen(Place.find(RuntimeDirectory.surroundings()), keep),
        listen: Effect.andThen(free, Effect.andThen(listen, write(version)))
      })
  }
})
