/** Versions of tmux servers, and what each can do. */

export interface Version {
  /** As the server says it. */
  readonly text: string
  readonly major: number
  readonly minor: number
}

/** Reads `3.3a`, `next-3.8` and `openbsd-7.4`; undefined for what names no version, as `master`. */
export const parse = (text: string): Version | undefined => {
  const [, major, minor] = /^(?:tmux )?(?:next-)?(\d+)\.(\d+)[a-z]?(?:-rc\d*)?$/.exec(text.trim()) ?? []
  return major === undefined || minor === undefined
    ? undefined
    : { text: text.trim().replace(/^tmux /, ""), major: Number(major), minor: Number(minor) }
}

/** Since which version; a server that names no version is built from newer source than any of them. */
const since = (major: number, minor: number) => (version: Version | undefined): boolean =>
  version === undefined || version.major > major || (version.major === major && version.minor >= minor)

const before = (major: number, minor: number) => {
  const reached = since(major, minor)
  return (version: Version | undefined) => !reached(version)
}

/** `full`: all of it. `degraded`: without some of {@link features}. `refused`: too old to be used safely. */
export const support = (version: Version | undefined): "full" | "degraded" | "refused" =>
  since(3, 2)(version) ? "full" : since(3, 0)(version) ? "degraded" : "refused"

/** What some versions lack, in words for `doctor`. */
const gates = {
  /** `attach -f`, `pause-after`, subscriptions, filters of lists. */
  clientFlags: [since(3, 2), "flags of control clients and subscriptions"],
  /** `copy-mode -q` leaves every mode. */
  leaveModes: [since(3, 1), "leaving every mode"],
  /** Pasting into a dead pane does not end the server. */
  pasteIntoDeadIsSafe: [since(3, 4), "pasting into a dead pane without a check"],
  /** How a held pane's program ended by a signal, and no line in its last row. */
  exitSignals: [since(3, 3), "the signal that ended a held pane"],
  /** `#{bracket_paste_flag}`. */
  pasteMode: [since(3, 7), "whether a program asked for bracketed paste"]
} as const satisfies Record<string, readonly [(version: Version | undefined) => boolean, string]>

export type Feature = keyof typeof gates

export const has = (version: Version | undefined, feature: Feature): boolean => gates[feature][0](version)

/** What it lacks, in words. */
export const missing = (version: Version | undefined): ReadonlyArray<string> =>
  Object.values(gates).filter(([reached]) => !reached(version)).map(([, words]) => words)

/** With `window-size manual` for all windows, the next new window ends the server. */
export const manualSizeIsDeadly = (version: Version | undefined): boolean =>
  since(3, 3)(version) && before(3, 7)(version)
