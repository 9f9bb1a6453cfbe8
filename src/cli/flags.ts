/** Flags of several commands. */
import * as Flag from "effect/cli/Flag"
import type * as Option from "effect/Option"

/** The runtime that is used, or the call fails: nothing replaces a named one. */
export const runtime: Flag.Flag<Option.Option<string>> = Flag.String("runtime").pipe(
  Flag.withMetavar("name"),
  Flag.withDescription("Runtime to use, or fail; default: as paneway detect tells"),
  Flag.optional
)

export const json: Flag.Flag<boolean> = Flag.Boolean("json").pipe(
  Flag.withDescription("Print one JSON object on standard output; errors as one on standard error"),
  Flag.withDefault(false)
)
