/** What the system tells about a pane's program. Linux tells it through /proc; elsewhere the facts are absent. */
import { readFileSync, readlinkSync } from "node:fs"
import { statFields } from "../internal/processTable.ts"

interface Facts {
  /** Directory of the program in the foreground. */
  readonly cwd: string | undefined
  /** True: the pane's own program is in the foreground, nothing runs under it. */
  readonly atShell: boolean | undefined
}

export const absent: Facts = { cwd: undefined, atShell: undefined }

/** `leader`: the pane's own program. */
export const of = (leader: number): Facts => {
  try {
    const fields = statFields(readFileSync(`/proc/${leader}/stat`, "latin1"))
    const group = Number(fields[2])
    const foreground = Number(fields[5])
    if (Number(fields[3]) !== leader || foreground <= 0) return absent // it has not taken its terminal yet
    return { cwd: directoryOf(foreground) ?? directoryOf(leader), atShell: group === foreground }
  } catch {
    return absent
  }
}

const directoryOf = (pid: number): string | undefined => {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return undefined // it ended, or belongs to another user
  }
}
