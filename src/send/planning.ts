/**
 * What a request becomes: the steps that an adapter writes, for programs that read keystrokes and for agents that take
 * prompts.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as Keys from "../Keys.ts"
import { read, type Reading, readOptions, rejected, type Rejection } from "./reading.ts"
import type { SendProfile, SendRequest, Step } from "./records.ts"

/**
 * @category options
 * @since 0.1.0
 */
export interface PlanOptions {
  readonly profile: SendProfile
  /** True: a newline may submit what stands before it. Default false. */
  readonly allowNewlines?: boolean | undefined
  /** True: remove control characters instead of refusing them. Default false. */
  readonly sanitize?: boolean | undefined
}

/**
 * What a request becomes for one profile.
 *
 * @category models
 * @since 0.1.0
 */
export interface Plan {
  readonly steps: readonly [Step, ...Array<Step>]
  /** The trailing Enter of the request was left out, because a prompt submits itself. */
  readonly droppedTrailingEnter: boolean
  /** The lines that are typed, hence echoed, joined by LF. Text before a key that edits the line is not known. */
  readonly echo: string | undefined
  /** The text is the command of the request, not its messages. */
  readonly isCommand: boolean
  /** Some text has newlines, each of which would submit where the program did not ask for bracketed paste. */
  readonly needsBracketedPaste: boolean
}

interface Steps extends Pick<Plan, "steps" | "droppedTrailingEnter"> {}

type Planned<A> = Result.Result<A, Rejection>

const press = (key: Keys.Key): Step => ({ _tag: "Press", key })
const typed = (text: string): Step => ({ _tag: "Type", text, paste: text.includes("\n") })

const echoOf = (steps: ReadonlyArray<Step>): string | undefined => {
  const lines: Array<string> = []
  let line = ""
  for (const step of steps) {
    if (step._tag !== "Press") line += step.text
    else if (Keys.submits(step.key)) {
      lines.push(line)
      line = ""
    } else line = Keys.isCharacter(step.key) ? line + Keys.encode(step.key, { applicationCursorKeys: false }) : ""
  }
  const echo = [...lines, line].join("\n").trim()
  return echo === "" ? undefined : echo
}

const nothing = rejected("nothing to send: give a command that is not blank, a message or a key")

const inOrder = ([first, ...rest]: ReadonlyArray<Step>): Planned<Steps> =>
  first === undefined ? nothing : Result.succeed({ steps: [first, ...rest], droppedTrailingEnter: false })

/** Typed in order, with one Enter after a command. */
const forPlainPane = ({ command, items }: Reading): Planned<Steps> => {
  const steps = items.map((item) => item._tag === "Key" ? press(item.key) : typed(item.text))
  return inOrder(command === undefined ? steps : [typed(command), press(Keys.enter), ...steps])
}

/** All text is one prompt that submits itself; keys go alone. */
const forAgent = ({ command, items }: Reading): Planned<Steps> => {
  const keys = items.flatMap((item) => item._tag === "Key" ? [item.key] : [])
  const messages = items.flatMap((item) => item._tag === "Message" ? [item.text] : [])
  if (keys.filter(Keys.isEnter).length > 1) return rejected("an agent pane takes at most one Enter in a send")
  if (command === undefined && messages.length === 0) return inOrder(keys.map(press))

  const last = items[items.length - 1]
  const trailing = last?._tag === "Key" && Keys.isEnter(last.key)
  if (keys.length > (trailing ? 1 : 0)) {
    return rejected(
      command === undefined
        ? "on an agent pane only a single Enter may follow the messages, at their end"
        : "on an agent pane only a single Enter may follow the command"
    )
  }
  const text = command ?? messages.join("\n")
  return Result.succeed({ steps: [{ _tag: "Prompt", text }], droppedTrailingEnter: trailing })
}

/**
 * Plans a request. Pure and total: a value of the wrong shape is refused before anything is asked of the terminal,
 * whatever it is.
 *
 * For `plain-pane` the steps are typed in order, a command with one Enter after it. For `agent-aware` all text becomes
 * one prompt that submits itself, at most one trailing Enter is accepted and left out, and keys go alone. Text keeps its
 * blanks; its newlines become LF, and control characters and halves of surrogate pairs are refused or removed. A blank
 * command counts as absent.
 *
 * @category planning
 * @since 0.1.0
 */
export const plan = (request: SendRequest, options: PlanOptions): Planned<Plan> => {
  const wanted = readOptions(options)
  if (Result.isFailure(wanted)) return Result.fail(wanted.failure)
  const { allowNewlines, profile, sanitize } = wanted.success
  const reading = read(request, sanitize)
  if (Result.isFailure(reading)) return Result.fail(reading.failure)
  const { command, items } = reading.success
  if (command !== undefined && items.some(({ _tag }) => _tag === "Message")) {
    return rejected("a command submits on its own: only keys may follow it, no messages")
  }
  const planned = profile === "plain-pane" ? forPlainPane(reading.success) : forAgent(reading.success)
  return Result.map(planned, ({ droppedTrailingEnter, steps }) => ({
    steps,
    droppedTrailingEnter,
    echo: echoOf(steps),
    isCommand: command !== undefined,
    needsBracketedPaste: !allowNewlines && steps.some((step) => step._tag === "Type" && step.paste)
  }))
}

/**
 * The request that types a text as a person does: its last newline, in any spelling, is the key that submits; without
 * one nothing is submitted on a plain pane.
 *
 * @category planning
 * @since 0.1.0
 */
export const typeInto = (text: string): SendRequest => {
  const line = text.replace(/(?:\r\n|\r|\n)$/, "")
  if (line === text) return { items: [{ message: text }] }
  return { items: [...(line === "" ? [] : [{ message: line }]), { key: Keys.enter }] }
}
