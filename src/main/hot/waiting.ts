/** `wait` by the short way, but for agents: what those do is decided by the whole program. */
import * as Wait from "../../cli/commands/wait.ts"
import type { Words } from "../../cli/syntax/spec.ts"
import { withoutControls } from "../../internal/controls.ts"
import { type Answer, isJson, type Json, type Wire } from "../wire.ts"
import { type Asked, type End, onePane, type Printed, record, text, verb, withPane } from "./asking.ts"
import { fields, markOf, object } from "./fields.ts"
import { screen } from "./looking.ts"

/** Milliseconds of a wait, a day at most: a timer takes no more than 24 of them. */
const longest = 86_400_000

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

const milliseconds = (time: string): number | undefined => {
  const [, amount, unit = "s"] = /^(\d+)(ms|s|m|h)?$/.exec(time) ?? []
  const all = amount === undefined ? undefined : Number(amount) * (units[unit] ?? 1)
  return all === undefined || all > longest ? undefined : all
}

const normal = "30s"

/** When a wait is over that the host does not end: it hangs. */
const cutAfter = (timeout: number): number => Math.max(timeout + 250, 2000)

interface Waited {
  readonly operation: string
  readonly payload: Json
  readonly target: string | Json
  /** As the failure says it. */
  readonly waitedFor: string
  readonly timeout: number
}

const ask = async (wire: Wire, waited: Waited, read: (found: Json) => Printed): Promise<End> => {
  const { operation, payload, target, timeout, waitedFor } = waited
  const answer = await wire.ask(operation, { ...payload, timeout }, cutAfter(timeout))
  if (answer._tag !== "late") return record(answer, read)
  const lastSeen = { _tag: "Nothing" }
  return { _tag: "told", error: { _tag: "WaitTimeout", target, waitedFor, timeout, lastSeen } }
}

type Common = "pane" | "after" | "timeout" | "json"

interface OnPane {
  readonly operation: string
  /** As the person reads it who watches. */
  readonly what: string
  readonly waitedFor: string
  readonly payload: Json
  readonly read: (found: Json) => Printed
}

const onPane = (words: Words<Common>, { operation, payload, read, waitedFor, what }: OnPane): Asked | undefined => {
  const [target, timeout] = [onePane(words), milliseconds(words.text("timeout") ?? normal)]
  if (target === undefined || timeout === undefined) return undefined
  const word = words.text("after")
  return {
    targets: [target],
    title: `waiting for ${what} in ${target}`,
    run: (wire, panes) =>
      withPane(target, panes, async (pane) => {
        const after = word === undefined ? undefined : markOf(word, pane)
        if (word !== undefined && after === undefined) return undefined
        const wanted = { pane, ...payload, ...(after === undefined ? {} : { after }) }
        return ask(wire, { operation, payload: wanted, target: pane, waitedFor, timeout }, read)
      })
  }
}

const expression = (source: string): RegExp | undefined => {
  try {
    return new RegExp(source, "u")
  } catch {
    return undefined
  }
}

const foundOf = ({ groups, line, markLost, rowsLost, screen, text }: Json): Json =>
  fields({ text, groups, line, mark: isJson(screen) ? screen["mark"] : undefined, markLost, rowsLost })

const output = (words: Words<keyof typeof Wait.output.flags>): Asked | undefined => {
  const [match, regex] = [words.text("match"), words.text("regex")]
  const compiled = regex === undefined ? undefined : expression(regex)
  if ((match === undefined) === (regex === undefined) || match === "" || regex === "") return undefined
  if (regex !== undefined && compiled === undefined) return undefined
  return onPane(words, {
    operation: "waitOutput",
    what: match ?? regex ?? "",
    waitedFor: match ?? `${compiled}`,
    payload: { pattern: match ?? { source: compiled?.source, flags: "u" } },
    read: (found) => ({
      out: words.on("json") ? object(foundOf(found)) : `${withoutControls(text(found["line"]))}\n`
    })
  })
}

const stable = (words: Words<keyof typeof Wait.stable.flags>): Asked | undefined => {
  const quiet = milliseconds(words.text("quiet") ?? "")
  return quiet === undefined ? undefined : onPane(words, {
    operation: "waitStable",
    what: "no change",
    waitedFor: "a still screen",
    payload: { quiet },
    read: (seen) => ({ out: screen(seen, words.on("json"), false) })
  })
}

/** A printed handle was once a pane: gone, it has exited. */
const isAbsent = (error: unknown, target: string): boolean =>
  isJson(error) && error["_tag"] === "TargetNotFound" && error["target"] === target &&
  (error["reason"] === "absent" || error["reason"] === "reissued")

/** Of panes; a window's name is read by the whole program. */
const lifecycle = (words: Words<keyof typeof Wait.lifecycle.flags>): Asked | undefined => {
  const [condition = "", ...operands] = words.operands
  const target = onePane({ ...words, operands })
  const timeout = milliseconds(words.text("timeout") ?? normal)
  if (target === undefined || timeout === undefined) return undefined
  if (condition !== "pane-exists" && condition !== "pane-exited") return undefined
  const read = (seen: Json): Printed => ({
    out: words.on("json") ? object(fields(seen)) : `${text(seen["observed"])}\n`
  })
  const orAbsent = (end: End): End =>
    condition === "pane-exited" && end !== undefined && "_tag" in end && isAbsent(end.error, target)
      ? read({ condition, target, observed: "absent" })
      : end
  return {
    targets: [target],
    title: `waiting for ${condition} of ${target}`,
    run: async (wire, panes: ReadonlyArray<Answer>) =>
      orAbsent(
        await withPane(target, panes, (pane) =>
          ask(wire, {
            operation: "waitLifecycle",
            payload: { query: { condition, target: pane } },
            target: pane,
            waitedFor: condition,
            timeout
          }, read))
      )
  }
}

export const verbs = [
  verb(Wait.output, output),
  verb(Wait.lifecycle, lifecycle),
  verb(Wait.stable, stable)
]
