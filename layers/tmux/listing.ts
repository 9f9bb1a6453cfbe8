/** What exists on a server: asked in one command, with words between the fields that nobody can guess. */
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import type { Inventory } from "../../src/Contract.ts"
import * as Target from "../../src/Target.ts"
import { holder } from "./holding.ts"
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

/** How one query is written and read. */
export interface Query {
  readonly format: string
  readonly rows: (listed: string) => ReadonlyArray<Row>
}

export const query = (): Query => {
  const word = nonce().slice(-8)
  const [begin, gap] = [`${word}<`, `${word}|`]
  const fields = texts.map((name) => `#{${name}}`).join(gap)
  return {
    format: `${begin}${numbers.map((name) => `#{${name}}`).join(":")}${gap}${fields}`,
    rows: (listed) =>
      listed.split(begin).slice(1).flatMap((row) => {
        const [head = "", ...rest] = (row.endsWith("\n") ? row.slice(0, -1) : row).split(gap)
        const counted = head.split(":")
        if (counted.length !== numbers.length || rest.length !== texts.length) return []
        return [{
          number: (field) => counted[numbers.indexOf(field)] ?? "",
          text: (field) => rest[texts.indexOf(field)] ?? ""
        }]
      })
  }
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

const filled = <K extends string, A>(key: K, value: A | undefined | ""): { readonly [_ in K]?: A } | {} =>
  value === undefined || value === "" ? {} : { [key]: value }

const whole = (text: string): number | undefined => /^\d+$/.test(text) ? Number(text) : undefined

/** What Linux says of a process. */
const statOf = (pid: number) => {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
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
    return group === foreground || (name === holder && statOf(foreground).parent === pid)
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

const signals: ReadonlyMap<string, string> = new Map([
  ["1", "SIGHUP"],
  ["2", "SIGINT"],
  ["3", "SIGQUIT"],
  ["6", "SIGABRT"],
  ["9", "SIGKILL"],
  ["11", "SIGSEGV"],
  ["13", "SIGPIPE"],
  ["14", "SIGALRM"],
  ["15", "SIGTERM"]
])

const windowHandle = (identity: Omit<Identity, "version">, id: string) => new Target.WindowHandle({ ...identity, id })

export const paneOf = ({ version, ...identity }: Identity, row: Row): Target.Pane => {
  const exit = exitOf(row, version)
  const pid = whole(row.number("pane_pid"))
  const alive = exit === undefined ? pid : undefined
  const activity = whole(row.number("window_activity"))
  const [x, y] = [whole(row.number("cursor_x")), whole(row.number("cursor_y"))]
  return new Target.Pane({
    handle: new Target.PaneHandle({ ...identity, id: row.number("pane_id") }),
    window: windowHandle(identity, row.number("window_id")),
    active: row.number("pane_active") === "1" && row.number("window_active") === "1",
    ...filled("exit", exit),
    ...filled("prepared", row.text("@paneway_prepared") === "1" ? true : undefined),
    ...filled("atShell", isAtShell(alive)),
    ...filled("title", row.text("pane_title")),
    ...filled("command", exit === undefined ? row.text("pane_current_command") : ""),
    ...filled("cwd", exit === undefined ? row.text("pane_current_path") : ""),
    ...filled("pid", alive),
    ...filled("mode", row.number("pane_in_mode") === "0" ? "" : row.text("pane_mode") || "mode"),
    ...filled("session", row.text("session_name")),
    ...filled("tty", row.text("pane_tty")),
    ...filled("startCommand", startOf(row)),
    ...filled("cursor", x === undefined || y === undefined ? undefined : { row: y, column: x }),
    ...filled("activityAtMillis", activity === undefined ? undefined : activity * 1000),
    ...filled("columns", whole(row.number("pane_width"))),
    ...filled("rows", whole(row.number("pane_height")))
  })
}

const windowOf = ({ version: _, ...identity }: Identity, row: Row): Target.Window => {
  const name = row.text("@paneway_name")
  return new Target.Window({
    handle: windowHandle(identity, row.number("window_id")),
    name: Target.windowName(name === "" ? row.text("window_name") : name),
    session: row.text("session_name"),
    active: row.number("window_active") === "1",
    ...filled("root", row.text("@paneway_root")),
    ...filled("preset", row.text("@paneway_preset"))
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
