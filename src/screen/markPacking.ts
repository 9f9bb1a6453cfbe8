/**
 * What a mark's word holds, and how it is made: nothing but text and a hash, so that a program that only prints marks
 * needs no more. See `markWord.ts` for how words are read.
 *
 * @since 0.1.0
 */
import { sha256 } from "../internal/sha256.ts"
import { digest, type Identity } from "../target/words.ts"

/** Begins every word: the version of what follows. */
export const version = "m1."
/** Bytes of a word. */
export const longest = 600
/** Characters of a JSON string that fit beside the rest. */
const longestEpoch = 80
const longestCounter = 40

const utf8 = new TextEncoder()

type Names = readonly [runtime: string, host: string, scope: string, id: string, incarnation: string]
type Place = readonly [row: number, column: number, epoch: string, step?: number]

/** `p` is the pane, or the digest of its word where the whole does not fit; `c` proves that the rest is as written. */
export interface Packed {
  readonly c: string
  readonly p: string | Names
  readonly a?: Place
  readonly l?: readonly [length: number, hash: number]
  readonly n?: ReadonlyArray<number>
  readonly d?: readonly [length: number, hash: number]
  readonly e?: ReadonlyArray<readonly [length: number, hash: number]>
  readonly t?: readonly [sequence: number, by: string]
}

interface Hashed {
  readonly length: number
  readonly hash: number
}

/** The fields of a mark. */
export interface Plain {
  readonly pane: Identity
  readonly at?: {
    readonly row: number
    readonly column: number
    readonly epoch: string
    readonly step?: number
    readonly left?: Hashed
  }
  readonly anchor?: ReadonlyArray<number>
  readonly depth?: Hashed
  readonly echo?: ReadonlyArray<Hashed>
  readonly turn?: { readonly sequence: number; readonly by: string }
}

const base64url = (text: string): string =>
  btoa(Array.from(utf8.encode(text), (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")

/** Of what was packed, with its proof made anew. */
export const wordOf = ({ c: _, ...rest }: { readonly c?: unknown }): string =>
  version + base64url(JSON.stringify({ c: sha256(JSON.stringify(rest)).slice(0, 8), ...rest }))

const jsonLength = (text: string) => utf8.encode(JSON.stringify(text)).length

export const identityOf = ([runtime, host, scope, id, incarnation]: Names): Identity => ({
  runtime,
  host,
  scope,
  id,
  incarnation
})

/** In the order in which the rest is given up: the least needed first. */
const shorter = (mark: Packed): Packed | undefined => {
  const { a, e = [], n = [], p, ...rest } = mark
  if (e.length > 1) return { ...mark, e: e.slice(0, -1) }
  if (typeof p !== "string") return { ...mark, p: digest("pane", identityOf(p)) }
  if (n.length > 1) return { ...mark, n: n.slice(1) }
  return a === undefined ? undefined : { ...rest, p, n, e }
}

const pack = ({ anchor, at, depth, echo, pane, turn }: Plain): Packed => ({
  c: "",
  p: [pane.runtime, pane.host, pane.scope, pane.id, pane.incarnation],
  ...(at === undefined || jsonLength(at.epoch) > longestEpoch ? {} : {
    a: at.step === undefined ? [at.row, at.column, at.epoch] : [at.row, at.column, at.epoch, at.step],
    ...(at.left === undefined ? {} : { l: [at.left.length, at.left.hash] as const })
  }),
  ...(anchor === undefined ? {} : { n: anchor }),
  ...(depth === undefined ? {} : { d: [depth.length, depth.hash] as const }),
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
export const markToWord = (mark: Plain): string => {
  let packed: Packed | undefined = pack(mark)
  let word = wordOf(packed)
  while (word.length > longest) {
    packed = shorter(packed)
    if (packed === undefined) return word
    word = wordOf(packed)
  }
  return word
}
