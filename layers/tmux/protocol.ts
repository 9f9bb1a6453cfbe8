/**
 * Reads what a tmux server writes to a control client: replies to commands, and notifications.
 *
 * Replies are framed by lines that a pane can show too. A reply with text that a pane chose is guarded: the line after
 * its command prints a word that nobody can guess, and the reply ends at the last end before that word.
 */

/** The reply to one command. `own`: to a command of this stream, and not of a hook or of the client's own start. */
export interface Reply {
  readonly _tag: "Reply"
  readonly own: boolean
  readonly ok: boolean
  /** What it printed: lines without the last line end. */
  readonly text: string
  /** A line that may be a notification stands in the text: it is worth to ask again. */
  readonly disturbed: boolean
}

/** Output of a pane. `data` is escaped, see {@link unescaped}, and valid until the next push. */
interface Output {
  readonly _tag: "Output"
  readonly pane: string
  /** Milliseconds that it waited to be told; 0 where the server does not say it. */
  readonly age: number
  readonly data: Buffer
}

/**
 * What the stream says. `Changed` is a value of a subscription; `Notice` any other notification, known or not. `Broken`
 * is the last event: what follows cannot be understood.
 */
export type Event =
  | Reply
  | Output
  | { readonly _tag: "Paused" | "Continued"; readonly pane: string }
  | { readonly _tag: "Changed"; readonly name: string; readonly value: string }
  | { readonly _tag: "Exit"; readonly reason: string }
  | { readonly _tag: "Notice"; readonly name: string; readonly text: string }
  | { readonly _tag: "Broken"; readonly reason: string }

export interface Options {
  readonly on: (event: Event) => void
  /** Asked at the begin of each own reply: the word that guards it, if it is guarded. */
  readonly guard: () => string | undefined
  /** Bytes of one line or one reply. Defaults to 64 MiB. */
  readonly limit?: number | undefined
}

const newline = 10
const percent = 37
const backslash = 92
const letterE = 101
const letterN = 110

/** The fields after `%begin `, which come again in the line that ends the block. */
interface Block {
  readonly fields: Buffer
  readonly own: boolean
  readonly guard: Buffer | undefined
  readonly lines: Array<Buffer>
  bytes: number
  disturbed: boolean
}

/** Whether the line goes on with these bytes. */
const startsWith = (line: Buffer, bytes: Buffer, from = 0): boolean => {
  if (line.length < from + bytes.length) return false
  for (let at = 0; at < bytes.length; at++) if (line[from + at] !== bytes[at]) return false
  return true
}

const marks = {
  output: Buffer.from("%output "),
  extended: Buffer.from("%extended-output "),
  begin: Buffer.from("%begin "),
  end: Buffer.from("%end "),
  error: Buffer.from("%error ")
} as const

const paneIn = (line: Buffer, from: number): { readonly pane: string; readonly end: number } | undefined => {
  if (line[from] !== percent) return undefined
  let end = from + 1
  while (end < line.length && isDigit(line[end])) end += 1
  return end === from + 1 ? undefined : { pane: line.toString("latin1", from, end), end }
}

const isDigit = (byte: number | undefined) => byte !== undefined && byte >= 48 && byte <= 57

const blockFields = /^\d+ \d+ \d+$/
const flow = /^%(pause|continue) (%\d+)$/
const longestFlow = 32

/** Lines that follow each other in one buffer, with nothing but the line end between them, are decoded at once. */
const textOf = (lines: ReadonlyArray<Buffer>): string => {
  if (lines.length <= 1) return lines[0]?.toString("utf8") ?? ""
  const parts: Array<string> = []
  let at = 0
  while (at < lines.length) {
    const first = lines[at]
    if (first === undefined) break
    const whole = new Uint8Array(first.buffer)
    let end = first.byteOffset + first.length
    let next = at + 1
    for (
      let line = lines[next];
      line?.buffer === first.buffer && line.byteOffset === end + 1 && whole[end] === newline;
      line = lines[next]
    ) {
      end = line.byteOffset + line.length
      next += 1
    }
    parts.push(Buffer.from(first.buffer, first.byteOffset, end - first.byteOffset).toString("utf8"))
    at = next
  }
  return parts.join("\n")
}

/** The bytes of escaped output: `\ooo` is the byte with that octal number. */
export const unescaped = (data: Buffer): Buffer => {
  if (!data.includes(backslash)) return data
  const bytes = Buffer.allocUnsafe(data.length)
  let length = 0
  for (let at = 0; at < data.length; at++) {
    const byte = data[at] ?? 0
    const digits = byte === backslash ? data.toString("latin1", at + 1, at + 4) : ""
    if (/^[0-3][0-7]{2}$/.test(digits)) {
      bytes[length++] = Number.parseInt(digits, 8)
      at += 3
    } else {
      bytes[length++] = byte
    }
  }
  return bytes.subarray(0, length)
}

export const make = ({ guard, limit = 64 * 1024 * 1024, on }: Options) => {
  let block: Block | undefined
  let pending: Array<Buffer> = []
  let pendingBytes = 0
  const state = { broken: false }

  const breaks = (reason: string) => {
    if (state.broken) return
    state.broken = true
    pending = []
    block = undefined
    on({ _tag: "Broken", reason })
  }

  const reply = ({ disturbed, own }: Block, ok: boolean, lines: ReadonlyArray<Buffer>) =>
    on({ _tag: "Reply", own, ok, text: textOf(lines), disturbed })

  const begin = (line: Buffer) => {
    const fields = line.subarray(marks.begin.length)
    const text = fields.toString("latin1")
    if (!blockFields.test(text)) return notice(line)
    const own = (Number(text.slice(text.lastIndexOf(" ") + 1)) & 1) === 1
    const word = own ? guard() : undefined
    const guarded = word === undefined ? undefined : Buffer.from(word)
    block = { fields, own, guard: guarded, lines: [], bytes: 0, disturbed: false }
  }

  const endOf = (line: Buffer, fields: Buffer): "end" | "error" | undefined => {
    if (line[0] !== percent || line[1] !== letterE) return undefined
    const mark = line[2] === letterN ? marks.end : marks.error
    if (line.length !== mark.length + fields.length) return undefined
    if (!startsWith(line, mark) || !startsWith(line, fields, mark.length)) return undefined
    return mark === marks.end ? "end" : "error"
  }

  const flowOf = (line: Buffer) => {
    if (line[0] !== percent || line.length > longestFlow) return undefined
    const [, what, pane] = flow.exec(line.toString("latin1")) ?? []
    return pane === undefined
      ? undefined
      : { _tag: what === "pause" ? "Paused" as const : "Continued" as const, pane }
  }

  const inBlock = (line: Buffer, open: Block) => {
    open.bytes += line.length + 1
    if (open.bytes > limit) return breaks(`a reply is longer than ${limit} bytes`)
    const paused = flowOf(line)
    if (open.guard !== undefined) {
      if (paused !== undefined) open.disturbed = true
      open.lines.push(line)
      if (isGuardEnd(open)) guarded(open)
    } else {
      const ended = endOf(line, open.fields)
      if (ended !== undefined) {
        block = undefined
        reply(open, ended === "end", open.lines)
      } else if (paused === undefined) {
        open.lines.push(line)
      }
    }
    if (paused !== undefined) on(paused)
  }

  /** The last three lines are a block whose text begins with the word. */
  const isGuardEnd = ({ guard: word, lines }: Block): boolean => {
    const last = lines.at(-1)
    if (last?.[0] !== percent) return false
    const middle = lines.at(-2)
    const first = lines.at(-3)
    if (word === undefined || middle === undefined || first === undefined) return false
    if (!startsWith(middle, word) || !startsWith(first, marks.begin)) return false
    return endOf(last, first.subarray(marks.begin.length)) !== undefined
  }

  /** What stands between the last end of the reply and the word came after the reply. */
  const guarded = (open: Block) => {
    const { lines } = open
    for (let at = lines.length - 4; at >= 0; at--) {
      const line = lines[at]
      const ended = line === undefined ? undefined : endOf(line, open.fields)
      if (ended === undefined) continue
      block = undefined
      reply(open, ended === "end", lines.slice(0, at))
      for (const after of lines.slice(at + 1)) onLine(after)
      return
    }
    breaks("a reply has no end")
  }

  const output = (line: Buffer, extended: boolean) => {
    const found = paneIn(line, extended ? marks.extended.length : marks.output.length)
    if (found === undefined) return notice(line)
    const gap = extended ? line.indexOf(" : ", found.end) : found.end
    if (gap === -1) return notice(line)
    const age = extended ? Number.parseInt(line.toString("latin1", found.end + 1, gap), 10) || 0 : 0
    on({ _tag: "Output", pane: found.pane, age, data: line.subarray(gap + (extended ? 3 : 1)) })
  }

  const subscription = (text: string) => {
    const at = text.indexOf(" : ")
    const [, name = ""] = /^(\S*)/.exec(text) ?? []
    on({ _tag: "Changed", name, value: at === -1 ? "" : text.slice(at + 3) })
  }

  const notice = (line: Buffer) => {
    const text = line.toString("utf8", 1)
    const gap = text.indexOf(" ")
    const name = gap === -1 ? text : text.slice(0, gap)
    const rest = gap === -1 ? "" : text.slice(gap + 1)
    if (name === "exit") on({ _tag: "Exit", reason: rest })
    else if (name === "subscription-changed") subscription(rest)
    else on({ _tag: "Notice", name, text: rest })
  }

  const onLine = (line: Buffer) => {
    if (state.broken) return
    if (block !== undefined) return inBlock(line, block)
    // the second line of a value that a subscription printed
    if (line[0] !== percent) return
    if (startsWith(line, marks.output)) return output(line, false)
    if (startsWith(line, marks.extended)) return output(line, true)
    if (startsWith(line, marks.begin)) return begin(line)
    const paused = flowOf(line)
    if (paused !== undefined) return on(paused)
    notice(line)
  }

  return {
    /** The chunk must not be changed any more. */
    push: (chunk: Buffer): void => {
      let start = 0
      for (let end = chunk.indexOf(newline); end !== -1 && !state.broken; end = chunk.indexOf(newline, start)) {
        const rest = chunk.subarray(start, end)
        start = end + 1
        if (pending.length === 0) {
          onLine(rest)
        } else {
          pending.push(rest)
          const line = Buffer.concat(pending)
          pending = []
          pendingBytes = 0
          onLine(line)
        }
      }
      if (state.broken || start === chunk.length) return
      pending.push(chunk.subarray(start))
      pendingBytes += chunk.length - start
      if (pendingBytes > limit) breaks(`a line is longer than ${limit} bytes`)
    }
  }
}
