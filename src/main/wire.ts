/** The host's protocol, spoken by hand: one JSON value in a line, as `remote/TerminalRpcs` has it for everybody else. */
import { connect } from "node:net"

/** Of the protocol; another one is for the whole program to tell. */
export const protocolVersion = 1

export type Json = { readonly [key: string]: unknown }

export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** What an operation answered. `lost`: nothing any more, and whether it was done is not known. */
export type Answer =
  | { readonly _tag: "done"; readonly value: unknown }
  | { readonly _tag: "failed"; readonly error: unknown }
  | { readonly _tag: "lost" }

export interface Wire {
  /** `lost` after `most` milliseconds without an answer; default 5 seconds. */
  readonly ask: (operation: string, payload: Json, most?: number) => Promise<Answer>
  readonly close: () => void
}

const lost: Answer = { _tag: "lost" }

const failureOf = (cause: unknown): unknown => {
  const first: unknown = Array.isArray(cause) ? cause[0] : undefined
  return isJson(first) && first["_tag"] === "Fail" ? first["error"] : undefined
}

const answerOf = (exit: unknown): Answer => {
  if (!isJson(exit)) return lost
  if (exit["_tag"] === "Success") return { _tag: "done", value: exit["value"] }
  const error = failureOf(exit["cause"])
  return error === undefined ? lost : { _tag: "failed", error }
}

/** Milliseconds for a connection. */
const deadline = 2000

/** Milliseconds for an answer that nothing has to happen for. */
const patience = 5000

/** None where nothing answers. */
export const open = (path: string): Promise<Wire | undefined> =>
  new Promise((resolve) => {
    const socket = connect({ path })
    const waiting = new Map<string, (answer: Answer) => void>()
    let rest = ""
    const read = (line: string) => {
      const message: unknown = JSON.parse(line)
      if (!isJson(message)) return
      // the server could not read what was asked, and answers nothing of it
      if (message["_tag"] === "Defect" || message["_tag"] === "ClientProtocolError") return over()
      if (message["_tag"] !== "Exit") return
      const id = String(message["requestId"])
      waiting.get(id)?.(answerOf(message["exit"]))
      waiting.delete(id)
    }
    const over = () => {
      socket.destroy()
      for (const answered of waiting.values()) answered(lost)
      waiting.clear()
      resolve(undefined)
    }
    socket.setEncoding("utf8").setTimeout(deadline, over)
    socket.on("error", over).on("close", over).on("connect", () => {
      socket.setTimeout(0)
      let asked = 0
      resolve({
        ask: (tag, payload, most = patience) =>
          new Promise((answered) => {
            if (socket.destroyed) return answered(lost)
            const id = String(++asked)
            // Effect is what this way does without
            // @effect-diagnostics-next-line globalTimers:off
            const timer = setTimeout(() => answered(lost), most)
            waiting.set(id, (answer) => {
              clearTimeout(timer)
              answered(answer)
            })
            socket.write(`${JSON.stringify({ _tag: "Request", id, tag, payload, headers: [] })}\n`)
          }),
        close: () => void socket.destroy()
      })
    })
    socket.on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\n")
      rest = lines.pop() ?? ""
      try {
        lines.filter((line) => line !== "").forEach(read)
      } catch {
        over()
      }
    })
  })
