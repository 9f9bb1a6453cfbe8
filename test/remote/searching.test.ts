import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { branching } from "../../src/remote/branching.ts"
import { make } from "../../src/remote/searching.ts"
import * as Threads from "../../src/remote/threads.ts"
import { type LineSearchService, type Searched, searchLines } from "../../src/waiting/searching.ts"

const long = "a".repeat(60)

/** More than a machine needs that has anything else to do. */
const patient = { first: 60_000, second: 60_000 }

const whole = (search: LineSearchService, pattern: RegExp, lines: ReadonlyArray<string>) => {
  const found = search(pattern, lines)
  return Effect.isEffect(found) ? found : Effect.succeed(found)
}

/** Each takes for ever, and none is another. */
const endless = (at: number) => new RegExp(`(a|a)*b${at}`)

/** What is found at last: a machine that is busy may give one up, and it is another expression the next time. */
const next = Effect.fnUntraced(function*(search: LineSearchService, source: string, lines: ReadonlyArray<string>) {
  for (let at = 0; at < 30; at++) {
    const searched = yield* whole(search, new RegExp(`${source}|(never)${at}`), lines)
    if (searched !== "unmatchable") return searched
  }
  return "unmatchable"
})

/** Threads that answer as told, and what they were asked. */
const scripted = (answer: (thread: "first" | "second", source: string) => Searched | "late") => {
  const asked: Array<string> = []
  const thread: typeof Threads.make = ({ together }) =>
    Effect.succeed({
      search: (client, { source }) =>
        Effect.sync(() => {
          const which = together ? "first" : "second"
          asked.push(`${which} ${client} ${source}`)
          return answer(which, source)
        })
    })
  return { asked, thread }
}

const found = { at: 0, text: "x", groups: [] }
const slow = "(s)(l)+(o)*w"
const other = "(o)(t)+(h)*er"
const never = "(n)(e)+(v)*er"

describe("the search for the lines of clients", () => {
  it.live.each(
    [
      /b/,
      /(b+)(c)?/,
      /^Tests .*passed/u,
      /(\w+) \1/,
      /nowhere(x|y)/,
      /(t)(w|x)+(o)|(y)?/gy
    ].map((pattern) => ({ pattern }))
  )("finds with $pattern what one without a limit does", ({ pattern }) =>
    Effect.gen(function*() {
      const lines = ["", "one two", "Tests 3 passed", "abb c", "two two"]
      const search = (yield* make({ most: patient }))(1)
      assert.deepStrictEqual(yield* whole(search, pattern, lines), searchLines(pattern, lines))
    }).pipe(Effect.scoped))

  it.live.each(
    [
      { pattern: /(a|a)*b/, lines: ["a", `${long}c`] },
      { pattern: /(a+)+b/u, lines: [`${long}c`] },
      { pattern: new RegExp(`^${"(a|a)".repeat(60)}b`), lines: [`${long}c`] },
      { pattern: /(a*)\1b/, lines: ["a".repeat(30_000)] },
      { pattern: /a+b/, lines: ["a".repeat(2_000_000)] }
    ]
  )(
    "gives $pattern up, which takes for ever, and finds the next thing",
    ({ lines, pattern }) =>
      Effect.gen(function*() {
        const search = (yield* make({ most: { first: 50, second: 500 } }))(1)
        assert.strictEqual(yield* whole(search, pattern, lines), "unmatchable")
        assert.strictEqual(search(pattern, lines), "unmatchable")
        assert.deepStrictEqual(yield* next(search, "c(.+)(.?)", ["abc", "abcde"]), {
          at: 1,
          text: "cde",
          groups: ["de", "", ""]
        })
      }).pipe(Effect.scoped)
  )

  it.live("for one that takes for ever holds up neither the process nor the others, however many of them there are", () =>
    Effect.gen(function*() {
      const searches = yield* make()
      const attack = searches(0)
      const attacked = { over: 0 }
      const attacking = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: 100 }, (_, at) => at),
          (at) =>
            Effect.tap(whole(attack, endless(at), [`${long}c`]), () => Effect.sync(() => void (attacked.over += 1))),
          { concurrency: "unbounded" }
        ),
        { startImmediately: true }
      )
      for (let client = 1; client <= 10; client++) {
        const result = yield* next(searches(client), "(\\w+) (\\d+)", [`one ${client}`])
        assert.deepInclude(result, { text: `one ${client}` })
      }
      // one after the other they take a hundred seconds
      assert.isBelow(attacked.over, 50)
      yield* Fiber.interrupt(attacking)
    }).pipe(Effect.scoped))

  it.effect("goes on in a second thread when the first is late, and finds what that does", () =>
    Effect.gen(function*() {
      const { asked, thread } = scripted((which) => which === "first" ? "late" : found)
      const searches = yield* make({ thread, now: () => 0 })

      assert.deepStrictEqual(yield* whole(searches(1), new RegExp(slow), ["x"]), found)
      assert.deepStrictEqual(asked, [`first 1 ${slow}`, `second 1 ${slow}`])
    }).pipe(Effect.scoped))

  it.effect("delays by what was late only its like and its client, and for a minute", () =>
    Effect.gen(function*() {
      const { asked, thread } = scripted((which, source) => which === "first" && source === slow ? "late" : found)
      const clock = { now: 0 }
      const searches = yield* make({ thread, now: () => clock.now })
      yield* whole(searches(1), new RegExp(slow), ["x"])
      const then = Effect.fnUntraced(function*(now: number) {
        clock.now = now
        asked.length = 0
        yield* whole(searches(1), new RegExp(other), ["x"])
        yield* whole(searches(2), new RegExp(slow), ["x"])
        yield* whole(searches(3), new RegExp(other), ["x"])
        return asked.join(", ")
      })

      assert.strictEqual(yield* then(59_999), `second 1 ${other}, second 2 ${slow}, first 3 ${other}`)
      assert.strictEqual(
        yield* then(60_000),
        `first 1 ${other}, first 2 ${slow}, second 2 ${slow}, first 3 ${other}`
      )
    }).pipe(Effect.scoped))

  it.effect("refuses one that both threads gave up, to everybody, and tries it again after a minute", () =>
    Effect.gen(function*() {
      const { asked, thread } = scripted((_, source) => source === never ? "late" : found)
      const clock = { now: 0 }
      const searches = yield* make({ thread, now: () => clock.now })
      assert.strictEqual(yield* whole(searches(1), new RegExp(never), ["x"]), "unmatchable")
      clock.now = 59_999
      assert.strictEqual(searches(2)(new RegExp(never), ["x"]), "unmatchable")
      assert.deepStrictEqual(asked, [`first 1 ${never}`, `second 1 ${never}`])
      clock.now = 60_000

      assert.strictEqual(yield* whole(searches(2), new RegExp(never), ["x"]), "unmatchable")
      assert.deepStrictEqual(asked.slice(2), [`first 2 ${never}`, `second 2 ${never}`])
    }).pipe(Effect.scoped))

  it.effect("asks no thread for what is found at once, and one thread once for what is not slow", () =>
    Effect.gen(function*() {
      const { asked, thread } = scripted(() => found)
      const search = (yield* make({ thread }))(1)
      const lines = Array.from({ length: 40 }, (_, at) => `${at} ${"x".repeat(110)}`)

      assert.isFalse(Effect.isEffect(search(/at once/, lines)))
      assert.isFalse(Effect.isEffect(search(/^\d+ x/, lines)))
      assert.deepStrictEqual(asked, [])
      yield* whole(search, /(\d+) of (\d+)/, lines)
      assert.deepStrictEqual(asked, [String.raw`first 1 (\d+) of (\d+)`])
    }).pipe(Effect.scoped))

  it.effect("gives up at once what no engine can be stopped in, and what is too long", () =>
    Effect.gen(function*() {
      const { asked, thread } = scripted(() => found)
      const search = (yield* make({ thread }))(1)
      for (
        const source of ["(?:|)".repeat(40), "(?:^|$)".repeat(40), "(?:a{0,2}|b{0,2})".repeat(30), "a+".repeat(20_000)]
      ) {
        assert.strictEqual(search(new RegExp(`${source}x`), ["aaa"]), "unmatchable")
      }
      assert.deepStrictEqual(asked, [])
    }).pipe(Effect.scoped))
})

describe("a thread that searches", () => {
  it.live("is late with one that takes for ever, and does the next", () =>
    Effect.gen(function*() {
      const { search } = yield* Threads.make({ most: 500, together: false })
      assert.strictEqual(yield* search(1, endless(1), [`${long}c`]), "late")
      const next = search(1, /c(.)/, ["cd"])
      const result = yield* Effect.repeat(next, { until: (searched) => searched !== "late", times: 30 })
      assert.deepStrictEqual(result, { at: 0, text: "cd", groups: ["d"] })
    }).pipe(Effect.scoped))

  it.live("that is late with one is so at once with those of that client alone that wait, where they go together", () =>
    Effect.gen(function*() {
      for (const together of [true, false]) {
        const { search } = yield* Threads.make({ most: 500, together })
        const done: Array<string> = []
        const asking = (client: number, at: number) =>
          Effect.tap(
            search(client, endless(at), [`${long}c`]),
            (searched) => Effect.sync(() => void done.push(`${client} ${JSON.stringify(searched)}`))
          )
        yield* Effect.forEach([1, 1, 1, 2], asking, { concurrency: "unbounded", discard: true })

        assert.deepStrictEqual(
          done,
          (together ? [1, 1, 1, 2] : [1, 2, 1, 1]).map((client) => `${client} "late"`)
        )
      }
    }).pipe(Effect.scoped))
})

describe("the ways of a regular expression", () => {
  it.each([
    { source: "a|b|c", ways: 0 },
    { source: "(?:^|,)(\\d*)(?:,|$)", ways: 0 },
    { source: "(?:|)", ways: 1 },
    { source: "(?:|)(\\b|$)", ways: 2 },
    { source: "(?:a?|b*|(?:))(?:x|(?:|))", ways: Math.log2(3) + 1 },
    { source: "(?<name>|(?=a))(?:[(|)]|[|]*)", ways: 1 },
    { source: "(?:\\(|\\||)(?:a{2}|b{0,3}|(?!c))", ways: 1 },
    { source: "(?i:|a?)[^]|\\u{61}|\\p{L}", ways: 1 }
  ])("are $ways in $source", ({ source, ways }) => {
    assert.closeTo(branching(new RegExp(source, "u")), ways, 1e-9)
  })

  it("counts brackets within brackets where they nest", () => {
    assert.strictEqual(branching(new RegExp("(?:[[a]b]?|c?)", "v")), 1)
    assert.strictEqual(branching(/(?:[[]|[^]]|)(?:|)/), 1)
  })
})
