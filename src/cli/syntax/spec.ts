/**
 * What a command looks like on the command line, as data: the fast parser reads it, and so do help and completions.
 */

export interface Flag {
  /** `text` takes the next word, whatever it begins with; `switch` takes none. */
  readonly kind: "text" | "switch"
  readonly about: string
  readonly metavar?: string
  /** The only values there are. */
  readonly choices?: ReadonlyArray<string>
  /** May be given several times. */
  readonly many?: boolean
  readonly required?: boolean
}

export interface Operand {
  readonly name: string
  readonly about: string
  /** The only values there are. */
  readonly choices?: ReadonlyArray<string>
  readonly least: number
  readonly most: number
}

interface Example {
  readonly command: string
  readonly description: string
}

export interface Spec<F extends string = string> {
  /** The words that name the command, as in `wait output`. */
  readonly path: readonly [string, ...Array<string>]
  /** One line for the list of commands. */
  readonly summary: string
  /** Lines of the help. */
  readonly about: ReadonlyArray<string>
  readonly flags: Readonly<Record<F, Flag>>
  readonly operands: ReadonlyArray<Operand>
  /** What follows `--`: more operands, or another command's words. */
  readonly tail: "operands" | "command"
  readonly examples: ReadonlyArray<Example>
}

export const spec = <const F extends string>(spec: Spec<F>): Spec<F> => spec

/** What was given for a command, unread. */
export interface Given {
  /** Values by the flag's name, in their order; a switch has `true`. Flags that were not given are absent. */
  readonly flags: Readonly<Record<string, ReadonlyArray<string>>>
  readonly operands: ReadonlyArray<string>
  /** The words after `--` where they are another command's. */
  readonly tail: ReadonlyArray<string>
  /** Names of the flags as they came, one for each time. */
  readonly order: ReadonlyArray<string>
}

/** {@link Given} with the names that the command has. */
export interface Words<F extends string = string> extends Given {
  readonly text: (name: F) => string | undefined
  readonly texts: (name: F) => ReadonlyArray<string>
  readonly on: (name: F) => boolean
}

export const words = <F extends string>(given: Given): Words<F> => ({
  ...given,
  text: (name) => given.flags[name]?.[0],
  texts: (name) => given.flags[name] ?? [],
  on: (name) => given.flags[name] !== undefined
})
