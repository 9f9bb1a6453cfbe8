/** From the steps of a send to keys in a scripted pane, with what can go wrong on the way. */
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Delivered, Delivery, Obstacle, Place } from "../../src/Contract.ts"
import * as Contract from "../../src/Contract.ts"
import * as Keys from "../../src/Keys.ts"
import type * as Send from "../../src/Send.ts"
import type * as Target from "../../src/Target.ts"
import { ModeLeft, Pressed, Prompted, Ran, Typed } from "./entries.ts"
import type { Faults } from "./faults.ts"
import { commandIn } from "./shellScript.ts"
import type { HeldPane, World } from "./world.ts"

export interface Options {
  readonly world: World
  readonly faults: Faults
  readonly exact: boolean
  readonly agents: boolean
  readonly pastes: boolean
  /** What the pane really is. */
  readonly profileOf: (pane: HeldPane) => Send.SendProfile
}

/** A step that was not written whole. `hangs`: the runtime waits for the pane before it says so. */
class Cut extends Data.TaggedError("Cut")<{
  readonly written: Contract.WriteFailed["written"]
  readonly hangs: boolean
  readonly cause: unknown
}> {}

const bytesOf = (text: string) => new TextEncoder().encode(text).length
const textOf = (step: Send.Step): string => step._tag === "Press" ? "" : step.text
const lengthOf = (step: Send.Step): number => step._tag === "Press" ? 1 : Array.from(step.text).length
const sizeOf = (step: Send.Step): number => step._tag === "Press" ? 1 : bytesOf(step.text)
const isSubmit = (step: Send.Step): boolean =>
  step._tag === "Prompt" || (step._tag === "Press" && Keys.submits(step.key))
const stageOf = (step: Send.Step): Send.Stage => step._tag === "Type" ? "send-keys" : "submit"

const entryOf = (target: Target.PaneHandle, step: Send.Step) => {
  if (step._tag === "Press") return new Pressed({ target, key: step.key.toString() })
  const { text } = step
  if (step._tag === "Prompt") return new Prompted({ target, text })
  const command = commandIn(text)
  return command === undefined ? new Typed({ target, text, paste: step.paste }) : new Ran({ target, command })
}

export const make = ({ agents, exact, faults, pastes, profileOf, world }: Options) => {
  const placeOf = ({ running }: HeldPane, rows: boolean): Place => {
    const seen = running.grid.read("visible")
    return {
      ...(exact ? { at: seen.cursor } : {}),
      ...(rows || !exact ? { tail: seen.rows } : {}),
      ...(agents ? { turn: running.agent().turn } : {})
    }
  }

  const encoded = ({ running: { grid } }: HeldPane, step: Send.Step, text = textOf(step)): string => {
    if (step._tag === "Press") {
      return Keys.encode(step.key, { applicationCursorKeys: grid.applicationCursorKeys() })
    }
    const paste = step._tag === "Prompt" || step.paste
    const typed = paste && pastes && grid.bracketedPaste() ? `\u001b[200~${text}\u001b[201~` : text
    return step._tag === "Prompt" ? `${typed}\r` : typed
  }

  /** Hands it to the program, in another order where that was asked for. */
  const arrive = (pane: HeldPane, keys: string) => {
    if (keys === "") return
    if (faults.find("Reorder", pane.handle) !== undefined) {
      faults.replace("Reorder", pane.handle)
      pane.late += keys
      return
    }
    const { late } = pane
    pane.late = ""
    pane.running.receive(keys)
    pane.running.receive(late)
  }

  /** What is left of a step when some of it was lost on the way. */
  const survives = (pane: HeldPane, step: Send.Step): string => {
    const lose = faults.find("Lose", pane.handle)
    if (lose === undefined) return encoded(pane, step)
    const { characters = 0, keys = 0 } = lose
    if (step._tag === "Press" ? keys === 0 : characters === 0) return encoded(pane, step)
    const lost = step._tag === "Press" ? 1 : Math.min(characters, lengthOf(step))
    const left = step._tag === "Press"
      ? { characters, keys: keys - 1 }
      : { characters: characters - lost, keys }
    faults.replace(
      "Lose",
      pane.handle,
      left.characters + left.keys > 0 ? { _tag: "Lose", ...left } : undefined
    )
    return step._tag === "Press" ? "" : encoded(pane, step, Array.from(step.text).slice(lost).join(""))
  }

  /** So much of a step as is still taken; the rest is cut. */
  const prefix = (pane: HeldPane, step: Send.Step, room: number): number => {
    const text = Array.from(textOf(step)).slice(0, room).join("")
    if (text === "") return 0
    world.log.push(new Typed({ target: pane.handle, text, paste: false }))
    arrive(pane, text)
    return bytesOf(text)
  }

  /** Whether the pane takes the step whole. It has room for so much, after which this happens. */
  const takes = Effect.fnUntraced(function*(pane: HeldPane, step: Send.Step) {
    const stall = faults.find("Stall", pane.handle)
    if (stall !== undefined && stall.after !== "submit") {
      const length = lengthOf(step)
      faults.replace("Stall", pane.handle, { _tag: "Stall", after: Math.max(0, stall.after - length) })
      if (length > stall.after) {
        const written = prefix(pane, step, stall.after)
        pane.clogged = true
        return yield* new Cut({ written, hangs: true, cause: "the pane takes no more" })
      }
    }
    const down = faults.find("Down")
    if (down?.after !== undefined) {
      const length = lengthOf(step)
      const cut = length > down.after
      const { after, ...rest } = down
      faults.replace("Down", undefined, cut ? rest : { ...down, after: after - length })
      if (cut) {
        const written = prefix(pane, step, after)
        world.loseWatchers()
        return yield* new Cut({ written, hangs: false, cause: world.down(down.reason) })
      }
    }
  })

  /** Writes one step. What it fails with was not written whole. */
  const put = Effect.fnUntraced(function*(pane: HeldPane, step: Send.Step) {
    const { handle, running } = pane
    if (running.exit() !== undefined) {
      return yield* new Cut({ written: "nothing", hangs: false, cause: "its program has ended" })
    }
    yield* takes(pane, step)
    world.log.push(entryOf(handle, step))
    const half = isSubmit(step) ? faults.find("HalfEnter", handle) : undefined
    if (half !== undefined) {
      faults.replace("HalfEnter", handle)
      if (half.arrives) arrive(pane, encoded(pane, step))
      return yield* new Cut({ written: "indeterminate", hangs: false, cause: "the answer broke off" })
    }
    if (isSubmit(step) && faults.find("Stall", handle)?.after === "submit") {
      return yield* new Cut({ written: "indeterminate", hangs: true, cause: "the pane does not begin with it" })
    }
    arrive(pane, survives(pane, step))
    if (faults.find("AnswerLost", handle) !== undefined) {
      faults.replace("AnswerLost", handle)
      return yield* new Cut({ written: "indeterminate", hangs: false, cause: world.down() })
    }
    return sizeOf(step)
  })

  const obstacles = (pane: HeldPane, { profile, steps, unless }: Delivery): ReadonlyArray<Obstacle> => {
    const { running, traits } = pane
    const newline = steps.some((step) => step._tag === "Type" && step.text.includes("\n"))
    const there: Readonly<Record<Obstacle, boolean>> = {
      "dead": running.exit() !== undefined,
      "input-off": traits.inputOff === true,
      "in-mode": traits.mode !== undefined,
      "synchronized": traits.synchronized === true,
      "no-bracketed-paste": newline && !(pastes && running.grid.bracketedPaste()),
      "draining": pane.clogged && faults.find("Stall", pane.handle) !== undefined,
      "other-profile": profileOf(pane) !== profile
    }
    return unless.filter((obstacle) => there[obstacle])
  }

  const failed = (
    step: Send.Step,
    { cause, written }: Cut,
    more: { readonly already?: number; readonly before?: Place } = {}
  ) => {
    const { already = 0, before } = more
    const total = typeof written === "number" ? already + written : written === "nothing" ? already : written
    return new Contract.WriteFailed({
      stage: stageOf(step),
      written: total === 0 ? "nothing" : total,
      cause,
      ...(before === undefined ? {} : { before })
    })
  }

  const deliver = Effect.fnUntraced(function*(handle: Target.PaneHandle, delivery: Delivery) {
    const pane = yield* world.need(handle)
    const [obstacle, ...more] = obstacles(pane, delivery)
    if (obstacle !== undefined) return { _tag: "Refused", obstacles: [obstacle, ...more] } satisfies Delivered
    const before = placeOf(pane, delivery.rows)
    const { turn } = pane.running.agent()
    let already = 0
    for (const step of delivery.steps) {
      already += yield* Effect.catch(
        put(pane, step),
        (cut) => Effect.andThen(hanging(cut, delivery.stall), Effect.fail(failed(step, cut, { already, before })))
      )
    }
    const begun = agents && pane.running.agent().turn > turn && delivery.steps.some(isSubmit)
    return {
      _tag: "Written",
      before,
      bytes: already,
      ...(begun ? { evidence: "agent-protocol" as const } : {})
    } satisfies Delivered
  })

  const write = Effect.fnUntraced(function*(handle: Target.PaneHandle, step: Send.Step) {
    const pane = yield* world.need(handle)
    yield* Effect.catch(put(pane, step), (cut) => cut.hangs ? Effect.never : Effect.fail(failed(step, cut)))
  })

  const leaveMode = Effect.fnUntraced(function*(handle: Target.PaneHandle) {
    const pane = yield* world.need(handle)
    world.log.push(new ModeLeft({ target: handle }))
    pane.traits = { ...pane.traits, mode: undefined }
    world.wake(pane)
  })

  return { deliver, write, leaveMode }
}

const hanging = ({ hangs }: Cut, stall: Duration.Duration) => hangs ? Effect.sleep(stall) : Effect.void
