/** Records of the host as the command line prints them: handles and marks are words. */
import * as Layout from "../../cli/layout.ts"
import { markToWord, type Plain, version, wordOf } from "../../screen/markPacking.ts"
import { digest, type Identity, print } from "../../target/words.ts"
import { isJson, type Json } from "../wire.ts"

const isText = (value: unknown): value is string => typeof value === "string"

const isIdentity = (value: Json): value is Json & Identity =>
  ["runtime", "host", "scope", "id", "incarnation"].every((key) => isText(value[key]))

/** The host wrote it by its schema; what could be none is caught where it is made a word. */
const isMark = (value: Json): value is Json & Plain => isJson(value["pane"]) && isIdentity(value["pane"])

/** As `cli/words` prints the same record. */
export const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain)
  if (!isJson(value)) return value
  if (value["_tag"] === "PaneHandle" && isIdentity(value)) return print("pane", value)
  if (value["_tag"] === "WindowHandle" && isIdentity(value)) return print("window", value)
  if (value["_tag"] === "Mark" && isMark(value)) return markToWord(value)
  return fields(value)
}

/** The fields of a record, for one JSON object. */
export const fields = (record: Json): Json =>
  Object.fromEntries(Object.entries(record).flatMap(([key, one]) => key === "_tag" ? [] : [[key, plain(one)]]))

export const object = (value: Json): string => `${Layout.json(value)}\n`

const listOf = (value: unknown): ReadonlyArray<unknown> | undefined => Array.isArray(value) ? value : undefined

const hashed = (pair: unknown): Json | undefined => {
  const [length, hash] = listOf(pair) ?? []
  return length === undefined ? undefined : { length, hash }
}

const unpacked = (word: string): Json | undefined => {
  try {
    const encoded = word.slice(version.length).replaceAll("-", "+").replaceAll("_", "/")
    const bytes = Uint8Array.from(atob(encoded), (unit) => unit.charCodeAt(0))
    const read: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return isJson(read) && wordOf(read) === word ? read : undefined
  } catch {
    return undefined
  }
}

/** A word that holds more than these is for the whole program. */
const known: ReadonlySet<string> = new Set(["c", "p", "a", "l", "n", "d", "e", "t"])

/** The mark of a word as the host reads it; none where the word is not that of a mark of this pane. */
export const markOf = (word: string, pane: Json): Json | undefined => {
  const packed = word.startsWith(version) ? unpacked(word) : undefined
  if (packed === undefined || !isIdentity(pane) || !Object.keys(packed).every((key) => known.has(key))) return undefined
  const { a, d, e, l, n, p, t } = packed
  const own = digest("pane", pane)
  const [runtime, host, scope, id, incarnation] = listOf(p) ?? []
  const given = { runtime, host, scope, id, incarnation }
  if (isText(p) ? p !== own : !isIdentity(given) || digest("pane", given) !== own) return undefined
  const [row, column, epoch, step] = listOf(a) ?? []
  const [sequence, by] = listOf(t) ?? []
  const left = hashed(l)
  return {
    _tag: "Mark",
    pane,
    ...(a === undefined ? {} : {
      at: { row, column, epoch, ...(step === undefined ? {} : { step }), ...(left === undefined ? {} : { left }) }
    }),
    ...(n === undefined ? {} : { anchor: n }),
    ...(d === undefined ? {} : { depth: hashed(d) }),
    ...(e === undefined ? {} : { echo: listOf(e)?.map(hashed) }),
    ...(t === undefined ? {} : { turn: { sequence, by } })
  }
}
