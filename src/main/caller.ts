/** The calling process, by Node's own streams. */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { isUtf8 } from "node:buffer"
import { constants, fstatSync, openSync, readFileSync, readlinkSync, writeSync } from "node:fs"
import { constants as system } from "node:os"
import { isAbsolute } from "node:path"
import { type Caller, OutputClosed, OutputFailed } from "../cli/Caller.ts"
import type { Size } from "../Contract.ts"
import type { Program } from "../PaneView.ts"

/** False where reading the terminal would stop this process: it runs in the background of its shell. */
const inForeground = (): boolean => {
  if (process.platform !== "linux") return true
  try {
    const stat = readFileSync("/proc/self/stat", "latin1")
    const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return group === foreground || foreground === "-1" // no terminal controls this process: nothing stops it
  } catch {
    return true
  }
}

const inputKind = (): "keyboard" | "pipe" | "none" => {
  try {
    fstatSync(0)
  } catch {
    return "none"
  }
  // in a pane whose input is a pipe's, the terminal brings data and its end
  if (!process.stdin.isTTY || process.env.PANEWAY_INPUT === "pipe") return "pipe"
  return inForeground() ? "keyboard" : "none"
}

const sizeOf = ({ columns, rows }: NodeJS.WriteStream): Size | undefined =>
  columns > 0 && rows > 0 ? { columns, rows } : undefined

const resizes: Stream.Stream<Size> = Stream.callback((queue) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const onResize = () => {
        const size = sizeOf(process.stdout)
        if (size !== undefined) Queue.offerUnsafe(queue, size)
      }
      process.stdout.on("resize", onResize)
      process.on("SIGCONT", onResize)
      return onResize
    }),
    (onResize) =>
      Effect.sync(() => {
        process.stdout.off("resize", onResize)
        process.off("SIGCONT", onResize)
      })
  ), { bufferSize: 1, strategy: "sliding" })

/** The next bytes of standard input; none at its end. Reads no further than it is asked to. */
const next: Effect.Effect<Uint8Array | undefined> = Effect.callback((resume) => {
  const { stdin } = process
  const attempt = (): boolean => {
    const chunk: unknown = stdin.read()
    if (chunk instanceof Uint8Array) resume(Effect.succeed(chunk))
    else if (stdin.readableEnded || stdin.destroyed || stdin.errored !== null) resume(Effect.undefined)
    else return false
    return true
  }
  const events = ["readable", "end", "close", "error"]
  const onEvent = () => {
    if (attempt()) off()
  }
  const off = () => events.forEach((event) => stdin.off(event, onEvent))
  if (attempt()) return undefined
  for (const event of events) stdin.on(event, onEvent)
  return Effect.sync(off)
})

const read: Stream.Stream<Uint8Array> = Stream.takeWhile(
  Stream.fromEffectRepeat(next),
  (chunk): chunk is Uint8Array => chunk !== undefined
)

const writeStream = (bytes: Uint8Array): Effect.Effect<void, OutputClosed | OutputFailed> =>
  Effect.callback((resume) => {
    process.stdout.write(bytes, (error) => {
      if (error === undefined || error === null) return resume(Effect.void)
      const closed = "code" in error && (error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED")
      const detail = error.message
      resume(Effect.fail(closed ? new OutputClosed({ detail }) : new OutputFailed({ detail })))
    })
  })

/** Milliseconds between tries while the terminal takes nothing. */
const backOff = [1, 2, 4, 8, 16, 32] as const

/**
 * Node writes to a terminal blocking, so that one which is not read would stop this process, its deadlines and its
 * signals. This is a description of its own, which does not block.
 */
const writeTerminal = (): (bytes: Uint8Array) => Effect.Effect<void, OutputClosed | OutputFailed> => {
  const fd = openSync("/proc/self/fd/1", constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  const attempt = (bytes: Uint8Array): number | OutputClosed | OutputFailed => {
    try {
      return writeSync(fd, bytes)
    } catch (cause) {
      const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined
      if (code === "EAGAIN") return 0
      const detail = cause instanceof Error ? cause.message : String(cause)
      return code === "EIO" ? new OutputClosed({ detail }) : new OutputFailed({ detail })
    }
  }
  return Effect.fnUntraced(function*(bytes) {
    let tries = 0
    for (let rest = bytes; rest.length > 0;) {
      const written = attempt(rest)
      if (typeof written !== "number") return yield* written
      rest = rest.subarray(written)
      tries = written > 0 ? 0 : tries + 1
      if (tries > 0) yield* Effect.sleep(backOff[Math.min(tries, backOff.length) - 1] ?? 32)
    }
  })
}

const makeWrite = () => {
  if (!process.stdout.isTTY || process.platform !== "linux") return writeStream
  try {
    return writeTerminal()
  } catch {
    return writeStream // no /proc, or a terminal of another user
  }
}

const tell = (text: string): Effect.Effect<void> =>
  Effect.callback((resume) => {
    process.stderr.write(text, () => resume(Effect.void))
  })

/** Once, and not waiting for a terminal that takes nothing. */
const leaving = (text: () => string) =>
  Effect.asVoid(Effect.acquireRelease(
    Effect.sync(() => {
      const onExit = () => {
        try {
          const path = process.platform === "linux" ? "/proc/self/fd/1" : "/dev/tty"
          const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
          writeSync(fd, text())
        } catch {
          // nothing can be done about a terminal that is gone
        }
      }
      process.on("exit", onExit)
      return onExit
    }),
    (onExit) => Effect.sync(() => process.off("exit", onExit))
  ))

/** Loads what starts processes when it is needed: most commands never touch the terminal's mode. */
const stty = (fd: number, ...args: ReadonlyArray<string>): string => {
  // found although PATH may lack it
  const env = { ...process.env, PATH: [process.env.PATH, "/usr/bin", "/bin"].filter(Boolean).join(":") }
  return process.getBuiltinModule("child_process")
    .spawnSync("stty", args, { env, stdio: [fd, "pipe", "ignore"], encoding: "utf8" })
    .stdout?.trim() ?? ""
}

/**
 * Every key goes to the pane. Node's raw mode keeps the terminal translating LF to CR LF, which would change what the
 * program wrote, so that is switched off besides. Node restores all of it when the mode ends, and at exit.
 */
const enterKeyboard = () => {
  process.stdin.setRawMode(true)
  if (process.stdout.isTTY) stty(0, "-opost")
  return () => process.stdin.setRawMode(false)
}

/** Bytes reach the terminal as they are; its keys are nobody's, but Ctrl-C still interrupts this process. */
const enterDisplay = () => {
  const before = stty(1, "-g")
  stty(1, "-opost", "-echo")
  return () => stty(1, before)
}

/** Node puts U+FFFD for what is not UTF-8 in an argument, which names another file then. */
const readable = (words: ReadonlyArray<string>): boolean => {
  if (process.platform !== "linux" || !words.some((word) => word.includes("\ufffd"))) return true
  try {
    return isUtf8(readFileSync("/proc/self/cmdline"))
  } catch {
    return true
  }
}

const formerDirectory = (): string | undefined => {
  try {
    return readlinkSync("/proc/self/cwd").replace(/ \(deleted\)$/, "")
  } catch {
    const { PWD } = process.env
    return PWD !== undefined && isAbsolute(PWD) ? PWD : undefined
  }
}

/** Where the directory was removed, the name that it had: what is opened there fails, and nowhere else instead. */
const workingDirectory = (): string => {
  try {
    return process.cwd()
  } catch {
    return formerDirectory() ?? "/(a directory that was removed)"
  }
}

/** The calling terminal's mode while a pane has it. */
const makeTerminal = (input: "keyboard" | "pipe" | "none") => {
  const enter = input === "keyboard" ? enterKeyboard : enterDisplay
  const mode = { leave: (): unknown => undefined }
  // the shell set the terminal for itself while this process was stopped
  const again = () => {
    mode.leave()
    mode.leave = enter()
  }
  const take = () => {
    mode.leave = enter()
    process.on("SIGCONT", again)
  }
  const give = () => {
    process.off("SIGCONT", again)
    mode.leave()
  }
  const raw = Effect.suspend(() =>
    inForeground() && (input === "keyboard" || process.stdout.isTTY)
      ? Effect.asVoid(Effect.acquireRelease(Effect.sync(take), () => Effect.sync(give)))
      : Effect.void
  )
  // the whole job, as the terminal itself would; a group that no shell watches is not stopped
  const suspend = Effect.andThen(
    Effect.sync(() => {
      mode.leave()
      process.kill(0, "SIGTSTP")
    }),
    Effect.andThen(Effect.sleep("50 millis"), Effect.sync(again))
  )
  return { raw, suspend }
}

/** Not in worker threads, and not on Windows. */
const become = ({ argv, env }: Program): Effect.Effect<string> =>
  Effect.sync(() => {
    if (process.execve === undefined) return "no program can take the place of this process here"
    try {
      return process.execve(argv[0], argv, { ...env })
    } catch (cause) {
      return cause instanceof Error ? cause.message : String(cause)
    }
  })

/** `exit` is told the code of a successful end. */
export const make = (words: ReadonlyArray<string>, exit: (code: number) => void): Caller["Service"] => {
  process.stdout.on("error", () => {}) // the write itself reports it
  process.stderr.on("error", () => {})
  const input = inputKind()
  const dashes = words.indexOf("--")
  return {
    words,
    argv: dashes === -1 ? words : words.slice(0, dashes),
    readable: readable(words),
    tail: dashes === -1 ? [] : words.slice(dashes + 1),
    env: process.env,
    cwd: workingDirectory(),
    signals: { ...system.signals },
    input,
    outputIsTerminal: process.stdout.isTTY,
    errorIsTerminal: process.stderr.isTTY,
    size: () => sizeOf(process.stdout),
    resizes,
    read,
    write: makeWrite(),
    tell,
    leaving,
    ...makeTerminal(input),
    become,
    exitWith: (code) => Effect.sync(() => exit(code))
  }
}
