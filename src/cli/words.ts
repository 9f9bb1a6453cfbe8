/** Values of the contract as the JSON of the command line: handles and marks are words. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Mark, markToWord } from "../Screen.ts"
import { PaneHandle, WindowHandle } from "../Target.ts"

const decode = Schema.decodeUnknownOption(Schema.Union([PaneHandle, WindowHandle, Mark]))

const wordOf = (value: PaneHandle | WindowHandle | Mark): string =>
  value instanceof Mark ? markToWord(value) : `${value}`

const isWord = (value: unknown): value is PaneHandle | WindowHandle | Mark =>
  value instanceof PaneHandle || value instanceof WindowHandle || value instanceof Mark

const entries = (value: object, seen: (value: unknown) => unknown, drop: (key: string) => boolean) =>
  Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => one === undefined || drop(key) ? [] : [[key, seen(one)]])
  )

/** Records of the contract: what they are shows in the place where they stand, so they have no `_tag`. */
export const plain = (value: unknown): unknown => {
  if (isWord(value)) return wordOf(value)
  if (Array.isArray(value)) return value.map(plain)
  return typeof value === "object" && value !== null ? entries(value, plain, (key) => key === "_tag") : value
}

/** The fields of a record, for one JSON object. */
export const fields = (record: object): Record<string, unknown> => entries(record, plain, (key) => key === "_tag")

const tagOf = (value: object): unknown => "_tag" in value ? value._tag : undefined

/** JSON that schemas wrote, with words for the handles and marks in it. Tags stay. */
export const encoded = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(encoded)
  if (typeof value !== "object" || value === null) return value
  const tag = tagOf(value)
  if (tag === "PaneHandle" || tag === "WindowHandle" || tag === "Mark") {
    const decoded = decode(value)
    if (Option.isSome(decoded)) return wordOf(decoded.value)
  }
  return entries(value, encoded, () => false)
}
