/**
 * The contract as tests: the acceptance bar of every adapter, ours and those of third parties.
 *
 * ```ts
 * import { RuntimeContract } from "paneway/testing"
 * import * as Mine from "./Mine.ts"
 *
 * RuntimeContract.suite("mine", { layer: Mine.layer(), lacks: ["agentState", "agentPrompt"] })
 * ```
 *
 * It registers tests with vitest. Each one builds the layer anew and closes it, and each is named by the rule that it
 * holds. A recorder stands in front of the adapter, so that "nothing was written" is asserted on real programs too.
 *
 * @since 0.1.0
 */
import { describe } from "@effect/vitest"
import * as Duration from "effect/Duration"
import type * as Layer from "effect/Layer"
import type { Capability } from "../Capabilities.ts"
import type { TerminalRuntime } from "../TerminalRuntime.ts"
import type { Optional } from "./Recorder.ts"
import { agents } from "./runtimeContract/agents.ts"
import { capabilities } from "./runtimeContract/capabilities.ts"
import { closing } from "./runtimeContract/closing.ts"
import { doubt } from "./runtimeContract/doubt.ts"
import { handles } from "./runtimeContract/handles.ts"
import { interruption } from "./runtimeContract/interruption.ts"
import { lifecycle } from "./runtimeContract/lifecycle.ts"
import { marks } from "./runtimeContract/marks.ts"
import { posix } from "./runtimeContract/posix.ts"
import { programs } from "./runtimeContract/programs.ts"
import { running } from "./runtimeContract/running.ts"
import { sending } from "./runtimeContract/sending.ts"
import { spawning } from "./runtimeContract/spawning.ts"
import { waits } from "./runtimeContract/waits.ts"
import { windows } from "./runtimeContract/windows.ts"
import { makeTest, type Programs } from "./runtimeContract/world.ts"

export { cksum } from "./runtimeContract/cksum.ts"
export type { Program, Programs } from "./runtimeContract/world.ts"

/**
 * @category options
 * @since 0.1.0
 */
export interface Options<E> {
  /** The adapter. Built anew for each test; closing its scope must leave nothing behind. */
  readonly layer: Layer.Layer<TerminalRuntime, E>
  /**
   * Capabilities that the runtime says it lacks; each one is asserted to be refused. It must be exactly those. Text,
   * keys, captures, lists, closing, probes and waits for output cannot be waived.
   */
  readonly lacks?: ReadonlyArray<Capability> | undefined
  /**
   * Programs for panes that do not run those of POSIX, and an agent where the runtime tells agents by itself. Defaults to
   * `sh`, `stty`, `cat`, `head` and `cksum`.
   */
  readonly programs?: Partial<Programs> | undefined
  /**
   * A directory that exists where the panes are, not a symbolic link, and not the one of panes that ask for none. Defaults
   * to `/`.
   */
  readonly root?: string | undefined
  /** Optional primitives to hide, so that the suite also runs through what `make` derives. Defaults to none. */
  readonly without?: ReadonlyArray<Optional> | undefined
  /** Time for each thing that is expected to happen. Defaults to 10 seconds. */
  readonly patience?: Duration.Input | undefined
  /**
   * Whether tests run at the same time, as many as vitest's `maxConcurrency` allows. For layers that share nothing: most
   * tests wait more than they work. Defaults to false.
   */
  readonly concurrent?: boolean | undefined
}

/**
 * Registers the suite with vitest, in a group of that name.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(name: string, options: Options<E>): void => {
  const { concurrent = false, lacks = [], layer, root = "/", without = [] } = options
  const patience = Duration.fromInputUnsafe(options.patience ?? "10 seconds")
  const test = makeTest({ layer, lacks, patience, programs: { ...posix, ...options.programs }, root, without })
  describe(`the contract on ${name}`, { concurrent }, () => {
    programs(test)
    capabilities(test, lacks)
    handles(test)
    windows(test)
    spawning(test)
    sending(test)
    doubt(test)
    marks(test)
    waits(test)
    lifecycle(test)
    agents(test)
    running(test)
    interruption(test)
    closing(test)
  })
}
