/**
 * The steps of the protocol, each at once and without waiting. All throw what the system throws.
 *
 * A file `STEM.lock` is held by whoever linked it there: `link` fails where the name is taken, and what it makes is whole
 * at once. It is removed by its holder alone, or, once that process is gone, by whoever holds the right to clear what
 * this holder left under this stem, `STEM.TAG.recovery`, which is such a file itself. So nobody removes a lock that
 * another took in the meantime: a process that is gone never comes back, and while one holds the right nobody else acts
 * on it.
 *
 * `STEM.wanted` tells the holder that somebody waits. `NONCE.holder` is what a process links its locks from.
 */
import {
  closeSync,
  existsSync,
  fchmodSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  unlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import type { ProcessIdentity } from "../../src/ProcessIdentity.ts"
import * as SystemError from "../internal/systemError.ts"
import * as Record from "./record.ts"

/** Whether it was done; false where it failed in the expected way. */
const done = (expected: string, act: () => unknown): boolean => {
  try {
    act()
    return true
  } catch (cause) {
    if (SystemError.code(cause) === expected) return false
    throw cause
  }
}

const remove = (path: string): boolean => done("ENOENT", () => unlinkSync(path))

const write = (path: string, text: string): void => {
  const fd = openSync(path, "wx", 0o600)
  try {
    fchmodSync(fd, 0o600)
    writeFileSync(fd, text)
  } catch (cause) {
    unlinkSync(path)
    throw cause
  } finally {
    closeSync(fd)
  }
}

/** A file that somebody who is gone may have left. */
interface Leftover {
  readonly path: string
  /** Absent: no lock, so that its name tells which it is and it can be removed at once. */
  readonly stem?: string | undefined
}

export interface Folder {
  readonly path: string
  readonly lockOf: (stem: string) => string
  /** Absent: it is ours now. Else what was there in its place. */
  readonly take: (stem: string) => Record.Seen | undefined
  readonly want: (stem: string) => void
  /** True: somebody waits for it. Does nothing to a lock that is not ours. */
  readonly giveBack: (stem: string) => boolean
  /** Removes the file if it is still what had this tag, or tells the file that keeps it from that. */
  readonly clear: (stem: string, path: string, tag: string) => string | undefined
  readonly leftovers: (before: number) => ReadonlyArray<Leftover>
  readonly remove: (path: string) => boolean
  readonly removeHolder: (nonce: string) => boolean
  /** Before anything is taken. */
  readonly open: () => void
  readonly close: () => void
}

/** The directory exists. `nonce` is of one who holds each stem at most once. */
export const make = (path: string, by: ProcessIdentity, nonce: string): Folder => {
  const holderOf = (nonce: string) => join(path, `${nonce}.holder`)
  const lockOf = (stem: string) => join(path, `${stem}.lock`)
  const wantedOf = (stem: string) => join(path, `${stem}.wanted`)
  const source = holderOf(nonce)

  const link = (file: string): boolean => done("EEXIST", () => linkSync(source, file))
  const isOurs = (seen: Record.Seen): boolean => seen._tag === "Held" && seen.tag === nonce

  return {
    path,
    lockOf,
    take: (stem) => {
      if (link(lockOf(stem))) return undefined
      const seen = Record.look(lockOf(stem))
      // ours although it was given back: it could not be removed then
      return isOurs(seen) ? undefined : seen
    },
    want: (stem) => done("ENOENT", () => closeSync(openSync(wantedOf(stem), "a", 0o600))),
    giveBack: (stem) => {
      if (isOurs(Record.look(lockOf(stem)))) remove(lockOf(stem))
      // most often nobody waits, and a failing removal costs more than a look
      return existsSync(wantedOf(stem)) && remove(wantedOf(stem))
    },
    clear: (stem, file, tag) => {
      const right = join(path, `${stem}.${tag}.recovery`)
      if (!link(right) && !isOurs(Record.look(right))) return right
      try {
        const seen = Record.look(file)
        if (seen._tag !== "Free" && seen.tag === tag) remove(file)
      } finally {
        remove(right)
      }
      return undefined
    },
    leftovers: (before) =>
      readdirSync(path).flatMap((name): ReadonlyArray<Leftover> => {
        const file = join(path, name)
        const [, stem] = /^([0-9a-f]{32})\.(?:lock|[0-9a-f-]+\.recovery)$/.exec(name) ?? []
        if (stem === undefined && !/^[0-9a-f]{16}\.holder$|^[0-9a-f]{32}\.wanted$/.test(name)) return []
        const info = lstatSync(file, { throwIfNoEntry: false })
        return info === undefined || info.mtimeMs > before ? [] : [{ path: file, stem }]
      }),
    remove,
    removeHolder: (nonce) => remove(holderOf(nonce)),
    open: () => done("EEXIST", () => write(source, Record.print(by, nonce))),
    close: () => remove(source)
  }
}
