/**
 * Profiles of the user, from files: they add agents, and change those that are built in.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Yaml from "effect/encoding/Yaml"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { shown } from "../internal/evidence.ts"
import { InvalidRequest } from "../RuntimeError.ts"
import { AgentProfile } from "./profile.ts"
import { builtIn } from "./profiles/all.ts"

/** No file of profiles is so large, and no directory has so many. */
const largest = 1024 * 1024
const most = 100

/** Files are looked at again after so long, in milliseconds, when somebody asks. */
const fresh = 1000

/**
 * What a directory of profiles gives. A file that cannot be used is among the problems, and the others count.
 *
 * @category models
 * @since 0.1.0
 */
export interface Loaded {
  readonly profiles: ReadonlyArray<AgentProfile>
  /** The files, and the agents that each tells of. */
  readonly files: ReadonlyArray<{ readonly path: string; readonly agents: ReadonlyArray<string> }>
  readonly problems: ReadonlyArray<InvalidRequest>
}

const invalid = (file: string, field: string, reason: string) =>
  new InvalidRequest({ operation: "agent-profiles", field, reason: `in ${shown(file)}: ${reason}` })

const encode = Schema.encodeSync(AgentProfile)
const decode = Schema.decodeUnknownEffect(AgentProfile, { onExcessProperty: "error" })
const describe = SchemaIssue.makeFormatterStandardSchemaV1()

const misfit = (file: string, at: string, { issue }: Schema.SchemaError) => {
  const [first] = describe(issue).issues
  const path = (first?.path ?? []).map((key) => String(Predicate.isObject(key) ? key["key"] : key))
  const field = [at, ...path].filter((key) => key !== "").join(".")
  return invalid(file, field === "" ? "file" : shown(field), first?.message ?? "expected a profile")
}

/** With `extends`, what is not given is as in that profile, and its rules come after those given. */
const extended = (given: Readonly<Record<string, unknown>>, all: ReadonlyArray<AgentProfile>): unknown => {
  const { extends: base, ...own } = given
  const found = all.find(({ name }) => name === base)
  if (base === undefined) return own
  if (found === undefined) return { ...own, extends: base }
  const { rules, ...rest } = encode(found)
  const before = Array.isArray(own["rules"]) ? own["rules"] : []
  return { ...rest, ...own, rules: [...before, ...rules] }
}

const profilesOf = Effect.fnUntraced(function*(file: string, source: string) {
  const document = yield* Effect.try({
    try: (): unknown => Yaml.parse(source),
    catch: (error) =>
      invalid(file, "file", `expected YAML or JSON: ${shown(Predicate.isError(error) ? error.message : String(error))}`)
  })
  const list = Predicate.isObject(document) && Array.isArray(document["profiles"]) ? document["profiles"] : undefined
  const given: ReadonlyArray<unknown> = list ?? [document]
  return yield* Effect.forEach(given, (one, index) => {
    const at = list === undefined ? "" : `profiles.${index}`
    return Predicate.isObject(one)
      ? Effect.mapError(decode(extended(one, builtIn)), (error) => misfit(file, at, error))
      : Effect.fail(invalid(file, at === "" ? "file" : at, "expected a profile"))
  })
})

const read = Effect.fnUntraced(function*(fs: FileSystem.FileSystem, file: string) {
  const readable = Effect.mapError(({ reason }: { readonly reason: { readonly _tag: string } }) =>
    invalid(file, "file", `expected a file that can be read, got ${reason._tag}`)
  )
  const { size, type } = yield* readable(fs.stat(file))
  if (type !== "File") return yield* invalid(file, "file", `expected a file, got a ${type}`)
  if (size > largest) return yield* invalid(file, "file", `expected at most ${largest} bytes, got ${size}`)
  return yield* profilesOf(file, yield* readable(fs.readFileString(file)))
})

const filesIn = (fs: FileSystem.FileSystem, path: Path.Path, directory: string) =>
  Effect.map(
    Effect.orElseSucceed(fs.readDirectory(directory), (): Array<string> => []),
    (names) =>
      names.filter((name) => /\.(?:ya?ml|json)$/.test(name)).toSorted().slice(0, most).map((name) =>
        path.join(directory, name)
      )
  )

/** A later profile of a name takes the place of an earlier one. */
const over = (all: ReadonlyArray<AgentProfile>, more: ReadonlyArray<AgentProfile>): ReadonlyArray<AgentProfile> => {
  const byName = new Map(all.map((profile) => [profile.name, profile]))
  for (const profile of more) byName.set(profile.name, profile)
  return [...byName.values()]
}

/**
 * The built-in profiles, and over them those of the files (`*.yml`, `*.yaml`, `*.json`) in the directory, in the order of
 * their names. A directory that is not there has none.
 *
 * @category loading
 * @since 0.1.0
 */
export const load = Effect.fnUntraced(function*(directory: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const results = yield* Effect.forEach(yield* filesIn(fs, path, directory), (file) =>
    Effect.match(read(fs, file), {
      onFailure: (problem) => ({ file, profiles: [], problem: Option.some(problem) }),
      onSuccess: (profiles: ReadonlyArray<AgentProfile>) => ({ file, profiles, problem: Option.none<InvalidRequest>() })
    }))
  return {
    profiles: over(builtIn, results.flatMap(({ profiles }) => profiles)),
    files: results.map(({ file, profiles }) => ({ path: file, agents: profiles.map(({ name }) => name) })),
    problems: results.flatMap(({ problem }) => Option.toArray(problem))
  } satisfies Loaded
})

/**
 * Loads again what changed on disk, when it is asked and a second has passed. While a file has a fault, what it told
 * before it had one counts.
 *
 * @category loading
 * @since 0.1.0
 */
export const following = Effect.fnUntraced(function*(directory: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const good = new Map<string, ReadonlyArray<AgentProfile>>()
  const stamps = new Map<string, string>()
  let profiles = builtIn
  let checked = Number.NEGATIVE_INFINITY

  const stampOf = (file: string) =>
    Effect.match(fs.stat(file), {
      onFailure: () => "",
      onSuccess: ({ ino, mtime, size }) =>
        [size, Option.getOrUndefined(Option.map(mtime, (time) => time.getTime())), Option.getOrUndefined(ino)].join(":")
    })

  const check = Effect.gen(function*() {
    const files = yield* filesIn(fs, path, directory)
    let changed = files.length !== stamps.size || files.some((file) => !stamps.has(file))
    for (const file of stamps.keys()) {
      if (!files.includes(file)) {
        stamps.delete(file)
        good.delete(file)
      }
    }
    for (const file of files) {
      const stamp = yield* stampOf(file)
      if (stamps.get(file) === stamp) continue
      changed = true
      stamps.set(file, stamp)
      const found = yield* Effect.option(read(fs, file))
      if (Option.isSome(found)) good.set(file, found.value)
    }
    if (changed) profiles = over(builtIn, files.flatMap((file) => good.get(file) ?? []))
  })

  const current = Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    if (now - checked >= fresh) {
      checked = now
      yield* check
    }
    return profiles
  })
  return { current }
})
