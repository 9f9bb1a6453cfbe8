/**
 * An orchestrator of coding agents, written against the service alone.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import type { AgentState } from "../../src/AgentState.ts"
import * as RuntimeError from "../../src/RuntimeError.ts"
import * as TerminalPane from "../../src/TerminalPane.ts"
import { TerminalRuntime } from "../../src/TerminalRuntime.ts"

export interface Task {
  readonly name: string
  readonly root: string
  readonly preset?: string
  readonly prompt: string
}

const start = Effect.fn("orchestrator.start")(function*(task: Task) {
  const runtime = yield* TerminalRuntime
  const window = yield* runtime.ensureWindow({ name: task.name, root: task.root, preset: task.preset })
  const { handle } = yield* runtime.preparePane({ window: window.handle })
  return { task, pane: yield* TerminalPane.make(handle) }
})

/** In doubt is not retried: look for the turn that the prompt would have started. */
const prompt = Effect.fn("orchestrator.prompt")(function*(pane: TerminalPane.TerminalPane, text: string) {
  return yield* pane.sendText(text).pipe(
    Effect.map(({ mark }) => ({ delivered: true, mark })),
    Effect.catchTag(
      "SendStalled",
      Effect.fnUntraced(function*({ report: { mark } }) {
        const seen = yield* Effect.option(pane.waitAgent({ states: ["working"], after: mark, timeout: "5 seconds" }))
        return { delivered: Option.isSome(seen), mark }
      })
    )
  )
})

const retryWait = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("5 seconds")]).pipe(
  Schedule.upTo({ times: 3 }),
  Schedule.setInputType<RuntimeError.RuntimeError>(),
  Schedule.while(({ input }) => RuntimeError.isRetryable(input))
)
const settled: readonly [AgentState, ...Array<AgentState>] = ["blocked", "done"]

/** Gives each task a pane and its prompt, and waits until all have settled; `test` runs the tests in one pane. */
export const orchestrate = Effect.fn("orchestrator.run")(function*(tasks: ReadonlyArray<Task>) {
  const runtime = yield* TerminalRuntime
  const started = yield* Effect.forEach(tasks, start, { concurrency: 2 })
  const sent = yield* Effect.forEach(
    started,
    ({ pane, task }) => Effect.map(prompt(pane, task.prompt), ({ mark }) => ({ pane, mark })),
    { concurrency: "unbounded" }
  )

  // one: the first to settle, by waits
  const first = yield* Effect.raceAllFirst(
    sent.map(({ mark, pane }) =>
      pane.waitAgent({ states: settled, after: mark, timeout: "10 minutes" }).pipe(Effect.retry(retryWait))
    )
  )
  // all: by the stream
  const all = yield* runtime.agents(sent.map(({ pane }) => pane.handle)).pipe(
    Stream.filter(({ state }) => settled.includes(state)),
    Stream.take(sent.length),
    Stream.runCollect,
    Effect.timeoutOption("1 hour")
  )
  const test = Effect.fnUntraced(function*(pane: TerminalPane.TerminalPane) {
    const { mark } = yield* pane.sendCommand("make test")
    return yield* pane.waitOutput({ pattern: /(\d+) passed/, after: mark, timeout: "30 seconds" })
  })
  return { first, all: Option.map(all, ({ length }) => length), panes: sent.map(({ pane }) => pane), test }
})

/** What a caller has to handle, as inferred. */
export type Failure = Effect.Error<ReturnType<typeof orchestrate>>
