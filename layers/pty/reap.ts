/**
 * Ends everything that a pane started. A signal to the shell alone leaves background jobs under nohup and daemons under
 * setsid behind, so processes are found by the pane's session and by the tag in their environment.
 */
import * as Effect from "effect/Effect"
import * as OwnedProcesses from "../internal/ownedProcesses.ts"
import * as ProcessTable from "../internal/processTable.ts"

export interface Owned extends ProcessTable.Owner {
  /** Its program ended, and what it left running is known. */
  noted: boolean
}

const make = (tag: string, since: number): Owned => ({
  leader: 0,
  tag,
  since,
  tty: undefined,
  endedAt: undefined,
  survivors: new Map(),
  noted: false
})

/** Of a pane whose first process starts after this; a tick of that time is rounded up, another down. */
export const begin = (tag: string): Owned => make(tag, ProcessTable.ticks() - 2)

/**
 * The program ended: its number may be given to another process from now on. Succeeds when it is known what it left
 * running; its terminal has to stay open until then, or `tty` be taken away.
 */
export const noteExit = (pane: Owned): Effect.Effect<void> => {
  pane.endedAt = ProcessTable.ticks()
  return Effect.map(OwnedProcesses.of(pane), (found) => {
    pane.survivors = new Map(found.map(({ pid, started }) => [pid, started]))
    pane.tty = undefined
    pane.noted = true
  })
}

/** Only Linux tells; elsewhere nothing counts as stopped. */
export const isStopped = (pid: number): boolean =>
  ProcessTable.statFields(ProcessTable.readOr(`/proc/${pid}/stat`))[0] === "T"

/** The group that the process leads. */
export const proceed = (leader: number): void => OwnedProcesses.signal(-leader, "SIGCONT")

const guarded = new Set<Owned>()

const killGuarded = () => {
  for (let pass = 0; pass < 3; pass++) {
    const pids = [...ProcessTable.scanNow([...guarded]).values()].flat()
    if (pids.length === 0) return
    for (const { pid } of pids) OwnedProcesses.signal(pid, "SIGKILL")
  }
}

/** These end a process that does not listen to them, without an event of its exit. */
const fatal = ["SIGHUP", "SIGINT", "SIGTERM"] as const

/** Who listens beside us decides what becomes of the process; alone, it ends as it would have without us. */
const onFatal = (name: NodeJS.Signals) => {
  if (process.listenerCount(name) > 1) return
  killGuarded()
  process.off(name, onFatal)
  process.kill(process.pid, name)
}

/** Until {@link release}, this process does not exit without ending the pane first, unless by SIGKILL or a crash. */
export const guard = (pane: Owned): void => {
  if (guarded.size === 0) {
    process.on("exit", killGuarded)
    // first, so that a listener for one time only is still counted
    for (const name of fatal) process.prependListener(name, onFatal)
  }
  guarded.add(pane)
}

export const release = (pane: Owned): void => {
  guarded.delete(pane)
  if (guarded.size > 0) return
  process.off("exit", killGuarded)
  for (const name of fatal) process.off(name, onFatal)
}

/** SIGHUP to all, time to end, then SIGKILL until none is left. Ends within about two seconds. */
export const end = Effect.fnUntraced(function*(pane: Owned) {
  if (pane.noted && pane.survivors.size === 0) return
  const polite = yield* OwnedProcesses.of(pane)
  if (polite.length === 0) return
  OwnedProcesses.hangUp(polite)
  for (let waited = 0, pause = 2; waited < OwnedProcesses.grace; waited += pause, pause = Math.min(pause * 2, 50)) {
    yield* Effect.sleep(pause)
    if ((yield* OwnedProcesses.of(pane)).length === 0) return
  }
  for (let pass = 0; pass < OwnedProcesses.passes; pass++) {
    const found = yield* OwnedProcesses.of(pane)
    if (found.length === 0) return
    for (const { pid } of found) OwnedProcesses.signal(pid, "SIGKILL")
    yield* Effect.sleep(50)
  }
})

/** How many processes carry the tag, or that of a pane inside it. */
export const countTagged = (tag: string): Effect.Effect<number> =>
  Effect.map(OwnedProcesses.of(make(tag, 0)), ({ length }) => length)

/** Ends what carries the tag, or that of a pane inside it, and tells how many processes that were. */
export const endTagged = Effect.fnUntraced(function*(tag: string) {
  const left = make(tag, 0)
  const { length } = yield* OwnedProcesses.of(left)
  if (length > 0) yield* end(left)
  return length
})
