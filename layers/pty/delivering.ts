/** From the steps of a send to bytes in a pane's terminal. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Delivered, Delivery, Place } from "../../src/Contract.ts"
import * as Contract from "../../src/Contract.ts"
import { hasLineOver } from "../../src/internal/bytes.ts"
import * as Keys from "../../src/Keys.ts"
import type * as Send from "../../src/Send.ts"
import type * as Target from "../../src/Target.ts"
import * as Escapes from "../internal/escapes.ts"
import { isCanonical } from "./lineMode.ts"
import type { HeldPane, Panes } from "./panes.ts"
import type { PtyProcess } from "./process.ts"

/** What is written at once. */
type Stroke = Exclude<Send.Step, { readonly _tag: "Prompt" }>

const encode = ({ marksPastes, screen }: PtyProcess, step: Stroke): string => {
  if (step._tag === "Press") {
    return Keys.encode(step.key, {
      applicationCursorKeys: screen.applicationCursorKeys(),
      applicationKeypad: screen.applicationKeypad(),
      disambiguate: (screen.keyboardFlags() & 1) === 1
    })
  }
  return step.paste && marksPastes() ? `\x1b[200~${step.text}\x1b[201~` : step.text
}

/** Milliseconds between a prompt and its submit key: agents take one that comes with a text for a part of it. */
const beforeSubmit = 150

const submit: Stroke = { _tag: "Press", key: Keys.enter }

const strokes = (step: Send.Step): ReadonlyArray<Stroke> =>
  step._tag === "Prompt" ? [{ _tag: "Type", text: step.text, paste: true }, submit] : [step]

const isBareEscape = (bytes: Uint8Array): boolean => bytes.length === 1 && bytes[0] === 0x1b

/** What is pressed to stop a program, as Ctrl-C, is not held back until that is done. */
const stops = (step: Send.Step): boolean => step._tag === "Press" && step.key.ctrl

/** Ctrl-C, Ctrl-Z and Ctrl-\\: the terminal sends a signal, which a program takes whenever it comes to it. */
const isSignal = (bytes: Uint8Array): boolean =>
  bytes.length === 1 && (bytes[0] === 0x03 || bytes[0] === 0x1a || bytes[0] === 0x1c)

/**
 * Milliseconds that the answer to a signal may take, and without output after which it is whole. What comes earlier a
 * shell adds to the line that it was to drop, or drops with it. A line editor tells when it prompts again.
 */
const answering = { longest: 600, quiet: 120 }

/** Bytes of a line that a terminal keeps while it edits it. */
const longestLine = process.platform === "darwin" ? 1023 : 4095

/** Whether the terminal edits the line and drops what is too long for it. A program that marks pastes edits it itself. */
const mayBeCut = ({ dead, marksPastes, tty }: PtyProcess, steps: Delivery["steps"]): Effect.Effect<boolean> =>
  marksPastes() || dead() || !steps.some((step) => step._tag !== "Press" && hasLineOver(step.text, longestLine))
    ? Effect.succeed(false)
    : Effect.map(isCanonical(tty), (canonical) => canonical !== false)

/** Milliseconds that a shell has to come to its prompt, at most. */
const longestStart = 4000

/** What is waited for after a signal. */
interface Answer {
  readonly sent: number
  /** What the program had asked for then; undefined: it is no line editor. */
  readonly prompts: number | undefined
  printed: number | undefined
  wake: () => void
  readonly end: () => void
}

/** `stall`: milliseconds without progress after which a write is cut. All waiting of a send fits into it. */
export const make = (panes: Panes, stall: number) => {
  /** Panes whose program has not read what was sent last: a text was cut there. */
  const clogged = new WeakSet<HeldPane>()
  /** When a bare ESC was the last that a pane was sent. */
  const escaped = new WeakMap<HeldPane, number>()

  const afterEscape = Effect.fnUntraced(function*(pane: HeldPane, gap: number) {
    const since = escaped.get(pane)
    if (since === undefined) return
    escaped.delete(pane)
    const rest = since + gap - (yield* Clock.currentTimeMillis)
    if (rest > 0) yield* Effect.sleep(rest)
  })

  /** Panes that were sent a signal: when that was, and when they printed last since. */
  const interrupted = new WeakMap<HeldPane, Answer>()

  const expectAnswer = (pane: HeldPane, clock: Clock.Clock) => {
    interrupted.get(pane)?.end()
    const { marksPastes, prompts, screen: { wakes } } = pane.process
    const printed = () => {
      answer.printed = clock.currentTimeMillisUnsafe()
      answer.wake()
    }
    const answer: Answer = {
      sent: clock.currentTimeMillisUnsafe(),
      prompts: marksPastes() ? prompts() : undefined,
      printed: undefined,
      wake: () => {},
      end: () => {
        wakes.delete(printed)
        interrupted.delete(pane)
      }
    }
    wakes.add(printed)
    interrupted.set(pane, answer)
  }

  const restOf = ({ printed, prompts, sent }: Answer, { dead, prompts: now }: PtyProcess, time: number): number => {
    if (dead() || (prompts !== undefined && now() > prompts)) return 0
    const quiet = prompts !== undefined || printed === undefined ? Infinity : printed + answering.quiet - time
    return Math.min(quiet, sent + answering.longest - time)
  }

  const afterSignal = Effect.fnUntraced(function*(pane: HeldPane) {
    const answer = interrupted.get(pane)
    if (answer === undefined) return
    const printed = Effect.callback<void>((resume) => {
      answer.wake = () => resume(Effect.void)
    })
    for (;;) {
      const rest = restOf(answer, pane.process, yield* Clock.currentTimeMillis)
      if (rest <= 0) break
      yield* Effect.timeoutOrElse(printed, { duration: rest, orElse: () => Effect.void })
    }
    answer.end()
  })

  const put = Effect.fnUntraced(function*(
    pane: HeldPane,
    step: Stroke,
    { already, before, first, gap, patience }: {
      readonly before: Place
      readonly already: number
      readonly patience: number
      readonly first: number
      readonly gap: number
    }
  ) {
    if (escaped.has(pane)) yield* afterEscape(pane, gap)
    if (interrupted.has(pane) && !stops(step)) yield* afterSignal(pane)
    if (step === submit) yield* Effect.sleep(beforeSubmit)
    const { input } = pane.process
    pane.typed = true
    const bytes = Buffer.from(encode(pane.process, step), "utf8")
    if (isSignal(bytes)) expectAnswer(pane, yield* Clock.Clock)
    yield* Effect.mapError(input.write(bytes, patience, first), (cut) => {
      const written = already + cut.written
      if (written > 0) clogged.add(pane)
      return new Contract.WriteFailed({
        stage: step._tag === "Type" ? "send-keys" : "submit",
        written: written === 0 ? "nothing" : written,
        before,
        cause: cut.cause
      })
    })
    clogged.delete(pane)
    if (isBareEscape(bytes)) escaped.set(pane, yield* Clock.currentTimeMillis)
    return bytes.length
  })

  const obstacle = (pane: HeldPane, { steps, unless }: Delivery): "dead" | "no-bracketed-paste" | undefined => {
    if (unless.includes("dead") && pane.process.dead()) return "dead"
    const newline = steps.some((step) => step._tag !== "Press" && step.text.includes("\n"))
    return newline && unless.includes("no-bracketed-paste") && !pane.process.marksPastes()
      ? "no-bracketed-paste"
      : undefined
  }

  const deliver = Effect.fnUntraced(function*(handle: Target.PaneHandle, delivery: Delivery) {
    const pane = yield* panes.need(handle)
    const { dead, prompted, screen } = pane.process
    const begin = yield* Clock.currentTimeMillis
    const ready = delivery.steps.every(stops) || (yield* prompted(Math.min(longestStart, stall * 0.8)))
    yield* screen.flush
    const refused = obstacle(pane, delivery)
    if (refused !== undefined) return { _tag: "Refused", obstacles: [refused] } satisfies Delivered
    const seen = screen.read("visible")
    const before: Place = { at: seen.cursor, ...(delivery.rows ? { tail: seen.rows } : {}) }
    const draining = clogged.has(pane) && delivery.unless.includes("draining")
    const warnings: ReadonlyArray<Send.Warning> = [
      ...(ready ? [] : ["before-prompt" as const]),
      ...((yield* mayBeCut(pane.process, delivery.steps)) ? ["line-may-be-truncated" as const] : [])
    ]
    const patience = stall - ((yield* Clock.currentTimeMillis) - begin)
    const escapes = delivery.steps.filter(Escapes.isEscape).length + (escaped.has(pane) ? 1 : 0)
    const gap = Math.min(Escapes.gap, (patience + 500) / Math.max(1, escapes))
    const typed = Effect.gen(function*() {
      let bytes = 0
      for (const step of delivery.steps.flatMap(strokes)) {
        const first = draining && bytes === 0 ? 0 : patience
        bytes += yield* put(pane, step, { before, already: bytes, patience, first, gap })
      }
      return { _tag: "Written", before, bytes, warnings } satisfies Delivered
    })
    return yield* Effect.catchIf(
      typed,
      ({ written }) => written === "nothing" && (dead() || draining),
      () =>
        Effect.succeed(
          { _tag: "Refused", obstacles: [dead() ? "dead" : "draining"] } satisfies Delivered
        )
    )
  })

  const write = Effect.fnUntraced(function*(handle: Target.PaneHandle, step: Send.Step) {
    const pane = yield* panes.need(handle)
    let already = 0
    for (const stroke of strokes(step)) {
      already += yield* put(pane, stroke, { before: {}, already, patience: stall, first: stall, gap: Escapes.gap })
    }
  })

  return { deliver, write }
}
