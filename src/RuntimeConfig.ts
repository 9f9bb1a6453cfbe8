/**
 * Config files, and which runtime a call uses.
 *
 * Settings come from the nearest `.paneway/config.yml` at or above the working directory, then from
 * `$XDG_CONFIG_HOME/paneway/config.yml` (by default `~/.config`); the nearest file wins, setting by setting. Where
 * neither names a runtime, `.ace/runtime/config.yml` (the nearest, then the one in the home directory) may.
 *
 * A project's file comes from whoever wrote the project. It chooses programs, modules and servers only where the user
 * trusts its directory; elsewhere such a setting makes reading fail.
 *
 * @since 0.1.0
 */
import type * as Array from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { present, shown, variable } from "./internal/evidence.ts"
import * as File from "./runtimeConfig/file.ts"
import * as Merge from "./runtimeConfig/merge.ts"
import type { Config } from "./runtimeConfig/schema.ts"
import * as Trust from "./runtimeConfig/trust.ts"
import * as RuntimeDetect from "./RuntimeDetect.ts"
import { InvalidRequest } from "./RuntimeError.ts"

/**
 * The settings of a config file.
 *
 * @category schemas
 * @since 0.1.0
 */
export { Config } from "./runtimeConfig/schema.ts"

/**
 * A file that was read. `project`: found above the working directory, so it comes with the project and may be another
 * person's. `user`: of the user's own config directory. `ace`: of ACE, wherever it lies.
 *
 * @category models
 * @since 0.1.0
 */
export interface ConfigFile {
  readonly path: string
  readonly kind: "project" | "user" | "ace"
}

/**
 * What the config files say together.
 *
 * @category models
 * @since 0.1.0
 */
export interface Loaded {
  readonly config: Config
  /** The files that were read, the one that wins first. */
  readonly files: ReadonlyArray<ConfigFile>
  /** Path of the file behind each setting that is there, under `runtime`, `timeouts.native`, `remotes.NAME`. */
  readonly sources: Readonly<Record<string, string>>
}

/**
 * The settings that adapters are made with. A program that reads config files provides what {@link load} gave it;
 * without that, every default holds.
 *
 * @category references
 * @since 0.1.0
 */
export const Current = Context.Reference<Config>("paneway/RuntimeConfig/Current", { defaultValue: () => Merge.none })

interface Read {
  readonly file: ConfigFile
  readonly config: Config
}

const absolute = (path: Path.Path, value: string | undefined): Option.Option<string> =>
  value !== undefined && path.isAbsolute(value) ? Option.some(value) : Option.none()

const upwards = (path: Path.Path, cwd: string): ReadonlyArray<string> => {
  const parent = path.dirname(cwd)
  return parent === cwd ? [cwd] : [cwd, ...upwards(path, parent)]
}

/** The first of the files that is there; the others are not opened. */
const first = Effect.fnUntraced(function*<A, E, R>(
  files: Iterable<string>,
  read: (file: string) => Effect.Effect<Option.Option<A>, E, R>
) {
  for (const file of files) {
    const found = yield* read(file)
    if (Option.isSome(found)) return Option.some({ path: file, value: found.value })
  }
  return Option.none<{ readonly path: string; readonly value: A }>()
})

const aces = Effect.fnUntraced(function*(files: ReadonlyArray<string>) {
  const found = yield* first(files, File.readAce)
  return Option.toArray(found).map(({ path, value }): Read => ({
    file: { path, kind: "ace" },
    config: { ...Merge.none, ...value }
  }))
})

const combine = (nearestFirst: ReadonlyArray<Read>): Loaded => ({
  config: nearestFirst.reduceRight((far, { config }) => Merge.merge(far, config), Merge.none),
  files: nearestFirst.map(({ file }) => file),
  sources: Object.fromEntries(
    nearestFirst.toReversed().flatMap(({ file, config }) => Merge.keys(config).map((key) => [key, file.path]))
  )
})

/**
 * Reads the config files that there are. A file that is there and cannot be used is an `InvalidRequest` whose `field` is
 * the key (`file` for the file as a whole) and whose reason names the file and what was expected.
 *
 * Files of ACE are read only where no file of ours names a runtime. Relative directories in `env` are ignored.
 *
 * @category loading
 * @since 0.1.0
 */
export const load = Effect.fnUntraced(function*(options: {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}): Effect.fn.Return<Loaded, InvalidRequest, FileSystem.FileSystem | Path.Path> {
  const path = yield* Path.Path
  const directories = upwards(path, path.resolve(options.cwd))
  const home = absolute(path, present(options.env, "HOME"))
  const xdg = Option.orElse(
    absolute(path, present(options.env, "XDG_CONFIG_HOME")),
    () => Option.map(home, (directory) => path.join(directory, ".config"))
  )

  const ours = Effect.fnUntraced(function*(kind: "project" | "user", files: ReadonlyArray<string>) {
    const found = yield* first(files, File.read)
    return Option.toArray(found).map(({ path: file, value }): Read => ({
      file: { path: file, kind },
      config: Merge.located(value, { path, directory: path.dirname(file), home: Option.getOrUndefined(home) })
    }))
  })
  const project = yield* ours("project", directories.map((directory) => path.join(directory, ".paneway", "config.yml")))
  const userFiles = Option.toArray(xdg).map((directory) => path.join(directory, "paneway", "config.yml"))
  const user = yield* ours("user", userFiles)
  const trusted = user.flatMap(({ config }) => config.trusted ?? [])
  yield* Effect.forEach(
    project,
    ({ config, file }) => Trust.check({ file: file.path, config, trusted, userFile: userFiles[0], env: options.env })
  )
  if ([...project, ...user].some(({ config }) => config.runtime !== undefined)) return combine([...project, ...user])

  const aceIn = (directory: string) => path.join(directory, ".ace", "runtime", "config.yml")
  const nearest = yield* aces(directories.map(aceIn))
  const decided = nearest.some(({ config }) => config.runtime !== undefined)
  const last = decided ? [] : yield* aces(
    Option.toArray(home).map(aceIn).filter((file) => !nearest.some((near) => near.file.path === file))
  )
  return combine([...project, ...user, ...nearest, ...last])
})

/**
 * Which runtime a call uses and what decided it. `named`: somebody chose this runtime, so it is used or the call fails;
 * otherwise it is the first of a list, was found in the environment, or is the default, `pty`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Decision {
  readonly runtime: string
  readonly reason: "explicit" | "variable" | "config" | "preferred" | "detected" | "default"
  /** With the reason `preferred`: the runtimes to try in order, `runtime` first. */
  readonly prefer?: Array.NonEmptyReadonlyArray<string> | undefined
  /** `NAME=value` of variables, `FILE: runtime` or `FILE: prefer` of a config file; empty where the reason says all. */
  readonly evidence: ReadonlyArray<string>
  readonly named: boolean
}

/** The one that wins first. */
const variables = ["PANEWAY_RUNTIME", "ACE_RUNTIME"] as const

const fallback = "pty"

/**
 * Chooses by, in this order: the caller's own word, `PANEWAY_RUNTIME`, `ACE_RUNTIME`, the config key `runtime`, the key
 * `prefer`, the environment where `detection` is on, `pty`. A blank variable is absent; a blank `explicit` is an `InvalidRequest`,
 * since it was meant to name something.
 *
 * Whether the runtime exists is for the registry to say.
 *
 * @category selection
 * @since 0.1.0
 */
export const select = Effect.fnUntraced(function*(options: {
  readonly explicit?: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly loaded: Loaded
  readonly detection: boolean
}): Effect.fn.Return<Decision, InvalidRequest> {
  const { explicit, env, loaded, detection } = options
  if (explicit !== undefined) {
    const runtime = explicit.trim()
    if (runtime !== "") return { runtime, reason: "explicit", evidence: [], named: true }
    return yield* new InvalidRequest({
      operation: "select",
      field: "runtime",
      reason: "is blank; name one or leave it out"
    })
  }
  for (const name of variables) {
    const runtime = present(env, name)
    if (runtime !== undefined) {
      return { runtime, reason: "variable", evidence: [variable(name, runtime)], named: true }
    }
  }
  if (loaded.config.runtime !== undefined) {
    const file = shown(loaded.sources["runtime"] ?? "")
    return { runtime: loaded.config.runtime.trim(), reason: "config", evidence: [`${file}: runtime`], named: true }
  }
  const { prefer } = loaded.config
  if (prefer !== undefined) {
    const [runtime, ...others] = [prefer[0].trim(), ...prefer.slice(1).map((name) => name.trim())] as const
    const evidence = [`${shown(loaded.sources["prefer"] ?? "")}: prefer`]
    return { runtime, prefer: [runtime, ...others], reason: "preferred", evidence, named: false }
  }
  const found = detection ? RuntimeDetect.detect(env).found : Option.none()
  return Option.match(found, {
    onNone: () => ({ runtime: fallback, reason: "default", evidence: [], named: false }),
    onSome: ({ runtime, evidence }) => ({ runtime, reason: "detected", evidence, named: false })
  })
})
