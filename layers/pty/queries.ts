/**
 * Answers to what programs ask a terminal when they start, so that none waits for a time-out. `@xterm/headless` 6.0.0
 * answers device attributes, status and mode reports itself; these are the rest.
 */
import type { Terminal } from "@xterm/headless"

/** A light text on a dark ground, as most terminals have it: programs choose their palette by the ground. */
const foreground = "rgb:e5e5/e5e5/e5e5"
const background = "rgb:0000/0000/0000"

/** Of the kitty keyboard protocol: keys that are ambiguous in the old encoding are sent as sequences of their own. */
const disambiguate = 1
const deepest = 64

/** The mode in which a program is told of the focus. */
const focusEvents = 1004
/** The mode in which pastes are marked. */
const markedPastes = 2004

/** What the program chose by the kitty keyboard protocol; each screen has its own. */
const makeKeyboard = () => {
  const stacks = { normal: [0], alternate: [0] }
  return {
    flags: (screen: "normal" | "alternate") => stacks[screen].at(-1) ?? 0,
    push: (screen: "normal" | "alternate", flags: number) => {
      stacks[screen].push(flags & disambiguate)
      if (stacks[screen].length > deepest) stacks[screen].shift()
    },
    pop: (screen: "normal" | "alternate", count: number) => {
      stacks[screen].splice(Math.max(0, stacks[screen].length - count))
      if (stacks[screen].length === 0) stacks[screen].push(0)
    },
    /** `mode` 1 sets, 2 adds, 3 removes. */
    set: (screen: "normal" | "alternate", flags: number, mode: number) => {
      const stack = stacks[screen]
      const before = stack.pop() ?? 0
      const after = mode === 2 ? before | flags : mode === 3 ? before & ~flags : flags
      stack.push(after & disambiguate)
    }
  }
}

const hex = (text: string): string => Buffer.from(text, "latin1").toString("hex").toUpperCase()

/** Of the entry `xterm-256color` that `TERM` names; what a program cannot find there. */
const capabilities = new Map([["TN", "xterm-256color"], ["Co", "256"], ["colors", "256"], ["RGB", "8/8/8"]])

/** More names at a time than any program asks for; their answers would not be sent either. */
const longestNames = 1024

/** The answer to a name in hexadecimal, as it was asked. */
const capability = (name: string): string => {
  const value = capabilities.get(Buffer.from(name, "hex").toString("latin1"))
  return value === undefined
    ? `\x1bP0+r${/^[0-9A-Fa-f]*$/.test(name) ? name : ""}\x1b\\`
    : `\x1bP1+r${name}=${hex(value)}\x1b\\`
}

const first = (params: ReadonlyArray<number | ReadonlyArray<number>>, otherwise: number): number => {
  const [value] = params
  return typeof value === "number" && value > 0 ? value : otherwise
}

/**
 * Answers through `reply`, where there is one; keeps track of the keyboard protocol in any case. Gives the flags of the
 * protocol that the program has on.
 */
export const register = (
  term: Terminal,
  reply: ((text: string) => void) | undefined,
  onPasteMode: () => void = () => {}
): () => number => {
  const keyboard = makeKeyboard()
  const screen = () => term.buffer.active.type
  const answer = (text: string): true => {
    reply?.(text)
    return true
  }
  // nobody looks at the pane, and some programs take nothing without the focus
  term.parser.registerCsiHandler({ prefix: "?", final: "h" }, (params) => {
    if (params.includes(focusEvents)) reply?.("\x1b[I")
    if (params.includes(markedPastes)) onPasteMode()
    return false
  })
  const colour = (code: number, value: string) =>
    term.parser.registerOscHandler(code, (data) => data === "?" ? answer(`\x1b]${code};${value}\x1b\\`) : false)
  colour(10, foreground)
  colour(11, background)
  colour(12, foreground)
  term.parser.registerCsiHandler({ prefix: ">", final: "q" }, () => answer("\x1bP>|paneway\x1b\\"))
  term.parser.registerCsiHandler({ prefix: "=", final: "c" }, () => answer("\x1bP!|00000000\x1b\\"))
  term.parser.registerDcsHandler({ intermediates: "+", final: "q" }, (names) => {
    if (names.length > longestNames) return true
    for (const name of names.split(";")) answer(capability(name))
    return true
  })
  term.parser.registerCsiHandler({ prefix: "?", final: "u" }, () => answer(`\x1b[?${keyboard.flags(screen())}u`))
  term.parser.registerCsiHandler({ prefix: ">", final: "u" }, (params) => {
    keyboard.push(screen(), first(params, 0))
    return true
  })
  term.parser.registerCsiHandler({ prefix: "<", final: "u" }, (params) => {
    keyboard.pop(screen(), first(params, 1))
    return true
  })
  term.parser.registerCsiHandler({ prefix: "=", final: "u" }, (params) => {
    const [, mode] = params
    keyboard.set(screen(), first(params, 0), typeof mode === "number" && mode > 0 ? mode : 1)
    return true
  })
  return () => keyboard.flags(screen())
}
