/** Where the host of this user is. */
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { join } from "node:path"
import type { RuntimeUnavailable } from "../../src/RuntimeError.ts"
import * as RuntimeDirectory from "../internal/runtimeDirectory.ts"

export interface Place {
  readonly directory: string
  readonly socket: string
  /** Says which process the host is. */
  readonly record: string
  /** Marks the processes of its panes, and of every host at this place. */
  readonly tag: string
}

/** Bytes of a socket's path that every system takes. */
const longest = 100

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16)

/** Makes the directories where they are not there. */
export const find = Effect.fnUntraced(function*(
  surroundings: RuntimeDirectory.Surroundings
): Effect.fn.Return<Place, RuntimeUnavailable> {
  const directory = yield* RuntimeDirectory.ensure("pty", surroundings)
  const usual = join(directory, "host.sock")
  const socket = Buffer.byteLength(usual) <= longest
    ? usual
    : join(yield* RuntimeDirectory.ensure("pty", { ...surroundings, env: {} }), digest(usual))
  return { directory, socket, record: join(directory, "host.json"), tag: `host-${digest(socket)}` }
})
