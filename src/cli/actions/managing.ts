/** What `paneway focus`, `resize`, `close`, `probe` and `describe` do. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Service } from "../../Contract.ts"
import type { Probe } from "../../Lifecycle.ts"
import type { InvalidRequest, TargetNotFound } from "../../RuntimeError.ts"
import { parse } from "../../Target.ts"
import { Caller } from "../Caller.ts"
import type * as Spec from "../commands/managing.ts"
import * as Layout from "../layout.ts"
import * as Output from "../output.ts"
import * as Progress from "../progress.ts"
import * as Selection from "../selection.ts"
import type { Words } from "../syntax/spec.ts"
import * as Targets from "../targets.ts"
import { usage } from "../usage.ts"
import * as Values from "../values.ts"
import { fields, plain } from "../words.ts"

export const focus = Effect.fnUntraced(function*(words: Words<keyof typeof Spec.focus.flags>) {
  const [text = ""] = words.operands
  const { env } = yield* Caller
  const session = words.text("session") ?? (env["PANEWAY_SESSION"]?.trim() || undefined)
  yield* Selection.using(words.text("runtime"), [text], (runtime) =>
    Effect.gen(function*() {
      const meant = yield* Targets.any(runtime, text)
      yield* runtime.focus(
        meant._tag === "name" && session !== undefined
          ? yield* Targets.named(runtime, meant.name, session)
          : Targets.refOf(meant)
      )
    }))
  if (words.on("json")) yield* Output.object({ result: "focused" })
})

export const resize = Effect.fnUntraced(function*(words: Words<keyof typeof Spec.resize.flags>) {
  const [text = "", wanted = ""] = words.operands
  const size = yield* Values.size("the size", wanted)
  yield* Selection.using(
    words.text("runtime"),
    [text],
    (runtime) => Effect.flatMap(runtime.resolve(text), ({ handle }) => runtime.resize(handle, size))
  )
  if (words.on("json")) yield* Output.object({ result: "resized" })
})

const closeAny = Effect.fnUntraced(function*(runtime: Service, text: string, session: string | undefined) {
  const meant = yield* Targets.any(runtime, text)
  if (meant._tag === "pane") return yield* runtime.closePane(meant.pane.handle)
  return yield* meant._tag === "window"
    ? runtime.closeWindow(meant.window.handle)
    : runtime.closeWindow(meant.name, session === undefined ? {} : { session })
})

const closePane = (runtime: Service, text: string) =>
  Effect.flatMap(runtime.resolve(text), ({ handle }) => runtime.closePane(handle))

/** A printed handle names one target for ever: gone, it is closed. */
const unlessHandle = (text: string) => (error: TargetNotFound) =>
  Option.isSome(parse(text)) && (error.reason === "absent" || error.reason === "reissued")
    ? Effect.succeed("already-closed" as const)
    : Effect.fail(error)

export const close = Effect.fnUntraced(function*(words: Words<keyof typeof Spec.close.flags>) {
  const [target, pane] = [words.operands[0], words.text("pane")]
  const text = target ?? pane
  if (text === undefined || (target !== undefined && pane !== undefined)) {
    return yield* usage("give one target: a window's name or handle, or a pane's handle")
  }
  const result = yield* Selection.using(
    words.text("runtime"),
    [text],
    (runtime) =>
      (pane === undefined ? closeAny(runtime, text, words.text("session")) : closePane(runtime, text)).pipe(
        Effect.catchTag("TargetNotFound", unlessHandle(text)),
        Progress.during(`closing ${text}`)
      )
  )
  yield* words.on("json") ? Output.object({ result }) : Output.lines([result])
})

interface Told {
  readonly pane: string
  readonly liveness: Probe["liveness"]
  readonly reason?: string
}

const told = (text: string, { liveness, reason }: Pick<Probe, "liveness" | "reason">): Told => ({
  pane: text,
  liveness,
  ...(reason === undefined ? {} : { reason })
})

/** What exists is probed under its handle; what was not found says itself what is known. */
const probeOne = (runtime: Service, text: string): Effect.Effect<Told, TargetNotFound | InvalidRequest> =>
  Effect.matchEffect(runtime.resolve(text), {
    onSuccess: ({ handle }) =>
      Effect.map(
        runtime.probe([handle]),
        ([probe]) => told(`${handle}`, probe ?? { liveness: "unknown", reason: "no answer" })
      ),
    onFailure: (error): Effect.Effect<Told, TargetNotFound | InvalidRequest> => {
      if (error._tag === "InvalidRequest") return Effect.fail(error)
      if (error._tag !== "TargetNotFound") {
        return Effect.succeed(told(text, { liveness: "unknown", reason: error.message }))
      }
      return error.reason === "absent" || error.reason === "reissued"
        ? Effect.succeed(told(text, { liveness: "gone" }))
        : Effect.fail(error)
    }
  })

/** What has to be told of a text to know whom to ask; empty for native ids. */
const ownerOf = (text: string): string =>
  Option.match(parse(text), { onNone: () => "", onSome: ({ runtime, scope }) => JSON.stringify([runtime, scope]) })

export const probe = Effect.fnUntraced(function*(words: Words<keyof typeof Spec.probe.flags>) {
  const owners = [...new Set(words.operands.map(ownerOf))]
  const groups = owners.map((owner) => words.operands.filter((text) => ownerOf(text) === owner))
  const found = yield* Effect.forEach(groups, (texts) =>
    Selection.using(
      words.text("runtime"),
      texts,
      (runtime) =>
        Effect.forEach(texts, (text) => Effect.map(probeOne(runtime, text), (one) => [text, one] as const), {
          concurrency: 16
        })
    ))
  const known = new Map(found.flat())
  const probes = words.operands.flatMap((text) => known.get(text) ?? [])
  yield* words.on("json")
    ? Output.object({ probes: plain(probes) })
    : Output.table(probes.map(({ liveness, pane, reason }) => [pane, liveness, reason ?? ""]))
})

export const describe = Effect.fnUntraced(function*(words: Words<keyof typeof Spec.describe.flags>) {
  const text = yield* Values.pane(words)
  const pane = yield* Selection.using(words.text("runtime"), [text], (runtime) => runtime.resolve(text))
  yield* words.on("json") ? Output.object(fields(pane)) : Output.table(Layout.described(fields(pane)))
})
