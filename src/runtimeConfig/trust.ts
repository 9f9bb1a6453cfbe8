/**
 * What a config file that comes with a project may not decide by itself: what runs as the user, and who gets what is the
 * user's.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { present, shown } from "../internal/evidence.ts"
import { InvalidRequest } from "../RuntimeError.ts"
import * as Merge from "./merge.ts"
import type { Config } from "./schema.ts"

const variable = "PANEWAY_TRUST"

/** Settings that choose a program, a module or a server, or that undo what keeps credentials from programs. */
const risky = (config: Config): ReadonlyArray<string> => {
  const { server } = config.tmux
  const keys = Merge.keys(config).filter((key) => /^(?:layers|remotes|env)\.|^(?:tmux\.binary|pty\.shell)$/.test(key))
  return typeof server === "object" && "path" in server ? [...keys, "tmux.server"] : keys
}

const isWithin = (path: Path.Path, directory: string, parent: string): boolean => {
  const way = path.relative(parent, directory)
  return way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way)
}

/**
 * Fails with `InvalidRequest` where a project's file has such a setting and nobody trusts its directory: the list
 * `trusted` of the user's own file and `PANEWAY_TRUST`, separated by colons, hold directories; one that ends in `/*` stands
 * for all below it too. What a directory is really called counts, so that a link in a trusted one is none.
 *
 * @category checking
 * @since 0.1.0
 */
export const check = Effect.fnUntraced(function*(options: {
  readonly file: string
  readonly config: Config
  readonly trusted: ReadonlyArray<string>
  readonly userFile: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
}): Effect.fn.Return<void, InvalidRequest, FileSystem.FileSystem | Path.Path> {
  const { config, env, file, trusted, userFile } = options
  const invalid = (field: string, reason: string) =>
    new InvalidRequest({ operation: "config", field, reason: `in ${shown(file)}: ${reason}` })
  if (config.trusted !== undefined) {
    return yield* invalid("trusted", "a project cannot trust itself; remove this key here")
  }
  const [first] = risky(config)
  if (first === undefined) return

  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const real = (directory: string) => Effect.orElseSucceed(fs.realPath(directory), () => path.resolve(directory))
  const directory = yield* real(path.dirname(path.dirname(file)))
  const given = (present(env, variable) ?? "").split(":").filter((entry) => path.isAbsolute(entry))
  const isTrusted = Effect.fnUntraced(function*(entry: string) {
    const [, above] = /^(.*)\/\*$/.exec(entry) ?? []
    return above === undefined
      ? (yield* real(entry)) === directory
      : isWithin(path, directory, yield* real(above === "" ? "/" : above))
  })
  for (const entry of [...trusted, ...given]) if (yield* isTrusted(entry)) return
  const place = userFile === undefined ? "" : `add it to the list trusted in ${shown(userFile)}, or `
  return yield* invalid(
    shown(first),
    `this setting comes with a project and decides what runs as you; if you trust ${shown(directory)}, ` +
      `${place}set ${variable} to it`
  )
})
