/** Every command on panes, once: its words, and what it does. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import type { RuntimeError } from "../RuntimeError.ts"
import { Caller, type OutputClosed, type OutputFailed } from "./Caller.ts"
import * as Agent from "./commands/agent.ts"
import { attach } from "./commands/attach.ts"
import { capture } from "./commands/capture.ts"
import * as Listing from "./commands/listing.ts"
import * as Managing from "./commands/managing.ts"
import * as Opening from "./commands/opening.ts"
import { run } from "./commands/run.ts"
import { send } from "./commands/send.ts"
import { type } from "./commands/type.ts"
import * as Wait from "./commands/wait.ts"
import * as Parse from "./syntax/parse.ts"
import { type Given, type Spec, type Words, words } from "./syntax/spec.ts"
import { usage, type UsageError } from "./usage.ts"

/** What an action may fail with and needs. */
export type Action = Effect.Effect<
  void,
  RuntimeError | UsageError | OutputClosed | OutputFailed,
  Caller | FileSystem.FileSystem | Path.Path
>

export interface Verb {
  readonly spec: Spec
  readonly run: (given: Given) => Action
}

const unreadable = () => usage("an argument is not UTF-8: it would name or type something else")

/** The action is loaded when the command is given. */
const verb = <F extends string>(spec: Spec<F>, load: () => Promise<(words: Words<F>) => Action>): Verb => ({
  spec,
  run: (given) =>
    Effect.flatMap(
      Caller,
      ({ readable }) =>
        readable ? Effect.flatMap(Effect.promise(load), (execute) => execute(words(given))) : unreadable()
    )
})

const agent = () => import("./actions/agent.ts")
const listing = () => import("./actions/listing.ts")
const managing = () => import("./actions/managing.ts")
const opening = () => import("./actions/opening.ts")
const sending = () => import("./actions/sending.ts")
const waiting = () => import("./actions/waiting.ts")

/** In the order of the help. */
export const verbs: ReadonlyArray<Verb> = [
  verb(run, async () => (await import("./actions/run.ts")).run),
  verb(Opening.ensure, async () => (await opening()).ensure),
  verb(Opening.prepare, async () => (await opening()).prepare),
  verb(Opening.spawn, async () => (await opening()).spawn),
  verb(send, async () => (await sending()).send),
  verb(type, async () => (await sending()).type),
  verb(capture, async () => (await import("./actions/capture.ts")).capture),
  verb(Wait.output, async () => (await waiting()).output),
  verb(Wait.agent, async () => (await waiting()).agent),
  verb(Wait.lifecycle, async () => (await waiting()).lifecycle),
  verb(Wait.stable, async () => (await waiting()).stable),
  verb(Agent.explain, async () => (await agent()).explain),
  verb(Agent.list, async () => (await agent()).list),
  verb(Agent.watch, async () => (await agent()).watch),
  verb(Agent.report, async () => (await import("./actions/agentReport.ts")).report),
  verb(Listing.sessions, async () => (await listing()).sessions),
  verb(Listing.windows, async () => (await listing()).windows),
  verb(Listing.panes, async () => (await listing()).panes),
  verb(Managing.probe, async () => (await managing()).probe),
  verb(Managing.describe, async () => (await managing()).describe),
  verb(Managing.focus, async () => (await managing()).focus),
  verb(Managing.resize, async () => (await managing()).resize),
  verb(attach, async () => (await import("./actions/attach.ts")).attach),
  verb(Managing.close, async () => (await managing()).close)
]

/** The command that the words name, and the words after its name. */
export const find = (
  all: ReadonlyArray<string>
): { readonly verb: Verb; readonly rest: ReadonlyArray<string> } | undefined => {
  const verb = verbs.find(({ spec }) => spec.path.every((word, at) => all[at] === word))
  return verb === undefined ? undefined : { verb, rest: all.slice(verb.spec.path.length) }
}

/** What the words do, where they are well-formed and ask for no help. */
export const read = (all: ReadonlyArray<string>): Action | undefined => {
  const found = find(all)
  const given = found === undefined ? undefined : Parse.parse(found.verb.spec, found.rest)
  return found === undefined || given === undefined ? undefined : found.verb.run(given)
}

/** Whether `--json` is among the words as a flag: a text that is sent may look like it. */
export const wantsJson = (all: ReadonlyArray<string>): boolean => {
  const found = find(all)
  const given = found === undefined ? undefined : Parse.parse(found.verb.spec, found.rest)
  const dashes = all.indexOf("--")
  return given === undefined
    ? all.slice(0, dashes === -1 ? undefined : dashes).includes("--json")
    : given.flags["json"] !== undefined
}
