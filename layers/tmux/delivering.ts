/**
 * From the steps of a send to a pane. Checks, place, text and keys are one group of commands, so that nothing changes
 * between the check and the last key, and nobody else types in between.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { Delivered, Delivery, Obstacle, Place, TargetError } from "../../src/Contract.ts"
import * as Contract from "../../src/Contract.ts"
import { byteLength, hasLineOver } from "../../src/internal/bytes.ts"
import * as Keys from "../../src/Keys.ts"
import type * as Send from "../../src/Send.ts"
import type { PaneHandle } from "../../src/Target.ts"
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

const stepCommands = (pane: string, step: Send.Step, buffers: Buffers.Buffers): ReadonlyArray<Command> => {
  if (step._tag === "Press") return keyCommand(pane, step.key)
  if (step._tag === "Type") return textCommands(pane, step.text, step.paste, buffers)
  return textCommands(pane, step.text, true, buffers)
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

const ok = "OK "
const no = "NO "

/** Of text that was taken, and of keys. */
const bytesOf = (steps: ReadonlyArray<Send.Step>): number =>
  steps.reduce((bytes, step) => bytes + (step._tag === "Press" ? 1 : byteLength(step.text)), 0)

const press: Send.Step = { _tag: "Press", key: Keys.enter }

const beforeSubmit = "150 millis"

/** Bytes of a line that a terminal keeps while it edits it. */
const longestLine = 4095

const hasLongLine = (steps: ReadonlyArray<Send.Step>) =>
  steps.some((step) => step._tag !== "Press" && hasLineOver(step.text, longestLine))

const isLines = (step: Send.Step) => step._tag === "Type" && step.text.includes("\n")

/** `guessed`: it did, by the name of the program. */
type Asks = "yes" | "no" | "guessed"

/** Line editors and agents that ask for it as long as they read a line. */
const asking = new Set(["bash", "zsh", "fish", "claude", "codex", "gemini", "opencode", "amp", "aider", "cursor-agent"])

export const make = (transport: Transport, heard: Heard, counting: Counting) => {
  /** As newer servers say it, as its output was heard to say it, or as programs of its name do. */
  const asksForPaste = Effect.fnUntraced(function*(pane: PaneHandle): Effect.fn.Return<Asks, TargetError> {
    const [said = ""] = yield* change(transport, "send", pane, [
      print("#{pane_id}:#{bracket_paste_flag}:#{pane_current_command}", pane.id)
    ])
    const [id, flag, program = ""] = said.split(":")
    if (id !== pane.id) return yield* absent(pane)
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

  /** Writes nothing where one of the signs is there. */
  const guarded = (
    pane: PaneHandle,
    steps: ReadonlyArray<Send.Step>,
    wanted: ReadonlyArray<Sign>,
    rows: boolean
  ): Effect.Effect<Delivered, Contract.WriteFailed | TargetError> => {
    const buffers = Buffers.none()
    const commands = steps.flatMap((step) => stepCommands(pane.id, step, buffers))
    if (buffers.names.length === 0) return writing(pane, steps, commands, [], wanted, rows)
    const clean = Effect.forEach(
      Buffers.removal(buffers),
      (command) => Effect.ignore(transport.run(command, pane.incarnation)),
      { discard: true }
    )
    return Buffers.loading(buffers, (load) => writing(pane, steps, commands, load, wanted, rows)).pipe(
      Effect.catchTag("NoFile", ({ cause }) => Effect.fail(failed("nothing", cause, undefined))),
      Effect.onExit((exit) => {
        // of a short text nothing was put where it was refused
        const isClean = Exit.isSuccess(exit) && (exit.value._tag === "Written" || buffers.long.length === 0)
        return isClean ? Effect.void : clean
      })
    )
  }

  /** Long texts are loaded before all else: others may be served meanwhile, and nobody between the check and the keys. */
  const writing = Effect.fnUntraced(
    function*(
      pane: PaneHandle,
      steps: ReadonlyArray<Send.Step>,
      commands: ReadonlyArray<Command>,
      load: ReadonlyArray<Command>,
      wanted: ReadonlyArray<Sign>,
      rows: boolean
    ): Effect.fn.Return<Delivered, Contract.WriteFailed | TargetError> {
      const { id } = pane
      // pasting into a dead pane ends older servers
      const pastes = commands.some(([name]) => name === "paste-buffer")
      const checked = pastes && !wanted.includes("dead") ? [...wanted, "dead" as const] : wanted
      const seen = ["#{pane_id}", ...checked.map((sign) => signs[sign])].join(" ")
      const expected = [id, ...checked.map(() => "0")].join(" ")
      const capture: ReadonlyArray<Command> = rows ? [["capture-pane", "-p", "-J", "-t", id]] : []
      const { failure, outputs } = yield* Effect.catchTag(
        onTarget(transport, pane, [
          ...load,
          ...capture,
          ["if-shell", "-F", "-t", id, `#{==:${seen},${expected}}`, {
            run: [print(`${ok}${Places.format}`, id), ...commands]
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
      }
      if (failure === undefined || isAbsence(failure)) return yield* absent(pane)
      return yield* failed("nothing", failure, undefined)
    }
  )

  /** Agents take a submit key that comes with a paste for a part of it: it is pressed a moment later. */
  const submit = Effect.fnUntraced(
    function*(
      pane: PaneHandle,
      written: Extract<Delivered, { readonly _tag: "Written" }>,
      more: ReadonlyArray<Send.Step>,
      wanted: ReadonlyArray<Sign>
    ): Effect.fn.Return<Delivered, Contract.WriteFailed> {
      yield* Effect.sleep(beforeSubmit)
      const inDoubt = (cause: unknown) =>
        new Contract.WriteFailed({ stage: "submit", written: "indeterminate", before: written.before, cause })
      const done = yield* Effect.mapError(guarded(pane, [press, ...more], wanted, false), inDoubt)
      return done._tag === "Written" ? written : yield* inDoubt(`refused: ${done.obstacles.join(", ")}`)
    }
  )

  /** Who reads several lines at once has to ask for it; who did not ask would take each of them for a command. */
  const deliver = Effect.fnUntraced(
    function*(
      pane: PaneHandle,
      { rows, steps, unless }: Delivery
    ): Effect.fn.Return<Delivered, Contract.WriteFailed | TargetError> {
      const asks = steps.some(isLines) || hasLongLine(steps) ? yield* asksForPaste(pane) : "yes"
      if (asks === "no" && steps.some(isLines) && unless.includes("no-bracketed-paste")) {
        return { _tag: "Refused", obstacles: ["no-bracketed-paste"] }
      }
      const wanted = unless.filter(isSign)
      const prompt = steps.findIndex(({ _tag }) => _tag === "Prompt")
      const first = prompt === -1 ? steps : steps.slice(0, prompt + 1)
      const done = yield* guarded(pane, first, wanted, rows || !counting.willCount(pane.id))
      if (done._tag === "Refused") return done
      const typed = prompt === -1 ? done : yield* submit(pane, done, steps.slice(prompt + 1), wanted)
      if (typed._tag === "Refused") return typed
      const warnings = [
        ...(asks === "guessed" ? ["paste-mode-unknown" as const] : []),
        ...(asks !== "yes" && hasLongLine(steps) ? ["line-may-be-truncated" as const] : [])
      ]
      return { ...typed, bytes: bytesOf(steps), warnings }
    }
  )

  const write = Effect.fnUntraced(function*(pane: PaneHandle, step: Send.Step) {
    const done = yield* guarded(pane, [step], ["dead", "in-mode", "input-off"], false)
    if (done._tag === "Refused") {
      return yield* failed("nothing", `the pane does not take keys: ${done.obstacles.join(", ")}`, undefined)
    }
  })

  return { deliver, write }
}
