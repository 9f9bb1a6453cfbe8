/** What exists on a server: asked in one command, with words between the fields that nobody can guess. */
import * as Effect from "effect/Effect"
import { closeSync, openSync, readSync } from "node:fs"
import { constants } from "node:os"
import { basename } from "node:path"
import type { Inventory } from "../../src/Contract.ts"
import * as Target from "../../src/Target.ts"
import { beforeProgram } from "./command.ts"
import { beforeHolder, holder } from "./holding.ts"
import type { Command } from "./quoting.ts"
import { type Life, nonce } from "./transport.ts"
import { has, type Version } from "./version.ts"

/** What every handle of a server has in common, and its version. */
export interface Identity {
  readonly runtime: string
  readonly host: string
  readonly scope: string
  readonly incarnation: string
  readonly version: Version | undefined
}

/** Numbers and ids; none of them is a text of a program. */
const numbers = [
  "pane_id",
  "window_id",
  "session_id",
  "pane_active",
  "window_active",
  "pane_dead",
  "pane_dead_status",
  "pane_dead_signal",
  "pane_pid",
  "pane_in_mode",
  "pane_width",
  "pane_height",
  "cursor_x",
  "cursor_y",
  "window_activity"
] as const

/** Texts, each of which can hold anything. */
const texts = [
  "session_name",
  "window_name",
  "@paneway_name",
  "@paneway_root",
  "@paneway_preset",
  "@paneway_prepared",
  "@paneway_start",
  "pane_title",
  "pane_current_command",
  "pane_current_path",
  "pane_start_command",
  "pane_tty",
  "pane_mode"
] as const

type NumberField = (typeof numbers)[number]
type TextField = (typeof texts)[number]

/** A pane as the server lists it. */
export interface Row {
  readonly number: (field: NumberField) => string
  readonly text: (field: TextField) => string
}

/** How a query is written and read. */
export interface Query {
  readonly format: string
  readonly rows: (listed: string) => ReadonlyArray<Row>
}

const placesOf = <K extends string>(names: ReadonlyArray<K>): ReadonlyMap<K, number> =>
  new Map(names.map((name, at) => [name, at]))

const numberAt = placesOf(numbers)
const textAt = placesOf(texts)

const rowOf = (counted: ReadonlyArray<string>, rest: ReadonlyArray<string>): Row => ({
  number: (field) => counted[numberAt.get(field) ?? -1] ?? "",
  text: (field) => rest[textAt.get(field) ?? -1] ?? ""
})

const make = (): Query => {
  const word = nonce().slice(-8)
  const [begin, gap] = [`${word}<`, `${word}|`]
  const fields = texts.map((name) => `#{${name}}`).join(gap)
  return {
    format: `${begin}${numbers.map((name) => `#{${name}}`).join(":")}${gap}${fields}`,
    rows: (listed) =>
      listed.split(begin).slice(1).flatMap((row) => {
        const [head = "", ...rest] = (row.endsWith("\n") ? row.slice(0, -1) : row).split(gap)
        const counted = head.split(":")
        return counted.length === numbers.length && rest.length === texts.length ? [rowOf(counted, rest)] : []
      })
  }
}

/** Queries that are written in the same words. */
const many = 100

const state = { query: make(), left: many }

/** The words are changed now and then: servers keep what they were asked for a while, and show it. */
export const query = (): Query => {
  if (state.left === 0) {
    state.query = make()
    state.left = many
  }
  state.left -= 1
  return state.query
}

/** Its terminal is closed, and nobody knows how its program ended. */
const isUnsettled = (row: Row): boolean =>
  row.number("pane_dead") === "1" && row.number("pane_dead_status") === "" && row.number("pane_dead_signal") === ""

/** For the server to take notice. */
const reaping = { attempts: 3, pause: "10 millis" } as const

/**
 * Servers overhear now and then that a child ended, until the next one does: the exit of a held pane is missing then.
 * They are told again, and asked again.
 */
export const settled = <E>(
  list: Effect.Effect<{ readonly life: Life; readonly rows: ReadonlyArray<Row> }, E>
): Effect.Effect<{ readonly life: Life; readonly rows: ReadonlyArray<Row> }, E> =>
  Effect.gen(function*() {
    let listed = yield* list
    for (let attempt = 0; attempt < reaping.attempts && listed.rows.some(isUnsettled); attempt++) {
      if (!has(listed.life.version, "exitSignals")) break
      remind(Number.parseInt(listed.life.incarnation, 10))
      yield* Effect.sleep(reaping.pause)
      listed = yield* list
    }
    return listed
  })

/** It only looks for children that ended. */
const remind = (server: number): void => {
  try {
    process.kill(server, "SIGCHLD")
  } catch {
    // it ended itself, or is another user's
  }
}

export const everyPane = ({ format }: Query): Command => ["list-panes", "-a", "-F", format]

/** All panes of its window; fails where there is no such pane. */
export const panesBeside = ({ format }: Query, pane: string): Command => ["list-panes", "-t", pane, "-F", format]

const whole = (text: string): number | undefined => /^\d+$/.test(text) ? Number(text) : undefined

/** More than Linux says of a process in one line. */
const line = Buffer.alloc(1024)

/** What Linux says of a process. */
const statOf = (pid: number) => {
  const file = openSync(`/proc/${pid}/stat`, "r")
  const stat = line.toString("latin1", 0, readInto(line, file))
  const end = stat.lastIndexOf(")")
  const [, parent, group, , , foreground] = stat.slice(end + 2).split(" ").map(Number)
  return { name: stat.slice(stat.indexOf("(") + 1, end), parent, group, foreground }
}

/**
 * Whether the pane's own program is in the foreground of its terminal. Linux tells it; elsewhere nobody knows.
 */
const isAtShell = (pid: number | undefined): boolean | undefined => {
  if (pid === undefined) return undefined
  try {
    const { foreground, group, name } = statOf(pid)
    if (foreground === undefined || foreground <= 0) return undefined
    return group === foreground || (name === holder && parentOf(foreground) === pid)
  } catch {
    return undefined
  }
}

/** Undefined: it ended, as the first process of a pipeline may while others of it run. */
const parentOf = (pid: number): number | undefined => {
  try {
    return statOf(pid).parent
  } catch {
    return undefined
  }
}

const readInto = (bytes: Buffer, file: number): number => {
  try {
    return readSync(file, bytes)
  } finally {
    closeSync(file)
  }
}

/**
 * The program in the foreground. What is about to become the pane's own has that one's name already, so that a shell is
 * told in its own language what it reads once it is there.
 */
const commandOf = (row: Row, pid: number | undefined): string => {
  const command = row.text("pane_current_command")
  const start = basename(row.text("@paneway_start").split(" ")[0] ?? "")
  if (start === "" || start === command || !early.has(command)) return command
  // it may be something else since the server looked
  const now = pid === undefined ? undefined : foregroundOf(pid)
  if (now === undefined) return command === holder ? start : command
  return now === "" || now.startsWith(holder) || now.startsWith(beforeProgram) || now.startsWith(beforeHolder)
    ? start
    : basename(now.split("\0")[0]?.trimEnd() ?? "").replace(/^-/, "")
}

/** Names of what becomes the program of a pane. */
const early: ReadonlySet<string> = new Set(["tmux", "sh", "perl", holder])

/** The arguments of the process in the foreground of its terminal: none yet, or undefined where nobody tells. */
const foregroundOf = (pid: number): string | undefined => {
  try {
    const { foreground = 0, name } = statOf(pid)
    if (foreground <= 0 || name === "tmux: server") return ""
    const file = openSync(`/proc/${foreground}/cmdline`, "r")
    return line.toString("latin1", 0, readInto(line, file))
  } catch {
    return undefined
  }
}

/** tmux gives the words of an argv, quoted where they need it, or the line for a shell in quotes. */
const startOf = (row: Row): string => {
  const own = row.text("@paneway_start")
  return own === "" ? row.text("pane_start_command").replaceAll(/^"|"$/g, "") : own
}

/** A pane is dead a moment before it is known how its program ended: until then it is not told. */
const exitOf = (row: Row, version: Version | undefined): Target.Exit | undefined => {
  if (row.number("pane_dead") !== "1") return undefined
  const code = whole(row.number("pane_dead_status"))
  const signal = row.number("pane_dead_signal")
  if (code === undefined && signal === "" && has(version, "exitSignals")) return undefined
  return { ...(code === undefined ? {} : { code }), ...(signal === "" ? {} : { signal: signalName(signal) }) }
}

/** tmux gives the number or the name, by its version. */
const signalName = (signal: string): string =>
  signals.get(signal) ?? (signal.startsWith("SIG") ? signal : `SIG${signal}`)

const signals: ReadonlyMap<string, string> = new Map(
  // of two names the first one counts, as SIGABRT before SIGIOT
  Object.entries(constants.signals).toReversed().map(([name, number]) => [`${number}`, name])
)

/** Handles of one life of a server, made once: lists of many panes ask for the same ones again and again. */
const handlesOf = () => {
  const panes = new Map<string, Target.PaneHandle>()
  const windows = new Map<string, Target.WindowHandle>()
  let life = ""
  return ({ host, incarnation, runtime, scope }: Identity) => {
    const here = `${runtime} ${host} ${scope} ${incarnation}`
    if (here !== life || panes.size > mostHandles || windows.size > mostHandles) {
      panes.clear()
      windows.clear()
      life = here
    }
    const made = <H>(known: Map<string, H>, id: string, make: (fields: HandleFields) => H): H => {
      const found = known.get(id)
      if (found !== undefined) return found
      const handle = make({ runtime, host, scope, incarnation, id })
      known.set(id, handle)
      return handle
    }
    return {
      pane: (id: string) => made(panes, id, (fields) => new Target.PaneHandle(fields)),
      window: (id: string) => made(windows, id, (fields) => new Target.WindowHandle(fields))
    }
  }
}

interface HandleFields extends Omit<Identity, "version"> {
  readonly id: string
}

/** Handles that are kept at the same time. */
const mostHandles = 4096

const handles = handlesOf()

type Writable<A> = { -readonly [K in keyof A]: A[K] }

export const paneOf = (identity: Identity, row: Row): Target.Pane => {
  const { pane, window } = handles(identity)
  const { number, text } = row
  const fields: Writable<ConstructorParameters<typeof Target.Pane>[0]> = {
    handle: pane(number("pane_id")),
    window: window(number("window_id")),
    active: number("pane_active") === "1" && number("window_active") === "1"
  }
  const fill = <K extends keyof typeof fields>(key: K, value: (typeof fields)[K] | "" | undefined) => {
    if (value !== undefined && value !== "") fields[key] = value
  }
  const exit = exitOf(row, identity.version)
  const pid = exit === undefined ? whole(number("pane_pid")) : undefined
  const activity = whole(number("window_activity"))
  const [x, y] = [whole(number("cursor_x")), whole(number("cursor_y"))]
  fill("exit", exit)
  if (text("@paneway_prepared") === "1") fields.prepared = true
  fill("atShell", isAtShell(pid))
  fill("title", text("pane_title"))
  if (exit === undefined) {
    fill("command", commandOf(row, pid))
    fill("cwd", text("pane_current_path"))
  }
  fill("pid", pid)
  if (number("pane_in_mode") !== "0") fields.mode = text("pane_mode") || "mode"
  fill("session", text("session_name"))
  fill("tty", text("pane_tty"))
  fill("startCommand", startOf(row))
  if (x !== undefined && y !== undefined) fields.cursor = { row: y, column: x }
  if (activity !== undefined) fields.activityAtMillis = activity * 1000
  fill("columns", whole(number("pane_width")))
  fill("rows", whole(number("pane_height")))
  return new Target.Pane(fields)
}

const windowOf = (identity: Identity, row: Row): Target.Window => {
  const name = row.text("@paneway_name")
  const root = row.text("@paneway_root")
  const preset = row.text("@paneway_preset")
  return new Target.Window({
    handle: handles(identity).window(row.number("window_id")),
    name: Target.windowName(name === "" ? row.text("window_name") : name),
    session: row.text("session_name"),
    active: row.number("window_active") === "1",
    ...(root === "" ? {} : { root }),
    ...(preset === "" ? {} : { preset })
  })
}

/** A window that is linked into several sessions belongs to the first one that lists it. */
export const inventoryOf = (identity: Identity, rows: ReadonlyArray<Row>): Inventory => {
  const windows = new Map<string, Target.Window>()
  const panes = new Map<string, Target.Pane>()
  const sessions = new Set<string>()
  for (const row of rows) {
    sessions.add(row.text("session_name"))
    const window = row.number("window_id")
    if (!windows.has(window)) windows.set(window, windowOf(identity, row))
    const pane = row.number("pane_id")
    if (!panes.has(pane)) panes.set(pane, paneOf(identity, row))
  }
  return { sessions: [...sessions], windows: [...windows.values()], panes: [...panes.values()] }
}
