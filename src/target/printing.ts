/**
 * Handles as words: `RUNTIME:ID~DIGEST`, with `@SCOPE` after it where the scope cannot be guessed from the runtime.
 *
 * The digest covers everything that makes a handle another one, so a word never names two targets. Nothing in a word
 * means anything to a shell, and the word of a handle is the same whoever prints it.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import { isDefault, join } from "./words.ts"

export { isDefault, print } from "./words.ts"

/**
 * What a printed handle says. Only the adapter that finds `id` can tell whether it still names the same target.
 *
 * @category models
 * @since 0.1.0
 */
export interface Printed {
  readonly runtime: string
  readonly id: string
  readonly digest: string
  /** Absent: the scope that the runtime has by default on this host. */
  readonly scope?: string
  /** The whole word. */
  readonly word: string
}

/** Total: what was not escaped by {@link escaped} decodes to a text that is printed otherwise. */
const decoded = (text: string, mark: string) => {
  const units = text.matchAll(new RegExp(`${mark}([0-9A-F]{2})|[^]`, "g"))
  const bytes = Uint8Array.from(
    units,
    ([unit, pair]) => pair === undefined ? unit.charCodeAt(0) : Number.parseInt(pair, 16)
  )
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
}

const form = /^([^:]+):([^]+)~([0-9a-f]{10})(?:@([^~]*))?$/

/**
 * Reads a word: split at the first `:` and the last `~`. `None` for anything that {@link print} does not write.
 *
 * @internal
 */
export const parse = (word: string): Option.Option<Printed> => {
  const [, first, second, digest, last] = form.exec(word) ?? []
  if (first === undefined || second === undefined || digest === undefined) return Option.none()
  const runtime = decoded(first, "=")
  const id = decoded(second, "=")
  const scope = last === undefined ? undefined : decoded(last, "%")
  if (join(runtime, id, digest, scope) !== word || (scope !== undefined && isDefault(runtime, scope))) {
    return Option.none()
  }
  return Option.some({ runtime, id, digest, word, ...(scope === undefined ? {} : { scope }) })
}
