/** What `paneway attach` does. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Keys from "../../Keys.ts"
import { PaneView } from "../../PaneView.ts"
import { Unsupported } from "../../RuntimeError.ts"
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

export const attach = Effect.fnUntraced(function*(words: Words<keyof typeof spec.flags>) {
  const caller = yield* Caller
  const text = yield* Values.pane(words)
  const detach = DetachKey.make(yield* keysOf(words))
  if (caller.input !== "keyboard" || !caller.outputIsTerminal) {
    return yield* usage("attach needs a terminal for its input and its output, in the foreground")
  }
  const end = yield* Selection.using(words.text("runtime"), [text], (runtime) =>
    Effect.gen(function*() {
      const service = yield* PaneView
      if (Option.isNone(service)) {
        return yield* new Unsupported({
          runtime: runtime.runtime,
          capability: "attach",
          reason: "it cannot show a pane in another terminal"
        })
      }
      const { handle: pane } = yield* runtime.resolve(text)
      const end = yield* Attach.attach(service.value, { pane, detach, readOnly: words.on("read-only") })
      return { pane, end }
    }))
  yield* caller.exitWith(codes[end.end._tag])
  yield* Output.problem(told(`${end.pane}`, end.end))
})
