/**
 * The form of a profile.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { fault } from "./expressions.ts"

/**
 * A regular expression; `@spinner` stands for one that is known, alone or as one of several: `@spinner|^busy`.
 *
 * @category models
 * @since 0.1.0
 */
export const Expression = Schema.NonEmptyString.pipe(
  Schema.check(Schema.makeFilter((source) => fault(source)))
)

const Expressions = Schema.Array(Expression)
const Name = Schema.String.pipe(Schema.check(Schema.isPattern(/^[a-z][a-z0-9-]{0,31}$/)))
const Count = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 1000 })))
const Millis = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 600_000 })))

/**
 * Parts of a screen. `live` are the last rows of the last turn that stand as far left as a status line does, `last` is
 * its last paragraph, `dialog` goes from a dialog to the end of the screen, `tail` is the end of a screen that has no
 * composer. A rule never sees the transcript above these.
 *
 * @category models
 * @since 0.1.0
 */
export const Region = Schema.Literals(["live", "last", "dialog", "composer", "footer", "tail", "title"])

/**
 * @category models
 * @since 0.1.0
 */
export type Region = typeof Region.Type

/**
 * What a blocked agent asks for.
 *
 * @category models
 * @since 0.1.0
 */
export const Kind = Schema.Literals(["trust", "permission", "choice", "login", "usage-limit", "update"])

/**
 * @category models
 * @since 0.1.0
 */
export type Kind = typeof Kind.Type

/**
 * One rule: it decides where one of `any`, all of `all` and none of `not` is in its region. Among rules of one state the
 * greatest priority decides; blocked goes before working, and working before idle. `unknown` forbids idle.
 *
 * @category models
 * @since 0.1.0
 */
export class Rule extends Schema.Class<Rule>("paneway/agent/Rule")({
  id: Name,
  state: Schema.Literals(["starting", "working", "blocked", "unknown"]),
  kind: Schema.optionalKey(Kind),
  region: Region,
  priority: Schema.optionalKey(Schema.Int),
  any: Schema.optionalKey(Expressions),
  all: Schema.optionalKey(Expressions),
  not: Schema.optionalKey(Expressions)
}) {}

/**
 * How to know the program. `scripts` are tested on the path of what an interpreter runs, `screen` on a screen whose
 * program is not known.
 *
 * @category models
 * @since 0.1.0
 */
export const Recognition = Schema.Struct({
  commands: Schema.Array(Schema.NonEmptyString),
  scripts: Schema.optionalKey(Expressions),
  screen: Schema.optionalKey(Expressions)
})

/**
 * Where a prompt is typed: between lines across (`box`), beside an upright line (`bar`), or after a prompt (`line`).
 *
 * @category models
 * @since 0.1.0
 */
export const ComposerShape = Schema.Struct({
  forms: Schema.NonEmptyArray(Schema.Literals(["box", "bar", "line"])),
  /** What stands before the text, at least one of them. Absent: nothing has to. */
  prompt: Schema.optionalKey(Schema.NonEmptyArray(Expression)),
  /** So many rows at most stand below it. */
  footer: Schema.optionalKey(Count),
  /** Texts that stand in it while it is empty. */
  placeholder: Schema.optionalKey(Expressions),
  /** Stands for text that was pasted. */
  pasted: Schema.optionalKey(Expressions),
  /** One of them has to stand in it, in its lines, or below it. */
  ready: Schema.optionalKey(Expressions),
  /** True: a text stands in the lines around it. */
  labelled: Schema.optionalKey(Schema.Boolean),
  /** True: its text begins at the left edge of its first row; what begins elsewhere is something else in its place. */
  flush: Schema.optionalKey(Schema.Boolean),
  /** True: it is ready only while the cursor is in it, or, where no cursor is known, while it is empty. */
  cursor: Schema.optionalKey(Schema.Boolean),
  /** A row that stands below it only: where no cursor is known, it proves it with a draft in it too. */
  status: Schema.optionalKey(Expressions)
})

/**
 * What a prompt needs.
 *
 * @category models
 * @since 0.1.0
 */
export const Prompting = Schema.Struct({
  /** Time between a text and its submission. */
  settleMillis: Schema.optionalKey(Millis),
  /** More of it for each kilobyte. */
  settleMillisPerKilobyte: Schema.optionalKey(Millis),
  submit: Schema.optionalKey(Schema.NonEmptyString),
  newline: Schema.optionalKey(Schema.NonEmptyString),
  interrupt: Schema.optionalKey(Schema.NonEmptyString),
  clear: Schema.optionalKey(Schema.NonEmptyString)
})

/**
 * Times over which a state is confirmed.
 *
 * @category models
 * @since 0.1.0
 */
export const Timing = Schema.Struct({
  /** The end of work has to be seen for so long. */
  confirmMillis: Schema.optionalKey(Millis),
  /** Work without a change for so long is stalled. */
  stallMillis: Schema.optionalKey(Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)))),
  /** Without a composer it is starting for so long. */
  startMillis: Schema.optionalKey(Millis)
})

/**
 * What is known of one agent.
 *
 * @category models
 * @since 0.1.0
 */
export class AgentProfile extends Schema.Class<AgentProfile>("paneway/agent/AgentProfile")({
  name: Name,
  title: Schema.optionalKey(Schema.String),
  /** Changes with its rules; every verdict says it. */
  version: Schema.NonEmptyString,
  recognise: Recognition,
  composer: ComposerShape,
  /** How far right a status line may stand. */
  statusIndent: Schema.optionalKey(Count),
  /** Rows between the transcript and the composer that say nothing of the work. */
  chrome: Schema.optionalKey(Expressions),
  /** What a prompt looks like in the transcript: while it is the last there, it is not answered. */
  sent: Schema.optionalKey(Expressions),
  /** What a prompt looks like in the transcript where an answer may look like it: a turn begins there. Default: `sent`. */
  turns: Schema.optionalKey(Expressions),
  /** The last paragraph of work that was interrupted. */
  interrupted: Schema.optionalKey(Expressions),
  rules: Schema.Array(Rule),
  /** Rules that all agents share and that do not hold for this one, by their id. */
  without: Schema.optionalKey(Schema.Array(Schema.String)),
  prompting: Schema.optionalKey(Prompting),
  timing: Schema.optionalKey(Timing)
}) {}

/**
 * @category constructors
 * @since 0.1.0
 */
export type Encoded = typeof AgentProfile.Encoded

/**
 * A profile from data that is known to be right, as the built-in ones are.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: (profile: Encoded) => AgentProfile = Schema.decodeSync(AgentProfile)
