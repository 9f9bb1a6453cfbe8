/** The host's protocol, spoken by hand: one JSON value in a line, as `remote/TerminalRpcs` has it for everybody else. */
import { connect } from "node:net"

/** Of the protocol; another one is for the whole program to tell. */
export const protocolVersion = 1

export type Json = { readonly [key: string]: unknown }

export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * What an operation answered. `late`: nothing in its time. `lost`: nothing any more, or nothing that can be read, and
 * whether it was done is not known.
 */
export type Answer =
  | { readonly _tag: "done"; readonly value: unknown }
  | { readonly _tag: "failed"; readonly error: unknown }
  | { readonly _tag: "late" }
  | { readonly _tag: "lost" }

export interface Wire {
  /** `late` after `most` milliseconds; without it, as long as the server is there. */
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

/** Milliseconds between questions whether the server is there; one that says nothing from one to the next is not. */
const pinging = 10_000

/** None where nothing answers. */
export const open = (path: string): Promise<Wire | undefined> =>
  new Promise((resolve) => {
    const socket = connect({ path })
    const waiting = new Map<string, (answer: Answer) => void>()
    let pieces: Array<string> = []
    let silent = false
    const over = () => {
      socket.destroy()
      for (const answered of waiting.values()) answered(lost)
      waiting.clear()
      resolve(undefined)
    }
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
    const tell = (message: Json) => socket.write(`${JSON.stringify(message)}\n`)
    socket.setEncoding("utf8")
    socket.on("error", over).on("close", over).on("connect", () => {
      let asked = 0
      // Effect is what this way does without
      // @effect-diagnostics-next-line globalTimers:off
      const pinger = setInterval(() => {
        if (silent) return over()
        silent = true
        tell({ _tag: "Ping" })
      }, pinging)
      socket.on("close", () => clearInterval(pinger))
      resolve({
        ask: (tag, payload, most) =>
          new Promise((answered) => {
            if (socket.destroyed) return answered(lost)
            const id = String(++asked)
            // @effect-diagnostics-next-line globalTimers:off
            const timer = most === undefined ? undefined : setTimeout(() => answered({ _tag: "late" }), most)
            waiting.set(id, (answer) => {
              clearTimeout(timer)
              answered(answer)
            })
            tell({ _tag: "Request", id, tag, payload, headers: [] })
          }),
        close: () => void socket.destroy()
      })
    })
    socket.on("data", (chunk: string) => {
      silent = false
      pieces.push(chunk)
      if (!chunk.includes("\n")) return
      const lines = pieces.join("").split("\n")
      pieces = [lines.pop() ?? ""]
      try {
        lines.filter((line) => line !== "").forEach(read)
      } catch {
        over()
      }
    })
  })
