/**
 * How many ways an engine has to look at when it translates a regular expression. Alternatives that may stand for no
 * character at all, such as `(?:^|$)`, double them each time that they follow each other, and nothing stops it then.
 *
 * @since 0.1.0
 */

/** Groups that stand for no character: they look at what is around. */
const looking = /^\(\?<?[=!]/
const opening = /^\((?:\?(?:<?[=!]|<[^>]*>|[a-z-]*:))?/
const counted = /^(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/
/** Of no character: the ends of a line, of a word, and what a group found. */
const empty = /^(?:[\^$]|\\[bB1-9]|\\k<[^>]*>)/
const escaped = /^\\(?:[pPu]\{[^}]*\}|[^])/

interface Group {
  readonly isLook: boolean
  /** Alternatives that may be empty. */
  empties: number
  /** The one that is read may be. */
  mayBeEmpty: boolean
}

const groupOf = (isLook: boolean): Group => ({ isLook, empties: 0, mayBeEmpty: true })

/** The length of a class, brackets and nested classes included. */
const classLength = (text: string): number => {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\") at += 1
    else if (text[at] === "[") depth += 1
    else if (text[at] === "]") {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return text.length
}

/** Without the flag `v` brackets do not nest. */
const plainClassLength = (text: string): number => {
  for (let at = 1; at < text.length; at++) {
    if (text[at] === "\\") at += 1
    else if (text[at] === "]") return at + 1
  }
  return text.length
}

/**
 * Their number, as a power of two.
 *
 * @internal
 */
export const branching = ({ flags, source }: RegExp): number => {
  const groups: Array<Group> = []
  let group = groupOf(false)
  let ways = 0
  let at = 0
  const end = () => {
    if (group.mayBeEmpty) group.empties += 1
    if (group.empties > 1) ways += Math.log2(group.empties)
    return group.isLook || group.empties > 0
  }
  /** What was read, with what says how often. */
  const read = (length: number, isEmpty: boolean) => {
    at += length
    const times = counted.exec(source.slice(at, at + 40))
    at += times?.[0].length ?? 0
    const optional = times !== null && (/^[*?]/.test(times[0]) || times[1] === "0")
    if (!isEmpty && !optional) group.mayBeEmpty = false
  }
  while (at < source.length) {
    const rest = source.slice(at, at + 200)
    const next = source[at]
    if (next === "(") {
      groups.push(group)
      group = groupOf(looking.test(rest))
      at += opening.exec(rest)?.[0].length ?? 1
    } else if (next === ")") {
      const isEmpty = end()
      group = groups.pop() ?? groupOf(false)
      read(1, isEmpty)
    } else if (next === "|") {
      if (group.mayBeEmpty) group.empties += 1
      group.mayBeEmpty = true
      at += 1
    } else if (next === "[") {
      const whole = source.slice(at)
      read(flags.includes("v") ? classLength(whole) : plainClassLength(whole), false)
    } else {
      const nothing = empty.exec(rest)
      read(nothing?.[0].length ?? escaped.exec(rest)?.[0].length ?? 1, nothing !== null)
    }
  }
  end()
  return ways
}
