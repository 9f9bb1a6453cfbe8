/** `send` by the short way: once it was asked, nothing is asked again. */
import { send } from "../../cli/commands/send.ts"
import * as Layout from "../../cli/layout.ts"
import type { Words } from "../../cli/syntax/spec.ts"
import { isJson, type Json } from "../wire.ts"
import { type Asked, text, texts, verb, withPane } from "./asking.ts"
import { fields, object } from "./fields.ts"

/** The others take a file, or a look at what was given. */
const usual: ReadonlySet<string> = new Set([
  "pane",
  "cmd",
  "msg",
  "key",
  "item",
  "allow-newlines",
  "quiet",
  "runtime",
  "json"
])

const itemOf = (item: string): Json | undefined => {
  const value = item.slice(item.indexOf("=") + 1)
  return item.startsWith("msg=") ? { message: value } : item.startsWith("key=") ? { key: value } : undefined
}

const itemsOf = (words: Words<"msg" | "key" | "item">): ReadonlyArray<Json | undefined> =>
  words.on("item") ? words.texts("item").map(itemOf) : [
    ...words.texts("msg").map((message) => ({ message })),
    ...words.texts("key").map((key) => ({ key }))
  ]

const printed = (report: Json, pane: string, words: Words<"json" | "quiet">) => {
  if (words.on("json")) return { out: object(fields(report)) }
  const warnings = texts(report["warnings"])
  const told = {
    outcome: text(report["outcome"]),
    evidence: text(report["evidence"]),
    droppedTrailingEnter: report["droppedTrailingEnter"] === true
  }
  return {
    out: words.on("quiet") ? "" : `${Layout.sent(pane, told)}\n`,
    err: warnings.length === 0 ? "" : `paneway: ${Layout.warned(warnings)}\n`
  }
}

const sending = (words: Words<keyof typeof send.flags>): Asked | undefined => {
  const [pane = "", command, items] = [words.text("pane"), words.text("cmd"), itemsOf(words)]
  const early = words.on("cmd") && words.on("key") && words.order.indexOf("key") < words.order.indexOf("cmd")
  const mixed = words.on("item") && (words.on("cmd") || words.on("msg") || words.on("key"))
  const empty = command === undefined && items.length === 0
  if (early || mixed || empty || items.includes(undefined) || words.order.some((name) => !usual.has(name))) {
    return undefined
  }
  return {
    targets: [pane],
    title: `sending to ${pane}`,
    run: (wire, panes) =>
      withPane(pane, panes, async (handle) => {
        const options = { allowNewlines: words.on("allow-newlines"), sanitize: false }
        const answer = await wire.ask("send", { pane: handle, request: { command, items }, options })
        // whatever it says instead of what it should, it may have been typed
        if (answer._tag === "failed") return { _tag: "in-doubt", pane: handle, error: answer.error }
        const report = answer._tag === "done" && isJson(answer.value) ? answer.value : {}
        return typeof report["outcome"] === "string" && typeof report["evidence"] === "string"
          ? printed(report, pane, words)
          : { _tag: "in-doubt", pane: handle }
      })
  }
}

export const verbs = [verb(send, sending)]
