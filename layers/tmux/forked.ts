/**
 * One `tmux` process for each group of commands. Commands go by standard input, so that they have no limit and nobody
 * reads them in a list of processes. It never starts a server.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import * as SystemError from "../internal/systemError.ts"
import { NoAnswer, OtherServer, wayOf } from "./failures.ts"
import { argv, type Command, group, literal } from "./quoting.ts"
import type { Server } from "./server.ts"
import { type Answer, lifeFormat, lifeOf, lines, nonce, print, type Transport } from "./transport.ts"

export interface Options {
  readonly binary: string
  readonly server: Server
  /** Of the process, see `Server.environment`. */
  readonly env: Readonly<Record<string, string>>
  /** For one call. */
  readonly deadline: Duration.Duration
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Bytes that one call may print. */
const most = 64 * 1024 * 1024

const lost = (detail: string, cause?: unknown) => new NoAnswer({ reason: "lost", detail, sent: true, cause })

const notStarted = (binary: string, cause: unknown): NoAnswer => {
  const code = SystemError.code(cause)
  return code === "ENOENT" || code === "EACCES"
    ? new NoAnswer({ reason: "missing-program", detail: `${binary} cannot be run (${code})`, sent: false, cause })
    : new NoAnswer({ reason: "lost", detail: `${binary} could not be started (${code})`, sent: false, cause })
}

/** Runs `tmux` with these arguments until it ends; a caller that goes away, or the deadline, ends it. */
export const exec = (
  { binary, deadline, env, server }: Options,
  args: ReadonlyArray<string>,
  input = ""
): Effect.Effect<Ended, NoAnswer> =>
  Effect.interruptible(Effect.callback<Ended, NoAnswer>((resume) => {
    const child = spawn(binary, [...server.args, "-u", ...args], { env, stdio: ["pipe", "pipe", "pipe"] })
    const printed = { stdout: [] as Array<Buffer>, stderr: [] as Array<Buffer>, bytes: 0 }
    const collect = (where: Array<Buffer>) => (chunk: Buffer) => {
      printed.bytes += chunk.length
      if (printed.bytes > most) {
        child.kill("SIGKILL")
        resume(Effect.fail(lost(`it printed more than ${most} bytes`)))
      } else where.push(chunk)
    }
    child.stdout.on("data", collect(printed.stdout))
    child.stderr.on("data", collect(printed.stderr))
    child.on("error", (cause) => resume(Effect.fail(notStarted(binary, cause))))
    // it may end without reading
    child.stdin.on("error", () => {})
    child.on("close", (code) =>
      resume(Effect.succeed({
        code,
        stdout: Buffer.concat(printed.stdout).toString("utf8"),
        stderr: Buffer.concat(printed.stderr).toString("utf8")
      })))
    child.stdin.end(input)
    return Effect.sync(() => {
      child.kill("SIGKILL")
    })
  })).pipe(
    Effect.timeoutOrElse({
      duration: deadline,
      orElse: () =>
        Effect.fail(
          new NoAnswer({
            reason: "timed-out",
            detail: `the server at ${server.path} did not answer within ${Duration.toSeconds(deadline)} s`,
            sent: true
          })
        )
    })
  )

const withoutEnd = (text: string) => text.endsWith("\n") ? text.slice(0, -1) : text

interface Words {
  readonly separator: string
  readonly last: string
  readonly other: string
}

/** What was printed, back to the commands. */
const answerOf = (
  { code, stderr, stdout }: Ended,
  { last, other, separator }: Words
): Answer | NoAnswer | OtherServer => {
  const begin = stdout.indexOf("\n")
  const life = begin === -1 ? undefined : lifeOf(stdout.slice(0, begin))
  const way = wayOf(stderr)
  if (life === undefined) {
    return way ?? new NoAnswer({ reason: "refused", detail: stderr.trim() || `it ended with ${code}`, sent: false })
  }
  if (!stdout.endsWith(`${last}\n`)) return way ?? lost(stderr.trim() || "the server went away")
  const body = stdout.slice(begin + 1, -last.length - 1)
  if (body === `${other}\n`) return new OtherServer()
  const parts = body.split(`${separator}\n`).map(withoutEnd)
  return code === 0
    ? { life, outputs: parts, failure: undefined }
    : { life, outputs: parts, failure: stderr.trim() || `it ended with ${code}` }
}

export const make = (options: Options): Transport => ({
  run: Effect.fnUntraced(function*(commands: ReadonlyArray<Command>, expect?: string) {
    const words: Words = { separator: nonce(), last: nonce(), other: nonce() }
    const own = lines(commands, words.separator)
    const whole = expect === undefined
      ? group(own)
      : group([["if-shell", "-F", `#{==:#{pid}-#{start_time},${expect}}`, { run: own }, { run: [print(words.other)] }]])
    const input = [group([print(lifeFormat)]), whole, group([print(words.last)]), ""].join("\n")
    const answer = answerOf(yield* exec(options, ["source-file", "-"], input), words)
    return "_tag" in answer ? yield* answer : answer
  })
})

/** What a session is made with, where there may be no server. */
export interface NewSession {
  readonly name: string
  /** Name of its first window. */
  readonly window: string
  readonly columns: number
  readonly rows: number
  readonly cwd: string
  /** Printed for the first pane. */
  readonly format: string
  readonly program: ReadonlyArray<string>
}

/** The words of the command, the same by every way. */
export const newSessionWords = (
  { columns, cwd, format, name, program, rows, window }: NewSession
): readonly [string, ...Array<string>] => [
  "new-session",
  "-d",
  "-P",
  "-F",
  format,
  "-s",
  literal(name),
  "-n",
  literal(window),
  "-c",
  literal(cwd),
  "-x",
  `${columns}`,
  "-y",
  `${rows}`,
  "--",
  ...program
]

/** Makes a session, and starts the server if none runs. */
export const newSession = (
  options: Options,
  session: NewSession
): Effect.Effect<Ended, NoAnswer> => exec(options, newSessionWords(session).map(argv))
