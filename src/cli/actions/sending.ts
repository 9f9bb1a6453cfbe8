/** What `paneway send` and `paneway type` do. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { SendOptions, Service } from "../../Contract.ts"
import { type DeliveryReport, Evidence, type SendItem, SendProfile, type SendRequest } from "../../send/records.ts"
import type { PaneHandle } from "../../Target.ts"
import { Caller } from "../Caller.ts"
import type { send as sendSpec } from "../commands/send.ts"
import type { type as typeSpec } from "../commands/type.ts"
import * as Layout from "../layout.ts"
import * as Output from "../output.ts"
import * as Progress from "../progress.ts"
import * as Selection from "../selection.ts"
import type { Words } from "../syntax/spec.ts"
import { usage } from "../usage.ts"
import * as Values from "../values.ts"
import { fields } from "../words.ts"

type Sending = keyof typeof typeSpec.flags

const isProfile = Schema.is(SendProfile)
const isEvidence = Schema.is(Evidence)

const optionsOf = Effect.fnUntraced(function*(words: Words<Sending>) {
  const profile = words.text("profile")
  const require = words.text("require")
  const within = yield* Values.duration(words, "within")
  return {
    ...(isProfile(profile) ? { profile } : {}),
    ...(isEvidence(require) ? { require } : {}),
    ...(within === undefined ? {} : { within }),
    allowNewlines: words.on("allow-newlines"),
    sanitize: words.on("sanitize")
  } satisfies SendOptions
})

/** No prompt is so large; it bounds what a wrong path makes us read. */
const largest = 64 * 1024 * 1024

const joined = (chunks: ReadonlyArray<Uint8Array>): Uint8Array => {
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
  chunks.reduce((at, chunk) => {
    all.set(chunk, at)
    return at + chunk.length
  }, 0)
  return all
}

const standardInput = Effect.gen(function*() {
  const { input, read } = yield* Caller
  if (input === "none") return yield* usage("--file -: there is no standard input")
  let size = 0
  const chunks = yield* Stream.runCollect(
    Stream.takeWhile(read, ({ length }) => {
      size += length
      return size <= largest
    })
  )
  return size > largest ? yield* usage(`--file -: more than ${largest} bytes`) : joined(chunks)
})

const file = Effect.fnUntraced(function*(name: string) {
  const { cwd } = yield* Caller
  const fs = yield* FileSystem.FileSystem
  const place = (yield* Path.Path).resolve(cwd, name)
  return yield* Effect.gen(function*() {
    const { size, type } = yield* fs.stat(place)
    if (type === "Directory") return yield* usage(`--file ${name}: it is a directory`)
    // it may have no end, and to read it cannot be interrupted
    if (type !== "File") return yield* usage(`--file ${name}: it is no file: read it by --file - <${name}`)
    if (size > largest) return yield* usage(`--file ${name}: more than ${largest} bytes`)
    return yield* fs.readFile(place)
  }).pipe(Effect.catchTag("PlatformError", ({ reason }) => usage(`--file ${name}: cannot be read (${reason._tag})`)))
})

const decode = (name: string, bytes: Uint8Array) =>
  Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
    catch: () => undefined
  }).pipe(Effect.catch(() => usage(`--file ${name}: it is not UTF-8 text`)))

const textOf = Effect.fnUntraced(function*(name: string) {
  return yield* decode(name, yield* name === "-" ? standardInput : file(name))
})

/** An item as `--item` writes it. */
const itemOf = (text: string) => {
  const value = text.slice(text.indexOf("=") + 1)
  if (text.startsWith("msg=")) return Effect.succeed<SendItem>({ message: value })
  if (text.startsWith("key=")) return Effect.succeed<SendItem>({ key: value })
  return usage(`--item cannot be ${JSON.stringify(text)}: expected msg=TEXT or key=NAME`)
}

const requestOf = Effect.fnUntraced(function*(words: Words<keyof typeof sendSpec.flags>) {
  const firstKey = words.order.indexOf("key")
  if (firstKey !== -1 && firstKey < words.order.indexOf("cmd")) {
    return yield* usage("--key stands before --cmd, but keys are pressed after the command: put them after it")
  }
  const name = words.text("file")
  const items = words.texts("item")
  if (items.length > 0 && ["cmd", "msg", "key", "file"].some((one) => words.flags[one] !== undefined)) {
    return yield* usage("--item excludes --cmd, --msg, --key and --file: give everything in order as --item")
  }
  const command = words.text("cmd")
  if (
    words.flags["cmd"] === undefined && items.length + words.texts("msg").length + words.texts("key").length === 0 &&
    name === undefined
  ) {
    return yield* usage("there is nothing to send: give --cmd, --msg, --key, --item or --file (--file - reads stdin)")
  }
  const texts: Array<string> = [...words.texts("msg")]
  if (name !== undefined) texts.push((yield* textOf(name)).replace(/\r?\n$/, ""))
  return {
    ...(command === undefined ? {} : { command }),
    items: items.length > 0
      ? yield* Effect.forEach(items, itemOf)
      : [...texts.map((message) => ({ message })), ...words.texts("key").map((key) => ({ key }))]
  } satisfies SendRequest
})

const tell = Effect.fnUntraced(function*(words: Words<Sending>, pane: PaneHandle, report: DeliveryReport) {
  if (words.on("json")) return yield* Output.object(fields(report))
  const { warnings = [] } = report
  if (warnings.length > 0) yield* Output.problem(Layout.warned(warnings))
  if (words.on("quiet")) return
  yield* Output.lines([Layout.sent(`${pane}`, report)])
})

/** Everything that is wrong with the words is told before a runtime is asked. */
const deliver = Effect.fnUntraced(function*<E, R>(
  words: Words<Sending>,
  target: string,
  how: (
    runtime: Service,
    pane: PaneHandle,
    options: SendOptions
  ) => Effect.Effect<DeliveryReport, E, R>
) {
  const options = yield* optionsOf(words)
  const [pane, report] = yield* Selection.using(words.text("runtime"), [target], (runtime) =>
    Effect.gen(function*() {
      const { handle } = yield* runtime.resolve(target)
      return [handle, yield* how(runtime, handle, options)] as const
    }).pipe(Progress.during(`sending to ${target}`)))
  yield* tell(words, pane, report)
})

export const send = Effect.fnUntraced(function*(words: Words<keyof typeof sendSpec.flags>) {
  const request = yield* requestOf(words)
  yield* deliver(words, words.text("pane") ?? "", (runtime, pane, options) => runtime.send(pane, request, options))
})

export const type = Effect.fnUntraced(function*(words: Words<Sending>) {
  const [target = "", text] = words.operands
  const name = words.text("file")
  const { input } = yield* Caller
  if (text !== undefined && name !== undefined) return yield* usage("give the text or --file, not both")
  if (text === undefined && name === undefined && input !== "pipe") {
    return yield* usage("there is nothing to type: give the text, --file, or standard input from a pipe")
  }
  const typed = text ?? (yield* textOf(name ?? "-"))
  yield* deliver(words, target, (runtime, pane, options) => runtime.typeInto(pane, typed, options))
})
