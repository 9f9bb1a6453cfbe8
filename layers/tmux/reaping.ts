/**
 * Ends what a pane started. A server that closes one signals its foreground only: what ignores that signal, or left for
 * a session of its own, stays. Panes that were opened here end whole; those of users end as tmux ends them.
 *
 * Only Linux tells what belongs to a pane. Elsewhere nothing more is ended.
 */
import * as Effect from "effect/Effect"
import * as OwnedProcesses from "../internal/ownedProcesses.ts"
import * as ProcessTable from "../internal/processTable.ts"
import type { Command } from "./quoting.ts"
import type { Transport } from "./transport.ts"

type Process = ProcessTable.Process

/** A window that another session has as well stays when one of them is closed. */
const ours = "#{?#{&&:#{@paneway_start},#{!=:#{window_linked},1}},1,0}"

const listing = ["#{pane_id}", "#{pane_pid}", ours, "#{pid}", "#{socket_path}"].join(" ")

const rowOf = (line: string) => {
  const [, pane = "", leader = "", own, server = "", socket = ""] = /^(%\d+) (\d+) ([01]) (\d+) (.+)$/.exec(line) ?? []
  return own === "1" ? [{ pane, leader: Number(leader), server, socket }] : []
}

const ownerOf = ({ leader, pane, server, socket }: ReturnType<typeof rowOf>[number]): ProcessTable.Owner => {
  const tag = ProcessTable.tmuxTag(socket, server, pane)
  const found = ProcessTable.processOf(leader)
  // of a pane that is dead the number may be somebody else's by now
  const leads = found !== undefined && ProcessTable.tagsOf(found).includes(tag)
  return {
    leader: leads ? leader : 0,
    tag,
    since: leads ? found.started : 0,
    tty: undefined,
    endedAt: undefined,
    survivors: new Map()
  }
}

const scan = (owners: ReadonlyArray<ProcessTable.Owner>): Effect.Effect<ReadonlyArray<Process>> =>
  Effect.map(Effect.forEach(owners, OwnedProcesses.of, { concurrency: "unbounded" }), (found) => found.flat())

const isAlive = ({ pid, started }: Process): boolean => ProcessTable.processOf(pid)?.started === started

/** What those panes had started, as it was before they were closed. */
export interface Started {
  readonly owners: ReadonlyArray<ProcessTable.Owner>
  readonly processes: ReadonlyArray<Process>
}

/** Of panes that are not ours. */
export const nothing: Started = { owners: [], processes: [] }

/** `list`: a `list-panes` without its format, and which of its panes are meant. */
export const started = Effect.fnUntraced(
  function*(transport: Transport, list: Command, expect: string | undefined, only: string | undefined) {
    if (process.platform !== "linux") return nothing
    const answer = yield* Effect.option(transport.run([[...list, "-F", listing]], expect))
    const lines = answer._tag === "None" ? [] : (answer.value.outputs[0] ?? "").split("\n")
    const rows = lines.flatMap(rowOf).filter(({ pane, server }) =>
      (only ?? pane) === pane && ProcessTable.isTmuxServer(Number(server))
    )
    if (rows.length === 0) return nothing
    const owners = rows.map(ownerOf)
    return { owners, processes: yield* scan(owners) } satisfies Started
  }
)

/** SIGHUP to what is left, time to end, then SIGKILL until none is. Ends within about two seconds. */
export const end = Effect.fnUntraced(function*({ owners, processes }: Started) {
  let left: ReadonlyArray<Process> = processes.filter(isAlive)
  if (left.length === 0) return
  // the server's own signal is on its way
  yield* Effect.sleep(2)
  left = left.filter(isAlive)
  OwnedProcesses.hangUp(left)
  const isTime = (waited: number) => waited < OwnedProcesses.grace && left.length > 0
  for (let waited = 0, pause = 2; isTime(waited); waited += pause, pause = Math.min(pause * 2, 50)) {
    yield* Effect.sleep(pause)
    left = left.filter(isAlive)
  }
  if (left.length === 0) return
  const survivors = new Map(left.map(({ pid, started }) => [pid, started]))
  // the numbers of the panes' own programs may be somebody else's now
  const after = owners.map((owner) => ({ ...owner, leader: 0, since: 0, survivors }))
  for (let pass = 0; pass < OwnedProcesses.passes; pass++) {
    for (const { pid } of left) OwnedProcesses.signal(pid, "SIGKILL")
    yield* Effect.sleep(pass === 0 ? 5 : 50)
    left = yield* scan(after)
    if (left.length === 0) return
  }
})
