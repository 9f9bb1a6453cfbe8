/**
 * What text may hold when it is typed: nothing that a terminal or a program takes for something else than text.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import { firstControl, newlines, withoutControls } from "../internal/controls.ts"

/**
 * A character that cannot be sent, and its place in characters from 0.
 *
 * @internal
 */
export interface Forbidden {
  readonly what: string
  readonly offset: number
}

const surrogate = /\p{Cs}/u

const nameOf = (text: string, at: number): string => {
  const code = `U+${text.charCodeAt(at).toString(16).toUpperCase().padStart(4, "0")}`
  return surrogate.test(text.charAt(at)) ? `half of a character (${code})` : `a control character (${code})`
}

const firstForbidden = (text: string): Forbidden | undefined => {
  const places = [firstControl(text), text.search(surrogate)].filter((at) => at >= 0)
  if (places.length === 0) return undefined
  const at = Math.min(...places)
  return { what: nameOf(text, at), offset: Array.from(text.slice(0, at)).length }
}

/**
 * CRLF and CR become LF. Control characters other than TAB and LF, and halves of surrogate pairs, which no encoding
 * carries, are a failure, or with `sanitize` they are removed: control sequences and paste markers whole, also those
 * that appear only when another has gone.
 *
 * @internal
 */
export const filter = (text: string, sanitize: boolean): Result.Result<string, Forbidden> => {
  if (sanitize) return Result.succeed(withoutControls(text).replaceAll(new RegExp(surrogate, "gu"), ""))
  const forbidden = firstForbidden(text)
  return forbidden === undefined ? Result.succeed(newlines(text)) : Result.fail(forbidden)
}
