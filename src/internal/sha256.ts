/**
 * SHA-256 of short texts, in one synchronous call: handles are printed where no effect can run, and the contract
 * imports no platform.
 *
 * @since 0.1.0
 */

/** The first 32 bits of the fractional part of a root of each of the first primes. */
const roots = (count: number, exponent: number): Int32Array => {
  const words = new Int32Array(count)
  for (let candidate = 2, found = 0; found < count; candidate++) {
    let prime = true
    for (let divisor = 2; divisor * divisor <= candidate; divisor++) {
      if (candidate % divisor === 0) {
        prime = false
        break
      }
    }
    if (!prime) continue
    const root = candidate ** exponent
    words[found] = (root - Math.floor(root)) * 0x1_0000_0000
    found += 1
  }
  return words
}

const initial = roots(8, 1 / 2)
const constants = roots(64, 1 / 3)
const schedule = new Int32Array(64)
const utf8 = new TextEncoder()

/** The message, a one bit, zeros up to the end of a block, and the length in bits. */
const padded = (message: Uint8Array): DataView => {
  const bytes = new Uint8Array(Math.ceil((message.length + 9) / 64) * 64)
  bytes.set(message)
  bytes[message.length] = 0x80
  const view = new DataView(bytes.buffer)
  view.setUint32(bytes.length - 8, Math.floor(message.length / 0x2000_0000))
  view.setUint32(bytes.length - 4, message.length << 3)
  return view
}

const rotate = (word: number, by: number) => word >>> by | word << (32 - by)

const compress = (state: Int32Array, view: DataView, offset: number): void => {
  for (let t = 0; t < 16; t++) schedule[t] = view.getInt32(offset + 4 * t)
  for (let t = 16; t < 64; t++) {
    const w15 = schedule[t - 15] ?? 0
    const w2 = schedule[t - 2] ?? 0
    const s0 = rotate(w15, 7) ^ rotate(w15, 18) ^ w15 >>> 3
    const s1 = rotate(w2, 17) ^ rotate(w2, 19) ^ w2 >>> 10
    schedule[t] = (schedule[t - 16] ?? 0) + s0 + (schedule[t - 7] ?? 0) + s1
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let t = 0; t < 64; t++) {
    const t1 = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + (e & f ^ ~e & g) + (constants[t] ?? 0) +
        (schedule[t] ?? 0) | 0
    const t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + (a & b ^ a & c ^ b & c) | 0
    h = g
    g = f
    f = e
    e = d + t1 | 0
    d = c
    c = b
    b = a
    a = t1 + t2 | 0
  }
  const worked = [a, b, c, d, e, f, g, h]
  for (let i = 0; i < 8; i++) state[i] = (state[i] ?? 0) + (worked[i] ?? 0)
}

/**
 * The digest of the text's UTF-8 bytes as 64 lower-case hexadecimal digits.
 *
 * @category hashing
 * @since 0.1.0
 */
export const sha256 = (text: string): string => {
  const view = padded(utf8.encode(text))
  const state = initial.slice()
  for (let offset = 0; offset < view.byteLength; offset += 64) compress(state, view, offset)
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("")
}
