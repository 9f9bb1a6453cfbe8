/**
 * Values from outside as they are shown in a decision or an error: one line, bounded, nothing that a terminal obeys.
 *
 * @since 0.1.0
 */

/** In characters. */
const limit = 120

const escape = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

/**
 * The value with control, format and line-separating characters escaped, cut at 120 characters.
 *
 * @category printing
 * @since 0.1.0
 */
export const shown = (value: string): string => {
  const characters = Array.from(value.slice(0, 2 * limit + 2))
  const head = characters.slice(0, limit).join("").replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, escape)
  return characters.length > limit ? `${head}...` : head
}

/**
 * An environment variable that decided something, as `NAME=value`.
 *
 * @category printing
 * @since 0.1.0
 */
export const variable = (name: string, value: string): string => `${name}=${shown(value)}`

/**
 * The value of a variable without the blanks around it. A blank value is absent.
 *
 * @category environment
 * @since 0.1.0
 */
export const present = (
  env: Readonly<Record<string, string | undefined>>,
  name: string
): string | undefined => {
  const value = env[name]?.trim()
  return value === "" ? undefined : value
}
