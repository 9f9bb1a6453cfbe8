/**
 * The one vocabulary of keys. Callers write the spelling that they know; everything behind the contract sees a
 * {@link Key}.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/**
 * Keys that have a name. Every other key is named by the character that it types.
 *
 * @category models
 * @since 0.1.0
 */
export const Named = Schema.Literals([
  "Enter",
  "Tab",
  "Escape",
  "Backspace",
  "Delete",
  "Up",
  "Down",
  "Left",
  "Right",
  "Home",
  "End",
  "PageUp",
  "PageDown",
  "Space"
])

/**
 * @category models
 * @since 0.1.0
 */
export type Named = typeof Named.Type

/**
 * One keystroke: a named key or a single character, with its modifiers.
 *
 * @category models
 * @since 0.1.0
 */
export class Key extends Schema.TaggedClass<Key>("paneway/Key")("Key", {
  base: Schema.Union([Named, Schema.String.pipe(Schema.check(Schema.isMinLength(1), Schema.isMaxLength(2)))]),
  ctrl: Schema.Boolean,
  alt: Schema.Boolean,
  shift: Schema.Boolean
}) {}

/**
 * What a caller may write: a parsed key, or a tmux (`C-x`), herdr, kitty or `ctrl+x` spelling.
 *
 * @category models
 * @since 0.1.0
 */
export type Input = Key | string

/**
 * The key that submits.
 *
 * @category constructors
 * @since 0.1.0
 */
export const enter = new Key({ base: "Enter", ctrl: false, alt: false, shift: false })

/**
 * True for Enter without modifiers, the only key that counts as submitting.
 *
 * @category guards
 * @since 0.1.0
 */
export const isEnter = (key: Key): boolean => key.base === "Enter" && !key.ctrl && !key.alt && !key.shift

/**
 * Reads one key. Names and modifiers are read in any case; the failure is the text that is no key.
 *
 * @category parsing
 * @since 0.1.0
 */
export const parse = (input: Input): Result.Result<Key, string> => {
  if (typeof input !== "string") return Result.succeed(input)
  const text = input.trim()
  const mods = /^((?:(?:C|M|S|ctrl|alt|shift)[-+])*)(.+)$/i.exec(text)
  if (mods === null) return Result.fail(input)
  const prefix = (mods[1] ?? "").toLowerCase()
  const base = mods[2] ?? ""
  const named = Named.literals.find((name) => name.toLowerCase() === base.toLowerCase())
  if (named === undefined && [...base].length !== 1) return Result.fail(input)
  return Result.succeed(
    new Key({
      base: named ?? base,
      ctrl: /c(trl)?[-+]/.test(prefix),
      alt: /(m|alt)[-+]/.test(prefix),
      shift: /(s|shift)[-+]/.test(prefix)
    })
  )
}
