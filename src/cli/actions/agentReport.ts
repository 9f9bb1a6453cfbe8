/** What `paneway agent report` does. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Report } from "../../remote/HostRpcs.ts"
import { Caller } from "../Caller.ts"
import type * as Spec from "../commands/agent.ts"
import { Host } from "../Host.ts"
import * as Output from "../output.ts"
import type { Words } from "../syntax/spec.ts"
import { usage } from "../usage.ts"
import * as Values from "../values.ts"

const decode = Schema.decodeUnknownEffect(Report)

/** Words of a hook are no longer than a report of them has to be. */
const longest = 1000

export const report = Effect.fnUntraced(function*(words: Words<keyof typeof Spec.report.flags>) {
  const { env } = yield* Caller
  const atMillis = yield* Clock.currentTimeMillis
  const own = env["PANEWAY_PANE"]?.trim()
  const pane = words.text("pane") ?? (own === "" ? undefined : own)
  if (pane === undefined) {
    return yield* usage("this is no pane of a host: PANEWAY_PANE is not set, and --pane names none")
  }
  const state = words.text("state")
  if (words.on("kind") && state !== "blocked") return yield* usage("--kind is for --state blocked")
  const sequence = yield* Values.count(words, "sequence")
  const texts = ["kind", "agent", "session", "detail"] as const
  const given = texts.flatMap((name) => {
    const text = words.text(name)
    return text === undefined ? [] : [[name, text.slice(0, longest)] as const]
  })
  const told = yield* decode({
    ...Object.fromEntries(given),
    pane,
    state,
    atMillis,
    ...(sequence === undefined ? {} : { sequence })
  }).pipe(Effect.mapError(({ message }) => message), Effect.catch(usage))
  const taken = yield* (yield* Host).report(told)
  if (words.on("json")) return yield* Output.object({ pane: `${taken.pane}`, result: taken.result })
  if (!words.on("quiet")) yield* Output.lines([taken.result])
})
