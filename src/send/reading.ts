/**
 * Requests as they come, from callers with types and without: read once, before anything is planned.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import { shown } from "../internal/evidence.ts"
import * as Keys from "../Keys.ts"
import type { SendRejectedCode } from "../RuntimeError.ts"
import { filter } from "./filtering.ts"
import { SendProfile } from "./records.ts"

/**
 * Why a request cannot be planned. `index` is the item that is wrong and `offset` the place in its text, in characters
 * from 0; without `index` the offset is one in the command.
 *
 * @category models
 * @since 0.1.0
 */
export interface Rejection {
  readonly code: SendRejectedCode
  readonly reason: string
  readonly index?: number
  readonly offset?: number
}

type Given = { readonly _tag: "Message"; readonly text: string } | {
  readonly _tag: "Key"
  readonly key: Keys.Key
}

/**
 * A request of the right shape. The command is not blank.
 *
 * @internal
 */
export interface Reading {
  readonly command: string | undefined
  readonly items: ReadonlyArray<Given>
}

type Read<A> = Result.Result<A, Rejection>

/**
 * @internal
 */
export const rejected = (reason: string): Result.Result<never, Rejection> => Result.fail({ code: "shape", reason })

type Fields = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A field that is undefined is absent. */
const namesOf = (fields: Fields): Array<string> => Object.keys(fields).filter((name) => fields[name] !== undefined)

const textOf = (text: string, sanitize: boolean): Read<string> =>
  Result.mapError(filter(text, sanitize), ({ offset, what }) => ({
    code: "control-character",
    reason: `holds ${what} at character ${offset}`,
    offset
  }))

/** Text, or a number that can be read as one. */
const isScalar = (value: unknown): value is string | number | bigint =>
  typeof value === "string" || typeof value === "bigint" || (typeof value === "number" && Number.isFinite(value))

const readCommand = (command: unknown, sanitize: boolean): Read<string | undefined> => {
  if (command === undefined || command === null) return Result.succeed(undefined)
  if (!isScalar(command)) return rejected("the command must be text")
  const text = textOf(`${command}`, sanitize)
  if (Result.isFailure(text)) return Result.fail({ ...text.failure, reason: `the command ${text.failure.reason}` })
  return Result.succeed(text.success.trim() === "" ? undefined : text.success)
}

const readMessage = (message: unknown, sanitize: boolean): Read<Given> => {
  if (typeof message !== "string" || message === "") return rejected("message must be text that is not empty")
  const text = textOf(message, sanitize)
  if (Result.isFailure(text)) return Result.fail({ ...text.failure, reason: `message ${text.failure.reason}` })
  if (text.success === "") return rejected("message holds nothing but control characters")
  return Result.succeed({ _tag: "Message", text: text.success })
}

const readKey = (key: unknown): Read<Given> => {
  if (key instanceof Keys.Key) return Result.succeed({ _tag: "Key", key })
  const name = typeof key === "symbol" ? key.description ?? "" : isScalar(key) ? `${key}` : ""
  if (/^[ \t\n\v\f\r\0]*$/.test(name)) return rejected("key must be the name of a key")
  return Result.mapBoth(Keys.parse(name), {
    onFailure: (unknown): Rejection => ({ code: "unknown-key", reason: `unknown key "${shown(unknown)}"` }),
    onSuccess: (key): Given => ({ _tag: "Key", key })
  })
}

const readItem = (item: unknown, sanitize: boolean): Read<Given> => {
  const [name, ...more] = isRecord(item) ? namesOf(item) : []
  if (!isRecord(item) || name === undefined || more.length > 0) {
    return rejected("must be an object with one field, message or key")
  }
  if (name === "message") return readMessage(item[name], sanitize)
  return name === "key" ? readKey(item[name]) : rejected(`must have message or key, not "${shown(name)}"`)
}

const readItems = (items: unknown, sanitize: boolean): Read<ReadonlyArray<Given>> => {
  if (items === undefined || items === null) return Result.succeed([])
  if (!Array.isArray(items)) return rejected("items must be an array")
  const given: Array<Given> = []
  for (let index = 0; index < items.length; index++) {
    const item = readItem(items[index], sanitize)
    if (Result.isFailure(item)) return Result.fail({ ...item.failure, index })
    given.push(item.success)
  }
  return Result.succeed(given)
}

const readFields = (request: unknown, sanitize: boolean): Read<Reading> => {
  if (!isRecord(request)) return rejected("the request must be an object with a command, items or both")
  const unknown = namesOf(request).find((name) => name !== "command" && name !== "items")
  if (unknown !== undefined) return rejected(`the request has command and items, not "${shown(unknown)}"`)
  const command = readCommand(request["command"], sanitize)
  if (Result.isFailure(command)) return Result.fail(command.failure)
  return Result.map(readItems(request["items"], sanitize), (items) => ({ command: command.success, items }))
}

/** A value whose fields throw is a failure too. */
const guarded = <A>(read: () => Read<A>, what: string): Read<A> =>
  Result.getOrElse(Result.try({ try: read, catch: () => rejected(`${what} cannot be read`) }), (failure) => failure)

/**
 * Reads any value.
 *
 * @internal
 */
export const read = (request: unknown, sanitize: boolean): Read<Reading> =>
  guarded(() => readFields(request, sanitize), "the request")

const isProfile = (value: unknown): value is SendProfile => SendProfile.literals.some((profile) => profile === value)

/**
 * @internal
 */
export const readOptions = (
  options: unknown
): Read<{ readonly profile: SendProfile; readonly sanitize: boolean; readonly allowNewlines: boolean }> =>
  guarded(() => {
    const { allowNewlines, profile, sanitize }: Fields = isRecord(options) ? options : {}
    if (!isProfile(profile)) {
      const name = typeof profile === "string" ? profile : typeof profile
      return rejected(`unknown send profile "${shown(name)}" (plain-pane or agent-aware)`)
    }
    return Result.succeed({ profile, sanitize: sanitize === true, allowNewlines: allowNewlines === true })
  }, "the options")
