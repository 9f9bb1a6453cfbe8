/** Whether there is a tmux that can be used, and what its version lacks. Starts no server. */
import * as Effect from "effect/Effect"
import type { Examination } from "../../src/RuntimeRegistry.ts"
import * as Programs from "../internal/programs.ts"
import type { NoAnswer } from "./failures.ts"
import * as Forked from "./forked.ts"
import { print } from "./transport.ts"
import * as Version from "./version.ts"

const told = (usable: boolean, facts: ReadonlyArray<string>, advice: ReadonlyArray<string> = []): Examination => ({
  usable,
  facts,
  advice
})

/** What panes of programs that end need, on the PATH that the server gives them. */
const withHolder = (examination: Examination, path: string): Examination =>
  !examination.usable || Programs.find("perl", "/", path) === "found" ? examination : {
    ...examination,
    facts: [...examination.facts, "perl is missing: the last rows of a program that prints much and ends can be lost"],
    advice: [...examination.advice, "install perl"]
  }

const upgrade = "upgrade tmux to 3.2 or newer"

/** A version that is refused, or what it does without. */
const judged = (what: string, version: Version.Version | undefined): Examination => {
  const support = Version.support(version)
  if (support === "refused") return told(false, [what, "it is older than 3.0"], [upgrade])
  const without = Version.missing(version)
  const facts = without.length === 0 ? [what] : [what, `its version lacks: ${without.join("; ")}`]
  return told(true, facts, support === "degraded" ? [upgrade] : [])
}

export const examine = (options: Forked.Options): Effect.Effect<Examination> =>
  Effect.gen(function*() {
    const { path } = options.server
    const own = Version.parse((yield* Forked.exec(options, ["-V"])).stdout)
    const { life } = yield* Forked.make(options).run([print("")])
    const what = `a server of tmux ${life.version?.text ?? "of no known version"} runs at ${path}`
    const judgement = judged(what, life.version)
    return own?.text === life.version?.text
      ? judgement
      : told(judgement.usable, [...judgement.facts, `the program tmux is ${own?.text ?? "of no known version"}`])
  }).pipe(
    Effect.catchTags({
      OtherServer: () => Effect.succeed(told(true, [`the server at ${options.server.path} was just started anew`])),
      NoAnswer: (error) =>
        error.reason === "not-running"
          ? Effect.map(
            Effect.option(Forked.exec(options, ["-V"])),
            (answered) =>
              judged(
                `no server runs at ${options.server.path}: the first pane that is opened starts it`,
                Version.parse(answered._tag === "Some" ? answered.value.stdout : "")
              )
          )
          : Effect.succeed(unusable(error))
    }),
    Effect.map((examination) => withHolder(examination, options.env["PATH"] ?? ""))
  )

export const unusable = ({ detail, reason }: NoAnswer): Examination =>
  told(
    false,
    [detail],
    [reason === "missing-program" ? "install tmux, or name it in the config file as tmux: {binary: PATH}" : detail]
  )
