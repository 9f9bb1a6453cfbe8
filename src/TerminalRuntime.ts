/**
 * The service that drives terminals, whichever program owns them.
 *
 * A program takes {@link TerminalRuntime} from its context and is given a layer per terminal program. An adapter
 * supplies {@link Primitives}; {@link make} derives the service from them, so that every runtime validates, locks,
 * waits, times out and traces in the same way.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { AgentSense, isProvided } from "./AgentState.ts"
import type { Make, Primitives } from "./Contract.ts"
import { PaneLocks } from "./PaneLocks.ts"
import { makeAgents } from "./terminalRuntime/agents.ts"
import { makeCapabilities } from "./terminalRuntime/capabilities.ts"
import { makeDelivering } from "./terminalRuntime/delivering.ts"
import { makeKnownWindows } from "./terminalRuntime/knownWindows.ts"
import { makeLifecycle } from "./terminalRuntime/lifecycle.ts"
import { makeLooking } from "./terminalRuntime/looking.ts"
import { makeOperations } from "./terminalRuntime/operations.ts"
import { makePanes } from "./terminalRuntime/panes.ts"
import { makeRunning } from "./terminalRuntime/running.ts"
import { makeSending } from "./terminalRuntime/sending.ts"
import { StatusFiles } from "./terminalRuntime/statusFiles.ts"
import { makeSubmitting } from "./terminalRuntime/submitting.ts"
import { makeSurroundings } from "./terminalRuntime/surroundings.ts"
import { makeTargets } from "./terminalRuntime/targets.ts"
import { makeOutputWaits } from "./terminalRuntime/waiting.ts"
import { makeWatching } from "./terminalRuntime/watching.ts"
import { makeWindows } from "./terminalRuntime/windows.ts"
import { LineSearch } from "./waiting/searching.ts"

/**
 * What an adapter supplies, and the failure of its primitives that write.
 *
 * @category adapters
 * @since 0.1.0
 */
export { type Primitives, WriteFailed } from "./Contract.ts"

/**
 * Where a shell that a command ends leaves its exit code, for runtimes whose panes do not tell it.
 *
 * @category references
 * @since 0.1.0
 */
export { type MakeStatusFile, type StatusFile, StatusFiles } from "./terminalRuntime/statusFiles.ts"

/**
 * The contract of every runtime; the members are described at `Contract.Service`.
 *
 * @category services
 * @since 0.1.0
 */
export { TerminalRuntime } from "./terminalRuntime/service.ts"

/**
 * Applied to the primitives of each runtime that is built where it is provided, before anything else reads them. Test
 * kits record and disturb calls with it. Defaults to no change.
 *
 * @category references
 * @since 0.1.0
 */
export const Instrument = Context.Reference<(primitives: Primitives) => Primitives>(
  "paneway/TerminalRuntime/Instrument",
  { defaultValue: () => (primitives) => primitives }
)

/**
 * Builds the service from an adapter's primitives. The scope holds the watches and the deliveries that are under way.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: Make = Effect.fnUntraced(function*(adapter: Primitives) {
  const instrument = yield* Instrument
  const primitives = instrument(adapter)
  const locks = yield* PaneLocks
  const operations = makeOperations(primitives.runtime)
  const capabilities = makeCapabilities(primitives, isProvided(yield* AgentSense))
  const targets = makeTargets(primitives, operations)
  const knownWindows = makeKnownWindows(primitives, targets, yield* Clock.Clock)
  const looking = makeLooking({ primitives, capabilities, operations, targets })
  const watching = yield* makeWatching({ primitives, inventory: knownWindows.inventory, looking })
  const agents = yield* makeAgents({ primitives, operations, targets, looking, watching })
  const delivering = yield* makeDelivering({ primitives, capabilities, targets, looking, agents })
  const submitting = yield* makeSubmitting({ primitives, targets, looking, watching, delivering })
  const sending = makeSending({
    primitives,
    operations,
    locks,
    targets,
    knownWindows,
    agents,
    delivering,
    submitting
  })
  const outputWaits = makeOutputWaits({ lineSearch: yield* LineSearch, operations, targets, watching })
  const windows = yield* makeWindows({ primitives, capabilities, operations, locks, knownWindows })

  return {
    runtime: primitives.runtime,
    sendProfile: primitives.sendProfile,
    capabilities,
    resolve: targets.resolve,
    describe: targets.describe,
    capture: looking.capture,
    waitAgent: agents.waitAgent,
    agents: agents.agents,
    ...sending.operations,
    ...outputWaits.operations,
    ...windows,
    ...makePanes({ primitives, capabilities, operations, locks, targets, knownWindows }),
    ...makeRunning({
      primitives,
      capabilities,
      operations,
      targets,
      knownWindows,
      looking,
      sending: sending.untraced,
      outputWaits,
      statusFiles: yield* StatusFiles
    }),
    ...makeLifecycle({ primitives, operations, targets, watching, keep: agents.keep }),
    ...makeSurroundings({ primitives, operations, targets })
  }
})
