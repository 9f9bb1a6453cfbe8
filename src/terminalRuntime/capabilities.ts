/**
 * What the runtime can do, read off the primitives that its adapter supplies.
 *
 * @since 0.1.0
 */
import type { Capabilities, Capability, Support } from "../Capabilities.ts"
import type { Primitives } from "../Contract.ts"
import { Unsupported } from "../RuntimeError.ts"

const native = (primitive: unknown, otherwise: Support = "none"): Support =>
  primitive === undefined ? otherwise : "native"

/**
 * What the adapter declares wins over what the primitives say. `sensed`: agents are told by their screens.
 *
 * @internal
 */
export const makeCapabilities = (primitives: Primitives, sensed = false): Capabilities => ({
  focus: native(primitives.focus),
  splitPane: "native",
  scrollback: "native",
  ansi: "none",
  rawOutput: native(primitives.output),
  wakeUps: native(primitives.watch ?? primitives.watchAll, "derived"),
  agentState: native(primitives.agent, sensed ? "derived" : "none"),
  agentPrompt: primitives.sendProfile === "agent-aware" ? "native" : "none",
  exitStatus: "derived",
  setEnvironment: native(primitives.setEnvironment),
  attach: native(primitives.attach),
  sessions: native(primitives.closeSession, primitives.session === undefined ? "none" : "derived"),
  windowMetadata: native(primitives.remember, "derived"),
  // an adapter that only writes has to say that it can paste
  bracketedPaste: native(primitives.deliver),
  resize: native(primitives.resize),
  ...primitives.declared
})

/**
 * The refusal of an operation whose primitive is absent.
 *
 * @internal
 */
export const unsupported = ({ runtime }: Primitives, capability: Capability): Unsupported =>
  new Unsupported({ runtime, capability, reason: `${runtime} has no way to do it` })
