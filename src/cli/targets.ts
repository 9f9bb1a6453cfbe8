/** From text to windows and panes. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Service } from "../Contract.ts"
import { TargetNotFound } from "../RuntimeError.ts"
import * as Target from "../Target.ts"

/** What a text means: a window by name, or what exists of a printed handle or native id. */
export type Meant =
  | { readonly _tag: "name"; readonly name: Target.WindowName }
  | { readonly _tag: "window"; readonly window: Target.Window }
  | { readonly _tag: "pane"; readonly pane: Target.Pane }

const isAbsent = (error: { readonly _tag: string; readonly reason?: unknown }): boolean =>
  error._tag === "TargetNotFound" && (error.reason === "absent" || error.reason === "reissued")

/** The window of a printed handle, none where it is gone; handles of panes are none of its either. */
const printedWindow = (runtime: Service, printed: Target.Printed) =>
  Effect.map(
    runtime.listWindows(),
    (windows) => Option.fromUndefinedOr(windows.find(({ handle }) => Target.printedBy(printed, handle)))
  )

/** A name, or a window that exists. */
export const window = Effect.fnUntraced(function*(runtime: Service, text: string) {
  // an unset variable of a script
  if (text.trim() === "") return yield* new TargetNotFound({ target: text, reason: "unparsable" })
  const printed = Target.parse(text)
  if (Option.isNone(printed)) return Target.windowName(text)
  const found = yield* printedWindow(runtime, printed.value)
  if (Option.isSome(found)) return found.value.handle
  return yield* new TargetNotFound({ target: text, reason: "absent" })
})

/** Text that `ensure` makes a name of, and that no multiplexer has for an id. */
const isCleaned = (text: string): boolean => /[A-Za-z0-9_]/.test(text) && !/^[%@$]/.test(text)

/**
 * A text that can be a window's name as it is means one. Other text becomes a name, as where the window was made, unless
 * it is the id of something that exists.
 */
export const any = Effect.fnUntraced(function*(runtime: Service, text: string) {
  const printed = Target.parse(text)
  if (Option.isSome(printed)) {
    const pane = yield* Effect.result(runtime.resolve(text))
    if (pane._tag === "Success") return { _tag: "pane", pane: pane.success } satisfies Meant
    // a window's handle is wrong where a pane's is needed, or as absent as that
    if (!isAbsent(pane.failure) && pane.failure._tag !== "InvalidRequest") return yield* pane.failure
    const window = yield* printedWindow(runtime, printed.value)
    if (Option.isSome(window)) return { _tag: "window", window: window.value } satisfies Meant
    return yield* pane.failure
  }
  const name = Target.windowName(text)
  if (name === text) return { _tag: "name", name } satisfies Meant
  return yield* runtime.resolve(text).pipe(
    Effect.map((pane): Meant => ({ _tag: "pane", pane })),
    Effect.catchTag(
      "TargetNotFound",
      (error): Effect.Effect<Meant, TargetNotFound> =>
        isCleaned(text) && (error.reason === "unparsable" || error.reason === "absent")
          ? Effect.succeed({ _tag: "name", name })
          : Effect.fail(error)
    )
  )
})

export const refOf = (meant: Meant): Target.WindowRef | Target.PaneHandle =>
  meant._tag === "name" ? meant.name : meant._tag === "window" ? meant.window.handle : meant.pane.handle

/** The window of that name in a session, for operations that take no session. */
export const named = Effect.fnUntraced(function*(runtime: Service, name: Target.WindowName, session: string) {
  const windows = yield* runtime.listWindows({ session })
  const found = windows.find((window) => window.name === name)
  return found === undefined ? yield* new TargetNotFound({ target: name, reason: "absent" }) : found.handle
})
