import { assert, describe, it } from "@effect/vitest"
import * as DurationType from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Duration from "../../src/internal/duration.ts"

const failure = (text: string) => Result.match(Duration.parse(text), { onFailure: (form) => form, onSuccess: String })

describe("duration", () => {
  it.each<readonly [string, number]>([
    ["0", 0],
    ["30", 30_000],
    ["0.5", 500],
    [".5s", 500],
    ["5.", 5000],
    ["500ms", 500],
    ["30s", 30_000],
    ["2m", 120_000],
    ["1h", 3_600_000],
    ["1.5h", 5_400_000],
    ["1d", 86_400_000],
    ["1.1s", 1100],
    ["0.1ms", 0.1],
    ["+3s", 3000],
    [" 3 s ", 3000],
    ["30 seconds", 30_000],
    ["1 second", 1000],
    ["250 millis", 250],
    ["2 weeks", 1_209_600_000],
    ["1500 micros", 1.5],
    ["1 nano", 0.000001],
    ["infinity", Infinity],
    ["Infinity", Infinity]
  ])("reads %j as %d milliseconds", (text, millis) => {
    assert.deepStrictEqual(Result.map(Duration.parse(text), DurationType.toMillis), Result.succeed(millis))
  })

  it.each<readonly [string, string]>([
    ["", "a duration such as 500ms, 30s, 2m, 1h or 1d (a bare number is seconds)"],
    ["  ", "a duration such as"],
    ["soon", "a duration such as"],
    ["NaN", "a duration such as"],
    ["1e3", "a duration such as"],
    ["ms", "a duration such as"],
    ["1m30s", "a duration such as"],
    ["1,5s", "a duration such as"],
    ["-5s", "a duration that is not negative"],
    ["-0.5", "a duration that is not negative"],
    ["-infinity", "a duration such as"],
    ["10 parsecs", "\"parsecs\" is not a unit"],
    ["10min", "a duration in ms, s, m, h or d, such as 30s; \"min\" is not a unit"],
    ["5S", "\"S\" is not a unit"],
    ["5M", "\"M\" is not a unit"],
    ["9".repeat(400), "a shorter duration"],
    ["999999999999d", "a shorter duration"]
  ])("refuses %j with the form that it expects", (text, form) => {
    assert.include(failure(text), form)
  })

  it.effect.prop(
    "prints what it reads back",
    { millis: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1e9 })) },
    ({ millis }) =>
      Effect.sync(() => {
        const duration = DurationType.millis(millis)
        const read = Result.getOrThrow(Duration.parse(Duration.print(duration)))
        assert.isTrue(Equal.equals(read, duration), Duration.print(duration))
      })
  )

  it("prints infinity so that it reads back", () => {
    assert.strictEqual(Duration.print(DurationType.infinity), "infinity")
  })
})
