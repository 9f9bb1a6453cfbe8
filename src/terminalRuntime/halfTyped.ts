/**
 * Lines that were typed through the library and neither submitted nor cancelled: what comes next would be added to
 * them.
 *
 * Who reads a pane is not known here. One character pressed by itself is taken for a key of a program, as `q` in a pager;
 * more than one is taken for text. What a person types, or another process, is not seen.
 *
 * @since 0.1.0
 */
import * as Keys from "../Keys.ts"
import type { Step } from "../send/records.ts"
import type { Pane, PaneHandle } from "../Target.ts"

/**
 * @internal
 */
export interface HalfTyped {
  /** The steps were typed, all of them. */
  readonly typed: (pane: PaneHandle, steps: ReadonlyArray<Step>) => void
  /** Something was typed, and nobody knows how much of it. */
  readonly inDoubt: (pane: PaneHandle) => void
  readonly has: (pane: PaneHandle) => boolean
  /**
   * A half typed line was given up by Ctrl-C, and nothing was submitted since. A shell that is just reading misses that
   * signal now and then: who types next drops the line for certain.
   */
  readonly wasCancelled: (pane: PaneHandle) => boolean
  readonly forget: (pane: PaneHandle) => void
  /** Forgets all panes but these, which are all there are. */
  readonly keep: (panes: ReadonlyArray<Pane>) => void
}

/** Panes that are remembered at the same time; the oldest are forgotten. */
const most = 4096

/** Keys that move, delete, or act otherwise, and bring no text. */
const silent: ReadonlySet<string> = new Set([
  "Escape",
  "Backspace",
  "Insert",
  "Delete",
  "Home",
  "End",
  "PageUp",
  "PageDown",
  "Left",
  "Right",
  "CancelMode",
  ...Array.from({ length: 24 }, (_, at) => `F${at + 1}`)
])
/** With ctrl: cancel the line, or drop what stands before the cursor, which is all that was typed. */
const cancels: ReadonlySet<string> = new Set(["c", "u"])
/** With ctrl: move, delete, suspend, quit, redraw. */
const silentWithCtrl: ReadonlySet<string> = new Set("abdefghklqstwz\\")

const afterKey = (key: Keys.Key, half: boolean): boolean => {
  if (Keys.submits(key)) return false
  const base = key.base.toLowerCase()
  if (key.ctrl && !key.alt) return cancels.has(base) ? false : half || !silentWithCtrl.has(base)
  return half || key.alt || !silent.has(key.base)
}

const isInterrupt = (step: Step): boolean =>
  step._tag === "Press" && step.key.ctrl && !step.key.alt && step.key.base.toLowerCase() === "c"

const isSubmit = (step: Step): boolean => step._tag === "Prompt" || (step._tag === "Press" && Keys.submits(step.key))

/** What a pager, a menu or a question is answered with. */
const isAnswer = ([step, ...more]: ReadonlyArray<Step>): boolean =>
  step?._tag === "Press" && Keys.isCharacter(step.key) && more.length === 0

/** A newline in a text submits only where the program did not ask for pastes, so it is not counted on. */
const after = (steps: ReadonlyArray<Step>, half: boolean): boolean =>
  steps.reduce((line, step) => {
    if (step._tag === "Prompt") return false
    return step._tag === "Press" ? afterKey(step.key, line) : line || step.text !== ""
  }, half)

/**
 * @internal
 */
export const makeHalfTyped = (): HalfTyped => {
  const lines = new Set<string>()
  const cancelled = new Set<string>()
  const add = (key: string, to = lines) => {
    to.add(key)
    const [oldest] = to
    if (to.size > most && oldest !== undefined) to.delete(oldest)
  }
  return {
    typed: (pane, steps) => {
      const key = `${pane}`
      const half = lines.has(key)
      const now = (half || !isAnswer(steps)) && after(steps, half)
      if (half && steps.some(isInterrupt)) add(key, cancelled)
      else if (cancelled.size > 0 && steps.some(isSubmit)) cancelled.delete(key)
      if (now === half) return
      if (now) add(key)
      else lines.delete(key)
    },
    inDoubt: (pane) => add(`${pane}`),
    has: (pane) => lines.size > 0 && lines.has(`${pane}`),
    wasCancelled: (pane) => cancelled.size > 0 && cancelled.has(`${pane}`),
    forget: (pane) => {
      lines.delete(`${pane}`)
      cancelled.delete(`${pane}`)
    },
    keep: (panes) => {
      if (lines.size + cancelled.size === 0) return
      const there = new Set(panes.map(({ handle }) => `${handle}`))
      for (const known of [lines, cancelled]) for (const key of known) if (!there.has(key)) known.delete(key)
    }
  }
}
