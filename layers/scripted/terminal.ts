/**
 * A program at its terminal: the discipline that turns keys into lines, the screen, and the fiber that the program runs
 * in. Whatever needs no time is done when the call that caused it returns.
 */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type { AgentState } from "../../src/AgentState.ts"
import type * as Target from "../../src/Target.ts"
import { charactersOf, widthOf } from "./cells.ts"
import * as Grid from "./grid.ts"
import type { Answer, Program, Reply, Responder, Terminal } from "./program.ts"

export interface Options extends Grid.Options {
  readonly pane: Target.PaneHandle
  readonly directory: string
  readonly isDirectory: (path: string) => boolean
  readonly env: Readonly<Record<string, string>>
  /** Answers of the test, the one that is asked first in front. */
  readonly responders: () => ReadonlyArray<Responder>
  /** The screen, the agent or the end of the program changed. */
  readonly changed: () => void
  /** All that was printed, for who reads along. */
  readonly printed: (text: string) => void
  readonly ended: () => void
  readonly fork: (effect: Effect.Effect<unknown>) => Fiber.Fiber<unknown>
}

/** What the runtime has in hand. */
export interface Running {
  readonly grid: Grid.Grid
  readonly feed: (text: string) => void
  /** Characters from the keyboard. */
  readonly receive: (text: string) => void
  readonly start: (program: Program) => void
  /** Ends the program, if it has not ended. */
  readonly end: (exit: Target.Exit) => void
  readonly exit: () => Target.Exit | undefined
  readonly program: () => Program | undefined
  readonly foreground: () => string | undefined
  readonly directory: () => string
  readonly agent: () => { readonly state: AgentState; readonly turn: number }
  readonly setAgent: (state: AgentState) => void
  /** Typed and not submitted. */
  readonly typing: () => string
}

type Resume<A> = (effect: Effect.Effect<A>) => void

/** Values that a program takes one after the other, and waits for. */
const makeQueue = <A>() => {
  const waiting: Array<A> = []
  let taker: Resume<A> | undefined
  return {
    offer: (value: A) => {
      const resume = taker
      taker = undefined
      if (resume === undefined) waiting.push(value)
      else resume(Effect.succeed(value))
    },
    isAwaited: () => taker !== undefined,
    take: Effect.callback<A>((resume) => {
      if (waiting.length > 0) {
        const [next] = waiting.splice(0, 1)
        if (next !== undefined) return resume(Effect.succeed(next))
      }
      taker = resume
      return Effect.sync(() => {
        if (taker === resume) taker = undefined
      })
    })
  }
}

const newlines = (text: string) => text.replaceAll(/\r?\n/g, "\r\n")
/** Keys that move and the like, which lines have no use for. */
const ignored = /\u001b(?:\[[\d;?]*[ -/]*[@-~]|O.|.)?/y
const pasteBegins = "\u001b[200~"
const pasteEnds = "\u001b[201~"

export const make = (options: Options): Running => {
  const { changed, fork, pane, printed, responders } = options
  const grid = Grid.make(options)
  const lines = makeQueue<{ readonly line: string | undefined }>()
  const inputs = makeQueue<string>()
  const interrupts = new Set<Resume<void>>()
  let program: Program | undefined
  let fiber: Fiber.Fiber<unknown> | undefined
  let exit: Target.Exit | undefined
  let raw = false
  let pasting = false
  let typing: ReadonlyArray<string> = []
  let foreground: string | undefined
  let directory = options.directory
  let agent: AgentState = "unknown"
  let turn = 0

  const feed = (text: string) => {
    if (text === "") return
    grid.feed(text)
    printed(text)
    changed()
  }
  const print = (text: string) => feed(newlines(text))

  const end: Running["end"] = (how) => {
    if (exit !== undefined) return
    exit = how
    const running = fiber
    fiber = undefined
    running?.interruptUnsafe()
    changed()
    options.ended()
  }

  const setAgent = (state: AgentState) => {
    if (state === "working" && agent !== "working") turn += 1
    agent = state
    changed()
  }

  const interrupt = () => {
    feed("^C\r\n")
    typing = []
    const waiting = [...interrupts]
    interrupts.clear()
    for (const resume of waiting) resume(Effect.void)
    if (waiting.length > 0) return
    if (program?.interrupt !== "line") return end({ signal: "SIGINT" })
    if (lines.isAwaited()) lines.offer({ line: "" })
  }
  const erase = (count: number) => {
    const gone = typing.slice(typing.length - count)
    typing = typing.slice(0, typing.length - gone.length)
    feed("\b \b".repeat(gone.reduce((width, character) => width + Math.max(1, widthOf(character)), 0)))
  }
  const add = (character: string, shown = character) => {
    typing = [...typing, character]
    feed(shown)
  }
  const submit = () => {
    const line = typing.join("")
    typing = []
    feed("\r\n")
    lines.offer({ line })
  }

  const key = (character: string) => {
    if (pasting) {
      if (character === "\r" || character === "\n") add("\n", "\r\n")
      else if (character >= " " || character === "\t") add(character)
    } else if (character === "\r" || character === "\n") submit()
    else if (character === "\u0003") interrupt()
    else if (character === "\u0004") {
      if (typing.length === 0) lines.offer({ line: undefined })
    } else if (character === "\u007f" || character === "\b") erase(1)
    else if (character === "\u0015") erase(typing.length)
    else if (character >= " " || character === "\t") add(character)
  }

  const receive: Running["receive"] = (text) => {
    if (exit !== undefined || text === "") return
    if (raw) return inputs.offer(text)
    const escape = text.indexOf("\u001b")
    if (escape !== 0) {
      const plain = escape === -1 ? text : text.slice(0, escape)
      for (const character of charactersOf(plain)) {
        // CR and LF together are one character as people see it
        for (const one of character === "\r\n" ? ["\r"] : [character]) key(one)
      }
      return receive(text.slice(plain.length))
    }
    const begins = text.startsWith(pasteBegins)
    if (begins || text.startsWith(pasteEnds)) {
      pasting = begins
      return receive(text.slice(pasteBegins.length))
    }
    ignored.lastIndex = 0
    return receive(text.slice(ignored.exec(text)?.[0].length ?? 1))
  }

  const carryOut = Effect.fnUntraced(function*(reply: Reply, output: Terminal["print"] = terminal.print) {
    const given = Effect.isEffect(reply) ? (yield* reply) ?? {} : reply
    const answer: Answer = typeof given === "string" ? { print: given === "" ? "" : `${given}\n` } : given
    const takes = Duration.fromInputUnsafe(answer.takes ?? 0)
    if (!Duration.isZero(takes)) yield* Effect.sleep(takes)
    if (answer.print !== undefined) yield* output(answer.print)
    if (answer.agent !== undefined) setAgent(answer.agent)
    if (answer.ends !== undefined) {
      end(answer.ends)
      return yield* Effect.never
    }
    return answer.code ?? 0
  })

  const terminal: Terminal = {
    pane,
    env: options.env,
    isDirectory: options.isDirectory,
    size: Effect.sync(grid.size),
    print: (text) => Effect.sync(() => print(text)),
    feed: (text) => Effect.sync(() => feed(text)),
    line: Effect.map(lines.take, ({ line }) => line),
    input: inputs.take,
    raw: (on) =>
      Effect.sync(() => {
        raw = on
      }),
    interrupted: Effect.callback<void>((resume) => {
      interrupts.add(resume)
      return Effect.sync(() => interrupts.delete(resume))
    }),
    reply: (line, output) =>
      Effect.suspend((): Effect.Effect<number | undefined> => {
        for (const responder of responders()) {
          const reply = responder(line, terminal)
          if (reply !== undefined) return carryOut(reply, output)
        }
        return Effect.undefined
      }),
    carryOut,
    agent: (state) => Effect.sync(() => setAgent(state)),
    agentState: Effect.sync(() => agent),
    foreground: (name) =>
      Effect.sync(() => {
        foreground = name
      }),
    directory: (path) =>
      Effect.sync(() => {
        directory = path ?? directory
        return directory
      })
  }

  const start: Running["start"] = (next) => {
    program = next
    exit = undefined
    foreground = undefined
    raw = false
    const run = Effect.onExit(next.run(terminal), (how) =>
      Effect.sync(() => {
        if (program !== next) return
        if (Exit.isSuccess(how)) return end(how.value)
        if (Cause.hasInterruptsOnly(how.cause)) return
        print(`${next.name}: ${String(Cause.squash(how.cause))}\n`)
        end({ code: 1 })
      }))
    const started = fork(run)
    if (program === next && exit === undefined) fiber = started
  }

  return {
    grid,
    feed,
    receive,
    start,
    end,
    exit: () => exit,
    program: () => program,
    foreground: () => foreground,
    directory: () => directory,
    agent: () => ({ state: agent, turn }),
    setAgent,
    typing: () => typing.join("")
  }
}
