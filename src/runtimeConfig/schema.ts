/**
 * What a config file may say.
 *
 * @since 0.1.0
 */
import type * as DurationType from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Duration from "../internal/duration.ts"

const Text = Schema.String.annotate({ message: "expected text; put a number or a word like yes in quotes" }).check(
  Schema.isPattern(/\S/, { message: "expected text that is not blank" })
)

const Count = (minimum: number, maximum: number) => {
  const message = `expected a whole number between ${minimum} and ${maximum}`
  return Schema.Number.annotate({ message }).check(
    Schema.isInt({ message }),
    Schema.isBetween({ minimum, maximum }, { message })
  )
}

const Span = Schema.Unknown.pipe(Schema.decodeTo(
  Schema.Duration,
  SchemaTransformation.transformEffect<DurationType.Duration, unknown>({
    decode: (value, options) =>
      Result.match(Duration.parse(typeof value === "string" || typeof value === "number" ? String(value) : ""), {
        onFailure: (form) => Effect.fail(new SchemaIssue.InvalidValue({ message: `expected ${form}` }, value, options)),
        onSuccess: Effect.succeed
      }),
    encode: (value) => Effect.succeed(Duration.print(value))
  })
))

const urlExpected = "expected a URL such as https://host:7000 or unix:/run/paneway/host.sock"

const Location = Text.check(Schema.makeFilter((text) => {
  if (!URL.canParse(text)) return urlExpected
  const { username, password } = new URL(text)
  return username === "" && password === "" ? undefined : "expected a URL without a user or password; use tokenFile"
}))

const Texts = Schema.Array(Text).annotate({ message: "expected a list" })

const Names = Schema.NonEmptyArray(Text.pipe(Schema.annotateKey({ messageMissingKey: "expected at least one name" })))
  .annotate({ message: "expected a list of runtime names" })

const known = (keys: ReadonlyArray<string>) => ({
  message: `expected a mapping with the keys ${keys.join(", ")}`,
  messageUnexpectedKey: `unknown key; expected ${keys.join(", ")}`
})

const struct = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Struct(fields).annotate(known(Object.keys(fields)))

const TmuxServer = Schema.Union([
  Schema.Literal("inherit"),
  struct({ name: Text }),
  struct({ path: Text })
]).annotate({ message: "expected inherit, {name: NAME} or {path: PATH}" })

const TmuxWay = Schema.Literals(["control", "forked"]).annotate({ message: "expected control or forked" })

const Remote = struct({
  url: Location.pipe(Schema.annotateKey({ messageMissingKey: urlExpected })),
  tokenFile: Schema.optionalKey(Text)
})

/** A group is always there once decoded, so that a reader asks for one setting at a time. */
const empty = Effect.succeed({})

const size = { columns: Schema.optionalKey(Count(1, 65_535)), rows: Schema.optionalKey(Count(1, 65_535)) }
const timeouts = {
  native: Schema.optionalKey(Span),
  lock: Schema.optionalKey(Span),
  stall: Schema.optionalKey(Span)
}
const tmux = {
  server: Schema.optionalKey(TmuxServer),
  binary: Schema.optionalKey(Text),
  way: Schema.optionalKey(TmuxWay)
}
const pty = { shell: Schema.optionalKey(Text) }
const host = { idle: Schema.optionalKey(Span) }
const env = { allow: Schema.optionalKey(Texts), deny: Schema.optionalKey(Texts) }

/**
 * The settings of one config file, or of several merged. Every setting may be absent.
 *
 * A path is relative to its file's directory and may begin with `~/`; loaded settings have absolute paths.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Config = struct({
  /** The runtime to use. Named here, it is used or the call fails. */
  runtime: Schema.optionalKey(Text),
  /** Runtimes to try in order where none is named. */
  prefer: Schema.optionalKey(Names),
  session: Schema.optionalKey(Text),
  size: struct(size).pipe(Schema.withDecodingDefaultKey(empty)),
  /** Rows kept above the screen. */
  scrollback: Schema.optionalKey(Count(0, 10_000_000)),
  /** `native`: one call to the terminal program. `lock`: waiting for another writer. `stall`: no progress of a send. */
  timeouts: struct(timeouts).pipe(Schema.withDecodingDefaultKey(empty)),
  tmux: struct(tmux).pipe(Schema.withDecodingDefaultKey(empty)),
  pty: struct(pty).pipe(Schema.withDecodingDefaultKey(empty)),
  /** `idle`: how long the host stays without a pane and a client. */
  host: struct(host).pipe(Schema.withDecodingDefaultKey(empty)),
  /** Variables that child programs of adapters get, or do not get, against the rule for credentials. */
  env: struct(env).pipe(Schema.withDecodingDefaultKey(empty)),
  /** Adapters of third parties: name of the runtime to the module that exports its `entry`. */
  layers: Schema.Record(Schema.String, Text).annotate({ message: "expected a mapping of names to paths" }).pipe(
    Schema.withDecodingDefaultKey(empty)
  ),
  remotes: Schema.Record(Schema.String, Remote).annotate({ message: "expected a mapping of names to remotes" })
    .pipe(Schema.withDecodingDefaultKey(empty)),
  /** Directories whose projects may choose programs, modules and servers; `/*` adds those below. Of the user only. */
  trusted: Schema.optionalKey(Texts)
})

/**
 * @category models
 * @since 0.1.0
 */
export type Config = typeof Config.Type

/**
 * The groups whose settings merge one by one, with the keys of each.
 *
 * @category schemas
 * @since 0.1.0
 */
export const groupKeys: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  Object.entries({ size, timeouts, tmux, pty, host, env }).map(([name, fields]) => [name, Object.keys(fields)])
)

/**
 * What is read of a config file of ACE; the rest of it is ACE's.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AceConfig = Schema.Struct({ runtime: Schema.optionalKey(Text) })
  .annotate({ message: "expected a mapping of settings" })
