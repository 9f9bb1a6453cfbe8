/** The same commands for `effect/cli`: it shows their help and says what is wrong with words that the fast parser left. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Spec from "./spec.ts"

/** The values of a flag, none where it is absent. */
const flag = (name: string, { about, choices, kind, many, metavar, required }: Spec.Flag) => {
  if (kind === "switch") {
    return Flag.Boolean(name).pipe(
      Flag.withDescription(about),
      Flag.withDefault(false),
      Flag.map((on): ReadonlyArray<string> => on ? ["true"] : [])
    )
  }
  const named = choices === undefined ? Flag.String(name) : Flag.Literals(name, choices)
  const one: Flag.Flag<string> = named.pipe(
    Flag.withDescription(required === true ? `${about} (required)` : about),
    metavar === undefined ? (self) => self : Flag.withMetavar(metavar)
  )
  if (many === true) return Flag.atLeast(one, required === true ? 1 : 0)
  return required === true
    ? Flag.map(one, (value): ReadonlyArray<string> => [value])
    : Flag.map(Flag.optional(one), (value): ReadonlyArray<string> => Option.toArray(value))
}

const operand = ({ about, choices, least, most, name }: Spec.Operand): Argument.Argument<ReadonlyArray<string>> => {
  const named = choices === undefined ? Argument.String(name) : Argument.Literals(name, choices)
  const one: Argument.Argument<string> = Argument.withDescription(named, about)
  if (most > 1) return Argument.atLeast(one, least)
  return least === 1
    ? Argument.map(one, (value) => [value])
    : Argument.map(Argument.optional(one), (value) => Option.toArray(value))
}

/** In the order in which the names of flags stand; the values do not tell it. */
const orderIn = (spec: Spec.Spec, words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.flatMap((word) => {
    const name = word.startsWith("--") ? word.slice(2).split("=", 1)[0] ?? "" : ""
    return Object.hasOwn(spec.flags, name) ? [name] : []
  })

const tailOf = (spec: Spec.Spec, words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const dashes = words.indexOf("--")
  return spec.tail === "command" && dashes !== -1 ? words.slice(dashes + 1) : []
}

/** Values of flags that begin as flags do, joined to their names, as `effect/cli` wants them. */
export const joined = (spec: Spec.Spec, words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const out: Array<string> = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ""
    const next = words[at + 1]
    const name = word.startsWith("--") ? word.slice(2) : ""
    const takes = Object.hasOwn(spec.flags, name) && spec.flags[name]?.kind === "text"
    if (takes && next !== undefined) {
      out.push(`${word}=${next}`)
      at++
    } else out.push(word)
  }
  return out
}

/** `given` is called with what was read; `words` are those of the command line, to tell the order of flags. */
export const command = <E, R>(
  spec: Spec.Spec,
  words: ReadonlyArray<string>,
  given: (given: Spec.Given) => Effect.Effect<void, E, R>
) => {
  const name = spec.path[spec.path.length - 1] ?? spec.path[0]
  const flags = Object.fromEntries(Object.entries(spec.flags).map(([name, one]) => [name, flag(name, one)] as const))
  const operands = spec.operands.map(operand)
  return Command.make(name, { flags, operands }, (read) =>
    given({
      flags: Object.fromEntries(Object.entries(read.flags).filter(([, values]) => values.length > 0)),
      operands: read.operands.flat(),
      tail: tailOf(spec, words),
      order: orderIn(spec, joined(spec, words))
    })).pipe(
      Command.withShortDescription(spec.summary),
      Command.withDescription(spec.about.join("\n  ")),
      Command.withExamples([...spec.examples])
    )
}
