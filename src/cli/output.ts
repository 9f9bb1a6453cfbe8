/** What commands print: results on standard output, everything else in one line on standard error. */
import * as Effect from "effect/Effect"
import { Caller } from "./Caller.ts"
import * as Layout from "./layout.ts"

const encoder = new TextEncoder()

/** One JSON object and a newline on standard output. */
export const object = (value: Readonly<Record<string, unknown>>) =>
  Effect.flatMap(Caller, (caller) => caller.write(encoder.encode(`${Layout.json(value)}\n`)))

/** Text on standard output as it is; a newline is added where it does not end in one. */
export const text = (all: string) =>
  Effect.flatMap(
    Caller,
    (caller) => all === "" ? Effect.void : caller.write(encoder.encode(all.endsWith("\n") ? all : `${all}\n`))
  )

/** Lines for people on standard output. */
export const lines = (all: ReadonlyArray<string>) =>
  Effect.flatMap(Caller, (caller) => caller.write(encoder.encode(all.map((line) => `${line}\n`).join(""))))

/** One line on standard error. */
export const problem = (message: string) =>
  Effect.flatMap(Caller, (caller) => caller.tell(`paneway: ${Layout.oneLine(message)}\n`))

/** One JSON object in one line on standard error. */
export const problemObject = (value: Readonly<Record<string, unknown>>) =>
  Effect.flatMap(Caller, (caller) => caller.tell(`${Layout.json(value)}\n`))

/** Rows of cells, one line each. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>) => lines(Layout.table(rows))
