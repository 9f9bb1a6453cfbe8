/**
 * Ends everything that a pane started. A signal to the shell alone leaves background jobs under nohup and daemons under
 * setsid behind, so processes are found by the pane's session and by the tag in their environment.
 */
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"

/** The variable that marks every process of a pane. A pane inside a pane has the outer tag as a prefix. */
export const tagVariable = "PANEWAY_PANE_TAG"

/** Milliseconds that programs have to end on SIGHUP before SIGKILL. */
const grace = 500

export interface Owned {
  /** Process, group and session id of the pane's own program; 0 before the fork. */
  leader: number
  readonly tag: string
  /** The terminal, while nobody else can have one of that name. */
  tty: string | undefined
  /** When the program ended, in clock ticks since boot. Its number may mean somebody else's session after that. */
  endedAt: number | undefined
  /** What it left running, as it was at its end: number to start. */
  survivors: ReadonlyMap<number, number>
}

export const make = (tag: string): Owned => ({
  leader: 0,
  tag,
  tty: undefined,
  endedAt: undefined,
  survivors: new Map()
})

const readOr = (path: string): string => {
  try {
    return readFileSync(path, "latin1")
  } catch {
    return "" // it ended, or belongs to another user
  }
}

/** Now, in the kernel's clock ticks since boot (100 a second on every Linux that Node runs on). */
const ticks = (): number => Math.ceil(Number(readOr("/proc/uptime").split(" ")[0]) * 100)

/** Fields after the name, which may itself hold spaces and parentheses: state, ppid, pgrp, session. */
export const statFields = (stat: string) => stat.slice(stat.lastIndexOf(")") + 2).split(" ")

interface Process {
  readonly pid: number
  readonly parent: number
  readonly session: number
  readonly started: number
}

const alive = (): ReadonlyArray<Process> =>
  readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    const fields = statFields(readOr(`/proc/${name}/stat`))
    const [state = "", parent, , session] = fields
    if (state === "" || state === "Z" || state === "X") return []
    return [{ pid: Number(name), parent: Number(parent), session: Number(session), started: Number(fields[19]) }]
  })

const carries = (environment: string, tag: string): boolean => {
  const at = `\0${environment}`.indexOf(`\0${tagVariable}=${tag}`)
  if (at === -1) return false
  const after = environment[at + tagVariable.length + 1 + tag.length]
  return after === undefined || after === "\0" || after === "/"
}

const hasOpen = (pid: number, tty: string): boolean =>
  [0, 1, 2].some((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`) === tty
    } catch {
      return false
    }
  })

const belongs = ({ pid, session, started }: Process, pane: Owned): boolean =>
  (session === pane.leader && started <= (pane.endedAt ?? Infinity)) ||
  pane.survivors.get(pid) === started ||
  (pane.tty !== undefined && hasOpen(pid, pane.tty))

/**
 * By session, by the terminal on a standard stream, by the tag, and all that these started: a child that cleared its
 * environment and left the session is still the child of one of them.
 */
const ownedOnLinux = (panes: ReadonlyArray<Owned>): ReadonlyArray<Process> => {
  const all = alive().filter(({ pid }) => pid !== process.pid)
  const found = new Set(
    all.filter((one) => {
      if (panes.some((pane) => belongs(one, pane))) return true
      const environment = readOr(`/proc/${one.pid}/environ`)
      return panes.some((pane) => carries(environment, pane.tag))
    })
  )
  const numbers = new Set(Array.from(found, ({ pid }) => pid))
  for (let before = -1; before !== found.size;) {
    before = found.size
    for (const one of all) {
      if (found.has(one) || !numbers.has(one.parent)) continue
      found.add(one)
      numbers.add(one.pid)
    }
  }
  return [...found]
}

/** Elsewhere `ps` tells sessions but no environments: a setsid'd daemon stays. */
const ownedByPs = (panes: ReadonlyArray<Owned>): ReadonlyArray<Process> => {
  const leaders = new Set(panes.flatMap((pane) => pane.endedAt === undefined ? [pane.leader] : []))
  if (leaders.size === 0) return []
  const { stdout } = spawnSync("ps", ["-axo", "pid=,ppid=,sess=,pgid=,stat="], { encoding: "utf8", timeout: 5000 })
  return stdout.split("\n").map((row) => row.trim().split(/\s+/)).flatMap(([pid, parent, session, group, state]) =>
    (leaders.has(Number(session)) || leaders.has(Number(group))) && !(state ?? "Z").startsWith("Z")
      ? [{ pid: Number(pid), parent: Number(parent), session: Number(session), started: 0 }]
      : []
  )
}

const processesOf = (panes: ReadonlyArray<Owned>): ReadonlyArray<Process> =>
  process.platform === "linux" ? ownedOnLinux(panes) : ownedByPs(panes)

/** Processes of the panes that live now, zombies aside. */
const owned = (...panes: ReadonlyArray<Owned>): ReadonlyArray<number> => processesOf(panes).map(({ pid }) => pid)

/** The program ended, its terminal is still open here: remembers what it left running. */
export const noteExit = (pane: Owned): void => {
  pane.endedAt = ticks()
  pane.survivors = new Map(processesOf([pane]).map(({ pid, started }) => [pid, started]))
  pane.tty = undefined
}

const signal = (pid: number, name: NodeJS.Signals) => {
  try {
    process.kill(pid, name)
  } catch {
    // it ended meanwhile
  }
}

/** Only Linux tells; elsewhere nothing counts as stopped. */
export const isStopped = (pid: number): boolean => statFields(readOr(`/proc/${pid}/stat`))[0] === "T"

/** The group that the process leads. */
export const proceed = (leader: number): void => signal(-leader, "SIGCONT")

const guarded = new Set<Owned>()

const killGuarded = () => {
  for (let pass = 0; pass < 3; pass++) {
    const pids = guarded.size === 0 ? [] : owned(...guarded)
    if (pids.length === 0) return
    for (const pid of pids) signal(pid, "SIGKILL")
  }
}

/** Until {@link release}, this process does not exit without ending the pane first. */
export const guard = (pane: Owned): void => {
  if (guarded.size === 0) process.on("exit", killGuarded)
  guarded.add(pane)
}

export const release = (pane: Owned): void => {
  guarded.delete(pane)
  if (guarded.size === 0) process.off("exit", killGuarded)
}

/** SIGHUP to all, time to end, then SIGKILL until none is left. Ends within about two seconds. */
export const end = Effect.fnUntraced(function*(pane: Owned) {
  if (pane.endedAt !== undefined && pane.survivors.size === 0) return
  const polite = owned(pane)
  if (polite.length === 0) return
  for (const pid of polite) {
    signal(pid, "SIGHUP")
    signal(pid, "SIGCONT") // a stopped program could not act on it
  }
  for (let waited = 0, pause = 2; waited < grace; waited += pause, pause = Math.min(pause * 2, 50)) {
    yield* Effect.sleep(pause)
    if (owned(pane).length === 0) return
  }
  for (let pass = 0; pass < 20; pass++) {
    const pids = owned(pane)
    if (pids.length === 0) return
    for (const pid of pids) signal(pid, "SIGKILL")
    yield* Effect.sleep(50)
  }
})
