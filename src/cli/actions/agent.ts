/** What `paneway agent` does. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import type * as AgentDetector from "../../agent/AgentDetector.ts"
import type { Shown } from "../../agent/AgentProfile.ts"
import * as AgentState from "../../AgentState.ts"
import type { Service } from "../../Contract.ts"
import type { Pane } from "../../Target.ts"
import * as Agents from "../agents.ts"
import { Caller } from "../Caller.ts"
import type * as Spec from "../commands/agent.ts"
import * as Output from "../output.ts"
import * as Selection from "../selection.ts"
import type { Words } from "../syntax/spec.ts"
import { usage } from "../usage.ts"
import * as Values from "../values.ts"
import { fields, plain } from "../words.ts"

type Detector = AgentDetector.AgentDetector["Service"]

/** The rows of a screen in a file. */
const inFile = Effect.fnUntraced(function*(file: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { cwd } = yield* Caller
  const place = path.resolve(cwd, file)
  const text = yield* Effect.gen(function*() {
    const { type } = yield* fs.stat(place)
    // it may have no end, and to read it cannot be interrupted
    return type === "File" ? yield* fs.readFileString(place) : yield* usage(`--screen ${file}: it is no file`)
  }).pipe(
    Effect.catchTag("PlatformError", ({ reason }) => usage(`--screen ${file} cannot be read: ${reason._tag}`))
  )
  return text.replaceAll("\r\n", "\n").replace(/\n$/, "").split("\n")
})

const shownIn = Effect.fnUntraced(function*(runtime: Service, pane: Pane) {
  const { alternate, cursor, origin, rows } = yield* runtime.capture(pane.handle, { range: "visible" })
  return {
    rows,
    alternate,
    title: pane.title,
    cursor: cursor === undefined || origin === undefined
      ? undefined
      : { row: cursor.row - origin, column: cursor.column }
  } satisfies Shown
})

const explainPane = Effect.fnUntraced(function*(
  detector: Detector,
  runtime: Service,
  pane: Pane,
  agent?: string
) {
  const shown = yield* shownIn(runtime, pane)
  const program = Option.getOrUndefined(yield* detector.program(pane))
  return yield* detector.explain(shown, { agent, program })
})

const document = Effect.fnUntraced(function*(found: Option.Option<AgentDetector.Explained>) {
  if (Option.isNone(found)) {
    return {
      state: "unknown",
      rule: "none",
      region: "screen",
      excerpt: "",
      confidence: "guess",
      detail: "no agent is known here: name one with --agent"
    }
  }
  const { by, resetAtMillis, verdict } = found.value
  return fields({ ...verdict, by, ...(resetAtMillis === undefined ? {} : { resetAtMillis }) })
})

/** Any of them will do: what it is now is told at once. */
const states = AgentState.AgentState.literals

/** By its screen; what the agent reported itself comes first, where the runtime is told. */
const listed = Effect.fnUntraced(function*(detector: Detector, runtime: Service, pane: Pane) {
  const explained = yield* explainPane(detector, runtime, pane)
  if (Option.isNone(explained) || explained.value.verdict.agent === "shell") return []
  const { agent, kind, state } = explained.value.verdict
  const seen = { pane: pane.handle, agent, state, kind, title: pane.title }
  if (runtime.capabilities.agentState === "none") return [seen]
  const told = yield* Effect.option(runtime.waitAgent(pane.handle, { states, timeout: "2 seconds" }))
  return [
    Option.isSome(told) && told.value.source === "agent-protocol"
      ? { ...seen, kind: told.value.kind, state: told.value.state }
      : seen
  ]
})

const shownLine = (value: unknown) => typeof value === "string" ? value : JSON.stringify(value)

export const explain = Effect.fnUntraced(function*(words: Words<keyof typeof Spec.explain.flags>) {
  const file = words.text("screen")
  const agent = words.text("agent")
  const detector = yield* Agents.detector
  if (agent !== undefined) {
    const { profiles } = yield* Agents.profiles
    if (!profiles.some(({ name }) => name === agent)) {
      return yield* usage(`--agent ${agent} is not known: choose one of ${profiles.map(({ name }) => name).join(", ")}`)
    }
  }
  if (file !== undefined && (words.on("pane") || words.operands.length > 0)) {
    return yield* usage("give a pane or --screen, not both")
  }
  const found = file === undefined
    ? yield* Effect.flatMap(
      Values.pane(words),
      (text) =>
        Selection.using(
          words.text("runtime"),
          [text],
          (runtime) => Effect.flatMap(runtime.resolve(text), (pane) => explainPane(detector, runtime, pane, agent))
        )
    )
    : yield* Effect.flatMap(inFile(file), (rows) => detector.explain({ rows }, { agent }))
  const told = yield* document(found)
  yield* words.on("json")
    ? Output.object(told)
    : Output.table(Object.entries(told).map(([key, value]) => [key, shownLine(value)]))
})

export const list = Effect.fnUntraced(function*(words: Words<keyof typeof Spec.list.flags>) {
  if (words.on("profiles")) {
    const { files, problems, profiles } = yield* Agents.profiles
    const rows = profiles.map(({ name, title = "", version }) => ({
      name,
      version,
      title,
      file: files.findLast(({ agents }) => agents.includes(name))?.path
    }))
    if (words.on("json")) {
      return yield* Output.object({
        profiles: plain(rows),
        problems: problems.map(({ field, reason }) => ({ field, reason }))
      })
    }
    yield* Output.table(rows.map(({ file, name, title, version }) => [name, version, title, file ?? ""]))
    return yield* Effect.forEach(problems, ({ message }) => Output.problem(message), { discard: true })
  }
  const detector = yield* Agents.detector
  const all = yield* Selection.using(
    words.text("runtime"),
    [],
    (runtime) =>
      Effect.flatMap(
        runtime.listPanes(),
        (panes) =>
          Effect.forEach(
            panes.filter(({ exit }) => exit === undefined),
            // a pane may close between the list and the look
            (pane) => Effect.catchTag(listed(detector, runtime, pane), "TargetNotFound", () => Effect.succeed([]))
          )
      )
  )
  const agents = all.flat()
  if (words.on("json")) return yield* Output.object({ agents: plain(agents) })
  yield* Output.table(
    agents.map((
      { agent, kind, pane, state, title = "" }
    ) => [`${pane}`, agent, kind === undefined ? state : `${state} (${kind})`, title])
  )
})

/** Agents of these panes, or of all that there are and come: of those only what was an agent once, and no shell. */
const changesIn = Effect.fnUntraced(function*(runtime: Service, given: ReadonlyArray<string>) {
  if (given.length > 0) {
    const panes = yield* Effect.forEach(given, (text) => runtime.resolve(text))
    return runtime.agents(panes.map(({ handle }) => handle))
  }
  const known = new Set<string>()
  return runtime.events.pipe(
    Stream.flatMap(
      (event) => event._tag === "PaneOpened" ? runtime.agents([event.pane.handle]) : Stream.empty,
      { concurrency: "unbounded" }
    ),
    Stream.filter(({ agent, pane }) => {
      if (agent !== undefined && agent !== "shell") known.add(`${pane}`)
      return known.has(`${pane}`)
    })
  )
})

export const watch = Effect.fnUntraced(function*(words: Words<keyof typeof Spec.watch.flags>) {
  const given = words.operands
  yield* Selection.using(words.text("runtime"), given, (runtime) =>
    Effect.gen(function*() {
      yield* Stream.runForEach(yield* changesIn(runtime, given), (seen) => {
        const { agent = "", kind, pane, state } = seen
        return words.on("json")
          ? Output.object(fields(seen))
          : Output.lines([[`${pane}`, kind === undefined ? state : `${state} (${kind})`, agent].join("  ").trimEnd()])
      })
    }).pipe(Agents.sensing(runtime)))
})
