/**
 * One pane bound to the runtime that owns it, so that a program with several runtimes cannot mix them up.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { AgentObservation } from "./AgentState.ts"
import type { AskError } from "./Contract.ts"
import { Probe } from "./Lifecycle.ts"
import type { InvalidRequest, Unsupported } from "./RuntimeError.ts"
import type { PaneHandle } from "./Target.ts"
import { TerminalRuntime } from "./TerminalRuntime.ts"
import type { Timeout } from "./Waiting.ts"

type Service = TerminalRuntime["Service"]
type Bound<F> = F extends (pane: PaneHandle, ...rest: infer Rest) => infer Result ? (...rest: Rest) => Result : never
type PaneMethod =
  | "send"
  | "sendCommand"
  | "sendText"
  | "sendKeys"
  | "typeInto"
  | "run"
  | "capture"
  | "output"
  | "waitOutput"
  | "waitStable"
  | "waitAgent"
  | "resize"
  | "describe"

/**
 * The operations of `TerminalRuntime` that act on one pane, without the pane argument. It holds no resource: the pane
 * lives on when this value is forgotten.
 *
 * @category models
 * @since 0.1.0
 */
export type TerminalPane = { readonly [K in PaneMethod]: Bound<Service[K]> } & {
  readonly handle: PaneHandle
  readonly runtime: Service
  /** What cannot be told is `unknown`, never a failure. */
  readonly probe: Effect.Effect<Probe, InvalidRequest>
  /** The state of its agent first, then changes. Ends with the pane. */
  readonly agent: Stream.Stream<AgentObservation, Unsupported | InvalidRequest | AskError>
  /** Waits until its program has ended or it is gone; the observation says which. */
  readonly waitExit: (o: { readonly timeout: Timeout }) => ReturnType<Service["waitLifecycle"]>
  readonly focus: ReturnType<Service["focus"]>
  readonly close: ReturnType<Service["closePane"]>
}

/**
 * Binds a pane to a runtime that is at hand as a value.
 *
 * @category constructors
 * @since 0.1.0
 */
export const fromRuntime = (runtime: Service, handle: PaneHandle): TerminalPane => ({
  handle,
  runtime,
  send: (request, options) => runtime.send(handle, request, options),
  sendCommand: (command, options) => runtime.sendCommand(handle, command, options),
  sendText: (text, options) => runtime.sendText(handle, text, options),
  sendKeys: (keys, options) => runtime.sendKeys(handle, keys, options),
  typeInto: (text, options) => runtime.typeInto(handle, text, options),
  run: (options) => runtime.run(handle, options),
  capture: (options) => runtime.capture(handle, options),
  output: () => runtime.output(handle),
  waitOutput: (options) => runtime.waitOutput(handle, options),
  waitStable: (options) => runtime.waitStable(handle, options),
  waitAgent: (options) => runtime.waitAgent(handle, options),
  resize: (size) => runtime.resize(handle, size),
  describe: () => runtime.describe(handle),
  probe: Effect.suspend(() =>
    Effect.map(
      runtime.probe([handle]),
      ([probe]) => probe ?? new Probe({ pane: handle, liveness: "unknown", reason: "no answer" })
    )
  ),
  agent: Stream.suspend(() => runtime.agents([handle])),
  waitExit: ({ timeout }) => runtime.waitLifecycle({ condition: "pane-exited", target: handle, timeout }),
  focus: Effect.suspend(() => runtime.focus(handle)),
  close: Effect.suspend(() => runtime.closePane(handle))
})

/**
 * Binds a pane to the runtime of the context.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (handle: PaneHandle): Effect.Effect<TerminalPane, never, TerminalRuntime> =>
  TerminalRuntime.useSync((runtime) => fromRuntime(runtime, handle))
