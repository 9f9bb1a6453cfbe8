/**
 * Sizes of text as a terminal gets it.
 *
 * @since 0.1.0
 */

/**
 * How many bytes the text takes in UTF-8. A lone surrogate takes the 3 bytes of U+FFFD.
 *
 * @category reading
 * @since 0.1.0
 */
export const byteLength = (text: string): number => {
  let bytes = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) bytes += 1
    else if (unit < 0x800) bytes += 2
    else if (unit < 0xd800 || unit > 0xdbff || (text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00) bytes += 3
    else {
      bytes += 4
      at += 1
    }
  }
  return bytes
}

/**
 * Whether a line of the text takes more bytes than that.
 *
 * @category reading
 * @since 0.1.0
 */
export const hasLineOver = (text: string, most: number): boolean =>
  text.length > most / 3 && text.split("\n").some((line) => byteLength(line) > most)
