/** The end of an output that may be long, within a bound. */

/** Bytes of a command's output that `--json` can hold. */
const mostBytes = 16 * 1024 * 1024

export interface Collected {
  readonly add: (chunk: Uint8Array) => void
  /** The newest bytes as text; invalid UTF-8 becomes U+FFFD. */
  readonly text: () => string
  readonly truncated: () => boolean
}

export const make = (most: number = mostBytes): Collected => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  let dropped = false
  return {
    add: (chunk) => {
      chunks.push(chunk)
      size += chunk.length
      while (size > most) {
        const first = chunks[0]
        if (first === undefined) return
        dropped = true
        const over = Math.min(size - most, first.length)
        size -= over
        if (over === first.length) chunks.shift()
        else chunks[0] = first.subarray(over)
      }
    },
    text: () => {
      const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
      return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode()
    },
    truncated: () => dropped
  }
}
