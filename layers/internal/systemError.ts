/** Failures of the operating system. */
import { RuntimeUnavailable } from "../../src/RuntimeError.ts"

/** `ENOENT` and the like; empty for anything else. */
export const code = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string" ? cause.code : ""

/** What may pass, with what to do about it. */
const passing: ReadonlyMap<string, string> = new Map([
  ["ENOSPC", "no space is left there: free some"],
  ["EDQUOT", "the quota there is used up: free some space"],
  ["EMFILE", "this process has too many open files: close some, or raise its limit"],
  ["ENFILE", "the system has too many open files: close some"],
  ["EIO", "its device failed: check it"]
])

/** Of a file or directory that could not be used; `advice` is for what does not pass by itself. */
export const unavailable = (runtime: string, path: string, advice: string) => (cause: unknown): RuntimeUnavailable => {
  const what = code(cause)
  const known = passing.get(what)
  return known === undefined
    ? new RuntimeUnavailable({
      runtime,
      reason: "refused",
      detail: `${path} cannot be used (${what === "" ? String(cause) : what}): ${advice}`,
      cause
    })
    : new RuntimeUnavailable({ runtime, reason: "lost", detail: `${path} cannot be written: ${known}`, cause })
}
