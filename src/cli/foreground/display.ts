/**
 * The user's terminal as it shows a pane. It gets the bytes of the pane's program but for the questions among them: the
 * pane's own screen has answered those, and a second answer would reach the program as if it had been typed. What the
 * bytes switch on there is known, so that it can be switched off.
 */

const escape = 0x1b
const bell = 0x07
const cancel = 0x18
const substitute = 0x1a

/** Bytes of a sequence that may still turn out to be a question. Longer ones are none. */
const longestQuestion = 4096

const nothing = new Uint8Array(0)

/** Reports about the window; what resizes or moves it is not for the user's either. */
const titleStack = /^\x1b\[2[23][;t]/

/** Control sequences that a terminal answers. */
const asks = (text: string): boolean => {
  const [, prefix = "", between = "", final = ""] = /^\x1b\[([<=>?]?)[\d:;]*([ -/]*)([@-~])$/.exec(text) ?? []
  switch (`${prefix}_${between}${final}`) {
    case "_c":
    case ">_c":
    case "=_c":
    case "_n":
    case "?_n":
    case "_x":
    case "?_u":
    case "?_S":
    case ">_q":
    case "_$p":
    case "?_$p":
    case "_$w":
    case "_*y":
    case "_&u":
      return true
    case "_t":
      return !titleStack.test(text)
    default:
      return false
  }
}

/** Strings that a terminal answers: colours, clipboard, capabilities, settings; and pictures, whose reader answers too. */
const isQuestion = (text: string): boolean =>
  text.startsWith("\x1b]") ? /;\?(?:;|\x07|\x1b|$)/.test(text) : /^\x1bP[+$]q|^\x1b_G/.test(text)

interface Modes {
  alternate: boolean
  /** What was pushed of the keyboard's protocol, on each screen. */
  readonly pushed: { normal: number; alternate: number }
  readonly others: Map<string, string>
}

const screens: ReadonlySet<string> = new Set(["47", "1047", "1049"])
/** Modes that a terminal might not know: they are switched off only where they were switched on. */
const rare: ReadonlyMap<string, string> = new Map([["69", "\x1b[?69l"], ["2031", "\x1b[?2031l"]])

/** All that every terminal knows or ignores. */
const usual = [
  "\x1b[?25h\x1b[?7h\x1b[?1l\x1b>\x1b[?6l\x1b[4l",
  "\x1b[?2004l\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l\x1b[?1004l",
  "\x1b]8;;\x1b\\\x1b[?5l\x1b[0 q\x1b(B\x0f\x1b[r\x1b[m"
].join("")

const makeModes = () => {
  const modes: Modes = { alternate: false, pushed: { normal: 0, alternate: 0 }, others: new Map() }
  const screen = () => modes.alternate ? "alternate" : "normal"

  const privately = (numbers: ReadonlyArray<string>, on: boolean) => {
    for (const number of numbers) {
      if (screens.has(number)) modes.alternate = on
      const off = rare.get(number)
      if (off === undefined) continue
      if (on) modes.others.set(number, off)
      else modes.others.delete(number)
    }
  }
  const forget = () => {
    modes.alternate = false
    modes.pushed.normal = 0
    modes.pushed.alternate = 0
    modes.others.clear()
  }
  return {
    see: (text: string) => {
      if (text === "\x1bc") return forget()
      const [, prefix = "", params = "", final = ""] = /^\x1b\[([<=>?]?)([\d:;]*)([@-~])$/.exec(text) ?? []
      const [first = "", second = ""] = params.split(";")
      switch (`${prefix}${final}`) {
        case "?h":
          return privately(params.split(";"), true)
        case "?l":
          return privately(params.split(";"), false)
        case ">u":
          modes.pushed[screen()] += 1
          return undefined
        case "<u":
          modes.pushed[screen()] = Math.max(0, modes.pushed[screen()] - Math.max(1, Number(first)))
          return undefined
        case "=u":
          modes.others.set("keyboard", "\x1b[=0u")
          return undefined
        case ">m":
          if (first === "4" && second !== "" && second !== "0") modes.others.set("keys", "\x1b[>4m")
          return undefined
        default:
          return undefined
      }
    },
    /** Also ends whatever the terminal has begun to read. */
    leave: (): string => {
      const pop = (count: number) => count > 0 ? `\x1b[<${count}u` : ""
      const text = [
        "\x1b\\",
        ...modes.others.values(),
        modes.alternate ? `${pop(modes.pushed.alternate)}\x1b[?1049l` : "",
        pop(modes.pushed.normal),
        usual
      ].join("")
      forget()
      return text
    }
  }
}

type State = "ground" | "escape" | "csi" | "command" | "string" | "ending"

export interface Display {
  /** What of the bytes is for the terminal. The end may be held back until it is whole. */
  readonly show: (bytes: Uint8Array) => Uint8Array
  /** What leaves all modes. What was held back is forgotten. */
  readonly leave: () => string
}

/** What is passed on, in order. */
const makeOutput = () => {
  let parts: Array<Uint8Array> = []
  let run: Array<number> = []
  const finish = () => {
    if (run.length > 0) parts.push(Uint8Array.from(run))
    run = []
  }
  return {
    add: (bytes: ReadonlyArray<number>) => {
      for (const byte of bytes) run.push(byte)
    },
    append: (bytes: Uint8Array) => {
      finish()
      parts.push(bytes)
    },
    take: (): Uint8Array => {
      finish()
      const [first = nothing, ...others] = parts
      parts = []
      if (others.length === 0) return first
      const all = new Uint8Array(others.reduce((sum, part) => sum + part.length, first.length))
      all.set(first)
      others.reduce((at, part) => {
        all.set(part, at)
        return at + part.length
      }, first.length)
      return all
    }
  }
}

export const make = (): Display => {
  const modes = makeModes()
  const output = makeOutput()
  let state: State = "ground"
  /** What began and may be a question. */
  let held: Array<number> = []
  let isLong = false

  const begin = () => {
    output.add(held)
    held = [escape]
    isLong = false
    state = "escape"
  }
  const keep = (byte: number) => {
    if (isLong) return output.add([byte])
    held.push(byte)
    if (held.length <= longestQuestion) return
    isLong = true
    output.add(held)
    held = []
  }
  const end = () => {
    state = "ground"
    const text = String.fromCharCode(...held)
    if (isLong || !(text === "\x1bZ" || asks(text) || isQuestion(text))) {
      modes.see(text)
      output.add(held)
    }
    held = []
  }

  const afterEscape = (byte: number) => {
    if (byte === 0x5b) state = "csi"
    else if (byte === 0x5d) state = "command"
    else if (byte === 0x50 || byte === 0x58 || byte === 0x5e || byte === 0x5f) state = "string"
    else if (byte >= 0x30) end()
  }
  const step = (byte: number) => {
    const isString = state === "command" || state === "string"
    if (byte === escape) {
      if (isString) state = "ending"
      else begin()
      return
    }
    if (state === "ending") {
      if (byte === 0x5c) {
        keep(escape)
        keep(byte)
        return end()
      }
      begin() // the ESC was no terminator, but the begin of another sequence
    }
    keep(byte)
    if (byte === cancel || byte === substitute) {
      output.add(held)
      held = []
      state = "ground"
    } else if (state === "escape") afterEscape(byte)
    else if (state === "csi") {
      if (byte >= 0x40 && byte <= 0x7e) end()
    } else if (state === "command" && byte === bell) end()
  }

  return {
    show: (bytes) => {
      let at = 0
      while (at < bytes.length) {
        if (state !== "ground") {
          step(bytes[at] ?? 0)
          at += 1
          continue
        }
        const found = bytes.indexOf(escape, at)
        const until = found === -1 ? bytes.length : found
        if (until > at) output.append(bytes.subarray(at, until))
        if (found !== -1) begin()
        at = until + 1
      }
      return output.take()
    },
    leave: () => {
      held = []
      state = "ground"
      return modes.leave()
    }
  }
}
