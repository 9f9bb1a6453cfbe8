/**
 * What a program has begun to print and not ended: a part of a character, or of an escape sequence. The emulator holds it
 * in its parser, where nobody sees it; a terminal that is to go on from here has to have it too.
 */

const escape = 0x1b
const cancel = 0x18
const substitute = 0x1a
const bell = 0x07

/** Bytes of a sequence that are kept. What is longer is a picture or the like, and is not shown after all. */
const longest = 4096

/** `string`: up to its terminator; BEL is one for an OSC alone. */
type State = "ground" | "escape" | "csi" | "osc" | "string"

/** What stands for the begin of a sequence that was not kept: a terminal drops what follows, up to the terminator. */
const dropped = { osc: "\x1b]9999;", string: "\x1b^" } as const

const next = (state: State, byte: number): State => {
  if (byte === escape) return "escape"
  if (byte === cancel || byte === substitute) return "ground"
  switch (state) {
    case "ground":
      return "ground"
    case "escape":
      if (byte < 0x30) return "escape" // controls, which are executed, and intermediates
      if (byte === 0x5b) return "csi"
      if (byte === 0x5d) return "osc"
      return byte === 0x50 || byte === 0x58 || byte === 0x5e || byte === 0x5f ? "string" : "ground"
    case "csi":
      return byte >= 0x40 && byte <= 0x7e ? "ground" : "csi"
    case "osc":
      return byte === bell ? "ground" : "osc"
    case "string":
      return "string"
  }
}

/** Bytes that the character needs which begins so. */
const lengthOf = (byte: number): number => byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1

/** The part of a character at the end, if there is one. */
const partOfCharacter = (bytes: Uint8Array): Uint8Array => {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) break
    if (byte >= 0xc0) return lengthOf(byte) > back ? bytes.slice(bytes.length - back) : nothing
  }
  return nothing
}

const nothing = new Uint8Array(0)

export interface Unfinished {
  readonly push: (chunk: Uint8Array) => void
  /** What a terminal in its ground state has to be sent, so that it goes on where the program is. */
  readonly bytes: () => Uint8Array
}

export const make = (): Unfinished => {
  let state: State = "ground"
  let kept: Uint8Array = nothing
  let isWhole = true

  const keep = (bytes: Uint8Array) => {
    if (!isWhole) return
    isWhole = kept.length + bytes.length <= longest
    kept = isWhole ? Buffer.concat([kept, bytes]) : nothing
  }

  return {
    push: (chunk) => {
      // each ESC begins anew, whatever was before it
      const last = chunk.lastIndexOf(escape)
      let at = Math.max(last, 0)
      if (last >= 0) {
        state = "escape"
        at = last + 1
      }
      while (at < chunk.length && state !== "ground") {
        state = next(state, chunk[at] ?? 0)
        at += 1
      }
      if (state === "ground") {
        // a character may come in more than two parts
        kept = partOfCharacter(at === 0 && chunk.length < 4 ? Buffer.concat([kept, chunk]) : chunk.subarray(at))
        isWhole = true
        return
      }
      if (last >= 0) {
        kept = nothing
        isWhole = true
      }
      keep(last >= 0 ? chunk.subarray(last) : chunk)
    },
    bytes: () => isWhole ? kept : Buffer.from(state === "osc" ? dropped.osc : dropped.string)
  }
}
