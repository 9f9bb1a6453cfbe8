/** What went wrong on the way to a tmux server, and what its messages mean. */
import * as Data from "effect/Data"
import { NativeFailure, RuntimeUnavailable, TargetNotFound } from "../../src/RuntimeError.ts"
import type { Handle } from "../../src/Target.ts"

export const runtime = "tmux"

/**
 * No answer came. `sent`: the server may have executed it all the same; false: it did nothing.
 */
export class NoAnswer extends Data.TaggedError("NoAnswer")<{
  readonly reason: RuntimeUnavailable["reason"]
  readonly detail: string
  readonly sent: boolean
  readonly cause?: unknown
}> {}

/** The server was started anew since: nothing was done. */
export class OtherServer extends Data.TaggedError("OtherServer")<{}> {}

export const unavailable = ({ cause, detail, reason }: NoAnswer): RuntimeUnavailable =>
  new RuntimeUnavailable({ runtime, reason, detail, ...(cause === undefined ? {} : { cause }) })

const meanings: ReadonlyArray<readonly [RegExp, RuntimeUnavailable["reason"], boolean]> = [
  [
    /no server running on|error connecting to .*\((?:No such file or directory|Connection refused)\)/,
    "not-running",
    false
  ],
  [
    /error connecting to .*|unsafe permissions|error creating|couldn't create directory|not a directory/i,
    "refused",
    false
  ],
  [/server version is too|protocol version mismatch|client version is too/, "unsupported-version", false],
  [/server exited|lost server|server unexpectedly/, "lost", true]
]

/** What a message of tmux's own client says of the way to the server; undefined: it is about the command. */
export const wayOf = (message: string): NoAnswer | undefined => {
  const hit = meanings.find(([pattern]) => pattern.test(message))
  if (hit === undefined) return undefined
  const [, reason, sent] = hit
  const said = message.trim()
  const detail = reason === "not-running" ? `${said}: ensure a window or spawn a pane, which starts a server` : said
  return new NoAnswer({ reason, detail, sent })
}

/** The server knows no such session, window or pane. */
export const isAbsence = (message: string): boolean =>
  /can't find (?:session|window|pane|client)|no such (?:session|window|pane)|no current (?:session|window|target)/.test(
    message
  )

export const absent = (target: Handle | string): TargetNotFound => new TargetNotFound({ target, reason: "absent" })
export const reissued = (target: Handle): TargetNotFound => new TargetNotFound({ target, reason: "reissued" })

/** What a message says about a command on this target. */
export const failureOf = (
  operation: string,
  target: Handle | undefined,
  message: string
): TargetNotFound | NativeFailure =>
  target !== undefined && isAbsence(message)
    ? absent(target)
    : new NativeFailure({ runtime, operation, detail: message })

/** A server without a session has no panes to list, and says so in this way. */
export const isEmpty = (message: string): boolean => /no current target|no sessions/.test(message)
