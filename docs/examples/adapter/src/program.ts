/** One program over pipes: started, read into a screen, typed into, and ended with its process group. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import { spawn } from "node:child_process"
import { accessSync, constants, readFileSync, statSync } from "node:fs"
import { delimiter, resolve } from "node:path"
import { Contract, Keys, RuntimeError, type Send, type Target } from "paneway"
import { cook } from "./keyboard.ts"
import * as Screen from "./screen.ts"

export interface Program {
  readonly pid: number
  readonly startCommand: string
  readonly screen: Screen.Screen
  /** Present once it ended and all that it printed is on the screen. */
  readonly exit: () => Target.Exit | undefined
  readonly ended: Effect.Effect<void>
  /** What a text must not be typed into, now. */
  readonly obstacles: (steps: ReadonlyArray<Send.Step>) => ReadonlyArray<Contract.Obstacle>
  /** Types one step, once; gives the bytes. `before` goes into the failure. */
  readonly type: (
    step: Send.Step,
    how: { readonly stall: Contract.Delivery["stall"]; readonly before: Contract.Place }
  ) => Effect.Effect<number, Contract.WriteFailed>
  /** The program in the foreground, and whether it is the pane's own shell. Empty where there is no `/proc`. */
  readonly foreground: () => Pick<Target.Pane, "command" | "atShell">
  /** Ends it and all that it started in its process group. */
  readonly kill: () => void
}

const failed = (reason: RuntimeError.SpawnFailed["reason"], detail: string) =>
  new RuntimeError.SpawnFailed({ runtime: "pipes", reason, detail, created: "nothing" })

/** A shell without a terminal prompts only when it is told to be interactive. */
const argvOf = ({ onExit, program }: Contract.SpawnRequest): readonly [string, ...Array<string>] => {
  if (program === undefined) return ["sh", "-i"]
  const argv = "argv" in program ? program.argv : ["sh", "-c", program.shell] as const
  return onExit === "shell" ? ["sh", "-c", "\"$@\"; exec sh -i", "sh", ...argv] : argv
}

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
const isFound = (name: string, cwd: string, path: string): boolean =>
  name.includes("/")
    ? isProgram(resolve(cwd, name))
    : path.split(delimiter).some((folder) => isProgram(resolve(cwd, folder, name)))

const linux = (pid: number, file: string): string | undefined => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8").trim()
  } catch {
    return undefined // another system, or it is gone
  }
}

/** Bytes that are given to the pipe at once: what is left of a cut text is never longer. */
const piece = 4096

/** `changed` is called when the screen changed, and after the end. */
export const start = Effect.fnUntraced(function*(
  request: Contract.SpawnRequest,
  options: Contract.Size & { readonly scrollback: number },
  changed: () => void
): Effect.fn.Return<Program, RuntimeError.SpawnFailed> {
  const cwd = resolve(request.cwd ?? process.cwd())
  const env: Record<string, string | undefined> = { ...process.env, TERM: "xterm-256color", PWD: cwd }
  for (const name of request.unset ?? []) delete env[name]
  for (const [name, value] of Object.entries(request.env ?? {})) {
    env[name] = typeof value === "string" ? value : Redacted.value(value)
  }
  const argv = argvOf(request)
  // a shell would start them in front of us: what is wrong is told before anything exists
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
    return yield* failed("bad-directory", `${cwd} is no directory: choose an existing one`)
  }
  const program = request.program !== undefined && "argv" in request.program ? request.program.argv[0] : "sh"
  if (!isFound(program, cwd, env["PATH"] ?? "/usr/bin:/bin")) {
    return yield* failed("missing-program", `${program} was not found: check the name and PATH`)
  }
  // one pipe for both, so that the order of what is printed is kept
  const child = spawn("/bin/sh", ["-c", "exec \"$@\" 2>&1", "sh", ...argv], {
    cwd,
    env,
    detached: true, // a process group of its own, for Ctrl-C and for the end
    stdio: ["pipe", "pipe", "ignore"]
  })
  const { pid, stdin, stdout } = child
  child.on("error", () => {})
  stdin.on("error", () => {}) // told by each write
  if (pid === undefined) return yield* failed("other", "the system started no process: close some panes")

  const screen = Screen.make(options)
  const ended = Deferred.makeUnsafe<void>()
  let exit: Target.Exit | undefined
  let line = ""

  const signal = (name: NodeJS.Signals) => {
    try {
      process.kill(-pid, name)
    } catch {
      // the group has ended
    }
  }
  const isOver = () => child.exitCode !== null || child.signalCode !== null

  stdout.on("data", (chunk: Uint8Array) => {
    stdout.pause() // a program that prints faster than the screen is drawn has to wait
    screen.print(chunk, () => {
      changed()
      stdout.resume()
    })
  })
  child.once("exit", () => signal("SIGHUP")) // as when a terminal is closed: jobs that it left let go of the pipe
  child.once("close", (code, name) => {
    screen.print("", () => {
      exit = name === null ? { code: code ?? 0 } : { signal: name }
      Deferred.doneUnsafe(ended, Exit.void)
      changed()
    })
  })

  const encode = (step: Send.Step): string => {
    if (step._tag === "Press") return Keys.encode(step.key, screen.keyModes())
    const marked = screen.marksPastes() && (step._tag === "Prompt" || step.paste)
    const text = marked ? `\u001b[200~${step.text}\u001b[201~` : step.text
    return step._tag === "Prompt" ? `${text}\r` : text
  }
  const put = (bytes: Uint8Array): Effect.Effect<void, Error> =>
    Effect.callback((resume) => {
      stdin.write(bytes, (error) => resume(error ? Effect.fail(error) : Effect.void))
    })

  const type: Program["type"] = Effect.fnUntraced(function*(step, { before, stall }) {
    const cut = (written: Contract.WriteFailed["written"], cause: unknown) =>
      new Contract.WriteFailed({ stage: step._tag === "Type" ? "send-keys" : "submit", written, before, cause })
    if (!stdin.writable) return yield* cut("nothing", "its standard input is closed")
    const text = encode(step)
    const cooked = screen.readsBytes() ? undefined : cook(line, text)
    if (cooked !== undefined) {
      line = cooked.line
      if (cooked.echo !== "") screen.print(cooked.echo, changed)
      if (cooked.interrupt) signal("SIGINT")
    }
    const bytes = Buffer.from(cooked?.input ?? text)
    for (let at = 0; at < bytes.length; at += piece) {
      // a piece that was given to the pipe and not taken is on its way all the same
      yield* put(bytes.subarray(at, at + piece)).pipe(
        Effect.timeoutOrElse({ duration: stall, orElse: () => Effect.fail("its program does not read") }),
        Effect.mapError((cause) => cut("indeterminate", cause))
      )
    }
    if (cooked?.end === true) stdin.end()
    return Buffer.byteLength(text)
  })

  return {
    pid,
    startCommand: argv.join(" "),
    screen,
    exit: () => exit,
    ended: Deferred.await(ended),
    obstacles: (steps) => [
      ...(isOver() ? ["dead" as const] : []),
      ...(stdin.writable ? [] : ["input-off" as const]),
      ...(stdin.writableLength > 0 ? ["draining" as const] : []),
      ...(!screen.marksPastes() && steps.some((step) => step._tag === "Type" && step.text.includes("\n"))
        ? ["no-bracketed-paste" as const]
        : [])
    ],
    type,
    foreground: () => {
      const command = isOver() ? undefined : linux(pid, "comm")
      const children = linux(pid, `task/${pid}/children`)
      return command === undefined || children === undefined ? {} : { command, atShell: children === "" }
    },
    kill: () => signal("SIGKILL")
  }
})
