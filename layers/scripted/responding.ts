/** What the test answers to lines, in one pane before all of them. */
import type * as Target from "../../src/Target.ts"
import type { Answers, Reply, Responder } from "./program.ts"

export interface Responding {
  readonly set: (answers: Answers, pane?: Target.PaneHandle) => void
  readonly of: (pane: Target.PaneHandle) => ReadonlyArray<Responder>
}

const isList = (answers: Answers): answers is ReadonlyArray<Reply> => Array.isArray(answers)

const responder = (answers: Answers): Responder => {
  if (typeof answers === "function") return answers
  if (!isList(answers)) {
    const byLine = new Map(Object.entries(answers))
    return (line) => byLine.get(line)
  }
  const left = [...answers]
  return () => left.shift()
}

export const make = (): Responding => {
  const all = new Map<string, Responder>()
  const keyOf = (pane?: Target.PaneHandle) => pane === undefined ? "" : `${pane}`
  return {
    set: (answers, pane) => {
      all.set(keyOf(pane), responder(answers))
    },
    of: (pane) => [keyOf(pane), ""].flatMap((key) => all.get(key) ?? [])
  }
}
