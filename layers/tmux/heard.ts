/**
 * What the output of panes tells that the server does not: whether a program asked for bracketed paste, and whether rows
 * that were counted are gone.
 */

/** Kept for panes whose output is heard. */
export interface Heard {
  /** Escaped output of a pane, as it comes. */
  readonly output: (pane: string, data: Buffer) => void
  /** Output of that pane came and was not told. */
  readonly missed: (pane: string) => void
  /** Whether the program wants pastes marked; undefined: it was not heard to say so. */
  readonly marksPastes: (pane: string) => boolean | undefined
  /** Changes whenever rows that were counted cannot be found under their number any more. */
  readonly generation: (pane: string) => number
  /** So many rows are above the screen now; fewer than before are other rows. */
  readonly history: (pane: string, rows: number) => void
}

interface Known {
  marksPastes: boolean | undefined
  generation: number
  history: number
  /** The begin of a sequence that the end of a chunk cut. */
  cut: string
}

/** Panes that are remembered at the same time. */
const most = 4096

/** Bytes of a sequence that names what is looked for. */
const longestCut = 40

/** Escape sequences change several modes at once. */
const modes = /\\033\[\?(?:\d+;)*2004(?:;\d+)*([hl])/g
const reset = "\\033c"
/** Erases what is above the screen, or all. */
const erased = /\\033\[[0-9;]*3J|\\033c/

const words = ["2004", "3J", reset]

/** A sequence that has not ended: `ESC [ ? 20`. */
const openEnd = /\\(?:0(?:3(?:3(?:\[[0-9;?]*)?)?)?)?$/

export const make = (): Heard => {
  const panes = new Map<string, Known>()
  /** Of panes that were forgotten: none of them counts like before. */
  let forgotten = 0

  const knownOf = (pane: string): Known => {
    const found = panes.get(pane)
    if (found !== undefined) return found
    const made: Known = { marksPastes: undefined, generation: forgotten, history: 0, cut: "" }
    panes.set(pane, made)
    const [oldest] = panes.keys()
    if (panes.size > most && oldest !== undefined) {
      forgotten = Math.max(forgotten, panes.get(oldest)?.generation ?? 0) + 1
      panes.delete(oldest)
    }
    return made
  }

  return {
    output: (pane, data) => {
      const known = knownOf(pane)
      const { cut } = known
      const end = data.toString("latin1", Math.max(0, data.length - longestCut))
      known.cut = openEnd.exec(cut === "" ? end : `${cut}${end}`.slice(-longestCut))?.[0] ?? ""
      if (cut === "" && !words.some((word) => data.includes(word))) return
      const text = `${cut}${data.toString("latin1")}`
      if (erased.test(text)) known.generation += 1
      const last = [...text.matchAll(modes)].at(-1)
      const resetAt = text.lastIndexOf(reset)
      if (last !== undefined && last.index > resetAt) known.marksPastes = last[1] === "h"
      else if (resetAt !== -1) known.marksPastes = false
    },
    missed: (pane) => {
      const known = knownOf(pane)
      known.marksPastes = undefined
      known.generation += 1
      known.cut = ""
    },
    marksPastes: (pane) => panes.get(pane)?.marksPastes,
    generation: (pane) => knownOf(pane).generation,
    history: (pane, rows) => {
      const known = knownOf(pane)
      if (rows < known.history) known.generation += 1
      known.history = rows
    }
  }
}
