import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { branching } from "../../src/remote/branching.ts"
import { make, most } from "../../src/remote/searching.ts"
import { type LineSearchService, searchLines } from "../../src/Waiting.ts"

const long = "a".repeat(60)

const whole = (search: LineSearchService, pattern: RegExp, lines: ReadonlyArray<string>) => {
  const found = search(pattern, lines)
  return Effect.isEffect(found) ? found : Effect.succeed(found)
}

const timed = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.suspend(() => {
    const started = performance.now()
    return Effect.map(effect, (result) => ({ result, millis: performance.now() - started }))
  })

/** Each takes for ever, and none is another. */
const endless = (at: number) => new RegExp(`(a|a)*b${at}`)

/** How late a timer of this process fires at most while something goes on. */
const lateness = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    let worst = 0
    let last = performance.now()
    const beat = yield* Effect.forkChild(Effect.forever(Effect.andThen(
      Effect.sleep("5 millis"),
      Effect.sync(() => {
        const now = performance.now()
        worst = Math.max(worst, now - last - 5)
        last = now
      })
    )))
    yield* effect
    yield* Fiber.interrupt(beat)
    return worst
  })

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
      const search = (yield* make())(1)
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
  )("gives $pattern up after its time, and finds the next thing", ({ lines, pattern }) =>
    Effect.gen(function*() {
      const search = (yield* make())(1)
      const first = yield* timed(whole(search, pattern, lines))
      assert.strictEqual(first.result, "unmatchable")
      assert.isBelow(first.millis, most.second * 4)
      assert.strictEqual(search(pattern, lines), "unmatchable")
      assert.deepStrictEqual(yield* whole(search, /c(.+)(.?)/, ["abc", "abcde"]), {
        at: 1,
        text: "cde",
        groups: ["de", ""]
      })
    }).pipe(Effect.scoped))

  it.live("tries one again that was given up a minute ago", () =>
    Effect.gen(function*() {
      const clock = { now: 0 }
      const search = (yield* make(() => clock.now))(1)
      const pattern = /(x|x)*y/
      assert.strictEqual(yield* whole(search, pattern, [`${"x".repeat(60)}z`]), "unmatchable")
      clock.now = 59_999
      assert.strictEqual(yield* whole(search, pattern, ["xy"]), "unmatchable")
      clock.now = 60_000
      assert.deepStrictEqual(yield* whole(search, pattern, ["xy"]), { at: 0, text: "xy", groups: ["x"] })
    }).pipe(Effect.scoped))

  it.live("for one that takes for ever holds up neither the process nor the others, however many of them there are", () =>
    Effect.gen(function*() {
      const searches = yield* make()
      const slow = searches(1)
      const other = searches(2)
      yield* whole(other, /(\w+) (\w+)/, ["one two"]) // the thread is there
      const attack = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 100 }, (_, at) => at), (at) => whole(slow, endless(at), [`${long}c`]), {
          concurrency: "unbounded"
        })
      )
      const worst = yield* lateness(Effect.gen(function*() {
        for (let round = 0; round < 10; round++) {
          const { millis, result } = yield* timed(whole(other, /(\w+) (\d+)/, [`one ${round}`]))
          assert.deepInclude(result, { text: `one ${round}` })
          // one after the other they take a hundred seconds
          assert.isBelow(millis, most.second * 3)
        }
      }))
      assert.isBelow(worst, most.second / 2)
      yield* Fiber.interrupt(attack)
    }).pipe(Effect.scoped))

  it.live("for one that is slow is done all the same, and delays only what is slow too", () =>
    Effect.gen(function*() {
      const searches = yield* make()
      let size = 20
      for (;; size++) {
        const { millis } = yield* timed(Effect.sync(() => searchLines(/(a|a)*b/, [`${"a".repeat(size)}c`])))
        if (millis > most.first * 1.5) break
      }
      // on a machine that is busy it may take longer than the second thread gives it, and is not tried again then
      const attempt = (which: number) =>
        timed(whole(searches(which), new RegExp(`(a|a)*b|(z)|never${which}`), [`${"a".repeat(size)}c`, "z"]))
      let { millis, result } = yield* attempt(1)
      for (let which = 2; which < 7 && result === "unmatchable"; which++) ({ millis, result } = yield* attempt(which))
      assert.deepStrictEqual(result, { at: 1, text: "z", groups: ["", "z"] })
      assert.isAbove(millis, most.first)
    }).pipe(Effect.scoped))

  it.live("takes less than a millisecond for what is not slow", () =>
    Effect.gen(function*() {
      const search = (yield* make())(1)
      const lines = Array.from({ length: 40 }, (_, at) => `${at} ${"x".repeat(110)}`)
      yield* whole(search, /(\d+) of (\d+)/, lines)
      const times: Array<number> = []
      for (let at = 0; at < 200; at++) times.push((yield* timed(whole(search, /(\d+) of (\d+)/, lines))).millis)
      assert.isBelow(times.toSorted((a, b) => a - b)[100] ?? Infinity, 1)
    }).pipe(Effect.scoped))

  it.live("gives up at once what no engine can be stopped in, and what is too long", () =>
    Effect.gen(function*() {
      const search = (yield* make())(1)
      for (
        const source of ["(?:|)".repeat(40), "(?:^|$)".repeat(40), "(?:a{0,2}|b{0,2})".repeat(30), "a+".repeat(20_000)]
      ) {
        assert.strictEqual(search(new RegExp(`${source}x`), ["aaa"]), "unmatchable")
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
