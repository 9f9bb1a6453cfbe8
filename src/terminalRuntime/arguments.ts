/**
 * What callers without types may give, checked once for each operation: a value of the wrong shape is a failure that
 * names the argument, before anything is asked of the adapter.
 *
 * A check looks at types only, and costs a call of the right shape next to nothing. What an argument means is judged by
 * the operation. Requests to send are read by `send/reading.ts`, times by `waiting/schedules.ts`.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import { AgentState } from "../AgentState.ts"
import type { Service } from "../Contract.ts"
import { shown } from "../internal/evidence.ts"
import { InvalidRequest } from "../RuntimeError.ts"
import { PaneHandle, WindowHandle } from "../Target.ts"

/** Sends by another name are checked as `send`. */
type Shape = "sendCommand" | "sendText" | "sendKeys" | "typeInto"

/**
 * The operations that take arguments.
 *
 * @internal
 */
export type Checked = Exclude<
  { readonly [K in keyof Service]: Service[K] extends (...args: ReadonlyArray<never>) => unknown ? K : never }[
    keyof Service
  ],
  Shape
>

/** What is wrong with a value, and where in it. */
interface Fault {
  readonly at: string
  readonly reason: string
}

/** Judges a value that is named so. */
type Rule = (value: unknown, name: string) => Fault | undefined

type Fields = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const is = (test: (value: unknown) => boolean, reason: string): Rule => (value, at) =>
  test(value) ? undefined : { at, reason }

const optional = (rule: Rule): Rule => (value, at) => value === undefined ? undefined : rule(value, at)

/** An object whose fields obey the rules; others are not looked at. A field is told by its own name. */
const fields = (rules: Readonly<Record<string, Rule>>): Rule => {
  const all = Object.entries(rules)
  return (value, at) => {
    if (!isRecord(value)) return { at, reason: "must be an object" }
    for (const [name, rule] of all) {
      const fault = rule(value[name], name)
      if (fault !== undefined) return fault
    }
    return undefined
  }
}

const listOf = (rule: Rule, reason: string): Rule => (value, at) => {
  if (!Array.isArray(value)) return { at, reason }
  for (let index = 0; index < value.length; index++) {
    const fault = rule(value[index], `${at}[${index}]`)
    if (fault !== undefined) return fault
  }
  return undefined
}

const oneOf = (values: ReadonlyArray<unknown>): Rule =>
  is((value) => values.includes(value), `must be one of ${values.join(", ")}`)

const isText = (value: unknown): value is string => typeof value === "string"
const isPane = (value: unknown): boolean => value instanceof PaneHandle
const isWindow = (value: unknown): boolean => value instanceof WindowHandle
const isSecret = (value: unknown): boolean =>
  isText(value) || (Redacted.isRedacted(value) && isText(Redacted.value(value)))
/** A list with holes is none. */
const isTexts = (value: unknown): boolean => Array.isArray(value) && Array.from(value).every(isText)

const text = is(isText, "must be text")
const count = is((value) => typeof value === "number", "must be a number")
const flag = is((value) => typeof value === "boolean", "must be true or false")
/** A window is not taken for one of its panes. */
const pane: Rule = (value, at) => {
  if (isPane(value)) return undefined
  const reason = isWindow(value)
    ? "is the handle of a window, and that of a pane is needed: list the panes of that window"
    : "must be a pane handle, such as resolve gives for text"
  return { at, reason }
}
const window = is((value) => isText(value) || isWindow(value), "must be a window handle or the name of a window")
const secret = is(isSecret, "must be text or redacted text")
const panes = listOf(pane, "must be a list of pane handles")

const session = { session: optional(text) }
const inSession = optional(fields(session))

const size = is(
  (value) => isRecord(value) && typeof value["columns"] === "number" && typeof value["rows"] === "number",
  "needs whole columns and rows"
)

const program = is(
  (value) => {
    if (!isRecord(value)) return false
    const { argv, shell } = value
    if (argv === undefined) return isText(shell)
    return shell === undefined && Array.isArray(argv) && argv.length > 0 && isTexts(argv)
  },
  "must be an object with shell, a text, or argv, texts of which one is the program"
)

const placement = is(
  (value) => {
    if (!isRecord(value)) return false
    if (!("window" in value)) return isText(value["split"]) || isPane(value["split"]) || isWindow(value["split"])
    return isText(value["window"]) && value["split"] === undefined &&
      (value["session"] === undefined || isText(value["session"]))
  },
  "must be an object with window, a name, and its session, or with split, the handle of a pane or a window"
)

const environment: Rule = (value, at) => {
  if (!isRecord(value)) return { at, reason: "must be an object of texts" }
  for (const name of Object.keys(value)) {
    const fault = secret(value[name], `${at}.${shown(name)}`)
    if (fault !== undefined) return fault
  }
  return undefined
}

const range = is(
  (value) => value === "visible" || value === "full" || (isRecord(value) && typeof value["tail"] === "number"),
  "must be visible, full or an object with a number, tail"
)

const states = is(
  (value) =>
    Array.isArray(value) && Array.from(value).every((one) => AgentState.literals.some((state) => state === one)),
  `must be a list of some of ${AgentState.literals.join(", ")}`
)

const units: ReadonlySet<string> = new Set([
  "weeks",
  "days",
  "hours",
  "minutes",
  "seconds",
  "milliseconds",
  "microseconds",
  "nanoseconds"
])

/** A misspelt unit would be no time at all. */
const hasUnits = (value: object): boolean => {
  const names = Object.keys(value)
  return names.length > 0 && names.every((name) => units.has(name))
}

/** Numbers are told apart by `waiting/schedules.ts`, which says what they lack. */
const time = is(
  (value) =>
    isText(value) || typeof value === "number" || typeof value === "bigint" || Array.isArray(value) ||
    (typeof value === "object" && value !== null && (Duration.isDuration(value) || hasUnits(value))),
  "must be a duration, such as \"5 seconds\""
)

const rules: { readonly [K in Checked]: ReadonlyArray<readonly [name: string, rule: Rule]> } = {
  resolve: [["text", text]],
  ensureWindow: [["options", fields({ name: text, root: text, preset: optional(text), ...session })]],
  closeSession: [["name", text]],
  listWindows: [["options", inSession]],
  closeWindow: [["window", window], ["options", inSession]],
  preparePane: [["options", fields({ window, ...session })]],
  listPanes: [["options", optional(fields({ window: optional(window), ...session }))]],
  closePane: [["pane", pane]],
  resize: [["pane", pane], ["size", size]],
  focus: [[
    "target",
    is(
      (value) => isText(value) || isPane(value) || isWindow(value),
      "must be the handle of a pane or a window, or the name of a window"
    )
  ]],
  spawn: [[
    "options",
    fields({
      program: optional(program),
      placement: optional(placement),
      session: optional(text),
      cwd: optional(text),
      title: optional(text),
      env: optional(environment),
      unset: optional(listOf(text, "must be a list of names")),
      size: optional(size),
      onExit: optional(oneOf(["close", "hold", "shell"]))
    })
  ]],
  send: [["pane", pane], ["request", () => undefined], [
    "options",
    optional(fields({ allowNewlines: optional(flag), sanitize: optional(flag), within: optional(time) }))
  ]],
  run: [["pane", pane], [
    "options",
    fields({ command: text, timeout: time, ansi: optional(flag), maxOutput: optional(count) })
  ]],
  capture: [["pane", pane], ["options", optional(fields({ range: optional(range), ansi: optional(flag) }))]],
  output: [["pane", pane]],
  waitOutput: [["pane", pane], [
    "options",
    fields({
      pattern: is((value) => isText(value) || value instanceof RegExp, "must be text or a regular expression"),
      timeout: time
    })
  ]],
  waitStable: [["pane", pane], ["options", fields({ quiet: time, timeout: time })]],
  waitAgent: [["pane", pane], ["options", fields({ states, timeout: time })]],
  waitLifecycle: [[
    "options",
    fields({
      condition: oneOf(["window-exists", "window-active", "pane-exists", "pane-exited"]),
      target: is(
        (value) => isText(value) || isPane(value) || isWindow(value),
        "must be the handle of a pane or a window, or the name of a window"
      ),
      timeout: time,
      ...session
    })
  ]],
  agents: [["panes", panes]],
  probe: [["panes", panes]],
  describe: [["pane", pane]],
  setEnvironment: [[
    "options",
    fields({
      name: is((value) => isText(value) && /^[^=\0]+$/.test(value), "must be the name of a variable"),
      value: secret,
      ...session
    })
  ]],
  attach: [["options", inSession]]
}

/**
 * What is wrong with the arguments of a call, if anything is.
 *
 * @internal
 */
export const argumentsOf = (operation: Checked): (args: ReadonlyArray<unknown>) => InvalidRequest | undefined => {
  const own = rules[operation]
  const refused = (field: string, reason: string) => new InvalidRequest({ operation, field, reason })
  return (args) => {
    try {
      for (let index = 0; index < own.length; index++) {
        const rule = own[index]
        const fault = rule?.[1](args[index], rule[0])
        if (fault !== undefined) return refused(fault.at, fault.reason)
      }
      return undefined
    } catch {
      return refused("arguments", "cannot be read")
    }
  }
}
