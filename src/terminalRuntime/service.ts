/**
 * The tag of the service, apart from what builds it: who only uses a runtime loads no more than this.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type { Service } from "../Contract.ts"

/**
 * The contract of every runtime; the members are described at `Contract.Service`.
 *
 * @category services
 * @since 0.1.0
 */
// its key names the module that exports it
// @effect-diagnostics-next-line deterministicKeys:off
export class TerminalRuntime extends Context.Service<TerminalRuntime, Service>()("paneway/TerminalRuntime") {}
