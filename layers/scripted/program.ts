/**
 * Programs as values: what runs in a scripted pane, and what it can do with its terminal.
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { AgentState } from "../../src/AgentState.ts"
import type { Size } from "../../src/Contract.ts"
import type { SendProfile } from "../../src/Send.ts"
import type { Exit, PaneHandle } from "../../src/Target.ts"

/**
 * What a line is answered with.
 *
 * @category programs
 * @since 0.1.0
 */
export interface Answer {
  /** Printed as it stands; LF begins a new line. */
  readonly print?: string | undefined
  /** Time that passes before that, by the Clock. */
  readonly takes?: Duration.Input | undefined
  /** Exit code of the command. Default 0. */
  readonly code?: number | undefined
  /** State of the agent from then on. */
  readonly agent?: AgentState | undefined
  /** The program itself ends so, whatever else it would do. */
  readonly ends?: Exit | undefined
}

/**
 * A text is printed with a newline after it. An effect does what it does, and what it gives is the answer.
 *
 * @category programs
 * @since 0.1.0
 */
export type Reply = string | Answer | Effect.Effect<string | Answer | void>

/**
 * Answers a line, or leaves it to the program of the pane.
 *
 * @category programs
 * @since 0.1.0
 */
export type Responder = (line: string, terminal: Terminal) => Reply | undefined

/**
 * Answers by a function; one after the other, then none; or by the line.
 *
 * @category programs
 * @since 0.1.0
 */
export type Answers = Responder | ReadonlyArray<Reply> | Readonly<Record<string, Reply>>

/**
 * A pane's terminal, as its program has it.
 *
 * @category programs
 * @since 0.1.0
 */
export interface Terminal {
  readonly pane: PaneHandle
  /** What the pane was opened with; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
  readonly size: Effect.Effect<Size>
  /** Prints; LF begins a new line. */
  readonly print: (text: string) => Effect.Effect<void>
  /** Prints exactly these characters: LF goes down and no further. */
  readonly feed: (text: string) => Effect.Effect<void>
  /**
   * The next line that was typed and submitted, without its end; undefined after Ctrl-D. What is typed is shown at once;
   * Backspace and Ctrl-U edit it, a paste that was marked as such submits nothing.
   */
  readonly line: Effect.Effect<string | undefined>
  /** The next characters as they arrive, a key or a text at a time, once `raw` is on. */
  readonly input: Effect.Effect<string>
  /** On: nothing is shown or edited, and `input` has it all. */
  readonly raw: (on: boolean) => Effect.Effect<void>
  /** Succeeds at the next Ctrl-C, which does nothing else then. */
  readonly interrupted: Effect.Effect<void>
  /**
   * What the test answers to the line, carried out: its exit code. Undefined: the test leaves it to the program. `output`
   * gets what the answer prints, instead of the screen.
   */
  readonly reply: (line: string, output?: Terminal["print"]) => Effect.Effect<number | undefined>
  readonly carryOut: (reply: Reply) => Effect.Effect<number>
  /** States what the agent in the pane is doing. Each `working` begins a turn. */
  readonly agent: (state: AgentState) => Effect.Effect<void>
  /** What was stated last. */
  readonly agentState: Effect.Effect<AgentState>
  /** The name of the program in the foreground; absent, the pane's own is. */
  readonly foreground: (name?: string) => Effect.Effect<void>
  /** Where the program is, and where it goes when a path is given. */
  readonly directory: (path?: string) => Effect.Effect<string>
  readonly isDirectory: (path: string) => boolean
}

/**
 * What runs in a pane. Its end is that of the pane's process.
 *
 * @category programs
 * @since 0.1.0
 */
export interface Program {
  readonly name: string
  readonly run: (terminal: Terminal) => Effect.Effect<Exit>
  /** Absent: that of the runtime. */
  readonly profile?: SendProfile | undefined
  /** True: commands are run in it, so that one can tell whether it is in the foreground. */
  readonly isShell?: boolean | undefined
  /** What Ctrl-C does when nobody waits for it: ends the program, or the line that is being typed. Default `ends`. */
  readonly interrupt?: "ends" | "line" | undefined
}

/**
 * A program that reads lines and prints what they are answered with.
 *
 * @category programs
 * @since 0.1.0
 */
export const lines = (
  { answer, name, profile, prompt = "" }: {
    readonly name: string
    readonly prompt?: string | undefined
    /** For lines that the test does not answer. Absent: nothing is printed. */
    readonly answer?: Responder | undefined
    readonly profile?: SendProfile | undefined
  }
): Program => ({
  name,
  profile,
  run: Effect.fnUntraced(function*(terminal) {
    for (;;) {
      yield* terminal.print(prompt)
      const line = yield* terminal.line
      if (line === undefined) return { code: 0 }
      if ((yield* terminal.reply(line)) !== undefined) continue
      const own = answer?.(line, terminal)
      if (own !== undefined) yield* terminal.carryOut(own)
    }
  })
})

/**
 * A coding agent: idle, then working on each prompt, then idle again, which the contract tells as done. It asked for
 * bracketed paste, so that a prompt can have several lines.
 *
 * @category programs
 * @since 0.1.0
 */
export const agent = (
  { answer, name = "agent", prompt = "> ", takes = "0 millis" }: {
    readonly name?: string | undefined
    readonly prompt?: string | undefined
    /** Time that it works on a prompt that the test does not answer, by the Clock. Default none. */
    readonly takes?: Duration.Input | undefined
    /** For prompts that the test does not answer. Absent: nothing is printed. */
    readonly answer?: Responder | undefined
  } = {}
): Program => ({
  name,
  profile: "agent-aware",
  interrupt: "line",
  run: Effect.fnUntraced(function*(terminal) {
    yield* terminal.feed("\u001b[?2004h")
    yield* terminal.agent("idle")
    for (;;) {
      yield* terminal.print(prompt)
      const line = yield* terminal.line
      if (line === undefined) return { code: 0 }
      if (line.trim() === "") continue
      yield* terminal.agent("working")
      if ((yield* terminal.reply(line)) === undefined) {
        yield* terminal.carryOut({ takes })
        yield* terminal.carryOut(answer?.(line, terminal) ?? {})
      }
      // an answer may have left it in another state
      if ((yield* terminal.agentState) === "working") yield* terminal.agent("idle")
    }
  })
})
