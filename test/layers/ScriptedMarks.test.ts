import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import * as Scripted from "../../layers/Scripted.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"

/** Each occurs once, unless a test says otherwise. */
const old = "OLDTOKEN"
const typed = "TYPEDWORD"
const late = "新しいTOKEN印"

const Step = Schema.Union([
  Schema.Struct({
    does: Schema.Literals(["prints", "prints on"]),
    words: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 20 }))
  }),
  Schema.Struct({ does: Schema.Literals(["clears", "clears its line", "leaves", "comes back"]) }),
  Schema.Struct({
    does: Schema.Literal("resizes"),
    columns: Schema.Int.check(Schema.isBetween({ minimum: 5, maximum: 40 })),
    rows: Schema.Int.check(Schema.isBetween({ minimum: 4, maximum: 12 }))
  })
])
type Step = typeof Step.Type

const steps = Arbitrary.array(Arbitrary.schema(Step), { maxLength: 6 })
const without = (...what: ReadonlyArray<Step["does"]>) =>
  Arbitrary.map(steps, (some) => some.filter(({ does }) => !what.includes(does)))
/** The alternate screen keeps nothing that has left it, so that half of what was typed there may be all that is left. */
const onNormal = without("leaves")

const setting = Arbitrary.schema(Schema.Struct({
  columns: Schema.Int.check(Schema.isBetween({ minimum: 5, maximum: 40 })),
  rows: Schema.Int.check(Schema.isBetween({ minimum: 6, maximum: 12 })),
  prompt: Schema.Literals(["", "$ ", "漢字> "]),
  line: Schema.Literals(["", "x ", "echo ", "sleep 1; echo ", "印刷する "])
}))
type Setting = (typeof setting) extends Arbitrary.Arbitrary<infer A> ? A : never

interface Played {
  readonly setting: Setting
  readonly marks: "exact" | "anchored"
  readonly before: ReadonlyArray<Step>
  readonly after: ReadonlyArray<Step>
  /** What the program prints when all has happened. */
  readonly prints: string
}

const words = ["word", "漢字", "e\u0301", "😀", "two words", "x"]
const codes = {
  clears: "\u001b[H\u001b[2J\u001b[3J",
  "clears its line": "\r\u001b[K",
  leaves: "\u001b[?1049h",
  "comes back": "\u001b[?1049l"
}

/** What waits for a word find that begin at the mark, and such that begin when all is printed. */
const play = ({ after, before, marks, prints, setting: { columns, line, prompt, rows } }: Played, word: string) =>
  Effect.gen(function*() {
    const runtime = yield* TerminalRuntime
    const script = yield* Scripted.Script
    const { handle: pane } = yield* runtime.spawn({})
    let count = 0
    let away = false
    // no two lines are the same
    const text = (length: number) => Array.from({ length }, () => `${words[count++ % words.length]}${count}`).join(" ")
    const act = Effect.fnUntraced(function*(step: Step) {
      if (step.does === "resizes") yield* runtime.resize(pane, step)
      else if (step.does === "prints") yield* script.print(pane, `${text(step.words)}\n`)
      else if (step.does === "prints on") yield* script.print(pane, text(step.words))
      // who is not away would go to the top of the screen, and print over what was typed
      else if (step.does !== "comes back" || away) yield* script.feed(pane, codes[step.does])
      if (step.does === "leaves" || step.does === "comes back") away = step.does === "leaves"
      yield* TestClock.adjust("1 second")
    })
    yield* script.print(pane, `${text(2)}\n${old}\n${text(1)}\n`)
    yield* Effect.forEach(before, act)
    yield* script.print(pane, `\n${text(2)}\n${prompt}`)
    const { mark } = yield* runtime.sendCommand(pane, `${line}${typed}`)
    const look = (timeout: "1 minute" | "0 seconds") =>
      Effect.option(runtime.waitOutput(pane, { pattern: word, after: mark, timeout }))
    const waiting = yield* Effect.forkChild(look("1 minute"), { startImmediately: true })
    yield* TestClock.adjust("1 second")
    yield* Effect.forEach(after, act)
    yield* script.print(pane, `\n${prints}\n`)
    yield* TestClock.adjust("1 second")
    const found = yield* look("0 seconds")
    yield* TestClock.adjust("2 minutes")
    return [yield* Fiber.join(waiting), found]
  }).pipe(
    Effect.provide(Scripted.layer({ marks, size: { columns, rows }, program: Scripted.lines({ name: "reader" }) }))
  )

describe.each(["exact", "anchored"] as const)("a wait after a mark that is %s", (marks) => {
  it.effect.prop(
    "finds what is printed later, wherever it wraps",
    { setting, before: steps, after: steps },
    (given) =>
      Effect.map(play({ ...given, marks, prints: late }, late), (found) => {
        assert.deepStrictEqual(found.map(Option.isSome), [true, true])
      }),
    { arbitrary: { runs: 100, seed: "marks" } }
  )

  it.effect.prop(
    "finds nothing that was printed before, unless the mark is lost",
    { setting, before: onNormal, after: steps },
    (given) =>
      Effect.map(play({ ...given, marks, prints: late }, old), (found) => {
        assert.isTrue(found.every((one) => Option.isNone(one) || one.value.markLost))
      }),
    { arbitrary: { runs: 100, seed: "marks" } }
  )

  it.effect.prop(
    "finds nothing that was typed",
    { setting, before: onNormal, after: steps },
    (given) =>
      Effect.map(play({ ...given, marks, prints: late }, typed), (found) => {
        assert.deepStrictEqual(found.map(Option.map(({ line }) => line)), [Option.none(), Option.none()])
      }),
    { arbitrary: { runs: 100, seed: "marks" } }
  )

  it.effect.prop(
    "finds what was typed where the program prints it",
    { setting, before: onNormal, after: without("leaves", "clears") },
    (given) =>
      Effect.map(play({ ...given, marks, prints: `${given.setting.line}${typed}` }, typed), (found) => {
        assert.deepStrictEqual(found.map(Option.isSome), [true, true])
      }),
    { arbitrary: { runs: 100, seed: "marks" } }
  )
})

const repeated = Arbitrary.array(Arbitrary.schema(Schema.Literals(["$", "y", "ok"])), { maxLength: 30 })

/** Lines that read the same stand before the mark and after it, and one of each that occurs once. */
const among = ({ after, before, sent, since }: {
  readonly before: ReadonlyArray<string>
  readonly since: ReadonlyArray<string>
  readonly after: ReadonlyArray<string>
  /** The mark is that of something sent; otherwise that of a look. */
  readonly sent: boolean
}) =>
  Effect.gen(function*() {
    const runtime = yield* TerminalRuntime
    const script = yield* Scripted.Script
    const { handle: pane } = yield* runtime.spawn({})
    const print = (...lines: ReadonlyArray<string>) => script.print(pane, lines.map((line) => `${line}\n`).join(""))
    yield* print(...before, old, ...since)
    yield* script.print(pane, "$ ")
    const { mark } = sent ? yield* runtime.sendCommand(pane, typed) : yield* runtime.capture(pane)
    yield* print(late, ...after)
    const look = (pattern: string) =>
      Effect.option(runtime.waitOutput(pane, { pattern, after: mark, timeout: "0 seconds" }))
    return { later: yield* look(late), earlier: yield* look(old), echo: yield* look(typed) }
  }).pipe(
    Effect.provide(
      Scripted.layer({
        marks: "anchored",
        size: { columns: 20, rows: 8 },
        program: Scripted.lines({ name: "reader" })
      })
    )
  )

describe("a wait after an anchored mark among lines that read the same", () => {
  it.effect.prop(
    "misses nothing that is printed later, and finds nothing older unless it says that the mark is lost",
    { before: repeated, since: repeated, after: repeated, sent: Arbitrary.schema(Schema.Boolean) },
    (given) =>
      Effect.map(among(given), ({ earlier, echo, later }) => {
        assert.isTrue(Option.isSome(later))
        assert.isTrue(Option.isNone(earlier) || earlier.value.markLost)
        assert.isTrue(Option.isNone(echo))
      }),
    { arbitrary: { runs: 500, seed: "repeated" } }
  )

  it.effect("is found by what stands further up where its last lines stand there several times", () =>
    Effect.gen(function*() {
      const ys = Array.from({ length: 7 }, () => "y")
      for (const sent of [true, false]) {
        const { earlier, later } = yield* among({
          before: ["a", ...ys, "$"],
          since: ["b", ...ys],
          after: ["c", ...ys, "$"],
          sent
        })

        assert.deepStrictEqual(Option.map(later, ({ markLost }) => markLost), Option.some(false))
        assert.isTrue(Option.isNone(earlier))
      }
    }))

  it.effect("is at the prompt of the mark where nothing but prompts are shown", () =>
    Effect.gen(function*() {
      for (const sent of [true, false]) {
        const prompts = Array.from({ length: 20 }, () => "$")
        const { earlier, later } = yield* among({ before: [], since: prompts, after: prompts, sent })

        assert.deepStrictEqual(Option.map(later, ({ line }) => line.endsWith(late)), Option.some(true))
        assert.isTrue(Option.isNone(earlier))
      }
    }))

  it.effect("tells whole screens that read the same apart by what is typed at their ends, and else says that it cannot", () =>
    Effect.gen(function*() {
      const screen = Array.from({ length: 60 }, () => "y")
      const typed = yield* among({ before: screen, since: screen, after: [], sent: true })
      const seen = yield* among({ before: screen, since: screen, after: screen, sent: false })

      assert.deepStrictEqual(Option.map(typed.later, ({ markLost }) => markLost), Option.some(false))
      assert.deepStrictEqual(Option.map(seen.later, ({ markLost }) => markLost), Option.some(true))
    }))
})
