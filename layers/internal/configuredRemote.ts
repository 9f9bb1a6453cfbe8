/** A server that a config file names as a runtime. */
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as RuntimeConfig from "../../src/RuntimeConfig.ts"
import { RuntimeUnavailable } from "../../src/RuntimeError.ts"
import type { Examination } from "../../src/RuntimeRegistry.ts"
import type { TerminalRuntime } from "../../src/TerminalRuntime.ts"

/** The path of a unix socket; undefined for what is none. */
export const pathOf = (url: string): string | undefined => {
  const { host, pathname, protocol, search } = new URL(url)
  return protocol === "unix:" && host === "" && search === "" && pathname.startsWith("/")
    ? decodeURIComponent(pathname)
    : undefined
}

interface Made {
  readonly load: Effect.Effect<Layer.Layer<TerminalRuntime, RuntimeUnavailable>, RuntimeUnavailable>
  readonly examine: Effect.Effect<Examination>
}

interface Address {
  readonly path: string
  readonly version: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly name: string
  readonly session: string | undefined
}

/** What the adapter of remote runtimes exports. */
interface Remote {
  readonly layer: (address: Address) => Layer.Layer<TerminalRuntime, RuntimeUnavailable>
  readonly make: (
    address: Address
  ) => Effect.Effect<{ readonly runtime: string }, RuntimeUnavailable, Scope.Scope>
}

/** `version` is told to the server; `env` says which pane of it this process runs in. */
export const make = (
  remote: Remote,
  name: string,
  url: string,
  { env, version }: Pick<Address, "env" | "version">
): Made => {
  const options = Effect.gen(function*() {
    const { session } = yield* RuntimeConfig.Current
    const path = pathOf(url)
    if (path === undefined) {
      return yield* new RuntimeUnavailable({
        runtime: name,
        reason: "refused",
        detail: `its url ${url} is not that of a unix socket, such as unix:/run/user/1000/paneway/host.sock`
      })
    }
    const own = env["PANEWAY_SESSION"]?.trim()
    return { path, version, env, name, session: own === undefined || own === "" ? session : own }
  })
  return {
    load: Effect.map(options, remote.layer),
    examine: Effect.scoped(Effect.flatMap(options, remote.make)).pipe(
      Effect.match({
        onSuccess: ({ runtime }) => ({ usable: true, facts: [`it serves ${runtime} at ${url}`], advice: [] }),
        onFailure: ({ message }) => ({ usable: false, facts: [`it is the server at ${url}`], advice: [message] })
      })
    )
  }
}
