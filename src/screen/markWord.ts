/**
 * A mark as one word, for a command line and for JSON: `m1.` and base64url of compact JSON, at most 600 bytes.
 *
 * @since 0.1.0
 */
import * as Base64Url from "effect/encoding/Base64Url"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { sha256 } from "../internal/sha256.ts"
import { PaneHandle, parse } from "../Target.ts"
import { Mark, type Position } from "./records.ts"

const version = "m1."
const longest = 600
/** Characters of a JSON string that fit beside the rest. */
const longestEpoch = 80
const longestCounter = 40

const utf8 = new TextEncoder()
const Hash = Schema.Int

/** `p` is the pane, or the digest of its word where the whole does not fit; `c` proves that the rest is as written. */
const Packed = Schema.Struct({
  c: Schema.String,
  p: Schema.Union([
    Schema.String,
    Schema.Tuple([Schema.NonEmptyString, Schema.String, Schema.String, Schema.NonEmptyString, Schema.String])
  ]),
  a: Schema.optionalKey(
    Schema.Union([
      Schema.Tuple([Schema.Int, Schema.Int, Schema.String]),
      Schema.Tuple([Schema.Int, Schema.Int, Schema.String, Schema.Int])
    ])
  ),
  l: Schema.optionalKey(Schema.Tuple([Schema.Int, Hash])),
  n: Schema.optionalKey(Schema.Array(Hash)),
  e: Schema.optionalKey(Schema.Array(Schema.Tuple([Schema.Int, Hash]))),
  t: Schema.optionalKey(Schema.Tuple([Schema.Int, Schema.String]))
})
type Packed = typeof Packed.Type

const unpack = Schema.decodeUnknownResult(Schema.fromJsonString(Packed), { onExcessProperty: "error" })

const wordOf = ({ c: _, ...rest }: Packed): string =>
  version + Base64Url.encode(JSON.stringify({ c: sha256(JSON.stringify(rest)).slice(0, 8), ...rest }))

const jsonLength = (text: string) => utf8.encode(JSON.stringify(text)).length

/** In the order in which the rest is given up: the least needed first. */
const shorter = (mark: Packed): Packed | undefined => {
  const { a, e = [], n = [], p, ...rest } = mark
  if (e.length > 1) return { ...mark, e: e.slice(0, -1) }
  if (typeof p !== "string") return { ...mark, p: digestOf(new PaneHandle(identityOf(p))) }
  if (n.length > 1) return { ...mark, n: n.slice(1) }
  return a === undefined ? undefined : { ...rest, p, n, e }
}

const identityOf = ([runtime, host, scope, id, incarnation]: Exclude<Packed["p"], string>) => ({
  runtime,
  host,
  scope,
  id,
  incarnation
})

const digestOf = (pane: PaneHandle) =>
  Option.match(parse(`${pane}`), { onNone: () => "", onSome: ({ digest }) => digest })

const positionToList = ({ column, epoch, row, step }: Position): Required<Packed>["a"] =>
  step === undefined ? [row, column, epoch] : [row, column, epoch, step]

const positionOf = ([row, column, epoch, step]: Required<Packed>["a"], left: Packed["l"]): Position => ({
  row,
  column,
  epoch,
  ...(step === undefined ? {} : { step }),
  ...(left === undefined ? {} : { left: { length: left[0], hash: left[1] } })
})

const pack = ({ anchor, at, echo, pane, turn }: Mark): Packed => ({
  c: "",
  p: [pane.runtime, pane.host, pane.scope, pane.id, pane.incarnation],
  ...(at === undefined || jsonLength(at.epoch) > longestEpoch ? {} : {
    a: positionToList(at),
    ...(at.left === undefined ? {} : { l: [at.left.length, at.left.hash] as const })
  }),
  ...(anchor === undefined ? {} : { n: anchor }),
  ...(echo === undefined ? {} : { e: echo.map(({ hash, length }) => [length, hash] as const) }),
  // another name of the counter reads as another counter: less is believed then, never more
  ...(turn === undefined
    ? {}
    : { t: [turn.sequence, jsonLength(turn.by) > longestCounter ? sha256(turn.by).slice(0, 16) : turn.by] })
})

/**
 * The word of a mark, the same for equal marks. Of a mark that does not fit, echoed lines and anchors are left out from
 * the far end, and a pane with a very long name is kept as the digest of its word.
 *
 * @category marks
 * @since 0.1.0
 */
export const markToWord = (mark: Mark): string => {
  let packed: Packed | undefined = pack(mark)
  let word = wordOf(packed)
  while (word.length > longest) {
    packed = shorter(packed)
    if (packed === undefined) return word
    word = wordOf(packed)
  }
  return word
}

/**
 * Reads what {@link markToWord} wrote; the failure says what is wrong with the word. With `pane`, a mark of another pane
 * is a failure; without it, so is a mark that holds no more of its pane than a digest.
 *
 * @category marks
 * @since 0.1.0
 */
export const markFromWord = (word: string, pane?: PaneHandle): Result.Result<Mark, string> => {
  if (word.length > longest) return Result.fail(`a mark is at most ${longest} bytes long`)
  if (!word.startsWith(version)) {
    return Result.fail(/^m\d+\./.test(word) ? "this mark is of another version of paneway" : "a mark begins with m1.")
  }
  const read = Result.flatMap(Base64Url.decodeString(word.slice(version.length)), unpack)
  if (Result.isFailure(read)) return Result.fail("this mark is damaged")
  const { a, e, l, n, p, t } = read.success
  if (wordOf(read.success) !== word) return Result.fail("this mark was changed")
  const own = typeof p === "string" ? pane : new PaneHandle(identityOf(p))
  if (own === undefined) return Result.fail("this mark needs the pane that it was taken on")
  if (pane !== undefined && (typeof p === "string" ? p !== digestOf(pane) : `${own}` !== `${pane}`)) {
    return Result.fail("this mark was taken on another pane")
  }
  return Result.succeed(
    new Mark({
      pane: own,
      ...(a === undefined ? {} : { at: positionOf(a, l) }),
      ...(n === undefined ? {} : { anchor: n }),
      ...(e === undefined ? {} : { echo: e.map(([length, hash]) => ({ length, hash })) }),
      ...(t === undefined ? {} : { turn: { sequence: t[0], by: t[1] } })
    })
  )
}
