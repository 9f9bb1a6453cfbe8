/** What may stand where on the command line: the same for the scripts of all shells. */
import * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import type * as GlobalFlag from "effect/cli/GlobalFlag"

/** What a value is completed with; `text` is anything, so nothing. Words mean themselves in every shell. */
export type Value =
  | { readonly _tag: "words"; readonly words: ReadonlyArray<string> }
  | { readonly _tag: "directories" }
  | { readonly _tag: "files" }
  | { readonly _tag: "text" }

export interface Flag {
  readonly forms: readonly [string, ...Array<string>]
  readonly description: string
  /** Absent where the flag takes none as the next word. */
  readonly value: Value | undefined
}

/** The command line after a subcommand, or after the program's name. */
export interface Place {
  /** The subcommands before it, a blank before each. */
  readonly path: string
  readonly flags: ReadonlyArray<Flag>
  readonly commands: ReadonlyArray<{ readonly name: string; readonly description: string }>
  /** What stands there without being a flag or a command. */
  readonly operand: Value
  /** Another command line follows after `--`. */
  readonly runs: boolean
}

const text: Value = { _tag: "text" }

const valueOf = (type: Completions.FlagType): Value => {
  if (type._tag === "Choice") return { _tag: "words", words: type.values.filter((word) => /^[\w.,/@%+-]+$/.test(word)) }
  if (type._tag !== "Path") return text
  return { _tag: type.pathType === "directory" ? "directories" : "files" }
}

const firstLine = (description: string | undefined): string => (description ?? "").trim().split("\n")[0] ?? ""

const flagOf = ({ aliases, description, name, optionalValue, type }: Completions.FlagDescriptor): Flag => ({
  forms: [`--${name}`, ...aliases.map((alias) => alias.length === 1 ? `-${alias}` : `--${alias}`)],
  description: firstLine(description),
  value: type._tag === "Boolean" || optionalValue === true ? undefined : valueOf(type)
})

/** The place of a command and those of its subcommands. */
export const places = (command: Completions.CommandDescriptor, path = ""): ReadonlyArray<Place> => {
  const runs = command.arguments.some(({ name, variadic }) => variadic && name === "command")
  const operand = command.arguments.map(({ type }) => valueOf(type)).find(({ _tag }) => _tag !== "text")
  return [
    {
      path,
      flags: command.flags.map(flagOf),
      commands: command.subcommands.map(({ description, name }) => ({ name, description: firstLine(description) })),
      operand: runs ? { _tag: "words", words: ["--"] } : operand ?? text,
      runs
    },
    ...command.subcommands.flatMap((subcommand) => places(subcommand, `${path} ${subcommand.name}`))
  ]
}

/** Flags that any text is parsed for, because the runtime tells what is wrong with it, and what is right for them. */
const known = (runtimes: ReadonlyArray<string>) =>
  new Map<string, Completions.FlagType>([
    ["root", { _tag: "Path", pathType: "directory" }],
    ["runtime", { _tag: "Choice", values: runtimes }]
  ])

const amend = (
  command: Completions.CommandDescriptor,
  global: ReadonlyArray<Completions.FlagDescriptor>,
  types: ReadonlyMap<string, Completions.FlagType>
): Completions.CommandDescriptor => ({
  ...command,
  flags: [...command.flags, ...global].map(({ aliases, description, name, optionalValue, type }) => ({
    name,
    aliases,
    description,
    type: types.get(name) ?? type,
    optionalValue,
    negation: false // --help does not tell it either
  })),
  subcommands: command.subcommands.map((subcommand) => amend(subcommand, global, types))
})

/** The command with global flags in every place, and with the values of flags that any text is parsed for. */
export const make = (
  command: Command.Command.Any,
  builtIns: ReadonlyArray<GlobalFlag.BuiltIn>,
  runtimes: ReadonlyArray<string>
): Completions.CommandDescriptor => {
  const global = Command.make("global", Object.fromEntries(builtIns.map(({ flag }, n) => [`${n}`, flag])))
  return amend(Completions.fromCommand(command), Completions.fromCommand(global).flags, known(runtimes))
}

/** Each subcommand with what is before it, as in ` run`. */
export const commandKeys = (all: ReadonlyArray<Place>): ReadonlyArray<string> =>
  all.flatMap(({ commands, path }) => commands.map(({ name }) => `${path} ${name}`))

/** Each flag whose value is the next word with what is before it, as in ` run --root`, by what the value is. */
export const valueKeys = (all: ReadonlyArray<Place>): ReadonlyArray<{ keys: ReadonlyArray<string>; value: Value }> => {
  const groups = new Map<string, { keys: Array<string>; value: Value }>()
  for (const { flags, path } of all) {
    for (const { forms, value } of flags) {
      if (value === undefined) continue
      const id = JSON.stringify(value)
      const group = groups.get(id) ?? { keys: [], value }
      groups.set(id, group)
      group.keys.push(...forms.map((form) => `${path} ${form}`))
    }
  }
  return [...groups.values()]
}

/** What is offered for a word that does not begin as a flag: flags, where nothing else can stand there. */
export const bare = ({ commands, flags, operand }: Place): ReadonlyArray<string> => {
  const words = [...commands.map(({ name }) => name), ...(operand._tag === "words" ? operand.words : [])]
  return words.length === 0 && operand._tag === "text" ? flags.flatMap(({ forms }) => forms) : words
}
