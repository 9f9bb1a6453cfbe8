/**
 * Writes docs/errors.md from the classes of src/RuntimeError.ts: when a failure occurs is the documentation of its
 * class, and the rest is what samples of it say. `--check`: changes nothing, and fails when the page is not what they
 * say.
 */
import * as Arr from "effect/Array"
import * as Duration from "effect/Duration"
import * as Runtime from "effect/Runtime"
import { readFileSync, writeFileSync } from "node:fs"
import * as Errors from "../src/RuntimeError.ts"
import { Mark } from "../src/Screen.ts"
import { DeliveryReport } from "../src/Send.ts"
import { PaneHandle, WindowHandle } from "../src/Target.ts"

const page = "docs/errors.md"
const source = "src/RuntimeError.ts"

const identity = { runtime: "tmux", host: "h", scope: "/s", incarnation: "1", id: "%1" }
const pane = new PaneHandle(identity)
const lastSeen = { _tag: "Nothing" } as const
const timeout = Duration.seconds(1)
const report = new DeliveryReport({
  stage: "submit",
  evidence: "none",
  inject: "no_token",
  submit: "send_keys_failed",
  turn: "not_yet_observed",
  attempts: 1,
  droppedTrailingEnter: false,
  outcome: "in-doubt",
  mark: new Mark({ pane })
})

type Failure = Errors.RuntimeError
/** One failure for each reason that the class tells apart, or one. */
type Samples = { readonly [T in Failure["_tag"]]: Readonly<Record<string, Extract<Failure, { readonly _tag: T }>>> }

const each = <R extends string, A>(reasons: ReadonlyArray<R>, make: (reason: R) => A): Readonly<Record<string, A>> =>
  Object.fromEntries(reasons.map((reason) => [reason, make(reason)]))

const samples: Samples = {
  RuntimeUnavailable: each(
    Errors.RuntimeUnavailable.fields.reason.literals,
    (reason) => new Errors.RuntimeUnavailable({ runtime: "tmux", reason, detail: "" })
  ),
  UnknownRuntime: { "": new Errors.UnknownRuntime({ runtime: "x", available: ["pty", "..."] }) },
  TargetNotFound: each(
    Errors.TargetNotFound.fields.reason.literals,
    (reason) => new Errors.TargetNotFound({ target: pane, reason, candidates: ["..."] })
  ),
  WindowConflict: {
    "": new Errors.WindowConflict({
      window: new WindowHandle(identity),
      field: "root",
      requested: "/a",
      existing: "/b"
    })
  },
  SpawnFailed: {
    "created: nothing": spawnFailed("other", "nothing"),
    "created: indeterminate": spawnFailed("lost", "indeterminate"),
    "missing-program": spawnFailed("missing-program", "nothing"),
    "not-executable": spawnFailed("not-executable", "nothing")
  },
  Unsupported: { "": new Errors.Unsupported({ runtime: "pty", capability: "focus", reason: "" }) },
  OperationRefused: { "": new Errors.OperationRefused({ runtime: "tmux", operation: "", reason: "" }) },
  NativeFailure: { "": new Errors.NativeFailure({ runtime: "tmux", operation: "", detail: "" }) },
  SendRejected: each(
    Errors.SendRejectedCode.literals,
    (code) => new Errors.SendRejected({ pane, code, reason: "" })
  ),
  SendFailed: { "": new Errors.SendFailed({ pane, stage: "send-keys", detail: "" }) },
  SendStalled: { "": new Errors.SendStalled({ pane, report, reason: "write-failed" }) },
  WaitTimeout: { "": new Errors.WaitTimeout({ target: pane, waitedFor: "", timeout, lastSeen }) },
  PaneEnded: { "": new Errors.PaneEnded({ pane, waitedFor: "", lastSeen }) },
  CommandUnfinished: { "": new Errors.CommandUnfinished({ pane, report, timeout, lastSeen }) },
  InvalidRequest: { "": new Errors.InvalidRequest({ operation: "", field: "", reason: "" }) }
}

function spawnFailed(reason: Errors.SpawnFailed["reason"], created: Errors.SpawnFailed["created"]): Errors.SpawnFailed {
  return new Errors.SpawnFailed({ runtime: "pty", reason, detail: "", created })
}

const failed = (message: string): never => {
  throw new Error(message)
}

/** The documentation above the class, up to its first tag, as one line of Markdown. */
const documented = (text: string, tag: string): string => {
  const end = text.indexOf(`export class ${tag}`)
  const begin = text.lastIndexOf("/**", end)
  if (end === -1 || begin === -1) return failed(`${source}: ${tag} has no documentation`)
  const [body = ""] = text.slice(begin + 3, text.indexOf("*/", begin)).split(/^ \* @/m)
  return body.split("\n").map((line) => line.replace(/^ \* ?/, "").trim()).join(" ").trim()
    .replaceAll(/\{@link (\w+)\}/g, "`$1`")
}

const advised = (failure: Failure): string => /\(([^()]*)\)$/.exec(failure.message)?.[1] ?? failed(failure.message)

/** One value where all samples agree, else each with the reasons that it belongs to. */
const told = (all: ReadonlyArray<readonly [reason: string, value: string]>): string => {
  const values = Object.entries(Arr.groupBy(all, ([, value]) => value))
  if (values.length === 1) return all[0]?.[1] ?? ""
  return values.map(([value, those]) => `${those.map(([reason]) => `\`${reason}\``).join(", ")}: ${value}`)
    .join("<br>")
}

const exitOf = (failure: Failure): string => `${Runtime.getErrorExitCode(failure)}`

const rowOf = (text: string, tag: string, reasons: Readonly<Record<string, Failure>>): ReadonlyArray<string> => {
  const entries = Object.entries(reasons)
  const exits = Object.entries(Arr.groupBy(entries, ([, failure]) => exitOf(failure)))
  const general = `${Errors.exitCode(entries[0]?.[1] ?? failed(`${tag} has no sample`))}`
  const others = exits.filter(([code]) => code !== general).map(([code, those]) =>
    `${code} (${those.map(([reason]) => `\`${reason}\``).join(", ")})`
  )
  const retryable = entries.filter(([, failure]) => Errors.isRetryable(failure))
  return [
    `\`${tag}\``,
    documented(text, tag),
    retryable.length === 0
      ? "no"
      : retryable.length === entries.length
      ? "yes"
      : retryable.map(([reason]) => `\`${reason}\``).join(", "),
    [general, ...others].join(", "),
    told(entries.map(([reason, failure]) => [reason, advised(failure)] as const))
  ]
}

const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = rows.reduce<ReadonlyArray<number>>(
    (most, row) => row.map((cell, column) => Math.max(cell.length, most[column] ?? 0)),
    []
  )
  return rows.map((row) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0, cell === "---" ? "-" : " ")).join(" | ")} |`
  ).join("\n")
}

const text = readFileSync(source, "utf8")
const wanted = `# Errors

Every operation fails with values of these classes, in its error channel. They are schemas: their fields survive RPC, the
ledger and \`--json\`. \`retryable\` says whether repeating the same call is safe and may succeed; the exit code is that of
the command line. \`message\` ends with what to do.

<!-- this page is written by: npm run docs:errors -->

${
  table([
    ["class", "when", "retryable", "exit code", "what to do"],
    ["---", "---", "---", "---", "---"],
    ...Object.entries(samples).map(([tag, reasons]) => rowOf(text, tag, reasons))
  ])
}

An interrupted command exits with 130, \`paneway run\` with the code of its own command.
`

if (process.argv.includes("--check")) {
  if (readFileSync(page, "utf8") !== wanted) {
    console.error(`${page}: not what the classes say: npm run docs:errors`)
    process.exitCode = 1
  }
} else {
  writeFileSync(page, wanted)
}
