/**
 * The shortest way of a command to the host and back, for scripts that call it often: no runtime, no schema, no config.
 *
 * It does a command only where nothing can make a difference: its words are well-formed, the pane is one of the host by
 * its handle, no config file is there, nobody watches, and the host answers as it should. Otherwise it has done nothing,
 * and the whole program does the same with all its care.
 */
import { capture } from "../cli/commands/capture.ts"
import { panes } from "../cli/commands/listing.ts"
import { probe } from "../cli/commands/managing.ts"
import { send } from "../cli/commands/send.ts"
import { output } from "../cli/commands/wait.ts"
import * as Layout from "../cli/layout.ts"
import { parse } from "../cli/syntax/parse.ts"
import { type Given, type Spec, type Words, words as wordsOf } from "../cli/syntax/spec.ts"
import { withoutControls } from "../internal/controls.ts"
import { print } from "../target/words.ts"
import { configured, hostSocket, isWatched, namesRuntime } from "./surroundings.ts"
import { type Answer, isJson, type Json, open, protocolVersion, type Wire } from "./wire.ts"

/** A pane of the host at its usual place. */
const ofHost = /^pty:[^~]+~[0-9a-f]{10}$/

/** How a command ended: its exit code and what it printed, or the answer of an operation that failed. */
type End =
  | { readonly code: number; readonly out: string; readonly err?: string }
  | { readonly failed: Answer }
  | undefined

interface Asked {
  /** Panes, each by its handle. */
  readonly targets: ReadonlyArray<string>
  readonly run: (wire: Wire, panes: ReadonlyArray<Json>) => Promise<End>
}

const handleOf = (pane: unknown): Json | undefined => {
  const handle = isJson(pane) ? pane["handle"] : undefined
  return isJson(handle) ? handle : undefined
}

const line = (text: string): string => text === "" || text.endsWith("\n") ? text : `${text}\n`

const text = (value: unknown): string => typeof value === "string" ? value : ""

const texts = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : []

/** The operation's answer as an end; a failure is told, for it may have taken its time. */
const ended = (answer: Answer, read: (value: Json) => End): End =>
  answer._tag === "done" && isJson(answer.value)
    ? read(answer.value)
    : answer._tag === "failed"
    ? { failed: answer }
    : undefined

const capturing = (words: Words<keyof typeof capture.flags>): Asked | undefined => {
  const [lines, ...others] = [...words.texts("lines"), ...words.texts("visible"), ...words.texts("full")]
  const targets = [...words.operands, ...words.texts("pane")]
  const tail = words.text("lines")
  if (others.length > 0 || targets.length !== 1 || (tail !== undefined && !/^[1-9]\d{0,8}$/.test(tail))) {
    return undefined
  }
  const range = tail !== undefined
    ? { tail: Number(tail) }
    : lines === undefined
    ? undefined
    : words.on("full")
    ? "full"
    : "visible"
  const ansi = words.on("ansi")
  return {
    targets,
    run: async (wire, [pane]) =>
      ended(await wire.ask("capture", { pane, range, ansi }), ({ rows }) => ({
        code: 0,
        out: line(Layout.screen(texts(rows), ansi))
      }))
  }
}

/** Milliseconds: other senders come first, and the host gives up by itself before that. */
const longestSend = 120_000

const inDoubt = (pane: string): End => ({
  code: 7,
  out: "",
  err: `paneway: delivery to ${pane} is in doubt after submit (look at the pane; do not send it again)\n`
})

/** Only the usual forms; once it was asked, nothing is asked again. */
const sending = (words: Words<keyof typeof send.flags>): Asked | undefined => {
  const usual = new Set(["pane", "cmd", "msg", "key", "quiet", "runtime"])
  const [pane = "", command] = [words.text("pane"), words.text("cmd")]
  const [messages, keys] = [words.texts("msg"), words.texts("key")]
  const early = command !== undefined && keys.length > 0 && words.order.indexOf("key") < words.order.indexOf("cmd")
  const empty = command === undefined && messages.length + keys.length === 0
  if (early || empty || words.order.some((name) => !usual.has(name))) return undefined
  const items = [...messages.map((message) => ({ message })), ...keys.map((key) => ({ key }))]
  return {
    targets: [pane],
    run: async (wire, [handle]) => {
      const options = { allowNewlines: false, sanitize: false }
      const answer = await wire.ask("send", { pane: handle, request: { command, items }, options }, longestSend)
      if (answer._tag === "failed") return { failed: answer }
      const report = answer._tag === "done" && isJson(answer.value) ? answer.value : {}
      const { droppedTrailingEnter, evidence, outcome } = report
      // whatever it says instead, it may have been typed
      if (typeof outcome !== "string" || typeof evidence !== "string") return inDoubt(pane)
      const warnings = texts(report["warnings"])
      const told = { outcome, evidence, droppedTrailingEnter: droppedTrailingEnter === true }
      return {
        code: 0,
        out: words.on("quiet") ? "" : `${Layout.sent(pane, told)}\n`,
        err: warnings.length === 0 ? "" : `paneway: ${Layout.warned(warnings)}\n`
      }
    }
  }
}

/** Milliseconds of a wait, a day at most: a timer takes no more than 24 of them. */
const longestWait = 86_400_000

const milliseconds = (text: string | undefined): number | undefined => {
  const [, amount, unit = ""] = /^(\d+)(ms|s|m)?$/.exec(text ?? "30") ?? []
  const all = amount === undefined ? undefined : Number(amount) * (unit === "ms" ? 1 : unit === "m" ? 60_000 : 1000)
  return all === undefined || all > longestWait ? undefined : all
}

const expression = (source: string): Json | undefined => {
  try {
    return { source: new RegExp(source, "u").source, flags: "u" }
  } catch {
    return undefined
  }
}

const waiting = (words: Words<keyof typeof output.flags>): Asked | undefined => {
  const timeout = milliseconds(words.text("timeout"))
  const [match, regex] = [words.text("match"), words.text("regex")]
  const targets = [...words.operands, ...words.texts("pane")]
  const pattern = regex === undefined ? match : expression(regex)
  if (timeout === undefined || targets.length !== 1 || !pattern || words.on("after")) return undefined
  if (match !== undefined && regex !== undefined) return undefined
  return {
    targets,
    run: async (wire, [pane]) =>
      ended(await wire.ask("waitOutput", { pane, pattern, timeout }, timeout + 5000), (found) => ({
        code: 0,
        out: `${withoutControls(String(found["line"]))}\n`
      }))
  }
}

const probing = (words: Words<keyof typeof probe.flags>): Asked => ({
  targets: words.operands,
  run: async (wire, handles) => {
    const answer = await wire.ask("probe", { panes: handles })
    const probes: ReadonlyArray<unknown> = answer._tag === "done" && Array.isArray(answer.value) ? answer.value : []
    const rows = probes.flatMap((one, at) =>
      isJson(one) ? [[words.operands[at] ?? "", text(one["liveness"]), text(one["reason"])]] : []
    )
    return rows.length < handles.length
      ? undefined
      : { code: 0, out: Layout.table(rows).map((row) => `${row}\n`).join("") }
  }
})

const rowOf = (pane: unknown): ReadonlyArray<string> | undefined => {
  const handle = handleOf(pane)
  if (handle === undefined || !isJson(pane) || pane["exit"] !== undefined) return undefined
  const { host, id, incarnation, runtime, scope } = handle
  const word = print("pane", {
    host: text(host),
    id: text(id),
    incarnation: text(incarnation),
    runtime: text(runtime),
    scope: text(scope)
  })
  return Layout.paneRow(word, { command: text(pane["command"]), cwd: text(pane["cwd"]), title: text(pane["title"]) })
}

const listing = (words: Words<keyof typeof panes.flags>): Asked | undefined =>
  words.order.some((name) => name !== "runtime") || (words.order.length === 0 && namesRuntime(process.env)) ?
    undefined :
    {
      targets: [],
      run: async (wire) => {
        const answer = await wire.ask("listPanes", {})
        if (answer._tag !== "done" || !Array.isArray(answer.value)) return undefined
        const rows = answer.value.map(rowOf)
        const known = rows.filter((row) => row !== undefined)
        return known.length < rows.length
          ? undefined
          : { code: 0, out: Layout.table(known).map((row) => `${row}\n`).join("") }
      }
    }

const reads = <F extends string>(spec: Spec<F>, ask: (words: Words<F>) => Asked | undefined) => ({
  path: spec.path,
  read: (rest: ReadonlyArray<string>): Asked | undefined => {
    const given: Given | undefined = parse(spec, rest)
    if (given === undefined || given.flags["json"] !== undefined) return undefined
    const { runtime = ["pty"] } = given.flags
    return runtime[0] === "pty" ? ask(wordsOf(given)) : undefined
  }
})

const verbs = [
  reads(send, sending),
  reads(capture, capturing),
  reads(output, waiting),
  reads(probe, probing),
  reads(panes, listing)
]

const find = (all: ReadonlyArray<string>): Asked | undefined => {
  const verb = verbs.find(({ path }) => path.every((word, at) => all[at] === word))
  const asked = verb?.read(all.slice(verb.path.length))
  return asked?.targets.every((target) => ofHost.test(target)) === true ? asked : undefined
}

const hello = { protocol: protocolVersion, version: "unknown" }

const askHost = async (wire: Wire, { run, targets }: Asked): Promise<End> => {
  const [greeted, ...resolved] = await Promise.all([
    wire.ask("hello", hello),
    ...targets.map((text) => wire.ask("resolve", { text }))
  ])
  if (greeted?._tag !== "done" || !isJson(greeted.value)) return undefined
  const { protocol, runtime } = greeted.value
  if (protocol !== protocolVersion || runtime !== "pty") return undefined
  const handles = resolved.map((answer) => answer._tag === "done" ? handleOf(answer.value) : undefined)
    .filter((handle) => handle !== undefined)
  return handles.length < targets.length ? undefined : run(wire, handles)
}

const write = (stream: NodeJS.WriteStream, all: string): Promise<boolean> =>
  all === "" ? Promise.resolve(true) : new Promise((resolve) => {
    stream.on("error", () => resolve(false))
    stream.write(all, (error) => resolve(!error))
  })

/** As a shell shows the death by SIGPIPE. */
const outputClosed = 141

/** Whether the command is done; the process ends with its code then. */
export const answer = async (words: ReadonlyArray<string>): Promise<boolean> => {
  const asked = find(words)
  const socket = asked === undefined || isWatched() || configured() ? undefined : hostSocket()
  const wire = socket === undefined ? undefined : await open(socket)
  if (asked === undefined || wire === undefined) return false
  const end = await askHost(wire, asked)
  wire.close()
  if (end === undefined) return false
  if ("failed" in end) {
    const { told } = await import("./hotFailure.ts")
    process.exit(await told(words, end.failed))
  }
  await write(process.stderr, end.err ?? "")
  process.exit(await write(process.stdout, end.out) ? end.code : outputClosed)
}
