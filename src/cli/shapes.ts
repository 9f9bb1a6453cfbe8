/**
 * What `--json` prints, as schemas: `npm run docs:schemas` writes them to docs/schemas as JSON Schema. Absent keys are
 * what is not known. A key may be added; one that is there keeps its name and its meaning.
 */
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as AgentState from "../AgentState.ts"
import * as Lifecycle from "../Lifecycle.ts"
import * as RuntimeError from "../RuntimeError.ts"
import * as Screen from "../Screen.ts"
import * as Send from "../send/records.ts"
import * as Target from "../Target.ts"

const word = (description: string) => Schema.NonEmptyString.annotate({ description })

const pane = word("Handle of a pane, one word, for --pane and TARGET")
const windowHandle = word("Handle of a window, one word")
const mark = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^m1\.[A-Za-z0-9_-]+$/))
).annotate({ description: "A place in the pane's output, one word, for --after" })

const ofWindow = Struct.omit(Target.Window.fields, ["_tag", "handle"])
const ofPane = Struct.omit(Target.Pane.fields, ["_tag", "handle", "window"])
const ofScreen = Struct.omit(Screen.Screen.fields, ["_tag", "mark"])
const ofReport = Struct.omit(Send.DeliveryReport.fields, ["_tag", "mark"])
const ofAgent = Struct.omit(AgentState.AgentObservation.fields, ["_tag", "pane", "mark"])
const ofLifecycle = Struct.omit(Lifecycle.LifecycleObservation.fields, ["_tag", "target"])

const Window = Schema.Struct({ handle: windowHandle, ...ofWindow })
const Pane = Schema.Struct({ handle: pane, window: windowHandle, ...ofPane })
const ScreenShape = Schema.Struct({ ...ofScreen, mark })

const evidence = Schema.Array(Schema.String).annotate({ description: "NAME=value of variables, FILE: key of a file" })
const sighting = { runtime: Schema.String, evidence }

const tags = RuntimeError.RuntimeError.members.map(({ fields }) => fields._tag.schema.literal)

/** By the name of the file. */
export const shapes = {
  "ensure": Window,
  "pane": Pane,
  "sessions": Schema.Struct({ sessions: Schema.Array(Schema.String) }),
  "windows": Schema.Struct({ windows: Schema.Array(Window) }),
  "panes": Schema.Struct({ panes: Schema.Array(Pane) }),
  "probes": Schema.Struct({
    probes: Schema.Array(
      Schema.Struct({
        pane: word("The handle, or the text that was asked for"),
        liveness: Lifecycle.Liveness,
        reason: Schema.optionalKey(Schema.String)
      })
    )
  }),
  "send": Schema.Struct({ ...ofReport, mark }),
  "capture": ScreenShape,
  "wait-output": Schema.Struct({
    text: Schema.String,
    groups: Schema.Array(Schema.String),
    line: Schema.String,
    mark,
    markLost: Schema.Boolean,
    rowsLost: Schema.Boolean
  }),
  "wait-agent": Schema.Struct({ pane, ...ofAgent, mark }),
  "agent-explain": Schema.Struct({
    state: AgentState.AgentState,
    kind: ofAgent.kind,
    agent: ofAgent.agent,
    by: Schema.optionalKey(Schema.Literals(["name", "program", "screen"])),
    rule: Schema.String,
    region: Schema.String,
    excerpt: Schema.String,
    version: Schema.optionalKey(Schema.String),
    confidence: ofAgent.confidence,
    choice: ofAgent.choice,
    composer: Schema.optionalKey(Schema.Struct({ draft: Schema.String, pasted: Schema.Boolean })),
    limit: Schema.optionalKey(Schema.String),
    resetAtMillis: ofAgent.resetAtMillis,
    interrupted: ofAgent.interrupted,
    detail: ofAgent.detail
  }),
  "agent-list": Schema.Struct({
    agents: Schema.Array(
      Schema.Struct({
        pane,
        agent: Schema.String,
        state: AgentState.AgentState,
        kind: ofAgent.kind,
        title: Schema.optionalKey(Schema.String)
      })
    )
  }),
  "agent-list-profiles": Schema.Struct({
    profiles: Schema.Array(
      Schema.Struct({
        name: Schema.String,
        version: Schema.String,
        title: Schema.String,
        file: Schema.optionalKey(Schema.String)
      })
    ),
    problems: Schema.Array(Schema.Struct({ field: Schema.String, reason: Schema.String }))
  }),
  "agent-report": Schema.Struct({
    pane,
    result: Schema.Literals(["taken", "late", "other"]).annotate({
      description: "late: a later report, or none so old, counts; other: reports of another session do"
    })
  }),
  "wait-lifecycle": Schema.Struct({ ...ofLifecycle, target: word("The name or handle") }),
  "close": Schema.Struct({ result: Schema.Literals(["closed", "already-closed"]) }),
  "run": Schema.Struct({
    exitCode: Schema.Int,
    signal: Schema.optionalKey(Schema.String),
    output: Schema.String,
    truncated: Schema.Boolean,
    timedOut: Schema.Boolean,
    pane: Schema.optionalKey(pane)
  }),
  "focus": Schema.Struct({ result: Schema.Literal("focused") }),
  "resize": Schema.Struct({ result: Schema.Literal("resized") }),
  "detect": Schema.Struct({
    runtime: Schema.String,
    reason: Schema.Literals(["explicit", "variable", "config", "preferred", "detected", "default"]),
    prefer: Schema.optionalKey(Schema.Array(Schema.String)),
    evidence,
    detected: Schema.NullOr(Schema.Struct(sighting)),
    lost: Schema.Array(
      Schema.Struct({
        ...sighting,
        reason: Schema.Literals(["outranked", "incomplete"]),
        missing: Schema.Array(Schema.String)
      })
    ),
    thirdParty: Schema.Record(Schema.String, Schema.String).annotate({ description: "Where each is from, by name" }),
    configFiles: Schema.Array(Schema.String)
  }),
  "context": Schema.Struct({
    inRuntime: Schema.Boolean,
    runtime: Schema.String,
    session: Schema.optionalKey(Schema.String),
    window: Schema.optionalKey(windowHandle),
    pane: Schema.optionalKey(pane)
  }),
  "doctor": Schema.Struct({
    runtimes: Schema.Array(
      Schema.Struct({
        runtime: Schema.String,
        usable: Schema.Boolean,
        facts: Schema.Array(Schema.String),
        advice: Schema.Array(Schema.String)
      })
    )
  }),
  "host-start": Schema.Struct({
    pid: Schema.Int,
    started: Schema.Boolean,
    ended: Schema.Int.annotate({ description: "Processes that panes of an earlier host had left" })
  }),
  "host-status": Schema.Struct({
    pid: Schema.Int,
    version: Schema.String,
    startedAtMillis: Schema.Int,
    panes: Schema.Int,
    live: Schema.Int,
    clients: Schema.Int
  }),
  "host-stop": Schema.Struct({
    pid: Schema.optionalKey(Schema.Int),
    result: Schema.Literals(["stopped", "not-running"]),
    ended: Schema.Int
  }),
  "error": Schema.StructWithRest(
    Schema.Struct({
      _tag: Schema.Literals([...tags, "UsageError", "OutputFailed", "UnexpectedFailure"]),
      message: Schema.String,
      retryable: Schema.Boolean,
      exitCode: Schema.Int
    }),
    [Schema.Record(Schema.String, Schema.Json)]
  )
}
