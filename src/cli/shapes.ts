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
