/** Flags of several commands and the forms of their values. A wrong form is an argv error that shows the right one. */
import * as CliError from "effect/cli/CliError"
import * as Flag from "effect/cli/Flag"
import type * as DurationType from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Size } from "../Contract.ts"
import * as Duration from "../internal/duration.ts"

const invalid = (option: string, value: string, expected: string) =>
  Effect.fail(new CliError.InvalidValue({ option, value, expected, kind: "flag" }))

/** A duration as people write it: `30s`, `500ms`, `2m`; a bare number is seconds. */
export const duration = (name: string, description: string): Flag.Flag<Option.Option<DurationType.Duration>> =>
  Flag.String(name).pipe(
    Flag.withMetavar("duration"),
    Flag.withDescription(`${description} (30s, 500ms, 2m; a bare number is seconds)`),
    Flag.mapEffect((text) =>
      Result.match(Duration.parse(text), {
        onFailure: (expected) => invalid(name, text, expected),
        onSuccess: Effect.succeed
      })
    ),
    Flag.optional
  )

/** What the embedded pty takes. */
const largestSide = 5000

/** Columns and rows: `120x40`. */
export const size: Flag.Flag<Option.Option<Size>> = Flag.String("size").pipe(
  Flag.withMetavar("CxR"),
  Flag.withDescription("Columns and rows of the pane, as in 120x40; default: this terminal's, else 120x40"),
  Flag.mapEffect((text) => {
    const [, columns, rows] = /^(\d+)x(\d+)$/.exec(text) ?? []
    const sides = [Number(columns), Number(rows)]
    return sides.every((side) => side >= 1 && side <= largestSide)
      ? Effect.succeed({ columns: Number(columns), rows: Number(rows) })
      : invalid("size", text, `columns x rows, as in 120x40, each from 1 to ${largestSide}`)
  }),
  Flag.optional
)

/** `NAME=VALUE`, repeatable; the value may hold `=` and may be empty. */
export const environment: Flag.Flag<Record<string, string>> = Flag.String("env").pipe(
  Flag.withMetavar("NAME=VALUE"),
  Flag.withDescription("Set a variable of the pane's environment; repeatable"),
  Flag.atLeast(0),
  Flag.mapEffect((pairs) => {
    const wrong = pairs.find((pair) => pair.indexOf("=") < 1)
    return wrong === undefined
      ? Effect.succeed(
        Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]))
      )
      : invalid("env", wrong, "NAME=VALUE")
  })
)

/** The directory that a command starts in. */
export const root: Flag.Flag<Option.Option<string>> = Flag.String("root").pipe(
  Flag.withMetavar("directory"),
  Flag.withDescription("Directory to start in; default: this one"),
  Flag.optional
)

/** The runtime that is used, or the call fails: nothing replaces a named one. */
export const runtime: Flag.Flag<Option.Option<string>> = Flag.String("runtime").pipe(
  Flag.withMetavar("name"),
  Flag.withDescription("Runtime to use, or fail; default: PANEWAY_RUNTIME, ACE_RUNTIME, config, then pty"),
  Flag.optional
)

export const keep: Flag.Flag<boolean> = Flag.Boolean("keep").pipe(
  Flag.withDescription("Leave the pane when the command ended"),
  Flag.withDefault(false)
)

export const window: Flag.Flag<Option.Option<string>> = Flag.String("window").pipe(
  Flag.withMetavar("name"),
  Flag.withDescription("Window that the kept pane is in; made where it is not there"),
  Flag.optional
)

export const session: Flag.Flag<Option.Option<string>> = Flag.String("session").pipe(
  Flag.withMetavar("name"),
  Flag.withDescription("Session of that window"),
  Flag.optional
)

export const json: Flag.Flag<boolean> = Flag.Boolean("json").pipe(
  Flag.withDescription("Print one JSON object on standard output; errors as one on standard error"),
  Flag.withDefault(false)
)
