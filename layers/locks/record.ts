/** What stands in a lock file: who holds it, in one line, `IDENTITY NONCE`. Whatever follows is for later versions. */
import * as Option from "effect/Option"
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from "node:fs"
import * as ProcessIdentity from "../../src/ProcessIdentity.ts"
import * as SystemError from "../internal/systemError.ts"

/** A record is one short line. It bounds what a damaged file makes us read. */
const largest = 4096

/**
 * `tag` names what was seen, so that nothing else is removed in its place: the nonce of a holder, which it never changes,
 * or what a damaged file can be told by.
 */
export type Seen =
  | { readonly _tag: "Free" }
  | { readonly _tag: "Held"; readonly tag: string; readonly by: ProcessIdentity.ProcessIdentity }
  | { readonly _tag: "Damaged"; readonly tag: string; readonly changed: number }

const free: Seen = { _tag: "Free" }

export const print = (by: ProcessIdentity.ProcessIdentity, nonce: string): string => `${by.toString()} ${nonce}\n`

const parse = (text: string): Seen | undefined => {
  const [word = "", nonce = ""] = text.trimEnd().split(/\s+/)
  const by = ProcessIdentity.parse(word)
  return Option.isSome(by) && /^[0-9a-f]{16}$/.test(nonce) ? { _tag: "Held", tag: nonce, by: by.value } : undefined
}

/** Not even the inode of a damaged file is read twice alike when it was written to in between. */
const damaged = (path: string): Seen => {
  const { ctimeMs, ctimeNs, ino, size } = lstatSync(path, { bigint: true })
  return { _tag: "Damaged", tag: `${ino}-${ctimeNs}-${size}`, changed: Number(ctimeMs) }
}

const contentOf = (path: string): string | undefined => {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const info = fstatSync(fd)
    return info.isFile() && info.size <= largest ? readFileSync(fd, "utf8") : undefined
  } finally {
    closeSync(fd)
  }
}

/** Throws what the system throws, but for a file that is not there. */
export const look = (path: string): Seen => {
  try {
    const content = contentOf(path)
    return (content === undefined ? undefined : parse(content)) ?? damaged(path)
  } catch (cause) {
    const code = SystemError.code(cause)
    if (code === "ENOENT") return free
    // a symbolic link, or a socket
    if (code === "ELOOP" || code === "ENXIO") return lookAgain(path)
    throw cause
  }
}

const lookAgain = (path: string): Seen => {
  try {
    return damaged(path)
  } catch (cause) {
    if (SystemError.code(cause) === "ENOENT") return free
    throw cause
  }
}
