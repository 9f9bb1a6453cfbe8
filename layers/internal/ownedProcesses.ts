/**
 * What belongs to a pane now, and how it is told to end. Panes that are asked for together share one look at the process
 * table: 200 of them take about as long as one.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as ProcessTable from "./processTable.ts"

type Answers = Array<(pids: ReadonlyArray<ProcessTable.Process>) => void>

let waiting = new Map<ProcessTable.Owner, Answers>()
let scheduled = false

/** One scan for all who asked before it began; the loop goes on between its parts. */
const look = () => {
  const asked = waiting
  waiting = new Map()
  const steps = ProcessTable.scan([...asked.keys()])
  const proceed = () => {
    const step = steps.next()
    if (step.done !== true) {
      setImmediate(proceed)
      return
    }
    for (const [pane, answers] of asked) for (const answer of answers) answer(step.value.get(pane) ?? [])
    if (waiting.size > 0) setImmediate(look)
    else scheduled = false
  }
  proceed()
}

/** Processes of the pane as they are after the call, zombies aside. */
export const of = (pane: ProcessTable.Owner): Effect.Effect<ReadonlyArray<ProcessTable.Process>> =>
  Effect.callback((resume) => {
    const answers = waiting.get(pane) ?? []
    answers.push((found) => resume(Exit.succeed(found)))
    waiting.set(pane, answers)
    if (scheduled) return
    scheduled = true
    setImmediate(look)
  })

/** Milliseconds that programs have to end on SIGHUP before SIGKILL. */
export const grace = 500

/** Passes of SIGKILL at most, for what starts others meanwhile. */
export const passes = 20

/** Nothing, where the process has ended or is another user's. */
export const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name)
  } catch {
    // it ended meanwhile
  }
}

/** Asks them to end. */
export const hangUp = (processes: ReadonlyArray<ProcessTable.Process>): void => {
  for (const { pid } of processes) {
    signal(pid, "SIGHUP")
    signal(pid, "SIGCONT") // a stopped program could not act on it
  }
}
