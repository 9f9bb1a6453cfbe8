/** A failure of a command that went the short way, as the whole program tells it. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Caller, OutputFailed } from "../cli/Caller.ts"
import { tell } from "../cli/failure.ts"
import { wantsJson } from "../cli/table.ts"
import { RuntimeError, RuntimeUnavailable } from "../RuntimeError.ts"
import { PaneHandle } from "../Target.ts"
import { unanswered } from "../terminalRuntime/reporting.ts"
import * as MainCaller from "./caller.ts"
import type { Failure } from "./hot/asking.ts"

const decodeError = Schema.decodeUnknownOption(Schema.toCodecJson(RuntimeError))
const decodePane = Schema.decodeUnknownOption(Schema.toCodecJson(PaneHandle))

const errorOf = (failure: Failure): Option.Option<RuntimeError> =>
  failure._tag === "told"
    ? decodeError(failure.error)
    : Option.orElse(decodeError(failure.error), () => Option.map(decodePane(failure.pane), (pane) => unanswered(pane)))

const telling = (words: ReadonlyArray<string>, error: unknown): Promise<number> =>
  tell(Cause.fail(error), wantsJson(words)).pipe(
    Effect.provideService(Caller, MainCaller.make(words, () => {})),
    Effect.runPromise
  )

/** The exit code; undefined: nobody here knows this failure, and nothing was told. */
export const told = (words: ReadonlyArray<string>, failure: Failure): Promise<number | undefined> =>
  Option.match(errorOf(failure), {
    onNone: () => Promise.resolve(undefined),
    onSome: (error) => telling(words, error)
  })

/** The exit code of output that nobody took for another reason than that it was closed. */
export const unwritten = (words: ReadonlyArray<string>, detail: string): Promise<number> =>
  telling(words, new OutputFailed({ detail }))

/** Of a host that is there and says nothing. */
export const silent = (path: string): RuntimeUnavailable =>
  new RuntimeUnavailable({
    runtime: "pty",
    reason: "timed-out",
    detail: `the server at ${path} does not answer within 5 s`
  })
