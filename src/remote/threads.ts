/**
 * A thread that matches regular expressions, and is ended when one takes too long: nothing else stops an engine.
 *
 * It is started with the first search, ends after a minute without one, and keeps no process alive. Those who ask take
 * turns, whatever one of them asks for.
 *
 * @since 0.1.0
 */
// @effect-diagnostics globalTimers:off - a thread knows no other time
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Searched } from "../waiting/searching.ts"

/** As `searchLines` does it. */
const program = `
const { parentPort } = require("node:worker_threads")
const search = ({ source, flags, lines }) => {
  const pattern = new RegExp(source, flags.replaceAll(/[gy]/g, ""))
  for (let at = 0; at < lines.length; at++) {
    const hit = pattern.exec(lines[at])
    if (hit !== null) return { at, text: hit[0], groups: hit.slice(1).map((group) => group ?? "") }
  }
}
parentPort.on("message", (asked) => {
  let found
  try {
    found = search(asked)
  } catch {
    found = "unmatchable"
  }
  parentPort.postMessage(found)
})
parentPort.postMessage("ready")
`

/** Milliseconds without a search after which the thread ends. */
const idle = 60_000

/** Threads that were told to end and have not: an engine that translates an expression hears nothing. */
const mostEnding = 2

const limits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8, codeRangeSizeMb: 16 }

interface Job {
  readonly client: number
  readonly asked: { readonly source: string; readonly flags: string; readonly lines: ReadonlyArray<string> }
  readonly done: (searched: Searched | "late") => void
}

/** A platform's module is asked for by name: a room imports none. */
const start = () => {
  const { Worker } = globalThis.process.getBuiltinModule("node:worker_threads")
  const worker = new Worker(program, {
    eval: true,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: limits
  })
  worker.unref()
  return worker
}
type Worker = ReturnType<typeof start>

/**
 * @internal
 */
export interface Thread {
  /** `late`: it took longer than a search may. */
  readonly search: (client: number, pattern: RegExp, lines: ReadonlyArray<string>) => Effect.Effect<Searched | "late">
}

const isSearched = (message: unknown): message is Searched => message !== "ready"

/**
 * `most`: milliseconds of one search. `together`: when one is late, so are those of its client that wait. The thread ends
 * with the scope.
 *
 * @internal
 */
export const make = Effect.fnUntraced(function*({ most, together }: {
  readonly most: number
  readonly together: boolean
}): Effect.fn.Return<Thread, never, Scope.Scope> {
  /** Whose turn is first stands first. */
  const clients = new Map<number, Array<Job>>()
  let worker: Worker | undefined
  let ready = false
  let running: Job | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let ending = 0
  let closed = false

  const quit = () => {
    clearTimeout(timer)
    timer = undefined
    const ended = worker
    worker = undefined
    ready = false
    if (ended === undefined) return
    ended.removeAllListeners()
    ended.on("error", () => {})
    ending += 1
    const over = () => {
      ending -= 1
      proceed()
    }
    ended.terminate().then(over, over)
  }
  const finish = (searched: Searched | "late") => {
    clearTimeout(timer)
    const job = running
    running = undefined
    job?.done(searched)
    proceed()
  }
  const next = (): Job | undefined => {
    const [turn] = clients
    if (turn === undefined) return undefined
    const [client, jobs] = turn
    const job = jobs.shift()
    clients.delete(client)
    if (jobs.length > 0) clients.set(client, jobs)
    return job
  }
  const open = () => {
    const opened = start()
    worker = opened
    opened.on("message", (message: unknown) => {
      if (opened !== worker) return
      if (isSearched(message)) return finish(message)
      ready = true
      proceed()
    })
    const broken = () => {
      if (opened !== worker) return
      quit()
      // no room for it, or no thread at all
      running ??= next()
      finish("unmatchable")
    }
    opened.on("error", broken)
    opened.on("exit", broken)
  }
  const proceed = () => {
    if (closed || running !== undefined) return
    if (clients.size === 0) {
      if (worker === undefined) return
      clearTimeout(timer)
      timer = setTimeout(quit, idle)
      timer.unref()
      return
    }
    if (worker === undefined) {
      if (ending < mostEnding) open()
      return
    }
    if (!ready) return
    running = next()
    if (running === undefined) return
    clearTimeout(timer)
    const job = running
    // an answer that came meanwhile is taken first
    timer = setTimeout(() =>
      setImmediate(() => {
        if (job !== running) return
        quit()
        if (together) {
          const others = clients.get(job.client) ?? []
          clients.delete(job.client)
          for (const other of others) other.done("late")
        }
        finish("late")
      }), most)
    worker.postMessage(job.asked, [])
  }

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      closed = true
      clients.clear()
      quit()
    })
  )

  return {
    search: (client, { flags, source }, lines) =>
      Effect.callback((resume) => {
        if (closed || (worker === undefined && ending >= mostEnding)) return resume(Effect.succeed("late"))
        const job: Job = {
          client,
          asked: { source, flags, lines },
          done: (searched) => resume(Effect.succeed(searched))
        }
        const jobs = clients.get(client)
        if (jobs === undefined) clients.set(client, [job])
        else jobs.push(job)
        proceed()
        return Effect.sync(() => {
          const left = clients.get(client)?.filter((one) => one !== job)
          if (left === undefined) return
          if (left.length > 0) clients.set(client, left)
          else clients.delete(client)
        })
      })
  }
})
