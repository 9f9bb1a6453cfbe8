/**
 * The runtime directory: this user's alone, for what ends with the session. `$XDG_RUNTIME_DIR/paneway`, else
 * `paneway-UID` in the temporary directory.
 */
import * as Effect from "effect/Effect"
import { lstatSync, mkdirSync } from "node:fs"
import { tmpdir, userInfo } from "node:os"
import { isAbsolute, join } from "node:path"
import { RuntimeUnavailable } from "../../src/RuntimeError.ts"
import * as SystemError from "./systemError.ts"

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly uid: number
  readonly temporary: string
}

/** Those of this process. */
export const surroundings = (): Surroundings => ({
  env: process.env,
  uid: process.geteuid?.() ?? userInfo().uid,
  temporary: tmpdir()
})

/** A relative `XDG_RUNTIME_DIR` is ignored, as its specification asks. */
export const locate = ({ env, temporary, uid }: Surroundings): string => {
  const given = env["XDG_RUNTIME_DIR"]
  return given !== undefined && isAbsolute(given) ? join(given, "paneway") : join(temporary, `paneway-${uid}`)
}

const elsewhere = "set XDG_RUNTIME_DIR to a directory of your own"

/** What keeps the directory from being used, and what to do about it. */
const problem = (path: string, uid: number): string | undefined => {
  const info = lstatSync(path)
  if (info.isSymbolicLink()) return `${path} is a symbolic link: remove it, or ${elsewhere}`
  if (!info.isDirectory()) return `${path} is not a directory: remove it, or ${elsewhere}`
  if (info.uid !== uid) return `${path} belongs to user ${info.uid}, and this is user ${uid}: ${elsewhere}`
  return (info.mode & 0o077) === 0 ? undefined : `other users may enter ${path}: run chmod 700 on it`
}

const make = (path: string): void => {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (cause) {
    if (SystemError.code(cause) !== "EEXIST") throw cause
  }
}

/**
 * The directory, or one of that name in it, made where it is not there: 0700, of this user, no symbolic link. Nothing is
 * used that another user made or may enter.
 */
export const ensure = (
  runtime: string,
  place: Surroundings,
  name?: string
): Effect.Effect<string, RuntimeUnavailable> => {
  const base = locate(place)
  const paths = name === undefined ? [base] : [base, join(base, name)]
  return Effect.gen(function*() {
    for (const path of paths) {
      const wrong = yield* Effect.try({
        try: () => {
          make(path)
          return problem(path, place.uid)
        },
        catch: (cause) =>
          SystemError.code(cause) === "ENOENT"
            ? new RuntimeUnavailable({
              runtime,
              reason: "refused",
              detail: `the directory above ${path} does not exist: create it, or ${elsewhere}`,
              cause
            })
            : SystemError.unavailable(runtime, path, elsewhere)(cause)
      })
      if (wrong !== undefined) return yield* new RuntimeUnavailable({ runtime, reason: "refused", detail: wrong })
    }
    return paths.at(-1) ?? base
  })
}
