import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Tmux from "../../layers/Tmux.ts"
import type { PaneHandle } from "../../src/Target.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"
import { runningServer, type TestServer } from "../fixtures/tmuxServers.ts"
import { bereft, both, listening, marking, refusedFirst, unmarked } from "../fixtures/typing.ts"

type Way = "control" | "forked"

const on = ({ env, path }: TestServer, way: Way) =>
  Layer.fresh(Tmux.layer({ server: { path }, env, way, session: "work" }))

const alone = (way: Way) => Layer.unwrap(Effect.map(runningServer, (server) => on(server, way)))

const open = (argv: readonly [string, ...Array<string>]) =>
  TerminalRuntime.use((runtime) => runtime.spawn({ program: { argv }, env: { PS1: "$ ", ENV: "" } }))

const seen = (handle: PaneHandle, pattern: string | RegExp) =>
  TerminalRuntime.use((runtime) => runtime.waitOutput(handle, { pattern, timeout: "20 seconds" }))

const linux = process.platform === "linux"

describe.runIf(linux)("a shell in tmux after a program that asked for paste marks was killed", () => {
  for (const [name, argv] of unmarked) {
    it.live(`case 16: gets several lines without marks (${name})`, () =>
      Effect.gen(function*() {
        yield* refusedFirst(yield* bereft(argv))
      }).pipe(Effect.timeout("30 seconds"), Effect.provide(alone("control"))))
  }

  for (const argv of marking) {
    it.live(`case 16: gets marks where it asks for them itself (${argv[0]})`, () =>
      Effect.gen(function*() {
        yield* both(yield* bereft(argv), false)
      }).pipe(Effect.timeout("30 seconds"), Effect.provide(alone("control"))))
  }

  for (const way of ["control", "forked"] as const) {
    it.live(`case 16: gets none where nobody heard who asked (sh, ${way})`, () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        const handle = yield* Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          const { handle } = yield* open(["/bin/sh", "-i"])
          yield* seen(handle, /\$$/)
          yield* runtime.sendCommand(handle, "printf '\\033[?2004hsho'; echo wn")
          yield* seen(handle, /shown$/)
          return handle
        }).pipe(Effect.provide(on(server, way)))

        yield* Effect.provide(both(handle, true), on(server, way))
      }))
  }
})

for (const way of ["control", "forked"] as const) {
  describe(`Escape in tmux (${way})`, () => {
    it.live("case 26: and the next key are two, within a send, between two, and between two processes", () =>
      Effect.gen(function*() {
        const server = yield* runningServer
        const handle = yield* Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          const { handle } = yield* open(["bash", "--norc", "--noprofile", "-i"])
          yield* seen(handle, /^\$/)
          // one key, it would only write on the line
          const bound =
            "set -o vi; bind 'set keyseq-timeout 500'; bind -m vi-insert '\"\\e\\C-m\": \"chord\"'; echo bo'und'"
          yield* runtime.sendCommand(handle, bound)
          yield* seen(handle, /^bound$/)

          const once = yield* runtime.send(handle, {
            items: [{ message: "echo fi'rst'" }, { key: "Escape" }, { key: "Enter" }]
          })
          yield* runtime.waitOutput(handle, { pattern: /^first$/, after: once.mark, timeout: "20 seconds" })
          const { mark } = yield* runtime.send(handle, { items: [{ message: "echo sec'ond'" }, { key: "Escape" }] })
          yield* runtime.sendKeys(handle, ["Enter"])
          yield* runtime.waitOutput(handle, { pattern: /^second$/, after: mark, timeout: "20 seconds" })
          yield* runtime.send(handle, { items: [{ message: "echo th'ird'" }, { key: "C-[" }] })
          return handle
        }).pipe(Effect.provide(on(server, way)))

        yield* Effect.gen(function*() {
          const runtime = yield* TerminalRuntime
          yield* runtime.sendKeys(handle, ["Enter"])
          yield* seen(handle, /^third$/)
        }).pipe(Effect.provide(on(server, way)))
        assert.strictEqual(server.tmux("show-options", "-p", "-q", "-v", "-t", handle.id, "@paneway_escaped"), "")
      }))

    it.live("case 26: may be pressed many times in one send", () =>
      Effect.gen(function*() {
        const runtime = yield* TerminalRuntime
        const { handle } = yield* open([
          "sh",
          "-c",
          "stty raw -echo; printf ready; head -c 21 | od -An -c; exec sleep 1000"
        ])
        yield* seen(handle, "ready")
        yield* runtime.send(handle, {
          items: [...Array.from({ length: 20 }, () => ({ key: "Escape" })), { message: "x" }]
        })
        const { screen } = yield* seen(handle, /\bx\b/)

        assert.lengthOf(screen.text.match(/033/g) ?? [], 20)
      }).pipe(Effect.provide(alone(way))))
  })
}

describe.runIf(linux)("a program in tmux that asks for the focus", () => {
  it.live("case 29: is told once that it has it, before what is sent", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { handle } = yield* open([process.execPath, "-e", listening])
      yield* seen(handle, "ready")
      yield* runtime.sendCommand(handle, "one")
      yield* seen(handle, /^got one$/)
      yield* runtime.sendCommand(handle, "two")
      const { screen } = yield* seen(handle, /^got two$/)

      assert.deepStrictEqual(screen.rows.filter((row) => row === "focus"), ["focus"])
    }).pipe(Effect.provide(alone("control"))))

  it.live("case 29: and was killed leaves a shell that is told nothing", () =>
    Effect.gen(function*() {
      const runtime = yield* TerminalRuntime
      const { handle } = yield* open(["/bin/sh", "-i"])
      yield* seen(handle, /\$$/)
      yield* runtime.sendCommand(handle, "sh -c \"printf '\\033[?1004hasked'; sleep 0.3; kill -9 \\$\\$\"")
      yield* seen(handle, /[Kk]illed/)
      yield* Effect.repeat(runtime.describe(handle), {
        until: ({ atShell }) => atShell === true,
        schedule: Schedule.spaced("10 millis")
      })
      yield* runtime.sendCommand(handle, "echo fi'ne'")
      const { screen } = yield* seen(handle, /^fine$/)

      assert.notMatch(screen.text, /\[I|not found/)
    }).pipe(Effect.provide(alone("control"))))
})
