/** Values of flags and operands, read. What cannot be read is an error that shows the right form. */
import type * as DurationType from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Size } from "../Contract.ts"
import * as Duration from "../internal/duration.ts"
import { type Mark, markFromWord } from "../Screen.ts"
import type { PaneHandle } from "../Target.ts"
import type { Words } from "./syntax/spec.ts"
import { usage, type UsageError } from "./usage.ts"

const wrong = (what: string, value: string, expected: string) =>
  usage(`${what} cannot be ${JSON.stringify(value)}: expected ${expected}`)

export const duration = <F extends string>(
  words: Words<F>,
  name: F
): Effect.Effect<DurationType.Duration | undefined, UsageError> => {
  const text = words.text(name)
  return text === undefined ? Effect.undefined : Result.match(Duration.parse(text), {
    onFailure: (expected) => wrong(`--${name}`, text, expected),
    onSuccess: (value) => Effect.succeed(value)
  })
}

/** What the embedded pty takes. */
const largestSide = 5000

export const size = (what: string, text: string): Effect.Effect<Size, UsageError> => {
  const [, columns, rows] = /^(\d+)x(\d+)$/.exec(text) ?? []
  const sides = [Number(columns), Number(rows)]
  return sides.every((side) => side >= 1 && side <= largestSide)
    ? Effect.succeed({ columns: Number(columns), rows: Number(rows) })
    : wrong(what, text, `columns x rows, as in 120x40, each from 1 to ${largestSide}`)
}

export const count = <F extends string>(words: Words<F>, name: F): Effect.Effect<number | undefined, UsageError> => {
  const text = words.text(name)
  if (text === undefined) return Effect.undefined
  return /^[1-9]\d{0,8}$/.test(text) ? Effect.succeed(Number(text)) : wrong(`--${name}`, text, "a number from 1")
}

/** `NAME=VALUE`; the value may hold `=` and may be empty. */
export const environment = (pairs: ReadonlyArray<string>): Effect.Effect<Record<string, string>, UsageError> => {
  const bad = pairs.find((pair) => pair.indexOf("=") < 1)
  return bad === undefined
    ? Effect.succeed(
      Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]))
    )
    : wrong("--env", bad, "NAME=VALUE")
}

/** The mark of `--after`, which has to be one of this pane. */
export const after = (
  words: Words<"after">,
  pane: PaneHandle
): Effect.Effect<Mark | undefined, UsageError> => {
  const word = words.text("after")
  return word === undefined ? Effect.undefined : Result.match(markFromWord(word, pane), {
    onFailure: (reason) => usage(`--after: ${reason} (give the mark that send --json or capture --json printed)`),
    onSuccess: (mark) => Effect.succeed(mark)
  })
}

/** The pane as the operand or as `--pane`: one of the two. */
export const pane = (words: Words<"pane">): Effect.Effect<string, UsageError> => {
  const given = [...words.operands, ...words.texts("pane")]
  const [one, ...others] = given
  if (one === undefined) return usage("a pane is missing: give its handle, as the operand or with --pane")
  return others.length > 0 ? usage("name one pane, as the operand or with --pane") : Effect.succeed(one)
}
