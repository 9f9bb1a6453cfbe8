/**
 * Reads what identifies a process: from /proc on Linux, from `ps` and `sysctl` elsewhere.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { hostname } from "node:os"
import type { Reader, Sighting } from "../../src/ProcessIdentity.ts"

const unknown: Sighting = { _tag: "Unknown" }
const absent: Sighting = { _tag: "Absent" }
const isNumber = (pid: number) => Number.isSafeInteger(pid) && pid > 0

type Unread = "missing" | "unreadable"

const whyUnread = (cause: unknown): Unread =>
  typeof cause === "object" && cause !== null && "code" in cause && (cause.code === "ENOENT" || cause.code === "ESRCH")
    ? "missing"
    : "unreadable"

const text = (path: string) => Effect.tryPromise({ try: () => readFile(path, "latin1"), catch: whyUnread })

/** A zombie has ended; only its parent has not taken notice. */
const ended = /^[ZXx]/

/** Fields after the name, which may itself hold spaces and parentheses: state first, start the twentieth. */
const sightIn = (stat: string): Sighting => {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const [state = ""] = fields
  const start = fields[19]
  if (stat.lastIndexOf(")") === -1 || start === undefined || !/^\d+$/.test(start)) return unknown
  return ended.test(state) ? absent : { _tag: "Started", start }
}

/** `start` is the time since boot in clock ticks. */
export const fromProc = (folder = "/proc", host = hostname()): Reader => ({
  host,
  boot: Effect.match(text(`${folder}/sys/kernel/random/boot_id`), {
    onFailure: () => Option.none(),
    onSuccess: (id) => Option.filter(Option.some(id.trim()), (boot) => boot !== "")
  }),
  sight: (pid) =>
    isNumber(pid)
      ? Effect.match(text(`${folder}/${pid}/stat`), {
        onFailure: (why) => why === "missing" ? absent : unknown,
        onSuccess: sightIn
      })
      : Effect.succeed(absent)
})

interface Answer {
  readonly code: unknown
  readonly stdout: string
  readonly stderr: string
}

const ask = (program: string, args: ReadonlyArray<string>): Effect.Effect<Answer> =>
  Effect.callback((resume) => {
    const child = execFile(
      program,
      args,
      { env: { ...process.env, LC_ALL: "C" }, timeout: 5000 },
      (error, stdout, stderr) =>
        resume(Effect.succeed({ code: error === null ? 0 : error.code ?? "killed", stdout, stderr }))
    )
    return Effect.sync(() => {
      child.kill("SIGKILL")
    })
  })

/** `start` is a date to the second. What `ps` says beside its row, or that it says nothing, proves nothing. */
const sightBy = ({ code, stderr, stdout }: Answer): Sighting => {
  const [, state = "", start] = /^\s*(\S+)\s+(\S.*?)\s*$/.exec(stdout) ?? []
  if (stderr.trim() !== "") return unknown
  if (code === 1 && stdout.trim() === "") return absent
  if (code !== 0 || start === undefined) return unknown
  return ended.test(state) ? absent : { _tag: "Started", start }
}

export const fromPs = (host = hostname()): Reader => ({
  host,
  boot: Effect.map(ask("sysctl", ["-n", "kern.boottime"]), ({ code, stdout }) => {
    const [seconds] = /\bsec = \d+/.exec(stdout) ?? []
    return code === 0 ? Option.fromUndefinedOr(seconds) : Option.none()
  }),
  sight: (pid) =>
    isNumber(pid)
      ? Effect.map(ask("ps", ["-o", "stat=,lstart=", "-p", `${pid}`]), sightBy)
      : Effect.succeed(absent)
})

/** The processes of this host. */
export const reader: Reader = process.platform === "linux" ? fromProc() : fromPs()
