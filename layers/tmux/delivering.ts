/**
 * From the steps of a send to a pane. Checks, place, text and keys are one group of commands, so that nothing changes
 * between the check and the last key, and nobody else types in between.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { Delivered, Delivery, Obstacle, Place, TargetError } from "../../src/Contract.ts"
import * as Contract from "../../src/Contract.ts"
import { byteLength, hasLineOver } from "../../src/internal/bytes.ts"
import * as Keys from "../../src/Keys.ts"
import type * as Send from "../../src/Send.ts"
import type { PaneHandle } from "../../src/Target.ts"
import * as Escapes from "../internal/escapes.ts"
import { change, onTarget } from "./asking.ts"
import * as Buffers from "./buffers.ts"
import type { Counting } from "./counting.ts"
import { absent, isAbsence, unavailable } from "./failures.ts"
import type { Heard } from "./heard.ts"
import * as Places from "./place.ts"
import type { Command } from "./quoting.ts"
import { print, type Transport } from "./transport.ts"

/** Bytes of one line of text that are typed; more, or several lines, go through a buffer. */
const typedMost = 4096

const keyCommand = (pane: string, key: Keys.Key): ReadonlyArray<Command> => {
  if (key.base === "CancelMode") return [["copy-mode", "-q", "-t", pane]]
  const name = Keys.toTmux(key)
  if (Option.isSome(name)) return [["send-keys", "-t", pane, "--", name.value]]
  const bytes = Buffer.from(Keys.encode(key, { applicationCursorKeys: false }), "utf8")
  return bytes.length === 0
    ? []
    : [["send-keys", "-t", pane, "-H", ...Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0"))]]
}

/** As a terminal tells a program that asked for it. */
const focused = (pane: string): Command => ["send-keys", "-t", pane, "-H", "1b", "5b", "49"]

/** Through a buffer, which is gone as soon as it is pasted. */
const paste = (pane: string, text: string, marked: boolean, buffers: Buffers.Buffers): ReadonlyArray<Command> => {
  const { commands, name } = Buffers.put(buffers, text)
  return [...commands, ["paste-buffer", "-d", ...(marked ? ["-p"] : []), "-r", "-b", name, "-t", pane]]
}

const textCommands = (
  pane: string,
  text: string,
  marked: boolean,
  buffers: Buffers.Buffers
): ReadonlyArray<Command> => {
  if (text === "") return []
  return text.includes("\n") || byteLength(text) > typedMost
    ? paste(pane, text, marked, buffers)
    : [["send-keys", "-t", pane, "-l", "--", text]]
}

/** `marks`: the server may mark pastes, if the pane's mode says so. */
const stepCommands = (
  pane: string,
  step: Send.Step,
  marks: boolean,
  buffers: Buffers.Buffers
): ReadonlyArray<Command> => {
  if (step._tag === "Press") return keyCommand(pane, step.key)
  return textCommands(pane, step.text, marks && (step._tag === "Prompt" || step.paste), buffers)
}

/** What stands in the way, and how the server tells it. One pane alone is not synchronized with any other. */
const signs = {
  "dead": "#{pane_dead}",
  "in-mode": "#{?pane_in_mode,1,0}",
  "input-off": "#{pane_input_off}",
  "synchronized": "#{?#{&&:#{pane_synchronized},#{!=:#{window_panes},1}},1,0}"
} as const satisfies Partial<Record<Obstacle, string>>

type Sign = keyof typeof signs

const isSign = (obstacle: Obstacle): obstacle is Sign => Object.hasOwn(signs, obstacle)

/**
 * When ESC was the last that a pane was sent, for whoever sends to it next, also from another process: milliseconds of the
 * clock, or 0.
 */
const escapedAt = "#{?@paneway_escaped,#{@paneway_escaped},0}"

const noteEscape = (
  pane: string,
  time: number
): Command => ["set-option", "-p", "-t", pane, "@paneway_escaped", `${time}`]
const forgetEscape = (pane: string): Command => ["set-option", "-p", "-u", "-t", pane, "@paneway_escaped"]

/** Nothing was written, since ESC was the last that the pane was sent. */
interface Escaped {
  readonly _tag: "Escaped"
  readonly at: number
}

/** What is written into a pane at once. */
interface Writes {
  readonly pane: PaneHandle
  readonly steps: ReadonlyArray<Send.Step>
  readonly commands: ReadonlyArray<Command>
  /** What has to be there before. */
  readonly load: ReadonlyArray<Command>
  readonly wanted: ReadonlyArray<Sign>
  readonly rows: boolean
  readonly waited: boolean
}

const ok = "OK "
const no = "NO "

/** Of text that was taken, and of keys. */
const bytesOf = (steps: ReadonlyArray<Send.Step>): number =>
  steps.reduce((bytes, step) => bytes + (step._tag === "Press" ? 1 : byteLength(step.text)), 0)

const press: Send.Step = { _tag: "Press", key: Keys.enter }

/** Milliseconds between a prompt and its submit key: agents take one that comes with a text for a part of it. */
const beforeSubmit = 150

/** Milliseconds that all pauses of one send take at most. */
const longestPauses = 3500

/** What is written at once, and how many milliseconds nothing is written before it. */
interface Part {
  readonly steps: ReadonlyArray<Send.Step>
  readonly after: "begin" | "prompt" | "escape"
  readonly pause: number
}

/** Cut after a prompt, whose submit key comes later, and after ESC. */
const partsOf = (steps: ReadonlyArray<Send.Step>): ReadonlyArray<Part> => {
  const parts: Array<{ readonly steps: Array<Send.Step>; readonly after: Part["after"] }> = [{
    steps: [],
    after: "begin"
  }]
  for (const step of steps) {
    const last = parts.at(-1)?.steps
    if (Escapes.isEscape(last?.at(-1))) parts.push({ steps: [step], after: "escape" })
    else last?.push(step)
    if (step._tag === "Prompt") parts.push({ steps: [press], after: "prompt" })
  }
  const escapes = parts.filter(({ after }) => after === "escape").length
  const pauses = { begin: 0, prompt: beforeSubmit, escape: Math.min(Escapes.gap, longestPauses / Math.max(1, escapes)) }
  return parts.map(({ after, steps }) => ({ after, steps, pause: pauses[after] }))
}

/** Bytes of a line that a terminal keeps while it edits it. */
const longestLine = 4095

const hasLongLine = (steps: ReadonlyArray<Send.Step>) =>
  steps.some((step) => step._tag !== "Press" && hasLineOver(step.text, longestLine))

const isLines = (step: Send.Step) => step._tag === "Type" && step.text.includes("\n")

/** `guessed`: it did, by the name of the program. `left`: somebody else did, and the pane is in that mode still. */
type Asks = "yes" | "no" | "guessed" | "left"

/** Line editors and agents that ask for it as long as they read a line. */
const asking = new Set(["bash", "zsh", "fish", "claude", "codex", "gemini", "opencode", "amp", "aider", "cursor-agent"])

export const make = (transport: Transport, heard: Heard, counting: Counting) => {
  /** As newer servers say it, as its output was heard to say it, or as programs of its name do. */
  const asksForPaste = Effect.fnUntraced(function*(pane: PaneHandle): Effect.fn.Return<Asks, TargetError> {
    const [said = ""] = yield* change(transport, "send", pane, [
      print("#{pane_id}:#{pane_pid}:#{bracket_paste_flag}:#{pane_current_command}", pane.id)
    ])
    const [id, pid, flag, program = ""] = said.split(":")
    if (id !== pane.id) return yield* absent(pane)
    if (heard.leftMarks(pane.id) || heard.readsNoMarks(Number(pid))) return "left"
    if (flag === "0" || flag === "1") return flag === "1" ? "yes" : "no"
    const marks = heard.marksPastes(pane.id)
    if (marks !== undefined) return marks ? "yes" : "no"
    return asking.has(program.replace(/^-/, "")) ? "guessed" : "no"
  })

  const failed = (written: Contract.WriteFailed["written"], cause: unknown, before: Place | undefined) =>
    new Contract.WriteFailed({
      stage: "send-keys",
      written,
      cause,
      ...(before === undefined ? {} : { before })
    })

  /** Writes nothing where one of the signs is there. `waited`: ESC was the last that the pane was sent, and long ago. */
  const guarded = (
    pane: PaneHandle,
    steps: ReadonlyArray<Send.Step>,
    wanted: ReadonlyArray<Sign>,
    { marks = true, rows = false, waited = false }: {
      readonly rows?: boolean
      readonly marks?: boolean
      readonly waited?: boolean
    } = {}
  ): Effect.Effect<Delivered, Contract.WriteFailed | TargetError> => {
    const buffers = Buffers.none()
    const focuses = heard.wantsFocus(pane.id)
    if (focuses) heard.toldFocus(pane.id)
    const commands = [
      ...(focuses ? [focused(pane.id)] : []),
      ...steps.flatMap((step) => stepCommands(pane.id, step, marks, buffers))
    ]
    const attempt = (load: ReadonlyArray<Command>) => patient({ pane, steps, commands, load, wanted, rows, waited })
    if (buffers.names.length === 0) return attempt([])
    const clean = Effect.forEach(
      Buffers.removal(buffers),
      (command) => Effect.ignore(transport.run(command, pane.incarnation)),
      { discard: true }
    )
    return Buffers.loading(buffers, attempt).pipe(
      Effect.catchTag("NoFile", ({ cause }) => Effect.fail(failed("nothing", cause, undefined))),
      Effect.onExit((exit) => {
        // of a short text nothing was put where it was refused
        const isClean = Exit.isSuccess(exit) && (exit.value._tag === "Written" || buffers.long.length === 0)
        return isClean ? Effect.void : clean
      })
    )
  }

  /** Not before a program takes ESC, which the pane was sent last, for a key of its own. */
  const patient = Effect.fnUntraced(
    function*(writes: Writes): Effect.fn.Return<Delivered, Contract.WriteFailed | TargetError> {
      const done = yield* writing(writes)
      if (done._tag !== "Escaped") return done
      const rest = done.at + Escapes.gap - (yield* Clock.currentTimeMillis)
      // another clock or another program may have noted any time
      if (rest > 0 && rest <= Escapes.gap) yield* Effect.sleep(rest)
      const then = yield* writing({ ...writes, waited: true })
      return then._tag === "Escaped" ? yield* failed("nothing", "the pane was sent ESC meanwhile", undefined) : then
    }
  )

  /** Long texts are loaded before all else: others may be served meanwhile, and nobody between the check and the keys. */
  const writing = Effect.fnUntraced(
    function*(
      { commands, load, pane, rows, steps, waited, wanted }: Writes
    ): Effect.fn.Return<Delivered | Escaped, Contract.WriteFailed | TargetError> {
      const { id } = pane
      // pasting into a dead pane ends older servers
      const pastes = commands.some(([name]) => name === "paste-buffer")
      const checked = pastes && !wanted.includes("dead") ? [...wanted, "dead" as const] : wanted
      const fields = [...checked.map((sign) => signs[sign]), ...(waited ? [] : [escapedAt])]
      const seen = ["#{pane_id}", ...fields].join(" ")
      const expected = [id, ...fields.map(() => "0")].join(" ")
      const capture: ReadonlyArray<Command> = rows ? [["capture-pane", "-p", "-J", "-t", id]] : []
      const noted = Escapes.isEscape(steps.at(-1)) ? [noteEscape(id, yield* Clock.currentTimeMillis)] : []
      const { failure, outputs } = yield* Effect.catchTag(
        onTarget(transport, pane, [
          ...load,
          ...capture,
          ["if-shell", "-F", "-t", id, `#{==:${seen},${expected}}`, {
            run: [print(`${ok}${Places.format}`, id), ...(waited ? [forgetEscape(id)] : []), ...commands, ...noted]
          }, { run: [print(`${no}${seen}`, id)] }]
        ]),
        "NoAnswer",
        (error): Effect.Effect<never, Contract.WriteFailed | TargetError> =>
          Effect.fail(error.sent ? failed("indeterminate", unavailable(error), undefined) : unavailable(error))
      )
      const said = (outputs.at(-1) ?? "").split("\n")[0] ?? ""
      if (said.startsWith(ok)) {
        const place = Places.read(said.slice(ok.length))
        const at = place === undefined ? undefined : counting.positionOf(id, place)
        const tail = rows ? (outputs[load.length] ?? "").split("\n").map((row) => row.trimEnd()) : undefined
        const before: Place = { ...(at === undefined ? {} : { at }), ...(tail === undefined ? {} : { tail }) }
        if (failure !== undefined) {
          return yield* failed(commands.length > 1 ? "indeterminate" : "nothing", failure, before)
        }
        return { _tag: "Written", before, bytes: bytesOf(steps) }
      }
      const [found, ...values] = said.startsWith(no) ? said.slice(no.length).split(" ") : []
      if (found === id) {
        const [first, ...more] = checked.filter((_, at) => values[at] !== "0")
        if (first !== undefined) return { _tag: "Refused", obstacles: [first, ...more] }
        if (!waited) return { _tag: "Escaped", at: Number(values[checked.length]) }
      }
      if (failure === undefined || isAbsence(failure)) return yield* absent(pane)
      return yield* failed("nothing", failure, undefined)
    }
  )

  /** What comes after the first part: the text may be there already, so nothing that goes wrong means that nothing was. */
  const follow = Effect.fnUntraced(
    function*(
      pane: PaneHandle,
      { before }: Extract<Delivered, { readonly _tag: "Written" }>,
      { after, pause, steps }: Part,
      wanted: ReadonlyArray<Sign>,
      marks: boolean
    ): Effect.fn.Return<void, Contract.WriteFailed> {
      yield* Effect.sleep(pause)
      const stage = after === "prompt" ? "submit" : "send-keys"
      const inDoubt = (cause: unknown) => new Contract.WriteFailed({ stage, written: "indeterminate", before, cause })
      const done = yield* Effect.mapError(guarded(pane, steps, wanted, { marks, waited: after === "escape" }), inDoubt)
      if (done._tag === "Refused") return yield* inDoubt(`refused: ${done.obstacles.join(", ")}`)
    }
  )

  /** Who reads several lines at once has to ask for it; who did not ask would take each of them for a command. */
  const deliver = Effect.fnUntraced(
    function*(
      pane: PaneHandle,
      { rows, steps, unless }: Delivery
    ): Effect.fn.Return<Delivered, Contract.WriteFailed | TargetError> {
      const asks = steps.some(isLines) || hasLongLine(steps) ? yield* asksForPaste(pane) : "yes"
      const isAsked = asks === "yes" || asks === "guessed"
      if (!isAsked && steps.some(isLines) && unless.includes("no-bracketed-paste")) {
        return { _tag: "Refused", obstacles: ["no-bracketed-paste"] }
      }
      const wanted = unless.filter(isSign)
      const marks = asks !== "left"
      const [first, ...more] = partsOf(steps)
      const done = yield* guarded(pane, first?.steps ?? [], wanted, {
        marks,
        rows: rows || !counting.willCount(pane.id)
      })
      if (done._tag === "Refused") return done
      for (const part of more) yield* follow(pane, done, part, wanted, marks)
      const warnings = [
        ...(asks === "guessed" ? ["paste-mode-unknown" as const] : []),
        ...(asks !== "yes" && hasLongLine(steps) ? ["line-may-be-truncated" as const] : [])
      ]
      return { ...done, bytes: bytesOf(steps), warnings }
    }
  )

  const write = Effect.fnUntraced(function*(pane: PaneHandle, step: Send.Step) {
    const done = yield* guarded(pane, [step], ["dead", "in-mode", "input-off"])
    if (done._tag === "Refused") {
      return yield* failed("nothing", `the pane does not take keys: ${done.obstacles.join(", ")}`, undefined)
    }
  })

  return { deliver, write }
}
