/**
 * Whether the program in the foreground reads the marks of a paste. The terminal remembers a mode that a program left
 * on when it was killed; the shell after it would take the marks for text.
 *
 * Where the system does not tell which group is in the foreground (only Linux does), the terminal's mode counts.
 */
import { readlinkSync } from "node:fs"
import { basename } from "node:path"
import { readOr, statFields } from "./processTable.ts"
import { isInteractive } from "./programs.ts"

export interface Pasting {
  /** The mode was switched on just now, by what is in the foreground. */
  readonly asked: () => void
  /** `mode`: whether the terminal has it on. */
  readonly counts: (mode: boolean) => boolean
  /** It is known who switched it on last, and that is still in the foreground. */
  readonly isOwned: () => boolean
}

/** Shells that never read marks: one of these at its prompt did not switch the mode on, whatever was seen. */
const unmarked = new Set(["dash", "busybox"])

const foregroundOf = (leader: number): number | undefined => {
  const group = Number(statFields(readOr(`/proc/${leader}/stat`))[5])
  return Number.isInteger(group) && group > 0 ? group : undefined
}

const isUnmarkedShell = (pid: number): boolean => {
  try {
    if (!unmarked.has(basename(readlinkSync(`/proc/${pid}/exe`)))) return false
  } catch {
    return false // it ended, or belongs to another user
  }
  return isInteractive(readOr(`/proc/${pid}/cmdline`).split("\0").slice(1, -1))
}

/** Whether who reads the terminal of that program is a shell that takes the marks of a paste for text. */
export const readsNoMarks = (leader: number): boolean => {
  const group = foregroundOf(leader)
  return group !== undefined && isUnmarkedShell(group)
}

/** `leader`: the pane's own program, whose number is nobody else's as long as its terminal is written to. */
export const make = (leader: number): Pasting => {
  let owner: number | undefined
  let known = false
  return {
    asked: () => {
      if (known) return
      known = true // a program may switch it on a thousand times in a row
      setImmediate(() => known = false)
      owner = foregroundOf(leader)
    },
    counts: (mode) => {
      if (!mode) return false
      const group = foregroundOf(leader)
      if (group === undefined) return true
      return (owner === undefined || owner === group) && !isUnmarkedShell(group)
    },
    isOwned: () => owner !== undefined && owner === foregroundOf(leader)
  }
}
