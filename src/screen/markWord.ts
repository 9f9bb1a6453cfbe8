/**
 * A mark as one word, for a command line and for JSON: `m1.` and base64url of compact JSON, at most 600 bytes.
 *
 * @since 0.1.0
 */
import * as Base64Url from "effect/encoding/Base64Url"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { PaneHandle } from "../Target.ts"
import { digest } from "../target/words.ts"
import { identityOf, longest, type Packed as Written, version, wordOf } from "./markPacking.ts"
import { Mark, type Position } from "./records.ts"

export { markToWord } from "./markPacking.ts"

const Hash = Schema.Int

/** As {@link Written}. */
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
  d: Schema.optionalKey(Schema.Tuple([Schema.Int, Hash])),
  e: Schema.optionalKey(Schema.Array(Schema.Tuple([Schema.Int, Hash]))),
  t: Schema.optionalKey(Schema.Tuple([Schema.Int, Schema.String]))
})

const unpack = Schema.decodeUnknownResult(Schema.fromJsonString(Packed), { onExcessProperty: "error" })

const positionOf = ([row, column, epoch, step]: Required<Written>["a"], left: Written["l"]): Position => ({
  row,
  column,
  epoch,
  ...(step === undefined ? {} : { step }),
  ...(left === undefined ? {} : { left: { length: left[0], hash: left[1] } })
})

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
  const { a, d, e, l, n, p, t } = read.success
  if (wordOf(read.success) !== word) return Result.fail("this mark was changed")
  const own = typeof p === "string" ? pane : new PaneHandle(identityOf(p))
  if (own === undefined) return Result.fail("this mark needs the pane that it was taken on")
  if (pane !== undefined && (typeof p === "string" ? p !== digest("pane", pane) : `${own}` !== `${pane}`)) {
    return Result.fail("this mark was taken on another pane")
  }
  return Result.succeed(
    new Mark({
      pane: own,
      ...(a === undefined ? {} : { at: positionOf(a, l) }),
      ...(n === undefined ? {} : { anchor: n }),
      ...(d === undefined ? {} : { depth: { length: d[0], hash: d[1] } }),
      ...(e === undefined ? {} : { echo: e.map(([length, hash]) => ({ length, hash })) }),
      ...(t === undefined ? {} : { turn: { sequence: t[0], by: t[1] } })
    })
  )
}
