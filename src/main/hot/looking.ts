/** `capture`, `describe`, `probe` and `panes` by the short way. */
import { capture } from "../../cli/commands/capture.ts"
import * as Listing from "../../cli/commands/listing.ts"
import * as Managing from "../../cli/commands/managing.ts"
import * as Layout from "../../cli/layout.ts"
import type { Words } from "../../cli/syntax/spec.ts"
import { namesRuntime } from "../surroundings.ts"
import { type Answer, isJson, type Json } from "../wire.ts"
import { type Asked, line, onePane, record, text, texts, verb, withPane } from "./asking.ts"
import { fields, object, plain } from "./fields.ts"

const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  Layout.table(rows).map((row) => `${row}\n`).join("")

/** As `--json`, or as `capture` shows it. */
export const screen = (value: Json, json: boolean, ansi: boolean): string =>
  json ? object(fields(value)) : line(Layout.screen(texts(value["rows"]), ansi))

const rangeOf = (words: Words<"lines" | "visible" | "full">): unknown => {
  const tail = words.text("lines")
  if (tail !== undefined) return { tail: Number(tail) }
  return words.on("full") ? "full" : words.on("visible") ? "visible" : undefined
}

const capturing = (words: Words<keyof typeof capture.flags>): Asked | undefined => {
  const [target, tail] = [onePane(words), words.text("lines")]
  const ranges = [...words.texts("lines"), ...words.texts("visible"), ...words.texts("full")]
  if (target === undefined || ranges.length > 1 || !/^[1-9]\d{0,8}$/.test(tail ?? "1")) return undefined
  const [range, ansi] = [rangeOf(words), words.on("ansi")]
  return {
    targets: [target],
    run: (wire, panes) =>
      withPane(target, panes, async (pane) =>
        record(await wire.ask("capture", { pane, range, ansi }), (value) => ({
          out: screen(value, words.on("json"), ansi)
        })))
  }
}

const describing = (words: Words<keyof typeof Managing.describe.flags>): Asked | undefined => {
  const target = onePane(words)
  return target === undefined ? undefined : {
    targets: [target],
    run: async (_, [pane]) =>
      record(pane, (value) => ({
        out: words.on("json") ? object(fields(value)) : table(Layout.described(fields(value)))
      }))
  }
}

interface Probed {
  readonly pane: string
  readonly liveness: string
  readonly reason?: string
}

const probes = (all: ReadonlyArray<Probed>, json: boolean) => ({
  out: json ? object({ probes: all }) : table(all.map(({ liveness, pane, reason }) => [pane, liveness, reason ?? ""]))
})

/** A pane that is gone is known to be so when its handle is read. */
const isGone = (answer: Answer): boolean =>
  answer._tag === "failed" && isJson(answer.error) && answer.error["_tag"] === "TargetNotFound" &&
  (answer.error["reason"] === "absent" || answer.error["reason"] === "reissued")

const handleOf = (answer: Answer): Json | undefined => {
  const handle = answer._tag === "done" && isJson(answer.value) ? answer.value["handle"] : undefined
  return isJson(handle) ? handle : undefined
}

const probing = (words: Words<keyof typeof Managing.probe.flags>): Asked => ({
  targets: words.operands,
  unanswered: (reason) =>
    probes(words.operands.map((pane) => ({ pane, liveness: "unknown", reason })), words.on("json")),
  run: async (wire, answers) => {
    const handles = answers.map(handleOf).filter((handle) => handle !== undefined)
    if (handles.length + answers.filter(isGone).length < answers.length) return undefined
    const answer = await wire.ask("probe", { panes: handles })
    const found: ReadonlyArray<unknown> = answer._tag === "done" && Array.isArray(answer.value) ? answer.value : []
    if (found.length < handles.length) return undefined
    let at = 0
    const all = words.operands.flatMap((pane, index): ReadonlyArray<Probed> => {
      const known = answers[index]
      if (known !== undefined && isGone(known)) return [{ pane, liveness: "gone" }]
      const one = found[at++]
      if (!isJson(one)) return []
      const reason = one["reason"]
      return [{ pane, liveness: text(one["liveness"]), ...(typeof reason === "string" ? { reason } : {}) }]
    })
    return all.length < words.operands.length ? undefined : probes(all, words.on("json"))
  }
})

const rowOf = (pane: unknown): ReadonlyArray<string> | undefined => {
  if (!isJson(pane)) return undefined
  const { command, cwd, exit, handle, title } = fields(pane)
  return typeof handle === "string"
    ? Layout.paneRow(handle, {
      command: text(command),
      cwd: text(cwd),
      title: text(title),
      ...(isJson(exit) ? { exit: Layout.exitOf(exit) } : {})
    })
    : undefined
}

const name = /^[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)*$/

/** A window's name is one of a session: the one that was given, or that of this process. */
const within = (words: Words<"session" | "window">): Json => {
  const [window, given] = [words.text("window"), words.text("session")]
  const { PANEWAY_SESSION: own = "" } = process.env
  if (window === undefined) return given === undefined ? {} : { session: given }
  const session = given === undefined || given === "" ? own.trim() : given
  return { window, ...(session === "" ? {} : { session }) }
}

const listing = (words: Words<keyof typeof Listing.panes.flags>): Asked | undefined => {
  if (!words.on("runtime") && namesRuntime(process.env)) return undefined
  if (!name.test(words.text("window") ?? "any")) return undefined
  return {
    targets: [],
    run: async (wire) => {
      const answer = await wire.ask("listPanes", within(words))
      if (answer._tag === "failed") return { _tag: "told", error: answer.error }
      if (answer._tag !== "done" || !Array.isArray(answer.value)) return undefined
      if (words.on("json")) return { out: object({ panes: plain(answer.value) }) }
      const rows = answer.value.map(rowOf).filter((row) => row !== undefined)
      return rows.length < answer.value.length ? undefined : { out: table(rows) }
    }
  }
}

export const verbs = [
  verb(capture, capturing),
  verb(Managing.describe, describing),
  verb(Managing.probe, probing),
  verb(Listing.panes, listing)
]
