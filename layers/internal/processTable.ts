/**
 * Which processes belong to which panes: by session, by the terminal on a standard stream, by the tag in the environment,
 * and all that these started. One scan answers for any number of panes.
 */
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"

/** The variable that marks every process of a pane. A pane inside a pane has the outer tag as a prefix. */
export const tagVariable = "PANEWAY_PANE_TAG"

/** What processes are known by. */
export interface Owner {
  /** Process, group and session id of the pane's own program; 0 before the fork. */
  leader: number
  readonly tag: string
  /** In clock ticks since boot: what started earlier is none of its processes. 0: not known. */
  readonly since: number
  /** The terminal, while nobody else can have one of that name. */
  tty: string | undefined
  /** When the program ended, in clock ticks since boot. Its number may mean somebody else's session after that. */
  endedAt: number | undefined
  /** What it left running, as it was at its end: number to start. */
  survivors: ReadonlyMap<number, number>
}

export interface Process {
  readonly pid: number
  /** As the system calls it, cut at 15 characters. */
  readonly name: string
  readonly parent: number
  readonly session: number
  readonly started: number
}

/** Processes of each of the panes, zombies aside. A pane without any has no entry. */
export type Owned = ReadonlyMap<Owner, ReadonlyArray<Process>>

export const readOr = (path: string): string => {
  try {
    return readFileSync(path, "latin1")
  } catch {
    return "" // it ended, or belongs to another user
  }
}

/** Fields after the name, which may itself hold spaces and parentheses: state, ppid, pgrp, session. */
export const statFields = (stat: string) => stat.slice(stat.lastIndexOf(")") + 2).split(" ")

/** Now, in the kernel's clock ticks since boot (100 a second on every Linux that Node runs on). */
export const ticks = (): number => Math.ceil(Number(readOr("/proc/uptime").split(" ")[0]) * 100)

/** Undefined: there is none, or it ended and only its parent has not taken notice. */
export const processOf = (pid: number): Process | undefined => {
  const stat = readOr(`/proc/${pid}/stat`)
  const fields = statFields(stat)
  const [state = "", parent, , session] = fields
  const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"))
  return state === "" || state === "Z" || state === "X"
    ? undefined
    : { pid, name, parent: Number(parent), session: Number(session), started: Number(fields[19]) }
}

/** The tag of whatever a pane of tmux starts, which tmux itself sets: its server's socket and process, and the pane. */
export const tmuxTag = (socket: string, server: string, pane: string): string => `${socket},${server} ${pane}`

/** A terminal program that was started in the pane outlives it, as do the panes of its own. */
const insideAnother = /\0(?:STY|ZELLIJ|HERDR_\w+|PANEWAY_PANE)=/
const servers = /^(?:tmux: server|screen|zellij|herdr|dtach|abduco)$/

const tmuxTagsOf = (environment: string, name: string): ReadonlyArray<string> => {
  const [, server] = /\0TMUX=([^\0]*),\d+\0/.exec(environment) ?? []
  const [, pane] = /\0TMUX_PANE=(%\d+)\0/.exec(environment) ?? []
  return server === undefined || pane === undefined || servers.test(name) || insideAnother.test(environment)
    ? []
    : [`${server} ${pane}`]
}

/** The tag that a process carries and those of the panes around its own: `a/b` is `a/b`, then `a`. */
const ownTagsOf = (environment: string): ReadonlyArray<string> => {
  const at = environment.indexOf(`\0${tagVariable}=`)
  if (at === -1) return []
  const from = at + tagVariable.length + 2
  const end = environment.indexOf("\0", from)
  const parts = environment.slice(from, end === -1 ? undefined : end).split("/")
  return parts.map((_, index) => parts.slice(0, parts.length - index).join("/"))
}

/** A server of tmux, in whose panes processes have the numbers that this process sees. */
export const isTmuxServer = (pid: number): boolean => processOf(pid)?.name === "tmux: server"

/** By which panes are found that a process belongs to. */
export const tagsOf = ({ name, pid }: Pick<Process, "name" | "pid">): ReadonlyArray<string> => {
  const environment = `\0${readOr(`/proc/${pid}/environ`)}`
  return [...ownTagsOf(environment), ...tmuxTagsOf(environment, name)]
}

const openIn = (pid: number): ReadonlyArray<string> =>
  [0, 1, 2].flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)]
    } catch {
      return []
    }
  })

const indexed = <Key>(owners: ReadonlyArray<Owner>, keyOf: (owner: Owner) => Key | undefined) => {
  const index = new Map<Key, Owner>()
  for (const owner of owners) {
    const key = keyOf(owner)
    if (key !== undefined) index.set(key, owner)
  }
  return index
}

/** A terminal that was closed during the scan may already be another pane's. */
const stillAt = (file: string, owner: Owner | undefined) => owner?.tty === file ? owner : undefined

/** Processes looked at between two pauses of a scan. */
const atOnce = 100

/** A child that cleared its environment and left the session is still the child of one of them. */
const addChildren = (found: Map<Process, Set<Owner>>, all: ReadonlyArray<Process>): void => {
  const byNumber = new Map(all.map((one) => [one.pid, one]))
  for (let changed = true; changed;) {
    changed = false
    for (const one of all) {
      const parent = byNumber.get(one.parent)
      const inherited = parent === undefined ? undefined : found.get(parent)
      if (inherited === undefined) continue
      const owners = found.get(one) ?? new Set<Owner>()
      const before = owners.size
      for (const owner of inherited) owners.add(owner)
      found.set(one, owners)
      changed ||= owners.size > before
    }
  }
}

const ownedOnLinux = function*(owners: ReadonlyArray<Owner>): Generator<void, Owned> {
  const bySession = indexed(owners, ({ leader }) => leader === 0 ? undefined : leader)
  const byTag = indexed(owners, ({ tag }) => tag)
  const byTty = indexed(owners, ({ tty }) => tty)
  const bySurvivor = new Map(
    owners.flatMap((owner) => Array.from(owner.survivors, ([pid, started]) => [`${pid} ${started}`, owner] as const))
  )
  const since = Math.min(...owners.map((owner) => owner.since))
  const all: Array<Process> = []
  const found = new Map<Process, Set<Owner>>()
  let looked = 0
  for (const name of readdirSync("/proc")) {
    const pid = Number(name)
    if (!Number.isInteger(pid) || pid === process.pid) continue
    if (++looked % atOnce === 0) yield
    const one = processOf(pid)
    if (one === undefined) continue
    all.push(one)
    // right after the fork the program has neither its session nor its environment yet, only its number
    const leading = bySession.get(one.session) ?? bySession.get(pid)
    const bySystem = leading !== undefined && one.started <= (leading.endedAt ?? Infinity)
      ? leading
      : bySurvivor.get(`${pid} ${one.started}`)
    // most are older than any pane, and what they have open would take the longest to read
    const mine = bySystem === undefined && one.started < since
      ? []
      : bySystem === undefined
      ? [
        ...(byTty.size === 0 ? [] : openIn(pid).map((file) => stillAt(file, byTty.get(file)))),
        ...tagsOf(one).map((tag) => byTag.get(tag))
      ]
      : [bySystem]
    const known = mine.filter((owner) => owner !== undefined)
    if (known.length > 0) found.set(one, new Set(known))
  }
  addChildren(found, all)
  return collect(found)
}

const collect = (found: ReadonlyMap<Process, ReadonlySet<Owner>>): Owned => {
  const owned = new Map<Owner, Array<Process>>()
  for (const [one, owners] of found) {
    for (const owner of owners) {
      const sofar = owned.get(owner)
      if (sofar === undefined) owned.set(owner, [one])
      else sofar.push(one)
    }
  }
  return owned
}

/** Elsewhere `ps` tells sessions but no environments: a setsid'd daemon stays. */
const ownedByPs = (owners: ReadonlyArray<Owner>): Owned => {
  const leading = indexed(owners, ({ endedAt, leader }) => endedAt === undefined && leader !== 0 ? leader : undefined)
  if (leading.size === 0) return new Map()
  const { stdout } = spawnSync("ps", ["-axo", "pid=,ppid=,sess=,pgid=,stat="], { encoding: "utf8", timeout: 5000 })
  const found = new Map<Process, ReadonlySet<Owner>>()
  for (const row of stdout.split("\n")) {
    const [pid, parent, session, group, state] = row.trim().split(/\s+/)
    const owner = leading.get(Number(session)) ?? leading.get(Number(group))
    if (owner === undefined || (state ?? "Z").startsWith("Z")) continue
    found.set(
      { pid: Number(pid), name: "", parent: Number(parent), session: Number(session), started: 0 },
      new Set([owner])
    )
  }
  return collect(found)
}

/** Stops where the system lets other work in between: {@link scanNow} goes on at once. */
export const scan = function*(owners: ReadonlyArray<Owner>): Generator<void, Owned> {
  if (owners.length === 0) return new Map()
  return process.platform === "linux" ? yield* ownedOnLinux(owners) : ownedByPs(owners)
}

export const scanNow = (owners: ReadonlyArray<Owner>): Owned => {
  const steps = scan(owners)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
