/**
 * The suite's programs for scripted panes.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scripted from "../../layers/Scripted.ts"
import { RuntimeContract } from "../../src/testing/index.ts"

/** As `cat -vt` shows it. */
const visible = (text: string): string =>
  text.replaceAll(/[^\n -~]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0
    if (code === 0x7f) return "^?"
    return code < 0x20 ? `^${String.fromCharCode(code + 0x40)}` : character
  })

const recording = (before: string): Scripted.Program => ({
  name: "recorder",
  run: Effect.fnUntraced(function*(terminal) {
    yield* terminal.raw(true)
    yield* terminal.feed(before)
    yield* terminal.print("ready\n")
    for (;;) yield* terminal.print(visible(yield* terminal.input))
  })
})

const encoded = (text: string) => encodeURIComponent(text)

const programs = {
  agent: Scripted.agent({ name: "agent", prompt: "ready\n", takes: "1 second" }),
  recorder: recording(""),
  pasteRecorder: recording("\u001b[?2004h"),
  counter: ([, bytes]: ReadonlyArray<string>): Scripted.Program => ({
    name: "counter",
    run: Effect.fnUntraced(function*(terminal) {
      yield* terminal.raw(true)
      yield* terminal.print("ready\n")
      const wanted = Number(bytes)
      let read = new Uint8Array()
      while (read.length < wanted) {
        read = Uint8Array.from([...read, ...new TextEncoder().encode(yield* terminal.input)])
      }
      yield* terminal.print(`${RuntimeContract.cksum(read.subarray(0, wanted))}\n`)
      return { code: 0 }
    })
  }),
  ending: ([, text = "", code]: ReadonlyArray<string>): Scripted.Program => ({
    name: "ending",
    run: (terminal) => Effect.as(terminal.print(decodeURIComponent(text)), { code: Number(code) })
  }),
  echo: {
    name: "echo",
    run: Effect.fnUntraced(function*(terminal) {
      yield* terminal.print("ready\n")
      for (;;) {
        const line = yield* terminal.line
        if (line === undefined) return { code: 0 }
        yield* terminal.print(`${line}\n`)
      }
    })
  } satisfies Scripted.Program,
  printing: ([, text = ""]: ReadonlyArray<string>): Scripted.Program => ({
    name: "printing",
    run: (terminal) =>
      Effect.andThen(
        terminal.feed(decodeURIComponent(text)),
        Effect.andThen(terminal.print("ready\n"), Effect.never)
      )
  })
}

export const suitePrograms: Partial<RuntimeContract.Programs> = {
  shell: { argv: ["sh"] },
  recorder: { argv: ["recorder"] },
  pasteRecorder: { argv: ["pasteRecorder"] },
  counter: (bytes) => ({ argv: ["counter", String(bytes)] }),
  ending: (text, code) => ({ argv: ["ending", encoded(text), String(code)] }),
  echo: { argv: ["echo"] },
  printing: (text) => ({ argv: ["printing", encoded(text)] }),
  agent: { argv: ["agent"] }
}

const copying: Scripted.Responder = (line, terminal) => {
  if (line === "cat") {
    return Effect.gen(function*() {
      for (;;) {
        const next = yield* terminal.line
        if (next === undefined) return { code: 0 }
        yield* terminal.print(`${next}\n`)
      }
    })
  }
  if (line === "stty size") return Effect.map(terminal.size, ({ columns, rows }) => `${rows} ${columns}`)
  return line === "sh -c 'exit 3'" || line === "sh -c exit 3" ? { code: 3 } : undefined
}

/** A scripted world with the suite's programs in it. */
export const layer = (options: Scripted.Options = {}) =>
  Layer.effectDiscard(Effect.flatMap(Scripted.Script, (script) => script.respond(copying))).pipe(
    Layer.provideMerge(Scripted.layer({ ...options, programs, directories: (path) => !path.startsWith("/paneway/") }))
  )
