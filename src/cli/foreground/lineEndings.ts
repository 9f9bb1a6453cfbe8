/** Takes back what the terminal's line discipline did to a program's output: LF became CR LF. */

const carriageReturn = 0x0d
const newline = 0x0a

export interface LineEndings {
  /** May hold back a CR until the next chunk shows whether LF follows. */
  readonly restore: (chunk: Uint8Array) => Uint8Array
  /** What was held back, at the end. */
  readonly rest: () => Uint8Array
}

export const make = (): LineEndings => {
  let held = false
  return {
    restore: (chunk) => {
      const out = new Uint8Array(chunk.length + 1)
      let length = 0
      for (const byte of chunk) {
        if (held && byte !== newline) out[length++] = carriageReturn
        held = byte === carriageReturn
        if (!held) out[length++] = byte
      }
      return out.subarray(0, length)
    },
    rest: () => {
      const rest = Uint8Array.from(held ? [carriageReturn] : [])
      held = false
      return rest
    }
  }
}
