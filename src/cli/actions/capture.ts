/** What `paneway capture` does. */
import * as Effect from "effect/Effect"
import type { Range } from "../../Contract.ts"
import type { Screen } from "../../Screen.ts"
import type { capture as spec } from "../commands/capture.ts"
import * as Layout from "../layout.ts"
import * as Output from "../output.ts"
import * as Selection from "../selection.ts"
import type { Words } from "../syntax/spec.ts"
import { usage } from "../usage.ts"
import * as Values from "../values.ts"
import { fields } from "../words.ts"

const rangeOf = Effect.fnUntraced(function*(words: Words<keyof typeof spec.flags>) {
  const tail = yield* Values.count(words, "lines")
  const asked: ReadonlyArray<Range> = [
    ...(tail === undefined ? [] : [{ tail }]),
    ...(words.on("visible") ? ["visible" as const] : []),
    ...(words.on("full") ? ["full" as const] : [])
  ]
  return asked.length > 1 ? yield* usage("--lines, --visible and --full exclude each other") : asked[0]
})

export const print = ({ rows }: Screen, ansi: boolean) => Output.text(Layout.screen(rows, ansi))

export const capture = Effect.fnUntraced(function*(words: Words<keyof typeof spec.flags>) {
  const text = yield* Values.pane(words)
  const range = yield* rangeOf(words)
  const ansi = words.on("ansi")
  const screen = yield* Selection.using(
    words.text("runtime"),
    [text],
    (runtime) => Effect.flatMap(runtime.resolve(text), ({ handle }) => runtime.capture(handle, { range, ansi }))
  )
  yield* words.on("json") ? Output.object(fields(screen)) : print(screen, ansi)
})
