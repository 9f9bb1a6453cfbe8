/**
 * One pane bound to the runtime that owns it, so that a program with several runtimes cannot mix them up.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type { PaneHandle } from "./Target.ts"
import { TerminalRuntime } from "./TerminalRuntime.ts"

type Service = TerminalRuntime["Service"]
type Bound<F> = F extends (pane: PaneHandle, ...rest: infer Rest) => infer Result ? (...rest: Rest) => Result : never
type PaneMethod =
  | "send"
  | "sendCommand"
  | "sendText"
  | "sendKeys"
  | "run"
  | "capture"
  | "output"
  | "waitOutput"
  | "waitStable"
  | "waitAgent"
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
  run: (options) => runtime.run(handle, options),
  capture: (options) => runtime.capture(handle, options),
  output: () => runtime.output(handle),
  waitOutput: (options) => runtime.waitOutput(handle, options),
  waitStable: (options) => runtime.waitStable(handle, options),
  waitAgent: (options) => runtime.waitAgent(handle, options),
  describe: () => runtime.describe(handle),
  close: runtime.closePane(handle)
})

/**
 * Binds a pane to the runtime of the context.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (handle: PaneHandle): Effect.Effect<TerminalPane, never, TerminalRuntime> =>
  TerminalRuntime.useSync((runtime) => fromRuntime(runtime, handle))
