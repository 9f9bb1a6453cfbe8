/**
 * The checksum of POSIX `cksum`.
 *
 * @since 0.1.0
 */

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte << 24
  for (let bit = 0; bit < 8; bit++) remainder = remainder & 0x80000000 ? (remainder << 1) ^ 0x04c11db7 : remainder << 1
  return remainder >>> 0
})

/**
 * What `cksum` prints for these bytes: the checksum, a blank, and how many there are.
 *
 * @category testing
 * @since 0.1.0
 */
export const cksum = (bytes: Uint8Array): string => {
  let sum = 0
  const add = (byte: number) => {
    sum = ((sum << 8) ^ (table[(sum >>> 24) ^ byte] ?? 0)) >>> 0
  }
  for (const byte of bytes) add(byte)
  for (let length = bytes.length; length > 0; length = Math.floor(length / 256)) add(length & 255)
  return `${~sum >>> 0} ${bytes.length}`
}
