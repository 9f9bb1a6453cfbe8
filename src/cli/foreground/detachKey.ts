/** Finds a key among what a terminal sends, in each way in which it may send it. */
import * as Result from "effect/Result"
import * as Keys from "../../Keys.ts"

const encoder = new TextEncoder()

/** The numbers by which terminals name the modifiers of a key: 1 and the sum of shift 1, alt 2, ctrl 4. */
const modifiers = ({ alt, ctrl, shift }: Keys.Key): number => 1 + (shift ? 1 : 0) + (alt ? 2 : 0) + (ctrl ? 4 : 0)

const spellings = (key: Keys.Key): ReadonlyArray<string> => {
  const code = Array.from(key.base).length === 1 ? key.base.codePointAt(0) : undefined
  return [
    ...new Set([
      ...[false, true].flatMap((applicationCursorKeys) =>
        [false, true].map((disambiguate) => Keys.encode(key, { applicationCursorKeys, disambiguate }))
      ),
      ...(code === undefined ? [] : [
        `\x1b[${code};${modifiers(key)}u`,
        `\x1b[${code};${modifiers(key)}:1u`,
        `\x1b[27;${modifiers(key)};${code}~`
      ])
    ])
  ]
}

/** What types text, and what other keys begin with, cannot be told from them. */
const isPlain = (key: Keys.Key): boolean => {
  const [first = "", ...others] = spellings(key)[0] ?? ""
  return others.length === 0 && (first === "\x1b" || first === "\r" || first === "\t" || first >= " ")
}

/** The key of that name, or what is wrong with it. */
export const parse = (text: string): Result.Result<Keys.Key, string> =>
  Result.flatMap(
    Result.mapError(Keys.parse(text), () => "expected the name of a key, such as ctrl+]"),
    (key) =>
      isPlain(key)
        ? Result.fail("a key with ctrl or alt, or a function key: others are typed")
        : Result.succeed(key)
  )

export interface Finder {
  /** How much of the bytes comes before the key, or nothing where it is not among them. */
  readonly find: (bytes: Uint8Array) => number | undefined
}

/** A key that comes in parts is found too; its first part has been passed on then. */
export const make = (keys: ReadonlyArray<Keys.Key>): Finder => {
  const wanted = keys.flatMap(spellings).map((text) => encoder.encode(text))
  const longest = Math.max(1, ...wanted.map(({ length }) => length))
  let before = new Uint8Array(0)
  return {
    find: (bytes) => {
      const all = new Uint8Array(before.length + bytes.length)
      all.set(before)
      all.set(bytes, before.length)
      const ends = wanted.flatMap((key) => {
        for (let at = 0; at + key.length <= all.length; at++) {
          if (at + key.length > before.length && key.every((byte, n) => all[at + n] === byte)) return [at]
        }
        return []
      })
      const found = ends.length === 0 ? undefined : Math.min(...ends)
      const length = before.length
      before = found === undefined ? all.slice(Math.max(0, all.length - longest + 1)) : new Uint8Array(0)
      return found === undefined ? undefined : Math.max(0, found - length)
    }
  }
}
