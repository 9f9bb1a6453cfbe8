/** What commands print: results on standard output, everything else in one line on standard error. */
import * as Effect from "effect/Effect"
import { Caller } from "./Caller.ts"

const encoder = new TextEncoder()

/** One JSON object and a newline on standard output. */
export const object = (value: Readonly<Record<string, unknown>>) =>
  Effect.flatMap(Caller, (caller) => caller.write(encoder.encode(`${JSON.stringify(value)}\n`)))

/** Lines for people on standard output. */
export const lines = (all: ReadonlyArray<string>) =>
  Effect.flatMap(Caller, (caller) => caller.write(encoder.encode(all.map((line) => `${line}\n`).join(""))))

/** Line breaks and control characters of a message would break the one line, or act on the terminal. */
export const oneLine = (message: string): string =>
  message.replaceAll(/\s*\n\s*/g, "; ").replaceAll(
    /[\u0000-\u001f\u007f-\u009f]/g,
    (character) => `\\x${(character.codePointAt(0) ?? 0).toString(16).padStart(2, "0")}`
  )

/** One line on standard error. */
export const problem = (message: string) =>
  Effect.flatMap(Caller, (caller) => caller.tell(`paneway: ${oneLine(message)}\n`))

/** One JSON object in one line on standard error. */
export const problemObject = (value: Readonly<Record<string, unknown>>) =>
  Effect.flatMap(Caller, (caller) => caller.tell(`${JSON.stringify(value)}\n`))
