/** How a terminal takes its input: line by line, as the kernel edits it, or key by key. */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { closeSync, constants, openSync } from "node:fs"
import * as Programs from "../internal/programs.ts"

/** Milliseconds that `stty` has to answer. */
const patience = 1000

const opened = (tty: string): number | undefined => {
  try {
    return openSync(tty, constants.O_RDWR | constants.O_NOCTTY)
  } catch {
    return undefined // it was closed, or there are no descriptors left
  }
}

/** What `stty` says; empty where there is none. */
const told = (terminal: number): Effect.Effect<string> =>
  Effect.callback((resume) => {
    const child = spawn("stty", ["-a"], {
      stdio: [terminal, "pipe", "ignore"],
      env: { ...Programs.withSystem(process.env), LC_ALL: "C" },
      timeout: patience,
      killSignal: "SIGKILL"
    })
    let text = ""
    child.stdout?.setEncoding("latin1").on("data", (chunk: string) => text += chunk)
    child.on("error", () => resume(Effect.succeed("")))
    child.on("close", () => resume(Effect.succeed(text)))
    return Effect.sync(() => {
      child.kill("SIGKILL")
    })
  })

/** True where the kernel edits lines: no line editor is at work. Undefined where that cannot be told. */
export const isCanonical = (tty: string): Effect.Effect<boolean | undefined> =>
  Effect.acquireUseRelease(
    Effect.sync(() => opened(tty)),
    (terminal) =>
      Effect.map(terminal === undefined ? Effect.succeed("") : told(terminal), (text) => {
        const [, sign] = /(?:^|[\s;])(-?)icanon\b/.exec(text) ?? []
        return sign === undefined ? undefined : sign === ""
      }),
    (terminal) =>
      Effect.sync(() => {
        if (terminal !== undefined) closeSync(terminal)
      })
  )
