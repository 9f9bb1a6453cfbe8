/** What the short way asks the host for a command, and how that ends. */
import { parse } from "../../cli/syntax/parse.ts"
import { type Spec, type Words, words } from "../../cli/syntax/spec.ts"
import { type Answer, isJson, type Json, type Wire } from "../wire.ts"
import { plain } from "./fields.ts"

/** A failure as the host encodes it, or one that this process found. */
export type Failure =
  | { readonly _tag: "told"; readonly error: unknown }
  /** Of a send: the connection was lost, or the answer cannot be read. */
  | { readonly _tag: "in-doubt"; readonly pane: Json; readonly error?: unknown }

export interface Printed {
  readonly out: string
  readonly err?: string
}

/** What a command printed, or why it failed. Undefined: nothing came of it, and the whole program is asked. */
export type End = Printed | Failure | undefined

export interface Asked {
  /** Panes, each by its handle. */
  readonly targets: ReadonlyArray<string>
  /** What a person who watches is told after a second; absent, it never takes so long. */
  readonly title?: string
  /** `panes`: what the host answered for each target. */
  readonly run: (wire: Wire, panes: ReadonlyArray<Answer>) => Promise<End>
  /** How it ends where the host does not answer, with the message of that; absent, that is its failure. */
  readonly unanswered?: (message: string) => Printed
}

export interface Verb {
  readonly path: ReadonlyArray<string>
  /** The words after the path; undefined: they are for the whole program. */
  readonly read: (rest: ReadonlyArray<string>) => Asked | undefined
}

export const verb = <F extends string>(spec: Spec<F>, ask: (words: Words<F>) => Asked | undefined): Verb => ({
  path: spec.path,
  read: (rest) => {
    const given = parse(spec, rest)
    const { runtime = ["pty"] } = given?.flags ?? {}
    return given === undefined || runtime[0] !== "pty" ? undefined : ask(words(given))
  }
})

export const text = (value: unknown): string => typeof value === "string" ? value : ""

export const texts = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : []

/** As a line, unless there is nothing. */
export const line = (all: string): string => all === "" || all.endsWith("\n") ? all : `${all}\n`

/** What became of an answer that is not `done`: only a failure of the operation is told here. */
const failed = (answer: Answer | undefined): End =>
  answer?._tag === "failed" ? { _tag: "told", error: answer.error } : undefined

/** The one record that was answered. */
export const record = (answer: Answer | undefined, read: (value: Json) => End): End =>
  answer?._tag === "done" && isJson(answer.value) ? read(answer.value) : failed(answer)

/** The handle of the one pane; another one than the text names is for the whole program to see. */
export const withPane = async (
  target: string,
  [pane]: ReadonlyArray<Answer>,
  run: (handle: Json) => Promise<End>
): Promise<End> => {
  const found = pane?._tag === "done" && isJson(pane.value) ? pane.value["handle"] : undefined
  return isJson(found) && plain(found) === target ? run(found) : failed(pane)
}

/** The one pane, as the operand or as `--pane`. */
export const onePane = (words: Words<"pane">): string | undefined => {
  const [pane, ...others] = [...words.operands, ...words.texts("pane")]
  return others.length > 0 ? undefined : pane
}
