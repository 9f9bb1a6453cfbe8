/** What `paneway attach` does. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Keys from "../../Keys.ts"
import { type Client, PaneClient, PaneView, type Service as View } from "../../PaneView.ts"
import { RuntimeUnavailable, Unsupported } from "../../RuntimeError.ts"
import type { PaneHandle } from "../../Target.ts"
import { Caller } from "../Caller.ts"
import type { attach as spec } from "../commands/attach.ts"
import * as Attach from "../foreground/attach.ts"
import * as DetachKey from "../foreground/detachKey.ts"
import * as Output from "../output.ts"
import * as Selection from "../selection.ts"
import type { Words } from "../syntax/spec.ts"
import { usage } from "../usage.ts"
import * as Values from "../values.ts"

const codes = { Detached: 0, Ended: 4, HungUp: 141 } as const

const usual = "ctrl+\\"
const interrupt = Keys.make("c", { ctrl: true })

const keysOf = Effect.fnUntraced(function*(words: Words<keyof typeof spec.flags>) {
  const text = words.text("detach-key") ?? usual
  const also = words.on("read-only") ? [interrupt] : []
  if (text === "none") return also
  const key = DetachKey.parse(text)
  if (Result.isSuccess(key)) return [key.success, ...also]
  return yield* usage(`--detach-key cannot be ${JSON.stringify(text)}: ${key.failure}`)
})

const told = (pane: string, end: Attach.End): string => {
  if (end._tag === "HungUp") return "the terminal is gone"
  if (end._tag !== "Ended") return `detached from ${pane}, which lives on`
  const { exit } = end
  if (exit === undefined) return `${pane} was closed`
  return `${pane} ended${exit.signal === undefined ? ` with code ${exit.code ?? "unknown"}` : ` by ${exit.signal}`}`
}

/** By what this process shows it. */
const viewed = (service: View, pane: PaneHandle, detach: DetachKey.Finder, readOnly: boolean) =>
  Effect.map(
    Attach.attach(service, { pane, detach, readOnly }),
    (end) => ({ _tag: "Viewed" as const, pane, end })
  )

/** By the runtime's own program, whose keys are its own. */
const taken = Effect.fnUntraced(function*(client: Client, pane: PaneHandle, words: Words<keyof typeof spec.flags>) {
  if (words.text("detach-key") !== undefined) {
    return yield* usage(
      `--detach-key is not for ${pane.runtime}: its own program shows the pane, and has keys of its own`
    )
  }
  return { _tag: "Taken" as const, pane, program: yield* client.attach(pane, { readOnly: words.on("read-only") }) }
})

export const attach = Effect.fnUntraced(function*(words: Words<keyof typeof spec.flags>) {
  const caller = yield* Caller
  const text = yield* Values.pane(words)
  const detach = DetachKey.make(yield* keysOf(words))
  if (caller.input !== "keyboard" || !caller.outputIsTerminal) {
    return yield* usage("attach needs a terminal for its input and its output, in the foreground")
  }
  const shown = yield* Selection.using(words.text("runtime"), [text], (runtime) =>
    Effect.gen(function*() {
      const service = yield* PaneView
      const client = yield* PaneClient
      const { handle: pane } = yield* runtime.resolve(text)
      if (Option.isSome(service)) return yield* viewed(service.value, pane, detach, words.on("read-only"))
      if (Option.isSome(client)) return yield* taken(client.value, pane, words)
      return yield* new Unsupported({
        runtime: runtime.runtime,
        capability: "attach",
        reason: "it cannot show a pane in another terminal"
      })
    }))
  if (shown._tag === "Viewed") {
    yield* caller.exitWith(codes[shown.end._tag])
    return yield* Output.problem(told(`${shown.pane}`, shown.end))
  }
  if (Option.isNone(shown.program)) return
  // the runtime has been left: nothing of it stays behind
  const detail = yield* caller.become(shown.program.value)
  return yield* new RuntimeUnavailable({ runtime: shown.pane.runtime, reason: "refused", detail })
})
