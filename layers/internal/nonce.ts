/** Names that nobody guesses. */
import { closeSync, openSync, readSync } from "node:fs"

const size = 8

const fromSystem = (): Buffer | undefined => {
  try {
    const device = openSync("/dev/urandom", "r")
    try {
      const bytes = Buffer.alloc(size)
      return readSync(device, bytes) === size ? bytes : undefined
    } finally {
      closeSync(device)
    }
  } catch {
    return undefined
  }
}

/** 16 hexadecimal digits, random as a key. `node:crypto` takes longer to load than a short command runs. */
export const nonce = (): string =>
  (fromSystem() ?? process.getBuiltinModule("crypto").randomBytes(size)).toString("hex")
