/** The fast parser: reads what is well-formed and leaves everything else, help among it, to `effect/cli`. */
import type { Flag, Given, Spec } from "./spec.ts"

const flagOf = (spec: Spec, name: string): Flag | undefined =>
  Object.hasOwn(spec.flags, name) ? spec.flags[name] : undefined

/** `-` is standard input, and a negative number is no flag either. */
const isOperand = (word: string): boolean => !word.startsWith("-") || word === "-" || /^-\d/.test(word)

const isComplete = (spec: Spec, { flags, operands }: Given): boolean =>
  operands.length >= spec.operands.reduce((sum, { least }) => sum + least, 0) &&
  operands.length <= spec.operands.reduce((sum, { most }) => sum + most, 0) &&
  // operands with choices stand first, one word each
  spec.operands.every(({ choices }, at) => choices === undefined || choices.includes(operands[at] ?? "")) &&
  Object.entries(spec.flags).every(([name, { choices, many, required }]) => {
    const values = flags[name] ?? []
    return (required !== true || values.length > 0) && (many === true || values.length <= 1) &&
      (choices === undefined || values.every((value) => choices.includes(value)))
  })

/** The words after the command's name; undefined: not well-formed, or help was asked for. */
export const parse = (spec: Spec, words: ReadonlyArray<string>): Given | undefined => {
  const flags: Record<string, Array<string>> = {}
  const operands: Array<string> = []
  const order: Array<string> = []
  const give = (name: string, value: string) => {
    order.push(name)
    const values = flags[name] ??= []
    values.push(value)
  }
  let tail: ReadonlyArray<string> = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ""
    if (word === "--") {
      if (spec.tail === "command") tail = words.slice(at + 1)
      else operands.push(...words.slice(at + 1))
      break
    }
    if (isOperand(word)) {
      operands.push(word)
      continue
    }
    const equals = word.indexOf("=")
    const name = word.startsWith("--") ? word.slice(2, equals === -1 ? undefined : equals) : ""
    const flag = flagOf(spec, name)
    if (flag === undefined) return undefined
    if (flag.kind === "switch") {
      if (equals !== -1) return undefined
      give(name, "true")
      continue
    }
    const value = equals === -1 ? words[++at] : word.slice(equals + 1)
    if (value === undefined) return undefined
    give(name, value)
  }
  const given = { flags, operands, tail, order }
  return isComplete(spec, given) ? given : undefined
}
