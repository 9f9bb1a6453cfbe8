/**
 * Hashes of text, as marks keep them.
 *
 * @since 0.1.0
 */

/**
 * FNV-1a over UTF-16 units. Marks outlive the process that made them, so this is part of their form.
 *
 * @internal
 */
export const hash = (text: string): number => {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return value >>> 0
}

/**
 * One hash of several.
 *
 * @internal
 */
export const together = (hashes: ReadonlyArray<number>): number => hash(hashes.join())

/**
 * A prompt ends so.
 *
 * @internal
 */
export const promptEnd = /[$%#>\u00bb\u03bb\u203a\u276f\u279c]$/

/**
 * @internal
 */
export const squeeze = (text: string): string => text.replaceAll(/\s+/g, "")
