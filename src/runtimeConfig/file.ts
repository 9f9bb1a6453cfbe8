/**
 * Reads one config file. Whatever is wrong with it is an `InvalidRequest` that names the file, the key and what was
 * expected there.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Yaml from "effect/encoding/Yaml"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type * as PlatformError from "effect/PlatformError"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { shown } from "../internal/evidence.ts"
import { InvalidRequest } from "../RuntimeError.ts"
import { AceConfig, Config, groupKeys } from "./schema.ts"

/** No config is so large. It bounds what a wrong path or link makes us read. */
const largest = 1024 * 1024

const invalid = (file: string, field: string, reason: string) =>
  new InvalidRequest({ operation: "config", field, reason: `in ${shown(file)}: ${reason}` })

/** A failure of the file as a whole has no key to name. */
const whole = "file"

const unreadable = (file: string, error: PlatformError.PlatformError) =>
  invalid(file, whole, `expected a file that can be read, got ${error.reason._tag}`)

/** Also where a directory of the path is a file (`ENOTDIR`): nothing can be under it. */
const isAbsent = ({ reason }: PlatformError.PlatformError): boolean =>
  reason._tag === "NotFound" || (Predicate.hasProperty(reason.cause, "code") && reason.cause.code === "ENOTDIR")

/** None: there is no such file. Looks before it opens, since opening a named pipe would wait for a writer. */
const text = Effect.fnUntraced(function*(file: string) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* fs.stat(file).pipe(
    Effect.asSome,
    Effect.catchIf(isAbsent, () => Effect.succeedNone)
  )
  if (Option.isNone(info)) return Option.none<string>()
  const { type, size } = info.value
  if (type !== "File") return yield* invalid(file, whole, `expected a file, got a ${type}`)
  if (size > largest) return yield* invalid(file, whole, `expected at most ${largest} bytes, got ${size}`)
  return Option.some(yield* fs.readFileString(file))
}, (effect, file) => Effect.catchTag(effect, "PlatformError", (error) => Effect.fail(unreadable(file, error))))

const parse = (file: string, source: string): Effect.Effect<unknown, InvalidRequest> =>
  Effect.try({
    try: () => Yaml.parse(source),
    catch: (error) =>
      invalid(file, whole, `expected YAML: ${shown(Predicate.isError(error) ? error.message : String(error))}`)
  })

const withoutBlanks = (value: unknown, keys: ReadonlyArray<string>): unknown =>
  Predicate.isObject(value)
    ? Object.fromEntries(Object.entries(value).filter(([key, one]) => one !== null || !keys.includes(key)))
    : value

/** A known key without a value is absent: so looks a group whose settings are all comments, and an empty file. */
const settings = (document: unknown): unknown => {
  const root = withoutBlanks(document ?? {}, Object.keys(Config.fields))
  return Predicate.isObject(root)
    ? Object.fromEntries(
      Object.entries(root).map(([key, value]) => [key, withoutBlanks(value, groupKeys.get(key) ?? [])])
    )
    : root
}

const describe = SchemaIssue.makeFormatterStandardSchemaV1()

const misfit = (file: string, error: Schema.SchemaError) => {
  const issue = describe(error.issue).issues[0]
  const path = (issue?.path ?? []).map((key) => String(Predicate.isObject(key) ? key["key"] : key)).join(".")
  return invalid(file, path === "" ? whole : shown(path), issue?.message ?? "expected settings")
}

const decodeConfig = Schema.decodeUnknownEffect(Config, { onExcessProperty: "error" })
const decodeAce = Schema.decodeUnknownEffect(AceConfig)

/**
 * The settings in a file of ours; none where there is no such file.
 *
 * @category reading
 * @since 0.1.0
 */
export const read = Effect.fnUntraced(function*(file: string) {
  const source = yield* text(file)
  if (Option.isNone(source)) return Option.none<Config>()
  const document = yield* parse(file, source.value)
  return Option.some(yield* Effect.mapError(decodeConfig(settings(document)), (error) => misfit(file, error)))
})

/**
 * The runtime that a file of ACE names; none where there is no such file.
 *
 * @category reading
 * @since 0.1.0
 */
export const readAce = Effect.fnUntraced(function*(file: string) {
  const source = yield* text(file)
  if (Option.isNone(source)) return Option.none<typeof AceConfig.Type>()
  const document = withoutBlanks((yield* parse(file, source.value)) ?? {}, Object.keys(AceConfig.fields))
  return Option.some(yield* Effect.mapError(decodeAce(document), (error) => misfit(file, error)))
})
