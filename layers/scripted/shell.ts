/**
 * The virtual shell: a prompt, a handful of commands, and enough of sh's language to read what `run` types.
 *
 * Quotes, variables, `$?`, `$(...)`, `;`, `&&`, `||`, newlines, comments, braces, `case`, and redirection to `/dev/null`
 * are understood. Pipes, files, loops and functions are not: they are a syntax error, said so and without effect.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Program, Terminal } from "./program.ts"
import * as Script from "./shellScript.ts"

interface State {
  code: number
  exiting: boolean
  readonly variables: Map<string, string>
}

/** Where the output of a command goes: to the screen, or into the text of a substitution. */
type Output = (text: string) => Effect.Effect<void>

interface Io {
  readonly terminal: Terminal
  readonly state: State
  readonly output: Output
  readonly errors: Output
}

/** Exit code of a command that Ctrl-C ended. */
const interruptedCode = 130

/** As printf has it: the format is used again while there are arguments. */
const formatted = (format: string, given: ReadonlyArray<string>): string => {
  const rest = [...given]
  const once = () =>
    Script.unescape(format.replaceAll("%%", "\\045")).replaceAll(
      /%([sdb])/g,
      (_, kind: string) => {
        const argument = rest.shift() ?? (kind === "d" ? "0" : "")
        return kind === "b"
          ? Script.unescape(argument)
          : kind === "d"
          ? `${Math.trunc(Number(argument) || 0)}`
          : argument
      }
    )
  let text = once()
  for (let left = rest.length; left > 0 && /%[sdb]/.test(format); left = rest.length) text += once()
  return text
}

const calculated = ([a, operator, b, ...more]: ReadonlyArray<string>): string | undefined => {
  const [x, y] = [Number(a), Number(b)]
  if (more.length > 0 || !Number.isInteger(x) || !Number.isInteger(y)) return undefined
  if (operator === "+") return `${x + y}`
  if (operator === "-") return `${x - y}`
  if (operator === "*") return `${x * y}`
  return (operator === "/" || operator === "%") && y !== 0
    ? `${operator === "/" ? Math.trunc(x / y) : x % y}`
    : undefined
}

const resolved = (from: string, to: string): string => {
  const parts: Array<string> = []
  for (const part of (to.startsWith("/") ? to : `${from}/${to}`).split("/")) {
    if (part === "..") parts.pop()
    else if (part !== "" && part !== ".") parts.push(part)
  }
  return `/${parts.join("/")}`
}

type Builtin = (words: ReadonlyArray<string>, io: Io) => Effect.Effect<number>

const succeeding = (code: number): Builtin => () => Effect.succeed(code)

/** In the foreground, until it ends or Ctrl-C ends it. */
const inForeground = (terminal: Terminal, name: string, effect: Effect.Effect<number>): Effect.Effect<number> =>
  Effect.andThen(
    terminal.foreground(name),
    Effect.ensuring(
      Effect.raceFirst(effect, Effect.as(terminal.interrupted, interruptedCode)),
      terminal.foreground()
    )
  )

const builtins: Readonly<Record<string, Builtin>> = {
  ":": succeeding(0),
  true: succeeding(0),
  false: succeeding(1),
  echo: (words, { output }) => {
    const bare = words[0] === "-n"
    return Effect.as(output(bare ? words.slice(1).join(" ") : `${words.join(" ")}\n`), 0)
  },
  printf: ([format = "", ...words], { output }) => Effect.as(output(formatted(format, words)), 0),
  exit: ([code], { state }) =>
    Effect.sync(() => {
      state.exiting = true
      return code === undefined ? state.code : Number(code) & 0xff
    }),
  sleep: ([seconds = "0"], { terminal }) =>
    inForeground(terminal, "sleep", Effect.as(Effect.sleep(Duration.seconds(Number(seconds) || 0)), 0)),
  clear: (_, { output }) => Effect.as(output("\u001b[H\u001b[2J\u001b[3J"), 0),
  cd: ([path = "/"], { errors, terminal }) =>
    Effect.gen(function*() {
      const to = resolved(yield* terminal.directory(), path)
      if (!terminal.isDirectory(to)) {
        yield* errors(`sh: cd: ${path}: no such directory\n`)
        return 1
      }
      yield* terminal.directory(to)
      return 0
    }),
  pwd: (_, { output, terminal }) =>
    Effect.gen(function*() {
      yield* output(`${yield* terminal.directory()}\n`)
      return 0
    }),
  expr: (words, { errors, output }) => {
    const result = calculated(words)
    return result === undefined
      ? Effect.as(errors("sh: expr: only NUMBER OPERATOR NUMBER is understood here\n"), 2)
      : Effect.as(output(`${result}\n`), result === "0" ? 1 : 0)
  },
  eval: (words, io) => runText(words.join(" "), io),
  command: ([name = ":", ...words], io) => runCommand([name, ...words], io),
  export: (words, { state }) =>
    Effect.sync(() => {
      for (const word of words) {
        const [, name, value] = Script.assignment.exec(word) ?? []
        if (name !== undefined && value !== undefined) state.variables.set(name, value)
      }
      return 0
    })
}

const runCommand = (
  [name = "", ...words]: ReadonlyArray<string>,
  io: Io,
  asked = false
): Effect.Effect<number> => {
  const builtin = Object.hasOwn(builtins, name) ? builtins[name] : undefined
  if (builtin !== undefined) return builtin(words, io)
  const missing = Effect.as(io.errors(`sh: ${name}: not found\n`), 127)
  if (asked) return missing
  return Effect.filterOrElse(answered([name, ...words].join(" "), io), Predicate.isNotUndefined, () => missing)
}

const answered = (line: string, { output, terminal }: Io): Effect.Effect<number | undefined> => {
  const name = line.trim().split(/\s/)[0] ?? ""
  return Effect.andThen(
    terminal.foreground(name),
    Effect.ensuring(
      Effect.raceFirst(terminal.reply(line, output), Effect.as(terminal.interrupted, interruptedCode)),
      terminal.foreground()
    )
  )
}

const valueOf = (name: string, { state, terminal }: Io): Effect.Effect<string> => {
  // fish calls it so
  if (name === "?" || name === "status") return Effect.succeed(`${state.code}`)
  if (name === "-") return Effect.succeed("i")
  return name === "PWD" ? terminal.directory() : Effect.succeed(state.variables.get(name) ?? "")
}

const expanded = Effect.fnUntraced(function*(word: Script.Word, io: Io) {
  let text = ""
  for (const part of word) {
    if (part._tag === "Text") text += part.text
    else if (part._tag === "Variable") {
      text += yield* valueOf(part.name, io)
    } else {
      let caught = ""
      const into: Io = {
        ...io,
        output: (more) =>
          Effect.sync(() => {
            caught += more
          })
      }
      yield* runScript(part.script, into, "")
      text += caught.replace(/\n+$/, "")
    }
  }
  return text
})

const runText = Effect.fnUntraced(function*(text: string, io: Io): Effect.fn.Return<number> {
  const { state } = io
  const line = text.trim()
  if (line === "") return state.code
  // what `run` types is the shell's; the command in it comes back here
  if (!Script.isRun(text)) {
    const code = yield* answered(line, io)
    if (code !== undefined) return state.code = code
  }
  return yield* runScript(text, io, line)
})

/** `asked`: the test has left this text to the shell. */
const runScript = Effect.fnUntraced(function*(text: string, io: Io, asked: string): Effect.fn.Return<number> {
  const { state, terminal } = io
  const script = Script.parse(text)
  if (typeof script === "string") {
    yield* terminal.print(`sh: syntax error: ${script}\n`)
    return state.code = 2
  }
  for (const { choice, join, silent, words } of script) {
    if ((join === "&&" && state.code !== 0) || (join === "||" && state.code === 0)) continue
    if (choice !== undefined) {
      const subject = yield* expanded(choice.subject, io)
      const arm = choice.arms.find(({ pattern }) => pattern.test(subject))
      state.code = arm === undefined ? 0 : yield* runScript(arm.script, io, asked)
      continue
    }
    const given: Array<string> = []
    for (const word of words) given.push(yield* expanded(word, io))
    const [, name, value] = words.length === 1 ? Script.assignment.exec(given[0] ?? "") ?? [] : []
    if (name !== undefined && value !== undefined) {
      state.variables.set(name, value)
      state.code = 0
    } else {
      const own: Io = {
        ...io,
        ...(silent.output ? { output: () => Effect.void } : {}),
        ...(silent.errors ? { errors: () => Effect.void } : {})
      }
      state.code = yield* runCommand(given, own, given.join(" ") === asked)
    }
    if (state.exiting) break
  }
  return state.code
})

/**
 * @category programs
 * @since 0.1.0
 */
export interface Options {
  /** Default `sh`. */
  readonly name?: string | undefined
  /** Default `$ `. */
  readonly prompt?: string | undefined
  /** Whether it asks for bracketed paste at its prompt, as bash does. Default true. */
  readonly bracketedPaste?: boolean | undefined
  /** Run before the first prompt; with `once` there is no prompt, and the shell ends with it. */
  readonly command?: string | undefined
  readonly once?: boolean | undefined
  /** False: it stands for one of its commands. Default true. */
  readonly isShell?: boolean | undefined
}

/**
 * Whether it has a command of its own of that name.
 *
 * @internal
 */
export const has = (name: string): boolean => Object.hasOwn(builtins, name)

/**
 * A shell whose commands are `echo`, `printf`, `true`, `false`, `exit`, `sleep` by the Clock, `clear`, `cd`, `pwd`,
 * `expr`, `eval`, `command`, `export` and what the test answers; every other is not found. A line is answered by the test
 * before the shell looks at it.
 *
 * @category programs
 * @since 0.1.0
 */
export const shell = (
  { bracketedPaste = true, command, isShell = true, name = "sh", once = false, prompt = "$ " }: Options = {}
): Program => ({
  name,
  isShell,
  interrupt: "line",
  run: Effect.fnUntraced(function*(terminal) {
    const state: State = { code: 0, exiting: false, variables: new Map(Object.entries(terminal.env)) }
    const io: Io = { terminal, state, output: terminal.print, errors: terminal.print }
    const [on, off] = bracketedPaste ? ["\u001b[?2004h", "\u001b[?2004l"] : ["", ""]
    if (command !== undefined) yield* runText(command, io)
    if (once) return { code: state.code }
    while (!state.exiting) {
      yield* terminal.feed(on)
      yield* terminal.print(prompt)
      const line = yield* terminal.line
      yield* terminal.feed(off)
      if (line === undefined) break
      yield* runText(line, io)
    }
    return { code: state.code }
  })
})
