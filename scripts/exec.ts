/**
 * Starts programs for the scripts and the package tests: argv only, no stdin, a deadline for each.
 */
import { spawn } from "node:child_process"

export interface Options {
  readonly cwd: string
  readonly env?: NodeJS.ProcessEnv | undefined
  readonly seconds: number
}

export interface Finished {
  /** `null` when a signal ended the program. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly timedOut: boolean
}

const groups = new Set<number>()

const endGroup = (pid: number): void => {
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // The group has ended.
  }
}

process.on("exit", () => groups.forEach(endGroup))
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))

/** Resolves when the program and everything that holds its output has ended; the deadline ends its process group. */
export const exec = (file: string, args: ReadonlyArray<string>, options: Options): Promise<Finished> =>
  new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true
    })
    const output = { stdout: "", stderr: "" }
    let timedOut = false
    if (child.pid === undefined) {
      child.once("error", reject)
      return
    }
    const pid = child.pid
    groups.add(pid)
    const deadline = setTimeout(() => {
      timedOut = true
      endGroup(pid)
    }, options.seconds * 1000)
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (text: string) => {
        output[name] += text
      })
    }
    child.once("close", (code) => {
      clearTimeout(deadline)
      groups.delete(pid)
      resolve({ code, ...output, timedOut })
    })
  })

/** Both streams, as a person reading a failure wants them. */
export const said = (result: Finished): string =>
  `${result.stdout}${result.stderr}${result.timedOut ? "\n(ended at its deadline)" : ""}`.trim()
