/**
 * What the output of panes tells that the server does not: whether a program asked for bracketed paste and for the focus,
 * and whether rows that were counted are gone.
 */
import * as Pasting from "../internal/pasting.ts"
import * as ProcessTable from "../internal/processTable.ts"

/** Kept for panes whose output is heard. */
export interface Heard {
  /** Escaped output of a pane, as it comes. */
  readonly output: (pane: string, data: Buffer) => void
  /** Output of that pane came and was not told. */
  readonly missed: (pane: string) => void
  /** Whether the program wants pastes marked; undefined: it was not heard to say so. */
  readonly marksPastes: (pane: string) => boolean | undefined
  /** A program that is not in the foreground any more left marks on, and who is would take them for text. */
  readonly leftMarks: (pane: string) => boolean
  /** Who reads the terminal of a pane with that process of its own is a shell that takes marks for text. */
  readonly readsNoMarks: (pid: number) => boolean
  /** The program in the foreground asked to be told of the focus, and was not told of it by {@link toldFocus} since. */
  readonly wantsFocus: (pane: string) => boolean
  readonly toldFocus: (pane: string) => void
  /** The pane's own process: what is asked for from now on belongs to the program that is in the foreground then. */
  readonly leads: (pane: string, pid: number) => void
  /** Changes whenever rows that were counted cannot be found under their number any more. */
  readonly generation: (pane: string) => number
  /** So many rows are above the screen now; fewer than before are other rows. */
  readonly history: (pane: string, rows: number) => void
}

interface Known {
  marksPastes: boolean | undefined
  focuses: boolean
  pid: number | undefined
  /** Who asked. */
  paste: Pasting.Pasting | undefined
  focus: Pasting.Pasting | undefined
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
const modes = /\\033\[\?([0-9;]*)([hl])/g
const reset = "\\033c"
/** Erases what is above the screen, or all. */
const erased = /\\033\[[0-9;]*3J|\\033c/

const words = ["2004", "1004", "3J", reset]

/** A sequence that has not ended: `ESC [ ? 20`. */
const openEnd = /\\(?:0(?:3(?:3(?:\[[0-9;?]*)?)?)?)?$/

/** Processes of the server and ours have the same numbers, which only Linux tells. */
const isOfServer = (pid: number): boolean => ProcessTable.isTmuxServer(ProcessTable.processOf(pid)?.parent ?? 0)

export const make = (): Heard => {
  const panes = new Map<string, Known>()
  /** Of panes that were forgotten: none of them counts like before. */
  let forgotten = 0

  const knownOf = (pane: string): Known => {
    const found = panes.get(pane)
    if (found !== undefined) return found
    const made: Known = {
      marksPastes: undefined,
      focuses: false,
      pid: undefined,
      paste: undefined,
      focus: undefined,
      generation: forgotten,
      history: 0,
      cut: ""
    }
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
      const resetAt = text.lastIndexOf(reset)
      if (resetAt !== -1) known.marksPastes = known.focuses = false
      for (const { 1: changed = "", 2: set, index } of text.matchAll(modes)) {
        if (index < resetAt) continue
        const numbers = changed.split(";")
        if (numbers.includes("2004")) {
          known.marksPastes = set === "h"
          if (set === "h") known.paste?.asked()
        }
        if (numbers.includes("1004")) {
          known.focuses = set === "h"
          if (set === "h") known.focus?.asked()
        }
      }
    },
    missed: (pane) => {
      const known = knownOf(pane)
      known.marksPastes = undefined
      known.focuses = false
      known.generation += 1
      known.cut = ""
    },
    marksPastes: (pane) => panes.get(pane)?.marksPastes,
    leftMarks: (pane) => {
      const known = panes.get(pane)
      return known?.marksPastes === true && known.paste?.counts(true) === false
    },
    readsNoMarks: (pid) => isOfServer(pid) && Pasting.readsNoMarks(pid),
    wantsFocus: (pane) => {
      const known = panes.get(pane)
      return known?.focuses === true && known.focus?.isOwned() === true
    },
    toldFocus: (pane) => {
      knownOf(pane).focuses = false
    },
    leads: (pane, pid) => {
      const known = knownOf(pane)
      if (known.pid === pid) return
      known.pid = pid
      const ours = isOfServer(pid)
      known.paste = ours ? Pasting.make(pid) : undefined
      known.focus = ours ? Pasting.make(pid) : undefined
    },
    generation: (pane) => knownOf(pane).generation,
    history: (pane, rows) => {
      const known = knownOf(pane)
      if (rows < known.history) known.generation += 1
      known.history = rows
    }
  }
}
