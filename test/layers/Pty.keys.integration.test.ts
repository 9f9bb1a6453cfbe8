import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Pty from "../../layers/Pty.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { table } from "../fixtures/keyBytes.ts"

/** Stands between two keys; none sends it. */
const separator = "┃"
const end = "═"

/** Takes what it is sent as it comes, and prints it in hexadecimal when it has seen the end. */
const recorder = (modes: string) => `
process.stdin.setRawMode(true)
process.stdout.write(${JSON.stringify(modes)} + "ready\\r\\n")
const chunks = []
process.stdin.on("data", (chunk) => {
  chunks.push(chunk)
  const all = Buffer.concat(chunks)
  if (!all.toString("utf8").endsWith(${JSON.stringify(end)})) return
  process.stdout.write("<" + all.toString("hex") + ">")
  process.exit(0)
})`

type Row = typeof table[number]

const record = Effect.fnUntraced(function*(modes: string, rows: ReadonlyArray<Row>) {
  const runtime = yield* TerminalRuntime
  const { handle } = yield* runtime.spawn({ program: { argv: [process.execPath, "-e", recorder(modes)] } })
  yield* runtime.waitOutput(handle, { pattern: "ready", timeout: "10 seconds" })
  yield* runtime.send(handle, {
    items: [...rows.flatMap(({ key }) => [{ key }, { message: separator }]), { message: end }]
  })
  const printed = yield* Stream.runCollect(runtime.output(handle))
  const [, hex = ""] = /<([0-9a-f]*)>/.exec(Buffer.concat(printed).toString("latin1")) ?? []
  return Buffer.from(hex, "hex").toString("utf8").split(separator).slice(0, -1)
})

/** Each key after which a send pauses in a program of its own: the pauses pass at the same time. */
const parts = [
  table.filter(({ normal }) => normal !== "\x1b"),
  ...table.filter(({ normal }) => normal === "\x1b").map((row) => [row])
]
const recordAll = (modes: string) =>
  Effect.map(
    Effect.forEach(parts, (rows) => record(modes, rows), { concurrency: "unbounded" }),
    (recorded) => recorded.flat()
  )

const layer = Pty.layer({ size: { columns: 80, rows: 24 } })

describe.concurrent("a program in raw mode", () => {
  it.live("gets what every key sends", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* recordAll(""), parts.flat().map(({ normal }) => normal))
    }).pipe(Effect.provide(layer)))

  it.live("gets what every key sends when it asked for application mode", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* recordAll("\x1b[?1h\x1b="), parts.flat().map(({ application }) => application))
    }).pipe(Effect.provide(layer)))
})
